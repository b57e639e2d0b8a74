//! YAML: what is read, where it stands, what is refused, how it is printed and edited.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_diag::SourceMap;
use agpm_text::{Format, Kind, Limits, NodeRef, Parsed, Value, equal, parse, to_value};

fn read(text: &str) -> Parsed {
    let mut sources = SourceMap::default();
    let source = sources.add("x.yaml", text);
    parse(source, text, Format::Yaml, Limits::default())
}

/// Every key and value with the text of its span, depth first.
fn spans(text: &str) -> String {
    fn walk(node: NodeRef<'_>, out: &mut Vec<String>) {
        out.push(format!("{:?}", &node.document().text()[node.span().range()]));
        node.items().for_each(|item| walk(item, out));
        for (key, value) in node.entries() {
            out.push(format!("{:?}", &key.document().text()[key.span().range()]));
            walk(value, out);
        }
    }
    let parsed = read(text);
    assert!(parsed.diagnostics.is_empty(), "{text:?}: {:?}", parsed.diagnostics);
    let mut out = Vec::new();
    walk(parsed.document.root().unwrap(), &mut out);
    out.join(" ")
}

fn json(text: &str) -> String {
    let parsed = read(text);
    assert!(parsed.diagnostics.is_empty(), "{text:?}: {:?}", parsed.diagnostics);
    let value = parsed.document.root().map_or(Value::Null, to_value);
    value.to_json().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn spans_are_exact() {
    let table: &[(&str, &str)] = &[
        ("a: b c  # comment\n", r#""a: b c" "a" "b c""#),
        ("d: two\n  lines\n\n# tail\n", r#""d: two\n  lines" "d" "two\n  lines""#),
        ("'a': \"x\\ty\"  # c\n", r#""'a': \"x\\ty\"" "'a'" "\"x\\ty\"""#),
        ("é: ü\nk: 'ß' # c", r#""é: ü\nk: 'ß'" "é" "ü" "k" "'ß'""#),
        ("a: |\n  one\n  two\n\nb: 1\n", r#""a: |\n  one\n  two\n\nb: 1" "a" "|\n  one\n  two" "b" "1""#),
        ("b: >-  # c\n  x\n  y\n\n# after\n", r#""b: >-  # c\n  x\n  y" "b" ">-  # c\n  x\n  y""#),
        ("c: |2+\n    i\n\n", r#""c: |2+\n    i\n" "c" "|2+\n    i\n""#),
        ("c: |\nd: 1\n", r#""c: |\nd: 1" "c" "|" "d" "1""#),
        ("c: |", r#""c: |" "c" "|""#),
        ("a: |\n  one", r#""a: |\n  one" "a" "|\n  one""#),
        ("a: |\r\n  one\r\n\r\nb: 2\r\n", r#""a: |\r\n  one\r\n\r\nb: 2" "a" "|\r\n  one" "b" "2""#),
        (
            "m:\n  x: 1 # c\n  # tail of m\n\n# before n\nn:\n  - p\n  - q: r\n    s: t\n",
            r#""m:\n  x: 1 # c\n  # tail of m\n\n# before n\nn:\n  - p\n  - q: r\n    s: t" "m" "x: 1" "x" "1" "n" "- p\n  - q: r\n    s: t" "p" "q: r\n    s: t" "q" "r" "s" "t""#,
        ),
        ("m:\n- a\n- b\nn: 1\n", r#""m:\n- a\n- b\nn: 1" "m" "- a\n- b" "a" "b" "n" "1""#),
        (
            "m: { a: 1, b: [x, 'y'], c, d: , \"e\":2 }  # c\n",
            r#""m: { a: 1, b: [x, 'y'], c, d: , \"e\":2 }" "m" "{ a: 1, b: [x, 'y'], c, d: , \"e\":2 }" "a" "1" "b" "[x, 'y']" "x" "'y'" "c" "" "d" "" "\"e\"" "2""#,
        ),
        (
            "m: {\n  a: 1, # }\n  b: 2,\n}\n",
            r#""m: {\n  a: 1, # }\n  b: 2,\n}" "m" "{\n  a: 1, # }\n  b: 2,\n}" "a" "1" "b" "2""#,
        ),
        ("[a: b, c,]\n", r#""[a: b, c,]" "a: b" "a" "b" "c""#),
        ("a: {}\nb: [ ]\n", r#""a: {}\nb: [ ]" "a" "{}" "b" "[ ]""#),
        (
            "a: &x 1\nb: *x\nd: &bm\n  k: v\ne: &s\n- 1\nf: &nul\n",
            r#""a: &x 1\nb: *x\nd: &bm\n  k: v\ne: &s\n- 1\nf: &nul" "a" "1" "b" "*x" "d" "k: v" "k" "v" "e" "- 1" "1" "f" """#,
        ),
        ("a: !!str &y 'q' # c\n", r#""a: !!str &y 'q'" "a" "'q'""#),
        ("&k a: 1\n", r#""&k a: 1" "a" "1""#),
        (
            "a:\nb: \nc: ~\nf:   # c\ng: ''\n",
            r#""a:\nb: \nc: ~\nf:   # c\ng: ''" "a" "" "b" "" "c" "~" "f" "" "g" "''""#,
        ),
        ("-\n- \n- a\n- # c\n", r#""-\n- \n- a\n-" "" "" "a" """#),
        ("? a\n: b\n? c\n", r#""? a\n: b\n? c" "a" "b" "c" """#),
        ("- - x\n  - y\n- z", r#""- - x\n  - y\n- z" "- x\n  - y" "x" "y" "z""#),
        ("%YAML 1.2\n---\na: 1\n...\n", r#""a: 1" "a" "1""#),
        ("--- |\n  x\n", r#""|\n  x""#),
        ("\u{feff}é: 1\n", r#""é: 1" "é" "1""#),
    ];
    for (text, expected) in table {
        assert_eq!(spans(text), *expected, "{text:?}");
    }
}

#[test]
fn scalars_mean_what_the_core_schema_says() {
    let table: &[(&str, &str)] = &[
        ("[null, ~, Null, NULL, '']", r#"[ null, null, null, null, "" ]"#),
        ("[true, True, FALSE, yes, on, y]", r#"[ true, true, false, "yes", "on", "y" ]"#),
        ("[1, +1, -1, 010, -007, 0, -0, 1_000]", r#"[ 1, 1, -1, 10, -7, 0, -0, "1_000" ]"#),
        ("[0o17, 0x1F, 0b1, 0x, -0x1]", r#"[ 15, 31, "0b1", "0x", "-0x1" ]"#),
        (
            "[0xffffffffffffffffffffffffffffffffffffffff]",
            "[ 1461501637330902918203684832716283019655932542975 ]",
        ),
        ("[.5, 1., 1.5, 01.5, +1.0, 1e5, 1.e5, -.5E-3]", "[ 0.5, 1.0, 1.5, 1.5, 1.0, 1e5, 1.0e5, -0.5E-3 ]"),
        (
            "[., +, 1e, ., .e1, 1.2.3, 12:30, 2001-01-01]",
            r#"[ ".", "+", "1e", ".", ".e1", "1.2.3", "12:30", "2001-01-01" ]"#,
        ),
        ("[!!str 1, !!int '7', !!float 1, !!bool true, !!null '']", r#"[ "1", 7, 1.0, true, null ]"#),
        ("a: >\n  x\n  y\n\n  z\nb: |-\n  1\n", r#"{ "a": "x y\nz\n", "b": "1" }"#),
        ("\"\\u00e9\\x41\\n\": 'it''s'", r#"{ "éA\n": "it's" }"#),
        ("0x1F: a\n~: b\ntrue: c\n", r#"{ "0x1F": "a", "~": "b", "true": "c" }"#),
        ("", "null"),
        ("# only\n", "null"),
        ("---\n", "null"),
    ];
    for (text, expected) in table {
        assert_eq!(json(text), *expected, "{text:?}");
    }
    let floats = read("[.inf, -.inf, +.INF, .nan]");
    let texts: Vec<_> = floats.document.root().unwrap().items().map(NodeRef::content).collect();
    assert_eq!(texts, ["inf", "-inf", "inf", "nan"]);
    assert!(floats.document.root().unwrap().items().all(|item| item.kind() == Kind::Float));
}

#[test]
fn aliases_and_merge_keys_are_followed() {
    let table: &[(&str, &str)] = &[
        ("a: &x [1, 2]\nb: *x\n", r#"{ "a": [ 1, 2 ], "b": [ 1, 2 ] }"#),
        ("a: &x k\n*x : 2\n", r#"{ "a": "k", "k": 2 }"#),
        ("&k 1: v\nb: *k\n", r#"{ "1": "v", "b": 1 }"#),
        ("a: &x 1\nb: &x 2\nc: *x\n", r#"{ "a": 1, "b": 2, "c": 2 }"#),
        (
            "m: &m {a: 1, b: 2}\nn:\n  b: 3\n  <<: *m\n  c: 4\n",
            r#"{ "m": { "a": 1, "b": 2 }, "n": { "b": 3, "a": 1, "c": 4 } }"#,
        ),
        (
            "- &p {a: 1, b: 2}\n- &q {b: 3, c: 4}\n- <<: [*p, *q]\n",
            r#"[ { "a": 1, "b": 2 }, { "b": 3, "c": 4 }, { "a": 1, "b": 2, "c": 4 } ]"#,
        ),
        ("<<: {a: 1}\nb: 2\n", r#"{ "a": 1, "b": 2 }"#),
        ("\"<<\": {a: 1}\n", r#"{ "<<": { "a": 1 } }"#),
        (
            "a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b, x: 3}\n",
            r#"{ "a": { "x": 1 }, "b": { "x": 1, "y": 2 }, "c": { "y": 2, "x": 3 } }"#,
        ),
    ];
    for (text, expected) in table {
        assert_eq!(json(text), *expected, "{text:?}");
    }
}

#[test]
fn mistakes_are_reported_with_code_and_line() {
    let deep = "- ".repeat(10_000) + "x";
    let flow = "[".repeat(10_000);
    let laughs = billion_laughs();
    let chain = alias_chain();
    let table: &[(&str, &str, usize)] = &[
        ("a: 1\na: 2\n", "text/duplicate-key", 2),
        ("a:\n\tb: 1\n", "yaml/syntax", 2),
        ("a: [1, 2\nb: 3\n", "yaml/syntax", 2),
        ("a: \"x\nb: 3\n", "yaml/syntax", 1),
        ("a: 1\n  b: 2\n", "yaml/syntax", 2),
        ("é: b: c\n", "yaml/syntax", 1),
        ("a: @x\n", "yaml/syntax", 1),
        ("a: \"\\q\"\n", "yaml/syntax", 1),
        ("a: 1\n---\nb: 2\n", "yaml/documents", 2),
        ("a: *zz\n", "yaml/alias", 1),
        ("a: &x\n  b: *x\n", "yaml/alias", 2),
        ("a: &x 1\n---\nb: *x\n", "yaml/documents", 2),
        ("a: 1\nb: !local x\n", "yaml/tag", 2),
        ("a: !!int x\n", "yaml/tag", 1),
        ("a: !!map [x]\n", "yaml/tag", 1),
        ("a: !!seq\n  b: 1\n", "yaml/tag", 2),
        ("a: ! x\n", "yaml/tag", 1),
        ("a: !!binary x\n", "yaml/tag", 1),
        ("a: !e!x y\n", "yaml/tag", 1),
        ("a: 1\n? [x, y]\n: z\n", "yaml/key", 2),
        ("{a: b}: c\n", "yaml/key", 1),
        ("a: &x [1]\n*x : 2\n", "yaml/key", 2),
        ("<<: 1\n", "yaml/merge-key", 1),
        ("a: 1\n<<: [{b: 1}, 2]\n", "yaml/merge-key", 2),
        ("<<: {a: 1}\n<<: {b: 1}\n", "yaml/merge-key", 2),
        (&deep, "text/too-deep", 1),
        (&flow, "text/too-deep", 1),
        (&chain, "text/too-deep", 256),
        (&laughs, "yaml/alias", 7),
    ];
    for (text, code, line) in table {
        let parsed = read(text);
        let first = parsed.diagnostics.first().unwrap_or_else(|| panic!("{text:?} has no error"));
        let mut sources = SourceMap::default();
        let source = sources.add("x", *text);
        let found = sources.place(source, first.labels[0].span.start).line;
        let shown: String = text.chars().take(40).collect();
        assert_eq!((first.code.name, found), (*code, *line), "{shown:?}: {}", first.message);
        assert!(first.help.is_some());
    }
}

fn billion_laughs() -> String {
    let mut text = "l0: &l0 [x]\n".to_owned();
    for level in 1..30 {
        let aliases = vec![format!("*l{}", level - 1); 9].join(", ");
        text.push_str(&format!("l{level}: &l{level} [{aliases}]\n"));
    }
    text
}

fn alias_chain() -> String {
    (0..10_000).fold("- &a0 []\n".to_owned(), |text, at| text + &format!("- &a{} [*a{at}]\n", at + 1))
}

#[test]
fn what_was_understood_before_a_mistake_stays() {
    let parsed = read("a: 1\nb:\n  c: [x, y\nd: 1\n");
    assert!(!parsed.diagnostics.is_empty());
    let expected = Value::map([("a", Value::from(1i64))]);
    assert!(equal(parsed.document.root().unwrap().get("a").unwrap(), expected.get("a").unwrap()));
}

fn printed(value: &Value) -> String {
    agpm_text::print(value, Format::Yaml).unwrap()
}

#[test]
fn strings_are_quoted_where_any_reader_would_trip() {
    let plain = [
        "a",
        "hello world",
        "a:b",
        "http://x.y/z?q=1",
        "1.2.3",
        "-x",
        "--flag",
        "/usr/bin",
        "./run",
        "$HOME",
        "a#b",
        "é",
        "it's",
        "a, b",
        "x[0]",
        "${A}",
        "v1.0",
        "10 apples are",
        "<p>",
        "日本",
        "😀",
    ];
    for text in plain {
        assert_eq!(printed(&Value::from(text)), format!("{text}\n"));
    }
    let quoted = [
        "",
        " a",
        "a ",
        "y",
        "No",
        "ON",
        "off",
        "true",
        "Null",
        "~",
        "1",
        "010",
        "1_000",
        "12:30",
        "0b1",
        "0x1",
        "1e5",
        ".5",
        "+1",
        "2001-01-01",
        "2001-12-14t21:59:43.10-05:00",
        "=",
        "<<",
        "- a",
        "-",
        "--",
        "---",
        "...",
        "? a",
        ": a",
        "a: b",
        "a:",
        "a #b",
        "#a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "'a'",
        "@a",
        "`a`",
        "%a",
        "{a",
        "[a",
        "]",
        ",",
        ".inf",
        ".NaN",
        "-.inf",
        "1.",
        "\u{feff}a",
        "a\u{2028}b",
        "\u{85}",
        "\u{7f}",
    ];
    for text in quoted {
        assert!(printed(&Value::from(text)).starts_with('"'), "{text:?} -> {}", printed(&Value::from(text)));
    }
}

#[test]
fn printing_is_block_style() {
    let table: &[(&str, &str)] = &[
        (
            "{\"a\": {\"b\": [1, {\"c\": 2, \"d\": []}], \"e\": {}}}",
            "a:\n  b:\n    - 1\n    - c: 2\n      d: []\n  e: {}\n",
        ),
        ("[[1, [2]], {}]", "- - 1\n  - - 2\n- {}\n"),
        (
            r#"{"t": "one\ntwo\n", "u": "one\ntwo", "v": "one\n\ntwo\n\n", "w": 1}"#,
            "t: |\n  one\n  two\nu: |-\n  one\n  two\nv: |+\n  one\n\n  two\n\nw: 1\n",
        ),
        (
            r#"["a\nb", " a\nb", "a \nb", "\n", "a\n\tb"]"#,
            "- |-\n  a\n  b\n- \" a\\nb\"\n- \"a \\nb\"\n- \"\\n\"\n- \"a\\n\\tb\"\n",
        ),
        (r#"{"yes": null, "a b": 1.5, "x: y": true}"#, "\"yes\": null\na b: 1.5\n\"x: y\": true\n"),
        (r#""a\nb\n""#, "|\n  a\n  b\n"),
    ];
    for (source, expected) in table {
        let mut sources = SourceMap::default();
        let parsed = parse(sources.add("x", *source), *source, Format::Json, Limits::default());
        let value = to_value(parsed.document.root().unwrap());
        assert_eq!(printed(&value), *expected);
        assert!(equal(read(expected).document.root().unwrap(), &value), "{expected}");
    }
    let long = Value::map([("k".repeat(2000), Value::map([("a", Value::from(1i64))]))]);
    assert!(equal(read(&printed(&long)).document.root().unwrap(), &long));
}
