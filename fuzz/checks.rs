//! What holds for every text, whoever wrote it. The fuzz targets and a plain test over the seeds run the same checks.

use agpm_diag::{SourceMap, Span, has_errors};
use agpm_text::{
    Document, Edit, EditError, Format, Limits, NodeId, NodeKind, NodeRef, ParsedDocument, Pointer,
    Value, equal, parse, print, to_value,
};

/// Small, so that a few aliases of aliases do not keep a run busy.
const LIMITS: Limits = Limits {
    bytes: 1 << 20,
    depth: 64,
    expansion: 2_000,
};

/// Formats that can be edited, and printed unless they are Markdown.
const EDITABLE: [Format; 5] = [
    Format::Json,
    Format::Jsonc,
    Format::Yaml,
    Format::Toml,
    Format::Markdown,
];

fn read(text: &str, format: Format) -> ParsedDocument {
    let mut sources = SourceMap::default();
    parse(sources.add("x", text), text, format, LIMITS)
}

/// Reading does not fall, and what reads without errors survives being written.
pub fn check_reading(text: &str, format: Format) {
    let parsed = read(text, format);
    check_spans(&parsed);
    if has_errors(&parsed.diagnostics) {
        return;
    }
    let Some(root) = parsed.document.root() else {
        return;
    };
    let value = to_value(root);
    if format != Format::Csv {
        check_rewrite_of_same(&parsed.document, &value);
    }
    for format in [Format::Json, Format::Jsonc, Format::Yaml, Format::Toml] {
        check_printing(&value, format);
    }
}

/// Every span lies in the text and cuts no character.
fn check_spans(parsed: &ParsedDocument) {
    let text: &str = parsed.document.text();
    let check = |span: Span| {
        assert!(
            span.start <= span.end,
            "{span:?} runs backwards in {text:?}"
        );
        assert!(
            text.get(span.range()).is_some(),
            "{span:?} does not lie in {text:?}"
        );
    };
    for index in 0..parsed.document.node_count() as u32 {
        let node = parsed.document.node(NodeId::from_index(index));
        check(node.span());
        let _ = node.content();
    }
    parsed
        .diagnostics
        .iter()
        .flat_map(|diagnostic| &diagnostic.labels)
        .for_each(|label| check(label.span));
}

fn check_rewrite_of_same(document: &Document, value: &Value) {
    match document.rewrite(value) {
        Ok(same) => assert_eq!(
            same.to_string(),
            **document.text(),
            "a rewrite with the same value"
        ),
        Err(error) => panic!("{error:?} for the same value\n{:?}", document.text()),
    }
}

/// What a format can hold, it holds.
fn check_printing(value: &Value, format: Format) {
    let printed = match print(value, format) {
        Ok(printed) => printed,
        Err(EditError::Unrepresentable { .. }) => return,
        Err(error) => panic!("{error:?}"),
    };
    let mut sources = SourceMap::default();
    let again = parse(
        sources.add("x", printed.as_str()),
        printed.as_str(),
        format,
        Limits::default(),
    );
    assert!(
        !has_errors(&again.diagnostics),
        "{:?}\n{printed}\n{value:?}",
        again.diagnostics
    );
    match again.document.root() {
        Some(root) => assert!(
            equal(root, value),
            "{printed}\n{:?}\n{value:?}",
            to_value(root)
        ),
        None => assert!(
            format == Format::Toml && *value == Value::Map(vec![]),
            "{printed}\n{value:?}"
        ),
    }
}

/// The first four bytes choose format, verb, place and value; the rest is the text.
pub fn check_edit_of(bytes: &[u8]) {
    let Some(([format, verb, place, value], text)) = bytes.split_first_chunk() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let format = EDITABLE[usize::from(*format) % EDITABLE.len()];
    check_edit(
        text,
        format,
        usize::from(*verb),
        usize::from(*place),
        usize::from(*value),
    );
}

/// How many verbs [`check_edit`] knows.
pub const VERBS: usize = 5;

/// An edit is made and reads back, or is refused with a reason.
pub fn check_edit(text: &str, format: Format, verb: usize, place: usize, value: usize) {
    let parsed = read(text, format);
    if has_errors(&parsed.diagnostics) {
        return;
    }
    let places = places(&parsed.document);
    let values = new_values();
    let at = &places[place % places.len()];
    let Some(edit) = edit_at(
        &parsed.document,
        at,
        verb % VERBS,
        values[value % values.len()].clone(),
    ) else {
        return;
    };
    match parsed.document.edit(&edit) {
        Ok(new) => check_result(&parsed.document, &edit, &new),
        Err(EditError::Unsafe(_)) if is_odd(text, format) => {}
        Err(EditError::Unrepresentable { .. } | EditError::Entangled { .. }) => {}
        Err(error) => panic!("{error:?}\n{edit:?}\n{format:?}\n{text}\n{text:?}"),
    }
}

/// Texts that nobody writes and that are refused: in YAML a carriage return alone ends a line; the parser takes a tab
/// behind a colon before some values only, and `?` with nothing behind it for a key only if something follows.
fn is_odd(text: &str, format: Format) -> bool {
    let is_yaml = matches!(format, Format::Yaml | Format::Markdown);
    let lone_return = text.replace("\r\n", "").contains('\r');
    let empty_key = text.lines().any(|line| line.trim_end().ends_with('?'));
    is_yaml && (lone_return || empty_key || text.contains(":\t"))
}

/// Every place of a document, up to a bound; the root is there even if it holds nothing.
fn places(document: &Document) -> Vec<Pointer> {
    const MOST: usize = 256;
    fn walk(node: NodeRef<'_>, at: &Pointer, out: &mut Vec<Pointer>) {
        if out.len() < MOST {
            out.push(at.clone());
            node.items()
                .enumerate()
                .for_each(|(index, item)| walk(item, &at.child(index.to_string()), out));
            node.entries()
                .for_each(|(key, value)| walk(value, &at.child(key.content()), out));
        }
    }
    match document.root() {
        None => vec![Pointer::root()],
        Some(root) => {
            let mut out = Vec::new();
            walk(root, &Pointer::root(), &mut out);
            out
        }
    }
}

/// Values that take every way through the printers.
fn new_values() -> Vec<Value> {
    vec![
        Value::from("plain"),
        Value::Null,
        Value::from(true),
        Value::from(-7i64),
        Value::from("two\nlines\n"),
        Value::from("kept\nlines\n\n"),
        Value::from("a: 'b' #\t\"c\\"),
        Value::list([
            Value::from("x"),
            Value::map([("k", Value::from("two\nlines"))]),
        ]),
        Value::map([("k", Value::list([1i64])), ("l.m", Value::from("a: b"))]),
        Value::map([(
            "deep",
            Value::map([("deeper", Value::map([("deepest", Value::from(1i64))]))]),
        )]),
        Value::list([
            Value::map([("k", Value::from(1i64))]),
            Value::map([("k", Value::from(2i64))]),
        ]),
        Value::list::<Value>([]),
        Value::Map(vec![]),
    ]
}

/// The edit of this verb at a place, if there is such a one.
fn edit_at(document: &Document, at: &Pointer, verb: usize, value: Value) -> Option<Edit> {
    let Some(node) = document.at(at) else {
        return Some(Edit::Set {
            at: at.child("brand new"),
            value,
        });
    };
    match (verb, node.kind()) {
        (0, _) => Some(Edit::Set {
            at: at.clone(),
            value,
        }),
        (1, _) => at.split_last().map(|_| Edit::Remove { at: at.clone() }),
        (_, NodeKind::Map) => {
            let new = at.child("brand new");
            let is_new = node.get("brand new").is_none();
            is_new.then(|| match verb {
                2 => Edit::Set {
                    at: new.child("below"),
                    value,
                },
                _ => Edit::Insert { at: new, value },
            })
        }
        (2, NodeKind::List) => Some(Edit::Append {
            to: at.clone(),
            value,
        }),
        (3, NodeKind::List) => Some(Edit::Insert {
            at: at.child("0"),
            value,
        }),
        (_, NodeKind::List) => Some(Edit::Insert {
            at: at.child((node.len() / 2).to_string()),
            value,
        }),
        _ => None,
    }
}

/// The new text holds what was meant, and everything else is spelled as before.
fn check_result(old: &Document, edit: &Edit, new: &str) {
    let parsed = read(new, old.format());
    let context = || {
        format!(
            "{edit:?}\n{}\n---\n{new}\n{:?}\n{new:?}",
            old.text(),
            old.text()
        )
    };
    assert!(
        !has_errors(&parsed.diagnostics),
        "{:?}\n{}",
        parsed.diagnostics,
        context()
    );
    let meant = match edit {
        Edit::Set { at, value } | Edit::Insert { at, value } => Some((at.clone(), value)),
        Edit::Append { to, value } => {
            let last = old.at(to).map_or(0, NodeRef::len);
            Some((to.child(last.to_string()), value))
        }
        Edit::Remove { .. } => None,
    };
    if let Some((at, value)) = meant {
        match parsed.document.at(&at) {
            Some(node) => assert!(equal(node, value), "{}", context()),
            None => assert!(is_empty_toml(&parsed.document, value), "{}", context()),
        }
    }
    check_others(old, &parsed.document, edit, &context);
    if old.format() != Format::Toml {
        check_outside(old, edit, new, &context);
    }
}

fn is_empty_toml(document: &Document, value: &Value) -> bool {
    document.format() == Format::Toml && document.root().is_none() && *value == Value::Map(vec![])
}

/// Scalars that the edit does not speak of are spelled as before.
fn check_others(old: &Document, new: &Document, edit: &Edit, context: &impl Fn() -> String) {
    for place in places(old) {
        let Some(moved) = moved(old, &place, edit) else {
            continue;
        };
        let Some(before) = old
            .at(&place)
            .filter(|node| !matches!(node.kind(), NodeKind::List | NodeKind::Map))
        else {
            continue;
        };
        let Some(after) = new.at(&moved) else {
            panic!("{place} is lost\n{}", context())
        };
        let spelled = |node: NodeRef<'_>| node.document().text()[node.span().range()].to_owned();
        // A list of TOML tables that gets something else among its items has to move into brackets.
        if old.format() == Format::Toml && equal(before, after) && place.is_within(&container(edit))
        {
            continue;
        }
        assert_eq!(spelled(before), spelled(after), "at {place}\n{}", context());
    }
}

/// Where a place is after an edit; nothing if the edit is about it.
fn moved(old: &Document, place: &Pointer, edit: &Edit) -> Option<Pointer> {
    let (at, shift) = match edit {
        Edit::Set { at, .. } => return (!place.is_within(at)).then(|| place.clone()),
        Edit::Append { .. } => return Some(place.clone()),
        Edit::Insert { at, .. } => (at, 1isize),
        Edit::Remove { at } if place.is_within(at) => return None,
        Edit::Remove { at } => (at, -1),
    };
    let (parent, step) = at.split_last()?;
    let is_list = old
        .at(&parent)
        .is_some_and(|node| node.kind() == NodeKind::List);
    if !is_list || !place.is_within(&parent) || place.steps().len() <= parent.steps().len() {
        return Some(place.clone());
    }
    let mut steps = place.steps().to_vec();
    let index: usize = steps[parent.steps().len()].parse().ok()?;
    if index >= step.parse().ok()? {
        steps[parent.steps().len()] = index.checked_add_signed(shift)?.to_string();
    }
    Some(steps.into_iter().collect())
}

/// The map or list that changes.
fn container(edit: &Edit) -> Pointer {
    match edit {
        Edit::Append { to, .. } => to.clone(),
        Edit::Set { at, .. } | Edit::Insert { at, .. } | Edit::Remove { at } => at
            .split_last()
            .map_or_else(Pointer::root, |(parent, _)| parent),
    }
}

/// Bytes before and after the lines of the container that changes are as before.
fn check_outside(old: &Document, edit: &Edit, new: &str, context: &impl Fn() -> String) {
    let text: &str = old.text();
    let at = container(edit);
    let Some(container) = old.at(&at) else { return };
    let announced = at.split_last().and_then(|(parent, step)| {
        let (key, _) = old
            .at(&parent)?
            .entries()
            .find(|(key, _)| key.content() == step)?;
        Some(key.span().range().start)
    });
    let start = announced.unwrap_or(if at.steps().is_empty() {
        0
    } else {
        container.span().range().start
    });
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    // A container without a key may be announced by a dash on a line above.
    let head = text[..line].trim_end_matches(['\r', '\n', ' ', '\t', '-']);
    let end = container.span().range().end;
    let tail = text[end..]
        .find('\n')
        .map_or("", |length| &text[end + length + 1..]);
    assert!(new.starts_with(head), "the head has changed\n{}", context());
    assert!(new.ends_with(tail), "the tail has changed\n{}", context());
}
