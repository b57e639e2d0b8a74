//! Files as commands read and name them.

use std::path::{Path, PathBuf};

use agpm_diag::Failure;
use agpm_model::shown_from;
use agpm_store as store;
use agpm_text::Limits;

use crate::world::Environment;

pub use agpm_manifest::MANIFEST_NAME;
/// The name of the private manifest.
pub const PRIVATE_NAME: &str = "agpm.private.toml";

/// The largest file that is read, as the reader's own limit.
pub fn limit() -> u64 {
    Limits::default().bytes as u64
}

/// The bytes of a file that need not be there.
pub fn optional(environment: &Environment, path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match store::read(path, limit()) {
        Err(store::StoreError {
            problem: store::StoreProblem::NotFound,
            ..
        }) => Ok(None),
        read => Ok(Some(
            read.map_err(|error| error.seen_from(&environment.folder))?,
        )),
    }
}

/// A path as users see it: from the working directory where it is below, with `/`.
pub fn shown(environment: &Environment, path: &Path) -> String {
    shown_from(&environment.folder, path)
}

/// A path on this machine; `~` is the user's home.
pub fn local_path(text: &str, base: &Path, environment: &Environment) -> PathBuf {
    agpm_source::local_path(text, base, environment.home.as_deref())
}
