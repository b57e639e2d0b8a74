use agpm_diag::{Diagnostic, SourceSpan, Span, codes, has_errors};
use agpm_text::{Document, NodeKind, NodeRef, ParsedDocument};

use crate::check::spot;

/// The findings about a foreign configuration, and its lost settings.
pub(super) struct ImportFindings {
    diagnostics: Vec<Diagnostic>,
}

impl ImportFindings {
    /// The findings of the parser, except those about tags of objects that have no meaning here.
    pub(super) fn of_reading(parsed: &ParsedDocument, objects: &[Span]) -> Self {
        let inside = |found: &Diagnostic| {
            let label = found.labels.first();
            label.is_some_and(|label| objects.iter().any(|span| contains(*span, label.span)))
        };
        let counts = |found: &&Diagnostic| *found.code != codes::YAML_TAG || !inside(found);
        ImportFindings {
            diagnostics: parsed.diagnostics.iter().filter(counts).cloned().collect(),
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        has_errors(&self.diagnostics)
    }

    /// All findings, in document order.
    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.diagnostics
            .sort_by_key(|found| found.labels.first().map(|label| label.span));
        self.diagnostics
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports a malformed node.
    pub(super) fn malformed(&mut self, node: NodeRef<'_>, message: impl Into<String>, help: &str) {
        self.report(
            Diagnostic::new(&codes::IMPORT_FORMAT, message)
                .at_spot(spot(node))
                .help(help),
        );
    }

    /// Reports a malformed file.
    pub(super) fn malformed_file(&mut self, document: &Document, message: &str, help: &str) {
        let spot = SourceSpan {
            source: document.source(),
            span: Span::at(0),
        };
        self.report(
            Diagnostic::new(&codes::IMPORT_FORMAT, message)
                .at_spot(spot)
                .help(help),
        );
    }

    /// Reports a setting that a manifest cannot express.
    pub(super) fn report_lost(
        &mut self,
        node: NodeRef<'_>,
        message: impl Into<String>,
        help: &str,
    ) {
        self.report(
            Diagnostic::new(&codes::IMPORT_NO_COUNTERPART, message)
                .at_spot(spot(node))
                .help(help),
        );
    }

    /// The string of a node; anything else is reported.
    pub(super) fn string<'n>(&mut self, node: NodeRef<'n>, subject: &str) -> Option<&'n str> {
        let text = node.as_str().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            let found = if node.kind() == NodeKind::String {
                "empty"
            } else {
                node.kind().word()
            };
            self.malformed(
                node,
                format!("{subject} is {found}"),
                "write a string that is not empty",
            );
        }
        text
    }

    /// The strings of a list; other items are reported.
    pub(super) fn strings<'n>(
        &mut self,
        node: NodeRef<'n>,
        subject: &str,
    ) -> Vec<(NodeRef<'n>, &'n str)> {
        if node.kind() != NodeKind::List {
            self.malformed(
                node,
                format!("{subject} is {}", node.kind().word()),
                "write a list of names",
            );
        }
        node.items()
            .filter_map(|item| Some((item, self.string(item, "a name")?)))
            .collect()
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
