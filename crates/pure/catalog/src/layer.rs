//! The layers of a catalog, and their manifests.

use std::path::{Path, PathBuf};

use agpm_model::shown_from;

use crate::kind::EntryKind;
use crate::location::ManifestLocation;

/// Which layers apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CatalogMode {
    /// All of them.
    #[default]
    Auto,
    /// The project.
    Local,
    /// Home.
    User,
    /// Git remotes.
    Strict,
}

/// What a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// The nearest folder upward that holds a catalog.
    Project,
    /// Home.
    User,
    /// A git remote.
    Git,
}

/// A layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogLayer {
    /// What it is.
    pub kind: LayerKind,
    /// The remote, as users know it.
    pub remote: Option<String>,
    /// The folder that holds the catalog.
    pub folder: PathBuf,
    /// Where that really is, over links.
    pub real: PathBuf,
}

/// A manifest that is there.
#[derive(Clone, Debug)]
pub struct ManifestFile {
    /// Which layer it is in.
    pub layer: usize,
    /// What it lists.
    pub kind: EntryKind,
    /// Where it is in its layer.
    pub standing: ManifestLocation,
    /// From the layer's folder, with `/`.
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
    /// What users know it by.
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
            None => shown_from(here, &self.folder.join(path)),
        }
    }
}
