//! Serializes fields that reports have under two names: that of earlier versions, which existing readers expect, and
//! the one that every report uses. For flattened fields: `#[serde(flatten, serialize_with = "…")]`.

use std::path::PathBuf;

use std::path::Path;

use serde::{Serialize, Serializer};

use crate::digest::Revision;

/// The field `commit`, in lockfiles `resolved_commit`.
pub fn serialize_commit<S: Serializer>(
    commit: &Option<Revision>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    twice(["resolved_commit", "commit"], commit, serializer)
}

/// The field `url`, formerly `address`.
pub fn serialize_url<S: Serializer>(
    url: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    twice(["address", "url"], url, serializer)
}

/// A path as users read it; components that are not Unicode are replaced.
pub fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// The field `id`, formerly `resource`.
pub fn serialize_id<S: Serializer, T: Serialize>(id: &T, serializer: S) -> Result<S::Ok, S::Error> {
    twice(["resource", "id"], id, serializer)
}

/// The field `path`, formerly `root`.
pub fn serialize_root<S: Serializer>(
    root: &Option<PathBuf>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let shown = root.as_ref().map(|root| root.display().to_string());
    twice(["root", "path"], &shown, serializer)
}

/// The field `path`, formerly `folder`.
pub fn serialize_folder<S: Serializer>(folder: &str, serializer: S) -> Result<S::Ok, S::Error> {
    twice(["folder", "path"], &folder, serializer)
}

fn twice<S: Serializer, T: Serialize>(
    names: [&str; 2],
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(names.map(|name| (name, value)))
}
