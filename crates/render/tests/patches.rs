//! Patches of front matter and JSON: the result is the merged value, and no other byte changes.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_diag::{SourceMap, has_errors};
use agpm_model::FieldPath;
use agpm_render::{PatchError, PatchedDocument, patch};
use agpm_text::{EditError, Format, Limits, ParsedDocument, Value, parse, to_value};
use proptest::prelude::*;

fn read(text: &str, format: Format) -> ParsedDocument {
    parse(
        SourceMap::default().add("x", text),
        text,
        format,
        Limits::default(),
    )
}

fn apply(text: &str, format: Format, body: &Value) -> Result<PatchedDocument, PatchError> {
    patch(SourceMap::default().add("x", text), text, format, body)
}

/// A patch, as in the manifest.
fn toml(body: &str) -> Value {
    let parsed = read(body, Format::Toml);
    assert!(!has_errors(&parsed.diagnostics), "{body}");
    parsed.document.root().map_or(Value::Map(vec![]), to_value)
}

fn value_of(text: &str, format: Format) -> Value {
    let parsed = read(text, format);
    assert!(
        !has_errors(&parsed.diagnostics),
        "{text}\n{:?}",
        parsed.diagnostics
    );
    parsed.document.root().map_or(Value::Map(vec![]), to_value)
}

/// The meaning of a patch, as a reference without regard to text.
fn merged(value: &Value, body: &Value) -> Value {
    let (Value::Map(own), Value::Map(new)) = (value, body) else {
        return body.clone();
    };
    let mut entries = own.clone();
    for (key, value) in new {
        match entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, place)) => *place = merged(place, value),
            None => entries.push((key.clone(), value.clone())),
        }
    }
    Value::Map(entries)
}

/// The lines of keys that the patch does not touch, before and after the touched ones.
fn untouched(text: &str, format: Format, body: &Value) -> Vec<String> {
    let parsed = read(text, format);
    let Value::Map(set) = body else {
        panic!("a patch is a map")
    };
    // In brackets all entries may share a line, and the last one may get a comma.
    if parsed
        .document
        .root()
        .is_some_and(|root| text[root.span().range()].starts_with('{'))
    {
        return vec![];
    }
    let touched: Vec<_> = parsed.document.root().map_or(vec![], |root| {
        let entries = root
            .entries()
            .filter(|(key, _)| set.iter().any(|(name, _)| name == key.content()));
        entries
            .map(|(key, value)| {
                key.span().range().start..value.span().range().end.max(key.span().range().end)
            })
            .collect()
    });
    let mut at = 0;
    // Blank lines may be content of a block scalar above.
    let kept = text.contains("|+");
    let lines = text.split_inclusive('\n').filter(|line| {
        let range = at..at + line.len();
        at = range.end;
        let in_touched = touched
            .iter()
            .any(|span| span.start < range.end && range.start < span.end);
        let may_be_content = kept && line.trim().is_empty();
        !in_touched && !may_be_content
    });
    lines.map(str::to_owned).collect()
}

/// Whether the text contains `lines` in this order.
fn has_lines(text: &str, lines: &[String]) -> bool {
    let mut all = text.split_inclusive('\n');
    lines.iter().all(|line| all.any(|other| other == line))
}

fn check(text: &str, format: Format, body: &Value) {
    let patched =
        apply(text, format, body).unwrap_or_else(|error| panic!("{error:?}\n{text}\n{body:?}"));
    let expected = merged(&value_of(text, format), body);
    assert_eq!(
        value_of(&patched.text, format),
        expected,
        "{text}\n--- to\n{}",
        patched.text
    );
    assert!(
        has_lines(&patched.text, &untouched(text, format, body)),
        "{text}\n--- to\n{}",
        patched.text
    );
    let (old, new) = (read(text, format), read(&patched.text, format));
    assert_eq!(
        &text[old.document.body().range()],
        &patched.text[new.document.body().range()],
        "{text}"
    );
    assert_eq!(patched.fields.len(), FieldPath::all(body).len());
    let again = apply(&patched.text, format, body).unwrap();
    assert_eq!(again.text, patched.text, "a second time changes nothing");
}

/// Each has a key `name` and no key `added`.
const FRONT_MATTER: &[&str] = &[
    "name: plain\ndescription: A thing, no more\n",
    "name: 'single ''quoted'' # text'\nother: 'it''s'\n",
    "name: \"double \\\"quoted\\\" \\u00e9 \\n\"\nother: \"tab\\there\"\n",
    "name: |\n  block\n    more\n  ---\n\nother: 1\n",
    "other: |2\n    indented\n  less\nname: x\nlast: |-\n  end\n",
    "other: >\n  folded\n  text\n\n  more\nname: >-\n  a\n  b\nlast: |+\n  kept\n\n",
    "# before the first\n\nname: x # trailing\n# between\n\n# and more\nother: 2 # two\n# at the end\n",
    "name: &n x\nother: 1\n",
    "base: &base {k: 1}\nname: x\nderived: *base\n",
    "base: &base\n  k: 1\nderived:\n  <<: *base\n  l: 2\nname: x\n",
    "name: {a: 1, b: [x, y]}\ntools: [Read, Write, \"Bash(git:*)\"]\n",
    "name: [\n  a, # first\n  b\n  ]\nother: 1\n",
    "tools:\n- Read\n- Write\nname: x\n",
    "tools:\n  - Read # r\n  # between\n  - Write\nname:\n  - a\n",
    "name: \"0.8\"\nversion: '1.0'\noctal: \"0o17\"\nyes: 'true'\nnull: \"~\"\n",
    "name:\nempty: \"\"\nother: ~\n",
    "name:   # nothing yet\nother: 1\n",
    "name: several words\n  that go on\n  and on\nother: 1\n",
    "description: Use this when:the user asks.\\nExample:no\nname: x\n",
    "name: \"a\tb\"\nother: a\tb\n",
    "name: größe 🦀 名前\nключ: значение\n",
    "name: x\nnested:\n  deep:\n    deeper: 1 # c\n    # below\n  other: 2\n",
    "\"name\": x\n'other key': y\n? long\n: z\n",
    "name   :   x   \nother   : y\n",
    "{name: x, other: y}\n",
    "name: !!str 1\nother: 1_000\ndate: 2024-01-01\n",
    "name: x\n\n\n",
    "agpm.templating: true\nname: x\nagpm:\n  version: 1\n",
    "name: ---\nrule: \"---\"\n",
];

const PATCHES: &[&str] = &[
    "name = \"new\"",
    "name = \"\"",
    "name = \"true\"",
    "name = \"0.8\"",
    "name = \"a: b # c\"",
    "name = \"- 'x' \\\"y\\\"\\n---\\nlines\\n\"",
    "name = 0.5",
    "name = [\"a\", \"b: c\", 3]",
    "name = []",
    "name.first = \"x\"\nname.second.third = [1, 2]",
    "added = \"new\"",
    "added = \"one\\ntwo\"",
    "added = [\"a\", \"b\"]",
    "added.nested.key = true",
    "\"added.dotted\" = 1",
    "name = 1\nadded = 2\nthird.x = 3",
    "added = { list = [{ a = 1 }, { b = [] }] }",
    "added = {}",
];

/// Bodies that resemble front matter.
const BODIES: &[&str] = &[
    "",
    "# Title\n",
    "---\nname: not this\n---\n",
    "text\n\n---\n\nno newline at the end",
    "\n",
];

#[test]
fn front_matter_corpus() {
    for front in FRONT_MATTER {
        let markdown = format!("---\n{front}---\n");
        if has_errors(&read(&markdown, Format::Markdown).diagnostics) {
            panic!("{markdown}");
        }
        for body in PATCHES.iter().map(|body| toml(body)) {
            for below in BODIES {
                let text = format!("{markdown}{below}");
                check(&text, Format::Markdown, &body);
            }
            let windows = format!("\u{feff}{markdown}# Title\n").replace('\n', "\r\n");
            check(&windows, Format::Markdown, &body);
            check(markdown.trim_end(), Format::Markdown, &body);
            check(front, Format::Yaml, &body);
        }
    }
}

/// The original, the patch, and the result.
const EXACT: &[(&str, &str, &str)] = &[
    (
        "---\nmodel: a # why\n---\nx",
        "model = \"b\"",
        "---\nmodel: b # why\n---\nx",
    ),
    (
        "---\nmodel: 'a'\n---\nx",
        "model = \"b\"",
        "---\nmodel: 'b'\n---\nx",
    ),
    (
        "---\nmodel: \"a\"\n---\nx",
        "model = \"a\"",
        "---\nmodel: \"a\"\n---\nx",
    ),
    (
        "---\nwhen: 2024-01-01\n---\nx",
        "when = 2024-01-01",
        "---\nwhen: 2024-01-01\n---\nx",
    ),
    (
        "---\nmask: 0x10\n---\nx",
        "mask = 16",
        "---\nmask: 0x10\n---\nx",
    ),
    ("# T\n", "model = \"b\"", "---\nmodel: b\n---\n# T\n"),
    (
        "\u{feff}# T\r\n",
        "a.b = [1]",
        "\u{feff}---\r\na:\r\n  b:\r\n    - 1\r\n---\r\n# T\r\n",
    ),
    ("", "a = 1", "---\na: 1\n---\n"),
    ("---\n---\n", "a = 1", "---\na: 1\n---\n"),
    ("---\n# c\n---\n", "a = 1", "---\n# c\na: 1\n---\n"),
    ("x", "", "x"),
    ("---\na: 1\n---\nx", "a.b = 2", "---\na:\n  b: 2\n---\nx"),
    ("---\na: {b: 1}\n---\nx", "a = {}", "---\na: {b: 1}\n---\nx"),
    ("---\na: 1\n---\nx", "a = {}", "---\na: {}\n---\nx"),
    (
        "---\na.b: 1\n---\nx",
        "a.b = 2",
        "---\na.b: 1\na:\n  b: 2\n---\nx",
    ),
    (
        "---\na: 1\n---\nx",
        "d = 1979-05-27T07:32:00Z",
        "---\na: 1\nd: \"1979-05-27T07:32:00Z\"\n---\nx",
    ),
    (
        "---\nt: [a, b] # c\n---\nx",
        "t = [\"a\", \"c\"]",
        "---\nt: [a, c] # c\n---\nx",
    ),
    (
        "---\nt:\n- a # one\n- b\n---\n",
        "t = [\"a\", \"c\"]",
        "---\nt:\n- a # one\n- c\n---\n",
    ),
    (
        "---\ne:\n    A: 1\n---\n",
        "e.B = \"2\"",
        "---\ne:\n    A: 1\n    B: \"2\"\n---\n",
    ),
];

#[test]
fn exact_strings() {
    for (text, body, expected) in EXACT {
        let patched = apply(text, Format::Markdown, &toml(body)).unwrap();
        assert_eq!(patched.text, *expected, "{text:?} {body}");
    }
}

#[test]
fn long_lists_keep_the_items_that_stay() {
    let items: Vec<String> = (0..500).map(|at| format!("item-{at}")).collect();
    let lines: String = items
        .iter()
        .map(|item| format!("  - {item} # {item}\n"))
        .collect();
    let text = format!("---\nname: x\ntools:\n{lines}last: 1\n---\nbody\n");
    let mut fewer = items.clone();
    fewer.remove(250);
    fewer.push("new".to_owned());
    let patched = apply(
        &text,
        Format::Markdown,
        &Value::map([("tools", Value::list(fewer))]),
    )
    .unwrap();
    let old: Vec<&str> = text.lines().collect();
    let kept = patched
        .text
        .lines()
        .filter(|line| old.contains(line))
        .count();
    assert!(
        patched
            .text
            .starts_with("---\nname: x\ntools:\n  - item-0 # item-0\n")
    );
    assert!(patched.text.ends_with("  - new\nlast: 1\n---\nbody\n"));
    assert!(kept >= 250 + 5, "{kept} lines are as they were");
}

#[test]
fn toml_files_are_patched_too() {
    let text = "# c\na = 1 # one\n\n[t]\nx = 'y'\n";
    let patched = apply(text, Format::Toml, &toml("a = 2\nt.z = 2024-01-01")).unwrap();
    assert_eq!(
        patched.text,
        "# c\na = 2 # one\n\n[t]\nx = 'y'\nz = 2024-01-01\n"
    );
}

const JSON: &[&str] = &[
    "{\n  \"name\": \"x\",\n  \"other\": [1, 2]\n}\n",
    "{\n    \"name\": {\n        \"a\": 1\n    },\n    \"other\": null\n}",
    "{\n\t\"name\": [\n\t\t1\n\t],\n\t\"other\": \"\\u00e9\\n\"\n}\n",
    "{\"name\":\"x\",\"other\":{\"a\":[]}}",
    "{ \"name\": 1.0e3 }\n",
    "{\n  // why\n  \"name\": \"x\", // trailing\n  /* block */\n  \"other\": 1,\n}\n",
    "{}",
    "{\n}\n",
];

#[test]
fn json_corpus() {
    for (text, body) in JSON
        .iter()
        .flat_map(|text| PATCHES.iter().map(move |body| (text, toml(body))))
    {
        check(text, Format::Jsonc, &body);
        check(
            &format!("\u{feff}{}", text.replace('\n', "\r\n")),
            Format::Jsonc,
            &body,
        );
    }
}

#[test]
fn exact_json() {
    for (text, body, expected) in [
        (
            "{\n    \"a\": 1, // c\n    \"b\": 2\n}\n",
            "a = 3",
            "{\n    \"a\": 3, // c\n    \"b\": 2\n}\n",
        ),
        (
            "{\n\t\"a\": 1\n}",
            "e.X = \"y\"",
            "{\n\t\"a\": 1,\n\t\"e\": {\n\t\t\"X\": \"y\"\n\t}\n}",
        ),
        ("{\"a\":1}", "b = [1, 2]", "{\"a\":1,\"b\":[1,2]}"),
        ("{\"a\": 1.50}", "a = 1.5", "{\"a\": 1.50}"),
        (
            "{\r\n  \"a\": 1\r\n}\r\n",
            "b = 2",
            "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n",
        ),
        ("{\"a\": 1}", "a = 2024-01-01", "{\"a\": \"2024-01-01\"}"),
    ] {
        assert_eq!(
            apply(text, Format::Jsonc, &toml(body)).unwrap().text,
            expected,
            "{text} {body}"
        );
    }
}

#[test]
fn shared_places_are_overridden_or_refused_with_their_place() {
    for (text, body, expected) in [
        ("a: &x 1\nb: *x\n", "b = 2", Ok("a: &x 1\nb: 2\n")),
        (
            "a: &x {k: 1}\nb: *x\n",
            "b = \"z\"",
            Ok("a: &x {k: 1}\nb: z\n"),
        ),
        (
            "m: &m\n  k: 1\nn:\n  <<: *m\n",
            "n.l = 2",
            Ok("m: &m\n  k: 1\nn:\n  <<: *m\n  l: 2\n"),
        ),
        ("a: &x {k: 1}\nb: *x\n", "b.k = 2", Err("/a/k")),
        ("a: &x 1\nb: *x\n", "a = 2", Err("/a")),
        (
            "m: &m\n  k: 1\nn:\n  <<: *m\n",
            "n.k = 2",
            Ok("m: &m\n  k: 1\nn:\n  <<: *m\n  k: 2\n"),
        ),
        ("m: &m\n  k: 1\nn:\n  <<: *m\n", "m.k = 2", Err("/m/k")),
    ] {
        let text = format!("---\n{text}---\nx");
        let result = apply(&text, Format::Markdown, &toml(body)).map(|patched| patched.text);
        match (&result, expected) {
            (Ok(new), Ok(expected)) => assert_eq!(*new, format!("---\n{expected}---\nx")),
            (Err(PatchError::Edit(EditError::Entangled { at, .. })), Err(place)) => {
                assert_eq!(at.to_string(), place, "{text} {body}");
            }
            _ => panic!("{result:?}\n{text}\n{body}"),
        }
    }
}

#[test]
fn a_file_without_fields_or_with_syntax_errors_is_an_error() {
    let error = |text: &str, format| match apply(text, format, &toml("a = 1")) {
        Err(PatchError::NoFields) => "no fields".to_owned(),
        Err(PatchError::Broken(diagnostics)) => diagnostics[0].code.name.to_owned(),
        Err(PatchError::NoMap(word)) => word.to_owned(),
        other => format!("{other:?}"),
    };
    for (text, format, expected) in [
        ("a,b\n1,2\n", Format::Csv, "no fields"),
        ("---\na: 1\n", Format::Markdown, "markdown/fence"),
        ("---\na: [1\n---\n", Format::Markdown, "yaml/syntax"),
        ("---\n- a\n---\n", Format::Markdown, "a list"),
        ("---\ntext\n---\n", Format::Markdown, "a string"),
        (
            "---\na: 1\na: 2\n---\n",
            Format::Markdown,
            "text/duplicate-key",
        ),
        ("[1]", Format::Jsonc, "a list"),
        ("{\"a\": }", Format::Jsonc, "json/syntax"),
    ] {
        assert_eq!(error(text, format), expected, "{text:?}");
    }
}

#[test]
fn fields_are_named_as_the_manifest_writes_them() {
    let body = toml("model = 1\nenv.\"a.b\" = 2\nenv.c = {}\n\"\" = [{ x = 1 }]");
    let names: Vec<String> = FieldPath::all(&body)
        .into_iter()
        .map(|field| format!("{field} {}", field.pointer()))
        .collect();
    assert_eq!(
        names,
        [
            "model /model",
            "env.\"a.b\" /env/a.b",
            "env.c /env/c",
            "\"\" /"
        ]
    );
    let patched = apply(
        "---\nenv: {c: {d: 1}}\nmodel: 0\n---\n",
        Format::Markdown,
        &body,
    )
    .unwrap();
    let changes: Vec<_> = patched
        .fields
        .into_iter()
        .map(|change| (change.before, change.after))
        .collect();
    let inner = Value::map([("d", Value::from(1usize))]);
    assert_eq!(changes[0], (Some(Value::from(0usize)), Value::from(1usize)));
    assert_eq!(changes[1], (None, Value::from(2usize)));
    assert_eq!(changes[2], (Some(inner.clone()), inner));
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z0-9 :#'\"\\n-]{0,12}".prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![
            "", "---", "~", "0.8", "yes", "a: b", "é", "x\n\ny\n", "[", "*a", " lead"
        ])
        .prop_map(Value::from),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    any_scalar().prop_recursive(2, 8, 3, |inner| {
        let keys = prop::sample::select(vec!["a", "b", "c", "d.e"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::List),
            prop::collection::btree_map(keys, inner, 0..3).prop_map(Value::map),
        ]
    })
}

fn any_map() -> impl Strategy<Value = Value> {
    let keys = prop::sample::select(vec![
        "name",
        "model",
        "tools",
        "a",
        "b",
        "key with space",
        "0",
    ]);
    prop::collection::btree_map(keys, any_value(), 0..5).prop_map(Value::map)
}

/// Front matter with a comment above each key.
fn commented(map: &Value) -> String {
    let Value::Map(entries) = map else {
        panic!("a map")
    };
    let lines = entries.iter().enumerate().map(|(at, (key, value))| {
        let one = Value::map([(key.clone(), value.clone())]);
        format!(
            "# comment {at}\n{}",
            agpm_text::print(&one, Format::Yaml).unwrap()
        )
    });
    format!("---\n{}---\nbody: text\n", lines.collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_patch_gives_the_merged_value_and_leaves_all_other_lines(map in any_map(), body in any_map()) {
        check(&commented(&map), Format::Markdown, &body);
        check(&map.to_json(), Format::Jsonc, &body);
    }
}
