//! Finds the dependencies to remove, and edits the manifest.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean, nearest, unknown_name};
use agpm_model::{
    Dependency, LockEntry, Manifest, ResourceId, ResourceName, ResourceType, SourceName, Visibility,
};
use agpm_resolve::{LockView, WrittenId, ambiguous};
use agpm_text::{Edit, Format, NodeKind, NodeRef, Pointer, Value, parse_alone};

use crate::manifest::ManifestPast;
use crate::manifest::past::{is_bare_table, parse};
use crate::manifest::remove_source;
use crate::manifest::{EditedManifest, edit};
use crate::manifest::{LoadedBase, base_with};
use crate::manifest::{resource_type_of_word, usage};

/// A dependency as it is typed.
#[derive(Clone, Debug)]
pub enum DependencyId {
    /// Its type, and its name or id.
    Typed {
        /// The type as typed.
        kind: String,
        /// The name of the dependency.
        name: String,
    },
    /// `TYPE/NAME`, a name that is unique, or the path of its file.
    Word(String),
}

/// The treatment of a resource that matches a pattern of the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternUse {
    /// It stays, and the command fails.
    Kept,
    /// The pattern leaves it out from now on.
    Excluded,
}

/// Dependencies to be removed from one manifest.
pub struct DependencyRemoval<'a> {
    /// The working directory, where typed paths start.
    pub working: &'a Path,
    /// The manifest as it is understood.
    pub manifest: &'a Manifest,
    /// The manifests that it extends.
    pub bases: &'a [LoadedBase],
    /// The lockfile.
    pub view: LockView,
    /// The treatment of those that match a pattern.
    pub pattern_use: PatternUse,
    /// The text of the private manifest.
    pub private: Option<&'a str>,
    /// The recorded changes of the manifest.
    pub past: &'a ManifestPast,
}

impl DependencyRemoval<'_> {
    /// The manifest's text without all of them.
    pub fn edit(&self, before: &str, ids: &[DependencyId]) -> Result<EditedManifest, Failure> {
        let mut text = before.to_owned();
        let mut private = self.private.map(str::to_owned);
        let mut done: Vec<String> = Vec::new();
        let mut removed = BTreeSet::new();
        for id in ids {
            let (kind, name) = self.resolve_id(id)?;
            if !removed.insert((kind, name.clone())) {
                continue;
            }
            let edited = match &mut private {
                Some(private) if self.is_private(kind, &name) => private,
                _ => &mut text,
            };
            let (without, summary) = match self.pattern_use {
                PatternUse::Kept => self.remove_entry(edited, kind, &name)?,
                PatternUse::Excluded => self.exclude_from_pattern(edited, kind, &name)?,
            };
            *edited = without;
            done.push(summary);
        }
        if self.pattern_use == PatternUse::Kept {
            text = self.without_leftovers(before, text, &removed)?;
        }
        let verb = match self.pattern_use {
            PatternUse::Kept => "remove",
            PatternUse::Excluded => "exclude",
        };
        Ok(EditedManifest {
            text,
            private: private.filter(|text| Some(text.as_str()) != self.private),
            done: format!("{verb} {}", done.join(", ")),
        })
    }

    /// Whether one user has a dependency, or the pattern that a resource matches.
    fn is_private(&self, kind: ResourceType, name: &str) -> bool {
        let alias = self.locked(kind, name);
        let alias = alias.and_then(|entry| entry.manifest_alias.as_ref());
        let dependency = self.manifest.dependency(kind, name);
        let dependency = dependency.or_else(|| self.manifest.dependency(kind, alias?.as_str()));
        dependency.is_some_and(|one| one.visibility == Visibility::Private)
    }

    /// The text without tables that are empty now, and without sources that `agpm add` added only for what was removed.
    fn without_leftovers(
        &self,
        before: &str,
        text: String,
        removed: &BTreeSet<(ResourceType, String)>,
    ) -> Result<String, Failure> {
        let mut text = text;
        for (kind, _) in removed {
            text = without_bare_table(text, kind.plural())?;
        }
        let is_removed = |one: &Dependency| removed.contains(&(one.kind, one.name.to_string()));
        let (gone, rest): (Vec<&Dependency>, Vec<&Dependency>) = self
            .manifest
            .dependencies
            .iter()
            .partition(|one| is_removed(one));
        let rest = Manifest {
            dependencies: rest.into_iter().cloned().collect(),
            ..self.manifest.clone()
        };
        let sources = gone.iter().filter_map(|one| one.unit.origin.source());
        let sources: BTreeSet<&str> = sources.map(SourceName::as_str).collect();
        for source in sources {
            if self.past.added_source(source, before)
                && let Ok(edited) = remove_source(&parse(&text), &rest, source)
            {
                text = without_bare_table(edited.text, "sources")?;
            }
        }
        Ok(text)
    }

    /// The type and name that somebody means.
    fn resolve_id(&self, id: &DependencyId) -> Result<(ResourceType, String), Failure> {
        let word = match id {
            DependencyId::Typed { kind, name } => {
                let kind = resource_type_of_word(kind)?;
                let id = WrittenId::parse(name).filter(|id| id.kind == kind);
                let name = id.map_or(name.as_str(), |id| id.name);
                return Ok((kind, name.to_owned()));
            }
            DependencyId::Word(word) => word,
        };
        if let Some(id) = WrittenId::parse(word) {
            return Ok((id.kind, id.name.to_owned()));
        }
        let dependencies = self.manifest.dependencies.iter();
        let dependencies = dependencies.filter(|one| one.name.as_str() == word);
        let dependencies: Vec<ResourceId> = dependencies.map(|one| one.id()).collect();
        match dependencies.as_slice() {
            [id] => return Ok((id.kind, word.clone())),
            [] => {}
            several => {
                let ids: Vec<String> = several.iter().map(|id| format!("`{id}`")).collect();
                return Err(ambiguous(word, &ids));
            }
        }
        let found = self.view.find_word(self.working, word)?;
        let entry = &self.view.entries[found[0]];
        Ok((entry.kind, entry.name.to_string()))
    }

    /// The text without one dependency and its patch.
    fn remove_entry(
        &self,
        text: &str,
        kind: ResourceType,
        name: &str,
    ) -> Result<(String, String), Failure> {
        let document = parse_alone(text.to_owned(), Format::Toml).document;
        let section = document.at(&Pointer::root().child(kind.plural()));
        let at = Pointer::root().child(kind.plural()).child(name);
        if document.at(&at).is_none() {
            let keys = section.into_iter().flat_map(NodeRef::entries);
            let names: Vec<&str> = keys.map(|(key, _)| key.content()).collect();
            return Err(self.missing(kind, name, &names));
        }
        let text = edit(&document, &Edit::Remove { at })?;
        Ok(match without_patch(&text, kind, name)? {
            Some(text) => (text, format!("{kind}/{name} and its patch")),
            None => (text, format!("{kind}/{name}")),
        })
    }

    fn missing(&self, kind: ResourceType, name: &str, names: &[&str]) -> Failure {
        if let Some(base) = base_with(self.bases, kind, name) {
            let base = base.address.name();
            let message = format!("{kind}/{name} is inherited from the base `{base}`");
            let help = format!("add `{name} = false` to `[{kind}]` in `agpm.toml` to drop it");
            let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help);
            return Failure::new(FailureKind::NotFound, diagnostic);
        }
        match self.locked(kind, name) {
            Some(entry) => not_in_manifest(entry),
            None => {
                let locked = self.view.entries.iter().filter(|entry| entry.kind == kind);
                let locked = locked.map(|entry| entry.name.as_str());
                // A match of a pattern has a name too, although the manifest does not have it.
                let names = match nearest(name, locked.chain(names.iter().copied())) {
                    Some(near) => vec![near],
                    None => names.to_vec(),
                };
                let help = did_you_mean(name, &format!("{kind} are"), names);
                unknown_name(kind.singular(), name, help)
            }
        }
    }

    fn locked(&self, kind: ResourceType, name: &str) -> Option<&LockEntry> {
        let mut entries = self.view.entries.iter();
        entries.find(|entry| entry.kind == kind && entry.name.as_str() == name)
    }

    /// The text in which the pattern that brought a resource leaves it out.
    fn exclude_from_pattern(
        &self,
        text: &str,
        kind: ResourceType,
        name: &str,
    ) -> Result<(String, String), Failure> {
        let entry = self.locked(kind, name);
        let alias = entry.filter(|entry| entry.pattern.is_some());
        let alias = alias.and_then(|entry| entry.manifest_alias.as_ref());
        let Some(alias) = alias.map(ResourceName::as_str) else {
            let message = format!("no pattern of the manifest brought {kind}/{name}");
            let help = format!("leave out `--exclude`: `agpm remove {kind}/{name}`");
            return Err(usage(message, help));
        };
        let document = parse_alone(text.to_owned(), Format::Toml).document;
        let at = Pointer::root().child(kind.plural()).child(alias);
        let Some(node) = document.at(&at) else {
            return Err(unknown_name(kind.singular(), alias, None));
        };
        let excluded = node.get("exclude").into_iter().flat_map(NodeRef::items);
        let excluded = excluded
            .filter_map(NodeRef::as_str)
            .filter(|dependencies| *dependencies != name);
        let names = Value::list(excluded.chain([name]));
        let change = match node.kind() {
            // A pattern alone becomes a table with the same path.
            NodeKind::String => Edit::Set {
                at,
                value: Value::map([("path", Value::from(node.content())), ("exclude", names)]),
            },
            _ => Edit::Set {
                at: at.child("exclude"),
                value: names,
            },
        };
        let text = edit(&document, &change)?;
        Ok((text, format!("{kind}/{name} from {kind}/{alias}")))
    }
}

/// The text without a table that has neither keys nor comments.
fn without_bare_table(text: String, table: &str) -> Result<String, Failure> {
    let at = Pointer::root().child(table);
    let document = parse(&text);
    if is_bare_table(&document, &at) {
        return edit(&document, &Edit::Remove { at });
    }
    Ok(text)
}

/// The reason why an installed resource cannot be removed by its name.
fn not_in_manifest(entry: &LockEntry) -> Failure {
    let (kind, name) = (entry.kind, &entry.name);
    let (message, help) = match (&entry.manifest_alias, &entry.pattern) {
        (Some(alias), Some(pattern)) => (
            format!("{kind}/{name} comes from the pattern `{pattern}` of {kind}/{alias}"),
            format!(
                "`agpm remove {kind}/{name} --exclude` adds `exclude = [\"{name}\"]` to {kind}/{alias}; \
                 `agpm remove {kind}/{alias}` removes all that it matches"
            ),
        ),
        _ => (
            format!("{kind}/{name} is not in the manifest: other resources require it"),
            format!("`agpm why {kind}/{name}` shows which; remove those"),
        ),
    };
    let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help);
    Failure::new(FailureKind::NotFound, diagnostic)
}

/// The text without the patch of a dependency, which would mean nothing any more; tables that hold nothing else go too.
fn without_patch(text: &str, kind: ResourceType, name: &str) -> Result<Option<String>, Failure> {
    let patches = Pointer::root().child("patch");
    let of_kind = patches.child(kind.plural());
    let document = parse_alone(text.to_owned(), Format::Toml).document;
    let is_alone = |at: &Pointer| document.at(at).is_some_and(|table| table.len() == 1);
    if document.at(&of_kind.child(name)).is_none() {
        return Ok(None);
    }
    let at = match (is_alone(&of_kind), is_alone(&patches)) {
        (true, true) => patches,
        (true, false) => of_kind,
        _ => of_kind.child(name),
    };
    edit(&document, &Edit::Remove { at }).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_model::{InstallScope, Lockfile};
    use std::path::PathBuf;

    use crate::manifest::ManifestDocuments;

    const MANIFEST: &str =
        "[agents]\na = \"a.md\"\nall = \"team/*.md\"\n\n[patch.agents.a]\nmodel = \"x\"\n";
    const LOCK: &str = "version = 1\n\n[[agents]]\nname = \"b\"\npath = \"team/b.md\"\nmanifest_alias = \"all\"\npattern = \"team/*.md\"\nchecksum = \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\ntool = \"claude-code\"\ninstalled_at = \".claude/agents/b.md\"\n";

    fn removed(word: &str, pattern_use: PatternUse) -> Result<EditedManifest, Failure> {
        removed_from(LOCK, &DependencyId::Word(word.to_owned()), pattern_use)
    }

    fn removed_from(
        lock: &str,
        id: &DependencyId,
        pattern_use: PatternUse,
    ) -> Result<EditedManifest, Failure> {
        let document = parse_alone(MANIFEST, Format::Toml).document;
        let documents = ManifestDocuments {
            own: document.into(),
            private: None,
            config: None,
        };
        let mut notes = agpm_diag::Notes::default();
        let manifest = documents.read(InstallScope::Project, &[], &[], &mut notes);
        let (lock, _) = Lockfile::read(&parse_alone(lock, Format::Toml).document);
        let removal = DependencyRemoval {
            working: Path::new("/p"),
            manifest: &manifest,
            bases: &[],
            private: None,
            view: LockView::of(lock, &manifest, PathBuf::from("/p")),
            pattern_use,
            past: &ManifestPast::default(),
        };
        removal.edit(MANIFEST, std::slice::from_ref(id))
    }

    #[test]
    fn a_dependency_leaves_with_its_patch() {
        for word in ["a", "agents/a", "agent:a"] {
            let edited = removed(word, PatternUse::Kept).expect("it is in the manifest");
            assert_eq!(edited.text, "[agents]\nall = \"team/*.md\"\n", "{word}");
            assert_eq!(edited.done, "remove agents/a and its patch");
        }
    }

    #[test]
    fn near_names_include_what_a_pattern_brought() {
        let typed = DependencyId::Typed {
            kind: "agent".to_owned(),
            name: "reviewr".to_owned(),
        };
        for id in [typed, DependencyId::Word("agents/reviewr".to_owned())] {
            let lock = LOCK.replace("\"b\"", "\"reviewer\"");
            let failure = removed_from(&lock, &id, PatternUse::Kept).expect_err("it is misspelled");
            let help = failure.diagnostic.and_then(|found| found.help);
            assert_eq!(help.as_deref(), Some("did you mean `reviewer`?"));
        }
    }

    #[test]
    fn a_match_of_a_pattern_is_excluded_and_not_removed() {
        for word in ["b", ".claude/agents/b.md"] {
            let failure = removed(word, PatternUse::Kept).expect_err("it is not in the manifest");
            assert_eq!(failure.kind, FailureKind::NotFound, "{word}");
        }
        let edited = removed("b", PatternUse::Excluded).expect("a pattern brought it");
        assert!(
            edited
                .text
                .contains("all = { path = \"team/*.md\", exclude = [\"b\"] }"),
            "{}",
            edited.text
        );
        assert!(removed("a", PatternUse::Excluded).is_err());
    }
}
