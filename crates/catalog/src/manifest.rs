//! One manifest: a CSV file whose rows are read by the names of its columns.

use std::collections::BTreeSet;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Severity, Span, at_most, codes};
use agpm_text::{Document, NodeId, NodeRef, ParsedDocument};

use crate::columns::{MODULE, NAME};
use crate::kind::EntryKind;
use crate::limits::MOST_FINDINGS;

/// A manifest that can be read.
#[derive(Clone, Debug)]
pub struct CatalogManifest {
    kind: EntryKind,
    /// The module whose directory it lies in; it applies where a row names none.
    module: String,
    document: Arc<Document>,
    columns: Vec<NamedColumn>,
    pub(crate) rows: Vec<NamedRow>,
}

/// A column that can be named.
#[derive(Clone, Debug)]
struct NamedColumn {
    name: String,
    index: usize,
}

/// A row that has a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedRow {
    pub(crate) node: NodeId,
    pub(crate) name: NodeId,
    pub(crate) module: Option<NodeId>,
}

/// Reads a manifest. A malformed one is skipped as a whole and reported; other problems are reported next to the
/// result.
pub fn read_manifest(
    parsed: ParsedDocument,
    kind: EntryKind,
    module: &str,
) -> (Option<CatalogManifest>, Vec<Diagnostic>) {
    let ParsedDocument {
        document,
        diagnostics,
    } = parsed;
    let columns = columns_of(&document);
    if let Some(cause) = flaw(&document, &columns, &diagnostics) {
        return (None, vec![cause]);
    }
    let mut found: Vec<Diagnostic> = diagnostics.into_iter().map(as_warning).collect();
    let mut manifest = CatalogManifest {
        kind,
        module: module.to_owned(),
        document: Arc::new(document),
        columns,
        rows: Vec::new(),
    };
    let mut nameless = Vec::new();
    manifest.rows = manifest.read_rows(&mut nameless);
    found.extend(at_most(nameless, MOST_FINDINGS));
    (Some(manifest), found)
}

/// Columns with a name, each once.
fn columns_of(document: &Document) -> Vec<NamedColumn> {
    let mut seen = BTreeSet::new();
    let names = document
        .columns()
        .map(|column| column.content())
        .enumerate();
    let usable = names.filter(|(_, name)| !name.is_empty() && seen.insert(*name));
    usable
        .map(|(index, name)| NamedColumn {
            name: name.to_owned(),
            index,
        })
        .collect()
}

/// The reason why a manifest cannot be read at all.
fn flaw(document: &Document, columns: &[NamedColumn], found: &[Diagnostic]) -> Option<Diagnostic> {
    let fatal = [&codes::CSV_QUOTE, &codes::TEXT_TOO_LARGE];
    if let Some(cause) = found.iter().find(|one| fatal.contains(&one.code)) {
        return Some(left_out(cause.clone()));
    }
    let header = document.columns().map(|column| column.span());
    let span = header
        .reduce(|first, last| Span {
            start: first.start,
            end: last.end,
        })
        .unwrap_or_default();
    let flawed = |message: &str, help: &str| {
        let cause = Diagnostic::new(&codes::CATALOG_MALFORMED, message);
        Some(left_out(cause.at(document.source(), span, "").help(help)))
    };
    // Without this, all of its rows would be names of columns, and it would look like an empty one.
    if columns.iter().any(|column| column.name.contains('\r')) {
        return flawed(
            "its lines end with carriage returns only",
            "save it with line feeds",
        );
    }
    if columns.iter().any(|column| column.name == NAME) {
        return None;
    }
    let help = if columns
        .iter()
        .any(|column| column.name.eq_ignore_ascii_case(NAME))
    {
        "the column must be named `name`, in lowercase"
    } else {
        "the first line names the columns, as in `name,title,module,path`"
    };
    flawed("it has no column `name`", help)
}

/// The finding about a manifest that is ignored.
pub fn left_out(cause: Diagnostic) -> Diagnostic {
    let message = format!("this catalog file is ignored: {}", cause.message);
    let (code, severity) = (&codes::CATALOG_MALFORMED, Severity::Warning);
    Diagnostic {
        code,
        severity,
        message,
        ..cause
    }
}

/// A finding that does not prevent the result.
fn as_warning(finding: Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: finding.severity.min(Severity::Warning),
        ..finding
    }
}

impl CatalogManifest {
    fn read_rows(&self, found: &mut Vec<Diagnostic>) -> Vec<NamedRow> {
        let Some(root) = self.document.root() else {
            return Vec::new();
        };
        let (name_at, module_at) = (self.position(NAME), self.position(MODULE));
        let mut rows = Vec::with_capacity(root.len());
        for node in root.items() {
            let field = |index: Option<usize>| node.entries().nth(index?).map(|(_, value)| value);
            let text = |value: &NodeRef<'_>| !value.content().trim().is_empty();
            let Some(name) = field(name_at).filter(text) else {
                found.extend(self.nameless(node));
                continue;
            };
            let module = field(module_at).filter(text).map(NodeRef::id);
            rows.push(NamedRow {
                node: node.id(),
                name: name.id(),
                module,
            });
        }
        rows
    }

    /// A row of only commas is as good as a blank line.
    fn nameless(&self, row: NodeRef<'_>) -> Option<Diagnostic> {
        let blank = row
            .entries()
            .all(|(_, value)| value.content().trim().is_empty());
        let diagnostic = Diagnostic::new(
            &codes::CATALOG_NAMELESS,
            "this row has no name and is ignored",
        );
        let spot = (self.document.source(), row.span());
        (!blank).then(|| {
            diagnostic
                .at(spot.0, spot.1, "")
                .help("add a name, or remove the row")
        })
    }

    /// The kind of its entries.
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// The text and tree of the catalog manifest.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// Its columns, in order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The number of rows that apply.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The index of a column in its rows.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns
            .iter()
            .find(|own| own.name == column)
            .map(|own| own.index)
    }

    pub(crate) fn name(&self, row: NamedRow) -> &str {
        self.document.node(row.name).content().trim()
    }

    pub(crate) fn module(&self, row: NamedRow) -> &str {
        row.module.map_or(&self.module, |module| {
            self.document.node(module).content().trim()
        })
    }

    /// The columns of a row with their values, in order; a short row has fewer.
    pub(crate) fn fields(&self, row: NamedRow) -> impl Iterator<Item = (&str, &str)> {
        let mut entries = self.document.node(row.node).entries().enumerate();
        self.columns.iter().filter_map(move |column| {
            let (_, (_, value)) = entries.find(|(index, _)| *index == column.index)?;
            Some((column.name.as_str(), value.content()))
        })
    }

    pub(crate) fn nth(&self, row: NamedRow, position: usize) -> Option<&str> {
        self.document
            .node(row.node)
            .entries()
            .nth(position)
            .map(|(_, value)| value.content())
    }
}
