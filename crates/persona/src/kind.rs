use std::fmt;

use serde::{Serialize, Serializer};

/// The three kinds of persona documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PersonaKind {
    /// The identity of the persona, with its duties and limits.
    Agent,
    /// Its plans.
    Agenda,
    /// Its past work.
    Agency,
}

impl PersonaKind {
    /// All kinds, in order.
    pub const ALL: [PersonaKind; 3] =
        [PersonaKind::Agent, PersonaKind::Agenda, PersonaKind::Agency];

    /// The word in file names and commands.
    pub fn word(self) -> &'static str {
        match self {
            PersonaKind::Agent => "agent",
            PersonaKind::Agenda => "agenda",
            PersonaKind::Agency => "agency",
        }
    }

    /// The kind of that word.
    pub fn named(word: &str) -> Option<Self> {
        PersonaKind::ALL
            .into_iter()
            .find(|kind| kind.word() == word)
    }
}

impl Serialize for PersonaKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl fmt::Display for PersonaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The name of a persona, which is the name of its directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PersonaSlug(String);

impl PersonaSlug {
    /// A name that is a single directory name.
    pub fn new(text: &str) -> Option<Self> {
        let leads_elsewhere = text.contains(['/', '\\', '\0']) || matches!(text, "." | "..");
        (!text.trim().is_empty() && !leads_elsewhere).then(|| PersonaSlug(text.to_owned()))
    }

    /// The slug as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PersonaSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The parts of a document's file name: `PREFIX.KIND.triad.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentName {
    /// Usually `SLUG@TAG`.
    pub prefix: String,
    /// The kind of document.
    pub kind: PersonaKind,
}

impl DocumentName {
    /// The suffix of all documents' names.
    pub const ENDING: &'static str = ".triad.json";

    /// Parses a file name; `None` if it is not a document.
    pub fn read(file: &str) -> Option<Self> {
        let (prefix, kind) = file.strip_suffix(DocumentName::ENDING)?.rsplit_once('.')?;
        let kind = PersonaKind::named(kind)?;
        (!prefix.is_empty()).then(|| DocumentName {
            prefix: prefix.to_owned(),
            kind,
        })
    }

    /// The prefix of an inherited document, which may have any name.
    pub fn prefix_of(file: &str) -> &str {
        let stem = file
            .strip_suffix(DocumentName::ENDING)
            .or_else(|| file.strip_suffix(".json"))
            .unwrap_or(file);
        stem.rsplit_once('.')
            .filter(|(_, kind)| PersonaKind::named(kind).is_some())
            .map_or(stem, |(prefix, _)| prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_say_prefix_and_kind() {
        let read = |file| DocumentName::read(file).map(|name| (name.prefix, name.kind));
        let some = |prefix: &str, kind| Some((prefix.to_owned(), kind));
        assert_eq!(
            read("ada@mono.agent.triad.json"),
            some("ada@mono", PersonaKind::Agent)
        );
        assert_eq!(
            read("root@todo3.clia.agenda.triad.json"),
            some("root@todo3.clia", PersonaKind::Agenda)
        );
        for no in [
            "agent.triad.json",
            ".agent.triad.json",
            "ada.agents.triad.json",
            "ada.agent.json",
            "x.md",
        ] {
            assert_eq!(read(no), None, "{no}");
        }
        assert_eq!(
            DocumentName::prefix_of("root@x.agent-profile.agent.json"),
            "root@x.agent-profile"
        );
        assert_eq!(DocumentName::prefix_of("root@x.agent.triad.json"), "root@x");
        assert_eq!(DocumentName::prefix_of("rules.json"), "rules");
    }

    #[test]
    fn a_slug_is_one_directory() {
        for bad in ["", " ", ".", "..", "a/b", "..\\a", "/"] {
            assert_eq!(PersonaSlug::new(bad), None, "{bad}");
        }
        assert!(PersonaSlug::new("code-swiftly 2").is_some());
    }
}
