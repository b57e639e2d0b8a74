//! How reports spell what is not the value of a field as it is.

use std::path::Path;

use serde::Serializer;

pub use agpm_install::Writing;

/// A path as users read it: what is not Unicode in it is replaced.
pub fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
