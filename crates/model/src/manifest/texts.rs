//! The files that a manifest is read from, and their order.

use agpm_diag::{Diagnostic, SourceId, SourceSpan, codes};
use agpm_text::{Document, NodeRef};

use crate::base::BaseRoot;
use crate::check::{Check, Completeness, spot};
use crate::manifest::sources::SourceScope;
use crate::resource::ResourceType;
use crate::tool::InstallScope;

/// The files that make up a manifest.
pub struct ManifestTexts<'a> {
    /// Whether it is a project's manifest or the user's.
    pub scope: InstallScope,
    /// `agpm.toml`, merged over its bases.
    pub project: &'a Document,
    /// `agpm.toml` alone.
    pub manifest: &'a Document,
    /// The bases, lowest first.
    pub bases: &'a [BaseText<'a>],
    /// `agpm.private.toml` next to it.
    pub private: Option<&'a Document>,
    /// The user's configuration.
    pub config: Option<&'a Document>,
    /// The entries of a section; the highest of these files wins.
    pub entries: &'a dyn Fn(&str) -> Vec<SectionEntry<'a>>,
    /// Syntax errors in these files, which suppress findings that they may have caused.
    pub syntax_errors: &'a [SourceSpan],
}

/// Who has a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone: it is in the manifest or in a base.
    #[default]
    Shared,
    /// One user: it is in `agpm.private.toml`.
    Private,
}

/// A base, and the root of its relative paths.
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
        let documents = [Some(self.manifest), self.private, self.config];
        let bases = self.bases.iter().map(|base| base.document);
        documents.into_iter().flatten().chain(bases)
    }

    /// The files that everyone with the project has.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Document> {
        let bases = self.bases.iter().map(|base| base.document);
        bases.chain([self.manifest])
    }

    /// Whether a node is in a manifest that this one extends.
    pub(super) fn is_of_base(&self, node: NodeRef<'_>) -> bool {
        let mut bases = self.bases.iter();
        bases.any(|base| base.document.source() == node.source())
    }

    /// Whether a node is in a file that only one user has.
    pub(super) fn scope_of(&self, node: NodeRef<'_>) -> SourceScope {
        let mut of_one_user = [self.private, self.config].into_iter().flatten();
        if of_one_user.any(|document| document.source() == node.source()) {
            SourceScope::User
        } else {
            SourceScope::Project
        }
    }

    /// Whether a node is in the private manifest.
    pub(super) fn visibility_of(&self, node: NodeRef<'_>) -> Visibility {
        let private = self.private.map(Document::source);
        if private == Some(node.source()) {
            Visibility::Private
        } else {
            Visibility::Shared
        }
    }

    /// The files that only the user writes.
    pub(super) fn of_user(&self) -> Vec<SourceId> {
        let user_manifest = (self.scope == InstallScope::User).then_some(self.manifest);
        user_manifest
            .into_iter()
            .chain(self.config)
            .map(Document::source)
            .collect()
    }
}

impl ManifestTexts<'_> {
    /// Whether an entry that is `false` drops one of a lower file. One that drops nothing is reported, unless no base
    /// could have it: then it is simply not a dependency.
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

    /// The files with dependencies that rank lower than this one.
    fn lower_than(&self, source: SourceId) -> impl Iterator<Item = &Document> {
        let bases = self.bases.iter().map(|base| base.document);
        let all = bases.chain([self.manifest]).chain(self.private);
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
