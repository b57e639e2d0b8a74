//! The entries that a merge key `<<` adds to its map.

use crate::tree::{NodeId, NodeKind, NodeTree};

/// Whether `<<` accepts a value: an object, or a list of objects.
pub(crate) fn is_mergeable(tree: &NodeTree, value: NodeId) -> bool {
    let is_map = |node: &NodeId| tree.kind(*node) == NodeKind::Map;
    match tree.kind(value) {
        NodeKind::List => tree.children(value).iter().all(is_map),
        _ => is_map(&value),
    }
}

/// Entries of the maps in `value` whose keys are neither in `explicit` nor in an earlier map.
pub(crate) fn inherited(
    tree: &NodeTree,
    text: &str,
    value: NodeId,
    explicit: &[NodeId],
) -> Vec<NodeId> {
    let content = |id: NodeId| tree.content(text, id);
    let mut seen: hashbrown::HashSet<&str, foldhash::fast::FixedState> = explicit
        .chunks_exact(2)
        .map(|pair| content(pair[0]))
        .collect();
    let sources = match tree.kind(value) {
        NodeKind::List => tree.children(value).to_vec(),
        _ => vec![value],
    };
    let entries = sources
        .iter()
        .flat_map(|source| tree.children(*source).chunks_exact(2));
    entries
        .filter(|pair| seen.insert(content(pair[0])))
        .flatten()
        .copied()
        .collect()
}
