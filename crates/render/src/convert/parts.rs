//! Helpers for values.

use agpm_text::{NodeShape, TreeView, Value};

/// Keys for agpm and not for a tool.
pub(super) const METADATA: [&str; 2] = ["dependencies", "agpm"];

/// The entries of an object; empty for other values.
pub(super) fn entries(value: &Value) -> &[(String, Value)] {
    match value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}

/// The items of a list; empty for other values.
pub(super) fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// Whether this is an object.
pub(super) fn is_map(value: &Value) -> bool {
    matches!(value, Value::Map(_))
}

/// The text of a string, number or boolean.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value.shape() {
        NodeShape::String(text)
        | NodeShape::DateTime(text)
        | NodeShape::Integer(text)
        | NodeShape::Float(text) => Some(text.to_owned()),
        NodeShape::Bool(truth) => Some(truth.to_string()),
        NodeShape::Null | NodeShape::List(_) | NodeShape::Map(_) => None,
    }
}

/// The strings of a list of such values; `None` if it is not a list, or an item is something else.
pub(super) fn texts_of(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::List(items) => items.iter().map(text_of).collect(),
        _ => None,
    }
}

/// An object without some of its keys.
pub(super) fn without(value: &Value, keys: &[&str]) -> Value {
    let remaining = entries(value)
        .iter()
        .filter(|(key, _)| !keys.contains(&key.as_str()));
    Value::Map(remaining.cloned().collect())
}

/// Names in backquotes, separated by commas.
pub(super) fn quoted<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names
        .into_iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    names.join(", ")
}
