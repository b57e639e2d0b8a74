//! The subjects of `explain`, and how they are written.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_model::ResourceType;
use agpm_text::Pointer;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A subject of `explain`, besides codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainSubject {
    /// A file, by its path.
    File,
    /// The manifest with its bases, by a location in it.
    Manifest,
    /// An entry of the catalog, by module and name.
    Catalog,
    /// A persona, by its slug.
    Profile,
    /// A bottle, by its name.
    Bottle,
    /// An installed resource, by its name.
    Resource(ResourceType),
}

impl ExplainSubject {
    const ALL: [ExplainSubject; 5] = [
        ExplainSubject::File,
        ExplainSubject::Manifest,
        ExplainSubject::Catalog,
        ExplainSubject::Profile,
        ExplainSubject::Bottle,
    ];

    /// The word before the colon.
    pub fn word(self) -> &'static str {
        match self {
            ExplainSubject::File => "file",
            ExplainSubject::Manifest => "manifest",
            ExplainSubject::Catalog => "catalog",
            ExplainSubject::Profile => "profile",
            ExplainSubject::Bottle => "bottle",
            ExplainSubject::Resource(kind) => kind.singular(),
        }
    }

    fn named(word: &str) -> Option<Self> {
        // The MCP server's word for a profile.
        let word = if word == "persona" { "profile" } else { word };
        let subject = ExplainSubject::ALL
            .into_iter()
            .find(|one| one.word() == word);
        subject.or_else(|| ResourceType::named(word).map(ExplainSubject::Resource))
    }
}

/// One thing to explain; in documents, the subject is the key of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSubject {
    /// The kind of subject.
    pub subject: ExplainSubject,
    /// The name of the subject.
    pub name: String,
}

impl NamedSubject {
    /// Parses `WORD:NAME`.
    pub fn parse(text: &str) -> Option<Self> {
        let (word, name) = text.split_once(':')?;
        Some(NamedSubject {
            subject: ExplainSubject::named(word)?,
            name: name.to_owned(),
        })
    }

    /// Fails for a subject without a name; a manifest has none.
    pub fn require_name(&self) -> Result<(), Failure> {
        if !self.name.trim().is_empty() || self.subject == ExplainSubject::Manifest {
            return Ok(());
        }
        let message = format!("`{}:` names nothing", self.subject.word());
        Err(usage(
            message,
            "name it, as in `file:.claude/settings.json` or `profile:ada`",
        ))
    }
}

impl Serialize for NamedSubject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct SubjectFields<'n> {
            #[serde(rename = "type")]
            kind: &'static str,
            id: &'n str,
        }
        let id = match self.subject {
            ExplainSubject::Resource(kind) => format!("{}/{}", kind.plural(), self.name),
            _ => self.name.clone(),
        };
        let kind = self.subject.word();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(kind, &self.name)?;
        map.serialize_entry("subject", &SubjectFields { kind, id: &id })?;
        map.end()
    }
}

/// A flag that was given, and the subject that it is for.
#[derive(Clone, Copy, Debug)]
pub struct SubjectFlag {
    /// The flag as it is written.
    pub flag: &'static str,
    /// The subject.
    pub subject: ExplainSubject,
}

/// Fails if a flag is for another subject.
pub fn refuse_flags(subject: Option<ExplainSubject>, flags: &[SubjectFlag]) -> Result<(), Failure> {
    let wrong = flags.iter().find(|one| subject != Some(one.subject));
    wrong.map_or(Ok(()), |SubjectFlag { flag, subject }| {
        let message = format!("`{flag}` is for `{}:…`", subject.word());
        Err(usage(message, "leave it out"))
    })
}

/// A JSON Pointer as it is typed.
pub fn parse_pointer(written: &str) -> Result<Pointer, Failure> {
    written.parse().map_err(|error| {
        let is_dotted = !written.contains('/') && written.contains('.');
        let help = if is_dotted {
            format!("did you mean `/{}`?", written.replace('.', "/"))
        } else {
            "a JSON Pointer has `/` before every key, as in `/permissions/allow/0`".to_owned()
        };
        usage(format!("{error}"), &help)
    })
}

fn usage(message: String, help: &str) -> Failure {
    Failure::new(
        FailureKind::Usage,
        Diagnostic::new(&codes::USAGE, message).help(help),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(word: &str) -> Option<ExplainSubject> {
        NamedSubject::parse(word).map(|one| one.subject)
    }

    #[test]
    fn every_subject_is_found_by_its_word() {
        for subject in ExplainSubject::ALL {
            assert_eq!(parsed(&format!("{}:x", subject.word())), Some(subject));
        }
        assert_eq!(parsed("persona:ada"), Some(ExplainSubject::Profile));
        let skill = ExplainSubject::Resource(ResourceType::Skills);
        assert_eq!(parsed("skill:x"), Some(skill));
        assert_eq!(parsed("skills:x"), Some(skill));
        assert_eq!(parsed("json/syntax"), None);
        assert_eq!(parsed("C:x"), None);
    }

    #[test]
    fn a_flag_of_another_subject_is_refused() {
        let from = SubjectFlag {
            flag: "--from",
            subject: ExplainSubject::File,
        };
        assert!(refuse_flags(Some(ExplainSubject::File), &[from]).is_ok());
        for other in [None, Some(ExplainSubject::Bottle)] {
            let failure = refuse_flags(other, &[from]).expect_err("not for it");
            assert_eq!(failure.kind, FailureKind::Usage);
        }
    }
}
