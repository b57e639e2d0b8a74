//! YAML: parsed values, their spans, refused text, printing and editing.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_diag::SourceMap;
use agpm_text::{
    Edit, Format, Limits, NodeKind, NodeRef, ParsedDocument, Pointer, Value, equal, parse, to_value,
};

fn read(text: &str) -> ParsedDocument {
    let mut sources = SourceMap::default();
    let source = sources.add("x.yaml", text);
    parse(source, text, Format::Yaml, Limits::default())
}

/// All keys and values with the text of their spans, depth first.
fn spans(text: &str) -> String {
    fn walk(node: NodeRef<'_>, out: &mut Vec<String>) {
        out.push(format!(
            "{:?}",
            &node.document().text()[node.span().range()]
        ));
        node.items().for_each(|item| walk(item, out));
        for (key, value) in node.entries() {
            out.push(format!("{:?}", &key.document().text()[key.span().range()]));
            walk(value, out);
        }
    }
    let parsed = read(text);
    assert!(
        parsed.diagnostics.is_empty(),
        "{text:?}: {:?}",
        parsed.diagnostics
    );
    let mut out = Vec::new();
    walk(parsed.document.root().unwrap(), &mut out);
    out.join(" ")
}

fn json(text: &str) -> String {
    let parsed = read(text);
    assert!(
        parsed.diagnostics.is_empty(),
        "{text:?}: {:?}",
        parsed.diagnostics
    );
    let value = parsed.document.root().map_or(Value::Null, to_value);
    value
        .to_json()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn spans_are_exact() {
    let table: &[(&str, &str)] = &[
        ("a: b c  # comment\n", r#""a: b c" "a" "b c""#),
        (
            "d: two\n  lines\n\n# tail\n",
            r#""d: two\n  lines" "d" "two\n  lines""#,
        ),
        (
            "'a': \"x\\ty\"  # c\n",
            r#""'a': \"x\\ty\"" "'a'" "\"x\\ty\"""#,
        ),
        ("é: ü\nk: 'ß' # c", r#""é: ü\nk: 'ß'" "é" "ü" "k" "'ß'""#),
        (
            "a: |\n  one\n  two\n\nb: 1\n",
            r#""a: |\n  one\n  two\n\nb: 1" "a" "|\n  one\n  two" "b" "1""#,
        ),
        (
            "b: >-  # c\n  x\n  y\n\n# after\n",
            r#""b: >-  # c\n  x\n  y" "b" ">-  # c\n  x\n  y""#,
        ),
        (
            "c: |2+\n    i\n\n",
            r#""c: |2+\n    i\n" "c" "|2+\n    i\n""#,
        ),
        ("c: |\nd: 1\n", r#""c: |\nd: 1" "c" "|" "d" "1""#),
        ("c: |", r#""c: |" "c" "|""#),
        ("a: |\n  one", r#""a: |\n  one" "a" "|\n  one""#),
        (
            "a: |\r\n  one\r\n\r\nb: 2\r\n",
            r#""a: |\r\n  one\r\n\r\nb: 2" "a" "|\r\n  one" "b" "2""#,
        ),
        (
            "m:\n  x: 1 # c\n  # tail of m\n\n# before n\nn:\n  - p\n  - q: r\n    s: t\n",
            r#""m:\n  x: 1 # c\n  # tail of m\n\n# before n\nn:\n  - p\n  - q: r\n    s: t" "m" "x: 1" "x" "1" "n" "- p\n  - q: r\n    s: t" "p" "q: r\n    s: t" "q" "r" "s" "t""#,
        ),
        (
            "m:\n- a\n- b\nn: 1\n",
            r#""m:\n- a\n- b\nn: 1" "m" "- a\n- b" "a" "b" "n" "1""#,
        ),
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
        (
            "- - x\n  - y\n- z",
            r#""- - x\n  - y\n- z" "- x\n  - y" "x" "y" "z""#,
        ),
        ("%YAML 1.2\n---\na: 1\n...\n", r#""a: 1" "a" "1""#),
        ("--- |\n  x\n", r#""|\n  x""#),
        (
            "b:\n a: >-\n    e: \n c: 1",
            r#""b:\n a: >-\n    e: \n c: 1" "b" "a: >-\n    e: \n c: 1" "a" ">-\n    e: " "c" "1""#,
        ),
        ("?\n# c\n", r#""?" "" """#),
        ("? # c\n: d\n", r#""? # c\n: d" "" "d""#),
        ("\u{feff}é: 1\n", r#""é: 1" "é" "1""#),
    ];
    for (text, expected) in table {
        assert_eq!(spans(text), *expected, "{text:?}");
    }
}

#[test]
fn scalars_mean_what_the_core_schema_says() {
    let table: &[(&str, &str)] = &[
        (
            "[null, ~, Null, NULL, '']",
            r#"[ null, null, null, null, "" ]"#,
        ),
        (
            "[true, True, FALSE, yes, on, y]",
            r#"[ true, true, false, "yes", "on", "y" ]"#,
        ),
        (
            "[1, +1, -1, 010, -007, 0, -0, 1_000]",
            r#"[ 1, 1, -1, 10, -7, 0, -0, "1_000" ]"#,
        ),
        (
            "[0o17, 0x1F, 0b1, 0x, -0x1]",
            r#"[ 15, 31, "0b1", "0x", "-0x1" ]"#,
        ),
        (
            "[0xffffffffffffffffffffffffffffffffffffffff]",
            "[ 1461501637330902918203684832716283019655932542975 ]",
        ),
        (
            "[.5, 1., 1.5, 01.5, +1.0, 1e5, 1.e5, -.5E-3]",
            "[ 0.5, 1.0, 1.5, 1.5, 1.0, 1e5, 1.0e5, -0.5E-3 ]",
        ),
        (
            "[., +, 1e, ., .e1, 1.2.3, 12:30, 2001-01-01]",
            r#"[ ".", "+", "1e", ".", ".e1", "1.2.3", "12:30", "2001-01-01" ]"#,
        ),
        (
            "[!!str 1, !!int '7', !!float 1, !!bool true, !!null '']",
            r#"[ "1", 7, 1.0, true, null ]"#,
        ),
        (
            "a: >\n  x\n  y\n\n  z\nb: |-\n  1\n",
            r#"{ "a": "x y\nz\n", "b": "1" }"#,
        ),
        ("a: |\n  x\n  ", r#"{ "a": "x\n" }"#),
        ("a: >+\n  x\n\n  ", r#"{ "a": "x\n\n" }"#),
        ("a: |+ #\n  ", r#"{ "a": "" }"#),
        ("a: |+\n  x\n   ", r#"{ "a": "x\n \n" }"#),
        ("\"\\u00e9\\x41\\n\": 'it''s'", r#"{ "éA\n": "it's" }"#),
        (
            "0x1F: a\n~: b\ntrue: c\n",
            r#"{ "0x1F": "a", "~": "b", "true": "c" }"#,
        ),
        ("", "null"),
        ("# only\n", "null"),
        ("---\n", "null"),
    ];
    for (text, expected) in table {
        assert_eq!(json(text), *expected, "{text:?}");
    }
    let floats = read("[.inf, -.inf, +.INF, .nan]");
    let texts: Vec<_> = floats
        .document
        .root()
        .unwrap()
        .items()
        .map(NodeRef::content)
        .collect();
    assert_eq!(texts, ["inf", "-inf", "inf", "nan"]);
    assert!(
        floats
            .document
            .root()
            .unwrap()
            .items()
            .all(|item| item.kind() == NodeKind::Float)
    );
}

#[test]
fn aliases_and_merge_keys_are_followed() {
    let table: &[(&str, &str)] = &[
        (
            "a: &x [1, 2]\nb: *x\n",
            r#"{ "a": [ 1, 2 ], "b": [ 1, 2 ] }"#,
        ),
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
        ("\t- a\n", "yaml/syntax", 1),
        ("ok: 1\n\tbad: 1", "yaml/syntax", 2),
        ("a: 1\nc\nd: 4\n", "yaml/syntax", 2),
        ("a: 1\nc\n", "yaml/syntax", 2),
        ("- a\n-\t- b\n", "yaml/syntax", 2),
        ("a: [1, 2\nb: 3\n", "yaml/syntax", 2),
        ("a:\n  - 1\n  - [1, 2\n\n# c\n", "yaml/syntax", 3),
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
        ("a: !!seq\n  b: 1\n", "yaml/tag", 1),
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
        let first = parsed
            .diagnostics
            .first()
            .unwrap_or_else(|| panic!("{text:?} has no error"));
        let mut sources = SourceMap::default();
        let source = sources.add("x", *text);
        let found = sources.position(source, first.labels[0].span.start).line;
        let shown: String = text.chars().take(40).collect();
        assert_eq!(
            (first.code.name, found),
            (*code, *line),
            "{shown:?}: {}",
            first.message
        );
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
    (0..10_000).fold("- &a0 []\n".to_owned(), |text, at| {
        text + &format!("- &a{} [*a{at}]\n", at + 1)
    })
}

#[test]
fn mistakes_are_marked_where_they_are() {
    let table: &[(&str, &str)] = &[
        ("home: !env HOME\n", "!env"),
        ("home: &a !env {b: c}\n", "!env"),
        ("a: !!int x\n", "!!int"),
        ("a: !!seq\n  b: 1\n", "!!seq"),
        ("!env k: v\n", "!env"),
        ("web: *defaults\n", "*defaults"),
        ("web: [*defaults, 1]\n", "*defaults"),
        ("b: [1, 2", "["),
        ("b: [1, {c: d\n", "{"),
        ("b: [1, {c: d}\n# e\n", "["),
        ("b: {c: d,\n", "{"),
        ("b: {c: ", "{"),
        ("b: {c", "{"),
        ("b: [", "["),
        ("b: [c: d", "["),
    ];
    for (text, expected) in table {
        let parsed = read(text);
        let marked = &text[parsed.diagnostics[0].labels[0].span.range()];
        assert_eq!(
            marked, *expected,
            "{text:?}: {}",
            parsed.diagnostics[0].message
        );
    }
}

#[test]
fn values_read_before_a_mistake_stay() {
    let parsed = read("a: 1\nb:\n  c: [x, y\nd: 1\n");
    assert!(!parsed.diagnostics.is_empty());
    let expected = Value::map([("a", Value::from(1i64))]);
    assert!(equal(
        parsed.document.root().unwrap().get("a").unwrap(),
        expected.get("a").unwrap()
    ));
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
        "a😀",
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
        assert!(
            printed(&Value::from(text)).starts_with('"'),
            "{text:?} -> {}",
            printed(&Value::from(text))
        );
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
        (
            r#"{"yes": null, "a b": 1.5, "x: y": true}"#,
            "\"yes\": null\na b: 1.5\n\"x: y\": true\n",
        ),
        (r#""a\nb\n""#, "|\n  a\n  b\n"),
    ];
    for (source, expected) in table {
        let mut sources = SourceMap::default();
        let parsed = parse(
            sources.add("x", *source),
            *source,
            Format::Json,
            Limits::default(),
        );
        let value = to_value(parsed.document.root().unwrap());
        assert_eq!(printed(&value), *expected);
        assert!(
            equal(read(expected).document.root().unwrap(), &value),
            "{expected}"
        );
    }
    let long = Value::map([("k".repeat(2000), Value::map([("a", Value::from(1i64))]))]);
    assert!(equal(read(&printed(&long)).document.root().unwrap(), &long));
}

/// `set /a 1`, `remove /a`, `insert /0 1`, `append /list 1`; values are JSON.
fn edit_of(line: &str) -> Edit {
    let mut words = line.splitn(3, ' ');
    let verb = words.next().unwrap();
    let at: Pointer = words.next().unwrap_or_default().parse().unwrap();
    let value = || {
        let source = line.splitn(3, ' ').nth(2).unwrap();
        let mut sources = SourceMap::default();
        let parsed = parse(
            sources.add("x", source),
            source,
            Format::Json,
            Limits::default(),
        );
        to_value(parsed.document.root().unwrap())
    };
    match verb {
        "set" => Edit::Set { at, value: value() },
        "remove" => Edit::Remove { at },
        "insert" => Edit::Insert { at, value: value() },
        "append" => Edit::Append {
            to: at,
            value: value(),
        },
        _ => panic!("{verb}"),
    }
}

fn edited(text: &str, edit: &str) -> String {
    match read(text).document.edit(&edit_of(edit)) {
        Ok(text) => text,
        Err(error) => format!("{error:?}"),
    }
}

fn check(table: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter(|(text, edit, expected)| edited(text, edit) != *expected)
        .map(|(text, edit, expected)| {
            format!(
                "{text:?}\n  {edit}\n  wanted {expected:?}\n  got    {:?}",
                edited(text, edit)
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn scalars_are_replaced_in_place() {
    check(&[
        ("a: 1 # c\nb: 2\n", "set /a 5", "a: 5 # c\nb: 2\n"),
        ("a:   'x'  # c\n", "set /a \"y\"", "a:   'y'  # c\n"),
        ("a: 'x'\n", "set /a \"it's\"", "a: 'it''s'\n"),
        ("a: 'x'\n", "set /a \"t\\tb\"", "a: \"t\\tb\"\n"),
        ("a: \"x\"\n", "set /a \"y\"", "a: \"y\"\n"),
        ("a: x\n", "set /a \"yes\"", "a: \"yes\"\n"),
        ("a: 'x'\n", "set /a 1", "a: 1\n"),
        ("a:\nb: 1\n", "set /a 1", "a: 1\nb: 1\n"),
        ("a: # c\nb: 1\n", "set /a 1", "a: 1 # c\nb: 1\n"),
        ("a:", "set /a 1", "a: 1"),
        ("-\n- 2\n", "set /0 1", "- 1\n- 2\n"),
        (
            "a: two\n  lines # c\nb: 1\n",
            "set /a 1",
            "a: 1 # c\nb: 1\n",
        ),
        (
            "a: |\n  one\n  two\n\nb: 1\n",
            "set /a \"x\"",
            "a: x\n\nb: 1\n",
        ),
        (
            "a: |\n  one\n\nb: 1\n",
            "set /a \"x\\ny\\n\"",
            "a: |\n  x\n  y\n\nb: 1\n",
        ),
        (
            "a: x\nb: 1\n",
            "set /a \"x\\ny\"",
            "a: |-\n  x\n  y\nb: 1\n",
        ),
        (
            "a: x # c\nb: 1\n",
            "set /a \"x\\ny\"",
            "a: \"x\\ny\" # c\nb: 1\n",
        ),
        ("b: 1\na: x", "set /a \"x\\ny\"", "b: 1\na: \"x\\ny\""),
        ("a: !!str 5 # c\n", "set /a 6", "a: 6 # c\n"),
        ("a: !!str &x 5\n", "set /a 6", "a: &x 6\n"),
        ("a: &x 5\n", "set /a 6", "a: &x 6\n"),
        ("a: &x\nb: 1\n", "set /a 6", "a: &x 6\nb: 1\n"),
        ("a:\n  x # c\nb: 1\n", "set /a 1", "a:\n  1 # c\nb: 1\n"),
        ("? a\n? b\n", "set /a 1", "? a\n: 1\n? b\n"),
        (
            "x: {a: 1, b, c: }\n",
            "set /x/b 2",
            "x: {a: 1, b: 2, c: }\n",
        ),
        (
            "x: {a: 1, b, c: }\n",
            "set /x/c \"p,q\"",
            "x: {a: 1, b, c: \"p,q\" }\n",
        ),
        ("x: [a, 'b']\n", "set /x/1 \"c: d\"", "x: [a, 'c: d']\n"),
        ("x: [a: b, c]\n", "set /x/0/a 1", "x: [a: 1, c]\n"),
        ("hello # c\n", "set  1", "1 # c\n"),
        ("--- hello\n", "set  {\"a\": 1}", "---\na: 1\n"),
        (
            "é: ü # ß\r\nb: 1\r\n",
            "set /é \"ö\"",
            "é: ö # ß\r\nb: 1\r\n",
        ),
        ("\u{feff}a: 1", "set /a 2", "\u{feff}a: 2"),
        ("a: 1.0\n", "set /a 1e400", "a: 1e400\n"),
    ]);
}

#[test]
fn scalars_and_collections_replace_each_other() {
    check(&[
        (
            "a: 1 # c\nb: 2\n",
            "set /a {\"k\": [1]}",
            "a: # c\n  k:\n    - 1\nb: 2\n",
        ),
        ("a: 1\nb: 2\n", "set /a [1, 2]", "a:\n  - 1\n  - 2\nb: 2\n"),
        (
            "a: &x 1\nb: 2\n",
            "set /a {\"k\": 1}",
            "a: &x\n  k: 1\nb: 2\n",
        ),
        (
            "a: !!int 1\nb: 2\n",
            "set /a {\"k\": 1}",
            "a:\n  k: 1\nb: 2\n",
        ),
        ("a:\nb: 2\n", "set /a {\"k\": 1}", "a:\n  k: 1\nb: 2\n"),
        ("a: 1", "set /a {\"k\": 1}", "a:\n  k: 1"),
        (
            "- 1 # c\n- 2\n",
            "set /0 {\"k\": 1, \"l\": 2}",
            "- # c\n  k: 1\n  l: 2\n- 2\n",
        ),
        (
            "- 1\n- 2\n",
            "set /0 {\"k\": 1, \"l\": 2}",
            "- k: 1\n  l: 2\n- 2\n",
        ),
        ("-   1\n", "set /0 [1, 2]", "-   - 1\n    - 2\n"),
        ("-\n", "set /0 [1, 2]", "- - 1\n  - 2\n"),
        (
            "a: # n\n  # k\n  k: v # t\n  l: w # u\nb: 1\n",
            "set /a 5",
            "a: 5 # n\n  # k\nb: 1\n",
        ),
        ("a:\n- x\n- y # t\nb: 1\n", "set /a 5", "a: 5\nb: 1\n"),
        (
            "a:\n- x\n- y\nb: 1\n",
            "set /a {\"k\": 1, \"l\": 2}",
            "a:\n  k: 1\n  l: 2\nb: 1\n",
        ),
        (
            "a:\n    k: v\nb: 1\n",
            "set /a [1, 2]",
            "a:\n    - 1\n    - 2\nb: 1\n",
        ),
        (
            "- k: v # c\n  l: w # d\n- x\n",
            "set /0 5",
            "- 5 # d\n- x\n",
        ),
        (
            "a:\n  k: v\nb: 1\n",
            "set /a \"x\\ny\"",
            "a: |-\n  x\n  y\nb: 1\n",
        ),
        ("a: &z\n  k: v\nb: 1\n", "set /a 1", "a: &z 1\nb: 1\n"),
        (
            "a: [1, 2] # c\nb: 1\n",
            "set /a {\"k\": 1}",
            "a: # c\n  k: 1\nb: 1\n",
        ),
        ("a: {k: v}\nb: 1\n", "set /a {}", "a: {}\nb: 1\n"),
        (
            "x: [1, 2]\n",
            "set /x/0 {\"a\": [true, \"no\"]}",
            "x: [{a: [true, \"no\"]}, 2]\n",
        ),
        ("k: v\n", "set  [1]", "- 1\n"),
        ("# c\nk: v # d\n", "set  7", "# c\n7 # d\n"),
    ]);
}

#[test]
fn entries_come_to_the_end_of_their_map() {
    check(&[
        ("a: 1\n", "set /b 2", "a: 1\nb: 2\n"),
        ("a: 1", "set /b 2", "a: 1\nb: 2"),
        ("a: 1 # c\r\n", "set /b 2", "a: 1 # c\r\nb: 2\r\n"),
        (
            "a:\n  x: 1 # c\n  # in a?\n\n# about b\nb: 1\n",
            "set /a/w 2",
            "a:\n  x: 1 # c\n  w: 2\n  # in a?\n\n# about b\nb: 1\n",
        ),
        (
            "a:\n    x: 1\nb: 1\n",
            "set /a/w {\"z\": 1}",
            "a:\n    x: 1\n    w:\n        z: 1\nb: 1\n",
        ),
        ("- a: 1\n- b: 2\n", "set /0/c 3", "- a: 1\n  c: 3\n- b: 2\n"),
        ("- - a: 1\n", "set /0/0/c 3", "- - a: 1\n    c: 3\n"),
        (
            "a: |\n  text\n\nb:\n  c: 1\n",
            "set /d 1",
            "a: |\n  text\n\nb:\n  c: 1\nd: 1\n",
        ),
        (
            "b: 1\na: |+\n  text\n\n",
            "set /d 1",
            "b: 1\na: |+\n  text\n\nd: 1\n",
        ),
        ("a: {}\nb: 1\n", "set /a/x 1", "a:\n  x: 1\nb: 1\n"),
        ("a: {} # c\nb: 1\n", "set /a/x 1", "a: # c\n  x: 1\nb: 1\n"),
        ("{}\n", "set /a/b 1", "a:\n  b: 1\n"),
        (
            "a: {x: 1} # c\n",
            "set /a/w [1, \"a b\"]",
            "a: {x: 1, w: [1, a b]} # c\n",
        ),
        ("a: { x: 1 }\n", "set /a/w 2", "a: { x: 1, w: 2 }\n"),
        (
            "a: {\n  x: 1, # c\n}\n",
            "set /a/w 2",
            "a: {\n  x: 1, # c\n  w: 2,\n}\n",
        ),
        ("a: {\n  x: 1}\n", "set /a/w 2", "a: {\n  x: 1, w: 2}\n"),
        ("a: [x: 1]\n", "set /a/0/w 2", "a: [{x: 1, w: 2}]\n"),
        ("", "set /a 1", "a: 1\n"),
        ("# only", "set /a 1", "# only\na: 1\n"),
        ("---\n", "set /a 1", "---\na: 1\n"),
        ("---\n...\n", "set /a 1", "---\na: 1\n...\n"),
        ("# see ...", "set /a 1", "# see ...\na: 1\n"),
        ("\u{feff}", "set /a 1", "\u{feff}a: 1\n"),
        ("a: 1\n...\n", "set /b 1", "a: 1\nb: 1\n...\n"),
        ("? a\n: b\n", "set /c 1", "? a\n: b\nc: 1\n"),
        ("a: 1\n", "set /b \"x\\ny\\n\"", "a: 1\nb: |\n  x\n  y\n"),
        ("a: 1\n", "set /x~1y \"on\"", "a: 1\nx/y: \"on\"\n"),
    ]);
}

#[test]
fn entries_go_with_their_lines() {
    check(&[
        (
            "a: 1\n# about b\nb: 2 # c\n# about d\nd: 3\n",
            "remove /b",
            "a: 1\n# about b\n# about d\nd: 3\n",
        ),
        ("a: 1\nb: 2", "remove /b", "a: 1"),
        ("a: 1\nb: 2", "remove /a", "b: 2"),
        ("\u{feff}a: 1\r\nb: 2\r\n", "remove /a", "\u{feff}b: 2\r\n"),
        (
            "a:\n  x: 1\n  y:\n    z: 1\nb: 2\n",
            "remove /a/y",
            "a:\n  x: 1\nb: 2\n",
        ),
        (
            "a: # n\n  # k\n  x: 1 # t\nb: 2\n",
            "remove /a/x",
            "a: {} # n\n  # k\nb: 2\n",
        ),
        ("a: 1\n", "remove /a", "{}\n"),
        ("# c\na: 1 # d\n# e\n", "remove /a", "# c\n{}\n# e\n"),
        ("---\na: 1\n", "remove /a", "--- {}\n"),
        ("- a: 1 # c\n  b: 2\n", "remove /0/a", "- b: 2\n"),
        (
            "- a: 1 # c\n  # about b\n  b: 2\n",
            "remove /0/a",
            "-\n  # about b\n  b: 2\n",
        ),
        ("- a: 1\n  b: 2\n- x\n", "remove /0/b", "- a: 1\n- x\n"),
        ("- a: 1\n- x\n", "remove /0/a", "- {}\n- x\n"),
        ("a: |\n  one\n  two\n\nb: 1\n", "remove /a", "\nb: 1\n"),
        ("a: {x: 1, y: 2}\n", "remove /a/x", "a: {y: 2}\n"),
        ("a: {x: 1, y: 2}\n", "remove /a/y", "a: {x: 1}\n"),
        (
            "a: {\n  x: 1, # c\n  # k\n  y: 2\n}\n",
            "remove /a/x",
            "a: {\n  # k\n  y: 2\n}\n",
        ),
        ("a: [x: 1, y]\n", "remove /a/0/x", "a: [{}, y]\n"),
        ("? a\n: 1\n? b\n: 2\n", "remove /a", "? b\n: 2\n"),
        ("&k a: 1\nb: 2\n", "remove /a", "b: 2\n"),
    ]);
}

#[test]
fn items_come_and_go_anywhere() {
    check(&[
        ("- a # c\n# about b\n- b\n", "remove /0", "# about b\n- b\n"),
        ("- a\n- b\n- c", "remove /2", "- a\n- b"),
        ("- a\n- b\n- c", "remove /1", "- a\n- c"),
        ("l:\n- a\n- b\nm: 1\n", "remove /l/1", "l:\n- a\nm: 1\n"),
        ("l:\n- a\nm: 1\n", "remove /l/0", "l: []\nm: 1\n"),
        (
            "l:\n  - a: 1\n    b: 2\n  - c\n",
            "remove /l/0",
            "l:\n  - c\n",
        ),
        ("- - a\n  - b\n- c\n", "remove /0/0", "- - b\n- c\n"),
        ("- - a\n- c\n", "remove /0/0", "- []\n- c\n"),
        (
            "l:\n- a\n- b\nm: 1\n",
            "append /l \"c\"",
            "l:\n- a\n- b\n- c\nm: 1\n",
        ),
        (
            "l:\n  - a # c\n\n# m\nm: 1\n",
            "append /l {\"x\": 1, \"w\": [2]}",
            "l:\n  - a # c\n  - x: 1\n    w:\n      - 2\n\n# m\nm: 1\n",
        ),
        ("- a", "append  \"b\"", "- a\n- b"),
        ("- a: 1\n", "append  [1, 2]", "- a: 1\n- - 1\n  - 2\n"),
        (
            "l:\n  # first\n  - a\n",
            "insert /l/0 \"z\"",
            "l:\n  - z\n  # first\n  - a\n",
        ),
        ("# top\n- a\n", "insert /0 \"z\"", "# top\n- z\n- a\n"),
        ("- a\n", "insert /0 \"z\"", "- z\n- a\n"),
        ("  - a\n  - b", "insert /0 \"z\"", "  - z\n  - a\n  - b"),
        (
            "- - a\n  - b\n",
            "insert /0/0 {\"x\": 1, \"w\": 2}",
            "- - x: 1\n    w: 2\n  - a\n  - b\n",
        ),
        (
            "- a\n# about b\n- b\n",
            "insert /1 \"z\"",
            "- a\n- z\n# about b\n- b\n",
        ),
        ("- a\n- b", "insert /2 \"z\"", "- a\n- b\n- z"),
        ("l: []\nm: 1\n", "append /l 1", "l:\n  - 1\nm: 1\n"),
        ("- []\n", "append /0 1", "- - 1\n"),
        ("l: [a, b]\n", "insert /l/1 \"z\"", "l: [a, z, b]\n"),
        ("l: [a, b]\n", "insert /l/0 \"z\"", "l: [z, a, b]\n"),
        ("l: [a, b]\n", "remove /l/0", "l: [b]\n"),
        (
            "l: [\n  a, # c\n  b\n]\n",
            "append /l \"z\"",
            "l: [\n  a, # c\n  b,\n  z\n]\n",
        ),
        (
            "l: [a, # c\n  b]\n",
            "append /l \"z\"",
            "l: [a, # c\n  b, z]\n",
        ),
        (
            "l:\n  - |\n    text\n\n  - b\n",
            "insert /l/1 \"z\"",
            "l:\n  - |\n    text\n  - z\n\n  - b\n",
        ),
        ("-\n-\n", "remove /0", "-\n"),
        ("- &x a\n- b\n", "remove /0", "- b\n"),
        ("l: &x\n  - a\n", "insert /l/0 1", "l: &x\n  - 1\n  - a\n"),
        ("l: !!seq # c\n  - a\n", "remove /l/0", "l: !!seq [] # c\n"),
        ("l: !!seq []\n", "append /l 1", "l: !!seq\n  - 1\n"),
    ]);
}

#[test]
fn new_lines_take_the_indent_of_the_text() {
    check(&[
        (
            "a:\n    b: 1\nc: 2\n",
            "set /c {\"d\": {\"e\": 1}}",
            "a:\n    b: 1\nc:\n    d:\n        e: 1\n",
        ),
        (
            "a:\n    b: 1\n",
            "set /a/c [{\"d\": {\"e\": 1}}]",
            "a:\n    b: 1\n    c:\n        - d:\n              e: 1\n",
        ),
        (
            "a:\n    - b\n",
            "set /c {\"d\": 1}",
            "a:\n    - b\nc:\n    d: 1\n",
        ),
        ("a:\n- b\n", "set /c {\"d\": 1}", "a:\n- b\nc:\n  d: 1\n"),
        (
            "a:\n  - b\nc:\n    d: 1\n",
            "set /e {\"f\": 1}",
            "a:\n  - b\nc:\n    d: 1\ne:\n    f: 1\n",
        ),
        (
            "a:\n    b: 1\n    c: x\n    # e\n",
            "set /a/c \"x\\ny\"",
            "a:\n    b: 1\n    c: |-\n        x\n        y\n    # e\n",
        ),
    ]);
}

#[test]
fn texts_with_odd_starts_and_ends_are_edited() {
    check(&[
        ("a: |+ #\n  ", "set /b 1", "a: |+ #\nb: 1\n  "),
        ("a: |+\n  x\n  ", "set /b 1", "a: |+\n  x\nb: 1\n  "),
        (
            "a: >-\n\n  ",
            "set /b \"x\\ny\\n\"",
            "a: >-\nb: \"x\\ny\\n\"\n\n  ",
        ),
        (
            "b:\n a: >-\n    e: ",
            "set /b/c 1",
            "b:\n a: >-\n    e: \n c: 1",
        ),
        ("....a: 1\n", "set /b 1", "....a: 1\nb: 1\n"),
        ("....a: 1\n", "set  [1]", "- 1\n"),
        ("...\na: 1\n", "set /b 1", "...\na: 1\nb: 1\n"),
        (
            "- a\n     \n",
            "append  \"x\\ny\"",
            "- a\n- \"x\\ny\"\n     \n",
        ),
        ("?\n# c\n", "set /b 1", "?\nb: 1\n# c\n"),
        ("a: |\n  x\n  ", "set /b 1", "a: |\n  x\nb: 1\n  "),
        ("\n\n\u{feff}a: 1\n", "set /b 1", "\n\n\u{feff}a: 1\nb: 1\n"),
        ("\n\u{feff}a: 1\nb: 2\n", "remove /a", "\n\u{feff}b: 2\n"),
        ("\n\u{feff}- 1\n", "insert /0 0", "\n\u{feff}- 0\n- 1\n"),
    ]);
}

#[test]
fn shared_places_are_edited_only_where_that_is_exact() {
    check(&[
        ("a: &x 1\nb: *x\n", "set /b 2", "a: &x 1\nb: 2\n"),
        (
            "a: &x {k: 1}\nb: *x # c\n",
            "set /b [1]",
            "a: &x {k: 1}\nb: # c\n  - 1\n",
        ),
        ("a: &x 1\nb: *x\n", "remove /b", "a: &x 1\n"),
        (
            "m: &m {k: 1}\nn:\n  <<: *m\n",
            "set /n/k 2",
            "m: &m {k: 1}\nn:\n  <<: *m\n  k: 2\n",
        ),
        (
            "m: &m {k: 1}\nn: {<<: *m}\n",
            "set /n/k 2",
            "m: &m {k: 1}\nn: {<<: *m, k: 2}\n",
        ),
        (
            "m: &m {k: 1}\nn:\n  <<: *m\n  j: 1\n",
            "remove /n/j",
            "m: &m {k: 1}\nn:\n  <<: *m\n",
        ),
        (
            "m: &m {k: 1}\nn:\n- j: 1\n  <<: *m\n",
            "remove /n/0/j",
            "m: &m {k: 1}\nn:\n- <<: *m\n",
        ),
        (
            "n:\n  <<:\n    k:\n      d: 1\n",
            "set /n/k/d 2",
            "n:\n  <<:\n    k:\n      d: 2\n",
        ),
        ("p:\n  a: &x 1\n  b: *x\nq: 1\n", "remove /p", "q: 1\n"),
        (
            "p:\n  a: &x 1\n  b: *x\nq: 1\n",
            "set /p/c 1",
            "p:\n  a: &x 1\n  b: *x\n  c: 1\nq: 1\n",
        ),
    ]);
    let entangled = [
        ("a: &x 1\nb: *x\n", "set /a 2"),
        ("a: &x 1\nb: *x\n", "remove /a"),
        ("a: &x {k: 1}\nb: *x\n", "set /a/k 2"),
        ("a: &x {k: 1}\nb: *x\n", "set /b/k 2"),
        ("a: &x {k: 1}\nb: *x\n", "set /b/j 2"),
        ("a: &x {k: 1}\nb: *x\n", "set /a/j 2"),
        ("a: &x [1]\nb: *x\n", "append /b 2"),
        ("m: &m {k: 1}\nn:\n  <<: *m\n", "set /m/k 2"),
        ("m: &m {k: 1}\nn:\n  <<: *m\n", "remove /n/k"),
        ("m: &m {k: 1}\nn:\n  <<: *m\n  k: 2\n", "remove /n/k"),
        ("m: &m {k: {d: 1}}\nn:\n  <<: *m\n", "set /n/k/d 2"),
        ("m: &m {k: {d: 1}}\nn:\n  <<: *m\n", "set /n/k/e 2"),
        ("p: {a: &x 1}\nq: *x\n", "set /p 1"),
    ];
    for (text, edit) in entangled {
        assert!(
            edited(text, edit).starts_with("Entangled"),
            "{text:?} {edit}: {}",
            edited(text, edit)
        );
    }
}
