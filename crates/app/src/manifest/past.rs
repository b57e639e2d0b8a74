//! The history of a manifest: what `agpm add` put into it, and `agpm remove` can take out again.

use agpm_model::Checksum;
use agpm_text::{Document, Format, NodeKind, NodeRef, Pointer, parse_alone};

/// One recorded change of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEdit {
    /// The title of the transaction, as in `add agents/a`.
    pub title: String,
    /// The text before; `None` if the manifest did not exist.
    pub before: Option<String>,
    /// The checksum of the text after; `None` if the manifest was removed.
    pub after: Option<Checksum>,
}

/// The recorded changes of a manifest, oldest first. Edits of the user are between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManifestPast {
    /// The changes.
    pub edits: Vec<RecordedEdit>,
}

impl RecordedEdit {
    /// Whether `agpm add` added a resource. A source alone is added for its own sake.
    fn adds_resource(&self) -> bool {
        self.title.starts_with("add ") && !self.title.starts_with("add source ")
    }
}

impl ManifestPast {
    /// Whether `agpm add` created the manifest, and nobody but agpm changed it since.
    pub fn is_of_agpm_alone(&self, now: &str) -> bool {
        let first = self.edits.first();
        first.is_some_and(|first| first.before.is_none() && first.adds_resource())
            && (0..self.edits.len()).all(|at| self.text_after(at, now).is_some())
    }

    /// Whether `agpm add` added a source together with a resource.
    pub fn added_source(&self, name: &str, now: &str) -> bool {
        let has = |text: Option<&str>| text.is_some_and(|text| has_source(text, name));
        let mut edits = self.edits.iter().enumerate();
        edits.any(|(at, edit)| {
            edit.adds_resource() && !has(edit.before.as_deref()) && has(self.text_after(at, now))
        })
    }

    /// The text after a change, unless the user edited it before the next one.
    fn text_after<'t>(&'t self, at: usize, now: &'t str) -> Option<&'t str> {
        let next = match self.edits.get(at + 1) {
            Some(next) => next.before.as_deref(),
            None => Some(now),
        };
        let wanted = self.edits.get(at)?.after?;
        next.filter(|text| Checksum::of(text.as_bytes()) == wanted)
    }
}

/// Whether a manifest requires nothing: at most, it has the tools of the project.
pub fn requires_nothing(text: &str) -> bool {
    let document = parse(text);
    let keys = |node: NodeRef<'_>| -> Vec<String> {
        let entries = node.entries();
        entries.map(|(key, _)| key.content().to_owned()).collect()
    };
    let Some(root) = document.root() else {
        return true;
    };
    let project = document.at(&Pointer::root().child("project"));
    keys(root).iter().all(|key| key == "project")
        && project.is_none_or(|project| keys(project).iter().all(|key| key == "tools"))
}

/// Whether a table exists and has neither keys nor comments.
pub(crate) fn is_bare_table(document: &Document, at: &Pointer) -> bool {
    let Some(table) = document.at(at) else {
        return false;
    };
    let start = table.span().range().start;
    let text = document.text();
    let start = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let mut lines = text[start..].lines();
    let header = lines.next().unwrap_or_default();
    // The comments of a table are next to its header, and follow it up to the next one.
    let mut inside = lines.take_while(|line| !line.starts_with('['));
    table.kind() == NodeKind::Map
        && table.len() == 0
        && header.trim_end().ends_with(']')
        && !inside.any(|line| line.trim_start().starts_with('#'))
}

pub(crate) fn parse(text: &str) -> Document {
    parse_alone(text.to_owned(), Format::Toml).document
}

fn has_source(text: &str, name: &str) -> bool {
    let at = Pointer::root().child("sources").child(name);
    parse(text).at(&at).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDED: &str = "[sources]\nlib = \"../lib\"\n\n[agents]\na = { source = \"lib\" }\n";

    fn recorded(title: &str, before: Option<&str>, after: &str) -> RecordedEdit {
        RecordedEdit {
            title: title.to_owned(),
            before: before.map(str::to_owned),
            after: Some(Checksum::of(after.as_bytes())),
        }
    }

    fn past(edits: impl IntoIterator<Item = RecordedEdit>) -> ManifestPast {
        ManifestPast {
            edits: edits.into_iter().collect(),
        }
    }

    #[test]
    fn a_manifest_is_of_agpm_until_the_user_edits_it() {
        let created = past([recorded("add agents/a", None, ADDED)]);
        assert!(created.is_of_agpm_alone(ADDED));
        assert!(created.added_source("lib", ADDED));
        let edited = format!("# mine\n{ADDED}");
        assert!(!created.is_of_agpm_alone(&edited));
        let two = past([
            recorded("add agents/a", None, ADDED),
            recorded("add agents/b", Some(&edited), &edited),
        ]);
        assert!(!two.is_of_agpm_alone(&edited));
        for title in ["init", "add source lib", "import apm"] {
            let other = past([recorded(title, None, ADDED)]);
            assert!(!other.is_of_agpm_alone(ADDED), "{title}");
            assert!(!other.added_source("lib", ADDED), "{title}");
        }
    }

    #[test]
    fn a_source_of_the_user_stays_the_users() {
        let typed = "[sources]\nlib = \"../lib\"\n";
        let past = past([recorded("add agents/a", Some(typed), ADDED)]);
        assert!(!past.added_source("lib", ADDED));
        assert!(!past.added_source("other", ADDED));
    }

    #[test]
    fn only_tools_require_nothing() {
        for (text, expected) in [
            ("", true),
            ("[project]\ntools = [\"codex\"]\n", true),
            ("[project]\nname = \"x\"\n", false),
            ("[sources]\n", false),
            ("[agents]\na = \"a.md\"\n", false),
        ] {
            assert_eq!(requires_nothing(text), expected, "{text}");
        }
    }

    #[test]
    fn a_table_with_a_comment_is_not_bare() {
        let table = |text: &str| is_bare_table(&parse(text), &Pointer::root().child("agents"));
        assert!(table("[agents]\n\n[skills]\n# x\na = \"a\"\n"));
        assert!(!table("[agents]\n# mine\n"));
        assert!(!table("[agents] # mine\n"));
        assert!(!table("[agents]\na = \"a\"\n"));
        assert!(!table("[skills]\n"));
    }
}
