//! The common path of both entry points: checks keys, then references, then computes values on demand.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use agpm_diag::{Diagnostic, SourceMap, codes, has_errors};
use agpm_merge::Resolution;
use agpm_text::{NodeRef, Value, to_value};

use crate::check::check;
use crate::extends::{self, Units, chain, effective, resolve};
use crate::kind::UnitKind;
use crate::loader::{self, LoadedUnits};
use crate::model::{Agent, Bottle, EffectiveAgent};
use crate::name::BottleName;
use crate::overlay;
use crate::unit::BottleUnit;

/// Bottles and agents without errors. Effective values are computed when they are requested.
#[derive(Clone, Debug)]
pub struct Manifest {
    bottles: Units,
    agents: Units,
    notes: Vec<Diagnostic>,
    sources: SourceMap,
}

/// All errors of a manifest, in all of its files.
#[derive(Clone, Debug)]
pub struct ManifestError {
    /// The findings, by file and position.
    pub diagnostics: Vec<Diagnostic>,
    /// The strings that diagnostics point into.
    pub sources: SourceMap,
    /// The number of bottles, with errors or without.
    pub bottles: usize,
    /// The number of agents.
    pub agents: usize,
}

/// Returns the unit that a finding is in, as `TYPE/NAME`, for a file with several units.
fn unit_at(units: &Units, finding: &Diagnostic) -> Option<String> {
    let label = finding.labels.first()?;
    let is_here = |unit: &&BottleUnit| {
        // A Markdown file is one unit and has its name.
        let of_many = unit.spot.filter(|_| !unit.file.ends_with(".md"));
        let (Some(spot), Some(root)) = (of_many, unit.root()) else {
            return false;
        };
        let end = root.span().end;
        spot.source == label.source && spot.span.start <= label.span.start && label.span.start < end
    };
    units
        .values()
        .find(is_here)
        .map(|unit| format!("{}/{}", unit.kind.plural(), unit.name))
}

impl Manifest {
    /// Reads `{"bottles": {NAME: {…}}, "agents": {NAME: {…}}}`; `name` is the name of the text in messages.
    pub fn from_json_obj(name: &str, text: &str) -> Result<Self, ManifestError> {
        Manifest::compose(loader::from_json(name, text))
    }

    /// Reads `.bot-bottle/bottles/*.md` and `.bot-bottle/agents/*.md` of `home`, and the agents of `cwd`, which
    /// replace those of the same name in `home`.
    pub fn from_md_dirs(home: &Path, cwd: &Path) -> Result<Self, ManifestError> {
        Manifest::compose(loader::from_directories(home, cwd))
    }

    fn compose(loaded: LoadedUnits) -> Result<Self, ManifestError> {
        let LoadedUnits {
            sources,
            units,
            diagnostics: mut found,
        } = loaded;
        found.extend(alike(&units));
        found.extend(units.iter().flat_map(check));
        let (mut bottles, mut agents) = (Units::new(), Units::new());
        for unit in units {
            let kind = match unit.kind {
                UnitKind::Bottle => &mut bottles,
                UnitKind::Agent => &mut agents,
            };
            kind.insert(unit.name.clone(), unit);
        }
        found.extend(extends::check(&bottles));
        found.extend(overlay::check(&agents, &bottles));
        for finding in &mut found {
            finding.unit = unit_at(&bottles, finding).or_else(|| unit_at(&agents, finding));
        }
        found.sort_by_key(|finding| {
            finding
                .labels
                .first()
                .map(|label| (label.source, label.span))
        });
        if has_errors(&found) {
            let (bottles, agents) = (bottles.len(), agents.len());
            return Err(ManifestError {
                diagnostics: found,
                sources,
                bottles,
                agents,
            });
        }
        Ok(Manifest {
            bottles,
            agents,
            notes: found,
            sources,
        })
    }

    /// Returns the names of all bottles or all agents, sorted.
    pub fn names(&self, kind: UnitKind) -> impl Iterator<Item = &BottleName> + Clone {
        self.units(kind).keys()
    }

    /// Returns the number of bottles or agents.
    pub fn count(&self, kind: UnitKind) -> usize {
        self.units(kind).len()
    }

    /// The file that a bottle or an agent is in.
    pub fn file(&self, kind: UnitKind, name: &str) -> Option<&str> {
        self.units(kind).get(name).map(|unit| unit.file.as_str())
    }

    /// The bottle that a bottle extends.
    pub fn parent(&self, bottle: &str) -> Option<&BottleName> {
        self.bottle_named(extends::parent(self.bottles.get(bottle)?)?)
    }

    /// Returns an effective bottle.
    pub fn bottle(&self, name: &str) -> Option<Bottle> {
        let value = self.bottle_value(name)?;
        Some(Bottle::of(self.bottle_named(name)?, &value))
    }

    /// Returns an effective bottle as a value: the keys of bottles except `extends`.
    pub fn bottle_value(&self, name: &str) -> Option<Value> {
        self.bottle_resolution(name)
            .map(|resolution| Value::Map(effective(&resolution)))
    }

    /// Returns a bottle as written.
    pub fn raw_bottle_value(&self, name: &str) -> Option<Value> {
        self.bottles
            .get(name)
            .map(|bottle| bottle.root().map_or(Value::Map(Vec::new()), to_value))
    }

    /// Returns the provenance of an effective bottle, whose layers are bottles. Its root still has `extends`.
    pub fn bottle_resolution(&self, name: &str) -> Option<Resolution> {
        chain(&self.bottles, name).map(resolve)
    }

    /// Returns an agent as written.
    pub fn agent(&self, name: &str) -> Option<Agent> {
        let agent = self.agents.get(name)?;
        let value = agent.root().map_or(Value::Map(Vec::new()), to_value);
        let bottle = self.bottle_named(overlay::bottle_of(agent)?)?;
        Some(Agent::of(&agent.name, bottle, agent.prompt(), &value))
    }

    /// Returns an agent merged with its bottle.
    pub fn effective_agent(&self, name: &str) -> Option<EffectiveAgent> {
        let agent = self.agents.get(name)?;
        let bottle = self.bottle_named(overlay::bottle_of(agent)?)?;
        let value = self.agent_value(name)?;
        Some(EffectiveAgent::of(&agent.name, bottle, &value))
    }

    /// Returns an agent merged with its bottle as one flat value: the keys of the bottle overridden by its own, and
    /// `name`, `bottle`, `skills` and `prompt`.
    pub fn agent_value(&self, name: &str) -> Option<Value> {
        let agent = self.agents.get(name)?;
        overlay::resolution(agent, &self.bottles)
            .map(|resolution| overlay::value(agent, &resolution))
    }

    /// Returns the variables that hold secrets according to the routes of a bottle and of those that it extends.
    pub fn secret_variables(&self, bottle: &str) -> BTreeSet<String> {
        let chain = chain(&self.bottles, bottle).unwrap_or_default().into_iter();
        let routes = chain
            .filter_map(|bottle| bottle.get("egress")?.get("routes"))
            .flat_map(NodeRef::items);
        let named = routes.filter_map(|route| route.get("auth")?.get("env")?.as_str());
        named.map(str::to_owned).collect()
    }

    /// Returns the findings that are not errors.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// The strings that notes and resolutions point into.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The name of a bottle that is written somewhere.
    fn bottle_named(&self, name: &str) -> Option<&BottleName> {
        self.bottles.get(name).map(|bottle| &bottle.name)
    }

    fn units(&self, kind: UnitKind) -> &Units {
        match kind {
            UnitKind::Bottle => &self.bottles,
            UnitKind::Agent => &self.agents,
        }
    }
}

/// Reports names that differ only in case.
fn alike(units: &[BottleUnit]) -> Vec<Diagnostic> {
    let mut sorted: Vec<(UnitKind, String, &BottleUnit)> = units
        .iter()
        .map(|unit| (unit.kind, unit.name.as_str().to_lowercase(), unit))
        .collect();
    sorted.sort_by(|left, right| {
        (left.0, &left.1, left.2.name.as_str()).cmp(&(right.0, &right.1, right.2.name.as_str()))
    });
    let pairs = sorted.windows(2).filter_map(|pair| match pair {
        [(kind, low, first), (other, same, second)]
            if kind == other && low == same && first.name != second.name =>
        {
            Some((first, second))
        }
        _ => None,
    });
    let diagnose = |(first, second): (&&BottleUnit, &&BottleUnit)| {
        let plural = first.kind.plural();
        let message = format!(
            "the {plural} `{}` and `{}` differ only in case",
            first.name, second.name
        );
        let diagnostic = Diagnostic::new(&codes::BOTTLE_DUPLICATE_NAME, message)
            .help("rename one of them: case-insensitive file systems cannot distinguish them");
        second.at_location(diagnostic)
    };
    pairs.map(diagnose).collect()
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, found) in self.diagnostics.iter().enumerate() {
            let newline = if at == 0 { "" } else { "\n" };
            write!(
                f,
                "{newline}{}[{}]: {}",
                found.severity,
                found.code.name,
                found.shown_message()
            )?;
            if let Some(label) = found.labels.first() {
                let line = self.sources.line(label.source, label.span.start);
                write!(f, " ({}:{line})", self.sources.get(label.source).name)?;
            } else if let Some(file) = &found.file {
                write!(f, " ({file})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ManifestError {}
