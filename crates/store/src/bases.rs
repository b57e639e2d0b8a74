//! The files of kept bytes in the state: bases of later merges.

use agpm_model::RelativePath;

use crate::cache::write_atomically;
use crate::error::StoreError;
use crate::project::{ProjectLock, ProjectStore, StateUse};
use crate::read::names_in;
use crate::state::BASES;

impl ProjectStore {
    /// Returns the path of a file of kept bytes, which is part of transactions.
    pub fn base_file(&self, number: u32) -> RelativePath {
        let path = self.state.inner(&format!("{BASES}/{number}"));
        RelativePath::new(&path).expect("agpm names its files portably")
    }

    /// Returns whether a path is a file of kept bytes.
    pub fn is_base_file(&self, path: &RelativePath) -> bool {
        self.state.is_base(path.as_str())
    }

    /// Returns the numbers of the files of kept bytes, ascending.
    pub fn base_numbers(&self) -> Vec<u32> {
        if self.state_use == StateUse::Ignored {
            return Vec::new();
        }
        let names = names_in(&self.path().join(self.state.inner(BASES)));
        let mut numbers: Vec<u32> = names.iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Writes a file of kept bytes outside of a transaction.
    pub fn write_base(
        &self,
        _lock: &ProjectLock,
        path: &RelativePath,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        write_atomically(&self.path().join(path.as_str()), bytes)
    }
}
