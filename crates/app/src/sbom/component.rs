//! The parts of a project, as documents describe them.

use agpm_model::{Checksum, Revision};

use crate::sbom::license::License;

/// The parts of a project.
#[derive(Clone, Debug)]
pub struct SbomReport {
    /// The name of the project.
    pub name: String,
    /// The time of creation in seconds since 1970.
    pub created: u64,
    /// A checksum of everything in the document.
    pub digest: Checksum,
    /// Resources, layers, bases and sources, by id.
    pub components: Vec<SbomComponent>,
}

/// A part of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SbomComponent {
    /// The id: `TYPE/NAME`, `layers/NAME`, `bases/NAME`, or `sources/NAME@COMMIT`.
    pub id: String,
    /// The name alone.
    pub name: String,
    /// The type, in the singular.
    pub kind: String,
    /// The version; nothing for a file or directory of the project.
    pub version: Option<String>,
    /// The commit.
    pub commit: Option<Revision>,
    /// The URL of its repository, without secrets.
    pub url: Option<String>,
    /// The path in its repository.
    pub path: Option<String>,
    /// The checksum of its file, or of the names and contents of its files.
    pub checksum: Option<Checksum>,
    /// The license that its author declares, else the one of its repository.
    pub license: Option<License>,
    /// The requirement in the manifest and of dependents.
    pub requirement: Option<String>,
    /// The tools that it is installed for.
    pub tools: Vec<String>,
    /// Its capabilities, as the lockfile lists them.
    pub capabilities: Vec<String>,
    /// The ids of components that it needs or comes from.
    pub needs: Vec<String>,
    /// Whether the manifest itself requires it.
    pub requiring: Requiring,
}

/// What requires a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Requiring {
    /// The manifest.
    Manifest,
    /// Other components only.
    #[default]
    Components,
}
