//! `agpm demo`: creates a small project with a git source, layers, a persona, bottles and a catalog.

use std::path::{Path, PathBuf};

use crate::ci::CiReport;
use agpm_diag::{Diagnostic, Failure, Notes, Outcome, SourceMap, TypedCommand};
use agpm_merge::Provenance;
use agpm_model::{LOCK_NAME, RelativePath, SourceName};
use agpm_store::{self as store, ConfinedDirectory, StoreError};
use serde::Serialize;

use crate::ci::{Restore, ci};
use crate::diff::{DiffContent, DiffReport, DiffRequest, DiffTarget, diff};
use crate::explain;
use crate::install;
use crate::install::{InstallReport, InstallRequest};
use crate::manifest::MANIFEST_NAME;
use crate::project::merge_inputs::MergeInputs;
use crate::project::packages::git;
use crate::project::reading::{display_path, limit};
use crate::project::source_failure::source_failure;
use crate::project::world::{Environment, World};
use crate::undo::{UndoAction, UndoReport, UndoRequest, undo};
use crate::update::{UpdateReport, UpdateRequest, UpdateTarget, update};
use agpm_plan::OverwriteRule;

/// The arguments of `demo`.
#[derive(Clone, Debug)]
pub struct DemoRequest {
    /// An empty or new directory; `None` creates a temporary one.
    pub directory: Option<PathBuf>,
}

/// The created project, with example commands and their results.
#[derive(Debug, Serialize)]
pub struct DemoReport {
    /// The path of the project as shown to the user.
    #[serde(flatten, serialize_with = "agpm_model::serialize_folder")]
    pub directory: String,
    /// The paths of the files, relative to the project.
    pub files: Vec<&'static str>,
    /// Example commands with their results.
    #[serde(skip)]
    pub shows: Vec<DemoShow>,
}

/// An example command with its result.
#[derive(Debug)]
pub struct DemoShow {
    /// The command line.
    pub command: String,
    /// The result of the command.
    pub result: DemoResult,
    /// The findings of the command.
    pub findings: Vec<Diagnostic>,
    /// The strings that the findings point into.
    pub sources: SourceMap,
}

/// The result of an example command.
#[derive(Debug)]
pub enum DemoResult {
    /// The provenance of values.
    Explained(Provenance),
    /// The report of an install or an update.
    Installed(InstallReport),
    /// The differences of an update.
    Compared(DiffReport),
    /// The checks of a pipeline.
    Checked(CiReport),
    /// The transaction that was undone.
    Undone(UndoReport),
    /// The command was refused.
    Refused,
}

macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../demo/", $path)))),*]
    };
}

const FILES: &[(&str, &str)] = embedded![
    "agpm.toml",
    "org/.claude/settings.json",
    "team/.claude/settings.json",
    "personal/.claude/settings.json",
    "org/CLAUDE.md",
    "team/CLAUDE.md",
    ".clia/agents/reviewer/reviewer@demo.agent.triad.json",
    "service/.clia/agents/reviewer/reviewer@service.agent.triad.json",
    "sandboxes.json",
    "bmad/_cfg/agent-manifest.csv",
    "bmad/core/agents/reviewer.md",
];

/// The git repository of the demonstration, and the `git fast-import` stream that it is created from.
const LIBRARY: &str = "library.git";
const LIBRARY_STREAM: &str = include_str!("../demo/library.import");

/// The file that all layers have, and a pointer in it to which each of them adds values.
const SHARED: &str = ".claude/settings.json";
const PLACE: &str = "/permissions/allow";

/// The requirement of the agent, and the older version that the demonstration starts with.
const REQUIREMENT: &str = "agents/reviewer.md\", version = \"^1.0\"";
const FIRST_VERSION: &str = "agents/reviewer.md\", version = \"v1.0.0\"";

/// The agent with a new hook in its next version, and its file.
const AGENT: &str = "agents/reviewer";
const AGENT_FILE: &str = ".claude/agents/reviewer.md";

/// Creates the demonstration project.
pub fn demo(world: &World, request: &DemoRequest) -> Outcome<DemoReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &DemoRequest, notes: &mut Notes) -> Result<DemoReport, Failure> {
    let directory = match &request.directory {
        Some(directory) => world.environment.resolve(directory),
        None => store::temporary_directory("agpm-demo-")?,
    };
    let seen = |error: StoreError| error.seen_from(&world.environment.working_directory);
    let open = ConfinedDirectory::create(&directory).map_err(seen)?;
    let inside = World {
        sources: world.sources.clone(),
        clock: world.clock,
        elapsed: world.elapsed,
        progress: world.progress.clone(),
        confirm: None,
        // The user's configuration, cache and state are not used, so the demonstration gives the same result everywhere
        // and leaves nothing at home.
        environment: Environment {
            working_directory: directory.clone(),
            manifest: None,
            config: None,
            config_directory: None,
            cache: Some(directory.join(".agpm/cache")),
            state: None,
            typed: TypedCommand::default(),
            ..world.environment.clone()
        },
    };
    let library = SourceName::new("library").expect("a good name");
    let created =
        git(&inside.environment).create_repository(&directory.join(LIBRARY), LIBRARY_STREAM);
    created.map_err(|error| source_failure(&library, error.into()))?;
    for (path, text) in FILES {
        let path = RelativePath::new(path).expect("embedded paths are good");
        // The project locked the agent when the library had no newer version.
        let text = text.replace(REQUIREMENT, FIRST_VERSION);
        open.create_new(&path, text.as_bytes()).map_err(seen)?;
    }
    lock_first_version(&inside, &directory)?;
    let (_, manifest) = FILES[0];
    store::write_atomically(&directory.join(MANIFEST_NAME), manifest.as_bytes()).map_err(seen)?;
    let mut shows = vec![show_install(&inside)?];
    shows.push(show_explain(&inside, notes)?);
    let shown_directory = display_path(&world.environment, &directory);
    shows.extend(show_update(&inside, &shown_directory)?);
    shows.push(show_edited_file(&inside, &directory)?);
    shows.push(show_undo(&inside)?);
    Ok(DemoReport {
        directory: shown_directory,
        files: FILES.iter().map(|(path, _)| *path).collect(),
        shows,
    })
}

/// Writes the lockfile as it was before the library had a newer version of the agent, and nothing else.
fn lock_first_version(world: &World, directory: &Path) -> Result<(), Failure> {
    show_install(world)?;
    let lock = directory.join(LOCK_NAME);
    let bytes = store::read(&lock, limit())?;
    show_undo(world)?;
    Ok(store::write_atomically(&lock, &bytes)?)
}

/// A command with its outcome.
fn show<T>(command: &str, outcome: Outcome<T>, result: impl FnOnce(T) -> DemoResult) -> DemoShow {
    DemoShow {
        command: command.to_owned(),
        result: outcome.result.map_or(DemoResult::Refused, result),
        findings: outcome.diagnostics,
        sources: outcome.sources,
    }
}

/// The failure of a step that must succeed.
fn require(shown: DemoShow) -> Result<DemoShow, Failure> {
    match shown.result {
        DemoResult::Refused => Err(shown
            .findings
            .into_iter()
            .next_back()
            .map_or_else(Failure::reported, Failure::from)),
        _ => Ok(shown),
    }
}

fn show_install(world: &World) -> Result<DemoShow, Failure> {
    let installed = install::install(world, &InstallRequest::PLAIN);
    require(show("agpm install", installed, DemoResult::Installed))
}

fn show_explain(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let pointer = PLACE.parse().expect("a good pointer");
    let inputs = MergeInputs::of_files(Vec::new());
    let project = explain::ExplainedProject::new(world);
    let provenance = explain::explain_file(&project, SHARED, &pointer, &inputs, notes)?;
    Ok(DemoShow {
        command: format!("agpm explain {SHARED} {PLACE}"),
        result: DemoResult::Explained(provenance),
        findings: Vec::new(),
        sources: SourceMap::default(),
    })
}

/// An update with a new hook: refused, compared, and approved.
fn show_update(world: &World, directory: &str) -> Result<[DemoShow; 3], Failure> {
    let mut world = world.clone();
    world.environment.typed = TypedCommand {
        verb: vec!["update".to_owned()],
        words: vec![AGENT.to_owned()],
        project: vec!["-C".to_owned(), directory.to_owned()],
        ..TypedCommand::default()
    };
    let request = UpdateRequest {
        names: vec![AGENT.to_owned()],
        target: UpdateTarget::Allowed,
        install: InstallRequest::PLAIN,
    };
    let command = format!("agpm update {AGENT}");
    let updated = |report: UpdateReport| DemoResult::Installed(report.installed);
    let refused = show(&command, update(&world, &request), updated);
    let compared = DiffRequest {
        ids: vec![AGENT.to_owned()],
        target: DiffTarget::Update,
        content: DiffContent::Everything,
    };
    let compared = diff(&world, &compared);
    let compared = show(
        &format!("agpm diff --update {AGENT}"),
        compared,
        DemoResult::Compared,
    );
    world.environment.approvals = vec![AGENT.to_owned()];
    let approved = show(
        &format!("{command} --approve {AGENT}"),
        update(&world, &request),
        updated,
    );
    Ok([refused, require(compared)?, require(approved)?])
}

/// A file that somebody edited fails the checks of a pipeline. The edit is taken back afterwards.
fn show_edited_file(world: &World, directory: &Path) -> Result<DemoShow, Failure> {
    let file = directory.join(AGENT_FILE);
    let bytes = store::read(&file, limit())?;
    let edited = [bytes.as_slice(), b"Push without asking.\n"].concat();
    store::write_atomically(&file, &edited)?;
    let checked = show("agpm ci", ci(world, Restore::Nothing), DemoResult::Checked);
    store::write_atomically(&file, &bytes)?;
    require(checked)
}

fn show_undo(world: &World) -> Result<DemoShow, Failure> {
    let request = UndoRequest {
        action: UndoAction::Apply,
        first: None,
        overwrite: OverwriteRule::Nothing,
    };
    require(show("agpm undo", undo(world, &request), DemoResult::Undone))
}
