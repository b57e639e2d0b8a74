//! Compares the disk with the plan, and finds the directories to create and to remove.

use std::collections::BTreeSet;
use std::io;

use agpm_model::{Checksum, ObservedPath, RelativePath};

use crate::cache::write_atomically;
use crate::directory_chain::DirectoryChain;
use crate::error::{StoreError, StoreProblem};
use crate::file_step::{ExpectedFile, FileStep};
use crate::journal::{JournalOperation, JournaledFile};
use crate::owned::{self, above};
use crate::platform::PermissionBits;
use crate::project::{JournalFile, ProjectLock, ProjectStore, StateUse};
use crate::stamp::FileStamp;
use crate::state::{is_own, relative};

/// The check right before the commit point.
pub(crate) struct PreCommitCheck<'a> {
    store: &'a ProjectStore,
    chain: DirectoryChain<'a>,
    steps: &'a [FileStep<'a>],
    removed: BTreeSet<&'a str>,
    /// The managed directories that become empty.
    prune: BTreeSet<String>,
    /// The directories that agpm created, and their list on disk.
    owned: BTreeSet<String>,
    list: Option<JournaledFile>,
}

impl<'a> PreCommitCheck<'a> {
    pub(crate) fn new(
        store: &'a ProjectStore,
        steps: &'a [FileStep<'a>],
    ) -> Result<Self, StoreError> {
        let (list, owned) = store.owned()?;
        let removed = steps
            .iter()
            .filter(|step| step.content.is_none())
            .map(|step| step.path.as_str());
        let (chain, prune) = (DirectoryChain::new(&store.root), BTreeSet::new());
        let mut check = PreCommitCheck {
            store,
            chain,
            steps,
            removed: removed.collect(),
            prune,
            owned,
            list,
        };
        check.find_emptied()?;
        Ok(check)
    }

    /// Returns the operation of a step; fails if the file changed since the plan was made.
    pub(crate) fn operation(
        &mut self,
        step: &FileStep<'_>,
    ) -> Result<(JournalOperation, Option<FileStamp>), StoreError> {
        let refuse = |problem| Err(self.store.error(step.path.as_str(), problem));
        let (before, stamp) = match (
            step.expected,
            self.store.observe_path(&mut self.chain, &step.path)?,
        ) {
            (ExpectedFile::Missing | ExpectedFile::Anything, ObservedPath::Missing) => (None, None),
            // A file replaces a directory that is removed.
            (_, ObservedPath::Directory) if self.prune.contains(step.path.as_str()) => (None, None),
            (ExpectedFile::Anything, ObservedPath::File(JournalFile { content, stamp })) => {
                (Some(content), stamp)
            }
            (
                ExpectedFile::Checksum(wanted),
                ObservedPath::File(JournalFile { content, stamp }),
            ) if content.checksum == wanted => (Some(content), stamp),
            (ExpectedFile::Anything, ObservedPath::Directory) => {
                return refuse(StoreProblem::IsDirectory);
            }
            (ExpectedFile::Anything, ObservedPath::Symlink | ObservedPath::Special) => {
                return refuse(StoreProblem::NotFile);
            }
            _ => return refuse(StoreProblem::Changed),
        };
        let after = step.content.as_ref().map(|(bytes, wanted)| JournaledFile {
            checksum: Checksum::of(bytes),
            bits: wanted.bits(before.map(|content| content.bits)),
        });
        Ok((
            JournalOperation {
                path: step.path.clone(),
                before,
                after,
            },
            stamp,
        ))
    }

    /// Returns the directories to create, outer ones first, and those to remove, inner ones first.
    pub(crate) fn directory_changes(&mut self) -> Result<(Vec<String>, Vec<String>), StoreError> {
        let mut make = BTreeSet::new();
        for step in self.steps.iter().filter(|step| step.content.is_some()) {
            self.missing_above(&step.path, &mut make)?;
        }
        Ok((
            make.into_iter().collect(),
            self.prune.iter().rev().cloned().collect(),
        ))
    }

    fn find_emptied(&mut self) -> Result<(), StoreError> {
        let written = self.steps.iter().filter(|step| step.content.is_some());
        let needed: BTreeSet<&str> = written.flat_map(|step| above(step.path.as_str())).collect();
        let emptied: BTreeSet<&str> = self.removed.iter().flat_map(|path| above(path)).collect();
        // A directory sorts before what is in it.
        for directory in emptied.into_iter().rev() {
            let is_owned = self.owned.contains(directory);
            if !needed.contains(directory) && is_owned && self.becomes_empty(directory)? {
                self.prune.insert(directory.to_owned());
            }
        }
        Ok(())
    }

    fn missing_above(
        &mut self,
        path: &RelativePath,
        make: &mut BTreeSet<String>,
    ) -> Result<(), StoreError> {
        if self.chain.parent(path).is_ok() {
            return Ok(());
        }
        for directory in above(path.as_str())
            .filter(|directory| !make.contains(*directory))
            .collect::<Vec<_>>()
        {
            let replaced = || self.removed.contains(directory);
            match self.chain.directory(directory).map(|_| ()) {
                Ok(()) => {}
                Err(cause) if cause.kind() == io::ErrorKind::NotFound || replaced() => {
                    make.insert(directory.to_owned());
                }
                Err(cause) => return Err(self.store.at(path.as_str())(cause)),
            }
        }
        Ok(())
    }

    fn becomes_empty(&mut self, directory: &str) -> Result<bool, StoreError> {
        let fail = self.store.at(directory);
        let entries = match self.chain.directory(directory) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(false),
            dir => dir.and_then(|dir| dir.entries()).map_err(&fail)?,
        };
        for entry in entries {
            let name = entry.map_err(&fail)?.file_name();
            let path = format!("{directory}/{}", name.to_string_lossy());
            if !self.removed.contains(path.as_str()) && !self.prune.contains(&path) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the list of managed directories before and after, if it changes.
    pub(crate) fn owned_after(
        &self,
        make: &[String],
        prune: &[String],
    ) -> Option<(Option<JournaledFile>, Vec<u8>)> {
        let mut owned = self.owned.clone();
        owned.extend(make.iter().cloned());
        for directory in prune {
            owned.remove(directory);
        }
        (owned != self.owned).then(|| (self.list, owned::encode(owned)))
    }
}

impl ProjectStore {
    /// Records the directories above files that agpm wrote on another machine. Git keeps no empty directories, so
    /// those directories came with the files.
    pub fn claim_directories<'p>(
        &self,
        _lock: &ProjectLock,
        files: impl IntoIterator<Item = &'p RelativePath>,
    ) -> Result<(), StoreError> {
        if self.state_use == StateUse::Ignored {
            return Ok(());
        }
        let files = files.into_iter();
        let above_files: BTreeSet<&str> = files.flat_map(|path| above(path.as_str())).collect();
        let (_, mut owned) = self.owned()?;
        let recorded = owned.len();
        let mut chain = DirectoryChain::new(&self.root);
        owned.extend(
            above_files
                .into_iter()
                .filter(|directory| !is_own(directory) && chain.directory(directory).is_ok())
                .map(str::to_owned),
        );
        if owned.len() == recorded {
            return Ok(());
        }
        let list = self.path().join(self.state.directory_list());
        write_atomically(&list, &owned::encode(owned))
    }

    fn owned(&self) -> Result<(Option<JournaledFile>, BTreeSet<String>), StoreError> {
        let list = self.state.directory_list();
        let bytes = match self.read(&relative(list), 1 << 28) {
            Err(StoreError {
                problem: StoreProblem::NotFound,
                ..
            }) => return Ok((None, BTreeSet::new())),
            other => other?,
        };
        let content = JournaledFile {
            checksum: Checksum::of(&bytes),
            bits: PermissionBits::PLAIN,
        };
        if self.state_use == StateUse::Ignored {
            return Ok((Some(content), BTreeSet::new()));
        }
        let owned = owned::decode(&bytes)
            .map_err(|why| self.error(list, StoreProblem::Damaged(why.to_string())))?;
        Ok((Some(content), owned))
    }
}
