//! The input and output of the parser of any format.

use std::ops::Range;

use agpm_diag::{Diagnostic, SourceId, Span, codes};

use crate::limits::Limits;

use super::nodes::{NodeId, NodeTree};
use super::suggestion::{EntrySpan, repeated_entry};

/// The state of a parser.
pub(crate) struct ReaderState<'a> {
    pub(crate) source: SourceId,
    pub(crate) text: &'a str,
    /// The part of `text` to parse; spans still refer to `text`.
    pub(crate) range: Range<usize>,
    pub(crate) limits: Limits,
    pub(crate) tree: NodeTree,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl ReaderState<'_> {
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn report_too_deep(&mut self, span: Span) {
        let message = format!("nested more than {} levels deep", self.limits.depth);
        self.report(
            Diagnostic::new(&codes::TEXT_TOO_DEEP, message)
                .at(self.source, span, "too deep from here")
                .help("check how this file was generated; no known tool writes such files"),
        );
    }

    /// Reports duplicate keys of an object under construction. `entries` alternates between key and value.
    pub(crate) fn report_duplicates(&mut self, entries: &[NodeId]) {
        for (earlier, later) in self.tree.duplicates(self.text, entries) {
            let span = |at: usize| self.tree.span(entries[at]);
            let (first, key) = (span(earlier), span(later));
            let again = EntrySpan {
                key_start: key.start,
                value: span(later + 1),
            };
            let edit = repeated_entry(self.source, self.text, span(earlier + 1), again);
            let name = self.tree.content(self.text, entries[later]).to_owned();
            self.report(duplicate_key(self.source, &name, first, key).fixed_by(edit));
        }
    }
}

pub(crate) fn duplicate_key(source: SourceId, key: &str, earlier: Span, later: Span) -> Diagnostic {
    Diagnostic::new(&codes::TEXT_DUPLICATE_KEY, format!("duplicate key `{key}`"))
        .at(source, later, "again here")
        .at(source, earlier, "first here")
        .help("remove one of them; parsers disagree about which one applies")
}
