//! Everything that has a say, found, read and folded.

use std::path::PathBuf;

use agpm_catalog::{Catalog, EntryKind, Manifest, RowRef};
use agpm_diag::{Failure, Notes, Outcome, Severity};
use agpm_store::{self as store, Marks};

use crate::catalog::ground::{
    CatalogLayer, CatalogPlaces, LayerKind, ManifestFile, project_folder,
};
use crate::catalog::reading::read_all;
use crate::catalog::remotes::{RemoteLayer, kept_layers, remote_layers, remotes_as_told};
use crate::catalog::report::nowhere;
use crate::gather::{ManifestFiles, Mistakes, Project};
use crate::watch::project_marks;
use crate::words::counted;
use crate::world::{Environment, ManifestUse, World};

/// A catalog with everything that it was made of.
#[derive(Debug)]
pub struct OpenCatalog {
    pub(crate) catalog: Catalog,
    pub(crate) layers: Vec<CatalogLayer>,
    /// One for every manifest of the catalog.
    pub(crate) files: Vec<ManifestFile>,
    remotes: Remotes,
    /// Those that could not be read.
    pub(crate) left_out: Vec<ManifestFile>,
    marks: Marks,
}

/// Git remotes, and the files that say which they are.
#[derive(Clone, Debug, Default)]
struct Remotes {
    layers: Vec<RemoteLayer>,
    marks: Marks,
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
    let result = remotes.and_then(|remotes| open_with(world, (places, None), remotes, &mut notes));
    if result
        .as_ref()
        .is_ok_and(|open| open.files.is_empty() && open.left_out.is_empty())
    {
        notes.diagnostics.push(nowhere(places, None));
    }
    notes.outcome(result)
}

/// The places of catalogs in project and home as they are now, for who has read none yet.
#[derive(Clone, Debug)]
pub struct CatalogWatch(Marks);

/// Looks at them; nothing is read, and no remote is asked.
pub fn watch_catalog(world: &World, places: &CatalogPlaces) -> CatalogWatch {
    let (environment, mut marks) = (&world.environment, Marks::default());
    let layers = layers(environment, places, &[], &mut marks);
    let mut unheard = Notes::default();
    for (at, layer) in layers.iter().enumerate() {
        layer.manifests(at, environment, &mut marks, &mut unheard);
    }
    CatalogWatch(marks)
}

impl CatalogWatch {
    /// Whether they are no longer as they were.
    pub fn has_changed(&self) -> bool {
        self.0.differ()
    }
}

/// The same for manifests of one kind, if one is named.
pub(crate) fn open(
    world: &World,
    places: &CatalogPlaces,
    kind: Option<EntryKind>,
    notes: &mut Notes,
) -> Result<OpenCatalog, Failure> {
    let remotes = remotes(world, places, notes)?;
    open_with(world, (places, kind), remotes, notes)
}

/// The same with what is on this machine already; nothing is made.
pub(crate) fn open_kept(world: &World, notes: &mut Notes) -> Result<OpenCatalog, Failure> {
    let places = CatalogPlaces::default();
    let known = notes.diagnostics.len();
    let project = load(&world.environment, notes).unwrap_or_else(|_| {
        // Mistakes of the manifest are told by who looks at it.
        notes.diagnostics.truncate(known);
        Project::default()
    });
    let remotes = Remotes {
        layers: kept_layers(world, &project, notes)?,
        marks: Marks::default(),
    };
    open_with(world, (&places, None), remotes, notes)
}

fn open_with(
    world: &World,
    (places, kind): (&CatalogPlaces, Option<EntryKind>),
    remotes: Remotes,
    notes: &mut Notes,
) -> Result<OpenCatalog, Failure> {
    let mut marks = remotes.marks.clone();
    let environment = &world.environment;
    let layers = layers(environment, places, &remotes.layers, &mut marks);
    let files = layers
        .iter()
        .enumerate()
        .flat_map(|(at, layer)| layer.manifests(at, environment, &mut marks, notes));
    let files = files
        .filter(|file| kind.is_none_or(|kind| kind == file.kind))
        .collect();
    let mut left_out = Vec::new();
    let read = read_all(&layers, files, &mut left_out, notes);
    let (files, manifests): (Vec<ManifestFile>, Vec<Manifest>) = read.into_iter().unzip();
    for (file, manifest) in files.iter().zip(&manifests) {
        let rows = counted(manifest.len(), "row", "rows");
        notes.log.push(format!(
            "used {}: {rows}, layer {}",
            file.shown,
            layers[file.layer].label()
        ));
    }
    let (catalog, twice) = Catalog::new(manifests);
    notes.diagnostics.extend(twice);
    Ok(OpenCatalog {
        catalog,
        layers,
        files,
        left_out,
        remotes,
        marks,
    })
}

/// The layers of git. What they are hangs on manifest and lockfile.
fn remotes(world: &World, places: &CatalogPlaces, notes: &mut Notes) -> Result<Remotes, Failure> {
    if !places.mode.has(LayerKind::Git) {
        return Ok(Remotes::default());
    }
    let marks = project_marks(&world.environment);
    let project = project_of(&world.environment, notes)?;
    let told = remotes_as_told(&project.manifest, &places.remotes)?;
    Ok(Remotes {
        layers: remote_layers(world, &project, &told, notes)?,
        marks,
    })
}

/// The manifest that may name remotes. Its mistakes are warnings here: they have nothing to do with most of the catalog.
fn project_of(environment: &Environment, notes: &mut Notes) -> Result<Project, Failure> {
    let known = notes.diagnostics.len();
    let project = match load(environment, notes) {
        // One that is named must be there.
        Err(failure) if environment.manifest.is_some() => return Err(failure),
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

fn load(environment: &Environment, notes: &mut Notes) -> Result<Project, Failure> {
    let files = match ManifestFiles::find(environment, ManifestUse::Nearest)? {
        None => ManifestFiles::configuration_alone(environment)?,
        files => files,
    };
    let read = |files| Project::read(environment, files, Mistakes::Tell, notes);
    files.map_or_else(|| Ok(Project::default()), read)
}

fn layers(
    environment: &Environment,
    places: &CatalogPlaces,
    remotes: &[RemoteLayer],
    marks: &mut Marks,
) -> Vec<CatalogLayer> {
    let layer = |kind, remote, folder: PathBuf| {
        let real = store::real_path(&folder);
        CatalogLayer {
            kind,
            remote,
            folder,
            real,
        }
    };
    let mut layers = Vec::new();
    if places.mode.has(LayerKind::Project) {
        let folder = project_folder(environment, marks);
        layers.extend(folder.map(|folder| layer(LayerKind::Project, None, folder)));
    }
    if places.mode.has(LayerKind::User) {
        layers.extend(
            environment
                .home
                .clone()
                .map(|folder| layer(LayerKind::User, None, folder)),
        );
    }
    let git = |remote: &RemoteLayer| {
        layer(
            LayerKind::Git,
            Some(remote.shown.clone()),
            remote.folder.clone(),
        )
    };
    layers.extend(remotes.iter().map(git));
    layers
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

    pub(crate) fn file(&self, row: RowRef<'_>) -> &ManifestFile {
        &self.files[row.manifest_index()]
    }

    pub(crate) fn layer(&self, row: RowRef<'_>) -> &CatalogLayer {
        &self.layers[self.file(row).layer]
    }

    /// Where the manifest of a row is.
    pub(crate) fn manifest_path(&self, row: RowRef<'_>) -> PathBuf {
        self.layer(row).folder.join(&self.file(row).path)
    }
}
