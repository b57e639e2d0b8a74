//! The fields that an edit of a text sets, as a patch has them.

use agpm_diag::has_errors;
use agpm_text::{Document, Format, NodeKind, NodeRef, Value, equal, parse_alone, to_value};

use crate::has_tags;

/// The fields that `after` has and `before` has not, or with another value, as the object of a patch. Fields that only
/// `before` has, and values that TOML cannot represent, are left out.
pub fn edited_fields(before: &str, after: &str, format: Format) -> Value {
    let nothing = Value::Map(Vec::new());
    if format == Format::Csv {
        return nothing;
    }
    let (Some(before), Some(after)) = (valid(before, format), valid(after, format)) else {
        return nothing;
    };
    match (before.root(), after.root()) {
        (Some(before), Some(after)) if is_map(before) && is_map(after) => {
            changed_entries(Some(before), after)
        }
        (None, Some(after)) if is_map(after) => changed_entries(None, after),
        _ => nothing,
    }
}

fn valid(text: &str, format: Format) -> Option<Document> {
    let parsed = parse_alone(text, format);
    (!has_errors(&parsed.diagnostics)).then_some(parsed.document)
}

fn is_map(node: NodeRef<'_>) -> bool {
    node.kind() == NodeKind::Map
}

fn changed_entries(before: Option<NodeRef<'_>>, after: NodeRef<'_>) -> Value {
    let mut changed = Vec::new();
    for (key, value) in after.entries() {
        let name = key.content();
        let old = before.and_then(|before| before.get(name));
        let value = match old {
            Some(old) if equal(old, value) => continue,
            Some(old) if is_map(old) && is_map(value) => changed_entries(Some(old), value),
            _ => to_value(value),
        };
        let is_nothing = matches!(&value, Value::Map(entries) if entries.is_empty());
        if is_representable(&value) && !(is_nothing && old.is_some()) {
            changed.push((name.to_owned(), value));
        }
    }
    Value::Map(changed)
}

/// Whether a manifest can have a value. The values of patches may be templates, so a text that looks like one would
/// become something else.
fn is_representable(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !has_tags(text),
        Value::List(items) => items.iter().all(is_representable),
        Value::Map(entries) => entries.iter().all(|(_, value)| is_representable(value)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_and_new_fields_are_those_of_a_patch() {
        let before =
            "---\nname: a\nmodel: opus\ntools:\n  bash: true\n  edit: true\nold: 1\n---\nBody\n";
        for (after, expected) in [
            (before.to_owned(), "{}"),
            (before.replace("opus", "haiku"), "{\"model\":\"haiku\"}"),
            (before.replace("old: 1\n", ""), "{}"),
            (
                before.replace("edit: true", "edit: false"),
                "{\"tools\":{\"edit\":false}}",
            ),
            (before.replace("old: 1", "old: null"), "{}"),
            (before.replace("opus", "\"{{ x }}\""), "{}"),
            (
                before.replace("old: 1", "old: 1\nlist: [a, b]"),
                "{\"list\":[\"a\",\"b\"]}",
            ),
            ("No front matter\n".to_owned(), "{}"),
        ] {
            let fields = edited_fields(before, &after, Format::Markdown).to_json();
            let fields: String = fields.split_whitespace().collect();
            assert_eq!(fields, expected, "{after}");
        }
        let added = edited_fields("Body\n", "---\nmodel: opus\n---\nBody\n", Format::Markdown);
        assert_eq!(added.get("model"), Some(&Value::from("opus")));
    }
}
