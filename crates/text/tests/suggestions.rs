//! Edits that parsers suggest: after applying one, the finding is gone and the value is the same.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_diag::codes;
use agpm_text::{Format, Value, parse_alone, to_value};

fn value(text: &str, format: Format) -> Value {
    let parsed = parse_alone(text, format);
    assert!(parsed.diagnostics.is_empty(), "{text}");
    to_value(parsed.document.root().unwrap())
}

#[test]
fn an_entry_that_is_repeated_is_removed_and_nothing_else() {
    for (format, text, expected) in [
        (
            Format::Json,
            r#"{"a": 1, "b": 2, "a": 1}"#,
            r#"{"a": 1, "b": 2}"#,
        ),
        (
            Format::Json,
            "{\n  \"a\": [1],\n  \"a\": [1],\n  \"b\": 2\n}\n",
            "{\n  \"a\": [1],\n  \"b\": 2\n}\n",
        ),
        (
            Format::Yaml,
            "a: 1\nb: 2\n  # no\na: 1\nc: 3\n",
            "a: 1\nb: 2\n  # no\nc: 3\n",
        ),
        (Format::Yaml, "x: {a: 1, a: 1}\n", "x: {a: 1}\n"),
        (Format::Yaml, "x:\n  a: b\n  a: b", "x:\n  a: b\n"),
        (
            Format::Toml,
            "[t]\r\na = \"x\"\r\nb = 1\r\na = \"x\"  \r\nc = 2\r\n",
            "[t]\r\na = \"x\"\r\nb = 1\r\nc = 2\r\n",
        ),
        (
            Format::Toml,
            "a.b = { c = 1 }\na.b = { c = 1 }\n",
            "a.b = { c = 1 }\n",
        ),
        (
            Format::Toml,
            "t = { a = 1, b = 2, a = 1 }\n",
            "t = { a = 1, b = 2 }\n",
        ),
        (
            Format::Markdown,
            "---\nname: x\nname: x\n---\nBody\n",
            "---\nname: x\n---\nBody\n",
        ),
    ] {
        let found = parse_alone(text, format).diagnostics;
        let [twice] = &found[..] else {
            panic!("{text}: {found:?}");
        };
        assert_eq!(*twice.code, codes::TEXT_DUPLICATE_KEY);
        let edit = twice.edit.as_ref().unwrap_or_else(|| panic!("{text}"));
        let fixed = edit.applied_to(text);
        assert_eq!(fixed, expected);
        value(&fixed, format);
    }
}

#[test]
fn nothing_is_suggested_where_the_answer_is_not_known() {
    for (format, text) in [
        (Format::Json, r#"{"a": 1, "a": 2}"#),
        (Format::Json, r#"{"a": 1, "a": "1"}"#),
        (Format::Jsonc, "{\"a\": 1, /* why */ \"a\": 1}"),
        (Format::Yaml, "a: 1\na: 1 # why\n"),
        (Format::Yaml, "a:\n  b: 1\na:\n  b: 1\n"),
        (Format::Toml, "a = 1\na = 1 # why\n"),
        (Format::Toml, "a = [\n1]\na = [\n1]\n"),
        (Format::Toml, "[a]\n[a]\n"),
    ] {
        let found = parse_alone(text, format).diagnostics;
        assert!(!found.is_empty(), "{text}");
        assert!(
            found.iter().all(|one| one.edit.is_none()),
            "{text}: {found:?}"
        );
    }
}
