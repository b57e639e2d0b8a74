//! Merges structured values by key; lists are values.

use agpm_model::ItemRule;
use agpm_text::{NodeKind, NodeRef, Pointer, Value, equal, to_value};
use foldhash::fast::FixedState;

use super::lists::{ListRules, MergedItem, merge_items};

type KeyIndex<'a> = hashbrown::HashMap<&'a str, NodeRef<'a>, FixedState>;

/// The merged value, `None` where no side has one any more; the pointers of what both sides changed differently.
pub(super) fn merge_values(
    base: Option<NodeRef<'_>>,
    yours: Option<NodeRef<'_>>,
    new: Option<NodeRef<'_>>,
    rules: &ListRules<'_>,
) -> Result<Option<Value>, Vec<Pointer>> {
    let mut conflicts = Vec::new();
    let root = Pointer::root();
    let merged = merge_at([base, yours, new], &root, rules, &mut conflicts);
    if conflicts.is_empty() {
        Ok(merged)
    } else {
        Err(conflicts)
    }
}

fn merge_at(
    sides: [Option<NodeRef<'_>>; 3],
    at: &Pointer,
    rules: &ListRules<'_>,
    conflicts: &mut Vec<Pointer>,
) -> Option<Value> {
    let [base, yours, new] = sides;
    if are_same(yours, new) || are_same(base, new) {
        return yours.map(to_value);
    }
    if are_same(base, yours) {
        return new.map(to_value);
    }
    let is_map = |node: &NodeRef<'_>| node.kind() == NodeKind::Map;
    let (Some(your_map), Some(new_map)) = (yours.filter(is_map), new.filter(is_map)) else {
        if let Some(merged) = merge_lists(sides, at, rules, conflicts) {
            return Some(merged);
        }
        conflicts.push(at.clone());
        return yours.map(to_value);
    };
    let in_base = index_of(base.filter(is_map));
    let in_new = index_of(Some(new_map));
    let in_yours = index_of(Some(your_map));
    let mut entries = Vec::new();
    let mut add = |key: &str, yours: Option<NodeRef<'_>>| {
        let base = in_base.get(key).copied();
        let new = in_new.get(key).copied();
        let value = merge_at([base, yours, new], &at.child(key), rules, conflicts);
        entries.extend(value.map(|value| (key.to_owned(), value)));
    };
    for (key, value) in your_map.entries() {
        add(key.content(), Some(value));
    }
    // Keys that only the new side has: added there, or removed here and maybe changed there.
    for (key, _) in new_map.entries() {
        if !in_yours.contains_key(key.content()) {
            add(key.content(), None);
        }
    }
    Some(Value::Map(entries))
}

/// Merges lists by item; `None` if a list is one value.
fn merge_lists(
    sides: [Option<NodeRef<'_>>; 3],
    at: &Pointer,
    rules: &ListRules<'_>,
    conflicts: &mut Vec<Pointer>,
) -> Option<Value> {
    let [base, yours, new] = sides;
    yours.zip(new)?;
    let identity = rules.identity_at(at, sides)?;
    // A base of another kind has no items.
    let base = identity.items(base).unwrap_or_default();
    let (yours, new) = (identity.items(yours)?, identity.items(new)?);
    let mut merged = Vec::new();
    for item in merge_items(&base, &yours, &new) {
        match item {
            MergedItem::Taken(item) => merged.push(to_value(item)),
            MergedItem::Clash(index) => conflicts.push(at.child(index.to_string())),
            MergedItem::Both {
                index,
                base,
                yours,
                new,
            } => {
                let at = at.child(index.to_string());
                let is_changed_twice = !equal(yours, new)
                    && base.is_none_or(|base| !equal(base, yours) && !equal(base, new));
                if identity.items == ItemRule::Replace && is_changed_twice {
                    conflicts.push(at);
                    continue;
                }
                merged.extend(merge_at(
                    [base, Some(yours), Some(new)],
                    &at,
                    rules,
                    conflicts,
                ));
            }
        }
    }
    Some(Value::List(merged))
}

fn are_same(left: Option<NodeRef<'_>>, right: Option<NodeRef<'_>>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => equal(left, right),
        (None, None) => true,
        _ => false,
    }
}

fn index_of(map: Option<NodeRef<'_>>) -> KeyIndex<'_> {
    let entries = map.into_iter().flat_map(NodeRef::entries);
    entries.map(|(key, value)| (key.content(), value)).collect()
}
