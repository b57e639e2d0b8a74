use agpm_diag::{Diagnostic, SourceSpan, codes, did_you_mean, nearest};
use agpm_text::{NodeKind, NodeRef};

use crate::path::{PathError, RelativePath};
use crate::schema::{SchemaTable, UnknownKey};

/// Collects what is wrong with a document while it is turned into checked types.
#[derive(Default)]
pub(crate) struct Check {
    diagnostics: Vec<Diagnostic>,
    completeness: Completeness,
}

/// Whether all that is written was understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Completeness {
    #[default]
    Whole,
    /// Syntax errors hide some of it.
    Partial,
}

/// A location to point at.
pub(crate) fn spot(node: NodeRef<'_>) -> SourceSpan {
    SourceSpan {
        source: node.source(),
        span: node.span(),
    }
}

impl Check {
    pub(crate) fn new(completeness: Completeness) -> Self {
        Check {
            diagnostics: Vec::new(),
            completeness,
        }
    }

    /// The findings, in the order of the text.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.diagnostics
            .sort_by_key(|d| d.labels.first().map(|label| (label.source, label.span)));
        self.diagnostics
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports something that is not found elsewhere, unless a syntax error may hide it.
    pub(crate) fn report_missing(&mut self, diagnostic: Diagnostic) {
        if self.completeness == Completeness::Whole {
            self.report(diagnostic);
        }
    }

    /// Reports keys that the schema does not know.
    pub(crate) fn keys(&mut self, map: NodeRef<'_>, schema: &SchemaTable) {
        for UnknownKey { key, help, edit } in schema.unknown_keys(map) {
            let message = format!("{} has no key `{}`", schema.what, key.content());
            let mut diagnostic =
                Diagnostic::new(&codes::MANIFEST_UNKNOWN_KEY, message).at_spot(spot(key));
            diagnostic.help = help;
            self.report(diagnostic.fixed_by(edit));
        }
    }

    pub(crate) fn bad_value(&mut self, node: NodeRef<'_>, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, message).at_spot(spot(node));
        self.report(diagnostic.help(help));
    }

    /// A path that is none, or that leads to where nothing is read or written.
    pub(crate) fn bad_path(
        &mut self,
        node: NodeRef<'_>,
        error: PathError,
        message: String,
        help: &str,
    ) {
        let code = match error {
            PathError::Absolute | PathError::Escapes => &codes::MANIFEST_ESCAPE,
            PathError::Empty | PathError::NotPortable | PathError::Address => {
                &codes::MANIFEST_VALUE
            }
        };
        self.report(
            Diagnostic::new(code, message)
                .at_spot(spot(node))
                .help(help),
        );
    }

    pub(crate) fn wrong_kind(&mut self, node: NodeRef<'_>, what: &str, wanted: &str) {
        let message = format!("{what} is {}", node.kind().word());
        self.bad_value(node, message, &format!("write {wanted}"));
    }

    pub(crate) fn required<'n>(
        &mut self,
        map: NodeRef<'n>,
        key: &str,
        what: &str,
    ) -> Option<NodeRef<'n>> {
        let found = map.get(key);
        if found.is_none() {
            let message = format!("this {what} has no `{key}`");
            let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, message).at_spot(spot(map));
            self.report_missing(diagnostic.help(format!("add `{key}`")));
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
    pub(crate) fn strings<'n>(
        &mut self,
        node: NodeRef<'n>,
        what: &str,
    ) -> Vec<(NodeRef<'n>, &'n str)> {
        if node.kind() != NodeKind::List {
            self.wrong_kind(node, what, "a list of strings");
        }
        node.items()
            .filter_map(|item| Some((item, self.string(item, "an item of it")?)))
            .collect()
    }

    /// The entry of a table that a string names, or a report with near names.
    pub(crate) fn word<'n, T: Copy>(
        &mut self,
        node: NodeRef<'n>,
        what: &str,
        table: &[(&str, T)],
    ) -> Option<T> {
        let word = self.string(node, what)?;
        let found = table
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, value)| *value);
        if found.is_none() {
            let names = table.iter().map(|(name, _)| *name);
            let help = did_you_mean(word, "it may be", names.clone());
            let edit = nearest(word, names).and_then(|near| node.respelled(near));
            let mut diagnostic =
                Diagnostic::new(&codes::MANIFEST_VALUE, format!("{what} cannot be `{word}`"))
                    .at_spot(spot(node));
            diagnostic.help = help;
            self.report(diagnostic.fixed_by(edit));
        }
        found
    }

    /// A name out of a table of names, or a report with near ones.
    pub(crate) fn known<'k>(
        &mut self,
        node: NodeRef<'_>,
        what: &str,
        code: &'static agpm_diag::Code,
        names: impl IntoIterator<Item = &'k str> + Clone,
    ) -> bool {
        let name = node.content();
        let found = names.clone().into_iter().any(|known| known == name);
        if !found {
            let mut diagnostic =
                Diagnostic::new(code, format!("unknown {what} `{name}`")).at_spot(spot(node));
            let near = nearest(name, names.clone());
            let edit = near.and_then(|near| node.respelled(near));
            diagnostic.help =
                did_you_mean(name, &format!("available {what}s"), names).or_else(|| {
                    // Only sources may have no name at all to suggest: tools and types are built in.
                    (*code == codes::MANIFEST_UNKNOWN_SOURCE).then(|| define_source(name))
                });
            self.report_missing(diagnostic.fixed_by(edit));
        }
        found
    }

    /// Whether a node is an object, which is reported if not.
    pub(crate) fn map(&mut self, node: NodeRef<'_>, what: &str) -> bool {
        if node.kind() != NodeKind::Map {
            self.wrong_kind(node, what, "a table");
        }
        node.kind() == NodeKind::Map
    }

    pub(crate) fn flag(&mut self, node: NodeRef<'_>, what: &str) -> Option<bool> {
        if node.as_bool().is_none() {
            self.wrong_kind(node, what, "`true` or `false`");
        }
        node.as_bool()
    }

    /// A path under a directory, or nothing for the directory itself.
    pub(crate) fn path(&mut self, node: NodeRef<'_>, what: &str) -> Option<RelativePath> {
        let text = self.string(node, what)?;
        match RelativePath::new(text) {
            Ok(path) => Some(path),
            Err(error) => {
                let help = "write a relative path inside the directory, with `/` between its parts";
                self.bad_path(node, error, format!("{what}: {error}"), help);
                None
            }
        }
    }
}
/// The help for a source that is not defined, where no other source is.
pub(crate) fn define_source(name: &str) -> String {
    format!("define it: `agpm add source {name} https://github.com/OWNER/REPO`")
}
