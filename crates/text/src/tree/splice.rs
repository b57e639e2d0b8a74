//! Replacements of bytes in text.

use agpm_diag::{Span, Text};

/// Replacements of byte ranges, collected in any order.
#[derive(Debug, Default)]
pub(crate) struct Splices {
    buffer: String,
    list: Vec<(Span, Span)>,
}

impl Splices {
    /// Replaces the bytes of `range` with `text`.
    pub(crate) fn put(&mut self, range: std::ops::Range<usize>, text: &str) {
        self.put_with(range, |out| out.push_str(text));
    }

    /// Replaces the bytes of `range` with the output of `write`.
    pub(crate) fn put_with(
        &mut self,
        range: std::ops::Range<usize>,
        write: impl FnOnce(&mut String),
    ) {
        let start = self.buffer.len();
        write(&mut self.buffer);
        self.list.push((
            Span::new(range.start, range.end),
            Span::new(start, self.buffer.len()),
        ));
    }

    /// Applies all replacements, unless two overlap. Insertions at one position keep their order.
    pub(crate) fn apply(mut self, text: Text) -> Option<RewrittenText> {
        self.list.sort_by_key(|(range, _)| (range.start, range.end));
        let apart = self
            .list
            .windows(2)
            .all(|pair| pair[0].0.end <= pair[1].0.start);
        apart.then_some(RewrittenText {
            text,
            splices: self,
        })
    }
}

/// Text with replacements, stored separately, so a large text can be written without building it.
#[derive(Debug)]
pub struct RewrittenText {
    text: Text,
    splices: Splices,
}

impl RewrittenText {
    /// The unchanged text.
    pub(crate) fn unchanged(text: Text) -> Self {
        RewrittenText {
            text,
            splices: Splices::default(),
        }
    }

    /// The new text, piece by piece.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        let mut at = 0;
        let spliced = self.splices.list.iter().flat_map(move |(range, new)| {
            let range = range.range();
            let unchanged = &self.text[at..range.start];
            at = range.end;
            [unchanged, &self.splices.buffer[new.range()]]
        });
        let end = self
            .splices
            .list
            .iter()
            .map(|(range, _)| range.end)
            .max()
            .unwrap_or(0);
        spliced.chain([&self.text[end as usize..]])
    }
}

impl std::fmt::Display for RewrittenText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}
