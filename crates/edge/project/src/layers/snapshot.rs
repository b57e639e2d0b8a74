//! Reads every layer: its files, and its pin.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_layers::{
    LayerLock, LayerPinning, LayerSnapshot, RequiredVersion, SnapshotFile, groups_by_source,
    ignored_version, layer_directory, missing_directory, missing_root, refuse_clashes,
    refuse_own_directories, too_large,
};
use agpm_model::{Checksum, Layer, LayerLocation, Manifest, Pin, RelativePath};
use agpm_resolve::{moved_tag, tree_line};
use agpm_source::limits::{MOST_DIRECTORIES, MOST_LAYER_BYTES};
use agpm_source::{DirectorySource, FileFetching, SourceError, SymlinkConfinement};
use agpm_store::{self as store, Disk, StoreError, StoreProblem, parallel};

use crate::layers::reading::{self, LayerContents, LayerFile, ReadError};
use crate::layers::version::VersionedLayer;
use crate::packages::ProjectSources;
use crate::reading::{display_path, local_path};
use crate::source_failure::{source_failure, source_failure_of};
use crate::world::{Environment, World};

/// Reads every layer, lowest rank first; missing ones are reported and left out.
pub fn snapshots<'m>(
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
            || !source.any(|name| sources.versioned(name).is_some())
    };
    let layers = manifest.layers.iter().enumerate();
    let layers = layers.filter(|(_, layer)| is_read(layer)).collect();
    // Layers of one source are read one after the other, because they use the same copy in the cache.
    let answers = parallel::map(
        groups_by_source(layers),
        |group: Vec<(usize, &'m Layer)>| {
            let mut own = Notes::default();
            let read = |(rank, layer)| {
                Ok(reader
                    .read(layer, &mut own)?
                    .map(|snapshot| (rank, snapshot)))
            };
            let all: Result<Vec<_>, Failure> = group.into_iter().map(read).collect();
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
            Ok(all) => snapshots.extend(all.into_iter().flatten()),
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

impl SnapshotReader<'_> {
    fn read<'m>(
        &self,
        layer: &'m Layer,
        notes: &mut Notes,
    ) -> Result<Option<LayerSnapshot<'m>>, Failure> {
        let Some(read) = self.read_layer(layer, notes)? else {
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

    fn read_layer(&self, layer: &Layer, notes: &mut Notes) -> Result<Option<ReadLayer>, Failure> {
        let directory = match &layer.location {
            LayerLocation::Directory(path) => {
                local_path(path, &self.sources.project, &self.world.environment)
            }
            LayerLocation::Source(name, requirement) => {
                let Some(source) = self.sources.get(name) else {
                    return Ok(None);
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
                        return self.read_version(&versioned, notes).map(Some);
                    }
                }
            }
        };
        self.read_directory(layer, layer_directory(&directory, layer), notes)
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
        versioned: &VersionedLayer<'_>,
        notes: &mut Notes,
    ) -> Result<ReadLayer, Failure> {
        let progress = &self.world.progress;
        let source = versioned.required.source;
        progress.source_began(source.as_str());
        let pin = versioned.pinned_version(self.pinning, notes);
        let read = pin.and_then(|pin| {
            let contents = read_pinned(versioned, &pin, notes)?;
            Ok(ReadLayer {
                label: format!("{}@{}", pin.source, pin.version),
                directory: None,
                pin: Some(pin),
                contents,
            })
        });
        progress.source_ended(source.as_str());
        read
    }
}

fn read_pinned(
    versioned: &VersionedLayer<'_>,
    pin: &Pin,
    notes: &mut Notes,
) -> Result<LayerContents, Failure> {
    let VersionedLayer { layer, source, .. } = *versioned;
    let name = versioned.required.source;
    if !source.has_revision(&pin.commit) {
        // The source is contacted anyway, so moved tags can be detected at no extra cost.
        let versions = source.versions().ok();
        source
            .fetch(
                std::slice::from_ref(&pin.commit),
                FileFetching::WithRevisions,
            )
            .map_err(|error| source_failure(name, error))?;
        let moved = versions
            .and_then(|versions| moved_tag(name, &versions, &pin.version, Some(&pin.commit)));
        notes.diagnostics.extend(moved);
    }
    let root = layer.root.as_ref().map(RelativePath::as_str);
    reading::read(source, Some(&pin.commit), layer, root.unwrap_or_default()).map_err(|error| {
        match error {
            ReadError::Source(error) => source_failure(name, error),
            ReadError::NoRoot => missing_root(layer, pin),
            ReadError::TooMuch => too_much(layer),
        }
    })
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
pub fn missing_directories(
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
