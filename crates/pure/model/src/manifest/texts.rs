//! The strings that a manifest is read from, and their order.

use agpm_diag::{Diagnostic, SourceId, SourceSpan, codes};
use agpm_text::{Document, NodeRef};

use crate::base::BaseRoot;
use crate::check::{Check, Completeness, spot};
use crate::manifest::sources::SourceScope;
use crate::resource::ResourceType;
use crate::tool::InstallScope;

/// The strings that make up a manifest.
pub struct ManifestTexts<'a> {
    /// Whether it is a project's manifest or a user's own.
    pub scope: InstallScope,
    /// `agpm.toml`, folded over its bases.
    pub project: &'a Document,
    /// `agpm.toml` alone.
    pub own: &'a Document,
    /// The bases, lowest first.
    pub bases: &'a [BaseText<'a>],
    /// `agpm.private.toml` next to it.
    pub private: Option<&'a Document>,
    /// The user's own configuration.
    pub config: Option<&'a Document>,
    /// The entries of a section, the highest of these strings winning.
    pub entries: &'a dyn Fn(&str) -> Vec<SectionEntry<'a>>,
    /// Syntax errors in these strings, which limit what is reported to what they cannot have caused.
    pub syntax_errors: &'a [SourceSpan],
}

/// The text of a base, and where its relative paths start.
#[derive(Clone, Copy)]
pub struct BaseText<'a> {
    /// Its `agpm.toml`.
    pub document: &'a Document,
    /// The directory of the base.
    pub root: &'a BaseRoot,
}

impl ManifestTexts<'_> {
    pub(super) fn completeness(&self) -> Completeness {
        if self.syntax_errors.is_empty() {
            Completeness::Whole
        } else {
            Completeness::Partial
        }
    }

    pub(super) fn documents(&self) -> impl Iterator<Item = &Document> {
        let documents = [Some(self.own), self.private, self.config];
        let bases = self.bases.iter().map(|base| base.document);
        documents.into_iter().flatten().chain(bases)
    }

    /// The strings that everybody has who has the project.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Document> {
        let bases = self.bases.iter().map(|base| base.document);
        bases.chain([self.own])
    }

    /// Whether a node is in text that only one user has.
    pub(super) fn scope_of(&self, node: NodeRef<'_>) -> SourceScope {
        let mut of_one_user = [self.private, self.config].into_iter().flatten();
        if of_one_user.any(|document| document.source() == node.source()) {
            SourceScope::User
        } else {
            SourceScope::Project
        }
    }

    /// The strings that nobody but the user writes.
    pub(super) fn of_user(&self) -> Vec<SourceId> {
        let own = (self.scope == InstallScope::User).then_some(self.own);
        own.into_iter()
            .chain(self.config)
            .map(Document::source)
            .collect()
    }
}

impl ManifestTexts<'_> {
    /// Whether an entry that is `false` drops one of a lower text. One that drops nothing is reported, unless no base
    /// could have it: then it is just no dependency.
    pub(super) fn drops(
        &self,
        check: &mut Check,
        kind: ResourceType,
        entry: SectionEntry<'_>,
    ) -> bool {
        let SectionEntry { key, value } = entry;
        let lower: Vec<&Document> = self.lower_than(value.source()).collect();
        let has_entry = |document: &&Document| {
            let section = document.root().and_then(|root| root.get(kind.plural()));
            let found = section.and_then(|section| section.get(key.content()));
            found.is_some_and(|found| found.as_bool() != Some(false))
        };
        if lower.iter().any(has_entry) {
            return true;
        }
        if lower.is_empty() {
            return false;
        }
        let message = format!(
            "no base has `{kind}/{}`, so nothing is dropped",
            key.content()
        );
        let diagnostic = Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message).at_spot(spot(key));
        check.report(diagnostic.help("remove the entry"));
        true
    }

    /// The strings with dependencies that rank below this one.
    fn lower_than(&self, source: SourceId) -> impl Iterator<Item = &Document> {
        let bases = self.bases.iter().map(|base| base.document);
        let all = bases.chain([self.own]).chain(self.private);
        all.take_while(move |document| document.source() != source)
    }
}

/// An entry of a section.
#[derive(Clone, Copy)]
pub struct SectionEntry<'a> {
    /// The key.
    pub key: NodeRef<'a>,
    /// The value.
    pub value: NodeRef<'a>,
}
