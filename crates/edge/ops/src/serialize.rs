//! How reports spell what is not the value of a field as it is.

use std::path::{Path, PathBuf};

use agpm_diag::Code;
use agpm_model::ObjectId;
use serde::{Serialize, Serializer};

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

/// The stable word of a code.
pub(crate) fn code<S: Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.name)
}

/// The field `dry_run`.
pub(crate) fn is_dry_run<S: Serializer>(
    writing: &Writing,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*writing == Writing::Show)
}

/// The field `commit`, and `resolved_commit`, as lockfiles call it.
pub(crate) fn commit<S: Serializer>(
    commit: &Option<ObjectId>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    twice(["resolved_commit", "commit"], commit, serializer)
}

/// The field `url`, and `address`, its name in earlier versions.
pub(crate) fn url<S: Serializer>(url: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    twice(["address", "url"], url, serializer)
}

/// The field `id`, and `resource`, its name in earlier versions.
pub(crate) fn id<S: Serializer, T: Serialize>(id: &T, serializer: S) -> Result<S::Ok, S::Error> {
    twice(["resource", "id"], id, serializer)
}

/// The field `path`, and `root`, its name in earlier versions.
pub(crate) fn root<S: Serializer>(
    root: &Option<PathBuf>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let shown = root.as_ref().map(|root| root.display().to_string());
    twice(["root", "path"], &shown, serializer)
}

/// The field `path`, and `folder`, its name in earlier versions.
pub(crate) fn folder<S: Serializer>(folder: &str, serializer: S) -> Result<S::Ok, S::Error> {
    twice(["folder", "path"], &folder, serializer)
}

/// One value under two names, for a field that is flattened. The older name comes first, where readers know it.
fn twice<S: Serializer, T: Serialize>(
    names: [&str; 2],
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(names.map(|name| (name, value)))
}
