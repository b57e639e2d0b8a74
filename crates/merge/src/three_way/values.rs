//! Merges structured values by key; lists are values.

use agpm_text::{NodeKind, NodeRef, Pointer, Value, equal, to_value};
use foldhash::fast::FixedState;

type KeyIndex<'a> = hashbrown::HashMap<&'a str, NodeRef<'a>, FixedState>;

/// The merged value, `None` where no side has one any more; the pointers of what both sides changed differently.
pub(super) fn merge_values(
    base: Option<NodeRef<'_>>,
    yours: Option<NodeRef<'_>>,
    new: Option<NodeRef<'_>>,
) -> Result<Option<Value>, Vec<Pointer>> {
    let mut conflicts = Vec::new();
    let merged = merge_at(base, yours, new, &Pointer::root(), &mut conflicts);
    if conflicts.is_empty() {
        Ok(merged)
    } else {
        Err(conflicts)
    }
}

fn merge_at(
    base: Option<NodeRef<'_>>,
    yours: Option<NodeRef<'_>>,
    new: Option<NodeRef<'_>>,
    at: &Pointer,
    conflicts: &mut Vec<Pointer>,
) -> Option<Value> {
    if are_same(yours, new) || are_same(base, new) {
        return yours.map(to_value);
    }
    if are_same(base, yours) {
        return new.map(to_value);
    }
    let is_map = |node: &NodeRef<'_>| node.kind() == NodeKind::Map;
    let (Some(your_map), Some(new_map)) = (yours.filter(is_map), new.filter(is_map)) else {
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
        let value = merge_at(base, yours, new, &at.child(key), conflicts);
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
