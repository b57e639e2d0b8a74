//! A single document, before merging.

use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceId, Span, Text, codes, has_errors};
use agpm_text::{Document, Format, Limits, NodeId, NodeKind, NodeRef, parse};

use crate::schema::{INHERITS, LINKS, SCHEMA_VERSION};

/// The supported version of the schema, with any third number.
const VERSION: &str = "0.4";

/// A usable document.
#[derive(Clone, Debug)]
pub struct PersonaDocument {
    /// The content of the persona document.
    pub document: Arc<Document>,
    /// The documents that it inherits, in list order.
    pub parents: Vec<ParentReference>,
    /// Findings that do not exclude it.
    pub diagnostics: Vec<Diagnostic>,
}

/// A document that another one inherits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentReference {
    /// The path as written.
    pub path: String,
    /// The position of the reference.
    pub span: Span,
}

impl ParentReference {
    /// Whether it is a URL, and no path.
    pub fn is_remote(&self) -> bool {
        let scheme = self
            .path
            .trim_start()
            .split_once("://")
            .map(|(scheme, _)| scheme);
        scheme.is_some_and(|scheme| {
            !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric())
        })
    }
}

/// A document of a persona, as it is reported.
#[derive(Clone, Debug)]
pub(crate) struct ChainLink {
    pub(crate) layer: String,
    pub(crate) prefix: String,
    /// The path from the top directory.
    pub(crate) path: String,
    /// The path of the document that inherits it; `None` for a document of a level.
    pub(crate) inherited_from: Option<String>,
}

/// The reason why a document is ignored, reported together with the document that names it.
#[derive(Clone, Debug)]
pub struct UnusableDocument {
    /// The reason, without the document's name.
    pub reason: String,
    /// The position.
    pub span: Span,
    /// The code of the finding.
    pub code: &'static agpm_diag::Code,
    /// The fix.
    pub help: String,
}

/// Reads a document, or returns why it cannot be read or has another version.
pub fn read_document(
    source: SourceId,
    text: impl Into<Text>,
) -> Result<PersonaDocument, UnusableDocument> {
    let parsed = parse(source, text, Format::Json, Limits::default());
    if let Some(first) = parsed
        .diagnostics
        .iter()
        .find(|found| has_errors(std::slice::from_ref(found)))
    {
        let span = first
            .labels
            .first()
            .map_or_else(|| Span::at(0), |label| label.span);
        return Err(UnusableDocument {
            reason: first.message.clone(),
            span,
            code: &codes::LINEAGE_UNREADABLE,
            help: first
                .help
                .clone()
                .unwrap_or_else(|| "fix the file".to_owned()),
        });
    }
    let mut document = parsed.document;
    let Some(root) = document.root().filter(|root| root.kind() == NodeKind::Map) else {
        let word = document.root().map_or("nothing", |root| root.kind().word());
        return Err(UnusableDocument {
            reason: format!("a persona document must be an object, not {word}"),
            span: document.root().map_or_else(|| Span::at(0), NodeRef::span),
            code: &codes::LINEAGE_UNREADABLE,
            help: "put `{ … }` around the content".to_owned(),
        });
    };
    if let Some(version) = root
        .get(SCHEMA_VERSION)
        .filter(|version| !is_read(version.content()))
    {
        return Err(UnusableDocument {
            reason: format!(
                "its `{SCHEMA_VERSION}` is {}, but agpm reads {VERSION}",
                version_text(version)
            ),
            span: version.span(),
            code: &codes::LINEAGE_VERSION,
            help: format!("convert it to {VERSION}, or remove it"),
        });
    }
    let (parents, diagnostics) = parents(source, root);
    read_href_as_url(&mut document);
    Ok(PersonaDocument {
        document: Arc::new(document),
        parents,
        diagnostics,
    })
}

fn version_text(version: NodeRef<'_>) -> String {
    match version.kind() {
        NodeKind::List | NodeKind::Map | NodeKind::Null => version.kind().word().to_owned(),
        _ => format!("`{}`", version.content()),
    }
}

/// `0.4`, or `0.4.` and anything.
fn is_read(version: &str) -> bool {
    let rest = version.trim().strip_prefix(VERSION);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn parents(source: SourceId, root: NodeRef<'_>) -> (Vec<ParentReference>, Vec<Diagnostic>) {
    let Some(inherits) = root.get(INHERITS) else {
        return (Vec::new(), Vec::new());
    };
    let items: Vec<NodeRef<'_>> = match inherits.kind() {
        NodeKind::List => inherits.items().collect(),
        NodeKind::Null => Vec::new(),
        _ => vec![inherits],
    };
    let mut parents = Vec::new();
    let mut diagnostics = Vec::new();
    for item in items {
        match item.as_str() {
            Some(path) if path.trim().is_empty() => {}
            Some(path) => parents.push(ParentReference {
                path: path.to_owned(),
                span: item.span(),
            }),
            None => {
                let message = format!("`{INHERITS}` must list paths, not {}", item.kind().word());
                let diagnostic =
                    Diagnostic::new(&codes::LINEAGE_VALUE, message).at(source, item.span(), "");
                diagnostics.push(
                    diagnostic
                        .help("write a path relative to the root of the repository, as a string"),
                );
            }
        }
    }
    (parents, diagnostics)
}

/// Reads `href` of a link as `url` if that is missing.
fn read_href_as_url(document: &mut Document) {
    let links = document.root().and_then(|root| root.get(LINKS));
    let spelled = |link: NodeRef<'_>| {
        let key = |name: &str| link.entries().find(|(key, _)| key.content() == name);
        let url = key("url");
        let blank =
            url.is_none_or(|(_, value)| value.content().trim().is_empty() && value.len() == 0);
        let (href, _) = key("href").filter(|_| blank)?;
        Some((href.id(), url.map(|(key, _)| key.id())))
    };
    let found: Vec<(NodeId, Option<NodeId>)> = links
        .into_iter()
        .flat_map(NodeRef::items)
        .filter_map(spelled)
        .collect();
    for (href, url) in found {
        document.read_key_as(href, "url");
        if let Some(url) = url {
            document.read_key_as(url, "href");
        }
    }
}
