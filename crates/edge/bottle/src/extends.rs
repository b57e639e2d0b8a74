//! Inheritance between bottles: which order, and how raw bottles compose. The fold itself is the engine's.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes, did_you_mean};
use agpm_merge::{
    Absent, Composition, Contribution, Flaw, FlawKind, Policy, References, Resolution, fold, order,
};
use agpm_model::{Empty, Operation, Rule, Strategy};
use agpm_text::{Kind, Shape, Value, View, to_value};

use crate::schema::BOTTLE;
use crate::unit::{State, Unit};

/// Units of one kind by their names.
pub(crate) type Units = BTreeMap<String, Unit>;

const EXTENDS: &str = "extends";
const PROVIDER: &str = "agent_provider";

/// Chains longer than this are cut in messages, to so many at each end.
const LONGEST_CHAIN: usize = 40;
const CUT_TO: usize = 6;
/// Near names are looked for among all names: only so often, or many mistakes would take long to tell.
const MOST_NEAR: usize = 20;

/// How bottles compose, lowest first. What no rule speaks of is the highest's; maps merge.
const RULES: &[(&str, Operation, Empty)] = &[
    ("/env", Operation::Overlay, Empty::Value),
    ("/git/remotes", Operation::Overlay, Empty::Clear),
    ("/git/user", Operation::Overlay, Empty::Value),
    ("/agent_provider", Operation::Overlay, Empty::Value),
    ("/egress", Operation::Replace, Empty::Value),
];

/// How a bottle composes with those that it extends, and an agent with its bottle.
pub fn policy() -> Policy {
    let rule = |(pattern, operation, empty): &(&str, Operation, Empty)| Rule {
        pattern: pattern.parse().expect("a good pattern"),
        operation: Some(operation.clone()),
        empty: *empty,
    };
    let strategy = Strategy {
        name: "bottles".to_owned(),
        rules: RULES.iter().map(rule).collect(),
        ..Strategy::default()
    };
    Policy {
        composition: Composition::Merge(strategy),
        references: References::STRICT,
    }
}

/// The bottle that this one extends.
pub(crate) fn parent(bottle: &Unit) -> Option<&str> {
    bottle.text(EXTENDS)
}

/// A bottle and all that it extends, lowest first. Only for bottles that were checked.
pub(crate) fn chain<'m>(bottles: &'m Units, name: &str) -> Option<Vec<&'m Unit>> {
    let mut chain = vec![bottles.get(name)?];
    while let Some(above) = chain.last().and_then(|bottle| bottles.get(parent(bottle)?)) {
        chain.push(above);
    }
    chain.reverse();
    Some(chain)
}

/// Folds units, lowest first.
pub(crate) fn resolve<'u>(units: impl IntoIterator<Item = &'u Unit>) -> Resolution {
    let contributions = units.into_iter().map(|unit| Contribution {
        layer: unit.name.clone(),
        document: Arc::clone(&unit.document),
    });
    fold(contributions.collect(), &policy(), None)
}

/// The keys of an effective bottle.
pub(crate) fn is_effective(key: &str) -> bool {
    key != EXTENDS && BOTTLE.field(key).is_some()
}

/// The effective value: all keys of bottles but `extends`, which was followed.
pub(crate) fn effective(resolution: &Resolution) -> Vec<(String, Value)> {
    let Some(root) = resolution.root() else {
        return Vec::new();
    };
    let Shape::Map(count) = root.shape() else {
        return Vec::new();
    };
    let entries = (0..count)
        .map(|at| root.entry(at))
        .filter(|(key, _)| is_effective(key));
    entries
        .map(|(key, value)| (key.to_owned(), to_value(value)))
        .collect()
}

/// Everything that is wrong between bottles. Looks at each bottle once, however long the chains are.
pub(crate) fn check(bottles: &Units) -> Vec<Diagnostic> {
    let names: Vec<&str> = bottles.keys().map(String::as_str).collect();
    let lineage = order(&names, References::STRICT, |name| {
        match bottles.get(*name) {
            None => Err(Absent::Missing),
            Some(bottle) if bottle.state == State::Broken => Err(Absent::Malformed),
            Some(bottle) => Ok(parent(bottle).into_iter().collect()),
        }
    });
    let flaws = lineage.flaws.iter().enumerate();
    let mut found: Vec<Diagnostic> = flaws
        .filter_map(|(at, flaw)| tell(bottles, at, flaw))
        .collect();
    found.extend(nameless_providers(bottles, &lineage.order));
    found
}

/// A reference that leads nowhere; to a bottle that cannot be read it is no mistake of its own.
fn tell(bottles: &Units, at: usize, flaw: &Flaw<&str>) -> Option<Diagnostic> {
    let [.., from, to] = flaw.chain[..] else {
        return None;
    };
    let chain = shown_chain(&flaw.chain);
    let diagnostic = match flaw.kind {
        FlawKind::Malformed => return None,
        FlawKind::Missing => {
            let message = format!("there is no bottle `{to}` to extend: {chain}");
            let mut diagnostic = Diagnostic::new(&codes::BOTTLE_EXTENDS, message);
            diagnostic.help = near_bottle(bottles, at, to, Some(from));
            diagnostic
        }
        FlawKind::Cyclic if from == to => {
            let message = format!("`{to}` extends itself: {chain}");
            let help = "remove its `extends`, or name another bottle";
            Diagnostic::new(&codes::BOTTLE_EXTENDS, message).help(help)
        }
        FlawKind::Cyclic => {
            let message = format!("these bottles extend each other in a circle: {chain}");
            let help = "remove one `extends` of the circle";
            Diagnostic::new(&codes::BOTTLE_EXTENDS, message).help(help)
        }
    };
    let bottle = bottles.get(from)?;
    let place = bottle.get(EXTENDS)?;
    Some(diagnostic.at(bottle.document.source(), place.span(), ""))
}

/// What a name that is no bottle's was probably meant to be, but for one; `at` counts the mistakes.
pub(crate) fn near_bottle(
    bottles: &Units,
    at: usize,
    name: &str,
    not: Option<&str>,
) -> Option<String> {
    let others = bottles
        .keys()
        .map(String::as_str)
        .filter(|other| Some(*other) != not);
    let near = if at < MOST_NEAR {
        did_you_mean(name, "bottles are", others)
    } else {
        None
    };
    near.or_else(|| Some("check the name, or add the bottle".to_owned()))
}

fn shown_chain(chain: &[&str]) -> String {
    if chain.len() <= LONGEST_CHAIN {
        return chain.join(" -> ");
    }
    let (first, last) = (&chain[..CUT_TO], &chain[chain.len() - CUT_TO..]);
    let between = chain.len() - 2 * CUT_TO;
    format!(
        "{} -> ({between} more) -> {}",
        first.join(" -> "),
        last.join(" -> ")
    )
}

/// What is known of the provider of an effective bottle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Provider {
    None,
    Named,
    /// It lacks its name, and that was told.
    Nameless,
    /// Something below is broken.
    Unknown,
}

/// Providers that have a name neither in their bottle nor in one below. `order` has parents before their children.
fn nameless_providers(bottles: &Units, order: &[&str]) -> Vec<Diagnostic> {
    let mut known: BTreeMap<&str, Provider> = BTreeMap::new();
    let mut found = Vec::new();
    for (name, bottle) in order
        .iter()
        .filter_map(|name| Some((*name, bottles.get(*name)?)))
    {
        let below = match bottle.get(EXTENDS) {
            None => Provider::None,
            Some(parent) => parent
                .as_str()
                .and_then(|p| known.get(p))
                .copied()
                .unwrap_or(Provider::Unknown),
        };
        let provider = match bottle.get(PROVIDER) {
            None => below,
            Some(own) if own.kind() != Kind::Map => Provider::Unknown,
            Some(own) if own.get("name").is_some() => Provider::Named,
            Some(own) if below == Provider::None => {
                let message = format!("`/{PROVIDER}` has no `name`, here or in a bottle below");
                let help = "add `name`: which program runs the agent";
                let diagnostic = Diagnostic::new(&codes::BOTTLE_VALUE, message).help(help);
                found.push(diagnostic.at(bottle.document.source(), own.span(), ""));
                Provider::Nameless
            }
            Some(_) => below,
        };
        known.insert(name, provider);
    }
    found
}
