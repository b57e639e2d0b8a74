use agpm_diag::{Diagnostic, SourceId, codes, did_you_mean};
use agpm_text::{Document, Kind, NodeRef};

use crate::schema::Schema;

/// Collects what is wrong with a document while it is turned into checked types.
pub(crate) struct Check<'a> {
    document: &'a Document,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Check<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        Check { document, diagnostics: Vec::new() }
    }

    /// What was found, in the order of the text.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| d.labels.first().map(|label| label.span));
        self.diagnostics
    }

    pub(crate) fn source(&self) -> SourceId {
        self.document.source()
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports keys that the schema does not know.
    pub(crate) fn keys(&mut self, map: NodeRef<'_>, schema: &Schema) {
        for (key, help) in schema.unknown_keys(map) {
            let message = format!("a {} has no key `{}`", schema.what, key.content());
            let mut diagnostic =
                Diagnostic::new(&codes::MANIFEST_UNKNOWN_KEY, message).at(self.source(), key.span(), "");
            diagnostic.help = help;
            self.report(diagnostic);
        }
    }

    pub(crate) fn bad_value(&mut self, node: NodeRef<'_>, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, message).at(self.source(), node.span(), "");
        self.report(diagnostic.help(help));
    }

    pub(crate) fn wrong_kind(&mut self, node: NodeRef<'_>, what: &str, wanted: &str) {
        let message = format!("{what} is {}", node.kind().word());
        self.bad_value(node, message, &format!("write {wanted}"));
    }

    pub(crate) fn required<'n>(&mut self, map: NodeRef<'n>, key: &str, what: &str) -> Option<NodeRef<'n>> {
        let found = map.get(key);
        if found.is_none() {
            self.bad_value(map, format!("this {what} has no `{key}`"), &format!("add `{key}`"));
        }
        found
    }

    pub(crate) fn string<'n>(&mut self, node: NodeRef<'n>, what: &str) -> Option<&'n str> {
        let text = node.as_str();
        if text.is_none() {
            self.wrong_kind(node, what, "a string");
        }
        text
    }

    /// The strings of a list; those that are none are reported.
    pub(crate) fn strings<'n>(&mut self, node: NodeRef<'n>, what: &str) -> Vec<(NodeRef<'n>, &'n str)> {
        if node.kind() != Kind::List {
            self.wrong_kind(node, what, "a list of strings");
        }
        node.items().filter_map(|item| Some((item, self.string(item, "an item of it")?))).collect()
    }

    /// The entry of a table that a string names, or a report with near names.
    pub(crate) fn word<'n, T: Copy>(
        &mut self,
        node: NodeRef<'n>,
        what: &str,
        table: &[(&str, T)],
    ) -> Option<T> {
        let word = self.string(node, what)?;
        let found = table.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        if found.is_none() {
            let help = did_you_mean(word, "it may be", table.iter().map(|(name, _)| *name));
            let mut diagnostic = Diagnostic::new(
                &codes::MANIFEST_VALUE,
                format!("{what} cannot be `{word}`"),
            )
            .at(self.source(), node.span(), "");
            diagnostic.help = help;
            self.report(diagnostic);
        }
        found
    }
}
