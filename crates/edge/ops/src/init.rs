//! `init`: creates a manifest and the lines of `.gitignore`, after detecting existing files of tools.

use std::path::{Path, PathBuf};

use agpm_adopt::{
    ChosenTools, NewEntries, ProjectSurvey, STARTER_MANIFEST, UnknownTool, adoption_choices,
    detect_tools, starter_manifest, survey,
};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes};
use agpm_model::FileMode;
use agpm_store::{Disk, ExpectedFile, FileChange, LockWait, ProjectStore, Transaction};
use agpm_text::{Format, parse_alone};

use crate::additions::{Replace, usage};
use crate::ignored::{IGNORE_NAME, IgnoreEdit};
use crate::import::named_entries;
use crate::install::FileChanges;
use crate::manifest_text::uneditable;
use agpm_manifest::unknown_tool;
use agpm_project::adoption::EntryChooser;

pub use agpm_adopt::{Adoption, AdoptionAnswer, InitReport};
use agpm_project::path_of;
use agpm_project::reading::{MANIFEST_NAME, display_path};
use agpm_project::scope::{ManifestLocation, beside, state_of};
use agpm_project::world::{InstallScope, World};

/// The arguments of `init`.
pub struct InitRequest<'a> {
    /// The project directory; `None` is the working directory.
    pub directory: Option<PathBuf>,
    /// The tools that the project is for; those that are detected if it is empty.
    pub tools: Vec<String>,
    /// Whether an existing manifest is replaced.
    pub replace: Replace,
    /// How existing files of tools are treated.
    pub adoption: Adoption<'a>,
}

/// Creates the manifest of a project or of the user.
pub fn init(world: &World, request: &InitRequest<'_>) -> Outcome<InitReport> {
    Notes::default().outcome(run(world, request))
}

fn run(world: &World, request: &InitRequest<'_>) -> Result<InitReport, Failure> {
    match world.environment.scope {
        InstallScope::Project => run_in_project(world, request),
        InstallScope::User => run_for_user(world, request.replace),
    }
}

/// Creates the user manifest. It gets no `.gitignore`: the user decides whether the configuration directory is
/// committed.
fn run_for_user(world: &World, replace: Replace) -> Result<InitReport, Failure> {
    let ManifestLocation { manifest, root } = ManifestLocation::of_user(&world.environment)?;
    refuse_existing(world, &manifest, replace)?;
    agpm_store::create_directories(manifest.parent().unwrap_or(&root))?;
    let store = ProjectStore::open_at(&root, state_of(InstallScope::User))?;
    let lock = store.lock(LockWait::Block(&|| world.progress.waiting()))?;
    store.recover(&lock)?;
    let mut changes = FileChanges::default();
    changes.put(
        beside(&root, &manifest),
        STARTER_MANIFEST.as_bytes().into(),
        ExpectedFile::Anything,
    );
    changes.apply(&store, &lock, "init".to_owned(), &|_| {})?;
    Ok(InitReport {
        files: vec![display_path(&world.environment, &manifest)],
        ..InitReport::default()
    })
}

fn run_in_project(world: &World, request: &InitRequest<'_>) -> Result<InitReport, Failure> {
    let environment = &world.environment;
    let directory = request
        .directory
        .as_ref()
        .map_or(environment.working_directory.clone(), |path| {
            environment.resolve(path)
        });
    agpm_store::create_directories(&directory)
        .map_err(|error| error.seen_from(&environment.working_directory))?;
    let store = ProjectStore::open(&directory)?;
    // An interrupted run may have created a manifest that recovery removes again, so recovery precedes the check for
    // one.
    if store.needs_recovery() {
        let lock = store.lock(LockWait::Block(&|| world.progress.waiting()))?;
        store.recover(&lock)?;
    }
    refuse_existing(world, &directory.join(MANIFEST_NAME), request.replace)?;
    let lock = store.lock(LockWait::Block(&|| world.progress.waiting()))?;
    store.recover(&lock)?;
    let (mut report, manifest) = look_around(world, &directory, request)?;
    let mut changes = vec![write(MANIFEST_NAME, manifest.into_bytes())];
    changes.extend(IgnoreEdit::of(&store)?.map(|edit| write(IGNORE_NAME, edit.bytes)));
    let files = changes.iter().map(|change| match change {
        FileChange::Write { path, .. } | FileChange::Remove { path, .. } => {
            display_path(environment, &directory.join(path.as_str()))
        }
    });
    report.files = files.collect();
    store.apply(
        &lock,
        &Transaction {
            title: "init".to_owned(),
            changes,
        },
        &|_| {},
    )?;
    Ok(report)
}

/// Finds the files of tools in a project, and the tools that it is for.
pub(crate) fn detected_tools(world: &World, directory: &Path) -> (ProjectSurvey, ChosenTools) {
    let found = survey(&Disk, directory);
    let home = world.environment.home.as_deref();
    let detected = detect_tools(&Disk, directory, home, &found);
    (found, detected)
}

/// The tools that the command names, if it names any.
fn named_tools(names: &[String]) -> Result<Option<ChosenTools>, Failure> {
    if names.is_empty() {
        return Ok(None);
    }
    let chosen = ChosenTools::named(names);
    let unknown = |unknown: UnknownTool| unknown_tool(&unknown.name, unknown.known);
    chosen.map(Some).map_err(unknown)
}

/// Detects existing files, and returns the manifest for them.
fn look_around(
    world: &World,
    directory: &Path,
    request: &InitRequest<'_>,
) -> Result<(InitReport, String), Failure> {
    let named = named_tools(&request.tools)?;
    let adoption = &request.adoption;
    if matches!(adoption, Adoption::Bare) {
        let tooling = named.unwrap_or_default();
        let manifest = starter_manifest(&tooling);
        let report = InitReport {
            tooling,
            ..InitReport::default()
        };
        return Ok((report, manifest));
    }
    let (found, detected) = detected_tools(world, directory);
    let tooling = named.unwrap_or(detected);
    let is_adopted = match adoption {
        Adoption::Describe => true,
        Adoption::Ask(_) if found.resources.is_empty() => false,
        Adoption::Ask(ask) => match ask(&found) {
            AdoptionAnswer::Yes => true,
            AdoptionAnswer::No => false,
            AdoptionAnswer::Cancel => return Err(cancelled()),
        },
        Adoption::Bare | Adoption::Report => false,
    };
    let choices = if is_adopted {
        let named = named_entries(&world.environment, directory, &found);
        adoption_choices(&Disk, directory, &found, &named)
    } else {
        Vec::new()
    };
    let mut chooser = EntryChooser::new(world, directory);
    let chosen = choices.iter().map(|choice| chooser.choose(choice));
    let (entries, adopted): (Vec<_>, Vec<_>) = chosen.unzip();
    let starter = starter_manifest(&tooling);
    let document = parse_alone(starter.clone(), Format::Toml).document;
    let new = NewEntries::for_manifest(&document, &entries, &[]);
    let manifest = new
        .written_into(&starter)
        .map_err(|error| uneditable(&error))?;
    let report = InitReport {
        tooling,
        found: Some(found),
        adopted: is_adopted.then_some(adopted),
        ..InitReport::default()
    };
    Ok((report, manifest))
}

fn cancelled() -> Failure {
    let help = "run `agpm init --adopt` or `agpm init --yes`, which do not ask".to_owned();
    usage("Cancelled; nothing was written".to_owned(), help)
}

fn refuse_existing(world: &World, manifest: &Path, replace: Replace) -> Result<(), Failure> {
    if replace == Replace::Allowed || !agpm_store::is_file(manifest) {
        return Ok(());
    }
    let name = display_path(&world.environment, manifest);
    let diagnostic = Diagnostic::new(&codes::IO_EXISTS, format!("`{name}` already exists"))
        .in_file(name)
        .help("edit it, or run `agpm init --force` to start again");
    Err(Failure::new(FailureKind::Refused, diagnostic))
}

fn write(path: &'static str, bytes: Vec<u8>) -> FileChange<'static> {
    FileChange::Write {
        path: path_of(path),
        bytes: bytes.into(),
        mode: FileMode::Plain,
        before: ExpectedFile::Anything,
    }
}
