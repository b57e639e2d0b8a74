use agpm_diag::{Diagnostic, SourceSpan, codes, did_you_mean, nearest};
use agpm_text::{NodeKind, NodeRef};

use crate::path::{PathError, RelativePath};
use crate::schema::{SchemaTable, UnknownKey};

/// Collects findings while a document is converted to checked types.
#[derive(Default)]
pub(crate) struct Check {
    diagnostics: Vec<Diagnostic>,
    completeness: Completeness,
}

/// Whether the whole document could be parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Completeness {
    #[default]
    Whole,
    /// Syntax errors hide a part of it.
    Partial,
}

/// The span of a node, for labels.
pub(crate) fn spot(node: NodeRef<'_>) -> SourceSpan {
    SourceSpan {
        source: node.source(),
        span: node.span(),
    }
}

/// A finding about a key that only the project's own manifest can set.
pub(crate) fn ineffective_in_base(node: NodeRef<'_>, key: &str) -> Diagnostic {
    let message = format!("`{key}` of a base has no effect");
    Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message)
        .at_spot(spot(node))
        .help("the project's own manifest approves it")
}

impl Check {
    pub(crate) fn new(completeness: Completeness) -> Self {
        Check {
            diagnostics: Vec::new(),
            completeness,
        }
    }

    /// The findings, in document order.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.diagnostics
            .sort_by_key(|d| d.labels.first().map(|label| (label.source, label.span)));
        self.diagnostics
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports something that is missing, unless a syntax error may hide it.
    pub(crate) fn report_missing(&mut self, diagnostic: Diagnostic) {
        if self.completeness == Completeness::Whole {
            self.report(diagnostic);
        }
    }

    /// Reports keys that the schema does not contain.
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

    /// Reports an invalid path, or one that must not be read or written.
    pub(crate) fn bad_path(
        &mut self,
        node: NodeRef<'_>,
        error: PathError,
        message: String,
        help: &str,
    ) {
        let code = match error {
            PathError::Absolute | PathError::Escapes => &codes::MANIFEST_ESCAPE,
            PathError::Empty
            | PathError::NotPortable
            | PathError::Invisible
            | PathError::Address => &codes::MANIFEST_VALUE,
        };
        self.report(
            Diagnostic::new(code, message)
                .at_spot(spot(node))
                .help(help),
        );
    }

    pub(crate) fn wrong_kind(&mut self, node: NodeRef<'_>, subject: &str, expected: &str) {
        let message = format!("{subject} is {}", node.kind().word());
        self.bad_value(node, message, &format!("write {expected}"));
    }

    pub(crate) fn required<'n>(
        &mut self,
        map: NodeRef<'n>,
        key: &str,
        subject: &str,
    ) -> Option<NodeRef<'n>> {
        let found = map.get(key);
        if found.is_none() {
            let message = format!("this {subject} has no `{key}`");
            let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, message).at_spot(spot(map));
            self.report_missing(diagnostic.help(format!("add `{key}`")));
        }
        found
    }

    pub(crate) fn string<'n>(&mut self, node: NodeRef<'n>, subject: &str) -> Option<&'n str> {
        let text = node.as_str();
        if text.is_none() {
            self.wrong_kind(node, subject, "a string");
        }
        text
    }

    /// The strings of a list; other items are reported.
    pub(crate) fn strings<'n>(
        &mut self,
        node: NodeRef<'n>,
        subject: &str,
    ) -> Vec<(NodeRef<'n>, &'n str)> {
        if node.kind() != NodeKind::List {
            self.wrong_kind(node, subject, "a list of strings");
        }
        node.items()
            .filter_map(|item| Some((item, self.string(item, "an item of it")?)))
            .collect()
    }

    /// The entry of a table that a string names; an unknown one is reported with similar names.
    pub(crate) fn word<'n, T: Copy>(
        &mut self,
        node: NodeRef<'n>,
        subject: &str,
        table: &[(&str, T)],
    ) -> Option<T> {
        let word = self.string(node, subject)?;
        let found = table
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, value)| *value);
        if found.is_none() {
            let names = table.iter().map(|(name, _)| *name);
            let help = did_you_mean(word, "it may be", names.clone());
            let edit = nearest(word, names).and_then(|near| node.respelled(near));
            let mut diagnostic = Diagnostic::new(
                &codes::MANIFEST_VALUE,
                format!("{subject} cannot be `{word}`"),
            )
            .at_spot(spot(node));
            diagnostic.help = help;
            self.report(diagnostic.fixed_by(edit));
        }
        found
    }

    /// Whether a name is in a table of names; an unknown one is reported with similar names.
    pub(crate) fn check_known<'k>(
        &mut self,
        node: NodeRef<'_>,
        subject: &str,
        code: &'static agpm_diag::Code,
        names: impl IntoIterator<Item = &'k str> + Clone,
    ) -> bool {
        let name = node.content();
        let found = names.clone().into_iter().any(|known| known == name);
        if !found {
            let mut diagnostic =
                Diagnostic::new(code, format!("unknown {subject} `{name}`")).at_spot(spot(node));
            let near = nearest(name, names.clone());
            let edit = near.and_then(|near| node.respelled(near));
            diagnostic.help =
                did_you_mean(name, &format!("available {subject}s"), names).or_else(|| {
                    // Only sources may have no name to suggest: tools and types are built in.
                    (*code == codes::MANIFEST_UNKNOWN_SOURCE).then(|| define_source(name))
                });
            self.report_missing(diagnostic.fixed_by(edit));
        }
        found
    }

    /// Whether a node is an object; anything else is reported.
    pub(crate) fn map(&mut self, node: NodeRef<'_>, subject: &str) -> bool {
        if node.kind() != NodeKind::Map {
            self.wrong_kind(node, subject, "a table");
        }
        node.kind() == NodeKind::Map
    }

    pub(crate) fn flag(&mut self, node: NodeRef<'_>, subject: &str) -> Option<bool> {
        if node.as_bool().is_none() {
            self.wrong_kind(node, subject, "`true` or `false`");
        }
        node.as_bool()
    }

    /// A path under a directory; `None` for the directory itself.
    pub(crate) fn path(&mut self, node: NodeRef<'_>, subject: &str) -> Option<RelativePath> {
        let text = self.string(node, subject)?;
        match RelativePath::new(text) {
            Ok(path) => Some(path),
            Err(error) => {
                let help = "write a relative path inside the directory, with `/` between its parts";
                self.bad_path(node, error, format!("{subject}: {error}"), help);
                None
            }
        }
    }
}
/// The help for an undefined source in a manifest without sources.
pub(crate) fn define_source(name: &str) -> String {
    format!("define it: `agpm add source {name} https://github.com/OWNER/REPO`")
}
