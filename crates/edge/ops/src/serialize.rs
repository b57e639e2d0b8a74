//! How reports spell what is not the value of a field as it is.

use std::path::Path;

use serde::Serializer;

/// Whether the plan is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writing {
    /// It is.
    Apply,
    /// It is shown.
    #[default]
    Show,
}
/// A path as users read it: what is not Unicode in it is replaced.
pub(crate) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// The field `dry_run`.
pub(crate) fn is_dry_run<S: Serializer>(
    writing: &Writing,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*writing == Writing::Show)
}
