//! Carries out a journal or takes it back. Every step looks at the disk for what is left to do, so that it can
//! be repeated after a kill at any moment.

use std::collections::BTreeSet;
use std::io;

use crate::chain::Chain;
use crate::error::{Problem, StoreError};
use crate::journal::{Journal, Operation};
use crate::owned::above;
use crate::project::Seen;
use crate::staging::Staging;
use crate::steps::{exists, gone_is_fine, is_same, link, rename};

/// What to do with a file that came up where one of ours belongs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Clash {
    /// Fail, so that all is taken back.
    Fail,
    /// Leave it alone: a killed transaction goes forward with what is left.
    Leave,
}

/// Places that must be free before something is written.
struct InTheWay<'a> {
    /// Folders that are made.
    made: BTreeSet<&'a str>,
    /// Files that are written, as systems see them to which case says nothing.
    written: BTreeSet<String>,
}

impl<'a> InTheWay<'a> {
    fn of(journal: &'a Journal) -> Self {
        InTheWay {
            made: journal.make.iter().map(String::as_str).collect(),
            written: journal.writes().map(|(_, file)| file.path.as_str().to_lowercase()).collect(),
        }
    }

    /// Whether a file or folder that goes is where something is written, or holds its place.
    fn is(&self, path: &str) -> bool {
        let folded = path.to_lowercase();
        self.made.contains(path)
            || self.written.contains(&folded)
            || above(&folded).any(|folder| self.written.contains(folder))
    }
}

/// A journal at work.
pub(crate) struct Execution<'a> {
    staging: &'a Staging<'a>,
    journal: &'a Journal,
    clash: Clash,
    chain: Chain<'a>,
}

impl<'a> Execution<'a> {
    pub(crate) fn new(staging: &'a Staging<'a>, journal: &'a Journal, clash: Clash) -> Self {
        Execution { staging, journal, clash, chain: Chain::new(&staging.store.root) }
    }

    /// Writes come before removals: what a configuration names is there before it is named, and goes after it. Only
    /// what is in the way of a write goes first.
    pub(crate) fn forward(&mut self) -> Result<(), StoreError> {
        let journal = self.journal;
        let in_the_way = InTheWay::of(journal);
        self.remove(|path| in_the_way.is(path))?;
        for folder in &journal.make {
            self.chain.make(folder).map_err(self.staging.store.at(folder))?;
        }
        for (at, operation) in journal.writes() {
            self.put(&at.to_string(), operation)?;
        }
        self.remove(|path| !in_the_way.is(path))
    }

    /// Takes away the files and then the empty folders that are meant.
    fn remove(&mut self, meant: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let journal = self.journal;
        for (at, operation) in journal.removals().filter(|(_, operation)| meant(operation.path.as_str())) {
            let taken = exists(&self.staging.old, &at.to_string()).map_err(self.fail(operation))?;
            if taken || !self.is_edited(operation)? {
                self.take(&at.to_string(), operation).map_err(self.fail(operation))?;
            }
        }
        for folder in journal.prune.iter().filter(|folder| meant(folder)) {
            self.chain.remove_if_empty(folder).map_err(self.staging.store.at(folder))?;
        }
        Ok(())
    }

    /// The same backwards.
    pub(crate) fn back(&mut self) -> Result<(), StoreError> {
        let journal = self.journal;
        self.staging.unfinish(journal.purpose)?;
        // What was opened on the way forward may be gone.
        self.chain = Chain::new(&self.staging.store.root);
        let in_the_way = InTheWay::of(journal);
        self.bring_back(|path| !in_the_way.is(path))?;
        for (at, operation) in journal.writes().rev() {
            // What is still to be placed left its place alone: there is the old file, or a user's.
            if exists(&self.staging.new, &at.to_string()).map_err(self.fail(operation))?
                && self.is_there(operation)
            {
                continue;
            }
            self.take_back(&at.to_string(), operation).map_err(self.fail(operation))?;
            self.restore(&at.to_string(), operation)?;
        }
        for folder in journal.make.iter().rev() {
            self.chain.remove_if_empty(folder).map_err(self.staging.store.at(folder))?;
        }
        self.bring_back(|path| in_the_way.is(path))
    }

    fn bring_back(&mut self, meant: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let journal = self.journal;
        let removals = journal.removals().rev();
        for (at, operation) in removals.filter(|(_, operation)| meant(operation.path.as_str())) {
            self.restore(&at.to_string(), operation)?;
        }
        Ok(())
    }

    fn is_there(&mut self, operation: &Operation) -> bool {
        let parent = self.chain.parent(&operation.path);
        parent.and_then(|dir| exists(dir, operation.path.file_name())).unwrap_or(false)
    }

    /// Whether a file is no longer what the plan saw, after a kill: then it is the user's, and left alone.
    fn is_edited(&mut self, operation: &Operation) -> Result<bool, StoreError> {
        if self.clash == Clash::Fail {
            return Ok(false);
        }
        let now = match self.staging.store.see(&mut self.chain, &operation.path)? {
            Seen::File(content) => Some(content.checksum),
            Seen::Missing => return Ok(false),
            _ => None,
        };
        Ok(now != operation.before.map(|before| before.checksum))
    }

    /// Moves the old file out of the way, unless that was done.
    fn take(&mut self, at: &str, operation: &Operation) -> io::Result<()> {
        if operation.before.is_none() || exists(&self.staging.old, at)? {
            return Ok(());
        }
        let moved = self
            .chain
            .parent(&operation.path)
            .and_then(|dir| rename(dir, operation.path.file_name(), &self.staging.old, at));
        gone_is_fine(moved)
    }

    /// Moves the new file into its place, unless that was done. Where there is an old one the place is never empty: the
    /// old content gets a second name first, and the new one takes the place in one step.
    fn put(&mut self, at: &str, operation: &Operation) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let name = operation.path.file_name();
        if !exists(&self.staging.new, at).map_err(&fail)? || self.is_edited(operation)? {
            return Ok(());
        }
        if operation.before.is_some() && !exists(&self.staging.old, at).map_err(&fail)? {
            let dir = self.chain.parent(&operation.path).map_err(&fail)?;
            if !link(dir, name, &self.staging.old, at).map_err(&fail)? {
                self.take(at, operation).map_err(&fail)?;
            }
        }
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        let in_the_way = exists(dir, name).map_err(&fail)? && !is_same(dir, name, &self.staging.old, at);
        if in_the_way {
            return Err(self.staging.store.error(operation.path.as_str(), Problem::Changed));
        }
        rename(&self.staging.new, at, dir, name).map_err(fail)
    }

    /// Takes the new file out of its place, if it got there. Where an old one comes back, it only gets a second name.
    fn take_back(&mut self, at: &str, operation: &Operation) -> io::Result<()> {
        if exists(&self.staging.new, at)? {
            return Ok(());
        }
        let name = operation.path.file_name();
        let replaces = exists(&self.staging.old, at)?;
        let moved = self.chain.parent(&operation.path).and_then(|dir| {
            let linked = replaces && link(dir, name, &self.staging.new, at)?;
            if linked { Ok(()) } else { rename(dir, name, &self.staging.new, at) }
        });
        gone_is_fine(moved)
    }

    /// Moves the old file back, if it was moved; never over another than the new one.
    fn restore(&mut self, at: &str, operation: &Operation) -> Result<(), StoreError> {
        let fail = self.fail(operation);
        let name = operation.path.file_name();
        if !exists(&self.staging.old, at).map_err(&fail)? {
            return Ok(());
        }
        if self.chain.parent(&operation.path).is_err() {
            for folder in above(operation.path.as_str()) {
                self.chain.make(folder).map_err(&fail)?;
            }
        }
        let dir = self.chain.parent(&operation.path).map_err(&fail)?;
        let known =
            [&self.staging.new, &self.staging.old].iter().any(|folder| is_same(dir, name, folder, at));
        if exists(dir, name).map_err(&fail)? && !known {
            return Err(self.staging.store.error(operation.path.as_str(), Problem::Changed));
        }
        rename(&self.staging.old, at, dir, name).map_err(fail)
    }

    fn fail(&self, operation: &Operation) -> impl Fn(io::Error) -> StoreError + use<> {
        self.staging.store.at(operation.path.as_str())
    }
}
