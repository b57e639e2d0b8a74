//! `bottle`: lists, shows and checks sandbox definitions. It never writes.

use std::path::{Path, PathBuf};

use agpm_bottle::{BottleList, BottleValue, BottleView, Manifest, ManifestError, UnitKind};
use agpm_diag::{Diagnostic, Failure, Notes, Outcome, codes};
use agpm_store as store;
use agpm_text::decode;
use serde::Serialize;

use crate::project::reading::{display_path, limit};
use crate::project::world::{Environment, World};

/// Where bottles and bottle agents are read from.
#[derive(Clone, Debug, Default)]
pub struct BottleInput {
    /// A JSON file to read instead of the Markdown files in home and the working directory.
    pub json_file: Option<PathBuf>,
}

/// The result of a check; its findings are the diagnostics.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BottleCheck {
    /// The number of bottles.
    pub bottles: usize,
    /// The number of bottle agents.
    pub agents: usize,
}

/// Lists bottles and bottle agents.
pub fn bottle_list(world: &World, input: &BottleInput) -> Outcome<BottleList> {
    let mut notes = Notes::default();
    let result = load(&world.environment, input, &mut notes).map(|manifest| manifest.list());
    notes.outcome(result)
}

/// Shows one bottle or one bottle agent.
pub fn bottle_show(
    world: &World,
    input: &BottleInput,
    name: &str,
    view: BottleView,
) -> Outcome<BottleValue> {
    let mut notes = Notes::default();
    let result = show(world, input, name, view, &mut notes);
    notes.outcome(result)
}

pub(crate) fn show(
    world: &World,
    input: &BottleInput,
    name: &str,
    view: BottleView,
    notes: &mut Notes,
) -> Result<BottleValue, Failure> {
    load(&world.environment, input, notes)?.view(name, view)
}

/// Checks all bottles and bottle agents. Errors in them are findings, not a failure of the command.
pub fn bottle_check(world: &World, input: &BottleInput) -> Outcome<BottleCheck> {
    let mut notes = Notes::default();
    let result = read(&world.environment, input, &mut notes).map(|read| match read {
        Ok(manifest) => {
            let count = |kind| manifest.count(kind);
            let checked = BottleCheck {
                bottles: count(UnitKind::Bottle),
                agents: count(UnitKind::Agent),
            };
            take_notes(&manifest, &mut notes);
            checked
        }
        Err(error) => {
            let checked = BottleCheck {
                bottles: error.bottles,
                agents: error.agents,
            };
            take_mistakes(error, &mut notes);
            checked
        }
    });
    notes.outcome(result)
}

/// Reads all bottles and bottle agents; any error in any file is a failure.
pub(crate) fn load(
    environment: &Environment,
    input: &BottleInput,
    notes: &mut Notes,
) -> Result<Manifest, Failure> {
    match read(environment, input, notes)? {
        Ok(manifest) => {
            take_notes(&manifest, notes);
            Ok(manifest)
        }
        Err(error) => {
            take_mistakes(error, notes);
            Err(notes.check().err().unwrap_or_else(Failure::reported))
        }
    }
}

fn take_notes(manifest: &Manifest, notes: &mut Notes) {
    notes.sources = manifest.sources().clone();
    notes.diagnostics.extend(manifest.notes().iter().cloned());
}

fn take_mistakes(error: ManifestError, notes: &mut Notes) {
    notes.sources = error.sources;
    notes.diagnostics.extend(error.diagnostics);
}

fn read(
    environment: &Environment,
    input: &BottleInput,
    notes: &mut Notes,
) -> Result<Result<Manifest, ManifestError>, Failure> {
    match &input.json_file {
        Some(file) => read_json(environment, file, notes),
        None => {
            let home = environment.home.as_ref().ok_or_else(no_home)?;
            Ok(Manifest::from_md_dirs(home, &environment.working_directory))
        }
    }
}

fn read_json(
    environment: &Environment,
    file: &Path,
    notes: &mut Notes,
) -> Result<Result<Manifest, ManifestError>, Failure> {
    let path = environment.resolve(file);
    let bytes = store::read(&path, limit())
        .map_err(|error| Failure::from(error.seen_from(&environment.working_directory)))?;
    let name = display_path(environment, &path);
    let source = notes
        .sources
        .add(name.as_str(), String::from_utf8_lossy(&bytes).into_owned());
    let text = decode(source, bytes)?;
    Ok(Manifest::from_json_obj(&name, &text))
}

fn no_home() -> Failure {
    let message = "it is not known where your home is, and with it your bottles";
    let help = "set `HOME` to your home, or name a file with `--json-file`";
    Diagnostic::new(&codes::IO_NOT_FOUND, message)
        .help(help)
        .into()
}
