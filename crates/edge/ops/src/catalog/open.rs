//! Reads every manifest that has a say, and folds them.

use std::path::{Path, PathBuf};

use agpm_catalog::{Catalog, Manifest, RowRef, left_out, read_manifest};
use agpm_diag::{Diagnostic, Severity, SourceId, Text, codes};
use agpm_store::{self as store, Marks, Problem};
use agpm_text::{Format, Limits, decode, parse};

use crate::catalog::ground::{
    CatalogLayer, CatalogMode, CatalogPlaces, LayerKind, ManifestFile, project_folder,
};
use crate::catalog::remotes::{RemoteLayer, kept_layers, remote_layers, remotes_as_told};
use crate::failure::{Failure, Notes, Outcome};
use crate::gather::{ManifestFiles, Project, limit};
use crate::parallel;
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
        let there = self.layers.iter().all(|layer| store::is_folder(&layer.folder));
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
    let known = before.map(|before| &before.remotes).filter(|remotes| remotes.are_current());
    let remotes = known.map_or_else(|| remotes(world, places, &mut notes), |remotes| Ok(remotes.clone()));
    let result = remotes.and_then(|remotes| open_with(world, places, remotes, &mut notes));
    notes.outcome(result)
}

pub(crate) fn open(world: &World, places: &CatalogPlaces, notes: &mut Notes) -> Result<OpenCatalog, Failure> {
    let remotes = remotes(world, places, notes)?;
    open_with(world, places, remotes, notes)
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
    let remotes = Remotes { layers: kept_layers(world, &project, notes)?, marks: Marks::default() };
    open_with(world, &places, remotes, notes)
}

fn open_with(
    world: &World,
    places: &CatalogPlaces,
    remotes: Remotes,
    notes: &mut Notes,
) -> Result<OpenCatalog, Failure> {
    let mut marks = remotes.marks.clone();
    let environment = &world.environment;
    let layers = layers(environment, places, &remotes.layers, &mut marks);
    let files =
        layers.iter().enumerate().flat_map(|(at, layer)| layer.manifests(at, environment, &mut marks, notes));
    let files: Vec<ManifestFile> = files.collect();
    let mut left_out = Vec::new();
    let read = read_all(&layers, files, &mut left_out, notes);
    let (files, manifests): (Vec<ManifestFile>, Vec<Manifest>) = read.into_iter().unzip();
    for (file, manifest) in files.iter().zip(&manifests) {
        let rows = counted(manifest.len(), "row", "rows");
        notes.log.push(format!("used {}: {rows}, layer {}", file.shown, layers[file.layer].label()));
    }
    let (catalog, twice) = Catalog::new(manifests);
    notes.diagnostics.extend(twice);
    Ok(OpenCatalog { catalog, layers, files, left_out, remotes, marks })
}

/// The layers of git. What they are hangs on manifest and lockfile.
fn remotes(world: &World, places: &CatalogPlaces, notes: &mut Notes) -> Result<Remotes, Failure> {
    if !places.mode.has(LayerKind::Git) {
        return Ok(Remotes::default());
    }
    let marks = project_marks(&world.environment);
    let project = project_of(&world.environment, places, notes)?;
    let told = remotes_as_told(&project.manifest, &places.remotes)?;
    Ok(Remotes { layers: remote_layers(world, &project, &told, notes)?, marks })
}

/// The manifest that may name remotes. One with mistakes names none, unless remotes are what is asked for.
fn project_of(
    environment: &Environment,
    places: &CatalogPlaces,
    notes: &mut Notes,
) -> Result<Project, Failure> {
    let known = notes.diagnostics.len();
    match load(environment, notes) {
        Err(failure) if places.mode == CatalogMode::Auto && places.remotes.is_empty() => {
            notes.diagnostics.extend(failure.diagnostic);
            let found = notes.diagnostics[known..].iter_mut();
            found.for_each(|one| one.severity = one.severity.min(Severity::Warning));
            Ok(Project::default())
        }
        loaded => loaded,
    }
}

fn load(environment: &Environment, notes: &mut Notes) -> Result<Project, Failure> {
    let files = match ManifestFiles::find(environment, ManifestUse::Nearest)? {
        None => ManifestFiles::configuration_alone(environment)?,
        files => files,
    };
    files.map_or_else(|| Ok(Project::default()), |files| Project::of(environment, files, notes))
}

fn layers(
    environment: &Environment,
    places: &CatalogPlaces,
    remotes: &[RemoteLayer],
    marks: &mut Marks,
) -> Vec<CatalogLayer> {
    let layer = |kind, remote, folder: PathBuf| {
        let real = store::real_path(&folder);
        CatalogLayer { kind, remote, folder, real }
    };
    let mut layers = Vec::new();
    if places.mode.has(LayerKind::Project) {
        let folder = project_folder(environment, marks);
        layers.extend(folder.map(|folder| layer(LayerKind::Project, None, folder)));
    }
    if places.mode.has(LayerKind::User) {
        layers.extend(environment.home.clone().map(|folder| layer(LayerKind::User, None, folder)));
    }
    let git = |remote: &RemoteLayer| layer(LayerKind::Git, Some(remote.shown.clone()), remote.folder.clone());
    layers.extend(remotes.iter().map(git));
    layers
}

/// Reads manifests side by side; what is malformed is told and left out.
fn read_all(
    layers: &[CatalogLayer],
    files: Vec<ManifestFile>,
    left_out: &mut Vec<ManifestFile>,
    notes: &mut Notes,
) -> Vec<(ManifestFile, Manifest)> {
    let read = |file: &ManifestFile| read_inside(&layers[file.layer].folder, &file.path);
    let bytes = parallel::map(files.iter().collect(), read);
    let mut texts = Vec::new();
    for (file, bytes) in files.into_iter().zip(bytes) {
        let text = match bytes {
            Ok(bytes) => texts_of(&file, bytes, &layers[file.layer], notes),
            Err(error) => {
                let layer = layers[file.layer].label();
                notes.diagnostics.push(unreadable(&file, &error.problem).in_layer(layer));
                notes.log.push(format!("skipped {}: it {}", file.shown, error.problem));
                None
            }
        };
        match text {
            Some(text) => texts.push((file, text)),
            None => left_out.push(file),
        }
    }
    let parsed = parallel::map(texts, |(file, (source, text))| {
        let parsed = parse(source, text, Format::Csv, Limits::default());
        let module = file.standing.module.clone().unwrap_or_default();
        let (manifest, found) = read_manifest(parsed, file.kind, &module);
        (file, manifest, found)
    });
    let mut good = Vec::new();
    for (file, manifest, found) in parsed {
        let layer = layers[file.layer].label();
        notes.diagnostics.extend(found.into_iter().map(|one| one.in_layer(layer.as_str())));
        match manifest {
            Some(manifest) => good.push((file, manifest)),
            None => {
                notes.log.push(format!("skipped {}: it is malformed", file.shown));
                left_out.push(file);
            }
        }
    }
    good
}

/// Reads a file that is inside of a folder, by way of whatever links.
pub(super) fn read_inside(folder: &Path, place: &str) -> Result<Vec<u8>, store::StoreError> {
    let (root, file) = (store::real_path(folder), store::real_path(&folder.join(place)));
    let inner = file.strip_prefix(&root).ok().and_then(Path::to_str);
    // Read by its own name, so that a link that names the whole way is followed like any other.
    let (folder, place) = inner.map_or((folder, place), |inner| (root.as_path(), inner));
    store::read_below(folder, place, limit()).map(|(bytes, _)| bytes)
}

/// The text of a manifest, known to the notes; nothing if it is none.
fn texts_of(
    file: &ManifestFile,
    bytes: Vec<u8>,
    layer: &CatalogLayer,
    notes: &mut Notes,
) -> Option<(SourceId, agpm_diag::Text)> {
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text = Text::from(text);
            Some((notes.sources.add(file.shown.clone(), text.clone()), text))
        }
        Err(error) => {
            let bytes = error.into_bytes();
            let source = notes.sources.add(file.shown.clone(), String::from_utf8_lossy(&bytes).into_owned());
            let cause = decode(source, bytes).err()?;
            notes.diagnostics.push(left_out(cause).in_layer(layer.label()));
            notes.log.push(format!("skipped {}: it is not UTF-8", file.shown));
            None
        }
    }
}

fn unreadable(file: &ManifestFile, problem: &Problem) -> Diagnostic {
    let cause = Diagnostic::new(&codes::IO_UNREADABLE, format!("it {problem}"));
    let help = match problem {
        Problem::Escapes => "links that lead out of their folder are not followed",
        Problem::NotFound => "it is a link that leads nowhere; mend it, or take it away",
        _ => "check what it is, and its permissions",
    };
    left_out(cause.in_file(file.shown.as_str()).help(help))
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

    /// Its layers, highest first.
    pub fn layers(&self) -> &[CatalogLayer] {
        &self.layers
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
