//! The lossless rule, as far as it can be told without a repository: which files it is about, and what keeps what.

use agpm_text::{Document, Format, Kind, NodeRef, equal, parse_alone};

use crate::kind::DocumentName;

/// The folder that documents are archived in, anywhere in a repository.
pub const ARCHIVE: &str = "legacy-imports";

/// Whether a path of a repository is that of a persona's document that is at work.
pub fn is_live_document(path: &str) -> bool {
    let in_persona = path.starts_with(".clia/agents/") || path.contains("/.clia/agents/");
    in_persona
        && !is_archived(path)
        && DocumentName::read(path.rsplit('/').next().unwrap_or(path)).is_some()
}

/// Whether a path of a repository is in an archive.
pub fn is_archived(path: &str) -> bool {
    path.rsplit('/').skip(1).any(|folder| folder == ARCHIVE)
}

/// Documents that are kept.
#[derive(Debug, Default)]
pub struct Archive(Vec<Document>);

impl Archive {
    /// Reads them; what is no text keeps nothing.
    pub fn new(texts: impl Iterator<Item = Vec<u8>>) -> Self {
        Archive(texts.filter_map(document).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them has all that a document said; it may be written in another way, and say more.
    pub fn keeps(&self, said: Vec<u8>) -> bool {
        let said = document(said);
        let Some(said) = said.as_ref().and_then(Document::root) else {
            return false;
        };
        self.0
            .iter()
            .filter_map(Document::root)
            .any(|kept| holds(kept, said))
    }
}

fn document(bytes: Vec<u8>) -> Option<Document> {
    Some(parse_alone(String::from_utf8(bytes).ok()?, Format::Json).document)
}

/// Whether a value is there with all that is in it: keys may have come, and items too.
fn holds(kept: NodeRef<'_>, said: NodeRef<'_>) -> bool {
    match (kept.kind(), said.kind()) {
        (Kind::Map, Kind::Map) => said.entries().all(|(key, value)| {
            kept.get(key.content())
                .is_some_and(|kept| holds(kept, value))
        }),
        (Kind::List, Kind::List) => said
            .items()
            .all(|item| kept.items().any(|kept| holds(kept, item))),
        _ => equal(kept, said),
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
        let said = r#"{"title": "Bob", "tags": ["a", {"b": 1}]}"#;
        for (kept, keeps) in [
            (said, true),
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
            let archive = Archive::new([kept.into()].into_iter());
            assert_eq!(archive.keeps(said.into()), keeps, "{kept}");
        }
        assert!(!Archive::default().keeps(said.into()));
    }
}
