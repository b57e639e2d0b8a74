//! Inheritance between bottles: the order, and how raw bottles compose. The merge itself is done by the engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes, did_you_mean};
use agpm_merge::{
    Composition, Contribution, DocumentGraph, MergePolicy, ReferenceFailure, ReferenceFailureKind,
    ReferencePolicy, ReferenceReaction, Resolution, UnavailableReason, fold, order,
};
use agpm_model::{EmptyRule, MergeOperation, PointerRule, Strategy};
use agpm_text::{NodeKind, NodeShape, TreeView, Value, to_value};

use crate::name::BottleName;
use crate::schema::BOTTLE;
use crate::unit::{BottleUnit, UnitState};

/// Units of one kind by their names.
pub(crate) type Units = BTreeMap<BottleName, BottleUnit>;

const EXTENDS: &str = "extends";
const PROVIDER: &str = "agent_provider";

/// Longer chains are cut in messages, to this number at each end.
const LONGEST_CHAIN: usize = 40;
const CUT_TO: usize = 6;
/// The most searches for similar names, because each compares all names.
const MOST_NEAR: usize = 20;

/// Returns how bottles compose, lowest first. Without a rule, the value of the highest layer wins and objects merge.
const RULES: &[(&str, MergeOperation, EmptyRule)] = &[
    ("/env", MergeOperation::Overlay, EmptyRule::Value),
    ("/git/remotes", MergeOperation::Overlay, EmptyRule::Clear),
    ("/git/user", MergeOperation::Overlay, EmptyRule::Value),
    ("/agent_provider", MergeOperation::Overlay, EmptyRule::Value),
    ("/egress", MergeOperation::Replace, EmptyRule::Value),
];

/// Errors of an unreadable bottle were reported when it was read.
const REFERENCES: ReferencePolicy = ReferencePolicy {
    malformed: ReferenceReaction::Ignore,
    ..ReferencePolicy::STRICT
};

/// Returns how a bottle composes with the bottles that it extends, and an agent with its bottle.
pub fn policy() -> MergePolicy {
    let rule = |(pattern, operation, empty): &(&str, MergeOperation, EmptyRule)| PointerRule {
        pattern: pattern.parse().expect("a good pattern"),
        operation: Some(operation.clone()),
        empty: *empty,
    };
    let strategy = Strategy {
        name: "bottles".to_owned(),
        rules: RULES.iter().map(rule).collect(),
        ..Strategy::default()
    };
    MergePolicy {
        composition: Composition::Merge(strategy),
        references: REFERENCES,
    }
}

/// Returns the bottle that this one extends, as written.
pub(crate) fn parent(bottle: &BottleUnit) -> Option<&str> {
    bottle.text(EXTENDS)
}

/// Returns a bottle and all that it extends, lowest first. Only for checked bottles.
pub(crate) fn chain<'m>(bottles: &'m Units, name: &str) -> Option<Vec<&'m BottleUnit>> {
    let mut chain = vec![bottles.get(name)?];
    while let Some(above) = chain.last().and_then(|bottle| bottles.get(parent(bottle)?)) {
        chain.push(above);
    }
    chain.reverse();
    Some(chain)
}

/// Merges units, lowest first.
pub(crate) fn resolve<'u>(units: impl IntoIterator<Item = &'u BottleUnit>) -> Resolution {
    let contributions = units.into_iter().map(|unit| Contribution {
        layer: unit.name.layer().clone(),
        document: Arc::clone(&unit.document),
    });
    fold(contributions.collect(), &policy(), None)
}

/// The keys of an effective bottle.
pub(crate) fn is_effective(key: &str) -> bool {
    key != EXTENDS && BOTTLE.field(key).is_some()
}

/// Returns the effective value: all keys of bottles except `extends`.
pub(crate) fn effective(resolution: &Resolution) -> Vec<(String, Value)> {
    let Some(root) = resolution.root() else {
        return Vec::new();
    };
    let NodeShape::Map(count) = root.shape() else {
        return Vec::new();
    };
    let entries = (0..count)
        .map(|at| root.entry(at))
        .filter(|(key, _)| is_effective(key));
    entries
        .map(|(key, value)| (key.to_owned(), to_value(value)))
        .collect()
}

/// Returns all errors between bottles. Each bottle is visited once, however long the chains are.
pub(crate) fn check(bottles: &Units) -> Vec<Diagnostic> {
    let names: Vec<&str> = bottles.keys().map(BottleName::as_str).collect();
    let mut references = ExtendsReferences {
        bottles,
        described: 0,
    };
    let lineage = order(&names, policy().references, &mut references);
    let mut found = lineage.diagnostics;
    found.extend(nameless_providers(bottles, &lineage.order));
    found
}

/// The bottles as a graph along `extends`.
struct ExtendsReferences<'u> {
    bottles: &'u Units,
    described: usize,
}

impl<'u> DocumentGraph for ExtendsReferences<'u> {
    type Id = &'u str;

    fn parents(&mut self, name: &&'u str) -> Result<Vec<&'u str>, UnavailableReason> {
        match self.bottles.get(*name) {
            None => Err(UnavailableReason::Missing),
            Some(bottle) if bottle.state == UnitState::Broken => Err(UnavailableReason::Malformed),
            Some(bottle) => Ok(parent(bottle).into_iter().collect()),
        }
    }

    fn describe(&mut self, flaw: &ReferenceFailure<&'u str>) -> Option<Diagnostic> {
        let [.., from, to] = flaw.chain[..] else {
            return None;
        };
        let chain = shown_chain(&flaw.chain);
        let (message, help) = match flaw.kind {
            ReferenceFailureKind::Cyclic if from == to => (
                format!("`{to}` extends itself: {chain}"),
                Some("remove its `extends`, or name another bottle".to_owned()),
            ),
            ReferenceFailureKind::Cyclic => (
                format!("bottles extend each other in a cycle: {chain}"),
                Some("remove one `extends` of the cycle".to_owned()),
            ),
            ReferenceFailureKind::Missing
            | ReferenceFailureKind::Malformed
            | ReferenceFailureKind::Refused => (
                format!("unknown bottle `{to}` in `extends`: {chain}"),
                near_bottle(self.bottles, self.described, to, Some(from)),
            ),
        };
        self.described += 1;
        let bottle = self.bottles.get(from)?;
        let parent = bottle.get(EXTENDS)?;
        let mut diagnostic = Diagnostic::new(&codes::BOTTLE_EXTENDS, message);
        diagnostic.help = help;
        Some(diagnostic.at(bottle.document.source(), parent.span(), ""))
    }
}

/// Returns the bottle whose name is most similar to an unknown one; `at` is the position for errors.
pub(crate) fn near_bottle(
    bottles: &Units,
    at: usize,
    name: &str,
    not: Option<&str>,
) -> Option<String> {
    let others = bottles
        .keys()
        .map(BottleName::as_str)
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

/// The state of the provider of an effective bottle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProviderStatus {
    None,
    Named,
    /// Without a name, which was reported.
    Nameless,
    /// A bottle that it extends is broken.
    Unknown,
}

/// Reports providers without a name in their bottle and in all that it extends. `order` has parents before children.
fn nameless_providers(bottles: &Units, order: &[&str]) -> Vec<Diagnostic> {
    let mut providers: BTreeMap<&str, ProviderStatus> = BTreeMap::new();
    let mut found = Vec::new();
    for (name, bottle) in order
        .iter()
        .filter_map(|name| Some((*name, bottles.get(*name)?)))
    {
        let below = match bottle.get(EXTENDS) {
            None => ProviderStatus::None,
            Some(parent) => parent
                .as_str()
                .and_then(|p| providers.get(p))
                .copied()
                .unwrap_or(ProviderStatus::Unknown),
        };
        let provider = match bottle.get(PROVIDER) {
            None => below,
            Some(own) if own.kind() != NodeKind::Map => ProviderStatus::Unknown,
            Some(own) if own.get("name").is_some() => ProviderStatus::Named,
            Some(own) if below == ProviderStatus::None => {
                let message = format!("`/{PROVIDER}` has no `name`, here or in an extended bottle");
                let help = "add `name`: the executable that runs the agent";
                let diagnostic = Diagnostic::new(&codes::BOTTLE_VALUE, message).help(help);
                found.push(diagnostic.at(bottle.document.source(), own.span(), ""));
                ProviderStatus::Nameless
            }
            Some(_) => below,
        };
        providers.insert(name, provider);
    }
    found
}
