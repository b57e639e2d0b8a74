//! The meaning of an argument without a subject.

use std::path::Path;

use agpm_diag::{Failure, all_codes, did_you_mean, unknown_name};
use agpm_model::{LockEntry, ResourceId};
use agpm_resolve::{LockView, WrittenId, means, near_ids};

use crate::explain::{ExplainSubject, NamedSubject};

const SUBJECTS: &str = "use the path of a file, an id such as `agents/reviewer`, a code such as `json/syntax`, `manifest:/POINTER`, `catalog:MODULE/NAME`, `profile:SLUG` or `bottle:NAME`";

/// The path of an installed file, the id of a resource, or a name that is unique. Paths are seen from `here`.
pub fn subject_of_word(
    view: &LockView,
    working_directory: &Path,
    word: &str,
) -> Result<Option<NamedSubject>, Failure> {
    if !view.at_path(working_directory, word).is_empty() {
        return Ok(Some(NamedSubject {
            subject: ExplainSubject::File,
            name: word.to_owned(),
        }));
    }
    if word.contains(':') {
        return Ok(None);
    }
    let is_name = |entry: &LockEntry| means(word, entry.kind, entry.name.as_str());
    match view.find(word) {
        // A name that several resources have is not a code either.
        Err(failure) if view.entries.iter().any(is_name) => Err(failure),
        Err(_) => Ok(None),
        Ok(found) => Ok(found.first().map(|at| resource(&view.entries[*at]))),
    }
}

/// The resource that a whole file is of.
pub fn file_owner(view: &LockView, working_directory: &Path, file: &str) -> Option<ResourceId> {
    let found = view.at_path(working_directory, file);
    let mut entries = found.iter().map(|at| &view.entries[*at]);
    entries
        .find(|entry| !entry.kind.is_merged())
        .map(LockEntry::id)
}

fn resource(entry: &LockEntry) -> NamedSubject {
    NamedSubject {
        subject: ExplainSubject::Resource(entry.kind),
        name: entry.name.to_string(),
    }
}

/// The error for an unknown argument, with a near code or resource.
pub fn unknown_subject(word: &str, view: Option<&LockView>) -> Failure {
    let near_code = did_you_mean(word, "codes are", all_codes().map(|code| code.name));
    let near_resource = || {
        let ids = view?.entries.iter();
        near_ids(
            word,
            ids.map(|entry| (entry.kind, entry.name.as_str())).collect(),
        )
    };
    let is_near = |help: &String| help.starts_with("did you mean");
    let help = near_code
        .filter(is_near)
        .or_else(|| near_resource().filter(is_near))
        .unwrap_or_else(|| SUBJECTS.to_owned());
    let noun = match WrittenId::parse(word) {
        Some(_) => "resource",
        None if word.contains(':') => "subject",
        None if word.contains('/') && !word.contains('.') => "code",
        None if word.contains('/') => "file",
        None => "name",
    };
    unknown_name(noun, word, Some(help))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use agpm_model::{Lockfile, Manifest};
    use agpm_text::{Format, parse_alone};

    use super::*;

    fn view() -> LockView {
        let entry = |kind: &str, name: &str| {
            format!(
                "[[{kind}]]\nname = \"{name}\"\npath = \"{name}.md\"\n\
                 installed_at = \".claude/{kind}/{name}.md\"\ntool = \"claude-code\"\n"
            )
        };
        let entries = [
            entry("agents", "reviewer"),
            entry("agents", "both"),
            entry("commands", "both"),
        ];
        let text = format!("version = 1\n{}", entries.concat());
        let (lock, mistakes) = Lockfile::read(&parse_alone(text, Format::Toml).document);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        LockView::of(lock, &Manifest::default(), PathBuf::from("/project"))
    }

    fn resolved(word: &str) -> Result<Option<(&'static str, String)>, Failure> {
        let found = subject_of_word(&view(), Path::new("/project"), word)?;
        Ok(found.map(|one| (one.subject.word(), one.name)))
    }

    #[test]
    fn a_word_is_a_path_or_an_id_or_a_unique_name() {
        for (word, expected) in [
            (".claude/agents/reviewer.md", Some("file")),
            ("agents/reviewer", Some("agent")),
            ("reviewer", Some("agent")),
            ("json/syntax", None),
            ("nothing", None),
        ] {
            let found = resolved(word).expect("not ambiguous");
            assert_eq!(found.map(|(word, _)| word), expected, "{word}");
        }
        assert!(resolved("both").is_err());
    }

    #[test]
    fn a_word_that_means_nothing_is_corrected_by_codes_and_then_by_resources() {
        let help = |word: &str| {
            let failure = unknown_subject(word, Some(&view()));
            failure.diagnostic.and_then(|found| found.help)
        };
        assert_eq!(
            help("json/sintax").as_deref(),
            Some("did you mean `json/syntax`?")
        );
        assert_eq!(
            help("agents/reviewr").as_deref(),
            Some("did you mean `agents/reviewer`?")
        );
        assert_eq!(help("file").as_deref(), Some(SUBJECTS));
    }
}
