//! Every layer as it is now: its files, and what pins it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::{
    Checksum, DEFAULT_VERSION, FileMode, Layer, LayerPlace, LockedLayer, Manifest, Pin,
    RelativePath, SourceName,
};
use agpm_plan::Watched;
use agpm_resolve::{moved_tag, tree_line};
use agpm_source::limits::{MOST_DIRECTORIES, MOST_LAYER_BYTES};
use agpm_source::{Confinement, DirectorySource, FileFetching, Source, SourceError};
use agpm_store::{self as store, Problem, StoreError, parallel};

use crate::layers::clashes::{refuse_clashes, refuse_own_folders};
use crate::layers::pinning::{Pinning, RequiredVersion};
use crate::layers::reading::{self, Contents, LayerFile, ReadError};
use crate::layers::skipping::Skipped;
use crate::packages::{Sources, source_failure, source_failure_of};
use crate::reading::local_path;
use crate::reading::shown;
use crate::world::{Environment, World};

/// A layer as it is now.
#[derive(Debug)]
pub(crate) struct Snapshot<'m> {
    pub(crate) layer: &'m Layer,
    /// Where it is, as users see it.
    pub(crate) shown: String,
    /// The folder that it is, if it is one.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) pin: Option<Pin>,
    /// Of all its files.
    pub(crate) checksum: Checksum,
    /// By path.
    pub(crate) files: Vec<SnapshotFile>,
    pub(crate) skipped: Vec<Skipped>,
    /// How a change of a folder is seen later; nothing if it is pinned, or if it changed just now.
    pub(crate) watched: Option<Watched>,
}

/// A file of a layer.
#[derive(Debug)]
pub(crate) struct SnapshotFile {
    pub(crate) path: RelativePath,
    /// As users see it.
    pub(crate) shown: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: FileMode,
}

impl Snapshot<'_> {
    /// The entry of the lockfile; a folder of the user's home is nobody else's matter.
    pub(crate) fn locked(&self) -> Option<LockedLayer> {
        let own = matches!(&self.layer.place, LayerPlace::Folder(path) if is_own_folder(path));
        let (name, pin, checksum) = (self.layer.name.clone(), self.pin.clone(), self.checksum);
        (!own).then_some(LockedLayer {
            name,
            pin,
            checksum,
        })
    }
}

/// Whether a folder is named by its place in the user's home.
fn is_own_folder(path: &str) -> bool {
    path == "~" || path.starts_with("~/")
}

/// Reads every layer, lowest first; those that are not there are told and left out.
pub(crate) fn snapshots<'m>(
    world: &World,
    (manifest, sources): (&'m Manifest, &Sources),
    pinning: &Pinning<'_>,
    notes: &mut Notes,
) -> Result<Vec<Snapshot<'m>>, Failure> {
    let reader = Reader {
        world,
        sources,
        pinning,
    };
    let layers: Vec<(usize, &'m Layer)> = manifest.layers.iter().enumerate().collect();
    let layers = layers
        .into_iter()
        .filter(|(_, layer)| pinning.reads(sources, layer))
        .collect();
    let answers = parallel::map(groups(layers), |group: Vec<(usize, &'m Layer)>| {
        let mut own = Notes::default();
        let read = |(rank, layer)| {
            Ok(reader
                .read(layer, &mut own)?
                .map(|snapshot| (rank, snapshot)))
        };
        let all: Result<Vec<_>, Failure> = group.into_iter().map(read).collect();
        (all, own.diagnostics)
    });
    let mut snapshots: Vec<(usize, Snapshot<'m>)> = Vec::new();
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
    let snapshots: Vec<Snapshot<'m>> = snapshots
        .into_iter()
        .map(|(_, snapshot)| snapshot)
        .collect();
    refuse_clashes(&snapshots)?;
    refuse_own_folders(&snapshots, &sources.root)?;
    Ok(snapshots)
}

/// Layers that can be read side by side: all of one source go together.
fn groups(layers: Vec<(usize, &Layer)>) -> Vec<Vec<(usize, &Layer)>> {
    let mut groups: Vec<Vec<(usize, &Layer)>> = Vec::new();
    let mut by_source: BTreeMap<&SourceName, usize> = BTreeMap::new();
    for (rank, layer) in layers {
        let known = match &layer.place {
            LayerPlace::Source(source, _) => Some(*by_source.entry(source).or_insert(groups.len())),
            LayerPlace::Folder(_) => None,
        };
        match known.and_then(|at| groups.get_mut(at)) {
            Some(group) => group.push((rank, layer)),
            None => groups.push(vec![(rank, layer)]),
        }
    }
    groups
}

struct Reader<'a> {
    world: &'a World,
    sources: &'a Sources,
    pinning: &'a Pinning<'a>,
}

/// A layer that was read, before its files are checked.
struct ReadLayer {
    /// Where it is, as users see it.
    shown: String,
    folder: Option<PathBuf>,
    pin: Option<Pin>,
    contents: Contents,
}

impl Reader<'_> {
    fn read<'m>(
        &self,
        layer: &'m Layer,
        notes: &mut Notes,
    ) -> Result<Option<Snapshot<'m>>, Failure> {
        let Some(read) = self.read_layer(layer, notes)? else {
            return Ok(None);
        };
        let Contents {
            files,
            skipped,
            watched,
        } = read.contents;
        notes
            .diagnostics
            .extend(super::skipping::report(layer, &skipped));
        let files: Vec<SnapshotFile> = files
            .into_iter()
            .map(|file| self.snapshot_file(layer, file, read.folder.as_deref(), &read.shown))
            .collect();
        let snapshot = Snapshot {
            layer,
            shown: read.shown,
            folder: read.folder,
            pin: read.pin,
            checksum: checksum_of(&files),
            files,
            skipped,
            watched,
        };
        self.pinning.check(&snapshot)?;
        Ok(Some(snapshot))
    }

    fn snapshot_file(
        &self,
        layer: &Layer,
        file: LayerFile,
        folder: Option<&Path>,
        layer_shown: &str,
    ) -> SnapshotFile {
        let shown = match (folder, &layer.root) {
            (Some(folder), _) => shown(&self.world.environment, &folder.join(file.path.as_str())),
            (None, Some(root)) => format!("{layer_shown}:{root}/{}", file.path),
            (None, None) => format!("{layer_shown}:{}", file.path),
        };
        SnapshotFile {
            path: file.path,
            shown,
            bytes: file.bytes,
            mode: file.mode,
        }
    }

    fn read_layer(&self, layer: &Layer, notes: &mut Notes) -> Result<Option<ReadLayer>, Failure> {
        let folder = match &layer.place {
            LayerPlace::Folder(path) => {
                local_path(path, &self.sources.project, &self.world.environment)
            }
            LayerPlace::Source(name, selector) => {
                let Some(source) = self.sources.get(name) else {
                    return Ok(None);
                };
                match source.place() {
                    Some(place) => place.to_owned(),
                    None => {
                        let required = RequiredVersion {
                            source: name,
                            requirement: selector,
                        };
                        return self.read_version(layer, source, &required, notes).map(Some);
                    }
                }
            }
        };
        self.read_folder(layer, with_root(folder, layer), notes)
    }

    fn read_folder(
        &self,
        layer: &Layer,
        place: PathBuf,
        notes: &mut Notes,
    ) -> Result<Option<ReadLayer>, Failure> {
        let environment = &self.world.environment;
        notes.diagnostics.extend(ignored_version(layer));
        let missing = missing(environment, layer, &place);
        let is_missing = missing.is_some();
        notes.diagnostics.extend(missing);
        if is_missing {
            return Ok(None);
        }
        let source =
            DirectorySource::new(place.clone(), Confinement::Inside, &self.sources.project);
        let contents = reading::read(&source, None, layer, "").map_err(|error| match error {
            ReadError::Source(SourceError::Store(error)) => {
                unreadable_folder(environment, layer, &place, error)
            }
            ReadError::Source(error) => source_failure_of(&layer.name.label(), error),
            ReadError::NoRoot | ReadError::TooMuch => too_much(layer),
        })?;
        Ok(Some(ReadLayer {
            shown: shown(environment, &place),
            folder: Some(place),
            pin: None,
            contents,
        }))
    }

    fn read_version(
        &self,
        layer: &Layer,
        source: &dyn Source,
        required: &RequiredVersion<'_>,
        notes: &mut Notes,
    ) -> Result<ReadLayer, Failure> {
        let progress = &self.world.progress;
        progress.source_began(required.source.as_str());
        let pin = self.pinning.pin(source, layer, required, notes);
        let read = pin.and_then(|pin| {
            let contents = read_pinned(source, layer, required.source, &pin, notes)?;
            Ok(ReadLayer {
                shown: format!("{}@{}", pin.source, pin.version),
                folder: None,
                pin: Some(pin),
                contents,
            })
        });
        progress.source_ended(required.source.as_str());
        read
    }
}

fn read_pinned(
    source: &dyn Source,
    layer: &Layer,
    name: &SourceName,
    pin: &Pin,
    notes: &mut Notes,
) -> Result<Contents, Failure> {
    if !source.has_revision(&pin.commit) {
        // The source is asked anyway, so it can say whether its tags are still where they were.
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
            ReadError::NoRoot => no_root(layer, pin),
            ReadError::TooMuch => too_much(layer),
        }
    })
}

fn no_root(layer: &Layer, pin: &Pin) -> Failure {
    let root = layer
        .root
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let message = format!(
        "layer `{}`: there is no folder `{root}` in {}@{}",
        layer.name, pin.source, pin.version
    );
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message).in_layer(layer.name.as_str());
    diagnostic
        .at_spot(layer.spot)
        .help("`root` is a folder of the source; check its name, or ask for another version")
        .into()
}

fn too_much(layer: &Layer) -> Failure {
    let message = format!(
        "layer `{}` has more than {MOST_DIRECTORIES} folders or {} MiB",
        layer.name,
        MOST_LAYER_BYTES >> 20
    );
    let diagnostic = Diagnostic::new(&codes::TEXT_TOO_LARGE, message).in_layer(layer.name.as_str());
    diagnostic
        .at_spot(layer.spot)
        .help("name the files that count with `include`")
        .into()
}

/// What the disk says, with the layer that it is about.
fn unreadable_folder(
    environment: &Environment,
    layer: &Layer,
    place: &Path,
    error: StoreError,
) -> Failure {
    if matches!(&error.problem, Problem::NotFile) && store::is_file(place) {
        let place = shown(environment, place);
        let message = format!(
            "layer `{}` is to be the folder `{place}`, which is a file",
            layer.name
        );
        let diagnostic =
            Diagnostic::new(&codes::IO_UNREADABLE, message).in_layer(layer.name.as_str());
        return diagnostic
            .at_spot(layer.spot)
            .help("name the folder that the file is in")
            .into();
    }
    let mut failure = Failure::from(error.seen_from(&environment.folder));
    failure.diagnostic = failure
        .diagnostic
        .map(|diagnostic| diagnostic.in_layer(layer.name.as_str()));
    failure
}

/// What is to be said of folders that are not there.
pub(crate) fn missing_folders(
    environment: &Environment,
    manifest: &Manifest,
    base: &Path,
) -> Vec<Diagnostic> {
    let missing = |layer: &Layer| match &layer.place {
        LayerPlace::Folder(path) => missing(
            environment,
            layer,
            &with_root(local_path(path, base, environment), layer),
        ),
        LayerPlace::Source(..) => None,
    };
    manifest.layers.iter().filter_map(missing).collect()
}

/// A version that is asked of a folder without versions.
fn ignored_version(layer: &Layer) -> Option<Diagnostic> {
    let LayerPlace::Source(source, selector) = &layer.place else {
        return None;
    };
    let message =
        format!("source `{source}` is a folder without versions, so `{selector}` says nothing");
    let diagnostic =
        Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message).in_layer(layer.name.as_str());
    let help = "remove the version, or make the folder a git repository";
    (selector.as_str() != DEFAULT_VERSION).then(|| diagnostic.at_spot(layer.spot).help(help))
}

fn with_root(folder: PathBuf, layer: &Layer) -> PathBuf {
    layer
        .root
        .as_ref()
        .map_or(folder.clone(), |root| folder.join(root.as_str()))
}

fn missing(environment: &Environment, layer: &Layer, place: &Path) -> Option<Diagnostic> {
    let message = format!(
        "the folder of layer `{}`, `{}`, is not there",
        layer.name,
        shown(environment, place)
    );
    let diagnostic = Diagnostic::new(&codes::LAYERS_MISSING, message)
        .in_layer(layer.name.as_str())
        .at_spot(layer.spot)
        .help("its path is from the manifest's folder; make the folder, or remove the layer");
    (!store::exists(place)).then_some(diagnostic)
}

fn checksum_of(files: &[SnapshotFile]) -> Checksum {
    let line =
        |file: &SnapshotFile| tree_line(file.path.as_str(), file.mode, Checksum::of(&file.bytes));
    let lines: Vec<String> = parallel::map(files.iter().collect(), line);
    Checksum::of(lines.concat().as_bytes())
}
