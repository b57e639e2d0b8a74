//! Fingerprints of nodes, which distinguish edited nodes from others.

use agpm_model::{NodeLocation, Owner};
use agpm_text::{NodeRef, NodeShape, TreeView, Value};

use super::owned::OwnedNode;
use super::sum::NodeSum;
use crate::change::Author;

/// The key whose values identify a hook.
const MARK: &str = "command";

/// The commands in an item.
pub(super) fn marks_of<'v, V: TreeView<'v>>(view: V) -> Vec<String> {
    let mut marks = Vec::new();
    collect_marks(view, &mut marks);
    marks.sort();
    marks.dedup();
    marks
}

/// Whether an item could be a managed one with an edited command: it has the same matcher, or runs the same program.
pub(super) fn resembles<'v, V: TreeView<'v>>(view: V, node: &OwnedNode) -> bool {
    let program = |command: &String| command.split_whitespace().next().map(str::to_owned);
    let programs: Vec<Option<String>> = node.marks.iter().map(program).collect();
    let marks = marks_of(view);
    let same_matcher = node.matcher.is_some() && matcher_of(view) == node.matcher;
    !marks.is_empty()
        && (same_matcher || marks.iter().any(|mark| programs.contains(&program(mark))))
}

/// The matcher of an item in a list of hooks.
fn matcher_of<'v, V: TreeView<'v>>(view: V) -> Option<String> {
    let NodeShape::Map(count) = view.shape() else {
        return None;
    };
    let (_, matcher) = (0..count)
        .map(|at| view.entry(at))
        .find(|(key, _)| *key == "matcher")?;
    match matcher.shape() {
        NodeShape::String(matcher) => Some(matcher.to_owned()),
        _ => None,
    }
}

fn collect_marks<'v, V: TreeView<'v>>(view: V, marks: &mut Vec<String>) {
    match view.shape() {
        NodeShape::List(count) => (0..count).for_each(|at| collect_marks(view.item(at), marks)),
        NodeShape::Map(count) => {
            for (key, value) in (0..count).map(|at| view.entry(at)) {
                match value.shape() {
                    NodeShape::String(command) if key == MARK => marks.push(command.to_owned()),
                    _ => collect_marks(value, marks),
                }
            }
        }
        _ => {}
    }
}

/// The fingerprint of a node.
pub(super) fn fingerprint_node<'v, V: TreeView<'v>>(
    location: &NodeLocation,
    value: V,
    owner: &Owner,
) -> OwnedNode {
    let marks = if matches!(location, NodeLocation::Item(_)) {
        marks_of(value)
    } else {
        Vec::new()
    };
    let matcher = matcher_of(value).filter(|_| !marks.is_empty());
    let (location, owner) = (location.clone(), owner.clone());
    OwnedNode {
        location,
        checksum: NodeSum::of(value),
        marks,
        matcher,
        owner,
        author: Author::Agpm,
    }
}

/// Whether an item has a command of a managed one.
pub(super) fn shares_mark(item: NodeRef<'_>, node: &OwnedNode) -> bool {
    !node.marks.is_empty() && marks_of(item).iter().any(|mark| node.marks.contains(mark))
}

/// Whether a value is an empty object or list: a default of that kind requires only the container.
pub(super) fn is_bare(value: &Value) -> bool {
    matches!(value.shape(), NodeShape::Map(0) | NodeShape::List(0))
}
