//! Names that look like others.

use std::collections::BTreeMap;

use unicode_security::MixedScript;
use unicode_security::confusable_detection::skeleton;

use super::rule::{AuditFinding, AuditRule, Detection};
use super::rules::AUDIT_RULES;

/// Something with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedThing {
    /// The id that findings have.
    pub id: String,
    /// The name that people read.
    pub name: String,
}

/// The names that look like other names, each with its position in the list.
pub fn confusable_names(things: &[NamedThing]) -> Vec<(usize, AuditFinding)> {
    let mut found = Vec::new();
    let mut by_look: BTreeMap<String, usize> = BTreeMap::new();
    for (number, NamedThing { name, .. }) in things.iter().enumerate() {
        let look: String = skeleton(name).collect();
        let first = *by_look.entry(look.clone()).or_insert(number);
        let excerpt = if things[first].name != *name {
            Some(format!(
                "`{}` looks like `{}`",
                shown(name),
                shown(&things[first].name)
            ))
        } else if !name.is_ascii() && look.is_ascii() {
            Some(format!(
                "`{}` looks like ASCII, and is `{}`",
                name,
                shown(name)
            ))
        } else if !name.is_ascii() && !name.as_str().is_single_script() {
            Some(format!("`{}` mixes scripts", shown(name)))
        } else {
            None
        };
        found.extend(excerpt.map(|excerpt| {
            let finding = AuditFinding {
                rule: names_rule(),
                line: 1,
                excerpt,
                more: 0,
            };
            (number, finding)
        }));
    }
    found
}

/// A name with its characters beyond ASCII as escapes, because they look alike.
fn shown(name: &str) -> String {
    let escaped = |c: char| {
        if c.is_ascii() {
            c.to_string()
        } else {
            c.escape_unicode().to_string()
        }
    };
    name.chars().map(escaped).collect()
}

fn names_rule() -> &'static AuditRule {
    AUDIT_RULES
        .iter()
        .find(|rule| matches!(rule.detection, Detection::Names))
        .expect("names have a rule")
}
