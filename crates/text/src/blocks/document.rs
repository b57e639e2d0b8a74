//! Text with blocks: adds, changes and removes blocks, and preserves every other byte.

use super::markers::{BlockError, BlockName, read_blocks};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Markdown, split into blocks and the text around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDocument {
    pieces: Vec<DocumentPart>,
    newline: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum DocumentPart {
    /// Text of the user.
    Text(String),
    Block(ManagedBlock),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ManagedBlock {
    name: BlockName,
    /// Line endings before the block that were added with it, and are removed with it.
    seam: String,
    begin: String,
    inner: String,
    end: String,
}

/// The surroundings of a block, by which its position is recognized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSeam {
    /// Line endings before the block that were added with it.
    pub text: String,
    /// The last line before them.
    pub line_before: String,
    /// Whether another block, or nothing, precedes them.
    pub follows_block: bool,
    /// Whether only blocks follow.
    pub is_trailing: bool,
}

/// A range of lines: a block with its markers, or text of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSection<'d> {
    /// The block; `None` for text of the user.
    pub block: Option<&'d BlockName>,
    /// The first and last line, from one.
    pub lines: (usize, usize),
}

/// The reason why text cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockEditError {
    /// An unclosed code fence would contain the new block.
    #[error("a code fence is not closed")]
    OpenFence {
        /// The line that opens it, counted from one.
        line: usize,
    },
    /// The markers would not be recognized afterwards.
    #[error("its blocks could not be found again")]
    Unstable,
}

impl Default for BlockDocument {
    /// An empty text.
    fn default() -> Self {
        BlockDocument {
            pieces: Vec::new(),
            newline: "\n",
        }
    }
}

impl BlockDocument {
    /// Parses text.
    pub fn read(text: &str) -> Result<Self, BlockError> {
        let (blocks, _) = read_blocks(text)?;
        let mut pieces = Vec::new();
        let mut at = 0;
        for block in blocks {
            if at < block.full.start {
                pieces.push(DocumentPart::Text(text[at..block.full.start].to_owned()));
            }
            pieces.push(DocumentPart::Block(ManagedBlock {
                name: block.name,
                seam: String::new(),
                begin: text[block.full.start..block.inner.start].to_owned(),
                inner: text[block.inner.clone()].to_owned(),
                end: text[block.inner.end..block.full.end].to_owned(),
            }));
            at = block.full.end;
        }
        if at < text.len() {
            pieces.push(DocumentPart::Text(text[at..].to_owned()));
        }
        Ok(BlockDocument {
            pieces,
            newline: dominant_newline(text),
        })
    }

    /// The names of its blocks, in order.
    pub fn names(&self) -> impl Iterator<Item = &BlockName> {
        self.blocks().map(|block| &block.name)
    }

    /// The content of a block, with `
    ///
    /// ` line endings.
    pub fn inner(&self, name: &BlockName) -> Option<String> {
        let block = self.blocks().find(|block| block.name == *name)?;
        Some(block.inner.replace("\r\n", "\n"))
    }

    /// The seam of a block; `None` if the block does not exist.
    pub fn seam(&self, name: &BlockName) -> Option<BlockSeam> {
        let at = self.position(name)?;
        let DocumentPart::Block(block) = &self.pieces[at] else {
            return None;
        };
        let is_block = |piece: &DocumentPart| matches!(piece, DocumentPart::Block(_));
        let before = &self.pieces[..at];
        let nearest = match before.last() {
            None => "",
            Some(DocumentPart::Text(text)) => text,
            Some(DocumentPart::Block(block)) => &block.end,
        };
        Some(BlockSeam {
            text: block.seam.clone(),
            line_before: nearest.lines().next_back().unwrap_or_default().to_owned(),
            follows_block: before.last().is_none_or(is_block),
            is_trailing: self.pieces[at + 1..].iter().all(is_block),
        })
    }

    /// The sections, in order.
    pub fn sections(&self) -> Vec<BlockSection<'_>> {
        let mut sections = Vec::new();
        let mut first = 1;
        for piece in &self.pieces {
            let block = match piece {
                DocumentPart::Text(_) => None,
                DocumentPart::Block(block) => Some(&block.name),
            };
            let count = join(std::slice::from_ref(piece)).lines().count();
            let lines = (first, (first + count).saturating_sub(1));
            sections.push(BlockSection { block, lines });
            first += count;
        }
        sections
    }

    /// Everything before a block and its seam.
    pub fn text_before(&self, name: &BlockName) -> String {
        let at = self.position(name).unwrap_or_default();
        join(&self.pieces[..at])
    }

    /// Claims line endings before a block as its seam, if they exist.
    pub fn claim_seam(&mut self, name: &BlockName, seam: &str) {
        let Some(at) = self.position(name).filter(|_| !seam.is_empty()) else {
            return;
        };
        if self.take_line_endings(at, seam) {
            if let DocumentPart::Block(block) = &mut self.pieces[at] {
                block.seam = seam.to_owned();
            }
            let is_empty =
                |piece: &DocumentPart| matches!(piece, DocumentPart::Text(text) if text.is_empty());
            self.pieces.retain(|piece| !is_empty(piece));
        }
    }

    /// Removes line endings before a piece: from the preceding text, and from the end of a block before that.
    fn take_line_endings(&mut self, at: usize, endings: &str) -> bool {
        let (before, _) = self.pieces.split_at_mut(at);
        match before {
            [.., DocumentPart::Text(text)] if text.ends_with(endings) => {
                text.truncate(text.len() - endings.len());
                true
            }
            [.., DocumentPart::Block(block), DocumentPart::Text(text)] => {
                let remainder = endings.strip_suffix(text.as_str());
                let is_taken = remainder.is_some_and(|remainder| block.end.ends_with(remainder));
                if let Some(remainder) = remainder.filter(|_| is_taken) {
                    block.end.truncate(block.end.len() - remainder.len());
                    text.clear();
                }
                is_taken
            }
            _ => false,
        }
    }

    /// Whether it contains anything but blocks.
    pub fn has_own_text(&self) -> bool {
        let is_text =
            |piece: &DocumentPart| matches!(piece, DocumentPart::Text(text) if !text.is_empty());
        self.pieces.iter().any(is_text)
    }

    /// Replaces the content of a block.
    pub fn replace(&mut self, name: &BlockName, inner: &str) {
        let inner = self.with_newlines(inner);
        for piece in &mut self.pieces {
            if let DocumentPart::Block(block) = piece
                && block.name == *name
            {
                block.inner = inner.clone();
            }
        }
    }

    /// Removes a block with its seam. A block that follows immediately takes over the seam, which keeps it apart from
    /// the text before it.
    pub fn remove(&mut self, name: &BlockName) {
        let Some(at) = self.position(name) else {
            return;
        };
        let DocumentPart::Block(removed) = self.pieces.remove(at) else {
            return;
        };
        let is_in_line = !is_at_line_start(&join(&self.pieces[..at]));
        match self.pieces.get_mut(at) {
            Some(DocumentPart::Block(next)) => next.seam = removed.seam,
            // Text of the user never joins the last line before the block.
            Some(DocumentPart::Text(text)) if is_in_line => text.insert_str(0, self.newline),
            _ => {}
        }
    }

    /// Appends a block after one blank line.
    pub fn append(&mut self, name: &BlockName, inner: &str) -> Result<(), BlockEditError> {
        // A block never ends inside code, so only text of the user can leave a fence open.
        if let Some(DocumentPart::Text(_)) = self.pieces.last()
            && let Ok((_, Some(line))) = read_blocks(&self.text())
        {
            return Err(BlockEditError::OpenFence { line });
        }
        let newline = self.newline;
        let missing = match (self.pieces.as_slice(), self.pieces.last()) {
            ([_], Some(DocumentPart::Text(text))) => missing_newlines(text),
            (_, Some(DocumentPart::Block(block))) => missing_newlines(&block.end),
            _ => missing_newlines(&self.text()),
        };
        self.pieces.push(DocumentPart::Block(ManagedBlock {
            name: name.clone(),
            seam: self.newline.repeat(missing),
            begin: format!("{}{newline}", name.begin_line()),
            inner: self.with_newlines(inner),
            end: format!("{}{newline}", name.end_line()),
        }));
        Ok(())
    }

    /// The current text, if it parses to the intended blocks.
    pub fn finish(&self) -> Result<String, BlockEditError> {
        let text = self.text();
        let again = BlockDocument::read(&text).map_err(|_| BlockEditError::Unstable)?;
        let contents = |document: &BlockDocument| {
            let blocks = document.blocks();
            let pairs = blocks.map(|block| (block.name.clone(), block.inner.clone()));
            pairs.collect::<Vec<_>>()
        };
        if contents(&again) == contents(self) {
            Ok(text)
        } else {
            Err(BlockEditError::Unstable)
        }
    }

    fn text(&self) -> String {
        join(&self.pieces)
    }

    fn blocks(&self) -> impl Iterator<Item = &ManagedBlock> {
        self.pieces.iter().filter_map(|piece| match piece {
            DocumentPart::Block(block) => Some(block),
            DocumentPart::Text(_) => None,
        })
    }

    fn position(&self, name: &BlockName) -> Option<usize> {
        let is_named = |piece: &DocumentPart| matches!(piece, DocumentPart::Block(block) if block.name == *name);
        self.pieces.iter().position(is_named)
    }

    fn with_newlines(&self, text: &str) -> String {
        text.replace("\r\n", "\n").replace('\n', self.newline)
    }
}

fn join(pieces: &[DocumentPart]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            DocumentPart::Text(user_text) => text.push_str(user_text),
            DocumentPart::Block(block) => {
                text.extend([&*block.seam, &*block.begin, &*block.inner, &*block.end]);
            }
        }
    }
    text
}

/// The most frequent line ending.
fn dominant_newline(text: &str) -> &'static str {
    let all = text.matches('\n').count();
    let windows = text.matches("\r\n").count();
    if windows > all - windows {
        "\r\n"
    } else {
        "\n"
    }
}

fn is_at_line_start(text: &str) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    text.is_empty() || text.ends_with('\n')
}

/// The number of line endings needed for a blank line before appended text.
fn missing_newlines(text: &str) -> usize {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let last = lines.next_back().unwrap_or_default();
    match (last.trim().is_empty(), last.ends_with('\n')) {
        _ if text.is_empty() => 0,
        (true, true) => 0,
        (true, false) | (false, true) => 1,
        (false, false) => 2,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{BlockErrorKind, first_marker};
    use super::*;

    fn name(text: &str) -> BlockName {
        BlockName::new(text).unwrap()
    }

    fn appended(text: &str, blocks: &[&str]) -> BlockDocument {
        let mut document = BlockDocument::read(text).unwrap();
        for block in blocks {
            document.append(&name(block), "text\n").unwrap();
        }
        document
    }

    #[test]
    fn a_block_follows_existing_content_after_one_blank_line() {
        let block = "<!-- agpm:begin a -->\ntext\n<!-- agpm:end a -->\n";
        for (text, seam) in [
            ("", ""),
            ("# Mine\n", "\n"),
            ("# Mine", "\n\n"),
            ("# Mine\n\n", ""),
            ("# Mine\n  ", "\n"),
            ("\u{feff}", ""),
        ] {
            let written = appended(text, &["a"]).finish().unwrap();
            assert_eq!(written, format!("{text}{seam}{block}"));
        }
    }

    #[test]
    fn the_dominant_line_extension_is_used_inside_and_around() {
        let written = appended("a\r\nb\r\nc\n", &["x"]).finish().unwrap();
        assert_eq!(
            written,
            "a\r\nb\r\nc\n\r\n<!-- agpm:begin x -->\r\ntext\r\n<!-- agpm:end x -->\r\n"
        );
        let document = BlockDocument::read(&written).unwrap();
        assert_eq!(document.inner(&name("x")).unwrap(), "text\n");
    }

    #[test]
    fn blocks_go_without_a_trace_in_any_order() {
        for text in ["", "# Mine", "# Mine\n", "# Mine\n\n", "a\r\nb\r\n"] {
            for order in [
                ["a", "b", "c"],
                ["c", "b", "a"],
                ["b", "a", "c"],
                ["a", "c", "b"],
            ] {
                let mut document = appended(text, &["a", "b", "c"]);
                for block in order {
                    document.remove(&name(block));
                    let rest = document.finish().unwrap();
                    assert!(rest.starts_with(text), "{rest:?}");
                }
                assert_eq!(document.finish().unwrap(), text);
            }
        }
    }

    #[test]
    fn text_after_a_block_does_not_join_the_line_before_it() {
        let written = appended("mine", &["a"]).finish().unwrap() + "more\n";
        let mut document = BlockDocument::read(&written).unwrap();
        document.claim_seam(&name("a"), "\n\n");
        document.remove(&name("a"));
        assert_eq!(document.finish().unwrap(), "mine\nmore\n");
    }

    #[test]
    fn a_seam_is_claimed_only_where_it_is() {
        let text = "mine\n<!-- agpm:begin a -->\n<!-- agpm:end a -->\n";
        let mut document = BlockDocument::read(text).unwrap();
        document.claim_seam(&name("a"), "\n\n");
        assert_eq!(document.seam(&name("a")).unwrap().text, "");
        document.claim_seam(&name("a"), "\n");
        assert_eq!(document.text_before(&name("a")), "mine");
        assert_eq!(document.finish().unwrap(), text);
    }

    #[test]
    fn sections_have_their_lines() {
        let document = appended("mine\n", &["a", "b"]);
        let document = BlockDocument::read(&document.finish().unwrap()).unwrap();
        let sections: Vec<(String, (usize, usize))> = document
            .sections()
            .into_iter()
            .map(|section| {
                (
                    section.block.map_or(String::new(), ToString::to_string),
                    section.lines,
                )
            })
            .collect();
        let user_text = String::new;
        assert_eq!(
            sections,
            [
                (user_text(), (1, 2)),
                ("a".to_owned(), (3, 5)),
                (user_text(), (6, 6)),
                ("b".to_owned(), (7, 9)),
            ]
        );
    }

    #[test]
    fn markers_in_code_are_text() {
        let text = "```\n<!-- agpm:begin a -->\n```\n";
        assert_eq!(BlockDocument::read(text).unwrap().names().count(), 0);
        assert_eq!(first_marker(text), None);
        assert_eq!(first_marker("x\n<!-- agpm:end a -->  \ny"), Some(2..21));
        assert_eq!(first_marker("x <!-- agpm:end a -->\n"), None);
    }

    #[test]
    fn broken_markers_are_found_with_their_line() {
        let begin = |name: &str| format!("<!-- agpm:begin {name} -->\n");
        let end = |name: &str| format!("<!-- agpm:end {name} -->\n");
        let (a, b) = (name("a"), name("b"));
        for (text, line, kind) in [
            (
                format!("x\n{}y\n", begin("a")),
                2,
                BlockErrorKind::NoEnd(a.clone()),
            ),
            (
                format!("x\n{}", end("a")),
                2,
                BlockErrorKind::NoBegin(a.clone()),
            ),
            (
                format!("{}{}{}{}", begin("a"), begin("b"), end("b"), end("a")),
                2,
                BlockErrorKind::Nested {
                    inner: b.clone(),
                    outer: a.clone(),
                },
            ),
            (
                format!("{0}{1}\n{0}{1}", begin("a"), end("a")),
                4,
                BlockErrorKind::Twice(a.clone()),
            ),
            (
                format!("{}{}", begin("a"), end("b")),
                2,
                BlockErrorKind::NoBegin(b),
            ),
        ] {
            let error = BlockDocument::read(&text).unwrap_err();
            assert_eq!((error.line, error.kind), (line, kind), "{text}");
        }
    }

    #[test]
    fn nothing_is_appended_inside_an_open_fence() {
        let mut document = BlockDocument::read("a\n```\nb\n").unwrap();
        let error = document.append(&name("a"), "x\n").unwrap_err();
        assert_eq!(error, BlockEditError::OpenFence { line: 2 });
    }

    #[test]
    fn an_edit_that_would_hide_a_marker_fails() {
        let mut document = appended("", &["a"]);
        document.replace(&name("a"), "```\n");
        assert_eq!(document.finish(), Err(BlockEditError::Unstable));
    }
}
