//! Every layer of a catalog, found, read and folded.

use std::path::{Path, PathBuf};

use agpm_catalog::{
    CatalogContent, CatalogDiscovery, CatalogLayer, CatalogMode, EntryKind, LayerKind,
    ManifestFile, ReadManifests, UnparsedManifest, empty_catalog, typed_remotes,
};
use agpm_diag::{Failure, Notes, Outcome, Severity};
use agpm_store::{self as store, Disk, PathMarks, StoreError, parallel};

use crate::catalog::remotes::{RemoteLayer, kept_layers, remote_layers};
use crate::gather::{ErrorTolerance, ManifestFiles, Project};
use crate::reading::limit;
use crate::watch::project_marks;
use crate::world::{Environment, ManifestUse, World};

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct CatalogPlaces {
    /// Which layers apply.
    pub mode: CatalogMode,
    /// Remotes besides those of the manifest, highest first, as they were typed.
    pub remotes: Vec<String>,
}

/// A catalog, and how a change of it is noticed.
#[derive(Debug)]
pub struct OpenCatalog {
    /// The catalog.
    pub content: CatalogContent<'static>,
    remotes: Remotes,
    marks: PathMarks,
}

/// Git remotes, and the files that say which they are.
#[derive(Clone, Debug, Default)]
struct Remotes {
    layers: Vec<RemoteLayer>,
    marks: PathMarks,
}

impl Remotes {
    /// Whether they would be the same if they were asked again, short of news from the remotes themselves.
    fn are_current(&self) -> bool {
        let there = self
            .layers
            .iter()
            .all(|layer| store::is_folder(&layer.folder));
        there && self.marks.are_settled() && !self.marks.differ()
    }
}

/// Finds, reads and folds. Remotes are asked once: they stay as `before` had them, until manifest or lockfile change.
pub fn open_catalog(
    world: &World,
    places: &CatalogPlaces,
    before: Option<&OpenCatalog>,
) -> Outcome<OpenCatalog> {
    let mut notes = Notes::default();
    let known = before
        .map(|before| &before.remotes)
        .filter(|remotes| remotes.are_current());
    let remotes = known.map_or_else(
        || remotes(world, places, &mut notes),
        |remotes| Ok(remotes.clone()),
    );
    let result = remotes.and_then(|remotes| open_with(world, places, None, remotes, &mut notes));
    if result
        .as_ref()
        .is_ok_and(|open| open.content.files.is_empty() && open.content.left_out.is_empty())
    {
        notes.diagnostics.push(empty_catalog(places.mode, None));
    }
    notes.outcome(result)
}

/// The locations of catalogs in project and home as they are now, for who has read none yet.
#[derive(Clone, Debug)]
pub struct CatalogWatch(PathMarks);

/// Looks at them; nothing is read, and no remote is asked.
pub fn watch_catalog(world: &World, places: &CatalogPlaces) -> CatalogWatch {
    let (environment, mut marks) = (&world.environment, PathMarks::default());
    find_manifests(environment, places, &[], &mut marks, &mut Notes::default());
    CatalogWatch(marks)
}

impl CatalogWatch {
    /// Whether they are no longer as they were.
    pub fn has_changed(&self) -> bool {
        self.0.differ()
    }
}

/// The same for manifests of one kind, if one is named.
pub fn open(
    world: &World,
    places: &CatalogPlaces,
    kind: Option<EntryKind>,
    notes: &mut Notes,
) -> Result<OpenCatalog, Failure> {
    let remotes = remotes(world, places, notes)?;
    open_with(world, places, kind, remotes, notes)
}

/// The same with what is on this machine already; nothing is made.
pub fn open_kept(world: &World, notes: &mut Notes) -> Result<OpenCatalog, Failure> {
    let places = CatalogPlaces::default();
    let known = notes.diagnostics.len();
    let project = load(world, notes).unwrap_or_else(|_| {
        // Mistakes of the manifest are reported by who looks at it.
        notes.diagnostics.truncate(known);
        Project::default()
    });
    let remotes = Remotes {
        layers: kept_layers(world, &project, notes)?,
        marks: PathMarks::default(),
    };
    open_with(world, &places, None, remotes, notes)
}

fn open_with(
    world: &World,
    places: &CatalogPlaces,
    kind: Option<EntryKind>,
    remotes: Remotes,
    notes: &mut Notes,
) -> Result<OpenCatalog, Failure> {
    let mut marks = remotes.marks.clone();
    let environment = &world.environment;
    let found = find_manifests(environment, places, &remotes.layers, &mut marks, notes);
    let (layers, mut files) = found;
    files.retain(|file| kind.is_none_or(|kind| kind == file.kind));
    let read = read_manifests(&layers, files, notes);
    Ok(OpenCatalog {
        content: CatalogContent::new(&Disk, &environment.folder, layers, read, notes),
        remotes,
        marks,
    })
}

/// Reads and parses manifests side by side.
fn read_manifests(
    layers: &[CatalogLayer],
    files: Vec<ManifestFile>,
    notes: &mut Notes,
) -> ReadManifests {
    let bytes = parallel::map(files.iter().collect(), |file: &ManifestFile| {
        read_inside(&layers[file.layer].folder, &file.path, limit())
    });
    let mut read = ReadManifests::default();
    let mut unparsed = Vec::new();
    for (file, bytes) in files.into_iter().zip(bytes) {
        unparsed.extend(read.take_in(file, bytes.map_err(Into::into), layers, notes));
    }
    for parsed in parallel::map(unparsed, UnparsedManifest::parse) {
        read.add(parsed, layers, notes);
    }
    read
}

/// Reads a file that is inside of a directory, by way of whatever links.
pub(super) fn read_inside(folder: &Path, place: &str, largest: u64) -> Result<Vec<u8>, StoreError> {
    let (root, file) = (
        store::real_path(folder),
        store::real_path(&folder.join(place)),
    );
    let inner = file.strip_prefix(&root).ok().and_then(Path::to_str);
    // Read by its own name, so a link that names the whole way is followed like any other.
    let (folder, place) = inner.map_or((folder, place), |inner| (root.as_path(), inner));
    store::read_below(folder, place, largest).map(|(bytes, _)| bytes)
}

/// The layers of git. Manifest and lockfile decide them.
fn remotes(world: &World, places: &CatalogPlaces, notes: &mut Notes) -> Result<Remotes, Failure> {
    if !places.mode.has(LayerKind::Git) {
        return Ok(Remotes::default());
    }
    let marks = project_marks(&world.environment);
    let project = project_of(world, notes)?;
    let told = typed_remotes(&project.manifest, &places.remotes)?;
    Ok(Remotes {
        layers: remote_layers(world, &project, &told, notes)?,
        marks,
    })
}

/// The manifest that may name remotes. Its mistakes are warnings here: they have nothing to do with most of the catalog.
fn project_of(world: &World, notes: &mut Notes) -> Result<Project, Failure> {
    let known = notes.diagnostics.len();
    let project = match load(world, notes) {
        // One that is named must be there.
        Err(failure) if world.environment.manifest.is_some() => return Err(failure),
        Err(failure) => {
            notes.diagnostics.extend(failure.diagnostic);
            Project::default()
        }
        Ok(project) => project,
    };
    let found = notes.diagnostics[known..].iter_mut();
    found.for_each(|one| one.severity = one.severity.min(Severity::Warning));
    Ok(project)
}

fn load(world: &World, notes: &mut Notes) -> Result<Project, Failure> {
    let environment = &world.environment;
    let files = match ManifestFiles::find(environment, ManifestUse::Nearest)? {
        None => ManifestFiles::configuration_alone(environment)?,
        files => files,
    };
    let read = |files| Project::read(world, files, ErrorTolerance::Tell, notes);
    files.map_or_else(|| Ok(Project::default()), read)
}

/// The layers, highest first, and their manifests. Everything that they depend on is marked.
fn find_manifests(
    environment: &Environment,
    places: &CatalogPlaces,
    remotes: &[RemoteLayer],
    marks: &mut PathMarks,
    notes: &mut Notes,
) -> (Vec<CatalogLayer>, Vec<ManifestFile>) {
    let mut discovery = CatalogDiscovery {
        files: &Disk,
        here: &environment.folder,
        mark: &mut |path| marks.add(path),
    };
    let home = environment.home.as_deref();
    let mut layers = Vec::new();
    if places.mode.has(LayerKind::Project) {
        let folder = discovery.project_folder(&project_start(environment), home);
        layers.extend(folder.map(|folder| layer(LayerKind::Project, None, &folder)));
    }
    if places.mode.has(LayerKind::User) {
        layers.extend(home.map(|folder| layer(LayerKind::User, None, folder)));
    }
    let git = |remote: &RemoteLayer| {
        let shown = Some(remote.shown.clone());
        layer(LayerKind::Git, shown, &remote.folder)
    };
    layers.extend(remotes.iter().map(git));
    let numbered = layers.iter().enumerate();
    let files = numbered.flat_map(|(at, layer)| discovery.manifests(at, layer, notes));
    let files = files.collect();
    (layers, files)
}

/// Who names a manifest means the project that it is of.
fn project_start(environment: &Environment) -> PathBuf {
    let named = environment.manifest.as_ref();
    let named = named.map(|path| environment.resolve(path));
    let folder = named.as_deref().and_then(Path::parent);
    folder.unwrap_or(&environment.folder).to_owned()
}

fn layer(kind: LayerKind, remote: Option<String>, folder: &Path) -> CatalogLayer {
    CatalogLayer {
        kind,
        remote,
        folder: folder.to_owned(),
        real: store::real_path(folder),
    }
}

impl OpenCatalog {
    /// Whether files on disk are no longer as they were read.
    pub fn has_changed(&self) -> bool {
        self.marks.differ()
    }

    /// Whether it can be asked once more without reading anything.
    pub fn is_current(&self) -> bool {
        self.marks.are_settled() && !self.marks.differ()
    }
}
