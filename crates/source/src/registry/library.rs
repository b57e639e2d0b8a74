//! The configuration of the artifacts that agpm publishes: what a library has, without its layers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The configuration of a library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LibraryConfig {
    /// The resources, by path.
    pub(crate) resources: Vec<LibraryResource>,
    /// Files that belong to no resource: marketplaces, manifests of plugins, licenses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shared: Option<LibraryLayer>,
    /// Where the files are from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<LibrarySource>,
}

/// A resource in a library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LibraryResource {
    /// The type, singular.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The name.
    pub(crate) name: String,
    /// The path in the library.
    pub(crate) path: String,
    /// The description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// The license.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) license: Option<String>,
    /// The resources that it requires, as it states them.
    #[serde(default)]
    pub(crate) dependencies: Vec<String>,
    /// What it can do, as `agpm diff` prints it.
    #[serde(default)]
    pub(crate) capabilities: Vec<String>,
    /// The digest of its layer, and its files.
    #[serde(flatten)]
    pub(crate) content: LibraryLayer,
}

/// A layer with the files in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LibraryLayer {
    /// The digest.
    pub(crate) layer: String,
    /// The files, by path.
    pub(crate) files: Vec<LibraryFile>,
}

/// A file in a layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LibraryFile {
    /// The path in the library.
    pub(crate) path: String,
    /// `0644` or `0755`, or `0777` for a symlink.
    pub(crate) mode: String,
    /// The size in bytes.
    pub(crate) size: u64,
    /// The checksum: 64 digits.
    pub(crate) sha256: String,
    /// The target of a symlink.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<String>,
    /// The beginning of a Markdown file, to its front matter, so a list of a library needs no layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
}

/// Where a library is from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LibrarySource {
    /// The URL of its repository, without a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl LibraryConfig {
    /// All layers.
    pub(crate) fn layers(&self) -> impl Iterator<Item = &LibraryLayer> {
        let resources = self.resources.iter().map(|resource| &resource.content);
        resources.chain(&self.shared)
    }

    /// The beginnings of files, by checksum.
    pub(crate) fn heads(&self) -> BTreeMap<&str, &str> {
        let files = self.layers().flat_map(|layer| &layer.files);
        files
            .filter_map(|file| Some((file.sha256.as_str(), file.head.as_deref()?)))
            .collect()
    }
}
