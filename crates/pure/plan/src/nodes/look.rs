//! Finding nodes of ours again, and telling edited ones from others.

use agpm_model::{Checksum, Place};
use agpm_text::{Document, NodeRef, Pointer, Shape, Value, View, to_value};

use super::OwnedNode;

/// The key whose values tell one hook from another.
const MARK: &str = "command";

/// Below it floats hold every whole number.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The same for equal values, whatever the order of keys and the spelling of numbers.
pub(super) fn checksum_of<'v>(view: impl View<'v>) -> Checksum {
    Checksum::of(canonical(to_value(view)).to_json().as_bytes())
}

fn canonical(value: Value) -> Value {
    match value {
        Value::Map(mut entries) => {
            entries.sort_by(|(left, _), (right, _)| left.cmp(right));
            Value::map(entries.into_iter().map(|(key, value)| (key, canonical(value))))
        }
        Value::List(items) => Value::list(items.into_iter().map(canonical)),
        Value::Number(_) => canonical_number(&value).unwrap_or(value),
        other => other,
    }
}

/// The value whatever its spelling: whole ones as whole numbers, others in a form that no text has.
fn canonical_number(value: &Value) -> Option<Value> {
    let (Shape::Float(text) | Shape::Integer(text)) = value.shape() else { return None };
    let number: f64 = text.parse().ok()?;
    match value.shape() {
        _ if number.fract() == 0.0 && number.abs() < LARGEST_EXACT => Some(Value::from(number as i64)),
        Shape::Float(_) => Some(Value::map([("float", Value::from(number.to_string()))])),
        _ => None,
    }
}

/// The commands in an item.
pub(super) fn marks_of<'v, V: View<'v>>(view: V) -> Vec<String> {
    let mut marks = Vec::new();
    collect_marks(view, &mut marks);
    marks.sort();
    marks.dedup();
    marks
}

/// Whether an item could be ours with another command: it is for the same things, or runs the same program.
pub(super) fn resembles<'v, V: View<'v>>(view: V, node: &OwnedNode) -> bool {
    let program = |command: &String| command.split_whitespace().next().map(str::to_owned);
    let programs: Vec<Option<String>> = node.marks.iter().map(program).collect();
    let marks = marks_of(view);
    let same_matcher = node.matcher.is_some() && matcher_of(view) == node.matcher;
    !marks.is_empty() && (same_matcher || marks.iter().any(|mark| programs.contains(&program(mark))))
}

/// What an item of a list of hooks is for.
fn matcher_of<'v, V: View<'v>>(view: V) -> Option<String> {
    match to_value(view) {
        Value::Map(entries) => {
            let matcher = entries.iter().find(|(key, _)| key == "matcher");
            matcher.and_then(|(_, value)| value.as_str()).map(str::to_owned)
        }
        _ => None,
    }
}

fn collect_marks<'v, V: View<'v>>(view: V, marks: &mut Vec<String>) {
    match view.shape() {
        Shape::List(count) => (0..count).for_each(|at| collect_marks(view.item(at), marks)),
        Shape::Map(count) => {
            for (key, value) in (0..count).map(|at| view.entry(at)) {
                match value.shape() {
                    Shape::String(command) if key == MARK => marks.push(command.to_owned()),
                    _ => collect_marks(value, marks),
                }
            }
        }
        _ => {}
    }
}

/// What we remember of a node.
pub(super) fn remember<'v, V: View<'v>>(place: &Place, value: V, owner: &str) -> OwnedNode {
    let marks = if matches!(place, Place::Item(_)) { marks_of(value) } else { Vec::new() };
    let matcher = matcher_of(value).filter(|_| !marks.is_empty());
    let (place, owner) = (place.clone(), owner.to_owned());
    OwnedNode { place, checksum: checksum_of(value), marks, matcher, owner }
}

/// The items of a list, if there is one.
pub(super) fn items_at<'d>(document: &'d Document, list: &Pointer) -> Vec<NodeRef<'d>> {
    document.at(list).into_iter().flat_map(NodeRef::items).collect()
}

/// The item of a list that has this key with this value.
pub(super) fn keyed_at<'d>(
    document: &'d Document,
    list: &Pointer,
    key: &str,
    id: &str,
) -> Option<(usize, NodeRef<'d>)> {
    let has_id =
        |item: &NodeRef<'_>| item.get(key).is_some_and(|own| to_value(own).to_json().trim_end() == id);
    items_at(document, list).into_iter().enumerate().find(|(_, item)| has_id(item))
}

/// Where a node of ours is, if it is as we wrote it.
pub(super) fn locate(document: &Document, node: &OwnedNode) -> Option<Pointer> {
    match &node.place {
        Place::Key(at) | Place::Default(at) => {
            document.at(at).filter(|now| checksum_of(*now) == node.checksum).map(|_| at.clone())
        }
        Place::Item(list) => {
            let found =
                items_at(document, list).iter().position(|item| checksum_of(*item) == node.checksum)?;
            Some(list.child(found.to_string()))
        }
        Place::Keyed { list, key, id } => {
            let (index, item) = keyed_at(document, list, key, id)?;
            (checksum_of(item) == node.checksum).then(|| list.child(index.to_string()))
        }
    }
}

/// Whether an item has a command of an owned one.
pub(super) fn shares_mark(item: NodeRef<'_>, node: &OwnedNode) -> bool {
    !node.marks.is_empty() && marks_of(item).iter().any(|mark| node.marks.contains(mark))
}
