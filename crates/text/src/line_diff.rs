//! The lines that differ between two strings, as a unified diff.

use std::fmt::Write;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

/// Lines of context around a change.
const CONTEXT: u32 = 3;

/// Lines that differ between two strings, by number from zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLines {
    /// The lines of the first string; empty for an insertion.
    pub before: Range<usize>,
    /// The lines of the second string; empty for a removal.
    pub after: Range<usize>,
}

/// The lines that differ between two strings.
pub struct LineDiff<'a> {
    input: InternedInput<&'a str>,
    diff: Diff,
}

impl<'a> LineDiff<'a> {
    /// The difference with changes where a reader expects them: between blocks instead of inside them.
    pub fn new(before: &'a str, after: &'a str) -> Self {
        let input = InternedInput::new(before, after);
        // Myers for short diffs; its heuristics give up on the shortest diff before the time becomes quadratic.
        let mut diff = Diff::compute(Algorithm::Myers, &input);
        diff.postprocess_lines(&input);
        LineDiff { input, diff }
    }

    /// The difference as `git merge-file` sees it, which does not move changes for readers.
    pub fn for_merging(before: &'a str, after: &'a str) -> Self {
        let input = InternedInput::new(before, after);
        let mut diff = Diff::compute(Algorithm::Myers, &input);
        diff.postprocess_no_heuristic(&input);
        LineDiff { input, diff }
    }

    /// The changes in order. Between two of them is at least one common line.
    pub fn changes(&self) -> impl Iterator<Item = ChangedLines> {
        self.diff.hunks().map(|hunk| ChangedLines {
            before: hunk.before.start as usize..hunk.before.end as usize,
            after: hunk.after.start as usize..hunk.after.end as usize,
        })
    }

    /// The number of added lines.
    pub fn added(&self) -> usize {
        self.diff.count_additions() as usize
    }

    /// The number of removed lines.
    pub fn removed(&self) -> usize {
        self.diff.count_removals() as usize
    }

    /// The unified diff with the names of both sides; empty if they are equal.
    pub fn unified(&self, from: &str, to: &str) -> String {
        let mut text = String::new();
        let mut hunks = self.diff.hunks().peekable();
        if hunks.peek().is_some() {
            let _ = write!(text, "--- {from}\n+++ {to}\n");
        }
        while let Some(first) = hunks.next() {
            let mut group = vec![first];
            while let Some(near) = hunks.next_if(|next| is_near(&group, next)) {
                group.push(near);
            }
            self.write_group(&mut text, &group);
        }
        text
    }

    /// Changes with the lines around them.
    fn write_group(&self, text: &mut String, group: &[Hunk]) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return;
        };
        let lines_before = self.input.before.len() as u32;
        let leading = first.before.start.min(CONTEXT);
        let trailing = (lines_before - last.before.end).min(CONTEXT);
        let before = first.before.start - leading..last.before.end + trailing;
        let after = first.after.start - leading..last.after.end + trailing;
        let _ = writeln!(text, "@@ -{} +{} @@", numbers(&before), numbers(&after));
        let mut at = before.start;
        for hunk in group {
            self.write_lines(text, ' ', &self.input.before, at..hunk.before.start);
            self.write_lines(text, '-', &self.input.before, hunk.before.clone());
            self.write_lines(text, '+', &self.input.after, hunk.after.clone());
            at = hunk.before.end;
        }
        self.write_lines(text, ' ', &self.input.before, at..before.end);
    }

    fn write_lines(&self, text: &mut String, sign: char, side: &[Token], range: Range<u32>) {
        for token in &side[range.start as usize..range.end as usize] {
            let line = self.input.interner[*token];
            let _ = write!(text, "{sign}{line}");
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
}

/// Whether the context of a change would touch that of the group.
fn is_near(group: &[Hunk], next: &Hunk) -> bool {
    group
        .last()
        .is_some_and(|last| next.before.start - last.before.end <= 2 * CONTEXT)
}

/// Start and length as in `diff -u`: a length of 1 is omitted, and an empty range names the line before it.
fn numbers(range: &Range<u32>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => (range.start + 1).to_string(),
        length => format!("{},{length}", range.start + 1),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn unified(before: &str, after: &str) -> String {
        LineDiff::new(before, after).unified("a", "b")
    }

    #[test]
    fn changes_are_shown_with_their_context() {
        let before: String = (1..=30).map(|line| format!("{line}\n")).collect();
        let after = before
            .replace("\n5\n", "\nfive\n")
            .replace("\n11\n", "\n")
            .replace("\n25\n", "\n25\n25b\n");
        assert_eq!(
            unified(&before, &after),
            "--- a\n+++ b\n@@ -2,13 +2,12 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n-11\n 12\n 13\n 14\n\
             @@ -23,6 +22,7 @@\n 23\n 24\n 25\n+25b\n 26\n 27\n 28\n"
        );
    }

    #[test]
    fn empty_sides_and_missing_newlines() {
        assert_eq!(unified("a\n", "a\n"), "");
        assert_eq!(unified("", "x\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(
            unified("x\ny", ""),
            "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-x\n-y\n\\ No newline at end of file\n"
        );
        assert_eq!(
            unified("x", "x\n"),
            "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"
        );
    }

    /// Nothing in common, and many equal lines: both are quadratic without the heuristics.
    #[test]
    fn long_files_without_common_lines_are_compared() {
        let before: String = (0..30_000).map(|line| format!("a{line}\n")).collect();
        let after: String = (0..30_000).map(|line| format!("b{}\n", line % 7)).collect();
        let diff = LineDiff::new(&before, &after);
        assert_eq!((diff.added(), diff.removed()), (30_000, 30_000));
    }
    /// Applies a unified diff to a text, comparing every removed and context line.
    fn applied(before: &str, diff: &str) -> String {
        let old: Vec<&str> = before.split_inclusive('\n').collect();
        let (mut at, mut after) = (0, String::new());
        for line in diff.split_inclusive('\n').skip(2) {
            if let Some(numbers) = line.strip_prefix("@@ -") {
                let range = numbers.split(' ').next().unwrap();
                let (start, length) = range.split_once(',').unwrap_or((range, "1"));
                let start: usize = start.parse().unwrap();
                let first = if length == "0" { start } else { start - 1 };
                after.extend(old[at..first].iter().copied());
                at = first;
            } else if let Some(added) = line.strip_prefix('+') {
                after.push_str(added);
            } else {
                assert_eq!(old[at], &line[1..]);
                after.push_str(line.strip_prefix(' ').unwrap_or_default());
                at += 1;
            }
        }
        after.extend(old[at..].iter().copied());
        after
    }

    fn texts() -> impl Strategy<Value = String> {
        prop::collection::vec("[a-c]\n", 0..30).prop_map(|lines| lines.concat())
    }

    proptest! {
        #[test]
        fn a_unified_diff_turns_one_text_into_the_other(before in texts(), after in texts()) {
            prop_assert_eq!(applied(&before, &unified(&before, &after)), after);
        }
    }
}
