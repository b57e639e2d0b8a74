//! Applies patches: sets fields of front matter, JSON, YAML or TOML by a lossless edit.

use std::borrow::Cow;

use agpm_diag::{Diagnostic, SourceId, codes, has_errors};
use agpm_model::FieldPath;
use agpm_text::{
    Document, EditError, Format, Limits, NodeKind, NodeRef, NodeShape, ParsedDocument, TreeView,
    Value, equal, parse, to_value,
};

/// One field that a patch sets.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    /// The field.
    pub field: FieldPath,
    /// The old value.
    pub before: Option<Value>,
    /// The new value.
    pub after: Value,
}

/// Text with its patch applied.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchedDocument {
    /// The new text.
    pub text: String,
    /// The fields that were set, in the order of the patch.
    pub fields: Vec<FieldChange>,
}

/// The reason why a patch was not applied.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PatchError {
    /// The format has no fields.
    #[error("the file has no fields")]
    NoFields,
    /// The fields cannot be parsed.
    #[error("the file's fields cannot be read")]
    Broken(Vec<Diagnostic>),
    /// The fields are not an object, but this.
    #[error("the file has {0} instead of fields")]
    NoMap(&'static str),
    /// A field cannot be changed, or not alone.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Sets the fields of `body`, an object: nested maps merge key by key, everything else is replaced.
pub fn patch(
    source: SourceId,
    text: &str,
    format: Format,
    body: &Value,
) -> Result<PatchedDocument, PatchError> {
    if format == Format::Csv {
        return Err(PatchError::NoFields);
    }
    let document = readable(parse(source, text, format, Limits::default()))?;
    let body = representable(format, body);
    let root = document.root();
    let fields: Vec<FieldChange> = FieldPath::all(&body)
        .into_iter()
        .map(|field| change(field, root, &body))
        .collect();
    if fields.is_empty() {
        return Ok(PatchedDocument {
            text: text.to_owned(),
            fields,
        });
    }
    let target = root.map_or(PatchedValue::New(&body), |root| {
        PatchedValue::of(root, &body)
    });
    Ok(PatchedDocument {
        text: document.rewrite(target)?.to_string(),
        fields,
    })
}

/// The document, if it can be patched.
fn readable(parsed: ParsedDocument) -> Result<Document, PatchError> {
    let kind = parsed
        .document
        .root()
        .map(NodeRef::kind)
        .filter(|kind| *kind != NodeKind::Map);
    let reported_by_kind =
        |diagnostic: &Diagnostic| kind.is_some() && diagnostic.code == &codes::MARKDOWN_FENCE;
    let diagnostics: Vec<_> = parsed
        .diagnostics
        .into_iter()
        .filter(|d| !reported_by_kind(d))
        .collect();
    match kind {
        _ if has_errors(&diagnostics) => Err(PatchError::Broken(diagnostics)),
        Some(kind) => Err(PatchError::NoMap(kind.word())),
        None => Ok(parsed.document),
    }
}

/// The patch with dates as strings if the format has none.
fn representable(format: Format, body: &Value) -> Cow<'_, Value> {
    if format != Format::Toml && has_dates(body) {
        Cow::Owned(dates_as_text(body))
    } else {
        Cow::Borrowed(body)
    }
}

fn has_dates(value: &Value) -> bool {
    match value {
        Value::DateTime(_) => true,
        Value::List(items) => items.iter().any(has_dates),
        Value::Map(entries) => entries.iter().any(|(_, value)| has_dates(value)),
        _ => false,
    }
}

fn dates_as_text(value: &Value) -> Value {
    match value {
        Value::DateTime(text) => Value::String(text.clone()),
        Value::List(items) => Value::List(items.iter().map(dates_as_text).collect()),
        Value::Map(entries) => Value::map(
            entries
                .iter()
                .map(|(key, value)| (key, dates_as_text(value))),
        ),
        other => other.clone(),
    }
}

fn change(field: FieldPath, root: Option<NodeRef<'_>>, body: &Value) -> FieldChange {
    let steps = field.pointer().steps();
    let before = steps
        .iter()
        .try_fold(root, |node, key| Some(node?.get(key)))
        .flatten()
        .map(to_value);
    let new = steps
        .iter()
        .try_fold(body, |value, key| value.get(key))
        .cloned()
        .unwrap_or(Value::Null);
    // An empty map adds nothing to an existing object.
    let after = before
        .clone()
        .filter(|before| matches!((before, &new), (Value::Map(_), Value::Map(_))));
    FieldChange {
        field,
        before,
        after: after.unwrap_or(new),
    }
}

/// The value after a patch, without copying unchanged parts.
#[derive(Clone, Copy)]
enum PatchedValue<'a> {
    /// The unchanged node of the document.
    Kept(NodeRef<'a>),
    /// A value of the patch.
    New(&'a Value),
    /// Two merged maps.
    Both(NodeRef<'a>, &'a [(String, Value)]),
}

impl<'a> PatchedValue<'a> {
    fn of(node: NodeRef<'a>, value: &'a Value) -> Self {
        match value {
            Value::Map(entries) if node.kind() == NodeKind::Map => {
                PatchedValue::Both(node, entries)
            }
            _ if equal(node, value) => PatchedValue::Kept(node),
            _ => PatchedValue::New(value),
        }
    }
}

/// The entries of a patch with new keys.
fn added<'a>(
    node: NodeRef<'a>,
    entries: &'a [(String, Value)],
) -> impl Iterator<Item = &'a (String, Value)> {
    entries
        .iter()
        .filter(move |(key, _)| node.get(key).is_none())
}

impl<'a> TreeView<'a> for PatchedValue<'a> {
    fn shape(self) -> NodeShape<'a> {
        match self {
            PatchedValue::Kept(node) => node.shape(),
            PatchedValue::New(value) => value.shape(),
            PatchedValue::Both(node, entries) => {
                NodeShape::Map(node.len() + added(node, entries).count())
            }
        }
    }

    fn item(self, index: usize) -> Self {
        match self {
            PatchedValue::Kept(node) => PatchedValue::Kept(node.item(index)),
            PatchedValue::New(value) => PatchedValue::New(value.item(index)),
            both @ PatchedValue::Both(..) => both,
        }
    }

    fn entry(self, index: usize) -> (&'a str, Self) {
        match self {
            PatchedValue::Kept(node) => {
                let (key, value) = node.entry(index);
                (key, PatchedValue::Kept(value))
            }
            PatchedValue::New(value) => {
                let (key, value) = value.entry(index);
                (key, PatchedValue::New(value))
            }
            PatchedValue::Both(node, entries) => merged_entry(node, entries, index),
        }
    }

    fn node(self) -> Option<NodeRef<'a>> {
        match self {
            PatchedValue::Kept(node) => Some(node),
            _ => None,
        }
    }
}

/// First the entries of the object, then those that the patch adds.
fn merged_entry<'a>(
    node: NodeRef<'a>,
    entries: &'a [(String, Value)],
    index: usize,
) -> (&'a str, PatchedValue<'a>) {
    if index < node.len() {
        let (key, existing) = node.entry(index);
        let set = entries.iter().find(|(name, _)| name == key);
        return (
            key,
            set.map_or(PatchedValue::Kept(existing), |(_, value)| {
                PatchedValue::of(existing, value)
            }),
        );
    }
    let new = added(node, entries).nth(index - node.len());
    let (key, value) = new.expect("an index less than the count of entries");
    (key, PatchedValue::New(value))
}
