//! Every layer as it is now: its files, and what pins it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::{
    Checksum, DEFAULT_VERSION, FileMode, Layer, LayerLocation, LockedCapabilitySet, LockedLayer,
    Pin, RelativePath, SourceName,
};
use agpm_plan::WatchedDirectory;

use crate::skipping::{SkippedItem, skipped_finding};

/// A layer as it is now.
#[derive(Debug)]
pub struct LayerSnapshot<'m> {
    /// The layer.
    pub layer: &'m Layer,
    /// The location, as users see it.
    pub shown: String,
    /// The directory that it is, if it is one.
    pub directory: Option<PathBuf>,
    /// The version; `None` for a directory.
    pub pin: Option<Pin>,
    /// The checksum of all its files.
    pub checksum: Checksum,
    /// The files, by path.
    pub files: Vec<SnapshotFile>,
    /// The skipped files.
    pub skipped: Vec<SkippedItem>,
    /// How a change of a directory is detected later; `None` if it is pinned, or if it just changed.
    pub watched: Option<WatchedDirectory>,
}

/// A file of a layer.
#[derive(Debug)]
pub struct SnapshotFile {
    /// In the layer, and in the project.
    pub path: RelativePath,
    /// As users see it.
    pub shown: String,
    /// The content of the snapshot file.
    pub bytes: Vec<u8>,
    /// Whether it can be run.
    pub mode: FileMode,
}

impl LayerSnapshot<'_> {
    /// The skipped files that users will miss, as one finding.
    pub fn skipped_finding(&self) -> Option<Diagnostic> {
        skipped_finding(self.layer, &self.skipped)
    }

    /// The lockfile entry; a directory in the user's home is not locked.
    pub fn locked(&self) -> Option<LockedLayer> {
        let is_in_project =
            matches!(&self.layer.location, LayerLocation::Directory(path) if is_in_project(path));
        let (name, pin, checksum) = (self.layer.name.clone(), self.pin.clone(), self.checksum);
        (!is_in_project).then_some(LockedLayer {
            name,
            pin,
            checksum,
            capabilities: LockedCapabilitySet::None,
        })
    }
}

/// Whether a directory is named by its location in the user's home.
fn is_in_project(path: &str) -> bool {
    path == "~" || path.starts_with("~/")
}

/// Layers that can be read side by side: all of one source go together.
pub fn groups_by_source(layers: Vec<(usize, &Layer)>) -> Vec<Vec<(usize, &Layer)>> {
    let mut groups: Vec<Vec<(usize, &Layer)>> = Vec::new();
    let mut by_source: BTreeMap<&SourceName, usize> = BTreeMap::new();
    for (rank, layer) in layers {
        let version = match &layer.location {
            LayerLocation::Source(source, _) => {
                Some(*by_source.entry(source).or_insert(groups.len()))
            }
            LayerLocation::Directory(_) => None,
        };
        match version.and_then(|at| groups.get_mut(at)) {
            Some(group) => group.push((rank, layer)),
            None => groups.push(vec![(rank, layer)]),
        }
    }
    groups
}

/// The directory of a layer in the directory of its location.
pub fn layer_directory(directory: &Path, layer: &Layer) -> PathBuf {
    match &layer.root {
        Some(root) => directory.join(root.as_str()),
        None => directory.to_owned(),
    }
}

/// The finding of a layer whose directory does not exist, with its path as users see it.
pub fn missing_directory(layer: &Layer, shown: &str) -> Diagnostic {
    let message = format!(
        "the directory of layer `{}`, `{shown}`, does not exist",
        layer.name
    );
    Diagnostic::new(&codes::LAYERS_MISSING, message)
        .in_layer(layer.name.as_str())
        .at_spot(layer.spot)
        .help("the path is relative to the manifest; create the directory, or remove the layer")
}

/// The refusal of a layer whose `root` its source does not have.
pub fn missing_root(layer: &Layer, pin: &Pin) -> Failure {
    let root = layer
        .root
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let message = format!(
        "layer `{}`: no directory `{root}` in {}@{}",
        layer.name, pin.source, pin.version
    );
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message).in_layer(layer.name.as_str());
    diagnostic
        .at_spot(layer.spot)
        .help("`root` is a directory of the source; check its name, or require another version")
        .into()
}

/// The refusal of a layer that is larger than `directories` directories or `bytes` bytes.
pub fn too_large(layer: &Layer, directories: usize, bytes: u64) -> Failure {
    let message = format!(
        "layer `{}` has more than {directories} directories or {} MiB",
        layer.name,
        bytes >> 20
    );
    let diagnostic = Diagnostic::new(&codes::TEXT_TOO_LARGE, message).in_layer(layer.name.as_str());
    diagnostic
        .at_spot(layer.spot)
        .help("list the files to use with `include`")
        .into()
}

/// The finding of a layer that requires a version of a directory without versions.
pub fn ignored_version(layer: &Layer) -> Option<Diagnostic> {
    let LayerLocation::Source(source, requirement) = &layer.location else {
        return None;
    };
    let message = format!("source `{source}` has no versions, so `{requirement}` has no effect");
    let diagnostic =
        Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message).in_layer(layer.name.as_str());
    let help = "remove the version, or turn the directory into a git repository";
    (requirement.as_str() != DEFAULT_VERSION).then(|| diagnostic.at_spot(layer.spot).help(help))
}
