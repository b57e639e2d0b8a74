//! Carries out a journal or takes it back. Every step looks at the disk for what is left to do, so it can
//! be repeated after a kill at any moment.

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

/// How often a user may write the same file while it is given back to them.
const MOST_EXCHANGES: usize = 8;
/// The suffix of a user's file that appeared at a path during a rollback.
const SET_ASIDE: &str = "agpm-old";
const MOST_SET_ASIDE: usize = 100;

/// The treatment of a file that appeared where a managed one belongs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum UnexpectedFile {
    /// Fail, so all is taken back.
    Fail,
    /// Leave it alone: a killed transaction goes forward with what is left.
    Leave,
}

/// Locations that must be free before something is written.
struct InTheWay<'a> {
    /// Directories that are made.
    created: BTreeSet<&'a str>,
    /// Files that are written, as systems see them to which case says nothing.
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

    /// Whether a file or directory that goes is where something is written, or holds its location.
    fn is(&self, path: &str) -> bool {
        let folded = path.to_lowercase();
        self.created.contains(path)
            || self.written.contains(&folded)
            || above(&folded).any(|directory| self.written.contains(directory))
    }
}

/// A journal at work.
pub(crate) struct JournalExecution<'a> {
    staging: &'a StagingDirectory<'a>,
    journal: &'a Journal,
    clash: UnexpectedFile,
    /// The files as they were when the plan was checked, by their number; none after a kill.
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

    /// Writes come before removals: what a configuration names exists before it is named, and goes after it. Only
    /// obstacles to a write are removed first.
    pub(crate) fn roll_forward(&mut self) -> Result<(), StoreError> {
        // A hook in a settings file must never name a script that is not written yet, nor one that is removed already,
        // also if the process is killed between two steps.
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

    /// The last look before the end: a program that had a file open may have written to it after it was moved away.
    pub(crate) fn require_untouched(&mut self) -> Result<(), StoreError> {
        // An editor with an open descriptor still writes to the moved inode. Its bytes would be lost with the old
        // file, so they are compared once more.
        let replaced = self.journal.operations.iter().enumerate();
        for (at, operation) in replaced.filter(|(_, operation)| operation.before.is_some()) {
            let name = at.to_string();
            if exists(&self.staging.old, &name).map_err(self.fail(operation))? {
                self.require_planned(at, operation)?;
            }
        }
        Ok(())
    }

    /// Removes the files and then the empty directories that are meant.
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
            self.take(&at.to_string(), operation)
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
        // Directories opened on the way forward may be gone.
        self.chain = DirectoryChain::new(&self.staging.store.root);
        let in_the_way = InTheWay::of(journal);
        // The mirror image of going forward: what a configuration names is restored before the configuration.
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

    /// Whether a file is no longer what the plan saw, after a kill: then it is the user's, and left alone.
    fn is_edited(&mut self, operation: &JournalOperation) -> Result<bool, StoreError> {
        // In a running transaction the comparison with the plan is stricter and is made elsewhere; this one is for
        // recovery.
        if self.clash == UnexpectedFile::Fail {
            return Ok(false);
        }
        let now = match self.staging.store.see(&mut self.chain, &operation.path)? {
            ObservedPath::File(file) => Some(file.content.checksum),
            // A file that is missing after a crash was moved by the transaction itself, as a rule, and not by the
            // user.
            ObservedPath::Missing => return Ok(false),
            _ => None,
        };
        Ok(now != operation.before.map(|before| before.checksum))
    }

    /// Moves the old file out of the way, unless that was done.
    fn take(&mut self, at: &str, operation: &JournalOperation) -> io::Result<()> {
        if operation.before.is_none() || exists(&self.staging.old, at)? {
            return Ok(());
        }
        let moved = self
            .chain
            .parent(&operation.path)
            .and_then(|dir| rename(dir, operation.path.file_name(), &self.staging.old, at));
        ignore_not_found(moved)
    }

    /// Moves the new file into its location, unless that was done.
    fn put(&mut self, at: usize, operation: &JournalOperation) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let (staging, name) = (self.staging, at.to_string());
        if !exists(&staging.new, &name).map_err(&fail)? {
            return Ok(());
        }
        // Only a file that replaces another one changes locations with it.
        // The exchange was done and the process killed before it removed the second name. Doing it again would
        // bring the old file back.
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

    /// Puts the new file in the location of the old one, which is never empty: the old content gets a second name first, and
    /// then both change locations in one step. Whatever existed at that very moment is looked at afterwards, and given
    /// back if it is not what the plan saw. `false` if the location is empty.
    fn replace(&mut self, at: usize, operation: &JournalOperation) -> Result<bool, StoreError> {
        let fail = self.fail(operation);
        let (staging, number, name) = (self.staging, at.to_string(), operation.path.file_name());
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        let in_place = exists(dir, name).map_err(&fail)?;
        // After a kill, a user may have saved what existed as a new file: then that is the old one now.
        if self.clash == UnexpectedFile::Leave
            && in_place
            && !is_same(dir, name, &staging.old, &number)
        {
            ignore_not_found(remove_file(&staging.old, &number)).map_err(&fail)?;
        }
        if !exists(&staging.old, &number).map_err(&fail)? {
            let dir = self.chain.parent(&operation.path).map_err(&fail)?;
            if !link(dir, name, &staging.old, &number).map_err(&fail)? {
                self.take(&number, operation).map_err(&fail)?;
            }
            self.require_planned(at, operation)?;
        }
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        if !exists(dir, name).map_err(&fail)? {
            return Ok(false);
        }
        // An editor that saves by rename put another file at the path since the second name was made.
        if !is_same(dir, name, &staging.old, &number) {
            return Err(self.changed_error(operation));
        }
        // An exchange keeps the file that was at the path at that very moment. A plain rename would destroy an edit
        // that an editor saved between the check above and the rename.
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

    /// Exchanges again until the user's latest file is at its path and neither a managed one nor an earlier one of the
    /// user is.
    fn restore_user_file(
        &mut self,
        at: &str,
        operation: &JournalOperation,
    ) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let (staging, name) = (self.staging, operation.path.file_name());
        // An editor may save again between two exchanges. The count is bounded, so a program that writes without
        // end cannot hang the rollback.
        for _ in 0..MOST_EXCHANGES {
            let dir = self.chain.parent(&operation.path).map_err(&fail)?;
            if !exists(dir, name).map_err(&fail)? {
                rename_to_free(&staging.new, at, dir, name).map_err(&fail)?;
                return Ok(());
            }
            exchange(&staging.new, at, dir, name).map_err(&fail)?;
            let ours = operation.after.map_or(Ok(true), |after| {
                is_unchanged(&staging.new, at, &after, None)
            });
            if ours.map_err(&fail)? {
                break;
            }
        }
        Ok(())
    }

    /// Fails unless the old file, which has its second name by now, is what the plan saw. After a kill, a user's file goes
    /// back to its location instead.
    fn require_taken(&mut self, at: usize, operation: &JournalOperation) -> Result<(), StoreError> {
        let number = at.to_string();
        let taken = exists(&self.staging.old, &number).map_err(self.fail(operation))?;
        if operation.before.is_none() || !taken || self.is_planned(at, operation)? {
            return Ok(());
        }
        match self.clash {
            UnexpectedFile::Fail => Err(self.changed_error(operation)),
            // The edit came after the crash. It goes back to its path, and the next plan reports it as a local
            // change.
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

    /// Whether the old file is what the plan saw.
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

    /// Takes one write back; what a user wrote meanwhile stays in its location.
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
            // An operation that was not executed left its path alone: there is the old file, or a user's.
            if self.exists_on_disk(operation) {
                return Ok(());
            }
        } else if self.is_written_since(operation)? {
            // Both files are the user's: the one written since stays at its path, and the older one gets a name
            // next to it. Neither may be lost.
            return self.set_aside(at, operation);
        }
        self.take_back(at, operation).map_err(&fail)?;
        self.restore(at, operation)
    }

    /// Whether the path has a managed file and `new` a file of the user's, as a kill between two exchanges leaves them.
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

    /// Whether a user wrote to the new file after it got its location.
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

    /// Gives the old file a free name next to the one that its location was taken by.
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

    /// Takes the new file out of its location, if it got there. Where an old one comes back, it only gets a second name.
    fn take_back(&mut self, at: &str, operation: &JournalOperation) -> io::Result<()> {
        if exists(&self.staging.new, at)? {
            return Ok(());
        }
        let name = operation.path.file_name();
        let replaces = exists(&self.staging.old, at)?;
        let moved = self.chain.parent(&operation.path).and_then(|dir| {
            // A second name instead of a move: until the old file is back, a reader of the path still finds one of
            // the two.
            let linked = replaces && link(dir, name, &self.staging.new, at)?;
            if linked {
                Ok(())
            } else {
                rename(dir, name, &self.staging.new, at)
            }
        });
        ignore_not_found(moved)
    }

    /// Moves the old file back, if it was moved; never over another than the new one.
    fn restore(&mut self, at: &str, operation: &JournalOperation) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let name = operation.path.file_name();
        if !exists(&self.staging.old, at).map_err(&fail)? {
            return Ok(());
        }
        if self.chain.parent(&operation.path).is_err() {
            // The directory may have been removed as empty on the way forward.
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
