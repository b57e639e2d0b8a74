//! Applies the diffs of patches to rendered text: merged with what changed since they were made.

use std::fmt;

use agpm_diag::{Diagnostic, Notes, SourceId, Span, codes};
use agpm_merge::{MergeConflict, ThreeWayMerge, merge_three};
use agpm_model::{
    Checksum, FileMode, Patch, PatchScope, RelativePath, ResourceExtent, SKILL_FILE, TextPatch,
};
use agpm_resolve::ResolvedEntry;
use agpm_text::{DiffSide, Format, UnifiedDiff, UnifiedFile, UnifiedHunk};

/// The start of the line with the version that a diff was made from.
const VERSION: &str = "# version: ";
/// The start of the line with the checksum of the text that a file was made from.
const BASE: &str = "# base: ";
/// The line of a new file that is executable.
const EXECUTABLE: &str = "# executable";

/// A file of a resource that a diff changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatchedFile {
    /// The file itself, or the `SKILL.md` of a skill.
    Main,
    /// Another file of a skill, from its directory.
    Other(RelativePath),
}

/// A text before and after the diffs of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedText {
    /// Without any diff; `None` if a diff adds the file.
    pub before: Option<String>,
    /// With all diffs; `None` if a diff removes the file.
    pub after: Option<String>,
    /// The mode of an added file.
    pub mode: FileMode,
}

/// A file as a new diff has it.
#[derive(Clone, Copy, Debug)]
pub struct NewFileDiff<'a> {
    /// Its path in the resource; the file name of a resource that is one file.
    pub name: &'a str,
    /// The rendered text; `None` for an added file.
    pub before: Option<&'a str>,
    /// The text to get; `None` for a removed file.
    pub after: Option<&'a str>,
    /// The mode of an added file.
    pub mode: FileMode,
}

/// The text of a diff file for a resource at a version.
pub fn text_patch_file(id: &str, version: &str, files: &[NewFileDiff<'_>]) -> String {
    let file = |new: &NewFileDiff<'_>| {
        let mut diff = UnifiedFile::whole(new.name, new.before, new.after);
        if let Some(before) = new.before {
            let checksum = Checksum::of(before.as_bytes());
            diff.header.push(format!("{BASE}{checksum}"));
        } else if new.mode == FileMode::Executable {
            diff.header.push(EXECUTABLE.to_owned());
        }
        diff
    };
    let diff = UnifiedDiff {
        header: vec![
            format!("# {id}, changed by `agpm patch save {id}`"),
            format!("{VERSION}{version}"),
            String::new(),
        ],
        files: files.iter().map(file).collect(),
    };
    diff.to_text()
}

/// The reason why a diff does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Misfit {
    /// The hunk, from one, and its line in the diff.
    hunk: usize,
    line: usize,
    reason: MisfitReason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum MisfitReason {
    /// The same lines changed since the diff was made.
    Changed { file: String, line: usize },
    /// A field changed since.
    ChangedField { file: String, field: String },
    /// The lines of the hunk are not found.
    NotFound { file: String, line: usize },
    /// The file does not exist.
    NoFile { file: String },
    /// The file exists already.
    Exists { file: String },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hunk = self.hunk;
        match &self.reason {
            MisfitReason::Changed { file, line } => {
                write!(
                    f,
                    "hunk {hunk} and the new version change line {line} of {file}"
                )
            }
            MisfitReason::ChangedField { file, field } => {
                write!(
                    f,
                    "hunk {hunk} and the new version change `{field}` of {file}"
                )
            }
            MisfitReason::NotFound { file, line } => {
                write!(
                    f,
                    "hunk {hunk}: {file} does not have its lines at line {line}"
                )
            }
            MisfitReason::NoFile { file } => write!(f, "hunk {hunk}: {file} does not exist"),
            MisfitReason::Exists { file } => write!(f, "hunk {hunk}: {file} exists already"),
        }
    }
}

/// One diff of a resource, with the patch that names it.
#[derive(Clone, Copy)]
pub(crate) struct NamedTextPatch<'a> {
    pub(crate) patch: &'a Patch,
    pub(crate) path: &'a RelativePath,
    pub(crate) text: &'a TextPatch,
}

impl NamedTextPatch<'_> {
    /// The author of the diff.
    pub(crate) fn scope(&self) -> PatchScope {
        self.patch.scope
    }

    /// The file that a part of the diff changes; `None` for a name that is not in the resource.
    fn target(&self, resolved: &ResolvedEntry, file: &UnifiedFile) -> Option<PatchedFile> {
        if resolved.entry.kind.extent() == ResourceExtent::File {
            return Some(PatchedFile::Main);
        }
        let name = file.to.as_ref().or(file.from.as_ref())?;
        if name == SKILL_FILE {
            return Some(PatchedFile::Main);
        }
        RelativePath::new(name).ok().map(PatchedFile::Other)
    }

    /// The files that the diff changes, in order. A name outside of the resource is a finding.
    pub(crate) fn targets(
        &self,
        resolved: &ResolvedEntry,
        notes: &mut Notes,
    ) -> Option<Vec<PatchedFile>> {
        let mut targets = Vec::new();
        for file in &self.text.diff.files {
            let target = self.target(resolved, file);
            let removes_main = target == Some(PatchedFile::Main) && file.to.is_none();
            match target {
                Some(target) if !targets.contains(&target) && !removes_main => {
                    targets.push(target);
                }
                _ => {
                    let problem = match resolved.entry.kind.extent() {
                        _ if removes_main => "it removes the main file of the resource",
                        ResourceExtent::File => "the resource is one file",
                        _ => "expected each file of the resource at most once",
                    };
                    let source = notes_source(notes, self);
                    let found = self.invalid(file.line, problem, source);
                    notes.diagnostics.push(found);
                    return None;
                }
            }
        }
        Some(targets)
    }

    /// Applies the parts of the diff for one file; the text is `None` if the file does not exist.
    pub(crate) fn apply(
        &self,
        resolved: &ResolvedEntry,
        target: &PatchedFile,
        text: Option<String>,
        notes: &mut Notes,
    ) -> Option<PatchedResult> {
        let mut result = PatchedResult {
            text,
            mode: FileMode::Plain,
        };
        for file in &self.text.diff.files {
            if self.target(resolved, file).as_ref() != Some(target) {
                continue;
            }
            let name = match target {
                PatchedFile::Main => main_name(resolved),
                PatchedFile::Other(path) => path.as_str(),
            };
            if file.header.iter().any(|line| line == EXECUTABLE) {
                result.mode = FileMode::Executable;
            }
            match apply_file(name, file, result.text.as_deref()) {
                Ok(after) => result.text = after,
                Err(misfit) => {
                    let source = notes_source(notes, self);
                    let found = self.conflict(resolved, &misfit, source);
                    notes.diagnostics.push(found);
                    return None;
                }
            }
        }
        Some(result)
    }

    fn version(&self) -> Option<&str> {
        let mut header = self.text.diff.header.iter();
        header.find_map(|line| line.strip_prefix(VERSION))
    }

    fn conflict(&self, resolved: &ResolvedEntry, misfit: &Misfit, source: SourceId) -> Diagnostic {
        let id = resolved.label();
        let message = format!("`{}` does not apply to {id}", self.path);
        let made_from = self.version().map(|version| format!("made from {version}"));
        let span = line_span(&self.text.text, misfit.line);
        Diagnostic::new(&codes::PATCH_TEXT_CONFLICT, message)
            .detail(match resolved.version.commit {
                Some(_) => format!("{misfit}, in {}", resolved.version.label),
                None => misfit.to_string(),
            })
            .at(source, span, made_from.unwrap_or_default())
            .help(format!(
                "remove `patch-file`, run `agpm install`, edit the file, and run `agpm patch save {id}`"
            ))
    }

    fn invalid(&self, line: usize, problem: &str, source: SourceId) -> Diagnostic {
        let message = format!("`{}` cannot be applied: {problem}", self.path);
        Diagnostic::new(&codes::PATCH_FAILED, message)
            .at(source, line_span(&self.text.text, line), "")
            .help("correct the diff, or write it again with `agpm patch save`")
    }
}

fn notes_source(notes: &mut Notes, patch: &NamedTextPatch<'_>) -> SourceId {
    notes
        .sources
        .add(patch.path.to_string(), patch.text.text.clone())
}

/// The bytes of a line, from one.
pub fn line_span(text: &str, line: usize) -> Span {
    let mut start = 0;
    for (number, content) in text.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            let end = start + content.trim_end_matches(['\r', '\n']).len();
            return Span::new(start, end);
        }
        start += content.len();
    }
    Span::at(text.len())
}

/// A text after a diff.
pub(crate) struct PatchedResult {
    /// `None` if the file is removed.
    pub(crate) text: Option<String>,
    /// The mode of an added file.
    pub(crate) mode: FileMode,
}

/// The name of the main file of a resource, as a diff has it.
pub fn main_name(resolved: &ResolvedEntry) -> &str {
    match resolved.entry.kind.extent() {
        ResourceExtent::File => resolved.entry.unit.path.file_name(),
        ResourceExtent::Directory | ResourceExtent::Plugin => SKILL_FILE,
    }
}

fn apply_file(
    name: &str,
    file: &UnifiedFile,
    text: Option<&str>,
) -> Result<Option<String>, Misfit> {
    let misfit = |reason| Misfit {
        hunk: 1,
        line: file.line,
        reason,
    };
    let of_file = || name.to_owned();
    if file.from.is_none() {
        let added = file.whole_after().unwrap_or_default();
        return match text {
            Some(text) if text != added => Err(misfit(MisfitReason::Exists { file: of_file() })),
            _ => Ok(Some(added)),
        };
    }
    let Some(text) = text else {
        // The new version removed the file, as the diff does.
        let is_removal = file.to.is_none();
        let missing = misfit(MisfitReason::NoFile { file: of_file() });
        return if is_removal { Ok(None) } else { Err(missing) };
    };
    let base = file.whole_before().filter(|base| is_base(file, base));
    let Some(base) = base else {
        let after = apply_hunks(name, file, text)?;
        return Ok(file.to.as_ref().map(|_| after));
    };
    if file.to.is_none() {
        return if base == text {
            Ok(None)
        } else {
            let line = first_difference(&base, text);
            Err(misfit(MisfitReason::Changed {
                file: of_file(),
                line,
            }))
        };
    }
    let after = file.whole_after().unwrap_or_default();
    if base == text {
        return Ok(Some(after));
    }
    let format = Format::of_file(name);
    let (base, new) = (base.as_bytes(), text.as_bytes());
    match merge_three(base, after.as_bytes(), new, format) {
        ThreeWayMerge::Merged(merged) => Ok(Some(String::from_utf8_lossy(&merged).into_owned())),
        ThreeWayMerge::Conflict(conflicts) => Err(misfit_of(name, file, &conflicts)),
    }
}

/// Whether the hunks have the whole text that the diff was made from.
fn is_base(file: &UnifiedFile, base: &str) -> bool {
    let mut header = file.header.iter();
    let recorded = header.find_map(|line| line.strip_prefix(BASE));
    recorded.is_some_and(|recorded| recorded.parse() == Ok(Checksum::of(base.as_bytes())))
}

fn first_difference(before: &str, after: &str) -> usize {
    let mut lines = before.lines().zip(after.lines());
    let same = lines.position(|(before, after)| before != after);
    same.unwrap_or_else(|| before.lines().count().min(after.lines().count())) + 1
}

/// The hunk of the first conflict.
fn misfit_of(name: &str, file: &UnifiedFile, conflicts: &[MergeConflict]) -> Misfit {
    let first_changed = |hunk: &UnifiedHunk| {
        let changed = hunk
            .lines
            .iter()
            .position(|line| line.side != DiffSide::Both);
        hunk.line + 1 + changed.unwrap_or(0)
    };
    let key = conflicts.iter().find_map(|conflict| match conflict {
        MergeConflict::Key(pointer) => Some(pointer),
        _ => None,
    });
    let file_name = || name.to_owned();
    if let Some(pointer) = key {
        let last = pointer
            .steps()
            .last()
            .map(String::as_str)
            .unwrap_or_default();
        let names_field = |hunk: &&(usize, &UnifiedHunk)| {
            let mut lines = hunk.1.lines.iter();
            lines.any(|line| line.side != DiffSide::Both && line.text.contains(last))
        };
        let hunks: Vec<(usize, &UnifiedHunk)> = file.hunks.iter().enumerate().collect();
        let found = hunks.iter().find(names_field).or(hunks.first());
        return Misfit {
            hunk: found.map_or(1, |(number, _)| number + 1),
            line: found.map_or(file.line, |(_, hunk)| first_changed(hunk)),
            reason: MisfitReason::ChangedField {
                file: file_name(),
                field: pointer.steps().join("."),
            },
        };
    }
    let first = conflicts.iter().find_map(|conflict| match conflict {
        MergeConflict::Lines { first, .. } => Some(*first),
        _ => None,
    });
    let first = first.unwrap_or(1);
    // The conflict is at a line of the new side of the diff.
    let mut after = 1;
    for (number, hunk) in file.hunks.iter().enumerate() {
        let end = after + hunk.count_after();
        if first >= end && number + 1 < file.hunks.len() {
            after = end;
            continue;
        }
        let mut before = hunk.before_start;
        for (at, line) in hunk.lines.iter().enumerate() {
            if line.side != DiffSide::Both && after + 1 >= first {
                return Misfit {
                    hunk: number + 1,
                    line: hunk.line + 1 + at,
                    reason: MisfitReason::Changed {
                        file: file_name(),
                        line: before,
                    },
                };
            }
            after += usize::from(line.side != DiffSide::Before);
            before += usize::from(line.side != DiffSide::After);
        }
        return Misfit {
            hunk: number + 1,
            line: first_changed(hunk),
            reason: MisfitReason::Changed {
                file: file_name(),
                line: hunk.before_start,
            },
        };
    }
    Misfit {
        hunk: 1,
        line: file.line,
        reason: MisfitReason::Changed {
            file: file_name(),
            line: first,
        },
    }
}

/// Applies hunks of a diff that has only parts of the file: each where its old lines are, nearest to where they were.
fn apply_hunks(name: &str, file: &UnifiedFile, text: &str) -> Result<String, Misfit> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut moved = 0isize;
    for (number, hunk) in file.hunks.iter().enumerate() {
        let before: String = hunk.before();
        let old: Vec<&str> = before.split_inclusive('\n').collect();
        let stated = hunk
            .before_start
            .saturating_sub(usize::from(!old.is_empty()));
        let expected = stated.saturating_add_signed(moved);
        let Some(found) = nearest_lines(&lines, &old, copied, expected) else {
            return Err(Misfit {
                hunk: number + 1,
                line: hunk.line,
                reason: MisfitReason::NotFound {
                    file: name.to_owned(),
                    line: hunk.before_start,
                },
            });
        };
        moved = found as isize - stated as isize;
        out.extend(lines[copied..found].iter().copied());
        out.push_str(&hunk.after());
        copied = found + old.len();
    }
    out.extend(lines[copied..].iter().copied());
    Ok(out)
}

/// The start of these lines in a text, nearest to an expected one.
fn nearest_lines(lines: &[&str], wanted: &[&str], from: usize, expected: usize) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let starts = (from..=last).filter(|start| lines[*start..*start + wanted.len()] == *wanted);
    starts.min_by_key(|start| start.abs_diff(expected))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const BEFORE: &str = "---\nname: a\nmodel: opus\n---\none\ntwo\nthree\nfour\nfive\nsix\n";

    fn saved(after: &str) -> UnifiedDiff {
        let file = NewFileDiff {
            name: "a.md",
            before: Some(BEFORE),
            after: Some(after),
            mode: FileMode::Plain,
        };
        UnifiedDiff::read(&text_patch_file("agents/a", "v1.0.0", &[file])).unwrap()
    }

    fn applied(diff: &UnifiedDiff, text: &str) -> Result<String, String> {
        let after = apply_file("a.md", &diff.files[0], Some(text));
        after
            .map(Option::unwrap_or_default)
            .map_err(|misfit| format!("{misfit} (line {})", misfit.line))
    }

    #[test]
    fn a_saved_diff_is_merged_with_later_versions() {
        let diff = saved(
            &BEFORE
                .replace("two\n", "TWO\n")
                .replace("six\n", "six\nseven\n"),
        );
        let cases = [
            (
                BEFORE.to_owned(),
                Ok("TWO\nthree\nfour\nfive\nsix\nseven\n"),
            ),
            (
                BEFORE.replace("four", "4").replace("opus", "haiku"),
                Ok("TWO\nthree\n4\nfive\nsix\nseven\n"),
            ),
            (
                format!("{}\n", BEFORE.replace("one", "more\nmore\nmore\n\none")),
                Err("hunk 2 and the new version change line 11 of a.md (line 20)"),
            ),
            (
                BEFORE.replace("two", "2"),
                Err("hunk 1 and the new version change line 6 of a.md (line 13)"),
            ),
        ];
        for (text, expected) in cases {
            let result = applied(&diff, &text);
            match expected {
                Ok(end) => assert!(result.as_ref().unwrap().ends_with(end), "{result:?}"),
                Err(message) => assert_eq!(result.unwrap_err(), message),
            }
        }
    }

    #[test]
    fn a_removed_field_conflicts_with_its_new_value() {
        let diff = saved(&BEFORE.replace("model: opus\n", ""));
        assert!(
            !applied(&diff, &BEFORE.replace("one", "1"))
                .unwrap()
                .contains("model")
        );
        let error = applied(&diff, &BEFORE.replace("opus", "haiku")).unwrap_err();
        assert_eq!(
            error,
            "hunk 1 and the new version change `model` of a.md (line 10)"
        );
    }

    #[test]
    fn a_diff_of_another_program_applies_where_its_lines_are() {
        let text = "--- a/a.md\n+++ b/a.md\n@@ -5,3 +5,3 @@\n one\n-two\n+TWO\n three\n";
        let diff = UnifiedDiff::read(text).unwrap();
        let moved = BEFORE.replace("name: a\n", "name: a\ncolor: red\n");
        assert!(
            applied(&diff, &moved)
                .unwrap()
                .contains("one\nTWO\nthree\n")
        );
        let error = applied(&diff, &BEFORE.replace("two", "2")).unwrap_err();
        assert_eq!(
            error,
            "hunk 1: a.md does not have its lines at line 5 (line 3)"
        );
    }

    #[test]
    fn files_are_added_and_removed() {
        let file = |before, after| NewFileDiff {
            name: "x.sh",
            before,
            after,
            mode: FileMode::Executable,
        };
        let files = [file(None, Some("new\n")), file(Some("old\n"), None)];
        let diff = UnifiedDiff::read(&text_patch_file("skills/a", "v1", &files)).unwrap();
        let [added, removed] = diff.files.as_slice() else {
            panic!("two files")
        };
        assert_eq!(added.header, [EXECUTABLE]);
        assert_eq!(
            apply_file("x", added, None).unwrap().as_deref(),
            Some("new\n")
        );
        assert!(apply_file("x", added, Some("other\n")).is_err());
        assert_eq!(apply_file("x", removed, Some("old\n")).unwrap(), None);
        assert_eq!(apply_file("x", removed, None).unwrap(), None);
        assert!(apply_file("x", removed, Some("changed\n")).is_err());
    }
}
