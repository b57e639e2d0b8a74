//! Merges an agent over its bottle, as the highest layer of the same merge.

use agpm_diag::{Diagnostic, codes};
use agpm_merge::Resolution;
use agpm_text::{Value, to_value};

use crate::extends::{Units, chain, effective, near_bottle, resolve};
use crate::unit::BottleUnit;

const BOTTLE: &str = "bottle";

/// Returns the bottle of an agent, as written.
pub(crate) fn bottle_of(agent: &BottleUnit) -> Option<&str> {
    agent.text(BOTTLE)
}

/// Reports agents whose bottle does not exist.
pub(crate) fn check(agents: &Units, bottles: &Units) -> Vec<Diagnostic> {
    let lost = agents
        .values()
        .filter(|agent| bottle_of(agent).is_some_and(|name| !bottles.contains_key(name)));
    let tell = |(at, agent): (usize, &BottleUnit)| {
        let (name, node) = (bottle_of(agent)?, agent.get(BOTTLE)?);
        let message = format!("unknown bottle `{name}` of agent `{}`", agent.name);
        let mut diagnostic = Diagnostic::new(&codes::BOTTLE_UNKNOWN_BOTTLE, message);
        diagnostic.help = near_bottle(bottles, at, name, None);
        Some(diagnostic.at(agent.document.source(), node.span(), ""))
    };
    lost.enumerate().filter_map(tell).collect()
}

/// The fold of an agent and its bottle.
pub(crate) fn resolution(agent: &BottleUnit, bottles: &Units) -> Option<Resolution> {
    Some(resolve(
        chain(bottles, bottle_of(agent)?)?
            .into_iter()
            .chain([agent]),
    ))
}

/// Returns the effective agent: its identity, then the keys of its bottle overridden by its own, then its prompt.
pub(crate) fn value(agent: &BottleUnit, resolution: &Resolution) -> Value {
    let skills = agent
        .get("skills")
        .map_or(Value::List(Vec::new()), to_value);
    let mut entries = vec![
        ("name".to_owned(), agent.name.as_str().into()),
        (BOTTLE.to_owned(), bottle_of(agent).into()),
        ("skills".to_owned(), skills),
    ];
    entries.extend(effective(resolution));
    entries.push(("prompt".to_owned(), agent.prompt().into()));
    Value::Map(entries)
}
