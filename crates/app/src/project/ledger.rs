//! Reads the ledger of a project.

use std::path::PathBuf;

use agpm_diag::Failure;
use agpm_plan::Ledger;
use agpm_store::{ProjectStore, StateUse};

use crate::project::reading::limit;

/// Returns whether the project has no state at all.
pub(crate) fn is_fresh(store: &ProjectStore) -> bool {
    !agpm_store::is_directory(&store.state_directory())
}

/// Returns the path of the ledger.
pub(crate) fn ledger_file(store: &ProjectStore) -> PathBuf {
    store.path().join(store.ledger().as_str())
}

/// Returns whether the project has a ledger that can be trusted.
pub(crate) fn has_ledger(store: &ProjectStore) -> bool {
    store.state_use() == StateUse::Believed && agpm_store::is_file(&ledger_file(store))
}

/// Reads the ledger; returns an empty one if the file does not exist or is ignored.
pub(crate) fn read_ledger(store: &ProjectStore) -> Result<Ledger, Failure> {
    if store.state_use() == StateUse::Ignored {
        return Ok(Ledger::default());
    }
    let bytes = match store.read(&store.ledger(), limit()) {
        Err(error) if matches!(error.problem, agpm_store::StoreProblem::NotFound) => {
            return Ok(Ledger::default());
        }
        read => read?,
    };
    ledger_in(store, bytes)
}

/// Parses the bytes of a ledger.
pub(crate) fn ledger_in(store: &ProjectStore, bytes: Vec<u8>) -> Result<Ledger, Failure> {
    let ledger = Ledger::read(&bytes);
    ledger.map_err(|broken| broken.in_file(store.ledger().to_string()).into())
}
