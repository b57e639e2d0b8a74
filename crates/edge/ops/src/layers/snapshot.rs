//! Every layer as it is now: its files, and what pins it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, codes};
use agpm_git::Remote;
use agpm_model::{
    Checksum, DEFAULT_VERSION, FileMode, Layer, LayerPin, LayerPlace, LockedLayer, Manifest,
    RelativePath, Selector, SourceName,
};
use agpm_plan::Watched;
use agpm_store as store;

use crate::failure::{Failure, Notes};
use crate::gather::shown;
use crate::layers::clashes::{refuse_clashes, refuse_own_folders};
use crate::layers::pinning::Pinning;
use crate::layers::skipping::Skipped;
use crate::layers::{folder, git};
use crate::packages::{Opened, Sources, local_path, tree_line};
use crate::parallel;
use crate::world::{Environment, World};

/// A layer as it is now.
#[derive(Debug)]
pub(crate) struct Snapshot<'m> {
    pub(crate) layer: &'m Layer,
    /// Where it is, as users see it.
    pub(crate) shown: String,
    /// The folder that it is, if it is one.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) pin: Option<LayerPin>,
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

/// What was read of a layer.
pub(super) struct Contents {
    pub(super) files: Vec<SnapshotFile>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) watched: Option<Watched>,
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
        manifest,
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

struct Reader<'a, 'm> {
    world: &'a World,
    manifest: &'m Manifest,
    sources: &'a Sources,
    pinning: &'a Pinning<'a>,
}

/// Where a layer turns out to be.
enum Place<'a> {
    Folder(PathBuf),
    Git(&'a SourceName, &'a Selector, &'a Remote),
}

impl<'m> Reader<'_, 'm> {
    fn read(&self, layer: &'m Layer, notes: &mut Notes) -> Result<Option<Snapshot<'m>>, Failure> {
        let (shown, folder, pin, contents) = match self.place(layer) {
            None => return Ok(None),
            Some(Place::Folder(folder)) => {
                let contents = self.folder(layer, &folder, notes)?;
                (
                    shown(&self.world.environment, &folder),
                    Some(folder),
                    None,
                    contents,
                )
            }
            Some(Place::Git(source, selector, remote)) => {
                let (pin, contents) = self.git(layer, (source, selector, remote), notes)?;
                (
                    format!("{source}@{}", pin.version),
                    None,
                    Some(pin),
                    Some(contents),
                )
            }
        };
        let Some(Contents {
            files,
            skipped,
            watched,
        }) = contents
        else {
            return Ok(None);
        };
        notes
            .diagnostics
            .extend(super::skipping::report(layer, &skipped));
        let checksum = checksum_of(&files);
        let snapshot = Snapshot {
            layer,
            shown,
            folder,
            pin,
            checksum,
            files,
            skipped,
            watched,
        };
        self.pinning.check(&snapshot)?;
        Ok(Some(snapshot))
    }

    fn place<'l>(&'l self, layer: &'l Layer) -> Option<Place<'l>> {
        let folder = match &layer.place {
            LayerPlace::Folder(path) => {
                local_path(path, &self.sources.project, &self.world.environment)
            }
            LayerPlace::Source(source, selector) => match self.sources.get(source)? {
                Opened::Folder(path) => path.clone(),
                Opened::Git(remote) => return Some(Place::Git(source, selector, remote)),
            },
        };
        Some(Place::Folder(with_root(folder, layer)))
    }

    fn folder(
        &self,
        layer: &Layer,
        place: &Path,
        notes: &mut Notes,
    ) -> Result<Option<Contents>, Failure> {
        let environment = &self.world.environment;
        notes.diagnostics.extend(ignored_version(layer));
        let missing = missing(environment, layer, place);
        let is_missing = missing.is_some();
        notes.diagnostics.extend(missing);
        if is_missing {
            Ok(None)
        } else {
            folder::read(environment, layer, place, &self.sources.project).map(Some)
        }
    }

    fn git(
        &self,
        layer: &Layer,
        (source, selector, remote): (&SourceName, &Selector, &Remote),
        notes: &mut Notes,
    ) -> Result<(LayerPin, Contents), Failure> {
        let (world, progress) = (self.world, &self.world.progress);
        progress.source_began(source.as_str());
        let pin = self.pinning.pin(
            (world, self.manifest, self.sources),
            layer,
            (source, selector),
            notes,
        );
        let read = pin.and_then(|pin| {
            let contents = git::read((source, remote), layer, &pin, notes)?;
            Ok((pin, contents))
        });
        progress.source_ended(source.as_str());
        read
    }
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
