//! `agpm demo`: creates a small project with a git source, layers, a persona, bottles and a catalog.

use agpm_diag::{Failure, Notes, Outcome, TypedCommand, WarningPolicy};
use std::path::PathBuf;

use agpm_merge::FileBytes;
use agpm_model::{RelativePath, SourceName};
use agpm_persona::PersonaKind;
use agpm_resolve::UpdateScope;
use agpm_store::{self as store, ConfinedDirectory, StoreError};
use agpm_text::Value;
use serde::Serialize;

use agpm_bottle::BottleView;

use crate::bottle::{self, BottleInput};
use crate::catalog::{self, CatalogReport, CatalogRequest, ShadowedRows};
use crate::explain;
use crate::install::{self, InstallJob, InstallReport, InstallRequest};
use agpm_persona::ProfileKinds;

use crate::lineage::{self, LineageScope, ProfileRequest, SubmoduleScope};
use crate::merge::{self, MergeInputs, MergeRequest};
use agpm_merge::Provenance;
use agpm_project::packages::git;
use agpm_project::reading::display_path;
use agpm_project::source_failure::source_failure;
use agpm_project::world::{Environment, World};

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
}

/// The result of an example command.
#[derive(Debug)]
pub enum DemoResult {
    /// A merged file.
    Merged(FileBytes),
    /// The provenance of values.
    Explained(Provenance),
    /// The report of an install.
    Installed(InstallReport),
    /// A merged persona.
    Persona(Value),
    /// A bottle agent with its bottle, secrets masked.
    Bottle(Value),
    /// The rows of a catalog.
    Catalog(Box<CatalogReport>),
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
const LAYERS: [&str; 3] = ["org", "team", "personal"];

/// The name of the persona, which is also the name of a bottle agent.
const REVIEWER: &str = "reviewer";
const SERVICE: &str = "service";
const SANDBOXES: &str = "sandboxes.json";

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
        progress: world.progress.clone(),
        confirm: None,
        // The user's configuration and cache are not used, so the demonstration gives the same result everywhere.
        environment: Environment {
            working_directory: directory.clone(),
            manifest: None,
            config: None,
            config_directory: None,
            cache: Some(directory.join(".agpm/cache")),
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
        open.create_new(&path, text.as_bytes()).map_err(seen)?;
    }
    Ok(DemoReport {
        directory: display_path(&world.environment, &directory),
        files: FILES.iter().map(|(path, _)| *path).collect(),
        shows: vec![
            show_install(&inside, notes)?,
            show_merge(&inside, notes)?,
            show_explain(&inside, notes)?,
            show_persona(&inside, notes)?,
            show_bottle(&inside, notes)?,
            show_catalog(&inside, notes)?,
        ],
    })
}

fn show_install(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let request = InstallRequest::PLAIN;
    let job = InstallJob {
        title: "install".to_owned(),
        request,
        moving: UpdateScope::Nothing,
        manifest: None,
    };
    let report = install::run(world, &job, notes)?;
    Ok(DemoShow {
        command: "agpm install".to_owned(),
        result: DemoResult::Installed(report),
    })
}

fn show_merge(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let files: Vec<String> = LAYERS
        .iter()
        .map(|layer| format!("{layer}/{SHARED}"))
        .collect();
    let command = format!("agpm merge {}", files.join(" "));
    let inputs = MergeInputs::of_files(files.iter().map(PathBuf::from).collect());
    let merged = merge::run(
        world,
        &MergeRequest {
            inputs,
            format: None,
            explain: false,
        },
        notes,
    )?;
    Ok(DemoShow {
        command,
        result: DemoResult::Merged(merged.output),
    })
}

fn show_explain(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let pointer = PLACE.parse().expect("a good pointer");
    let inputs = MergeInputs::of_files(Vec::new());
    let provenance = explain::explain_file(world, SHARED, &pointer, &inputs, notes)?;
    let command = format!("agpm explain file:{SHARED} {PLACE}");
    Ok(DemoShow {
        command,
        result: DemoResult::Explained(provenance),
    })
}

fn show_persona(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let request = ProfileRequest {
        slug: REVIEWER.to_owned(),
        kinds: ProfileKinds::One(PersonaKind::Agent),
        scope: LineageScope {
            path: Some(PathBuf::from(SERVICE)),
            ceiling: Some(PathBuf::from(".")),
            submodules: SubmoduleScope::Own,
        },
        additions: Vec::new(),
        warnings: WarningPolicy::Report,
    };
    let report = lineage::merge_profile(world, &request, notes)?;
    let command = format!("agpm profile {REVIEWER} --path {SERVICE} --ceiling . --format md");
    Ok(DemoShow {
        command,
        result: DemoResult::Persona(report.value),
    })
}

fn show_bottle(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let input = BottleInput {
        json_file: Some(PathBuf::from(SANDBOXES)),
    };
    let shown = bottle::show(world, &input, REVIEWER, BottleView::Agent, notes)?;
    let command = format!("agpm bottle agent {REVIEWER} --json-file {SANDBOXES}");
    Ok(DemoShow {
        command,
        result: DemoResult::Bottle(shown.masked()),
    })
}

fn show_catalog(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let request = CatalogRequest {
        shadowed: ShadowedRows::Listed,
        ..CatalogRequest::default()
    };
    let report = catalog::list(world, &request, notes)?;
    Ok(DemoShow {
        command: "agpm catalog --all".to_owned(),
        result: DemoResult::Catalog(Box::new(report)),
    })
}
