//! The reports about bottles and bottle agents.

use std::collections::BTreeSet;

use agpm_diag::{Failure, did_you_mean, looks_secret, unknown_name};
use agpm_merge::{KNOWN_SECRET, MASK};
use agpm_text::Value;
use serde::Serialize;

use crate::kind::UnitKind;
use crate::manifest::Manifest;
use crate::name::BottleName;

/// The unit to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BottleView {
    /// A bottle merged with those that it extends.
    Effective,
    /// A bottle as written.
    Raw,
    /// An agent merged with its bottle.
    Agent,
}

/// All bottles and agents.
#[derive(Clone, Debug, Serialize)]
pub struct BottleList {
    /// The bottles, sorted by name.
    pub bottles: Vec<BottleRow>,
    /// The agents, sorted by name.
    pub agents: Vec<AgentRow>,
}

/// A bottle in a listing.
#[derive(Clone, Debug, Serialize)]
pub struct BottleRow {
    /// The name of the bottle.
    pub name: BottleName,
    /// The bottle that it extends.
    pub extends: Option<BottleName>,
    /// The file that it is in.
    pub file: String,
}

/// An agent in a listing.
#[derive(Clone, Debug, Serialize)]
pub struct AgentRow {
    /// The name of the agent.
    pub name: BottleName,
    /// The bottle that it runs in.
    pub bottle: BottleName,
    /// The skills that it has.
    pub skills: Vec<String>,
    /// The file that it is in.
    pub file: String,
}

/// A bottle or an agent as a value.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct BottleValue {
    /// The value, including secrets.
    pub value: Value,
    /// The variables that hold secrets according to its routes.
    #[serde(skip)]
    secret_env: BTreeSet<String>,
}

impl BottleValue {
    /// Returns the value with secrets masked. The prompt of an agent is not a setting, and is shown.
    pub fn masked(&self) -> Value {
        let Value::Map(entries) = &self.value else {
            return self.value.clone();
        };
        let masked_entry = |(key, value): &(String, Value)| match key.as_str() {
            "prompt" => (key.clone(), value.clone()),
            "env" => (key.clone(), masked_env(value, &self.secret_env)),
            _ => (key.clone(), masked(key, value)),
        };
        Value::Map(entries.iter().map(masked_entry).collect())
    }
}

fn masked_env(env: &Value, secret: &BTreeSet<String>) -> Value {
    let Value::Map(entries) = env else {
        return masked("env", env);
    };
    let masked_entry = |(name, value): &(String, Value)| {
        if secret.contains(name) {
            (name.clone(), masked(KNOWN_SECRET, value))
        } else {
            (name.clone(), masked(name, value))
        }
    };
    Value::Map(entries.iter().map(masked_entry).collect())
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

impl Manifest {
    /// Lists all bottles and agents.
    pub fn list(&self) -> BottleList {
        let file = |kind, name: &BottleName| {
            let file = self.file(kind, name.as_str());
            file.unwrap_or_default().to_owned()
        };
        let bottle = |name: &BottleName| BottleRow {
            name: name.clone(),
            extends: self.parent(name.as_str()).cloned(),
            file: file(UnitKind::Bottle, name),
        };
        let agent = |name: &BottleName| {
            let agent = self.agent(name.as_str())?;
            let file = file(UnitKind::Agent, name);
            Some(AgentRow {
                name: agent.name,
                bottle: agent.bottle,
                skills: agent.skills,
                file,
            })
        };
        BottleList {
            bottles: self.names(UnitKind::Bottle).map(bottle).collect(),
            agents: self.names(UnitKind::Agent).filter_map(agent).collect(),
        }
    }

    /// Returns one bottle or one agent.
    pub fn view(&self, name: &str, view: BottleView) -> Result<BottleValue, Failure> {
        let (kind, value) = match view {
            BottleView::Effective => (UnitKind::Bottle, self.bottle_value(name)),
            BottleView::Raw => (UnitKind::Bottle, self.raw_bottle_value(name)),
            BottleView::Agent => (UnitKind::Agent, self.agent_value(name)),
        };
        let value = value.ok_or_else(|| self.unknown_unit(kind, name))?;
        let bottle = if view == BottleView::Agent {
            value.get("bottle").and_then(Value::as_str)
        } else {
            Some(name)
        };
        let secret_env = bottle
            .map(|bottle| self.secret_variables(bottle))
            .unwrap_or_default();
        Ok(BottleValue { value, secret_env })
    }

    /// Returns the error for a bottle or an agent that does not exist.
    pub fn unknown_unit(&self, kind: UnitKind, name: &str) -> Failure {
        let shown_by = match kind {
            UnitKind::Bottle => format!("it is an agent: `agpm bottle agent {name}` shows it"),
            UnitKind::Agent => format!("it is a bottle: `agpm bottle show {name}` shows it"),
        };
        if self.file(kind.other(), name).is_some() {
            return unknown_name(kind.word(), name, Some(shown_by));
        }
        let none = || Some(format!("no {} found", kind.plural()));
        let names = self.names(kind).map(BottleName::as_str);
        let help = did_you_mean(name, &format!("{} are", kind.plural()), names).or_else(none);
        unknown_name(kind.word(), name, help)
    }
}
