//! Reads and names files as commands need them.

use std::path::{Path, PathBuf};

use agpm_diag::Failure;
use agpm_model::display_from;
use agpm_store as store;
use agpm_text::Limits;

use crate::project::world::Environment;

/// The name of the private manifest.
pub(crate) const PRIVATE_NAME: &str = "agpm.private.toml";

/// The maximum size of a file, which is the limit of the parsers.
pub(crate) fn limit() -> u64 {
    Limits::default().bytes as u64
}

/// Reads a file; `None` if it does not exist.
pub(crate) fn optional(environment: &Environment, path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match store::read(path, limit()) {
        Err(store::StoreError {
            problem: store::StoreProblem::NotFound,
            ..
        }) => Ok(None),
        read => Ok(Some(read.map_err(|error| {
            error.seen_from(&environment.working_directory)
        })?)),
    }
}

/// Formats a path for the user: relative to the working directory if it is inside, with `/`.
pub(crate) fn display_path(environment: &Environment, path: &Path) -> String {
    display_from(&environment.working_directory, path)
}

/// Resolves a path in a manifest or on the command line; `~` is the user's home.
pub(crate) fn local_path(text: &str, base: &Path, environment: &Environment) -> PathBuf {
    agpm_source::local_path(text, base, environment.home.as_deref())
}
