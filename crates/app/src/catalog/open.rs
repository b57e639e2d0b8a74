//! Finds, reads and merges the layers of a catalog.

use std::path::{Path, PathBuf};

use agpm_catalog::{
    CatalogContent, CatalogDiscovery, CatalogLayer, CatalogMode, EntryKind, LayerKind,
    ManifestFile, ReadManifests, UnparsedManifest, empty_catalog, typed_remotes,
};
use agpm_diag::{Failure, Notes, Outcome, Severity};
use agpm_store::{self as store, Disk, PathMarks, StoreError, parallel};

use crate::catalog::remotes::{RemoteLayer, cached_layers, remote_layers};
use crate::project::gather::{ErrorTolerance, ManifestFiles, Project};
use crate::project::reading::limit;
use crate::project::world::{Environment, ManifestUse, World};
use crate::watch::project_marks;

/// The layers to read.
#[derive(Clone, Debug, Default)]
pub struct CatalogSelection {
    /// Selects the kinds of layers.
    pub mode: CatalogMode,
    /// Additional remotes from the command line, highest rank first.
    pub remotes: Vec<String>,
}

/// A catalog that can detect changes of its files.
#[derive(Debug)]
pub struct OpenCatalog {
    /// The rows of all layers.
    pub content: CatalogContent<'static>,
    remotes: OpenedRemotes,
    marks: PathMarks,
}

/// The git remotes, with the files that determine them.
#[derive(Clone, Debug, Default)]
struct OpenedRemotes {
    layers: Vec<RemoteLayer>,
    marks: PathMarks,
}

impl OpenedRemotes {
    /// Returns whether the remotes would be the same if they were determined again, without contacting them.
    fn are_current(&self) -> bool {
        let exist = self
            .layers
            .iter()
            .all(|layer| store::is_directory(&layer.directory));
        exist && self.marks.are_settled() && !self.marks.differ()
    }
}

/// Opens a catalog. The remotes of `before` are reused until manifest or lockfile change, because a call of the server
/// must not wait for a network.
pub fn open_catalog(
    world: &World,
    options: &CatalogSelection,
    before: Option<&OpenCatalog>,
) -> Outcome<OpenCatalog> {
    let mut notes = Notes::default();
    let previous = before
        .map(|before| &before.remotes)
        .filter(|remotes| remotes.are_current());
    let remotes = previous.map_or_else(
        || remotes(world, options, &mut notes),
        |remotes| Ok(remotes.clone()),
    );
    let result = remotes.and_then(|remotes| open_with(world, options, None, remotes, &mut notes));
    if result
        .as_ref()
        .is_ok_and(|open| open.content.files.is_empty() && open.content.left_out.is_empty())
    {
        notes.diagnostics.push(empty_catalog(options.mode, None));
    }
    notes.outcome(result)
}

/// The state of the catalog paths in project and home, for a client that has not read a catalog yet.
#[derive(Clone, Debug)]
pub struct CatalogWatch(PathMarks);

/// Records the state of the paths without reading files or contacting remotes.
pub fn watch_catalog(world: &World, options: &CatalogSelection) -> CatalogWatch {
    let (environment, mut marks) = (&world.environment, PathMarks::default());
    find_manifests(environment, options, &[], &mut marks, &mut Notes::default());
    CatalogWatch(marks)
}

impl CatalogWatch {
    /// Returns whether a path changed since then.
    pub fn has_changed(&self) -> bool {
        self.0.differ()
    }
}

/// Opens a catalog, with the catalog files of one kind if `kind` is set.
pub(crate) fn open(
    world: &World,
    options: &CatalogSelection,
    kind: Option<EntryKind>,
    notes: &mut Notes,
) -> Result<OpenCatalog, Failure> {
    let remotes = remotes(world, options, notes)?;
    open_with(world, options, kind, remotes, notes)
}

/// Opens the catalog with the remotes that are already in the cache. It creates nothing.
pub(crate) fn open_cached(world: &World, notes: &mut Notes) -> Result<OpenCatalog, Failure> {
    let options = CatalogSelection::default();
    let reported = notes.diagnostics.len();
    let project = load(world, notes).unwrap_or_else(|_| {
        // Errors in the manifest are reported by the commands that check it.
        notes.diagnostics.truncate(reported);
        Project::default()
    });
    let remotes = OpenedRemotes {
        layers: cached_layers(world, &project, notes)?,
        marks: PathMarks::default(),
    };
    open_with(world, &options, None, remotes, notes)
}

fn open_with(
    world: &World,
    options: &CatalogSelection,
    kind: Option<EntryKind>,
    remotes: OpenedRemotes,
    notes: &mut Notes,
) -> Result<OpenCatalog, Failure> {
    let mut marks = remotes.marks.clone();
    let environment = &world.environment;
    let found = find_manifests(environment, options, &remotes.layers, &mut marks, notes);
    let (layers, mut files) = found;
    files.retain(|file| kind.is_none_or(|kind| kind == file.kind));
    let read = read_manifests(&layers, files, notes);
    Ok(OpenCatalog {
        content: CatalogContent::new(&Disk, &environment.working_directory, layers, read, notes),
        remotes,
        marks,
    })
}

/// Reads and parses catalog files in parallel.
fn read_manifests(
    layers: &[CatalogLayer],
    files: Vec<ManifestFile>,
    notes: &mut Notes,
) -> ReadManifests {
    let bytes = parallel::map(files.iter().collect(), |file: &ManifestFile| {
        read_inside(&layers[file.layer].directory, &file.path, limit())
    });
    let mut read = ReadManifests::default();
    let mut unparsed = Vec::new();
    for (file, bytes) in files.into_iter().zip(bytes) {
        unparsed.extend(read.add_manifest_bytes(file, bytes.map_err(Into::into), layers, notes));
    }
    for parsed in parallel::map(unparsed, UnparsedManifest::parse) {
        read.add(parsed, layers, notes);
    }
    read
}

/// Reads a file inside a directory; symlinks on the way must end inside it.
pub(super) fn read_inside(
    directory: &Path,
    path: &str,
    largest: u64,
) -> Result<Vec<u8>, StoreError> {
    let (root, file) = (
        store::real_path(directory),
        store::real_path(&directory.join(path)),
    );
    let inner = file.strip_prefix(&root).ok().and_then(Path::to_str);
    // The resolved path is read, so absolute symlinks into the directory are accepted like relative ones.
    let (directory, path) = inner.map_or((directory, path), |inner| (root.as_path(), inner));
    store::read_below(directory, path, largest).map(|(bytes, _)| bytes)
}

/// Determines the git layers, which depend on manifest and lockfile.
fn remotes(
    world: &World,
    options: &CatalogSelection,
    notes: &mut Notes,
) -> Result<OpenedRemotes, Failure> {
    if !options.mode.has(LayerKind::Git) {
        return Ok(OpenedRemotes::default());
    }
    let marks = project_marks(&world.environment);
    let project = project_of(world, notes)?;
    let typed = typed_remotes(&project.manifest, &options.remotes)?;
    Ok(OpenedRemotes {
        layers: remote_layers(world, &project, &typed, notes)?,
        marks,
    })
}

/// Reads the manifest for its remotes. Its errors are only warnings, because most of the catalog does not depend on it.
fn project_of(world: &World, notes: &mut Notes) -> Result<Project, Failure> {
    let reported = notes.diagnostics.len();
    let project = match load(world, notes) {
        // A manifest that the user named with `--manifest-path` must exist.
        Err(failure) if world.environment.manifest.is_some() => return Err(failure),
        Err(failure) => {
            notes.diagnostics.extend(failure.diagnostic);
            Project::default()
        }
        Ok(project) => project,
    };
    let found = notes.diagnostics[reported..].iter_mut();
    found.for_each(|finding| finding.severity = finding.severity.min(Severity::Warning));
    Ok(project)
}

fn load(world: &World, notes: &mut Notes) -> Result<Project, Failure> {
    let environment = &world.environment;
    let files = match ManifestFiles::find(environment, ManifestUse::Nearest)? {
        None => ManifestFiles::configuration_alone(environment)?,
        files => files,
    };
    let read = |files| Project::read(world, files, ErrorTolerance::Report, notes);
    files.map_or_else(|| Ok(Project::default()), read)
}

/// Finds the layers, highest rank first, and their catalog files. Every path that the result depends on is marked.
fn find_manifests(
    environment: &Environment,
    options: &CatalogSelection,
    remotes: &[RemoteLayer],
    marks: &mut PathMarks,
    notes: &mut Notes,
) -> (Vec<CatalogLayer>, Vec<ManifestFile>) {
    let mut discovery = CatalogDiscovery {
        files: &Disk,
        here: &environment.working_directory,
        mark: &mut |path| marks.add(path),
    };
    let home = environment.home.as_deref();
    let mut layers = Vec::new();
    if options.mode.has(LayerKind::Project) {
        let directory = discovery.project_directory(&project_start(environment), home);
        layers.extend(directory.map(|directory| layer(LayerKind::Project, None, &directory)));
    }
    if options.mode.has(LayerKind::User) {
        layers.extend(home.map(|directory| layer(LayerKind::User, None, directory)));
    }
    let git = |remote: &RemoteLayer| {
        let label = Some(remote.label.clone());
        layer(LayerKind::Git, label, &remote.directory)
    };
    layers.extend(remotes.iter().map(git));
    let numbered = layers.iter().enumerate();
    let files = numbered.flat_map(|(at, layer)| discovery.manifests(at, layer, notes));
    let files = files.collect();
    (layers, files)
}

/// Returns the directory where the search for the project's catalog starts: the one of `--manifest-path`, or the
/// working directory.
fn project_start(environment: &Environment) -> PathBuf {
    let named = environment.manifest.as_ref();
    let named = named.map(|path| environment.resolve(path));
    let directory = named.as_deref().and_then(Path::parent);
    directory
        .unwrap_or(&environment.working_directory)
        .to_owned()
}

fn layer(kind: LayerKind, remote: Option<String>, directory: &Path) -> CatalogLayer {
    CatalogLayer {
        kind,
        remote,
        directory: directory.to_owned(),
        real: store::real_path(directory),
    }
}

impl OpenCatalog {
    /// Returns whether a file changed since it was read.
    pub fn has_changed(&self) -> bool {
        self.marks.differ()
    }

    /// Returns whether the catalog can be used again without reading its files.
    pub fn is_current(&self) -> bool {
        self.marks.are_settled() && !self.marks.differ()
    }
}
