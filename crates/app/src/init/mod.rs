//! `init`: creates a manifest and the lines of `.gitignore`, after detecting existing files of tools.

mod adoption;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_adopt::{
    ChosenTools, NewEntries, ProjectSurvey, STARTER_MANIFEST, UnknownTool, adoption_choices,
    detect_tools, starter_manifest, survey,
};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes};
use agpm_model::FileMode;
use agpm_store::{Disk, ExpectedFile, FileChange, LockWait, ProjectStore, Transaction};
use agpm_text::{Document, Format, parse_alone};

use crate::gitignore::{IGNORE_NAME, IgnoreEdit};
use crate::import::named_entries;
use crate::init::adoption::EntryChooser;
use crate::install::FileChanges;
use crate::manifest::Replace;
use crate::manifest::uneditable;
use crate::manifest::unknown_tool;
use crate::manifest::usage;

use crate::manifest::MANIFEST_NAME;
use crate::project::ledger::read_ledger;
use crate::project::packages::read_lock;
use crate::project::path_of;
use crate::project::reading::{display_path, limit};
use crate::project::scope::{ManifestLocation, beside, state_of};
use crate::project::world::{InstallScope, World};
use agpm_adopt::{Adoption, AdoptionAnswer, InitReport, ManifestWrite};
use agpm_text::document_of;

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
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &InitRequest<'_>, notes: &mut Notes) -> Result<InitReport, Failure> {
    match world.environment.scope {
        InstallScope::Project => run_in_project(world, request, notes),
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

fn run_in_project(
    world: &World,
    request: &InitRequest<'_>,
    notes: &mut Notes,
) -> Result<InitReport, Failure> {
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
    let path = directory.join(MANIFEST_NAME);
    let way = match (agpm_store::is_file(&path), request.replace) {
        (false, _) => ManifestWrite::Created,
        (true, Replace::Allowed) => ManifestWrite::Replaced,
        (true, Replace::Refused) if matches!(request.adoption, Adoption::Describe) => {
            ManifestWrite::Extended
        }
        (true, Replace::Refused) => return Err(existing(world, &path)),
    };
    let lock = store.lock(LockWait::Block(&|| world.progress.waiting()))?;
    store.recover(&lock)?;
    let known = match way {
        ManifestWrite::Extended => Some(KnownProject::read(world, &store, notes)?),
        ManifestWrite::Created | ManifestWrite::Replaced => None,
    };
    let (mut report, manifest) = look_around(world, &directory, request, known.as_ref())?;
    report.manifest = way;
    let is_changed = known.is_none_or(|known| known.text() != manifest);
    let manifest = is_changed.then(|| write(MANIFEST_NAME, manifest.into_bytes()));
    let mut changes: Vec<FileChange<'_>> = manifest.into_iter().collect();
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

/// A manifest that gets more entries, and the files that agpm manages already.
struct KnownProject {
    document: Arc<Document>,
    managed: BTreeSet<String>,
}

impl KnownProject {
    fn read(world: &World, store: &ProjectStore, notes: &mut Notes) -> Result<Self, Failure> {
        let bytes = store.read(&path_of(MANIFEST_NAME), limit())?;
        let name = display_path(&world.environment, &store.path().join(MANIFEST_NAME));
        let document = document_of(name, bytes, Format::Toml, notes)?;
        notes.check()?;
        // The nearest manifest is the one of this directory, wherever the command was started.
        let mut environment = world.environment.clone();
        environment.manifest = Some(store.path().join(MANIFEST_NAME));
        let lock = read_lock(&environment, store, &mut Notes::default())?;
        let ledger = read_ledger(store)?;
        let files = ledger.files.keys().map(ToString::to_string);
        let locked = lock.iter().flat_map(|(lock, _)| &lock.entries);
        let locked = locked.flat_map(|entry| entry.paths());
        Ok(KnownProject {
            document,
            managed: files.chain(locked.map(ToString::to_string)).collect(),
        })
    }

    fn text(&self) -> &str {
        self.document.text()
    }

    /// Whether agpm installed a file, or a directory with it.
    fn manages(&self, path: &str) -> bool {
        let directory = format!("{path}/");
        self.managed
            .iter()
            .any(|managed| managed == path || managed.starts_with(&directory))
    }
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
    known: Option<&KnownProject>,
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
    let (mut found, detected) = detected_tools(world, directory);
    if let Some(known) = known {
        found.resources.retain(|one| !known.manages(&one.path));
    }
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
    let (entries, mut adopted): (Vec<_>, Vec<_>) = chosen.unzip();
    // Tools of the project would change the dependencies that an existing manifest has.
    let text = known.map_or_else(
        || starter_manifest(&tooling),
        |known| known.text().to_owned(),
    );
    let document = parse_alone(text.clone(), Format::Toml).document;
    let new = NewEntries::for_manifest(&document, &entries, &[]);
    let manifest = new
        .written_into(&text)
        .map_err(|error| uneditable(&error))?;
    adopted.retain(|one| new.entries.iter().any(|entry| entry.id == one.id));
    let report = InitReport {
        tooling: match known {
            Some(_) => ChosenTools::default(),
            None => tooling,
        },
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
    Err(existing(world, manifest))
}

fn existing(world: &World, manifest: &Path) -> Failure {
    let name = display_path(&world.environment, manifest);
    let diagnostic = Diagnostic::new(&codes::IO_EXISTS, format!("`{name}` already exists"))
        .in_file(name)
        .help(
            "run `agpm init --adopt` to add what is in the project, or `agpm init --force` to start again",
        );
    Failure::new(FailureKind::Refused, diagnostic)
}

fn write(path: &'static str, bytes: Vec<u8>) -> FileChange<'static> {
    FileChange::Write {
        path: path_of(path),
        bytes: bytes.into(),
        mode: FileMode::Plain,
        before: ExpectedFile::Anything,
    }
}
