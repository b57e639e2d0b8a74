use std::fmt;
use std::sync::OnceLock;

use crate::text::Text;

/// A half-open range of bytes in a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// The position after the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`; sources are limited to 4 GiB.
    pub fn new(start: usize, end: usize) -> Self {
        let narrow =
            |n: usize| u32::try_from(n).expect("sources are limited to 4 GiB when they are read");
        Span {
            start: narrow(start),
            end: narrow(end),
        }
    }

    /// The empty span at `offset`.
    pub fn at(offset: usize) -> Self {
        Span::new(offset, offset)
    }

    /// As a range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// Identifies text in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(u32);

/// A location in one of many strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceSpan {
    /// The text.
    pub source: SourceId,
    /// The bytes of the location.
    pub span: Span,
}

/// A named text.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// The path or other name that users see.
    pub name: String,
    /// The whole text.
    pub text: Text,
    /// The starts of lines, computed on demand.
    lines: OnceLock<Vec<u32>>,
}

impl SourceText {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0)
                .chain(ends.map(|at| Span::at(at + 1).start))
                .collect()
        })
    }
}

/// A line and column, both counted from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
}

/// All strings that a command has looked at.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// The number of sources before its own, from the object that it was forked from.
    first: usize,
    sources: Vec<SourceText>,
}

impl SourceMap {
    /// Takes in text and gives its identity.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Text>) -> SourceId {
        let id = self.first + self.sources.len();
        let id = u32::try_from(id).expect("fewer than 2^32 sources");
        self.sources.push(SourceText {
            name: name.into(),
            text: text.into(),
            lines: OnceLock::new(),
        });
        SourceId(id)
    }

    /// An empty map for a part of the work: identities of this map keep their meaning next to those of the new one.
    pub(crate) fn fork(&self) -> SourceMap {
        SourceMap {
            first: self.first + self.sources.len(),
            sources: Vec::new(),
        }
    }

    /// Takes in all strings of an object that was forked from this one; the function gives the identities here for those there.
    pub(crate) fn absorb(&mut self, fork: SourceMap) -> impl Fn(SourceId) -> SourceId + use<> {
        let (first, now) = (fork.first, self.first + self.sources.len());
        self.sources.extend(fork.sources);
        move |id: SourceId| {
            let moved = (id.0 as usize + now).checked_sub(first);
            let is_own = id.0 as usize >= first;
            let moved = moved
                .filter(|_| is_own)
                .and_then(|id| u32::try_from(id).ok());
            moved.map_or(id, SourceId)
        }
    }

    /// Gives every text of that name another one.
    pub fn rename(&mut self, from: &str, to: &str) {
        for source in self.sources.iter_mut().filter(|source| source.name == from) {
            to.clone_into(&mut source.name);
        }
    }

    /// The text of an identity that this map gave.
    pub fn get(&self, id: SourceId) -> &SourceText {
        &self.sources[id.0 as usize - self.first]
    }

    /// The line of a byte offset, from one.
    pub fn line(&self, id: SourceId, offset: u32) -> usize {
        self.get(id)
            .lines()
            .partition_point(|start| *start <= offset)
    }

    /// Line and column of a byte offset.
    pub fn position(&self, id: SourceId, offset: u32) -> LineColumn {
        let text = &self.get(id).text;
        let line = self.line(id, offset);
        let line_start = self.get(id).lines()[line - 1] as usize;
        let end = floor_char(text, offset as usize);
        let column = text[line_start..end]
            .trim_start_matches('\u{feff}')
            .chars()
            .count()
            + 1;
        LineColumn { line, column }
    }

    /// The byte range of the lines that `span` touches, without the last line's extension.
    pub fn lines_around(&self, id: SourceId, span: Span) -> Span {
        let text = &self.get(id).text;
        let start = line_start(text, span.start as usize);
        let end = floor_char(text, (span.end as usize).max(start));
        let rest = &text.as_bytes()[end..];
        let end = end + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        let end = if text[start..end].ends_with('\r') {
            end - 1
        } else {
            end
        };
        Span::new(start, end)
    }
}

fn line_start(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    before
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1)
}

fn floor_char(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_and_skip_the_bom() {
        let mut map = SourceMap::default();
        let id = map.add("x", "\u{feff}a\r\nhé llo\n");
        assert_eq!(map.position(id, 3), LineColumn { line: 1, column: 1 });
        let l = "\u{feff}a\r\nhé ".len() as u32;
        assert_eq!(map.position(id, l), LineColumn { line: 2, column: 4 });
        assert_eq!(
            map.lines_around(id, Span { start: 3, end: 4 }),
            Span { start: 0, end: 4 }
        );
        assert_eq!(map.position(id, 9999), LineColumn { line: 3, column: 1 });
    }
}
