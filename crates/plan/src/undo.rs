//! Undoes a transaction in a file that the user has changed since.

use std::fmt::Display;

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::RelativePath;

use crate::blocks::{read_block_file, take_back_blocks};
use crate::ledger::Ledger;
use crate::nodes::{FileOutcome, take_back};
use crate::observation::read_shared_file;

/// The ledgers before and after a transaction.
#[derive(Clone, Copy)]
pub struct UndoneLedgers<'l> {
    /// The ledger before the transaction.
    pub before: &'l Ledger,
    /// The ledger after the transaction.
    pub after: &'l Ledger,
}

/// A file now, and before the transaction.
pub struct ChangedFile {
    /// The current content.
    pub now: Vec<u8>,
    /// The content before; `None` if the file did not exist.
    pub before: Option<Vec<u8>>,
}

impl UndoneLedgers<'_> {
    /// Whether the user writes a file too: then only its managed content is undone.
    pub fn is_shared(&self, path: &RelativePath) -> bool {
        let is_in = |one: &Ledger| one.shared.contains_key(path) || one.blocks.contains_key(path);
        is_in(self.before) || is_in(self.after)
    }

    /// The content of such a file after the undo; `None` if it is removed.
    pub fn take_back(
        &self,
        path: &RelativePath,
        file: ChangedFile,
        notes: &mut Notes,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let (was, is) = (self.before.blocks.get(path), self.after.blocks.get(path));
        if was.or(is).is_some() {
            let document = read_block_file(path, file.now, notes)?;
            let before = file.before.map(|bytes| read_block_file(path, bytes, notes));
            let before = before.transpose()?;
            let outcome = take_back_blocks(&document, before.as_ref(), was, is);
            return match outcome.map_err(|error| changed_since(path, &error))? {
                FileOutcome::Write(text) => Ok(Some(text.into_bytes())),
                FileOutcome::Unchanged | FileOutcome::Remove => Ok(None),
            };
        }
        let (was, is) = (self.before.shared.get(path), self.after.shared.get(path));
        let document = read_shared_file(path, file.now, notes)?;
        let before = file
            .before
            .map(|bytes| read_shared_file(path, bytes, notes));
        let before = before.transpose()?;
        let outcome = take_back(&document, before.as_deref(), was, is);
        Ok(
            match outcome.map_err(|error| changed_since(path, &error))? {
                FileOutcome::Unchanged => Some(document.text().to_string().into_bytes()),
                FileOutcome::Write(text) => Some(text.into_bytes()),
                FileOutcome::Remove => None,
            },
        )
    }
}

fn changed_since(path: &RelativePath, error: &dyn Display) -> Failure {
    let message = format!("`{path}` changed since: {error}");
    Diagnostic::new(&codes::UNDO_EDITED, message)
        .in_file(path.as_str())
        .into()
}
