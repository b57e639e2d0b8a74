//! `bottle`: sandbox manifests, listed, shown and checked. Nothing is written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agpm_bottle::{Manifest, ManifestError, UnitKind};
use agpm_diag::{Diagnostic, Failure, Notes, Outcome, codes, did_you_mean, looks_secret};
use agpm_store as store;
use agpm_text::{Value, decode};
use serde::Serialize;

use crate::gather::unknown_name;
use crate::provenance::{MASK, TOLD_SECRET};
use crate::reading::{limit, shown};
use crate::world::{Environment, World};

/// Where bottles and agents are.
#[derive(Clone, Debug, Default)]
pub struct BottleInput {
    /// The JSON object to read instead of the Markdown files of home and the working folder.
    pub json_file: Option<PathBuf>,
}

/// What to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BottleView {
    /// A bottle with what it has from those that it extends.
    Effective,
    /// A bottle as it is written.
    Raw,
    /// An agent with its bottle.
    Agent,
}

/// All bottles and agents.
#[derive(Clone, Debug, Serialize)]
pub struct BottleList {
    /// In the order of their names.
    pub bottles: Vec<BottleRow>,
    /// In the order of their names.
    pub agents: Vec<AgentRow>,
}

/// One bottle.
#[derive(Clone, Debug, Serialize)]
pub struct BottleRow {
    /// Its name.
    pub name: String,
    /// The bottle that it extends.
    pub extends: Option<String>,
    /// The file that it stands in.
    pub file: String,
}

/// One agent.
#[derive(Clone, Debug, Serialize)]
pub struct AgentRow {
    /// Its name.
    pub name: String,
    /// Its bottle.
    pub bottle: String,
    /// Its skills.
    pub skills: Vec<String>,
    /// The file that it stands in.
    pub file: String,
}

/// A bottle or an agent, as programs read it.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct BottleValue {
    /// The value, secrets and all.
    pub value: Value,
    /// The variables that hold secrets, as its routes say.
    #[serde(skip)]
    secret_env: BTreeSet<String>,
}

/// What was checked; the findings are the diagnostics.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BottleCheck {
    /// How many bottles there are.
    pub bottles: usize,
    /// How many agents.
    pub agents: usize,
}

impl BottleValue {
    /// The value as people may see it: what looks like a secret is masked. What an agent is told is no setting, and is
    /// shown.
    pub fn masked(&self) -> Value {
        let Value::Map(entries) = &self.value else {
            return self.value.clone();
        };
        let shown = |(key, value): &(String, Value)| match key.as_str() {
            "prompt" => (key.clone(), value.clone()),
            "env" => (key.clone(), masked_env(value, &self.secret_env)),
            _ => (key.clone(), masked(key, value)),
        };
        Value::Map(entries.iter().map(shown).collect())
    }
}

fn masked_env(env: &Value, secret: &BTreeSet<String>) -> Value {
    let Value::Map(entries) = env else {
        return masked("env", env);
    };
    let shown = |(name, value): &(String, Value)| match secret.contains(name) {
        true => (name.clone(), masked(TOLD_SECRET, value)),
        false => (name.clone(), masked(name, value)),
    };
    Value::Map(entries.iter().map(shown).collect())
}

fn masked(key: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if looks_secret(Some(key), text) => MASK.into(),
        Value::List(items) => Value::List(items.iter().map(|item| masked(key, item)).collect()),
        Value::Map(entries) => Value::Map(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), masked(key, value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Lists bottles and agents.
pub fn bottle_list(world: &World, input: &BottleInput) -> Outcome<BottleList> {
    let mut notes = Notes::default();
    let result = load(&world.environment, input, &mut notes).map(|manifest| rows(&manifest));
    notes.outcome(result)
}

fn rows(manifest: &Manifest) -> BottleList {
    let file = |kind, name: &str| manifest.file(kind, name).unwrap_or_default().to_owned();
    let bottle = |name: &str| BottleRow {
        name: name.to_owned(),
        extends: manifest.parent(name).map(str::to_owned),
        file: file(UnitKind::Bottle, name),
    };
    let agent = |name: &str| {
        let agent = manifest.agent(name)?;
        let file = file(UnitKind::Agent, name);
        Some(AgentRow {
            name: agent.name,
            bottle: agent.bottle,
            skills: agent.skills,
            file,
        })
    };
    BottleList {
        bottles: manifest.names(UnitKind::Bottle).map(bottle).collect(),
        agents: manifest.names(UnitKind::Agent).filter_map(agent).collect(),
    }
}

/// Shows one bottle or one agent.
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
    let manifest = load(&world.environment, input, notes)?;
    let (kind, value) = match view {
        BottleView::Effective => (UnitKind::Bottle, manifest.bottle_value(name)),
        BottleView::Raw => (UnitKind::Bottle, manifest.raw_bottle_value(name)),
        BottleView::Agent => (UnitKind::Agent, manifest.agent_value(name)),
    };
    let value = value.ok_or_else(|| unknown_unit(&manifest, kind, name))?;
    let bottle = if view == BottleView::Agent {
        value.get("bottle").and_then(Value::as_str)
    } else {
        Some(name)
    };
    let secret_env = bottle
        .map(|bottle| manifest.secret_variables(bottle))
        .unwrap_or_default();
    Ok(BottleValue { value, secret_env })
}

/// Checks bottles and agents: what is wrong with them is the result.
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

/// Reads the manifest; any mistake in any of its files is a failure.
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
            Ok(Manifest::from_md_dirs(home, &environment.folder))
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
        .map_err(|error| Failure::from(error.seen_from(&environment.folder)))?;
    let name = shown(environment, &path);
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

/// A bottle or an agent that is not there.
pub(crate) fn unknown_unit(manifest: &Manifest, kind: UnitKind, name: &str) -> Failure {
    let shown_by = match kind {
        UnitKind::Bottle => format!("it is an agent: `agpm bottle agent {name}` shows it"),
        UnitKind::Agent => format!("it is a bottle: `agpm bottle show {name}` shows it"),
    };
    if manifest.file(kind.other(), name).is_some() {
        return unknown_name(kind.word(), name, Some(shown_by));
    }
    let none = || Some(format!("there are no {} yet", kind.plural()));
    let help = did_you_mean(
        name,
        &format!("{} are", kind.plural()),
        manifest.names(kind),
    )
    .or_else(none);
    unknown_name(kind.word(), name, help)
}
