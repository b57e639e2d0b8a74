//! The lossless rule: a removed persona document must be archived.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::Revision;
use agpm_text::{Document, Format, NodeKind, NodeRef, equal, parse_alone};

use crate::kind::DocumentName;
use crate::levels::PersonaLevels;

/// The directory that documents are archived in, anywhere in a repository.
pub(crate) const ARCHIVE: &str = "legacy-imports";

/// Whether a path is that of an active persona document.
fn is_live_document(path: &str) -> bool {
    let in_persona = path.starts_with(".clia/agents/") || path.contains("/.clia/agents/");
    in_persona
        && !is_archived(path)
        && DocumentName::read(path.rsplit('/').next().unwrap_or(path)).is_some()
}

/// Whether a path of a repository is in an archive.
fn is_archived(path: &str) -> bool {
    path.rsplit('/')
        .skip(1)
        .any(|directory| directory == ARCHIVE)
}

/// A repository, as the lossless rule needs it. Paths are from its root.
pub trait CommitHistory {
    /// The files of a revision, each with the id of its content.
    fn files_at(&self, revision: &str) -> Result<Vec<(String, Revision)>, Failure>;
    /// The files of the work tree that are not ignored.
    fn files_now(&self) -> Result<Vec<String>, Failure>;
    /// The ids of the contents of files in the work tree.
    fn contents(&self, files: &[String]) -> Result<Vec<Revision>, Failure>;
    /// Every version of every file that was committed since a revision.
    fn changes_since(&self, revision: &str) -> Result<Vec<(String, Revision)>, Failure>;
    /// The bytes of objects, in order; `None` for a missing one.
    fn bytes_of(&self, objects: &[Revision]) -> Result<Vec<Option<Vec<u8>>>, Failure>;
    /// Whether a file is in the work tree.
    fn is_file(&self, path: &str) -> bool;
    /// The bytes of a file of the work tree.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

impl PersonaLevels<'_> {
    /// Documents of the revision that are neither present nor archived.
    pub fn not_archived(
        &self,
        history: &dyn CommitHistory,
        revision: &str,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let root = self.repository.as_deref().unwrap_or(&self.top);
        let finding = |path: String| {
            let message =
                format!("persona document was removed since `{revision}` and is not archived");
            let help = format!(
                "`git show {revision}:{path}` has it: restore it in an `{ARCHIVE}/` directory, such as that of the persona that replaces it"
            );
            let found = Diagnostic::new(&codes::LINEAGE_NOT_ARCHIVED, message).help(help);
            found.in_file(self.display_path(&root.join(path)))
        };
        let lost = lost_documents(history, revision)?;
        Ok(lost.into_iter().map(finding).collect())
    }
}

/// Documents of the revision that are neither present nor archived: byte for byte in some later version, or with all of
/// their content.
fn lost_documents(history: &dyn CommitHistory, revision: &str) -> Result<Vec<String>, Failure> {
    let was = history.files_at(revision)?;
    let is_gone = |path: &str| is_live_document(path) && !history.is_file(path);
    let gone: Vec<&(String, Revision)> = was.iter().filter(|(path, _)| is_gone(path)).collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    // A document that is new since may be a moved one; one that existed before is not.
    let before: BTreeSet<&str> = was.iter().map(|(path, _)| path.as_str()).collect();
    let is_new = |path: &str| is_live_document(path) && !before.contains(path);
    let mut current_files = history.files_now()?;
    current_files.retain(|path| (is_archived(path) || is_new(path)) && history.is_file(path));
    let contents: BTreeSet<Revision> = history.contents(&current_files)?.into_iter().collect();
    let changes = history.changes_since(revision)?;
    let mut versions: BTreeMap<&str, BTreeSet<&Revision>> = BTreeMap::new();
    for (path, content) in gone.iter().copied().chain(&changes) {
        versions.entry(path).or_default().insert(content);
    }
    let is_kept = |path: &str| {
        versions[path]
            .iter()
            .any(|content| contents.contains(content))
    };
    let missing: Vec<&str> = gone
        .iter()
        .map(|(path, _)| path.as_str())
        .filter(|path| !is_kept(path))
        .collect();
    let archived = current_files.iter().filter(|path| is_archived(path));
    let archive = ArchivedDocuments::new(archived.filter_map(|path| history.read(path)));
    let ids = missing.iter().flat_map(|path| &versions[path]);
    let ids: Vec<Revision> = ids.copied().cloned().collect();
    // Reading objects starts a process, so nothing is read if no archive could keep it.
    let mut past_bytes = if archive.is_empty() {
        Vec::new().into_iter()
    } else {
        history.bytes_of(&ids)?.into_iter()
    };
    let mut lost = Vec::new();
    for path in missing {
        let versions_bytes: Vec<Option<Vec<u8>>> =
            past_bytes.by_ref().take(versions[path].len()).collect();
        if !versions_bytes
            .into_iter()
            .flatten()
            .any(|past_bytes| archive.keeps(past_bytes))
        {
            lost.push(path.to_owned());
        }
    }
    Ok(lost)
}

/// Archived documents.
#[derive(Debug, Default)]
struct ArchivedDocuments(Vec<Document>);

impl ArchivedDocuments {
    /// Parses them; anything that is not text is ignored.
    fn new(texts: impl Iterator<Item = Vec<u8>>) -> Self {
        ArchivedDocuments(texts.filter_map(document).collect())
    }

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them has all content of a document; it may be formatted differently, and have more content.
    fn keeps(&self, bytes: Vec<u8>) -> bool {
        let bytes = document(bytes);
        let Some(bytes) = bytes.as_ref().and_then(Document::root) else {
            return false;
        };
        self.0
            .iter()
            .filter_map(Document::root)
            .any(|archived| contains_value(archived, bytes))
    }
}

fn document(bytes: Vec<u8>) -> Option<Document> {
    Some(parse_alone(String::from_utf8(bytes).ok()?, Format::Json).document)
}

/// Whether a value contains another one; it may have further keys and items.
fn contains_value(archived: NodeRef<'_>, original: NodeRef<'_>) -> bool {
    match (archived.kind(), original.kind()) {
        (NodeKind::Map, NodeKind::Map) => original.entries().all(|(key, value)| {
            archived
                .get(key.content())
                .is_some_and(|archived| contains_value(archived, value))
        }),
        (NodeKind::List, NodeKind::List) => original.items().all(|item| {
            archived
                .items()
                .any(|archived| contains_value(archived, item))
        }),
        _ => equal(archived, original),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_live_or_archived() {
        for (path, live, archived) in [
            (".clia/agents/ada/ada@x.agent.triad.json", true, false),
            ("a/.clia/agents/ada/ada@x.agency.triad.json", true, false),
            (
                ".clia/agents/ada/legacy-imports/bob@x.agent.triad.json",
                false,
                true,
            ),
            ("legacy-imports/2026/bob.json", false, true),
            (".clia/agents/ada/notes.json", false, false),
            ("clia/agents/ada/ada@x.agent.triad.json", false, false),
            (".clia/agents/ada/legacy-imports", false, false),
        ] {
            assert_eq!(
                (is_live_document(path), is_archived(path)),
                (live, archived),
                "{path}"
            );
        }
    }

    #[test]
    fn an_archive_keeps_what_says_all_of_it() {
        let original = r#"{"title": "Bob", "tags": ["a", {"b": 1}]}"#;
        for (archived, keeps) in [
            (original, true),
            (
                r#"{"tags":[0,{"c":2,"b":1},"a"],"title":"Bob","archived":true}"#,
                true,
            ),
            (r#"{"title": "Bob", "tags": ["a"]}"#, false),
            (r#"{"title": "Robert", "tags": ["a", {"b": 1}]}"#, false),
            ("{}", false),
            ("{", false),
            ("", false),
        ] {
            let archive = ArchivedDocuments::new([archived.into()].into_iter());
            assert_eq!(archive.keeps(original.into()), keeps, "{archived}");
        }
        assert!(!ArchivedDocuments::default().keeps(original.into()));
    }
}
