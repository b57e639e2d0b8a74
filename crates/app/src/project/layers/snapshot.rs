//! Reads every layer: its files, and its pin.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_layers::{
    LayerLock, LayerPinning, LayerSnapshot, RequiredVersion, SnapshotFile, groups_by_source,
    ignored_version, layer_directory, missing_directory, missing_root, refuse_clashes,
    refuse_own_directories, too_large,
};
use agpm_model::{
    Checksum, Layer, LayerLocation, Manifest, Pin, RelativePath, Revision, SourceName,
};
use agpm_resolve::{moved_tag, tree_line};
use agpm_source::limits::{MOST_DIRECTORIES, MOST_LAYER_BYTES};
use agpm_source::{
    DirectorySource, FileFetching, Source, SourceEntry, SourceError, SymlinkConfinement,
};
use agpm_store::{self as store, Disk, StoreError, StoreProblem, parallel};

use crate::project::layers::reading;
use crate::project::layers::reading::{LayerContents, LayerFile, ListedLayer, ReadError};
use crate::project::layers::version::VersionedLayer;
use crate::project::packages::ProjectSources;
use crate::project::reading::{display_path, local_path};
use crate::project::source_failure::{source_failure, source_failure_of};
use crate::project::world::{Environment, World};

/// Reads every layer, lowest rank first; missing ones are reported and left out.
pub(crate) fn snapshots<'m>(
    world: &World,
    manifest: &'m Manifest,
    sources: &ProjectSources,
    pinning: &LayerPinning<'_>,
    notes: &mut Notes,
) -> Result<Vec<LayerSnapshot<'m>>, Failure> {
    let reader = SnapshotReader {
        world,
        sources,
        pinning,
    };
    // With `AloneForFolders`, only directories are compared with the lockfile, so no source is contacted.
    let is_read = |layer: &Layer| {
        let mut source = layer.location.source().into_iter();
        pinning.lock != LayerLock::AloneForFolders
            || !source.any(|name| sources.versioned_source(name).is_some())
    };
    let layers = manifest.layers.iter().enumerate();
    let layers = layers.filter(|(_, layer)| is_read(layer)).collect();
    // Layers of one source are read one after the other, because they use the same copy in the cache.
    let answers = parallel::map_waiting(
        groups_by_source(layers),
        |group: Vec<(usize, &'m Layer)>| {
            let mut own = Notes::default();
            let all = reader.read_group(group, &mut own);
            (all, own.diagnostics)
        },
    );
    // Each thread has its own findings. They are joined in the order of the manifest, so the output does not depend on
    // timing.
    let mut snapshots: Vec<(usize, LayerSnapshot<'m>)> = Vec::new();
    let mut failed = None;
    for (answer, diagnostics) in answers {
        notes.diagnostics.extend(diagnostics);
        match answer {
            Ok(all) => snapshots.extend(all),
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    failed.map_or(Ok(()), Err)?;
    snapshots.sort_by_key(|(rank, _)| *rank);
    let snapshots: Vec<LayerSnapshot<'m>> = snapshots
        .into_iter()
        .map(|(_, snapshot)| snapshot)
        .collect();
    refuse_clashes(&snapshots)?;
    refuse_own_directories(&Disk, &snapshots, &sources.root)?;
    Ok(snapshots)
}

struct SnapshotReader<'a> {
    world: &'a World,
    sources: &'a ProjectSources,
    pinning: &'a LayerPinning<'a>,
}

/// A layer that was read, before its files are checked.
struct ReadLayer {
    /// The path or version as shown to the user.
    label: String,
    directory: Option<PathBuf>,
    pin: Option<Pin>,
    contents: LayerContents,
}

/// A layer and where its files come from.
struct LocatedLayer<'m, 's> {
    rank: usize,
    layer: &'m Layer,
    location: LocatedFiles<'s>,
}

impl<'s> LocatedLayer<'_, 's> {
    /// Returns the source, its name and the chosen version; `None` for a directory.
    fn version(&self) -> Option<(&'s dyn Source, &'s SourceName, &Pin)> {
        match &self.location {
            LocatedFiles::Version(source, name, pin) => Some((*source, *name, pin)),
            LocatedFiles::Directory(_) | LocatedFiles::Nowhere => None,
        }
    }
}

enum LocatedFiles<'s> {
    Directory(PathBuf),
    Version(&'s dyn Source, &'s SourceName, Pin),
    /// A source that is not open; its absence was reported.
    Nowhere,
}

impl<'s> SnapshotReader<'s> {
    /// Reads the layers of one source, or of directories. All versions are chosen before the first file is read, so
    /// each request fetches what all of them need.
    fn read_group<'m: 's>(
        &self,
        group: Vec<(usize, &'m Layer)>,
        notes: &mut Notes,
    ) -> Result<Vec<(usize, LayerSnapshot<'m>)>, Failure> {
        let mut located = Vec::new();
        for (rank, layer) in group {
            let location = self.locate(layer, notes)?;
            located.push(LocatedLayer {
                rank,
                layer,
                location,
            });
        }
        fetch_together(&located, notes)?;
        let mut snapshots = Vec::new();
        for LocatedLayer {
            rank,
            layer,
            location,
        } in located
        {
            let snapshot = self.read(layer, location, notes)?;
            snapshots.extend(snapshot.map(|snapshot| (rank, snapshot)));
        }
        Ok(snapshots)
    }

    fn read<'m>(
        &self,
        layer: &'m Layer,
        location: LocatedFiles<'_>,
        notes: &mut Notes,
    ) -> Result<Option<LayerSnapshot<'m>>, Failure> {
        let read = match location {
            LocatedFiles::Directory(directory) => self.read_directory(layer, directory, notes)?,
            LocatedFiles::Version(source, name, pin) => {
                Some(self.read_version(layer, source, name, pin)?)
            }
            LocatedFiles::Nowhere => None,
        };
        let Some(read) = read else {
            return Ok(None);
        };
        let LayerContents {
            files,
            skipped,
            watched,
        } = read.contents;
        let files: Vec<SnapshotFile> = files
            .into_iter()
            .map(|file| self.snapshot_file(layer, file, read.directory.as_deref(), &read.label))
            .collect();
        let snapshot = LayerSnapshot {
            layer,
            shown: read.label,
            directory: read.directory,
            pin: read.pin,
            checksum: checksum_of(&files),
            files,
            skipped,
            watched,
        };
        notes.diagnostics.extend(snapshot.skipped_finding());
        self.pinning.check(&snapshot)?;
        Ok(Some(snapshot))
    }

    fn snapshot_file(
        &self,
        layer: &Layer,
        file: LayerFile,
        directory: Option<&Path>,
        layer_label: &str,
    ) -> SnapshotFile {
        let shown = match (directory, &layer.root) {
            (Some(directory), _) => {
                display_path(&self.world.environment, &directory.join(file.path.as_str()))
            }
            (None, Some(root)) => format!("{layer_label}:{root}/{}", file.path),
            (None, None) => format!("{layer_label}:{}", file.path),
        };
        SnapshotFile {
            path: file.path,
            shown,
            bytes: file.bytes,
            mode: file.mode,
        }
    }

    /// Chooses the version of a layer, or finds its directory.
    fn locate<'m: 's>(
        &self,
        layer: &'m Layer,
        notes: &mut Notes,
    ) -> Result<LocatedFiles<'s>, Failure> {
        let directory = match &layer.location {
            LayerLocation::Directory(path) => {
                local_path(path, &self.sources.project, &self.world.environment)
            }
            LayerLocation::Source(name, requirement) => {
                let Some(source) = self.sources.get(name) else {
                    return Ok(LocatedFiles::Nowhere);
                };
                match source.local_directory() {
                    Some(local) => local.to_owned(),
                    None => {
                        let versioned = VersionedLayer {
                            layer,
                            source,
                            required: RequiredVersion {
                                source: name,
                                requirement,
                            },
                            limit: self.sources.release_limit,
                        };
                        let pin = versioned.pinned_version(self.pinning, notes);
                        return Ok(LocatedFiles::Version(source, name, pin?));
                    }
                }
            }
        };
        Ok(LocatedFiles::Directory(layer_directory(&directory, layer)))
    }

    fn read_directory(
        &self,
        layer: &Layer,
        directory: PathBuf,
        notes: &mut Notes,
    ) -> Result<Option<ReadLayer>, Failure> {
        let environment = &self.world.environment;
        notes.diagnostics.extend(ignored_version(layer));
        if !store::exists(&directory) {
            let finding = missing_directory(layer, &display_path(environment, &directory));
            notes.diagnostics.push(finding);
            return Ok(None);
        }
        let source = DirectorySource::new(
            directory.clone(),
            SymlinkConfinement::Inside,
            &self.sources.project,
        );
        let contents = reading::read(&source, None, layer, "").map_err(|error| match error {
            ReadError::Source(SourceError::Store(error)) => {
                unreadable_directory(environment, layer, &directory, error)
            }
            ReadError::Source(error) => source_failure_of(&layer.name.label(), error),
            ReadError::NoRoot | ReadError::TooMuch => too_much(layer),
        })?;
        Ok(Some(ReadLayer {
            label: display_path(environment, &directory),
            directory: Some(directory),
            pin: None,
            contents,
        }))
    }

    fn read_version(
        &self,
        layer: &Layer,
        source: &dyn Source,
        name: &SourceName,
        pin: Pin,
    ) -> Result<ReadLayer, Failure> {
        let contents = reading::read(source, Some(&pin.commit), layer, root_of(layer));
        let contents = contents.map_err(|error| match error {
            ReadError::Source(error) => source_failure(name, error),
            ReadError::NoRoot => missing_root(layer, &pin),
            ReadError::TooMuch => too_much(layer),
        })?;
        Ok(ReadLayer {
            label: format!("{}@{}", pin.source, pin.version),
            directory: None,
            pin: Some(pin),
            contents,
        })
    }
}

fn root_of(layer: &Layer) -> &str {
    let root = layer.root.as_ref().map(RelativePath::as_str);
    root.unwrap_or_default()
}

/// Fetches the versions of all layers of one source in one request, and their files in another one.
fn fetch_together(layers: &[LocatedLayer<'_, '_>], notes: &mut Notes) -> Result<(), Failure> {
    let Some((source, name, _)) = layers.iter().find_map(LocatedLayer::version) else {
        return Ok(());
    };
    let pins = layers.iter().filter_map(LocatedLayer::version);
    let missing: Vec<&Pin> = pins
        .map(|(_, _, pin)| pin)
        .filter(|pin| !source.has_revision(&pin.commit))
        .collect();
    if !missing.is_empty() {
        // The source is contacted anyway, so moved tags can be detected at no extra cost.
        let versions = source.versions().ok();
        let commits: Vec<Revision> = missing.iter().map(|pin| pin.commit.clone()).collect();
        source
            .fetch(&commits, FileFetching::WithRevisions)
            .map_err(|error| source_failure(name, error))?;
        for pin in missing {
            let moved = versions
                .as_ref()
                .and_then(|versions| moved_tag(name, versions, &pin.version, Some(&pin.commit)));
            notes.diagnostics.extend(moved);
        }
    }
    let mut wanted = Vec::new();
    for located in layers {
        if let Some((_, _, pin)) = located.version() {
            // A layer that cannot be listed is reported when it is read.
            let layer = located.layer;
            let files = reading::list(source, Some(&pin.commit), layer, root_of(layer));
            wanted.extend(files.into_iter().flat_map(ListedLayer::into_entries));
        }
    }
    let wanted: Vec<&SourceEntry> = wanted.iter().collect();
    source
        .fetch_files(&wanted)
        .map_err(|error| source_failure(name, error))
}

fn too_much(layer: &Layer) -> Failure {
    too_large(layer, MOST_DIRECTORIES, MOST_LAYER_BYTES)
}

/// Converts an error of the disk to a failure that names the layer.
fn unreadable_directory(
    environment: &Environment,
    layer: &Layer,
    path: &Path,
    error: StoreError,
) -> Failure {
    if matches!(&error.problem, StoreProblem::NotFile) && store::is_file(path) {
        let path = display_path(environment, path);
        let message = format!(
            "`{path}` of layer `{}` is a file, not a directory",
            layer.name
        );
        let diagnostic =
            Diagnostic::new(&codes::IO_UNREADABLE, message).in_layer(layer.name.as_str());
        return diagnostic
            .at_spot(layer.spot)
            .help("name the directory that the file is in")
            .into();
    }
    let mut failure = Failure::from(error.seen_from(&environment.working_directory));
    failure.diagnostic = failure
        .diagnostic
        .map(|diagnostic| diagnostic.in_layer(layer.name.as_str()));
    failure
}

/// Returns a finding for each layer whose directory does not exist.
pub(crate) fn missing_directories(
    environment: &Environment,
    manifest: &Manifest,
    base: &Path,
) -> Vec<Diagnostic> {
    let missing = |layer: &Layer| {
        let LayerLocation::Directory(path) = &layer.location else {
            return None;
        };
        let path = layer_directory(&local_path(path, base, environment), layer);
        (!store::exists(&path)).then(|| missing_directory(layer, &display_path(environment, &path)))
    };
    manifest.layers.iter().filter_map(missing).collect()
}

fn checksum_of(files: &[SnapshotFile]) -> Checksum {
    let line =
        |file: &SnapshotFile| tree_line(file.path.as_str(), file.mode, Checksum::of(&file.bytes));
    let lines: Vec<String> = parallel::map(files.iter().collect(), line);
    Checksum::of(lines.concat().as_bytes())
}
