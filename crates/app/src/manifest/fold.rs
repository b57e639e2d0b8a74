//! All files of a manifest as one: the highest wins, entry by entry.

use std::sync::Arc;

use agpm_diag::{Diagnostic, Label, Notes, Severity, SourceSpan, codes};
use agpm_merge::{Contribution, MergePolicy, Resolution, fold};
use agpm_model::{
    BaseText, DefaultHost, EmptyRule, InstallScope, LayerName, Lockfile, Manifest, ManifestTexts,
    MergeOperation, PointerRule, RESOURCE_TYPES, SectionEntry, Strategy, relocate_bases,
};
use agpm_text::{
    Document, Format, NodeShape, Pointer, TreeView, has_conflict_markers, parse_alone,
};

use crate::manifest::LoadedBase;

/// The files of a manifest, besides its bases.
pub struct ManifestDocuments {
    /// `agpm.toml`.
    pub own: Arc<Document>,
    /// `agpm.private.toml` next to it.
    pub private: Option<Arc<Document>>,
    /// The user's configuration.
    pub config: Option<Arc<Document>>,
}

impl ManifestDocuments {
    /// Whether the manifest names bases.
    pub fn extends(&self) -> bool {
        let root = self.own.root();
        root.is_some_and(|root| root.get("extends").is_some())
    }

    /// The host of URLs that name none.
    pub fn default_host(&self) -> DefaultHost {
        let config = self.config.as_deref();
        config.map(DefaultHost::of_config).unwrap_or_default()
    }

    /// The syntax errors, if findings next to them are worth reporting.
    pub fn syntax_errors(&self, notes: &Notes) -> Option<Vec<SourceSpan>> {
        let errors = notes.diagnostics.iter();
        let errors: Vec<&Diagnostic> = errors
            .filter(|found| found.severity == Severity::Error)
            .collect();
        let is_syntax = |found: &&Diagnostic| {
            [&codes::TOML_SYNTAX, &codes::TEXT_DUPLICATE_KEY].contains(&found.code)
        };
        // Both sides of a conflict are in the text, and a tree of both describes neither.
        let mut documents = [Some(&self.own), self.private.as_ref(), self.config.as_ref()]
            .into_iter()
            .flatten();
        let has_conflict = documents.any(|one| has_conflict_markers(one.text().as_bytes()));
        if has_conflict || !errors.iter().all(is_syntax) {
            return None;
        }
        let spot = |label: &Label| SourceSpan {
            source: label.source,
            span: label.span,
        };
        let labels = errors.iter().filter_map(|found| found.labels.first());
        Some(labels.map(spot).collect())
    }

    /// The manifest that the files and their bases are together; mistakes go to the notes.
    pub fn read(
        &self,
        scope: InstallScope,
        bases: &[LoadedBase],
        syntax_errors: &[SourceSpan],
        notes: &mut Notes,
    ) -> Manifest {
        let project = self.over_bases(bases);
        let folded = FoldedManifest(fold_texts(contributions(
            &[],
            self.config.as_ref(),
            &project,
            self.private.as_ref(),
        )));
        let base_texts: Vec<BaseText<'_>> = bases.iter().map(LoadedBase::text).collect();
        let texts = ManifestTexts {
            scope,
            project: &project,
            manifest: &self.own,
            bases: &base_texts,
            private: self.private.as_deref(),
            config: self.config.as_deref(),
            entries: &|section| folded.entries(section),
            syntax_errors,
        };
        let (mut manifest, diagnostics) = Manifest::read(&texts);
        notes.diagnostics.extend(diagnostics);
        let moved = relocate_bases(&texts, &mut manifest);
        notes.diagnostics.extend(moved);
        manifest
    }

    /// Every text that the manifest is folded of, lowest first.
    pub fn contributions(&self, bases: &[LoadedBase]) -> Vec<Contribution> {
        contributions(
            bases,
            self.config.as_ref(),
            &self.own,
            self.private.as_ref(),
        )
    }

    fn over_bases(&self, bases: &[LoadedBase]) -> Arc<Document> {
        if bases.is_empty() {
            return Arc::clone(&self.own);
        }
        let texts = contributions(bases, None, &self.own, None);
        let folded = fold_texts(texts).to_document();
        folded.map_or_else(|| Arc::clone(&self.own), Arc::new)
    }
}

fn contributions(
    bases: &[LoadedBase],
    config: Option<&Arc<Document>>,
    project: &Arc<Document>,
    private: Option<&Arc<Document>>,
) -> Vec<Contribution> {
    let config = config.map(|document| contribution("config", document));
    let bases = bases
        .iter()
        .map(|base| contribution(&base.address.name().to_string(), &base.document));
    let private = private.map(|document| contribution("private", document));
    let project = contribution("project", project);
    let all = config.into_iter().chain(bases).chain([project]);
    all.chain(private).collect()
}

fn contribution(layer: &str, document: &Arc<Document>) -> Contribution {
    Contribution {
        layer: LayerName::new(layer).expect("a good name"),
        document: Arc::clone(document),
    }
}

/// All strings of a manifest, folded.
pub fn fold_texts(texts: Vec<Contribution>) -> Resolution {
    fold(texts, &MergePolicy::merge(entry_by_entry()), None)
}

/// The user's configuration, the manifest and the private manifest, folded.
struct FoldedManifest(Resolution);

impl FoldedManifest {
    /// The entries of a section, each whole as one of the strings has it.
    fn entries(&self, section: &str) -> Vec<SectionEntry<'_>> {
        let pointer = Pointer::root().child(section);
        let Some(section) = self.0.at(&pointer) else {
            return Vec::new();
        };
        let NodeShape::Map(count) = section.shape() else {
            return Vec::new();
        };
        let keys = section.keys().into_iter().take(count).enumerate();
        let mut entries = Vec::with_capacity(count);
        for (at, key) in keys {
            if let Some(value) = section.entry(at).1.node() {
                entries.push(SectionEntry {
                    key: value.key_in_same_text(key, &pointer),
                    value,
                });
            }
        }
        entries
    }
}

/// Sections merge, their entries do not; layers of a higher manifest come after those of a lower one.
fn entry_by_entry() -> Strategy {
    let sections = RESOURCE_TYPES
        .iter()
        .map(|kind| kind.plural())
        .chain(["sources"]);
    let rule = |pattern: &str, operation: MergeOperation| PointerRule {
        pattern: pattern.parse().expect("a good pattern"),
        operation: Some(operation),
        empty: EmptyRule::Value,
    };
    let entry_rules =
        sections.map(|section| rule(&format!("/{section}/*"), MergeOperation::Replace));
    let mut strategy = Strategy::default();
    strategy.rules.extend(entry_rules);
    strategy.rules.push(rule("/layers", MergeOperation::Append));
    strategy
}

/// The readable part of a lockfile; its errors are reported by those who need all of it.
pub fn readable_lock(bytes: Vec<u8>) -> Option<Lockfile> {
    let text = String::from_utf8(bytes).ok()?;
    let (lock, _) = Lockfile::read(&parse_alone(text, Format::Toml).document);
    Some(lock)
}

/// The age that policies require of releases: those in files, and the one of the manifest. Errors in a policy are
/// reported where it judges.
pub fn required_release_age<'p>(
    policies: impl Iterator<Item = &'p [u8]>,
    manifest: &Document,
) -> Option<u64> {
    let age_in = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (policy, _) = agpm_model::Policy::read(&parse_alone(text, Format::Toml).document);
        policy.min_release_age
    };
    let manifest = manifest.root().and_then(|root| root.get("policy"));
    let manifest = manifest.and_then(|table| agpm_model::Policy::of_table(table).0.min_release_age);
    let ages = policies.filter_map(age_in).chain(manifest);
    ages.map(|rule| rule.value.seconds).max()
}

/// The names of the sources of a private manifest.
pub fn source_names(private: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(private).into_owned();
    let document = parse_alone(text, Format::Toml).document;
    let section = document.at(&Pointer::root().child("sources"));
    let entries = section.into_iter().flat_map(|section| section.entries());
    entries.map(|(name, _)| name.content().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(own: &str, private: &str, config: &str) -> (ManifestDocuments, Notes) {
        let mut notes = Notes::default();
        let mut read = |name: &str, text: &str| {
            let bytes = text.as_bytes().to_vec();
            agpm_text::document_of(name.to_owned(), bytes, Format::Toml, &mut notes)
                .expect("it is UTF-8")
        };
        let documents = ManifestDocuments {
            own: read("agpm.toml", own),
            private: Some(read("agpm.private.toml", private)),
            config: Some(read("config.toml", config)),
        };
        (documents, notes)
    }

    #[test]
    fn an_entry_is_whole_from_the_highest_file_that_has_it() {
        let (documents, mut notes) = documents(
            "[sources]\nkit = \"https://host/project\"\n",
            "[sources]\nkit = \"https://host/private\"\n",
            "[sources]\nkit = \"https://host/user\"\nown = \"https://host/own\"\n",
        );
        let manifest = documents.read(InstallScope::Project, &[], &[], &mut notes);
        let urls = manifest.sources.iter();
        let mut urls: Vec<&str> = urls.map(|source| source.address.redacted()).collect();
        urls.sort_unstable();
        assert_eq!(urls, ["https://host/own", "https://host/private"]);
    }

    #[test]
    fn syntax_errors_leave_the_rest_readable_unless_a_merge_is_unfinished() {
        let (broken, notes) = documents("[sources]\nkit = \n", "", "");
        assert_eq!(
            broken.syntax_errors(&notes).map(|spots| spots.len()),
            Some(1)
        );
        let conflict = "<<<<<<< ours\na = 1\n=======\na = 2\n>>>>>>> theirs\n";
        let (conflict, notes) = documents(conflict, "", "");
        assert_eq!(conflict.syntax_errors(&notes), None);
    }

    #[test]
    fn the_oldest_age_is_required() {
        let own = parse_alone(
            "[policy.versions]\nmin-release-age = \"3d\"\n",
            Format::Toml,
        )
        .document;
        let age = |policies: &[&str]| {
            let policies = policies.iter().map(|text| text.as_bytes());
            required_release_age(policies, &own)
        };
        let day = 24 * 60 * 60;
        assert_eq!(age(&[]), Some(3 * day));
        assert_eq!(
            age(&["[versions]\nmin-release-age = \"1d\""]),
            Some(3 * day)
        );
        assert_eq!(
            age(&["[versions]\nmin-release-age = \"7d\""]),
            Some(7 * day)
        );
    }
}
