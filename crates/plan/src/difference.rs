//! Describes how a file changes, for people to read.

use agpm_diag::mask_line;
use agpm_model::{FileMode, Owner, RelativePath};
use agpm_text::{Format, LineDiff, Value, markdown_body, parse_alone, to_value};
use serde::Serialize;

use crate::limits::LARGEST_COMPARED;

/// A file before and after a change.
#[derive(Clone, Debug)]
pub struct FileVersions {
    /// The path, from the project.
    pub path: RelativePath,
    /// The owners of the file, or of its changed entries.
    pub owners: Vec<Owner>,
    /// The current content; nothing if the file is new.
    pub before: Option<Vec<u8>>,
    /// The new content; nothing if the file is removed.
    pub after: Option<Vec<u8>>,
    /// The resulting mode.
    pub mode: FileMode,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileDifference {
    /// The path, from the project.
    pub path: RelativePath,
    /// The resources and layers whose content changes.
    pub ids: Vec<Owner>,
    /// The action on the file.
    pub action: FileAction,
    /// The changed fields of the front matter.
    pub fields: Vec<FieldDifference>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// The unified diff, with secrets masked; `None` for binary files and files too large to compare.
    pub diff: Option<String>,
    /// Whether the file is executable.
    #[serde(rename = "executable", serialize_with = "is_executable")]
    pub mode: FileMode,
}

fn is_executable<S: serde::Serializer>(mode: &FileMode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*mode == FileMode::Executable)
}

/// The action on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileAction {
    /// The file is new.
    Create,
    /// The file changes.
    Update,
    /// The file is removed.
    Remove,
}

/// A changed field of the front matter, with its values as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldDifference {
    /// The name of the field.
    pub field: String,
    /// The old value; nothing if the field is new.
    pub before: Option<String>,
    /// The new value; nothing if the field is removed.
    pub after: Option<String>,
}

impl FileVersions {
    /// Computes the difference.
    pub fn difference(self) -> FileDifference {
        let action = match (&self.before, &self.after) {
            (None, _) => FileAction::Create,
            (_, None) => FileAction::Remove,
            _ => FileAction::Update,
        };
        let is_small = |bytes: &&[u8]| bytes.len() <= LARGEST_COMPARED;
        let text = |bytes: &Option<Vec<u8>>| {
            let bytes = Some(bytes.as_deref().unwrap_or_default()).filter(is_small)?;
            let text = std::str::from_utf8(bytes).ok()?;
            (!text.contains('\0')).then(|| text.to_owned())
        };
        let mut difference = FileDifference {
            path: self.path,
            ids: self.owners,
            action,
            fields: Vec::new(),
            added: 0,
            removed: 0,
            diff: None,
            mode: self.mode,
        };
        if let (Some(before), Some(after)) = (text(&self.before), text(&self.after)) {
            difference.compare(&before, &after);
        }
        difference
    }
}

impl FileDifference {
    fn compare(&mut self, before: &str, after: &str) {
        let diff = LineDiff::new(before, after);
        self.added = diff.added();
        self.removed = diff.removed();
        let is_markdown = matches!(
            Format::of_file(self.path.file_name()),
            Some(Format::Markdown)
        );
        if is_markdown && self.action == FileAction::Update {
            self.fields = changed_fields(before, after);
        }
        self.diff = Some(self.unified_diff(before, after));
    }

    /// Omits fields that are listed separately.
    fn unified_diff(&self, before: &str, after: &str) -> String {
        let (before, after) = if self.fields.is_empty() {
            (before, after)
        } else {
            (markdown_body(before), markdown_body(after))
        };
        let (from, to) = match self.action {
            FileAction::Create => ("/dev/null".to_owned(), format!("b/{}", self.path)),
            FileAction::Remove => (format!("a/{}", self.path), "/dev/null".to_owned()),
            FileAction::Update => (format!("a/{}", self.path), format!("b/{}", self.path)),
        };
        let text = LineDiff::new(before, after).unified(&from, &to);
        // Files that users write too may contain secrets.
        text.lines()
            .map(|line| format!("{}\n", masked(line)))
            .collect()
    }
}

/// Masks a line of a diff, without its sign.
fn masked(line: &str) -> String {
    match line.chars().next() {
        Some(sign @ ('+' | '-' | ' ')) => format!("{sign}{}", mask_line(&line[1..])),
        _ => line.to_owned(),
    }
}

/// The fields of the front matter that differ; none if it cannot be parsed.
fn changed_fields(before: &str, after: &str) -> Vec<FieldDifference> {
    let (Some(before), Some(after)) = (fields_of(before), fields_of(after)) else {
        return Vec::new();
    };
    let value = |fields: &[(String, Value)], name: &str| {
        let found = fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| display_value(value))
    };
    let names = before.iter().chain(&after).map(|(name, _)| name);
    let mut seen: Vec<&String> = Vec::new();
    let mut changed = Vec::new();
    for name in names {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let (old, new) = (value(&before, name), value(&after, name));
        if old != new {
            changed.push(FieldDifference {
                field: name.clone(),
                before: old,
                after: new,
            });
        }
    }
    changed
}

fn fields_of(text: &str) -> Option<Vec<(String, Value)>> {
    let parsed = parse_alone(text, Format::Markdown);
    if agpm_diag::has_errors(&parsed.diagnostics) {
        return None;
    }
    match parsed.document.root().map(to_value) {
        Some(Value::Map(entries)) => Some(entries),
        None | Some(Value::Null) => Some(Vec::new()),
        Some(_) => None,
    }
}

/// A value on one line; strings without quotes.
fn display_value(value: &Value) -> String {
    match value {
        Value::String(text) => mask_line(text),
        Value::List(items) if items.iter().all(|item| item.as_str().is_some()) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            items.join(", ")
        }
        other => {
            let json = other.to_json();
            mask_line(&json.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn difference(path: &str, before: Option<&str>, after: Option<&str>) -> FileDifference {
        FileVersions {
            path: RelativePath::new(path).unwrap(),
            owners: vec![Owner::from("agents/a")],
            before: before.map(|text| text.as_bytes().to_vec()),
            after: after.map(|text| text.as_bytes().to_vec()),
            mode: FileMode::Plain,
        }
        .difference()
    }

    #[test]
    fn front_matter_is_shown_by_field() {
        let before = "---\nname: a\ntools: Read\ncolor: red\n---\nOne.\n";
        let after = "---\nname: a\ntools: [Read, Bash]\n---\nTwo.\n";
        let found = difference("a.md", Some(before), Some(after));
        let fields: Vec<String> = found
            .fields
            .iter()
            .map(|one| format!("{} {:?} {:?}", one.field, one.before, one.after))
            .collect();
        assert_eq!(
            fields,
            [
                "tools Some(\"Read\") Some(\"Read, Bash\")",
                "color Some(\"red\") None"
            ]
        );
        let diff = found.diff.unwrap();
        assert!(diff.ends_with("-One.\n+Two.\n"), "{diff}");
        assert!(!diff.contains("tools"), "{diff}");
        assert_eq!((found.added, found.removed), (2, 3));
    }

    #[test]
    fn new_files_and_files_that_are_not_text() {
        let found = difference("a.json", None, Some("{}\n"));
        assert_eq!(
            found.diff.unwrap(),
            "--- /dev/null\n+++ b/a.json\n@@ -0,0 +1 @@\n+{}\n"
        );
        let found = difference("a.bin", Some("a\0b"), Some("a"));
        assert_eq!((found.diff, found.action), (None, FileAction::Update));
    }

    #[test]
    fn secrets_of_the_user_are_masked() {
        let before = "{\n  \"token\": \"ghp_abcdefghijklmnop0123456789abcdefgh\"\n}\n";
        let after = before.replace("}\n", "  ,\"x\": 1\n}\n");
        let diff = difference("a.json", Some(before), Some(&after))
            .diff
            .unwrap();
        assert!(!diff.contains("ghp_abc"), "{diff}");
    }
}
