//! Children between brackets with commas: JSON objects and arrays, TOML arrays and inline tables, YAML flow style.

use std::ops::Range;

use crate::tree::Splices;

/// The syntax of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentSyntax {
    /// `//` to the end of the line, and `/* */`.
    Slashes,
    /// `#` to the end of the line.
    Hash,
}

/// A bracketed container and the bytes of its children.
pub(crate) struct FlowContainer<'t> {
    pub(crate) text: &'t str,
    /// Between the brackets.
    pub(crate) inside: Range<usize>,
    /// The range of each child, including its key in maps.
    pub(crate) children: Vec<Range<usize>>,
    pub(crate) comments: CommentSyntax,
}

/// New children, already printed.
pub(crate) struct FlowInsertion {
    pub(crate) before: usize,
    pub(crate) printed: String,
}

/// The layout of a container's children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FlowLayout {
    /// On one line, with this after each comma.
    Inline { gap: &'static str },
    /// Each child on its own line.
    Lines(LineLayout),
}

/// The indentation of children on separate lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineLayout {
    pub(crate) indent: String,
    /// The indentation of the closing bracket.
    pub(crate) base: String,
}

impl FlowContainer<'_> {
    /// Whether the first child, or the closing bracket, is on another line than the opening bracket.
    pub(crate) fn is_lines(&self) -> bool {
        let first = self
            .children
            .first()
            .map_or(self.inside.end, |child| child.start);
        self.text[self.inside.start..first].contains('\n')
    }

    /// The indent of the first child, if it starts its line.
    pub(crate) fn child_indent(&self) -> Option<&str> {
        let first = self.children.first()?.start;
        let line = own_line(self.text, first).filter(|_| self.is_lines())?;
        Some(&self.text[line..first])
    }

    /// The text after the first comma, if it is a space or empty.
    pub(crate) fn gap(&self) -> Option<&'static str> {
        let second = self.children.get(1)?.start;
        match &self.text[self.comma_after(0)? + 1..second] {
            "" => Some(""),
            " " => Some(" "),
            _ => None,
        }
    }

    /// The position of the comma after child `index`.
    fn comma_after(&self, index: usize) -> Option<usize> {
        let end = self
            .children
            .get(index + 1)
            .map_or(self.inside.end, |next| next.start);
        let mut at = self.children[index].end;
        while at < end {
            match self.text.as_bytes()[at] {
                b',' => return Some(at),
                _ => at = self.comment_end(at).unwrap_or(at + 1),
            }
        }
        None
    }

    /// The end of the comment that starts at `at`, if one does.
    fn comment_end(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let to_line_end = || {
            rest.find(['\r', '\n'])
                .map_or(self.text.len(), |length| at + length)
        };
        match self.comments {
            CommentSyntax::Hash => rest.starts_with('#').then(to_line_end),
            CommentSyntax::Slashes if rest.starts_with("//") => Some(to_line_end()),
            CommentSyntax::Slashes if rest.starts_with("/*") => {
                rest.find("*/").map(|length| at + length + 2)
            }
            CommentSyntax::Slashes => None,
        }
    }

    /// The position after the blanks and comments that follow `at` on its line.
    fn after_line_comments(&self, at: usize) -> usize {
        let mut end = at;
        loop {
            let next = skip_blanks(self.text, end);
            match self.comment_end(next).filter(|_| next < self.inside.end) {
                Some(comment) if !self.text[next..comment].contains('\n') => end = comment,
                _ => return end,
            }
        }
    }

    fn has_comments(&self) -> bool {
        let mut at = self.inside.start;
        let mut children = self.children.iter().peekable();
        while at < self.inside.end {
            if let Some(child) = children.peek().filter(|child| child.start <= at) {
                at = child.end.max(at);
                children.next();
            } else if self.comment_end(at).is_some() {
                return true;
            } else {
                at += 1;
            }
        }
        false
    }

    /// Adds the replacements that remove and insert children.
    pub(crate) fn splice(
        &self,
        removed: &[usize],
        inserted: &[FlowInsertion],
        layout: &FlowLayout,
        splices: &mut Splices,
    ) {
        let remaining: Vec<usize> = (0..self.children.len())
            .filter(|at| removed.binary_search(at).is_err())
            .collect();
        if remaining.is_empty() && inserted.is_empty() && !self.has_comments() {
            splices.put(self.inside.clone(), "");
            return;
        }
        self.remove(removed, &remaining, inserted, splices);
        let mut from = 0;
        while from < inserted.len() {
            let before = inserted[from].before;
            let upto = from
                + inserted[from..]
                    .iter()
                    .take_while(|i| i.before == before)
                    .count();
            self.insert(&inserted[from..upto], &remaining, layout, splices);
            from = upto;
        }
    }

    fn remove(
        &self,
        removed: &[usize],
        remaining: &[usize],
        inserted: &[FlowInsertion],
        splices: &mut Splices,
    ) {
        let mut gone: Vec<Range<usize>> = removed
            .iter()
            .map(|at| self.removal(*at, remaining))
            .collect();
        // If the last child has no comma, the comma before it is removed with it.
        let last = self.children.len().wrapping_sub(1);
        if let (Some(last_kept), Some(_)) = (remaining.last(), removed.last())
            && *last_kept < last
            && self.comma_after(last).is_none()
            && inserted
                .iter()
                .all(|insertion| insertion.before <= *last_kept)
            && let Some(comma) = self.comma_after(*last_kept)
        {
            gone.push(comma..comma + 1);
        }
        gone.sort_by_key(|range| (range.start, range.end));
        let mut at = 0;
        for range in gone {
            if range.end > at {
                splices.put(range.start.max(at)..range.end, "");
                at = range.end;
            }
        }
    }

    /// The range of a child with its comma, and with its line if nothing else is on it.
    fn removal(&self, index: usize, remaining: &[usize]) -> Range<usize> {
        let start = self.children[index].start;
        let end = self
            .comma_after(index)
            .map_or(self.children[index].end, |comma| comma + 1);
        let line = own_line(self.text, start).filter(|line| *line > self.inside.start);
        let rest = self.after_line_comments(end);
        let line_end = skip_blanks(self.text, rest);
        if let (Some(line), Some(length)) = (line, newline_here(&self.text[line_end..])) {
            return line..line_end + length;
        }
        let blanks =
            self.text[..start].len() - self.text[..start].trim_end_matches([' ', '\t']).len();
        let after_blanks = (start - blanks).max(self.inside.start);
        if index + 1 < self.children.len() {
            let next = skip_blanks(self.text, end);
            if newline_here(&self.text[next..]).is_some() {
                return after_blanks..next;
            }
            // YAML treats `#` as a comment only after a blank.
            return start..if self.text[next..].starts_with('#') {
                end
            } else {
                next
            };
        }
        // The closing bracket on the same line moves up to the remaining child.
        if line.is_some()
            && let Some(above) = self.blank_above(index, remaining)
        {
            return above..end;
        }
        // YAML requires an indented closing bracket, so it keeps the indentation of the removed child.
        if line.is_some() && self.comments == CommentSyntax::Hash {
            return start..skip_blanks(self.text, end);
        }
        after_blanks..end
    }

    /// The end of the last remaining child, with its comma, if no comment is between it and the last child.
    fn blank_above(&self, last: usize, remaining: &[usize]) -> Option<usize> {
        let previous = *remaining.last()?;
        let end = self
            .comma_after(previous)
            .map_or(self.children[previous].end, |comma| comma + 1);
        let mut gaps = (previous..last).map(|at| {
            let from = self
                .comma_after(at)
                .map_or(self.children[at].end, |comma| comma + 1);
            &self.text[from..self.children[at + 1].start]
        });
        gaps.all(is_blank).then_some(end)
    }

    fn insert(
        &self,
        new: &[FlowInsertion],
        remaining: &[usize],
        layout: &FlowLayout,
        splices: &mut Splices,
    ) {
        let before = new[0].before;
        let earlier = remaining.partition_point(|at| *at < before);
        let previous = earlier.checked_sub(1).map(|last| remaining[last]);
        let gap = InsertionGap {
            after: previous.map(|at| self.children[at].end),
            comma: previous.and_then(|at| self.comma_after(at)),
            follows: earlier < remaining.len(),
            keeps_all: remaining.len() == self.children.len(),
        };
        match layout {
            FlowLayout::Lines(lines) => self.insert_lines(new, &gap, lines, splices),
            FlowLayout::Inline { gap: blank } => self.insert_inline(new, &gap, blank, splices),
        }
    }

    fn insert_lines(
        &self,
        new: &[FlowInsertion],
        gap: &InsertionGap,
        lines: &LineLayout,
        splices: &mut Splices,
    ) {
        let newline = newline_of(self.text);
        if let (Some(end), None) = (gap.after, gap.comma) {
            splices.put(end..end, ",");
        }
        let start = gap
            .comma
            .map(|comma| comma + 1)
            .or(gap.after)
            .unwrap_or(self.inside.start);
        let at = self.after_line_comments(start);
        let rest = &self.text[at..self.inside.end];
        let closes_here = !rest.contains('\n') && !gap.follows;
        let until = if closes_here && is_blank(rest) {
            self.inside.end
        } else {
            at
        };
        let last = self.children.len().checked_sub(1);
        let comma_at_end = gap.follows || last.is_some_and(|last| self.comma_after(last).is_some());
        let line_end = skip_blanks(self.text, at);
        let ending = newline_here(&self.text[line_end..]).filter(|_| gap.keeps_all);
        // Whole lines after the line break are removed cleanly, with any mix of blanks and line breaks.
        let (range, before, after) = match ending {
            Some(length) => (line_end + length..line_end + length, "", newline),
            None => (at..until, newline, ""),
        };
        splices.put_with(range, |out| {
            for (index, insertion) in new.iter().enumerate() {
                let comma = if index + 1 < new.len() || comma_at_end {
                    ","
                } else {
                    ""
                };
                out.extend([before, &lines.indent, &insertion.printed, comma, after]);
            }
            if closes_here {
                out.extend([newline, &lines.base]);
            }
        });
    }

    fn insert_inline(
        &self,
        new: &[FlowInsertion],
        gap: &InsertionGap,
        blank: &str,
        splices: &mut Splices,
    ) {
        let printed: Vec<&str> = new
            .iter()
            .map(|insertion| insertion.printed.as_str())
            .collect();
        let list = printed.join(&format!(",{blank}"));
        let comma = if gap.follows { "," } else { "" };
        match (gap.after, gap.comma) {
            (_, Some(at)) => splices.put(at + 1..at + 1, &format!("{blank}{list}{comma}")),
            (Some(end), None) => splices.put(end..end, &format!(",{blank}{list}")),
            (None, None) if gap.follows => {
                splices.put(
                    self.inside.start..self.inside.start,
                    &format!("{list},{blank}"),
                );
            }
            (None, None) if is_blank(&self.text[self.inside.clone()]) => {
                splices.put(self.inside.clone(), &list)
            }
            (None, None) => splices.put(self.inside.start..self.inside.start, &list),
        }
    }
}

/// The position between two children where new ones are inserted.
struct InsertionGap {
    /// The end of the preceding child.
    after: Option<usize>,
    /// The position of its comma.
    comma: Option<usize>,
    /// Whether a child follows.
    follows: bool,
    /// Whether no child is removed, so the line ending here is preserved.
    keeps_all: bool,
}

/// The line ending of the text.
pub(crate) fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The start of the line of `at`, after a byte order mark.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    start + after_mark(&text[start..at])
}

/// The offset after a byte order mark, if the text begins with one.
pub(crate) fn after_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    }
}

/// The start of the line of `at`, if only blanks precede it. Unlike [`line_start`], it does not scan a long line
/// completely.
fn own_line(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].trim_end_matches([' ', '\t', '\r']);
    let starts = before.is_empty() || before == "\u{feff}" || before.ends_with('\n');
    starts.then_some(before.len())
}

/// The whitespace at the start of the line of `at`.
pub(crate) fn line_indent(text: &str, at: usize) -> &str {
    blanks_of(&text[line_start(text, at)..at])
}

/// The spaces and tabs that a line starts with.
pub(crate) fn blanks_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The position after the spaces and tabs at `at`.
pub(crate) fn skip_blanks(text: &str, at: usize) -> usize {
    at + text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len()
}

/// Whether text consists only of spaces, tabs and line endings.
pub(crate) fn is_blank(text: &str) -> bool {
    text.bytes()
        .all(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
}

/// The length of the line ending that `rest` starts with.
pub(crate) fn newline_here(rest: &str) -> Option<usize> {
    if rest.starts_with("\r\n") {
        Some(2)
    } else {
        rest.starts_with('\n').then_some(1)
    }
}
