//! Merges text by line, as `git merge-file` does.

use std::ops::Range;

use agpm_text::{ChangedLines, LineDiff};

/// Lines of your side that the new side changed differently, by number from zero.
pub(super) type LineConflict = Range<usize>;

/// The lines of one side, and where they differ from the base.
struct ChangedSide<'a> {
    lines: Vec<&'a str>,
    changes: Vec<ChangedLines>,
}

impl<'a> ChangedSide<'a> {
    fn of(base: &'a str, text: &'a str) -> Self {
        ChangedSide {
            lines: text.split_inclusive('\n').collect(),
            changes: LineDiff::for_merging(base, text).changes().collect(),
        }
    }

    /// The lines of this side in place of a region of the base, which covers the selected changes and nothing of
    /// others.
    fn lines_for(&self, region: &Range<usize>, selected: &Range<usize>) -> Range<usize> {
        let changes = &self.changes[selected.clone()];
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
            // Unchanged lines are as far from their number in the base as the change before them left them.
            let before = self.changes[..selected.start].last();
            let moved = |at: usize| match before {
                Some(change) => change.after.end + (at - change.before.end),
                None => at,
            };
            return moved(region.start)..moved(region.end);
        };
        let start = first.after.start - (first.before.start - region.start);
        let end = last.after.end + (region.end - last.before.end);
        start..end
    }
}

/// Merges by line; the conflicts if both sides changed the same or adjacent lines differently.
pub(super) fn merge_lines(base: &str, yours: &str, new: &str) -> Result<String, Vec<LineConflict>> {
    let base_lines: Vec<&str> = base.split_inclusive('\n').collect();
    let your_side = ChangedSide::of(base, yours);
    let new_side = ChangedSide::of(base, new);
    let mut merged = String::with_capacity(yours.len().max(new.len()));
    let mut conflicts = Vec::new();
    let mut copied = 0;
    let (mut at_yours, mut at_new) = (0, 0);
    loop {
        let next_of = |side: &ChangedSide<'_>, at: usize| {
            side.changes.get(at).map(|change| change.before.clone())
        };
        let starts = [next_of(&your_side, at_yours), next_of(&new_side, at_new)];
        let Some(mut region) = starts.into_iter().flatten().min_by_key(|range| range.start) else {
            break;
        };
        // A region grows by every change that overlaps or touches it: git treats adjacent changes as one.
        let (first_yours, first_new) = (at_yours, at_new);
        loop {
            let reaches = |next: Option<Range<usize>>| {
                next.filter(|range| range.start <= region.end)
                    .map(|range| range.end)
            };
            if let Some(end) = reaches(next_of(&your_side, at_yours)) {
                at_yours += 1;
                region.end = region.end.max(end);
            } else if let Some(end) = reaches(next_of(&new_side, at_new)) {
                at_new += 1;
                region.end = region.end.max(end);
            } else {
                break;
            }
        }
        merged.extend(base_lines[copied..region.start].iter().copied());
        copied = region.end;
        let your_range = your_side.lines_for(&region, &(first_yours..at_yours));
        let new_range = new_side.lines_for(&region, &(first_new..at_new));
        let your_lines = &your_side.lines[your_range.clone()];
        let new_lines = &new_side.lines[new_range];
        if first_new == at_new || your_lines == new_lines {
            merged.extend(your_lines.iter().copied());
        } else if first_yours == at_yours {
            merged.extend(new_lines.iter().copied());
        } else {
            conflicts.push(your_range);
        }
    }
    merged.extend(base_lines[copied..].iter().copied());
    if conflicts.is_empty() {
        Ok(merged)
    } else {
        Err(conflicts)
    }
}
