//! Executes a journal or reverts it. Every step checks the disk for what is left to do, so it can be repeated after a
//! kill at any moment.

use std::collections::BTreeSet;
use std::io;

use agpm_model::ObservedPath;

use crate::directory_chain::DirectoryChain;
use crate::error::{StoreError, StoreProblem};
use crate::journal::{Journal, JournalOperation};
use crate::owned::above;
use crate::staging::StagingDirectory;
use crate::stamp::{FileStamp, is_unchanged};
use crate::steps::{
    exchange, exists, ignore_not_found, is_same, link, remove_file, rename, rename_to_free,
};

/// How often the user may write the same file while it is being restored.
const MOST_EXCHANGES: usize = 8;
/// The suffix of a user's file that appeared at a path during a rollback.
const SET_ASIDE: &str = "agpm-old";
const MOST_SET_ASIDE: usize = 100;

/// The treatment of a file that appeared at the path of a managed one.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum UnexpectedFile {
    /// Fail, so the whole transaction is reverted.
    Fail,
    /// Leave it: recovery after a kill continues with the remaining files.
    Leave,
}

/// Paths that must be free before something is written.
struct InTheWay<'a> {
    /// Directories that are created.
    created: BTreeSet<&'a str>,
    /// Files that are written, in lower case for case-insensitive file systems.
    written: BTreeSet<String>,
}

impl<'a> InTheWay<'a> {
    fn of(journal: &'a Journal) -> Self {
        InTheWay {
            created: journal.make.iter().map(String::as_str).collect(),
            // Compared without case: on macOS and Windows `A.md` occupies the path of `a.md`, and must go before
            // that is written.
            written: journal
                .writes()
                .map(|(_, file)| file.path.as_str().to_lowercase())
                .collect(),
        }
    }

    /// Returns whether a removed file or directory blocks a path that is written.
    fn is(&self, path: &str) -> bool {
        let folded = path.to_lowercase();
        self.created.contains(path)
            || self.written.contains(&folded)
            || above(&folded).any(|directory| self.written.contains(directory))
    }
}

/// The execution of a journal.
pub(crate) struct JournalExecution<'a> {
    staging: &'a StagingDirectory<'a>,
    journal: &'a Journal,
    clash: UnexpectedFile,
    /// The files as they were when the plan was checked, by their number; empty after a kill.
    stamps: &'a [Option<FileStamp>],
    chain: DirectoryChain<'a>,
}

impl<'a> JournalExecution<'a> {
    pub(crate) fn new(
        staging: &'a StagingDirectory<'a>,
        journal: &'a Journal,
        clash: UnexpectedFile,
        stamps: &'a [Option<FileStamp>],
    ) -> Self {
        JournalExecution {
            staging,
            journal,
            clash,
            stamps,
            chain: DirectoryChain::new(&staging.store.root),
        }
    }

    /// Writes come before removals: a file exists before a configuration names it, and is removed after the
    /// configuration. Only obstacles to a write are removed first.
    pub(crate) fn roll_forward(&mut self) -> Result<(), StoreError> {
        // A settings file must never name a hook script that is not written yet or is already removed, even if the
        // process is killed between two steps.
        let journal = self.journal;
        let in_the_way = InTheWay::of(journal);
        self.remove(|path| in_the_way.is(path))?;
        for directory in &journal.make {
            self.chain
                .make(directory)
                .map_err(self.staging.store.at(directory))?;
        }
        for (at, operation) in journal.writes() {
            self.put(at, operation)?;
        }
        self.remove(|path| !in_the_way.is(path))
    }

    /// The last check before the end: a program that had a file open may have written to it after it was moved away.
    pub(crate) fn require_untouched(&mut self) -> Result<(), StoreError> {
        // An editor with an open descriptor still writes to the moved inode. Its bytes would be lost with the old file,
        // so they are compared once more.
        let replaced = self.journal.operations.iter().enumerate();
        for (at, operation) in replaced.filter(|(_, operation)| operation.before.is_some()) {
            let name = at.to_string();
            if exists(&self.staging.old, &name).map_err(self.fail(operation))? {
                self.require_planned(at, operation)?;
            }
        }
        Ok(())
    }

    /// Removes the selected files, and then the selected directories that are empty.
    fn remove(&mut self, selects: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let journal = self.journal;
        for (at, operation) in journal
            .removals()
            .filter(|(_, operation)| selects(operation.path.as_str()))
        {
            let taken = exists(&self.staging.old, &at.to_string()).map_err(self.fail(operation))?;
            // After a crash, the file may have been edited before recovery. Recovery completes the rest and leaves the
            // edit to the next plan.
            if !taken && self.is_edited(operation)? {
                continue;
            }
            self.move_old_file_away(&at.to_string(), operation)
                .map_err(self.fail(operation))?;
            self.require_taken(at, operation)?;
        }
        for directory in journal.prune.iter().filter(|directory| selects(directory)) {
            self.chain
                .remove_if_empty(directory)
                .map_err(self.staging.store.at(directory))?;
        }
        Ok(())
    }

    /// Undoes all operations, in reverse order.
    pub(crate) fn roll_back(&mut self) -> Result<(), StoreError> {
        let journal = self.journal;
        self.staging.revert_finish(journal.purpose)?;
        // Directories that were opened before may be gone.
        self.chain = DirectoryChain::new(&self.staging.store.root);
        let in_the_way = InTheWay::of(journal);
        // The reverse order of execution: the files that a configuration names are restored before the configuration.
        self.bring_back(|path| !in_the_way.is(path))?;
        for (at, operation) in journal.writes().rev() {
            self.put_back(&at.to_string(), operation)?;
        }
        for directory in journal.make.iter().rev() {
            self.chain
                .remove_if_empty(directory)
                .map_err(self.staging.store.at(directory))?;
        }
        self.bring_back(|path| in_the_way.is(path))
    }

    fn bring_back(&mut self, selects: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let journal = self.journal;
        let removals = journal.removals().rev();
        for (at, operation) in removals.filter(|(_, operation)| selects(operation.path.as_str())) {
            self.restore(&at.to_string(), operation)?;
        }
        Ok(())
    }

    fn exists_on_disk(&mut self, operation: &JournalOperation) -> bool {
        let parent = self.chain.parent(&operation.path);
        parent
            .and_then(|dir| exists(dir, operation.path.file_name()))
            .unwrap_or(false)
    }

    /// Returns whether a file changed after a kill. Then it belongs to the user and is left alone.
    fn is_edited(&mut self, operation: &JournalOperation) -> Result<bool, StoreError> {
        // In a running transaction the comparison with the plan is stricter and is done elsewhere; this one is for
        // recovery.
        if self.clash == UnexpectedFile::Fail {
            return Ok(false);
        }
        let now = match self
            .staging
            .store
            .observe_path(&mut self.chain, &operation.path)?
        {
            ObservedPath::File(file) => Some(file.content.checksum),
            // After a crash, a missing file was usually moved by the transaction, not by the user.
            ObservedPath::Missing => return Ok(false),
            _ => None,
        };
        Ok(now != operation.before.map(|before| before.checksum))
    }

    /// Moves the old file out of the way, if that is not done yet.
    fn move_old_file_away(&mut self, at: &str, operation: &JournalOperation) -> io::Result<()> {
        if operation.before.is_none() || exists(&self.staging.old, at)? {
            return Ok(());
        }
        let moved = self
            .chain
            .parent(&operation.path)
            .and_then(|dir| rename(dir, operation.path.file_name(), &self.staging.old, at));
        ignore_not_found(moved)
    }

    /// Moves the new file to its path, if that is not done yet.
    fn put(&mut self, at: usize, operation: &JournalOperation) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let (staging, name) = (self.staging, at.to_string());
        if !exists(&staging.new, &name).map_err(&fail)? {
            return Ok(());
        }
        // Only a file that replaces another is exchanged with it. The process was killed after the exchange and before
        // it removed the second name. Exchanging again would bring the old file back.
        if operation.before.is_some() && staging.is_exchanged(&name) {
            return remove_file(&staging.new, &name).map_err(fail);
        }
        if self.is_edited(operation)? {
            return Ok(());
        }
        if operation.before.is_some() && self.replace(at, operation)? {
            return Ok(());
        }
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        if rename_to_free(&staging.new, &name, dir, operation.path.file_name()).map_err(fail)? {
            Ok(())
        } else {
            Err(self.changed_error(operation))
        }
    }

    /// Replaces the old file with the new one without a moment in which the path is empty: the old content gets a
    /// second name, then both files are exchanged in one step. The file that was at the path in that moment is compared
    /// with the plan afterwards and put back if it differs. Returns `false` if the path is empty.
    fn replace(&mut self, at: usize, operation: &JournalOperation) -> Result<bool, StoreError> {
        let fail = self.fail(operation);
        let (staging, number, name) = (self.staging, at.to_string(), operation.path.file_name());
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        let in_place = exists(dir, name).map_err(&fail)?;
        // After a kill, the user may have saved a new file at the path, which then is the old file.
        if self.clash == UnexpectedFile::Leave
            && in_place
            && !is_same(dir, name, &staging.old, &number)
        {
            ignore_not_found(remove_file(&staging.old, &number)).map_err(&fail)?;
        }
        if !exists(&staging.old, &number).map_err(&fail)? {
            let dir = self.chain.parent(&operation.path).map_err(&fail)?;
            if !link(dir, name, &staging.old, &number).map_err(&fail)? {
                self.move_old_file_away(&number, operation).map_err(&fail)?;
            }
            self.require_planned(at, operation)?;
        }
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        if !exists(dir, name).map_err(&fail)? {
            return Ok(false);
        }
        // An editor that saves by renaming replaced the file since the second name was created.
        if !is_same(dir, name, &staging.old, &number) {
            return Err(self.changed_error(operation));
        }
        // An exchange keeps the file that is at the path in that moment. A plain rename would destroy an edit that an
        // editor saved between the check above and the rename.
        if !exchange(&staging.new, &number, dir, name).map_err(&fail)? {
            rename(&staging.new, &number, dir, name).map_err(&fail)?;
            return self.require_planned(at, operation).map(|()| true);
        }
        if staging.is_exchanged(&number) && self.is_planned(at, operation)? {
            return remove_file(&staging.new, &number)
                .map_err(fail)
                .map(|()| true);
        }
        self.restore_user_file(&number, operation)?;
        Err(self.changed_error(operation))
    }

    /// Exchanges again until the path has the latest file of the user, neither a managed file nor an earlier one of the
    /// user.
    fn restore_user_file(
        &mut self,
        at: &str,
        operation: &JournalOperation,
    ) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let (staging, name) = (self.staging, operation.path.file_name());
        // An editor may save again between two exchanges. The number of attempts is limited, so a program that writes
        // all the time cannot block the rollback.
        for _ in 0..MOST_EXCHANGES {
            let dir = self.chain.parent(&operation.path).map_err(&fail)?;
            if !exists(dir, name).map_err(&fail)? {
                rename_to_free(&staging.new, at, dir, name).map_err(&fail)?;
                return Ok(());
            }
            exchange(&staging.new, at, dir, name).map_err(&fail)?;
            let is_own_content = operation.after.map_or(Ok(true), |after| {
                is_unchanged(&staging.new, at, &after, None)
            });
            if is_own_content.map_err(&fail)? {
                break;
            }
        }
        Ok(())
    }

    /// Fails unless the old file, which has its second name by now, is the one that the plan saw. After a kill, the
    /// user's file goes back to its path instead.
    fn require_taken(&mut self, at: usize, operation: &JournalOperation) -> Result<(), StoreError> {
        let number = at.to_string();
        let taken = exists(&self.staging.old, &number).map_err(self.fail(operation))?;
        if operation.before.is_none() || !taken || self.is_planned(at, operation)? {
            return Ok(());
        }
        match self.clash {
            UnexpectedFile::Fail => Err(self.changed_error(operation)),
            // The edit came after the crash. It goes back to its path, and the next plan reports it as a local change.
            UnexpectedFile::Leave => self.restore(&number, operation),
        }
    }

    fn require_planned(
        &mut self,
        at: usize,
        operation: &JournalOperation,
    ) -> Result<(), StoreError> {
        if self.is_planned(at, operation)? {
            Ok(())
        } else {
            Err(self.changed_error(operation))
        }
    }

    /// Returns whether the old file is the one that the plan saw.
    fn is_planned(&mut self, at: usize, operation: &JournalOperation) -> Result<bool, StoreError> {
        let Some(before) = operation.before else {
            return Ok(true);
        };
        let stamp = self.stamps.get(at).and_then(Option::as_ref);
        is_unchanged(&self.staging.old, &at.to_string(), &before, stamp)
            .map_err(self.fail(operation))
    }

    fn changed_error(&self, operation: &JournalOperation) -> StoreError {
        self.staging
            .store
            .error(operation.path.as_str(), StoreProblem::Changed)
    }

    /// Reverts one write; a file that the user wrote in the meantime stays at its path.
    fn put_back(&mut self, at: &str, operation: &JournalOperation) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let staging = self.staging;
        if staging.is_exchanged(at) {
            remove_file(&staging.new, at).map_err(&fail)?;
        }
        if exists(&staging.new, at).map_err(&fail)? {
            if self.has_displaced(at, operation)? {
                return self.restore_user_file(at, operation);
            }
            // An operation that was not executed did not touch its path, which has the old file or one of the user.
            if self.exists_on_disk(operation) {
                return Ok(());
            }
        } else if self.is_written_since(operation)? {
            // Both files are the user's: the later one stays at its path, and the older one gets a name next to it.
            // Neither may be lost.
            return self.set_aside(at, operation);
        }
        self.take_back(at, operation).map_err(&fail)?;
        self.restore(at, operation)
    }

    /// Returns whether the path has a managed file and `new` a file of the user, which is the state after a kill
    /// between two exchanges.
    fn has_displaced(
        &mut self,
        at: &str,
        operation: &JournalOperation,
    ) -> Result<bool, StoreError> {
        let (fail, staging) = (self.fail(operation), self.staging);
        let Some(after) = operation.after else {
            return Ok(false);
        };
        if !exists(&staging.old, at).map_err(&fail)?
            || is_unchanged(&staging.new, at, &after, None).map_err(&fail)?
        {
            return Ok(false);
        }
        let name = operation.path.file_name();
        let Ok(dir) = self.chain.parent(&operation.path) else {
            return Ok(false);
        };
        let is_old = is_same(dir, name, &staging.old, at);
        Ok(!is_old && is_unchanged(dir, name, &after, None).unwrap_or(false))
    }

    /// Returns whether the user wrote to the new file after it was moved to its path.
    fn is_written_since(&mut self, operation: &JournalOperation) -> Result<bool, StoreError> {
        let Some(after) = operation.after else {
            return Ok(false);
        };
        let name = operation.path.file_name();
        let Ok(dir) = self.chain.parent(&operation.path) else {
            return Ok(false);
        };
        match is_unchanged(dir, name, &after, None) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
            unchanged => unchanged
                .map(|unchanged| !unchanged)
                .map_err(self.fail(operation)),
        }
    }

    /// Gives the old file a free name next to the file that is at its path now.
    fn set_aside(&mut self, at: &str, operation: &JournalOperation) -> Result<(), StoreError> {
        let (fail, staging) = (self.fail(operation), self.staging);
        if !exists(&staging.old, at).map_err(&fail)? {
            return Ok(());
        }
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        let name = operation.path.file_name();
        let numbered = (2..MOST_SET_ASIDE).map(|count| format!("{name}.{SET_ASIDE}-{count}"));
        for free in std::iter::once(format!("{name}.{SET_ASIDE}")).chain(numbered) {
            if rename_to_free(&staging.old, at, dir, &free).map_err(&fail)? {
                return Ok(());
            }
        }
        Err(self.changed_error(operation))
    }

    /// Moves the new file away from its path, if it was moved there. If an old file comes back, the new one only gets a
    /// second name.
    fn take_back(&mut self, at: &str, operation: &JournalOperation) -> io::Result<()> {
        if exists(&self.staging.new, at)? {
            return Ok(());
        }
        let name = operation.path.file_name();
        let replaces = exists(&self.staging.old, at)?;
        let moved = self.chain.parent(&operation.path).and_then(|dir| {
            // A second name instead of a move: until the old file is back, a reader of the path still finds one of the
            // two.
            let linked = replaces && link(dir, name, &self.staging.new, at)?;
            if linked {
                Ok(())
            } else {
                rename(dir, name, &self.staging.new, at)
            }
        });
        ignore_not_found(moved)
    }

    /// Moves the old file back, if it was moved; it replaces only the new file.
    fn restore(&mut self, at: &str, operation: &JournalOperation) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let name = operation.path.file_name();
        if !exists(&self.staging.old, at).map_err(&fail)? {
            return Ok(());
        }
        if self.chain.parent(&operation.path).is_err() {
            // The directory may have been removed because it was empty.
            for directory in above(operation.path.as_str()) {
                self.chain.make(directory).map_err(&fail)?;
            }
        }
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        let is_known = [&self.staging.new, &self.staging.old]
            .iter()
            .any(|directory| is_same(dir, name, directory, at));
        if exists(dir, name).map_err(&fail)? && !is_known {
            return self.set_aside(at, operation);
        }
        rename(&self.staging.old, at, dir, name).map_err(fail)
    }

    fn fail(&self, operation: &JournalOperation) -> impl Fn(io::Error) -> StoreError + use<> {
        self.staging.store.at(operation.path.as_str())
    }
}
