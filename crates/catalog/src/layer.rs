//! The layers of a catalog, and their manifests.

use std::path::{Path, PathBuf};

use agpm_model::display_from;

use crate::kind::EntryKind;
use crate::location::ManifestLocation;

/// The layers to include.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CatalogMode {
    /// All layers.
    #[default]
    Auto,
    /// The project.
    Local,
    /// Home.
    User,
    /// Git remotes.
    Strict,
}

/// The kind of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// The nearest directory upward that holds a catalog.
    Project,
    /// Home.
    User,
    /// A git remote.
    Git,
}

/// A layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogLayer {
    /// The kind of layer.
    pub kind: LayerKind,
    /// The remote, as users know it.
    pub remote: Option<String>,
    /// The directory that holds the catalog.
    pub directory: PathBuf,
    /// The real path, with symlinks resolved.
    pub real: PathBuf,
}

/// A manifest that exists.
#[derive(Clone, Debug)]
pub struct ManifestFile {
    /// The index of its layer.
    pub layer: usize,
    /// The kind of its entries.
    pub kind: EntryKind,
    /// Its location in the layer.
    pub standing: ManifestLocation,
    /// From the layer's directory, with `/`.
    pub path: String,
    /// As users see it.
    pub shown: String,
}

impl CatalogMode {
    /// Whether layers of a kind apply.
    pub fn has(self, kind: LayerKind) -> bool {
        match self {
            CatalogMode::Auto => true,
            CatalogMode::Local => kind == LayerKind::Project,
            CatalogMode::User => kind == LayerKind::User,
            CatalogMode::Strict => kind == LayerKind::Git,
        }
    }
}

impl LayerKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            LayerKind::Project => "project",
            LayerKind::User => "user",
            LayerKind::Git => "git",
        }
    }
}

impl CatalogLayer {
    /// The name of the layer as users see it.
    pub fn label(&self) -> String {
        match &self.remote {
            Some(remote) => format!("{} {remote}", self.kind.word()),
            None => self.kind.word().to_owned(),
        }
    }

    /// A path in it as users see it from the directory `here`.
    pub(crate) fn shown(&self, here: &Path, path: &str) -> String {
        match &self.remote {
            Some(remote) => format!("{remote}:{path}"),
            None => display_from(here, &self.directory.join(path)),
        }
    }
}
