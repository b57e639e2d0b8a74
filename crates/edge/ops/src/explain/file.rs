//! A file: what its layers have, what is on the disk, and what agpm manages in it.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, nearest};
use agpm_explain::{
    ManagedFile, edited_layered_file, file_paths, outside_project, require_values,
    trace_to_sources, unknown_file,
};
use agpm_layers::{LayerPinning, LayerSnapshot, contributions};
use agpm_merge::{LayerFile, Provenance, merge_files};
use agpm_model::{LayerName, RelativePath, Strategy};
use agpm_plan::read_block_file;
use agpm_resolve::UpdateScope;
use agpm_store::{self as store, ProjectStore, StoreError, StoreProblem};
use agpm_text::Pointer;

use crate::explain::resource::explain_resource;
use crate::install::{parse_shared, read_ledger};
use crate::merge::{MergeInputs, ReadFiles, choose_strategy, read_files};
use agpm_project::gather::{ManifestFiles, Project, layer_file};
use agpm_project::layers::snapshots;
use agpm_project::packages::{Sources, read_lock};
use agpm_project::permits::permit;
use agpm_project::reading::{limit, shown};
use agpm_project::scope::state_of;
use agpm_project::world::{Environment, InstallScope, ManifestUse, OutsideReads, World};

/// What is known of a file.
struct FileContributions {
    /// The path that decides the strategy.
    path: PathBuf,
    /// Lowest first.
    files: Vec<LayerFile>,
    managed: Option<ManagedFile>,
    /// What is on the disk.
    now: Option<Vec<u8>>,
}

/// The values of a file of the project, or of files that are named.
pub(crate) fn explain_file(
    world: &World,
    file: &str,
    pointer: &Pointer,
    inputs: &MergeInputs,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    if inputs.files.is_empty() && !inputs.layer_names.is_empty() {
        let diagnostic = Diagnostic::new(&codes::USAGE, "`--layer-names` without `--from`");
        let help = "the layers of the manifest have their own names";
        return Err(Failure::new(FailureKind::Usage, diagnostic.help(help)));
    }
    let project = Project::load(world, inputs.manifest, notes)?;
    let mut chosen = inputs.clone();
    let found = if inputs.files.is_empty() {
        let found = of_project(world, &project, file, notes)?;
        chosen.files = vec![found.path.clone()];
        found
    } else {
        FileContributions {
            path: PathBuf::new(),
            files: read_files(&world.environment, inputs, notes)?.parse(notes)?,
            managed: None,
            now: None,
        }
    };
    notes.check()?;
    let strategy = choose_strategy(&world.environment, &project, &chosen)?;
    refuse_program(world, &project, file, &strategy)?;
    found.explain(world, file, &strategy, pointer, notes)
}

/// A merge program does not report where its values come from.
fn refuse_program(
    world: &World,
    project: &Project,
    file: &str,
    strategy: &Strategy,
) -> Result<(), Failure> {
    let Some(driver) = &strategy.driver else {
        return Ok(());
    };
    permit(world, &project.manifest, [driver])?;
    let message = format!(
        "`{file}` is merged by the program of the strategy `{}`",
        strategy.name
    );
    let help =
        "an executable does not report where its values come from; `agpm merge` shows its result";
    Err(Diagnostic::new(&codes::MERGE_DRIVER, message)
        .help(help)
        .into())
}

impl FileContributions {
    fn explain(
        self,
        world: &World,
        file: &str,
        strategy: &Strategy,
        pointer: &Pointer,
        notes: &mut Notes,
    ) -> Result<Provenance, Failure> {
        let managed = self.managed.as_ref();
        let merged = merge_files(self.files, strategy, None);
        if merged.is_none() && managed.is_none() {
            return Err(unknown_file(file, None));
        }
        if let Some(merged) = &merged {
            // A warning about another place would only be in the way of the answer.
            let is_shown =
                |one: &&Diagnostic| *pointer == Pointer::root() || one.severity == Severity::Error;
            let found = merged.diagnostics.iter().filter(is_shown);
            notes.diagnostics.extend(found.cloned());
            notes.check()?;
            let now = self.now.as_deref();
            let edited = now.and_then(|now| edited_layered_file(file, now, merged));
            notes.diagnostics.extend(edited);
        }
        let mut provenance = Provenance::default();
        if let Some(managed) = managed {
            provenance = managed.explain(merged.as_ref(), pointer, &notes.sources);
            trace_to_sources(&mut provenance, |kind, name| {
                let quiet = &mut Notes::default();
                let explained = explain_resource(world, kind, name, &Pointer::root(), quiet);
                Some(explained.ok()?.provenance)
            });
        }
        // What is not on the disk, or not yet, is explained as the layers give it.
        if let Some(merged) = merged.as_ref().filter(|_| provenance.leaves.is_empty()) {
            provenance = Provenance::of(merged, pointer, &notes.sources);
        }
        let values = [
            merged.and_then(|merged| merged.value()),
            managed.and_then(ManagedFile::value),
        ];
        require_values(provenance, file, pointer, &values)
    }
}

/// The owners of the lines of a file with managed blocks; nothing for other files.
pub(super) fn explain_blocks(
    world: &World,
    file: &str,
    notes: &mut Notes,
) -> Result<Option<Provenance>, Failure> {
    let Some(files) = ManifestFiles::find(&world.environment, ManifestUse::Nearest)? else {
        return Ok(None);
    };
    let store = files.store()?;
    let ledger = read_ledger(&store)?;
    let here = &world.environment.folder;
    for path in file_paths(files.root(), here, file).unwrap_or_default() {
        let bytes = store.read(&path, limit()).ok();
        if let Some((owned, bytes)) = ledger.blocks.get(&path).zip(bytes) {
            let document = read_block_file(&path, bytes, notes)?;
            return Ok(Some(agpm_explain::explain_blocks(&path, &document, owned)));
        }
    }
    Ok(None)
}

/// The file in every layer of the project; without layers, the file itself.
fn of_project(
    world: &World,
    project: &Project,
    file: &str,
    notes: &mut Notes,
) -> Result<FileContributions, Failure> {
    match &project.root {
        Some(root) if !project.manifest.layers.is_empty() => {
            of_layers(world, project, root, file, notes)
        }
        root => without_layers(&world.environment, root.as_deref(), file, notes),
    }
}

fn without_layers(
    environment: &Environment,
    root: Option<&Path>,
    file: &str,
    notes: &mut Notes,
) -> Result<FileContributions, Failure> {
    if let Some(root) = root {
        let store = ProjectStore::open_at(root, state_of(environment.scope))?;
        for path in file_paths(root, &environment.folder, file).unwrap_or_default() {
            // What is not managed in it is the user's: no layer has anything.
            if let Some(managed) = managed_file(&store, &path, notes)? {
                return Ok(FileContributions {
                    path: root.join(path.as_str()),
                    files: Vec::new(),
                    managed: Some(managed),
                    now: None,
                });
            }
        }
    }
    let root = root.filter(|_| environment.scope == InstallScope::User);
    let base = root.unwrap_or(&environment.folder);
    let path = base.join(file);
    let name = LayerName::new(file).map_err(|_| unknown_file(file, None))?;
    let is_inside = store::real_path(&path).starts_with(store::real_path(base));
    if environment.outside == OutsideReads::Refused && !is_inside {
        return Err(outside_project(file));
    }
    let bytes = match store::read(&path, limit()) {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => return Err(unknown_file(file, None)),
        other => other.map_err(|error| error.seen_from(&environment.folder))?,
    };
    Ok(FileContributions {
        path: PathBuf::from(file),
        files: vec![layer_file(name, &shown(environment, &path), bytes, notes)],
        managed: None,
        now: None,
    })
}

fn of_layers(
    world: &World,
    project: &Project,
    root: &Path,
    file: &str,
    notes: &mut Notes,
) -> Result<FileContributions, Failure> {
    let environment = &world.environment;
    let paths = file_paths(root, &environment.folder, file)?;
    let store = ProjectStore::open_at(root, state_of(environment.scope))?;
    let lock = read_lock(environment, &store, notes)?.map(|(lock, _)| lock);
    let sources = Sources::open(world, &project.manifest, store.path());
    let pinning = LayerPinning::of(&project.manifest, lock.as_ref(), &UpdateScope::Nothing);
    let snapshots = snapshots(world, &project.manifest, &sources, &pinning, notes)?;
    for path in paths {
        let managed = managed_file(&store, &path, notes)?;
        let has_file = |one: &LayerSnapshot<'_>| one.files.iter().any(|file| file.path == path);
        if managed.is_some() || snapshots.iter().any(has_file) {
            let read = ReadFiles {
                files: contributions(snapshots, &path),
                failure: None,
            };
            return Ok(FileContributions {
                files: read.parse(notes)?,
                now: store.read(&path, limit()).ok(),
                path: root.join(path.as_str()),
                managed,
            });
        }
    }
    let files = snapshots.iter().flat_map(|one| &one.files);
    let near = nearest(file, files.map(|file| file.path.as_str()));
    Err(unknown_file(file, near))
}

/// A file in which the ledger has keys; nothing if it cannot be read.
fn managed_file(
    store: &ProjectStore,
    path: &RelativePath,
    notes: &mut Notes,
) -> Result<Option<ManagedFile>, Failure> {
    let Some(owned) = read_ledger(store)?.shared.remove(path) else {
        return Ok(None);
    };
    let Ok(bytes) = store.read(path, limit()) else {
        return Ok(None);
    };
    let document = parse_shared(path, bytes, notes)?;
    Ok(Some(ManagedFile { document, owned }))
}
