//! `agpm demo`: a small project of three layers, to look at and to play with.

use std::path::PathBuf;

use agpm_model::RelativePath;
use agpm_store::{self as store, Folder, StoreError};

use crate::failure::{Failure, Notes, Outcome};
use crate::gather::shown;
use crate::world::World;

/// Where to put the project.
#[derive(Clone, Debug)]
pub struct DemoRequest {
    /// A folder that is empty or not there; a new temporary one if none is named.
    pub folder: Option<PathBuf>,
}

/// The project that was made.
#[derive(Debug)]
pub struct DemoReport {
    /// Where it is.
    pub folder: PathBuf,
    /// Where it is, as users see it.
    pub shown: String,
    /// Its files, by their path in it.
    pub files: Vec<&'static str>,
    /// The file that all layers have.
    pub shared: &'static str,
    /// The layers' own copies of it, lowest first.
    pub layers: [&'static str; 3],
    /// A place in it worth explaining.
    pub pointer: &'static str,
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

/// Makes the demonstration project.
pub fn demo(world: &World, request: &DemoRequest) -> Outcome<DemoReport> {
    let notes = Notes::default();
    let result = run(world, request);
    notes.outcome(result)
}

fn run(world: &World, request: &DemoRequest) -> Result<DemoReport, Failure> {
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
    Ok(DemoReport {
        shown: shown(&world.environment, &folder),
        folder,
        files: FILES.iter().map(|(path, _)| *path).collect(),
        shared: ".claude/settings.json",
        layers: ["org/.claude/settings.json", "team/.claude/settings.json", "personal/.claude/settings.json"],
        pointer: "/permissions/allow",
    })
}
