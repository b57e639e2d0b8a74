//! CSV: records with spans, and their mistakes.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_diag::{SourceMap, has_errors};
use agpm_text::{Format, Limits, ParsedDocument, Value, parse, to_value};
use proptest::prelude::*;

fn read(text: &str) -> ParsedDocument {
    let mut sources = SourceMap::default();
    parse(
        sources.add("t.csv", text),
        text,
        Format::Csv,
        Limits::default(),
    )
}

fn json(text: &str) -> String {
    let parsed = read(text);
    assert!(
        !has_errors(&parsed.diagnostics),
        "{text:?}: {:?}",
        parsed.diagnostics
    );
    to_value(parsed.document.root().unwrap())
        .to_json()
        .lines()
        .map(str::trim_start)
        .collect::<String>()
        .replace("\": ", "\":")
}

#[test]
fn records_are_maps_from_header_to_text() {
    for (text, expected) in [
        ("a,b\n", "[]"),
        ("a,b\n1,2\n", r#"[{"a":"1","b":"2"}]"#),
        (
            "\u{feff}a,b\r\n1,2\r\n\r\n3,4",
            r#"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#,
        ),
        (" a , b \n x y ,\t2\t\n", r#"[{"a":"x y","b":"2"}]"#),
        (
            "a,b\n\"x,\"\"y\"\"\", \" 2 \" \n",
            r#"[{"a":"x,\"y\"","b":" 2 "}]"#,
        ),
        ("a,b\n\"one\r\ntwo\",2", r#"[{"a":"one\r\ntwo","b":"2"}]"#),
        ("a\n\"\"\n", r#"[{"a":""}]"#),
        ("a\n\"\"\"\"\n", r#"[{"a":"\""}]"#),
        ("a,b\n,\n", r#"[{"a":"","b":""}]"#),
        ("a,b\n1\n1,2,3\n", r#"[{"a":"1"},{"a":"1","b":"2"}]"#),
        ("\"a,b\",\"c\"\"d\"\n1,2", r#"[{"a,b":"1","c\"d":"2"}]"#),
        ("a,b\nx\"y,\"z\"\n", r#"[{"a":"x\"y","b":"z"}]"#),
    ] {
        assert_eq!(json(text), expected, "{text:?}");
    }
}

#[test]
fn findings_have_a_code_and_a_line() {
    for (text, expected) in [
        (
            "a,b\n1\n1,2\n1,2,3\n",
            vec![("csv/ragged", 2), ("csv/ragged", 4)],
        ),
        ("a,b\n1,\"2\n3,4\n", vec![("csv/quote", 2)]),
        ("a,b\n1,\"2\" x\n3,4\n", vec![("csv/quote", 2)]),
        ("", vec![("csv/header", 1)]),
        ("\n \r\n", vec![("csv/header", 1)]),
        ("a,b,a\n", vec![("csv/header", 1)]),
        ("\na,,b\n1,2,3\n", vec![("csv/header", 2)]),
        (",\n", vec![("csv/header", 1), ("csv/header", 1)]),
    ] {
        let mut sources = SourceMap::default();
        let id = sources.add("t.csv", text);
        let parsed = parse(id, text, Format::Csv, Limits::default());
        let found: Vec<(&str, usize)> = parsed
            .diagnostics
            .iter()
            .map(|d| {
                (
                    d.code.name,
                    sources.position(id, d.labels[0].span.start).line,
                )
            })
            .collect();
        assert_eq!(found, expected, "{text:?}");
        assert!(parsed.diagnostics.iter().all(|d| d.help.is_some()));
    }
}

#[test]
fn spans_are_the_bytes_of_fields_and_keys_are_shared() {
    let text = "\u{feff}a, \"b\"\r\n 1 ,\"x\"\"y\"\r\n2,3\r\n";
    let parsed = read(text);
    let records: Vec<_> = parsed.document.root().unwrap().items().collect();
    let slices = |record: usize| -> Vec<&str> {
        records[record]
            .entries()
            .flat_map(|(k, v)| [&text[k.span().range()], &text[v.span().range()]])
            .collect()
    };
    assert_eq!(slices(0), ["a", "1", "\"b\"", "\"x\"\"y\""]);
    assert_eq!(slices(1), ["a", "2", "\"b\"", "3"]);
    assert_eq!(&text[records[0].span().range()], " 1 ,\"x\"\"y\"");
    let keys = |record: usize| {
        records[record]
            .entries()
            .map(|(key, _)| key.id())
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(0), keys(1));
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_records_read_back(rows in prop::collection::vec(prop::collection::vec("[ab\",\r\n é]{0,5}", 3), 0..6)) {
        let line = |row: &Vec<String>| row.iter().map(|f| quoted(f)).collect::<Vec<_>>().join(",");
        let text = ["x,y,z".to_owned()].into_iter().chain(rows.iter().map(line)).collect::<Vec<_>>().join("\r\n");
        let parsed = read(&text);
        prop_assert!(parsed.diagnostics.is_empty());
        let expected = Value::list(rows.iter().map(|row| Value::map(["x", "y", "z"].into_iter().zip(row.iter().map(|f| Value::from(f.as_str()))))));
        prop_assert_eq!(to_value(parsed.document.root().unwrap()), expected);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[ab\",\r\n\t é]{0,40}") {
        let parsed = read(&text);
        for diagnostic in &parsed.diagnostics {
            prop_assert!(text.get(diagnostic.labels[0].span.range()).is_some());
        }
    }
}
