//! JSON and JSON with comments: reading, mistakes, edits, laws.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::ops::Range;

use agpm_diag::{SourceMap, has_errors};
use agpm_text::{
    Document, Edit, EditError, Format, Limits, NodeKind, NodeRef, ParsedDocument, Pointer, Value,
    equal, fingerprint, parse, print, to_value,
};
use proptest::prelude::*;

fn read(text: &str, format: Format) -> ParsedDocument {
    parse(
        SourceMap::default().add("x", text),
        text,
        format,
        Limits::default(),
    )
}

fn sound(text: &str) -> Document {
    let parsed = read(text, Format::Jsonc);
    assert!(
        parsed.diagnostics.is_empty(),
        "{text:?}: {:?}",
        parsed.diagnostics
    );
    parsed.document
}

fn value(text: &str) -> Value {
    to_value(sound(text).root().unwrap())
}

/// Every message with its line and column.
fn findings(text: &str, format: Format) -> Vec<String> {
    let mut sources = SourceMap::default();
    let id = sources.add("x", text);
    let tell = |d: &agpm_diag::Diagnostic| {
        let pointer = sources.position(id, d.labels[0].span.start);
        format!(
            "{}:{} {} {}",
            pointer.line, pointer.column, d.code.name, d.message
        )
    };
    parse(id, text, format, Limits::default())
        .diagnostics
        .iter()
        .map(tell)
        .collect()
}

#[test]
fn every_span_has_its_bytes() {
    let text = "\u{feff}{ \"a\\u00e9\" : [1, -2.5e3, true], /* c */ \"b\": {\"c\": null}, }";
    let document = sound(text);
    let slice = |node: NodeRef<'_>| &text[node.span().range()];
    let root = document.root().unwrap();
    let entries: Vec<(&str, &str)> = root.entries().map(|(k, v)| (slice(k), slice(v))).collect();
    assert_eq!(
        entries,
        [
            ("\"a\\u00e9\"", "[1, -2.5e3, true]"),
            ("\"b\"", "{\"c\": null}")
        ]
    );
    let list = root.get("aé").unwrap();
    assert_eq!(
        list.items().map(slice).collect::<Vec<_>>(),
        ["1", "-2.5e3", "true"]
    );
    assert_eq!(
        list.items().map(NodeRef::kind).collect::<Vec<_>>(),
        [NodeKind::Integer, NodeKind::Float, NodeKind::Bool]
    );
    assert_eq!(
        document.at(&"/b/c".parse().unwrap()).map(NodeRef::kind),
        Some(NodeKind::Null)
    );
}

#[test]
fn mistakes_are_all_found_with_their_places() {
    for (text, expected) in [
        (
            "{\"a\": 1 \"b\": 2,\n \"c\": }",
            &[
                "1:8 json/syntax missing comma",
                "2:7 json/syntax missing value",
            ][..],
        ),
        (
            "{a: 1, \"b\": tru}",
            &[
                "1:2 json/syntax expected a key",
                "1:13 json/syntax invalid JSON value",
            ],
        ),
        (
            "{\"a\": 1",
            &["1:1 json/syntax unclosed bracket: expected `}`"],
        ),
        ("[1, 2", &["1:1 json/syntax unclosed bracket: expected `]`"]),
        ("{\"a\": [1, 2}", &["1:12 json/syntax expected `]`"]),
        ("{\"a\": \"x\n\"}", &["1:7 json/syntax unclosed string"]),
        (
            "{\"a\": 'x'}",
            &["1:7 json/syntax strings are in double quotes"],
        ),
        (
            "[01, 1., .5, 0x1F, +1, 1e]",
            &[
                "1:2 json/syntax invalid JSON number",
                "1:6 json/syntax invalid JSON number",
                "1:10 json/syntax invalid JSON value",
                "1:14 json/syntax invalid JSON number",
                "1:20 json/syntax invalid JSON value",
                "1:21 json/syntax missing comma",
                "1:24 json/syntax invalid JSON number",
            ],
        ),
        (
            "[\"\\x\", \"\\ud800\", \"a\tb\"]",
            &[
                "1:3 json/syntax unknown escape",
                "1:9 json/syntax this is not a Unicode character",
                "1:20 json/syntax control character in a string",
            ],
        ),
        (
            "{} {}",
            &["1:4 json/syntax unexpected content after the end of the document"],
        ),
        ("/* never", &["1:1 json/syntax unclosed comment"]),
        (
            "[1,,2]",
            &["1:4 json/syntax missing value before this comma"],
        ),
        (
            "{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 3}",
            &["1:25 text/duplicate-key duplicate key `a`"],
        ),
    ] {
        assert_eq!(
            {
                let mut f = findings(text, Format::Jsonc);
                f.sort();
                f
            },
            {
                let mut e = expected.to_vec();
                e.sort_unstable();
                e
            },
            "{text}"
        );
    }
}

#[test]
fn after_the_last_mistake_that_is_reported_nothing_reaches_beyond_the_text() {
    let closed = format!("[{}1,]", ",".repeat(40));
    for text in [
        "{,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,",
        "[[,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,",
        &closed,
    ] {
        for format in [Format::Json, Format::Jsonc] {
            let root = read(text, format).document.root().unwrap().span();
            assert_eq!(root.range(), 0..text.len(), "{text}");
        }
    }
}

#[test]
fn plain_json_takes_no_comments_and_no_trailing_comma() {
    assert_eq!(
        findings("{\"a\": 1,}", Format::Json),
        ["1:8 json/syntax trailing comma before the closing bracket"]
    );
    assert_eq!(
        findings("// x\n{}", Format::Json),
        ["1:1 json/syntax comments are not allowed here"]
    );
    assert!(findings("// x\n{\"a\": [1,],}", Format::Jsonc).is_empty());
}

#[test]
fn a_part_is_a_document_with_the_places_of_the_whole() {
    let whole = sound("{\n  \"a\": 1, // one\n  \"b\": {\"c\": [\"x\\n\", 2]}\n}");
    for pointer in ["/a", "/b", "/b/c", "/b/c/0", ""] {
        let node = whole.at(&pointer.parse().unwrap()).unwrap();
        let part = whole.part(node).unwrap();
        let root = part.root().unwrap();
        assert!(equal(root, node), "{pointer}");
        assert_eq!(
            (root.span(), part.source()),
            (node.span(), whole.source()),
            "{pointer}"
        );
        assert!(part.node_count() <= whole.node_count());
    }
    let b = whole
        .part(whole.at(&"/b".parse().unwrap()).unwrap())
        .unwrap();
    let deep =
        |document: &Document, pointer: &str| document.at(&pointer.parse().unwrap()).unwrap().span();
    assert_eq!(deep(&b, "/c/1"), deep(&whole, "/b/c/1"));
    let yaml = read("a: 1", Format::Yaml).document;
    assert!(yaml.part(yaml.root().unwrap()).is_none());
}

#[test]
fn a_document_can_be_seen_from_a_node_in_every_format() {
    let texts = [
        ("[a]\nx = 1\n[b.c]\ny = [1, 2]\n[a.z]\n", Format::Toml, "/b"),
        ("a: 1\nb:\n  c: {y: [1, 2]}\n", Format::Yaml, "/b"),
        (
            "---\nb:\n  c: {y: [1, 2]}\n---\ntext\n",
            Format::Markdown,
            "/b",
        ),
    ];
    for (text, format, place) in texts {
        let whole = read(text, format).document;
        let node = whole.at(&place.parse().unwrap()).unwrap();
        let part = whole.seen_from(node);
        assert!(equal(part.root().unwrap(), node), "{text}");
        let deep = |document: &Document, pointer: &str| {
            document.at(&pointer.parse().unwrap()).unwrap().span()
        };
        assert_eq!(deep(&part, "/c/y/1"), deep(&whole, "/b/c/y/1"), "{text}");
        assert!(part.at(&"/a".parse().unwrap()).is_none(), "{text}");
    }
}

#[test]
fn documents_without_a_value_have_no_root() {
    for text in ["", "\u{feff}", " \r\n\t", "// only\n/* comments */"] {
        assert!(sound(text).root().is_none(), "{text:?}");
    }
}

#[test]
fn depth_is_limited_and_reported_once() {
    for open in ["[", "{\"a\":"] {
        let found = findings(&open.repeat(10_000), Format::Jsonc);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("text/too-deep"), "{found:?}");
    }
    let allowed = format!("{}{}", "[".repeat(256), "]".repeat(256));
    assert!(findings(&allowed, Format::Json).is_empty());
}

#[test]
fn duplicate_keys_are_found_in_large_maps_too() {
    let many: String = (0..1000).map(|n| format!("\"k{n}\": {n}, ")).collect();
    let found = findings(&format!("{{{many}\"k500\": 1}}"), Format::Jsonc);
    assert_eq!(found.len(), 1, "{found:?}");
}

/// `set /a 1`, `remove /a`, `insert /l/0 1`, `append /l 1`.
fn edit_of(line: &str) -> Edit {
    let mut words = line.splitn(3, ' ');
    let (verb, at) = (
        words.next().unwrap(),
        words.next().unwrap().parse::<Pointer>().unwrap(),
    );
    let new = words.next().map(value);
    match (verb, new) {
        ("set", Some(value)) => Edit::Set { at, value },
        ("remove", None) => Edit::Remove { at },
        ("insert", Some(value)) => Edit::Insert { at, value },
        ("append", Some(value)) => Edit::Append { to: at, value },
        _ => panic!("{line}"),
    }
}

#[test]
fn edits_change_their_node_and_nothing_else() {
    for (text, edit, expected) in [
        // values in place
        ("{\"a\": 1} // end", "set /a 2", "{\"a\": 2} // end"),
        (
            "{\n  \"a\" : 'x'\n}".replace('\'', "\"").as_str(),
            "set /a {\"b\":[1]}",
            "{\n  \"a\" : {\n    \"b\": [\n      1\n    ]\n  }\n}",
        ),
        (
            "{\"a\":1,\"b\":2}",
            "set /a {\"c\": [1, 2]}",
            "{\"a\":{\"c\":[1,2]},\"b\":2}",
        ),
        (
            "{\"a\": 1, \"b\": 2}",
            "set /a [1, 2]",
            "{\"a\": [1, 2], \"b\": 2}",
        ),
        ("[1, 2]", "set /1 null", "[1, null]"),
        ("1", "set  {\"a\": 1}", "{\n  \"a\": 1\n}"),
        // new keys
        ("{}", "set /a 1", "{\n  \"a\": 1\n}"),
        (
            "{}\n",
            "set /a/b/c 1",
            "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}\n",
        ),
        ("{\"a\": 1}", "set /b 2", "{\"a\": 1, \"b\": 2}"),
        ("{ \"a\": 1 }", "set /b 2", "{ \"a\": 1, \"b\": 2 }"),
        ("{\"a\": 1,}", "set /b 2", "{\"a\": 1, \"b\": 2}"),
        (
            "{\n  \"a\": 1\n}",
            "set /b 2",
            "{\n  \"a\": 1,\n  \"b\": 2\n}",
        ),
        (
            "{\n  \"a\": 1, // last\n}",
            "set /b 2",
            "{\n  \"a\": 1, // last\n  \"b\": 2,\n}",
        ),
        (
            "{\n  \"a\": 1 // last\n  // tail\n}",
            "set /b 2",
            "{\n  \"a\": 1, // last\n  \"b\": 2\n  // tail\n}",
        ),
        (
            "{\r\n\t\"a\": {}\r\n}\r\n",
            "set /a/b [1]",
            "{\r\n\t\"a\": {\r\n\t\t\"b\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n",
        ),
        (
            "{\n    \"a\": {\n        \"x\": 1\n    }\n}",
            "set /a/y 2",
            "{\n    \"a\": {\n        \"x\": 1,\n        \"y\": 2\n    }\n}",
        ),
        ("{ // why\n}", "set /a 1", "{ // why\n  \"a\": 1\n}"),
        (
            "\u{feff}{\"a\": 1}",
            "set /b 2",
            "\u{feff}{\"a\": 1, \"b\": 2}",
        ),
        ("", "set /a 1", "{\n  \"a\": 1\n}\n"),
        ("// head\n", "set /a 1", "// head\n{\n  \"a\": 1\n}\n"),
        // removed keys
        (
            "{\"a\": 1, \"b\": 2, \"c\": 3}",
            "remove /a",
            "{\"b\": 2, \"c\": 3}",
        ),
        (
            "{\"a\": 1, \"b\": 2, \"c\": 3}",
            "remove /b",
            "{\"a\": 1, \"c\": 3}",
        ),
        (
            "{\"a\": 1, \"b\": 2, \"c\": 3}",
            "remove /c",
            "{\"a\": 1, \"b\": 2}",
        ),
        ("{\"a\": 1}", "remove /a", "{}"),
        ("{\n  \"a\": 1\n}\n", "remove /a", "{}\n"),
        (
            "{\n  \"a\": 1,\n  \"b\": 2\n}",
            "remove /b",
            "{\n  \"a\": 1\n}",
        ),
        (
            "{\n  \"a\": 1, // one\n  // about b\n  \"b\": 2, // two\n  \"c\": 3\n}",
            "remove /b",
            "{\n  \"a\": 1, // one\n  // about b\n  \"c\": 3\n}",
        ),
        (
            "{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}",
            "remove /b",
            "{\n  \"a\": 1 // one\n}",
        ),
        (
            "{\n  \"a\": 1,\n  \"b\": 2,\n}",
            "remove /b",
            "{\n  \"a\": 1,\n}",
        ),
        (
            "{\n  // all about it\n  \"a\": 1\n}",
            "remove /a",
            "{\n  // all about it\n}",
        ),
        // items
        ("[1, 2]", "append  3", "[1, 2, 3]"),
        ("[]", "append  3", "[\n  3\n]"),
        ("{\"l\": []}", "append /l 3", "{\"l\": [3]}"),
        ("[1,2]", "insert /1 9", "[1,9,2]"),
        ("[1, 2]", "insert /0 9", "[9, 1, 2]"),
        (
            "[\n  1, // one\n  2\n]",
            "insert /1 9",
            "[\n  1, // one\n  9,\n  2\n]",
        ),
        ("[\n  1,\n  2\n]", "insert /0 9", "[\n  9,\n  1,\n  2\n]"),
        (
            "[\n  1,\n  2\n]",
            "append  {\"a\": 1}",
            "[\n  1,\n  2,\n  {\n    \"a\": 1\n  }\n]",
        ),
        ("[1, 1, 1]", "remove /1", "[1, 1]"),
        (
            "[\n  {\"id\": 1}\n]",
            "append  {\"id\": 2}",
            "[\n  {\"id\": 1},\n  {\"id\": 2}\n]",
        ),
        (
            "[\n  1, // first\n  1 // second\n]",
            "remove /0",
            "[\n  1 // second\n]",
        ),
        (
            "[\n  1, // one\n  2 // two\n]",
            "set /0 9",
            "[\n  9, // one\n  2 // two\n]",
        ),
        (
            "[\n  1, // one\n  2 // two\n]",
            "set  [2, 3]",
            "[\n  2,\n  3\n]",
        ),
        (
            "{\"l\": [\n  {\"id\": 1, \"x\": 1} // one\n]}",
            "set /l [{\"id\": 1, \"x\": 2}]",
            "{\"l\": [\n  {\"id\": 1, \"x\": 2} // one\n]}",
        ),
        ("[1, // first\n 2]", "append  3", "[1, // first\n 2, 3]"),
    ] {
        let edited = sound(text).edit(&edit_of(edit));
        assert_eq!(edited.as_deref(), Ok(expected), "{text}  <-  {edit}");
    }
}

#[test]
fn inserted_lines_are_removed_without_a_trace() {
    for text in [
        "{\n  \"a\": 1  \n}",
        "{\n  \"a\": 1, \t\n}",
        "{\n  \"a\": 1,\r\n  \"b\": 2\r\n}\n",
        "{\r\n  \"a\": 1\n}",
        "{\n  \"a\": 1 // why  \r\n\n  // last\n}",
    ] {
        let with = sound(text).edit(&edit_of("set /new {\"x\": 1}")).unwrap();
        let without = sound(&with).edit(&edit_of("remove /new"));
        assert_eq!(without.as_deref(), Ok(text), "{with}");
    }
}

#[test]
fn edits_that_make_no_sense_are_refused() {
    let refused =
        |text: &str, edit: &str| sound(text).edit(&edit_of(edit)).unwrap_err().to_string();
    assert_eq!(refused("{\"a\": 1}", "remove /b"), "nothing found at `/b`");
    assert_eq!(refused("{\"a\": 1}", "set /a/b 1"), "`/a` is a number");
    assert_eq!(refused("{\"a\": 1}", "insert /a 1"), "`/a` already exists");
    assert_eq!(refused("[1]", "insert /7 1"), "nothing found at `/7`");
    assert_eq!(refused("[1]", "set /7 1"), "nothing found at `/7`");
    assert_eq!(refused("{\"a\": 1}", "append /a 1"), "`/a` is a number");
    let infinite = Edit::Set {
        at: "/a".parse().unwrap(),
        value: to_value(parse_toml("x = inf").root().unwrap().get("x").unwrap()),
    };
    assert!(matches!(
        sound("{}").edit(&infinite),
        Err(EditError::Unrepresentable { .. })
    ));
}

fn parse_toml(text: &str) -> Document {
    read(text, Format::Toml).document
}

fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |n| n.is_finite())
            .prop_map(|n| value(&format!("{n:?}"))),
        any::<String>().prop_map(Value::from),
        "[a-z/~\"\\\\ \n\t\u{1}]{0,5}".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map("[a-c\"~/]{0,2}", inner, 0..4).prop_map(Value::map),
        ]
    })
}

/// Prints a value with random layout, comments and commas; all comments are different.
struct Scribe {
    seed: u64,
    out: String,
    comments: usize,
}

impl Scribe {
    fn write(value: &Value, seed: u64) -> String {
        let mut scribe = Scribe {
            seed: seed | 1,
            out: String::new(),
            comments: 0,
        };
        if scribe.one_in(6) {
            scribe.out.push('\u{feff}');
        }
        scribe.gap();
        scribe.value(value);
        scribe.gap();
        if scribe.one_in(3) {
            scribe.out.replace('\n', "\r\n")
        } else {
            scribe.out
        }
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11).is_multiple_of(n)
    }

    fn gap(&mut self) {
        if self.one_in(3) {
            self.out.push_str("\n  ");
        }
        if self.one_in(6) {
            self.comments += 1;
            self.out.push_str(&format!("/*c{}c*/", self.comments));
        } else if self.one_in(6) {
            self.comments += 1;
            self.out.push_str(&format!("//c{}c\n", self.comments));
        }
        if self.one_in(3) {
            self.out.push(' ');
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::List(items) => {
                self.out.push('[');
                self.children(items.len(), |scribe, at| scribe.value(&items[at]));
                self.out.push(']');
            }
            Value::Map(entries) => {
                self.out.push('{');
                self.children(entries.len(), |scribe, at| {
                    let (key, value) = &entries[at];
                    scribe.value(&Value::from(key.as_str()));
                    scribe.gap();
                    scribe.out.push(':');
                    scribe.gap();
                    scribe.value(value);
                });
                self.out.push('}');
            }
            scalar => self.out.push_str(scalar.to_json().trim_end()),
        }
    }

    fn children(&mut self, count: usize, mut child: impl FnMut(&mut Self, usize)) {
        for at in 0..count {
            self.gap();
            child(self, at);
            self.gap();
            if at + 1 < count || self.one_in(4) {
                self.out.push(',');
            }
        }
        self.gap();
    }
}

fn pointers(node: NodeRef<'_>, at: &Pointer, out: &mut Vec<Pointer>) {
    out.push(at.clone());
    node.entries()
        .for_each(|(key, value)| pointers(value, &at.child(key.content()), out));
    node.items()
        .enumerate()
        .for_each(|(index, item)| pointers(item, &at.child(index.to_string()), out));
}

/// An edit at a pointer, and the range that it may change: that of its container for insertions and removals.
fn edit_at(
    document: &Document,
    at: &Pointer,
    verb: u8,
    value: Value,
) -> Option<(Edit, Range<usize>)> {
    let node = document.at(at)?;
    let own = node.span().range();
    let container = |at: &Pointer| Some(document.at(&at.split_last()?.0)?.span().range());
    Some(match (verb % 4, node.kind()) {
        (0, _) => (
            Edit::Set {
                at: at.clone(),
                value,
            },
            own,
        ),
        (1, _) => (Edit::Remove { at: at.clone() }, container(at)?),
        (2, NodeKind::List) => (
            Edit::Append {
                to: at.clone(),
                value,
            },
            own,
        ),
        (2, NodeKind::Map) if node.get("new").is_none() => (
            Edit::Insert {
                at: at.child("new"),
                value,
            },
            own,
        ),
        (3, NodeKind::List) => (
            Edit::Insert {
                at: at.child("0"),
                value,
            },
            own,
        ),
        _ => return None,
    })
}

/// Comments outside the range that an edit may replace.
fn comments<'t>(text: &'t str, except: &Range<usize>) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..]
        .find("/*c")
        .or_else(|| text[at..].find("//c"))
        .map(|n| at + n)
    {
        let name = &text[start + 2..];
        let length = name[1..].find('c').unwrap() + 2;
        if !except.contains(&start) {
            found.push(&name[..length]);
        }
        at = start + 2 + length;
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn printing_loses_nothing(value in any_value()) {
        let text = print(&value, Format::Json).unwrap();
        let again = read(&text, Format::Json);
        prop_assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
        prop_assert!(equal(again.document.root().unwrap(), &value), "{text}");
    }

    #[test]
    fn any_layout_reads_as_its_value(value in any_value(), seed in any::<u64>()) {
        let text = Scribe::write(&value, seed);
        let document = sound(&text);
        prop_assert!(equal(document.root().unwrap(), &value), "{text}");
    }

    #[test]
    fn an_edit_changes_only_its_node(value in any_value(), seed in any::<u64>(), pointer in any::<prop::sample::Index>(), verb: u8, new in any_value()) {
        let text = Scribe::write(&value, seed);
        let document = sound(&text);
        let mut all = Vec::new();
        pointers(document.root().unwrap(), &Pointer::root(), &mut all);
        let at = &all[pointer.index(all.len())];
        let Some((edit, region)) = edit_at(&document, at, verb, new) else { return Ok(()) };
        let edited = document.edit(&edit).unwrap();
        prop_assert!(edited.starts_with(&text[..region.start]), "{text:?}\n{edit:?}\n{edited:?}");
        prop_assert!(edited.ends_with(&text[region.end..]), "{text:?}\n{edit:?}\n{edited:?}");
        if let Edit::Append { .. } | Edit::Insert { .. } = edit {
            for comment in comments(&text, &(0..0)) {
                prop_assert!(edited.contains(comment), "lost {comment}: {text:?}\n{edit:?}\n{edited:?}");
            }
        }
    }

    #[test]
    fn no_edit_gives_the_same_bytes(value in any_value(), seed in any::<u64>()) {
        let text = Scribe::write(&value, seed);
        let document = sound(&text);
        prop_assert_eq!(document.rewrite(&value).unwrap().to_string(), text.clone());
        prop_assert_eq!(document.edit(&Edit::Set { at: Pointer::root(), value }).unwrap(), text);
    }

    #[test]
    fn a_rewrite_reads_as_its_target(value in any_value(), seed in any::<u64>(), target in any_value()) {
        let document = sound(&Scribe::write(&value, seed));
        let text = document.rewrite(&target).unwrap().to_string();
        prop_assert!(equal(sound(&text).root().unwrap(), &target), "{text}");
    }

    #[test]
    fn nothing_makes_the_reader_fall(text in "[\\[\\]{}:,\"'/* \n\r\\\\u01e.ntf\u{1}é-]{0,60}") {
        for format in [Format::Json, Format::Jsonc] {
            let parsed = read(&text, format);
            if !has_errors(&parsed.diagnostics) && let Some(root) = parsed.document.root() {
                let value = to_value(root);
                prop_assert_eq!(parsed.document.rewrite(&value).unwrap().to_string(), text.clone());
            }
        }
    }

    #[test]
    fn no_bytes_make_the_reader_fall(text in any::<String>()) {
        read(&text, Format::Jsonc);
    }
}

#[test]
fn numbers_are_equal_by_value() {
    for (left, right) in [("0", "-0"), ("-0", "0.0"), ("1", "1.0"), ("1e2", "100")] {
        assert!(equal(&value(left), &value(right)), "{left} {right}");
        assert_eq!(
            fingerprint(&value(left)),
            fingerprint(&value(right)),
            "{left} {right}"
        );
    }
    assert!(!equal(
        &value("9007199254740993"),
        &value("9007199254740992")
    ));
}
