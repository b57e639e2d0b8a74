//! Reads Markdown with YAML front matter.

use std::ops::Range;

use agpm_diag::{Diagnostic, Span, codes};

use crate::formats::flow::{after_mark, newline_of};
use crate::formats::yaml;
use crate::tree::{Document, DocumentChanges, EditError, NodeKind, ReaderState, Splices, TreeView};

/// The position of the front matter.
enum FrontMatterBounds {
    /// The text does not start with a fence.
    None,
    /// The range between the fences, and the start of the body.
    Closed { yaml: Range<usize>, body: usize },
    /// The closing fence is missing.
    Open { fence: Range<usize> },
}

fn front(text: &str, start: usize) -> FrontMatterBounds {
    let mut lines = text[start..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return FrontMatterBounds::None;
    };
    let from = start + first.len();
    let mut at = from;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return FrontMatterBounds::Closed {
                yaml: from..at,
                body: at + line.len(),
            };
        }
        at += line.len();
    }
    FrontMatterBounds::Open {
        fence: start..start + 3,
    }
}

/// Parses the front matter; returns the range of the body.
pub(crate) fn read(reading: &mut ReaderState<'_>) -> Span {
    let end = reading.range.end;
    match front(reading.text, reading.range.start) {
        FrontMatterBounds::None => Span::new(reading.range.start, end),
        FrontMatterBounds::Open { fence } => {
            let diagnostic = Diagnostic::new(&codes::MARKDOWN_FENCE, "unclosed front matter")
                .at(
                    reading.source,
                    Span::new(fence.start, fence.end),
                    "it starts here",
                )
                .help("close it with a line `---`, or use `***` for a horizontal rule");
            reading.report(diagnostic);
            Span::at(end)
        }
        FrontMatterBounds::Closed { yaml, body } => {
            reading.range = yaml;
            yaml::read(reading);
            check_root(reading);
            Span::new(body, end)
        }
    }
}

fn check_root(reading: &mut ReaderState<'_>) {
    let Some(root) = reading
        .tree
        .root
        .filter(|root| reading.tree.kind(*root) != NodeKind::Map)
    else {
        return;
    };
    let message = format!(
        "front matter must be a mapping, not {}",
        reading.tree.kind(root).word()
    );
    let span = reading.tree.span(root);
    let diagnostic = Diagnostic::new(&codes::MARKDOWN_FENCE, message)
        .at(reading.source, span, "")
        .help("write `key: value` lines between the fences, or `***` for a horizontal rule");
    reading.report(diagnostic);
}

pub(crate) fn splice<'v, V: TreeView<'v>>(
    document: &Document,
    changes: &DocumentChanges<'v, V>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let start = after_mark(&document.text);
    match (front(&document.text, start), changes.root) {
        (FrontMatterBounds::Closed { yaml, .. }, _) => {
            yaml::splice_within(document, yaml, changes, splices)
        }
        (FrontMatterBounds::None, Some(root)) => {
            let newline = newline_of(&document.text);
            let printed = yaml::print(root).replace('\n', newline);
            splices.put(start..start, &format!("---{newline}{printed}---{newline}"));
            Ok(())
        }
        _ => Err(EditError::Unsafe(document.format)),
    }
}

/// The text after the front matter, or all of it if the front matter is not closed, without a byte order mark.
pub fn markdown_body(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match front(text, 0) {
        FrontMatterBounds::Closed { body, .. } => &text[body..],
        FrontMatterBounds::None | FrontMatterBounds::Open { .. } => text,
    }
}
