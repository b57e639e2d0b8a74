//! `agpm demo`: a small project of three layers, to look at and to play with.

use std::path::PathBuf;

use agpm_merge::Rendered;
use agpm_model::RelativePath;
use agpm_store::{self as store, Folder, StoreError};

use crate::explain;
use crate::failure::{Failure, Notes, Outcome};
use crate::gather::shown;
use crate::merge::{self, MergeInputs, MergeRequest};
use crate::provenance::Provenance;
use crate::world::{Environment, World};

/// Where to put the project.
#[derive(Clone, Debug)]
pub struct DemoRequest {
    /// A folder that is empty or not there; a new temporary one if none is named.
    pub folder: Option<PathBuf>,
}

/// The project that was made, and what can be seen in it.
#[derive(Debug)]
pub struct DemoReport {
    /// Where it is, as users see it.
    pub folder: String,
    /// Its files, by their path in it.
    pub files: Vec<&'static str>,
    /// Commands with what they print there.
    pub shows: Vec<DemoShow>,
}

/// A command and its result.
#[derive(Debug)]
pub struct DemoShow {
    /// As typed.
    pub command: String,
    /// What comes out.
    pub result: DemoResult,
}

/// What a command of the demonstration gives.
#[derive(Debug)]
pub enum DemoResult {
    /// A merged file.
    Merged(Rendered),
    /// Where values came from.
    Explained(Provenance),
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
];

/// The file that all layers have, and a place in it that all of them add to.
const SHARED: &str = ".claude/settings.json";
const PLACE: &str = "/permissions/allow";
const LAYERS: [&str; 3] = ["org", "team", "personal"];

/// Makes the demonstration project.
pub fn demo(world: &World, request: &DemoRequest) -> Outcome<DemoReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &DemoRequest, notes: &mut Notes) -> Result<DemoReport, Failure> {
    let folder = match &request.folder {
        Some(folder) => world.environment.resolve(folder),
        None => store::temporary_folder("agpm-demo-")?,
    };
    let seen = |error: StoreError| error.seen_from(&world.environment.folder);
    let open = Folder::create(&folder).map_err(seen)?;
    for (path, text) in FILES {
        let path = RelativePath::new(path).expect("embedded paths are good");
        open.create_new(&path, text.as_bytes()).map_err(seen)?;
    }
    let inside = World {
        progress: world.progress.clone(),
        environment: Environment { folder: folder.clone(), manifest: None, ..world.environment.clone() },
    };
    Ok(DemoReport {
        folder: shown(&world.environment, &folder),
        files: FILES.iter().map(|(path, _)| *path).collect(),
        shows: vec![show_merge(&inside, notes)?, show_explain(&inside, notes)?],
    })
}

fn show_merge(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let files: Vec<String> = LAYERS.iter().map(|layer| format!("{layer}/{SHARED}")).collect();
    let command = format!("agpm merge {}", files.join(" "));
    let inputs = MergeInputs::of_files(files.iter().map(PathBuf::from).collect());
    let merged = merge::run(world, &MergeRequest { inputs, format: None, explain: false }, notes)?;
    Ok(DemoShow { command, result: DemoResult::Merged(merged.output) })
}

fn show_explain(world: &World, notes: &mut Notes) -> Result<DemoShow, Failure> {
    let pointer = PLACE.parse().expect("a good pointer");
    let inputs = MergeInputs::of_files(Vec::new());
    let provenance = explain::explain_file(world, SHARED, &pointer, &inputs, notes)?;
    let command = format!("agpm explain file:{SHARED} {PLACE}");
    Ok(DemoShow { command, result: DemoResult::Explained(provenance) })
}
