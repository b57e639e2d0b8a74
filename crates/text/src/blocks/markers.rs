//! Marker lines, and the blocks between them.

use std::fmt;
use std::ops::Range;

use super::fences::FenceReader;

// HTML comments are invisible in rendered Markdown and are passed on as text by every client, so blocks need no support
// by the client.
const BEGIN: &str = "<!-- agpm:begin ";
const END: &str = "<!-- agpm:end ";
const CLOSE: &str = " -->";

/// The name of a block, such as `instructions/style`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockName(String);

/// The reason why a string cannot be in a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of a block is one line without `-->`")]
pub struct BlockNameError;

impl BlockName {
    /// Validates a name.
    pub fn new(name: &str) -> Result<Self, BlockNameError> {
        let is_name = !name.is_empty()
            && name.trim() == name
            && !name.chars().any(char::is_control)
            && !name.contains("-->");
        is_name
            .then(|| BlockName(name.to_owned()))
            .ok_or(BlockNameError)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn begin_line(&self) -> String {
        format!("{BEGIN}{self}{CLOSE}")
    }

    pub(super) fn end_line(&self) -> String {
        format!("{END}{self}{CLOSE}")
    }
}

impl fmt::Display for BlockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An error in the markers of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockError {
    /// The line, from one.
    pub line: usize,
    /// The bytes of the marker line.
    pub span: Range<usize>,
    /// The kind of error.
    pub kind: BlockErrorKind,
}

/// The kinds of invalid markers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockErrorKind {
    /// A block without an end marker.
    #[error("the block `{0}` has no end marker")]
    NoEnd(BlockName),
    /// A block without a begin marker.
    #[error("the block `{0}` has no begin marker")]
    NoBegin(BlockName),
    /// A block inside another one.
    #[error("the block `{inner}` starts inside the block `{outer}`")]
    Nested {
        /// The inner block.
        inner: BlockName,
        /// The outer block.
        outer: BlockName,
    },
    /// A second block with the same name.
    #[error("the block `{0}` exists twice")]
    Twice(BlockName),
}

enum BlockMarker {
    Begin(BlockName),
    End(BlockName),
}

/// Parses a marker, which is a whole line; trailing blanks are ignored.
fn marker(line: &str) -> Option<BlockMarker> {
    let line = line.trim_end();
    let name_after = |start: &str| {
        let name = line.strip_prefix(start)?.strip_suffix(CLOSE)?;
        BlockName::new(name.trim()).ok()
    };
    let begin = name_after(BEGIN).map(BlockMarker::Begin);
    begin.or_else(|| name_after(END).map(BlockMarker::End))
}

/// The range of the first line that would be parsed as a marker.
pub fn first_marker(text: &str) -> Option<Range<usize>> {
    let mut fences = FenceReader::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if fences.is_text(line) && marker(line).is_some() {
            return Some(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    None
}

/// A parsed block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockSpan {
    pub(super) name: BlockName,
    /// The range including both marker lines.
    pub(super) full: Range<usize>,
    /// The range between the marker lines.
    pub(super) inner: Range<usize>,
}

/// A block without its end marker yet.
struct OpenBlock {
    name: BlockName,
    start: usize,
    inner: usize,
    line: usize,
}

/// The blocks of text, and the line of a code fence that is open at its end.
pub(super) fn read_blocks(text: &str) -> Result<(Vec<BlockSpan>, Option<usize>), BlockError> {
    let mut fences = FenceReader::default();
    let mut blocks: Vec<BlockSpan> = Vec::new();
    let mut open: Option<OpenBlock> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let span = at..at + line.trim_end().len();
        let start = at;
        at += line.len();
        // A byte order mark is not part of the first line.
        let without_mark = line.strip_prefix('\u{feff}').filter(|_| start == 0);
        let start = start + without_mark.map_or(0, |without_mark| line.len() - without_mark.len());
        let line = without_mark.unwrap_or(line);
        if !fences.is_text(line) {
            continue;
        }
        let error = |kind| BlockError {
            line: number + 1,
            span: span.clone(),
            kind,
        };
        match (marker(line), open.take()) {
            (None, before) => open = before,
            (Some(BlockMarker::Begin(name)), None) => {
                if blocks.iter().any(|block| block.name == name) {
                    return Err(error(BlockErrorKind::Twice(name)));
                }
                open = Some(OpenBlock {
                    name,
                    start,
                    inner: at,
                    line: number + 1,
                });
            }
            (Some(BlockMarker::Begin(inner)), Some(outer)) => {
                let outer = outer.name;
                return Err(error(BlockErrorKind::Nested { inner, outer }));
            }
            (Some(BlockMarker::End(name)), Some(begun)) if begun.name == name => {
                blocks.push(BlockSpan {
                    name,
                    full: begun.start..at,
                    inner: begun.inner..start,
                });
            }
            (Some(BlockMarker::End(name)), _) => return Err(error(BlockErrorKind::NoBegin(name))),
        }
    }
    match open {
        Some(open) => Err(BlockError {
            line: open.line,
            span: open.start..open.inner,
            kind: BlockErrorKind::NoEnd(open.name),
        }),
        None => Ok((blocks, fences.open.map(|fence| fence.line))),
    }
}
