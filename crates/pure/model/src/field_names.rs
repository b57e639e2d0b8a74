//! How reports write values that have no JSON form by themselves.

use std::path::Path;

use serde::Serializer;

/// A path as users read it: parts that are not Unicode are replaced.
pub fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
