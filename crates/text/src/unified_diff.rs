//! Unified diffs that contain a whole file, and reading of any unified diff.

use std::fmt::Write;
use std::ops::Range;

use crate::LineDiff;

/// The line after one that has no newline.
const NO_NEWLINE: &str = "\\ No newline at end of file";
/// The name of the side that does not exist.
const NOTHING: &str = "/dev/null";

/// A unified diff of several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// The lines before the first file.
    pub header: Vec<String>,
    /// The files.
    pub files: Vec<UnifiedFile>,
}

/// The diff of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnifiedFile {
    /// The lines before the names of the file, after the previous one.
    pub header: Vec<String>,
    /// The old name; `None` for a new file.
    pub from: Option<String>,
    /// The new name; `None` for a removed file.
    pub to: Option<String>,
    /// The changes.
    pub hunks: Vec<UnifiedHunk>,
    /// The line of the first name in the diff, from one.
    pub line: usize,
}

/// Changed lines with the lines around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnifiedHunk {
    /// The number of its first old line, from one.
    pub before_start: usize,
    /// The lines, each with its newline, if it has one.
    pub lines: Vec<DiffLine>,
    /// The line of its `@@` in the diff, from one.
    pub line: usize,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// The sides that have it.
    pub side: DiffSide,
    /// The line itself.
    pub text: String,
}

/// The sides that have a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffSide {
    /// Both sides.
    Both,
    /// Only the old side.
    Before,
    /// Only the new side.
    After,
}

impl DiffSide {
    fn sign(self) -> char {
        match self {
            DiffSide::Both => ' ',
            DiffSide::Before => '-',
            DiffSide::After => '+',
        }
    }

    fn of_sign(sign: char) -> Option<Self> {
        match sign {
            ' ' => Some(DiffSide::Both),
            '-' => Some(DiffSide::Before),
            '+' => Some(DiffSide::After),
            _ => None,
        }
    }
}

/// The reason why a string is not a unified diff.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct UnifiedDiffError {
    /// The line, from one.
    pub line: usize,
    /// The problem.
    pub problem: &'static str,
}

impl UnifiedHunk {
    /// The old text of the hunk.
    pub fn before(&self) -> String {
        self.side(DiffSide::Before)
    }

    /// The new text of the hunk.
    pub fn after(&self) -> String {
        self.side(DiffSide::After)
    }

    fn side(&self, side: DiffSide) -> String {
        let lines = self.lines.iter();
        let of_side = lines.filter(|line| line.side == DiffSide::Both || line.side == side);
        of_side.map(|line| line.text.as_str()).collect()
    }

    /// The number of old lines.
    pub fn count_before(&self) -> usize {
        self.count(DiffSide::Before)
    }

    /// The number of new lines.
    pub fn count_after(&self) -> usize {
        self.count(DiffSide::After)
    }

    fn count(&self, side: DiffSide) -> usize {
        let lines = self.lines.iter();
        lines
            .filter(|line| line.side == DiffSide::Both || line.side == side)
            .count()
    }
}

impl UnifiedFile {
    /// The diff between two whole strings: one hunk for each group of changes, and together they have every line, so
    /// both strings can be read back. `None` names a side that does not exist.
    pub fn whole(name: &str, before: Option<&str>, after: Option<&str>) -> Self {
        let old = before.unwrap_or_default();
        let new = after.unwrap_or_default();
        let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
        let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
        let changes: Vec<_> = LineDiff::new(old, new).changes().collect();
        let mut hunks = Vec::new();
        let (mut at_old, mut at_new) = (0, 0);
        for (number, change) in changes.iter().enumerate() {
            // The lines between two changes belong half to each, so both have context.
            let end = match changes.get(number + 1) {
                Some(next) => change.before.end + (next.before.start - change.before.end) / 2,
                None => old_lines.len(),
            };
            let mut lines = Vec::new();
            let mut add = |side, lines_of: &[&str], range: Range<usize>| {
                lines.extend(lines_of[range].iter().map(|text| DiffLine {
                    side,
                    text: (*text).to_owned(),
                }));
            };
            let start = at_old;
            add(DiffSide::Both, &old_lines, at_old..change.before.start);
            add(DiffSide::Before, &old_lines, change.before.clone());
            add(DiffSide::After, &new_lines, change.after.clone());
            add(DiffSide::Both, &old_lines, change.before.end..end);
            at_new = change.after.end + (end - change.before.end);
            at_old = end;
            hunks.push(UnifiedHunk {
                before_start: if old_lines.is_empty() { 0 } else { start + 1 },
                lines,
                line: 0,
            });
        }
        debug_assert!(changes.is_empty() || at_new == new_lines.len());
        UnifiedFile {
            header: Vec::new(),
            from: before.map(|_| name.to_owned()),
            to: after.map(|_| name.to_owned()),
            hunks,
            line: 0,
        }
    }

    /// The old text, if the hunks have every line of it.
    pub fn whole_before(&self) -> Option<String> {
        let mut next = usize::from(self.from.is_some());
        let mut text = String::new();
        for hunk in &self.hunks {
            if hunk.before_start != next && !(hunk.before_start == 0 && text.is_empty()) {
                return None;
            }
            next = hunk.before_start + hunk.count_before();
            text.push_str(&hunk.before());
        }
        Some(text)
    }

    /// The new text, if the hunks have every line of it.
    pub fn whole_after(&self) -> Option<String> {
        self.whole_before()?;
        Some(self.hunks.iter().map(UnifiedHunk::after).collect())
    }

    fn print(&self, out: &mut String) {
        let named = |side: char, name: &Option<String>| match name {
            Some(name) => format!("{side}/{name}"),
            None => NOTHING.to_owned(),
        };
        for line in &self.header {
            let _ = writeln!(out, "{line}");
        }
        let (from, to) = (named('a', &self.from), named('b', &self.to));
        let _ = write!(out, "--- {from}\n+++ {to}\n");
        let mut after_start = 1;
        for hunk in &self.hunks {
            let before = numbers(hunk.before_start, hunk.count_before());
            let count = hunk.count_after();
            // An empty side names the line before it.
            let after = numbers(after_start - usize::from(count == 0), count);
            after_start += count;
            let _ = writeln!(out, "@@ -{before} +{after} @@");
            for line in &hunk.lines {
                let _ = write!(out, "{}{}", line.side.sign(), line.text);
                if !line.text.ends_with('\n') {
                    let _ = write!(out, "\n{NO_NEWLINE}\n");
                }
            }
        }
    }
}

/// A length of 1 is omitted.
fn numbers(start: usize, count: usize) -> String {
    match count {
        1 => start.to_string(),
        count => format!("{start},{count}"),
    }
}

impl UnifiedDiff {
    /// The text of the diff.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for line in &self.header {
            let _ = writeln!(out, "{line}");
        }
        for file in &self.files {
            file.print(&mut out);
        }
        out
    }

    /// Reads a diff.
    pub fn read(text: &str) -> Result<Self, UnifiedDiffError> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut diff = UnifiedDiff::default();
        let mut header = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let line = without_newline(lines[at]);
            let Some(from) = line.strip_prefix("--- ") else {
                if line.starts_with("@@ ") {
                    return Err(mistake(at, "a hunk without the name of its file"));
                }
                header.push(line.to_owned());
                at += 1;
                continue;
            };
            let to = lines.get(at + 1).map(|line| without_newline(line));
            let Some(to) = to.and_then(|line| line.strip_prefix("+++ ")) else {
                return Err(mistake(at + 1, "expected `+++` and the new name"));
            };
            let mut file = UnifiedFile {
                header: Vec::new(),
                from: read_name(from, "a/"),
                to: read_name(to, "b/"),
                hunks: Vec::new(),
                line: at + 1,
            };
            at += 2;
            while lines.get(at).is_some_and(|line| line.starts_with("@@ ")) {
                let hunk = read_hunk(&lines, &mut at)?;
                file.hunks.push(hunk);
            }
            if file.hunks.is_empty() {
                return Err(mistake(at, "expected `@@` and changed lines"));
            }
            if diff.files.is_empty() {
                // Lines directly before the first file belong to it as they do to the next ones.
                let own = header.iter().rposition(String::is_empty);
                file.header = header.split_off(own.map_or(header.len(), |blank| blank + 1));
                diff.header = std::mem::take(&mut header);
            } else {
                file.header = std::mem::take(&mut header);
            }
            diff.files.push(file);
        }
        if diff.files.is_empty() {
            return Err(mistake(0, "expected `---` and the name of a file"));
        }
        Ok(diff)
    }
}

fn mistake(at: usize, problem: &'static str) -> UnifiedDiffError {
    UnifiedDiffError {
        line: at + 1,
        problem,
    }
}

fn too_long(at: usize) -> UnifiedDiffError {
    mistake(at, "the hunk has more lines than it states")
}

fn without_newline(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// A name without its prefix, and without the time that some programs write after a tab.
fn read_name(name: &str, prefix: &str) -> Option<String> {
    let name = name.split('\t').next().unwrap_or_default().trim_end();
    (name != NOTHING).then(|| name.strip_prefix(prefix).unwrap_or(name).to_owned())
}

/// The start and the number of lines of one side, as in `3,7`.
fn read_numbers(text: &str) -> Option<Range<usize>> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let start: usize = start.parse().ok()?;
    let count: usize = count.parse().ok()?;
    Some(start..start.checked_add(count)?)
}

fn read_hunk(lines: &[&str], at: &mut usize) -> Result<UnifiedHunk, UnifiedDiffError> {
    let first = *at;
    let words: Vec<&str> = without_newline(lines[first]).split(' ').collect();
    let side = |word: Option<&&str>, sign: char| read_numbers(word?.strip_prefix(sign)?);
    let (Some(before), Some(after)) = (side(words.get(1), '-'), side(words.get(2), '+')) else {
        return Err(mistake(first, "expected `@@ -LINE,COUNT +LINE,COUNT @@`"));
    };
    let mut hunk = UnifiedHunk {
        before_start: before.start,
        lines: Vec::new(),
        line: first + 1,
    };
    *at += 1;
    let (mut left_before, mut left_after) = (before.len(), after.len());
    while left_before > 0 || left_after > 0 {
        let Some(line) = lines.get(*at) else {
            return Err(mistake(first, "the hunk has fewer lines than it states"));
        };
        // Editors remove the space of an empty context line.
        let sign = line
            .chars()
            .next()
            .filter(|sign| !matches!(sign, '\n' | '\r'));
        let Some(side) = DiffSide::of_sign(sign.unwrap_or(' ')) else {
            return Err(mistake(
                *at,
                "expected a line that starts with ` `, `-` or `+`",
            ));
        };
        if side != DiffSide::After {
            left_before = left_before.checked_sub(1).ok_or_else(|| too_long(*at))?;
        }
        if side != DiffSide::Before {
            left_after = left_after.checked_sub(1).ok_or_else(|| too_long(*at))?;
        }
        let text = if sign.is_some() { &line[1..] } else { line };
        hunk.lines.push(DiffLine {
            side,
            text: text.to_owned(),
        });
        *at += 1;
        if lines.get(*at).is_some_and(|line| line.starts_with('\\')) {
            if let Some(last) = hunk.lines.last_mut() {
                last.text = last.text.trim_end_matches('\n').to_owned();
            }
            *at += 1;
        }
    }
    Ok(hunk)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn whole(before: Option<&str>, after: Option<&str>) -> UnifiedDiff {
        UnifiedDiff {
            header: vec!["# about".to_owned(), String::new()],
            files: vec![UnifiedFile::whole("x.md", before, after)],
        }
    }

    #[test]
    fn a_whole_diff_has_every_line_and_a_hunk_for_each_change() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8";
        let after = "1\n2\nthree\n4\n5\n6\n7\neight\n";
        assert_eq!(
            whole(Some(before), Some(after)).to_text(),
            "# about\n\n--- a/x.md\n+++ b/x.md\n@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+three\n 4\n 5\n\
             @@ -6,3 +6,3 @@\n 6\n 7\n-8\n\\ No newline at end of file\n+eight\n"
        );
        assert_eq!(
            whole(None, Some("a\n")).to_text(),
            "# about\n\n--- /dev/null\n+++ b/x.md\n@@ -0,0 +1 @@\n+a\n"
        );
        assert_eq!(
            whole(Some("a\n"), None).to_text(),
            "# about\n\n--- a/x.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
        );
    }

    #[test]
    fn a_diff_of_another_program_is_read() {
        let text = "diff --git a/x.md b/x.md\nindex 1..2 100644\n--- a/x.md\t2026-01-01\n+++ b/x.md\n@@ -3,3 +3,4 @@ title\n a\n\n+new\n b\n";
        let diff = UnifiedDiff::read(text).unwrap();
        let [file] = diff.files.as_slice() else {
            panic!("one file")
        };
        assert_eq!(file.from.as_deref(), Some("x.md"));
        assert_eq!(file.whole_before(), None);
        assert_eq!(file.hunks[0].before(), "a\n\nb\n");
        assert_eq!(file.hunks[0].after(), "a\n\nnew\nb\n");
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, line) in [
            ("", 1),
            ("# nothing\n", 1),
            ("@@ -1 +1 @@\n", 1),
            ("--- a/x\n", 2),
            ("--- a/x\n+++ b/x\n", 3),
            ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n", 3),
            ("--- a/x\n+++ b/x\n@@ nonsense @@\n a\n", 3),
            ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n?b\n", 5),
        ] {
            assert_eq!(UnifiedDiff::read(text).unwrap_err().line, line, "{text}");
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        let lines = prop::collection::vec("[a-c+-]?\n", 0..20);
        (lines, "[a-b]?").prop_map(|(lines, last)| lines.concat() + &last)
    }

    proptest! {
        #[test]
        fn both_sides_of_a_whole_diff_are_read_back(before in texts(), after in texts()) {
            prop_assume!(before != after);
            let diff = whole(Some(&before), Some(&after));
            let read = UnifiedDiff::read(&diff.to_text()).unwrap();
            prop_assert_eq!(read.to_text(), diff.to_text());
            prop_assert_eq!(read.files[0].whole_before(), Some(before));
            prop_assert_eq!(read.files[0].whole_after(), Some(after));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-+@ a0-9,\\\\\n]{0,60}") {
            let _ = UnifiedDiff::read(&text);
        }
    }
}
