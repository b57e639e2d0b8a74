//! Laws of YAML: printing loses nothing, an edit changes only its node, and no input causes a panic.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::ops::Range;

use agpm_diag::{SourceMap, has_errors};
use agpm_text::{
    Document, Edit, EditError, Format, Limits, NodeKind, NodeRef, Pointer, Value, equal, parse,
    print, to_value,
};
use proptest::prelude::*;

fn document(text: &str, format: Format) -> Document {
    let mut sources = SourceMap::default();
    let parsed = parse(sources.add("x", text), text, format, Limits::default());
    assert!(
        !has_errors(&parsed.diagnostics),
        "{text:?}: {:?}",
        parsed.diagnostics
    );
    parsed.document
}

fn number(text: &str) -> Value {
    to_value(document(text, Format::Json).root().unwrap())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,6}",
        1 => "[a-c:#?,&*!|>'\"%@`~=<.0-9é😀 \\[\\]{}-]{0,6}",
        1 => "[a-b \n\t\r\u{85}\u{2028}\u{0}\u{7f}\u{feff}-]{0,8}",
        1 => "([a-c#:-]{1,4}\n){1,3}[a-c]{0,2}\n{0,2}",
        1 => prop::sample::select(vec![
            "yes", "No", "on", "y", "null", "~", "010", "1_000", "12:30", "0b1", "2001-01-01", "=", "<<", "---", "...", "1.5",
        ])
        .prop_map(str::to_owned),
    ]
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| number(&format!("{n:?}"))),
        4 => any_text().prop_map(Value::from),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    any_scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map(any_text(), inner, 0..4).prop_map(Value::map),
        ]
    })
}

fn any_map() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => prop::collection::btree_map(any_text(), any_value(), 1..4).prop_map(Value::map),
        1 => prop::collection::vec(any_value(), 1..4).prop_map(Value::List),
    ]
}

/// Writes a value as people do: in every style, with comments everywhere.
struct Scribe {
    seed: u64,
    out: String,
    comments: usize,
    newline: &'static str,
}

impl Scribe {
    fn write(value: &Value, seed: u64) -> String {
        let mut scribe = Scribe {
            seed: seed | 1,
            out: String::new(),
            comments: 0,
            newline: "\n",
        };
        if scribe.one_in(3) {
            scribe.newline = "\r\n";
        }
        if scribe.one_in(5) {
            scribe.out.push('\u{feff}');
        }
        scribe.own_comment(0);
        if scribe.one_in(4) {
            scribe.out.push_str("---");
            scribe.line(0);
        }
        if !scribe.is_block(value) {
            scribe.flow(value, 2);
            scribe.side_comment();
        } else {
            scribe.block(value, 0);
        }
        if !scribe.one_in(3) {
            scribe.line(0);
            scribe.own_comment(0);
        }
        scribe.out
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11).is_multiple_of(n)
    }

    fn line(&mut self, column: usize) {
        self.out.push_str(self.newline);
        self.out.push_str(&" ".repeat(column));
    }

    fn comment(&mut self) {
        self.comments += 1;
        self.out.push_str(&format!("# c{}c", self.comments));
    }

    fn side_comment(&mut self) {
        if self.one_in(4) {
            self.out.push(' ');
            self.comment();
        }
    }

    /// Either a comment on its own line or nothing, from the start of a line to the start of the next one.
    fn own_comment(&mut self, column: usize) {
        if self.one_in(5) {
            self.comment();
            self.line(column);
        }
        if self.one_in(8) {
            self.out.push_str(self.newline);
            self.out.push_str(&" ".repeat(column));
        }
    }

    fn is_block(&mut self, value: &Value) -> bool {
        let filled = matches!(value, Value::List(items) if !items.is_empty())
            || matches!(value, Value::Map(entries) if !entries.is_empty());
        filled && !self.one_in(4)
    }

    fn block(&mut self, value: &Value, column: usize) {
        let count = match value {
            Value::List(items) => items.len(),
            Value::Map(entries) => entries.len(),
            _ => 0,
        };
        for at in 0..count {
            if at > 0 {
                self.line(column);
                self.own_comment(column);
            }
            match value {
                Value::List(items) => self.item(&items[at], column),
                Value::Map(entries) => self.entry(&entries[at].0, &entries[at].1, column),
                _ => {}
            }
        }
    }

    fn below(&mut self, value: &Value, column: usize) {
        if self.one_in(8) {
            self.out.push_str(" &anchor");
        }
        if self.one_in(8) {
            self.out.push_str(if matches!(value, Value::Map(_)) {
                " !!map"
            } else {
                " !!seq"
            });
        }
        self.side_comment();
        self.line(column);
        self.own_comment(column);
        self.block(value, column);
    }

    fn item(&mut self, value: &Value, column: usize) {
        self.out.push('-');
        if !self.is_block(value) {
            return self.value(value, column);
        }
        if self.one_in(4) {
            return self.below(value, column + 3);
        }
        let gap = if self.one_in(4) { 3 } else { 1 };
        self.out.push_str(&" ".repeat(gap));
        self.block(value, column + 1 + gap);
    }

    fn entry(&mut self, key: &str, value: &Value, column: usize) {
        if self.one_in(8) {
            self.out.push_str("? ");
            self.string(key, None);
            self.line(column);
        } else {
            self.string(key, None);
        }
        self.out.push(':');
        if !self.is_block(value) {
            return self.value(value, column);
        }
        let indentless = matches!(value, Value::List(_)) && self.one_in(2);
        let deeper = if self.one_in(3) { 4 } else { 2 };
        self.below(value, if indentless { column } else { column + deeper });
    }

    /// Writes a value next to a colon or dash.
    fn value(&mut self, value: &Value, column: usize) {
        if matches!(value, Value::Null) && self.one_in(2) {
            return self.side_comment();
        }
        self.out.push(' ');
        if self.one_in(8) {
            self.out.push_str("&anchor ");
        }
        match value {
            Value::String(text) => {
                if self.one_in(8) {
                    self.out.push_str("!!str ");
                }
                if !self.string(text, Some(column + 2)) {
                    self.side_comment();
                }
            }
            _ => {
                self.flow(value, column + 2);
                self.side_comment();
            }
        }
    }

    /// Returns whether it became a literal block, which nothing can follow on its line.
    fn string(&mut self, text: &str, literal: Option<usize>) -> bool {
        let printed = print(&Value::from(text), Format::Yaml).unwrap();
        let printed = printed.trim_end_matches('\n');
        if let Some(column) = literal.filter(|_| printed.starts_with('|')) {
            // Trailing blank lines need a line after them to have an effect.
            if !printed.starts_with("|+") {
                self.out.push_str(
                    &printed
                        .replace("\n  ", &format!("\n{}", " ".repeat(column)))
                        .replace('\n', self.newline),
                );
                return true;
            }
        }
        let is_single = text.chars().all(|c| (' '..='~').contains(&c)) && self.one_in(3);
        if is_single {
            self.out
                .push_str(&format!("'{}'", text.replace('\'', "''")));
        } else if printed.starts_with('|') {
            let json = Value::from(text).to_json();
            self.out.push_str(json.trim_end());
        } else {
            self.out.push_str(printed);
        }
        false
    }

    fn flow(&mut self, value: &Value, column: usize) {
        let lines = self.one_in(3);
        match value {
            Value::List(items) if !items.is_empty() => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    self.flow_gap(at, lines, column);
                    self.flow(item, column + 2);
                }
                self.flow_end(lines, column, ']');
            }
            Value::Map(entries) if !entries.is_empty() => {
                self.out.push('{');
                for (at, (key, item)) in entries.iter().enumerate() {
                    self.flow_gap(at, lines, column);
                    self.flow_string(key);
                    if !(matches!(item, Value::Null) && self.one_in(2)) {
                        self.out.push_str(": ");
                        self.flow(item, column + 2);
                    }
                }
                self.flow_end(lines, column, '}');
            }
            Value::String(text) => self.flow_string(text),
            other => self
                .out
                .push_str(print(other, Format::Yaml).unwrap().trim_end()),
        }
    }

    fn flow_string(&mut self, text: &str) {
        let is_word = !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase());
        if is_word {
            let _ = self.string(text, None);
        } else {
            self.out.push_str(Value::from(text).to_json().trim_end())
        }
    }

    fn flow_gap(&mut self, at: usize, lines: bool, column: usize) {
        if at > 0 {
            let comma = if self.one_in(6) { " ," } else { "," };
            self.out.push_str(comma);
        }
        if lines {
            self.side_comment();
            self.line(column);
            self.own_comment(column);
        } else if at > 0 || self.one_in(4) {
            self.out.push(' ');
        }
    }

    fn flow_end(&mut self, lines: bool, column: usize, close: char) {
        if self.one_in(4) {
            self.out.push(',');
        }
        if lines && !self.one_in(3) {
            self.side_comment();
            self.line(column);
        }
        self.out.push(close);
    }
}

/// All pointers of a document.
fn pointers(root: NodeRef<'_>) -> Vec<Pointer> {
    fn walk(node: NodeRef<'_>, at: &Pointer, out: &mut Vec<Pointer>) {
        out.push(at.clone());
        node.items()
            .enumerate()
            .for_each(|(index, item)| walk(item, &at.child(index.to_string()), out));
        node.entries()
            .for_each(|(key, value)| walk(value, &at.child(key.content()), out));
    }
    let mut out = Vec::new();
    walk(root, &Pointer::root(), &mut out);
    out
}

/// The edit of this verb at a pointer, and the range that it may touch.
fn edit_at(
    document: &Document,
    at: &Pointer,
    verb: u8,
    value: Value,
) -> Option<(Edit, Range<usize>)> {
    let node = document.at(at)?;
    let own = || lines(document, at, node.span().range());
    match (verb % 5, node.kind()) {
        (0, _) => Some((
            Edit::Set {
                at: at.clone(),
                value,
            },
            own(),
        )),
        (1, _) => {
            let (parent, _) = at.split_last()?;
            let container = document.at(&parent)?;
            Some((
                Edit::Remove { at: at.clone() },
                lines(document, &parent, container.span().range()),
            ))
        }
        (_, NodeKind::Map) => {
            let at = at.child("brand new");
            node.get("brand new")
                .is_none()
                .then(|| (Edit::Insert { at, value }, own()))
        }
        (2, NodeKind::List) => Some((
            Edit::Append {
                to: at.clone(),
                value,
            },
            own(),
        )),
        (3, NodeKind::List) => Some((
            Edit::Insert {
                at: at.child("0"),
                value,
            },
            own(),
        )),
        (_, NodeKind::List) => Some((
            Edit::Insert {
                at: at.child((node.len() / 2).to_string()),
                value,
            },
            own(),
        )),
        _ => None,
    }
}

/// The range from the key or dash of a node to the end of its last line.
fn lines(document: &Document, at: &Pointer, node: Range<usize>) -> Range<usize> {
    let text = document.text();
    let announced = at.split_last().map_or(node.start, |(parent, step)| {
        let container = document.at(&parent).unwrap();
        let key = container.entries().find(|(key, _)| key.content() == step);
        let before = step
            .parse::<usize>()
            .ok()
            .and_then(|index| container.items().nth(index.checked_sub(1)?));
        match (key, before) {
            (Some((key, _)), _) => key.span().start as usize,
            (None, Some(before)) => before.span().end as usize,
            (None, None) => container.span().start as usize,
        }
    });
    let announced = if at.steps().is_empty() { 0 } else { announced };
    let start = text[..announced]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    start
        ..text[node.end..]
            .find('\n')
            .map_or(text.len(), |length| node.end + length + 1)
}

fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("# c").filter_map(|(at, _)| {
        let length = text[at..].find('c')? + 1;
        let end = text[at + length..].find('c')?;
        let word = &text[at..at + length + end + 1];
        word[3..word.len() - 1]
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then_some((at, word))
    })
}

/// Comments that the edit must not touch: outside the node and not at the end of its last line.
fn foreign_comments(document: &Document, edit: &Edit) -> Vec<String> {
    let text = document.text();
    let gone = match edit {
        Edit::Set { at, .. } | Edit::Remove { at } => {
            let range = document.at(at).unwrap().span().range();
            range.start
                ..text[range.end..]
                    .find('\n')
                    .map_or(text.len(), |length| range.end + length)
        }
        _ => 0..0,
    };
    let key = match edit {
        Edit::Remove { at } => lines(document, at, gone.clone()).start,
        _ => gone.start,
    };
    let is_foreign = |at: usize| at < key.min(gone.start) || at >= gone.end;
    comments(text)
        .filter(|(at, _)| is_foreign(*at))
        .map(|(_, word)| word.to_owned())
        .collect()
}

fn check_edit(document: &Document, edit: &Edit, region: &Range<usize>) {
    let text = document.text();
    let result = document.edit(edit);
    let new = result.unwrap_or_else(|error| panic!("{error:?}\n{edit:?}\n{text}\n{text:?}"));
    let head = text[..region.start].trim_end_matches(['\r', '\n']);
    let tail = &text[region.end..];
    assert!(
        new.starts_with(head) && new.ends_with(tail),
        "{edit:?}\n{text:?}\n{new:?}"
    );
    for comment in foreign_comments(document, edit) {
        assert!(
            new.contains(&comment),
            "{comment} is lost\n{edit:?}\n{text}\n---\n{new}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn printing_loses_nothing(value in any_value()) {
        let text = print(&value, Format::Yaml).unwrap();
        let again = document(&text, Format::Yaml);
        prop_assert!(equal(again.root().unwrap(), &value), "{text}");
    }

    #[test]
    fn scribbled_text_reads_as_its_value(value in any_map(), seed in any::<u64>()) {
        let text = Scribe::write(&value, seed);
        prop_assert!(equal(document(&text, Format::Yaml).root().unwrap(), &value), "{text}");
    }

    #[test]
    fn an_edit_changes_only_its_node(
        value in any_map(),
        seed in any::<u64>(),
        pointer in any::<prop::sample::Index>(),
        verb in any::<u8>(),
        new in any_value(),
    ) {
        let text = Scribe::write(&value, seed);
        let document = document(&text, Format::Yaml);
        let all = pointers(document.root().unwrap());
        if let Some((edit, region)) = edit_at(&document, pointer.get(&all), verb, new) {
            check_edit(&document, &edit, &region);
        }
    }

    #[test]
    fn a_rewrite_reads_as_its_target(value in any_map(), seed in any::<u64>(), other in any_map(), verbs in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any_value()), 1..5)) {
        let text = Scribe::write(&value, seed);
        let document = document(&text, Format::Yaml);
        let mut target = text.clone();
        for (pointer, verb, new) in verbs {
            let current = crate::document(&target, Format::Yaml);
            let all = pointers(current.root().unwrap());
            if let Some((edit, _)) = edit_at(&current, pointer.get(&all), verb, new) {
                target = current.edit(&edit).unwrap_or_else(|error| panic!("{error:?} {edit:?}\n{target}"));
            }
        }
        let target = crate::document(&target, Format::Yaml);
        let result = document.rewrite(target.root().unwrap());
        prop_assert!(result.is_ok(), "{result:?}\n{text}\n--- to\n{}", target.text());
        let result = document.rewrite(&other);
        prop_assert!(result.is_ok(), "{result:?}\n{text}\n--- to\n{other:?}");
    }

    #[test]
    fn nothing_makes_the_reader_fall(text in "(\\PC|[\n\r\t]){0,40}") {
        survives(&text);
    }

    #[test]
    fn no_soup_makes_the_reader_or_the_editor_fall(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "a", "b", ": ", ":", "- ", "-", "? ", "\n", "\n  ", "\n    ", "\r\n", "[", "]", "{", "}", ", ", "&x ", "*x", "!!str ",
            "!t ", "|", ">", "|+", "\n\n", "'", "\"", "# c", " #", "<<: ", "---\n", "...\n", "%", "\t", "é", "1", "~", "a: ", "a: 1\n",
            "- a\n", "b:\n", "  ", "\u{feff}", "\\",
        ]), 0..14),
        verb in any::<u8>(),
        pointer in any::<prop::sample::Index>(),
    ) {
        survives(&tokens.concat());
        soup_edit(&tokens.concat(), verb, &pointer);
    }
}

fn survives(text: &str) {
    let mut sources = SourceMap::default();
    for format in [Format::Yaml, Format::Markdown] {
        let parsed = parse(sources.add("x", text), text, format, Limits::default());
        if let Some(root) = parsed.document.root() {
            for pointer in pointers(root) {
                let _ = &text[parsed.document.at(&pointer).unwrap_or(root).span().range()];
            }
        }
        for diagnostic in &parsed.diagnostics {
            let _ = &text[diagnostic.labels[0].span.range()];
        }
    }
}

fn soup_edit(text: &str, verb: u8, pointer: &prop::sample::Index) {
    let mut sources = SourceMap::default();
    let parsed = parse(
        sources.add("x", text),
        text,
        Format::Yaml,
        Limits::default(),
    );
    // A byte order mark after blank lines is legal, but nobody writes one.
    if has_errors(&parsed.diagnostics) || text.contains('\u{feff}') {
        return;
    }
    let Some(root) = parsed.document.root() else {
        return;
    };
    let all = pointers(root);
    let Some((edit, _)) = edit_at(
        &parsed.document,
        pointer.get(&all),
        verb,
        Value::list(["x"]),
    ) else {
        return;
    };
    // Some random inputs are still refused as unsafe, such as `|+` over blanks without a line ending, but never with a
    // panic.
    let _ = parsed.document.edit(&edit);
}

/// Texts with dependent nodes, or in unusual notation.
const AWKWARD: &[&str] = &[
    "a: &x {k: 1, l: [1, 2]}\nb: *x\nc: [*x, *x]\n",
    "m: &m\n  k: 1\n  l: &n {p: 1}\nn:\n  <<: *m\n  k: 2\no: {<<: [*m, *n], z: 1}\np:\n  - <<: *m\n  - q: *n\n    <<: {r: 1}\n",
    "- &a [1, &b 2]\n- *a\n- *b\n- x: *b\n  y: &c\n- *c\n",
    "base: &base\n  env: &env\n    A: 1\n  list: &list\n  - a\n  - b\none:\n  <<: *base\n  env:\n    <<: *env\n    B: 2\ntwo: *list\n",
    "%YAML 1.2\n---\n# c\na: 1\nb:\n  - x\n...\n# end\n",
    "--- !!map\na: 1\n",
    "--- &r\n- a\n-\n  - b\n",
    "--- # c\n[a, {b: c}, d: e]\n",
    "? a\n: b\n? - x\n",
    "? a # c\n:\n  - 1\n  - 2\n? b\n? c\n: d: 1\n  e: 2\n",
    "a:\n\n\n  b: 1\n\n\n  c: 2\n\n\nd:\n\n  - 1\n\n  - 2\n",
    "a: >-\n  folded\n  text\n\n  more\nb: |2\n    indented\n  two\nc: |+\n  keep\n\n# c\nd: |-\n",
    "a: \"multi\n  line\"\nb: 'multi\n\n  line'\nc: plain\n  multi\n  line\nd: {a: x\n    y, b: \"q\n    r\"}\n",
    "- - - a\n    - b\n  - - c\n- - d\n",
    "- a:\n  - b:\n    - c: 1\n      d: 2\n    e: 3\n  f: 4\n",
    "a: !!str 1\nb: !!seq\n- !!int 2\nc: !!map {d: !!null }\ne: &q !!float 1\nf: !!str\n",
    "{a: {}, b: [], c: [[], {}], d: }\n",
    "{\n  # only\n}\n",
    "a: [\n  # only\n  ]\nb: [ # c\n  x ]\nc: { # d\n  e: f }\n",
    "[a, b: c, ? d : e, ? f, \"g\": h, {i: j}]\n",
    "\"quoted key\": 1\n'single key' : 2\nplain key : 3\n? \"long\"\n: 4\n",
    "a: 1 # c\n   # deeper\n# shallower\nb:\n# at zero\n  c: 1\n# at zero again\n  d: 2\n# end",
    "a:\r\n  - 1\r\n  - b: 2\r\n\r\n    c: 3\r\n# x\r\nd: 4",
    "a:  \n  b: 1  \n  c:   # x\n  -   y\n  -   z\n",
    "plain",
    "'quoted' # c",
    "|\n text\n",
    "- |\n  a\n-\n  |\n  b\n- >\n\n  c\n\n",
    "-   a: 1\n    b: 2\n-   - x\n    - y\n",
    "a: -1\n-b: --c\n? -\n: x\n",
    "a: {b: 1, c: 2,}\nd: [1, 2, ]\n",
    "a: \"x\"# no comment\n",
    // Each of these was once edited incorrectly.
    "...\n&x ",
    "|\n\n[",
    "? | #\n  \t",
    "? ---\n:<<: ",
    "|+\n  a\n #",
    "a: |+\n  b\n\n # c\nd: 1\n",
    "- \t---\n",
    "\t|",
    "\néa: 1\n: ",
    "a: b\nc: d\ne: f",
    "- a\n\n\n- b\n",
    "- {\n  \"\",\n  a: [\n    null\n    ]}",
    "[null,  # c\n  # d\n  {a: b}, # e\n  null]\n",
    "a: !!map {}\n  # c",
    "a:\n    # first\n  - b\n",
    "a: 1  \nb: 2  ",
    "key with spaces: v\nhttp://x: y\na#b: c\n",
];

fn new_values() -> Vec<Value> {
    vec![
        Value::Null,
        Value::from("plain"),
        Value::from("two\nlines\n"),
        Value::from("kept\nlines\n\n"),
        Value::list([
            Value::from("x"),
            Value::map([("k", Value::from("two\nlines"))]),
        ]),
        Value::map([("k", Value::list([1i64])), ("l", Value::from("a: b"))]),
        Value::list::<Value>([]),
    ]
}

#[test]
fn every_edit_of_awkward_strings_is_made_or_refused_with_a_reason() {
    for text in AWKWARD {
        let mut sources = SourceMap::default();
        let parsed = parse(
            sources.add("x", *text),
            *text,
            Format::Yaml,
            Limits::default(),
        );
        if has_errors(&parsed.diagnostics) {
            continue;
        }
        let all = parsed.document.root().map(pointers).unwrap_or_default();
        for (pointer, verb) in all
            .iter()
            .flat_map(|pointer| (0..5).map(move |verb| (pointer, verb)))
        {
            for value in new_values() {
                let Some((edit, _)) = edit_at(&parsed.document, pointer, verb, value) else {
                    continue;
                };
                let result = parsed.document.edit(&edit);
                let reasoned = matches!(result, Ok(_) | Err(EditError::Entangled { .. }));
                assert!(reasoned, "{result:?}\n{edit:?}\n{text}\n{text:?}");
            }
        }
    }
}

#[test]
fn every_rewrite_of_awkward_strings_to_another_is_made_or_refused_with_a_reason() {
    let readable = |text: &&&str| {
        let mut sources = SourceMap::default();
        !has_errors(
            &parse(
                sources.add("x", **text),
                **text,
                Format::Yaml,
                Limits::default(),
            )
            .diagnostics,
        )
    };
    let documents: Vec<Document> = AWKWARD
        .iter()
        .filter(readable)
        .map(|text| document(text, Format::Yaml))
        .collect();
    for (from, to) in documents
        .iter()
        .flat_map(|from| documents.iter().map(move |to| (from, to)))
    {
        let Some(target) = to.root() else { continue };
        let result = from.rewrite(target);
        let reasoned = matches!(result, Ok(_) | Err(EditError::Entangled { .. }));
        assert!(
            reasoned,
            "{result:?}\n{}\n--- to\n{}",
            from.text(),
            to.text()
        );
    }
}
