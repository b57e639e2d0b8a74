//! Scanning helpers for YAML text. Offsets are bytes; every function starts and ends between characters.

use crate::formats::flow::{newline_here, skip_blanks};

/// The position after whitespace, line endings, comments and byte order marks, which may start a document.
pub(crate) fn skip_trivia(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => at = line_end(text, at),
            0xef if text[at..].starts_with('\u{feff}') => at += '\u{feff}'.len_utf8(),
            _ => break,
        }
    }
    at
}

/// The end of the line that `at` is on, before its line ending.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length)
}

/// The position after the line ending at `at`, if any.
pub(crate) fn after_newline(text: &str, at: usize) -> usize {
    at + newline_here(&text[at..]).unwrap_or(0)
}

/// Whether `indicator` is at `at` with white space after it.
pub(crate) fn is_indicator(text: &str, at: usize, indicator: u8) -> bool {
    let rest = &text.as_bytes()[at..];
    rest.first() == Some(&indicator)
        && matches!(rest.get(1), None | Some(b' ' | b'\t' | b'\r' | b'\n'))
}

/// Whether `marker`, which is `---` or `...`, is at `at` with white space after it.
pub(crate) fn is_marker(text: &str, at: usize, marker: &str) -> bool {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']);
    text[at..].strip_prefix(marker).is_some_and(ends)
}

/// After the anchor or tag that starts at `at`.
pub(crate) fn property_end(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    if rest.starts_with("!<") {
        return rest.find('>').map_or(text.len(), |length| at + length + 1);
    }
    let ends = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | ',' | '[' | ']' | '{' | '}');
    rest.find(ends).map_or(text.len(), |length| at + length)
}

/// After the closing quote of the scalar whose opening quote is at `at`.
pub(crate) fn quoted_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let Some(&quote) = bytes.get(at) else {
        return text.len();
    };
    let mut next = at + 1;
    while let Some(byte) = bytes.get(next) {
        match byte {
            b'\\' if quote == b'"' => next += 2,
            b'\'' if quote == b'\'' && bytes.get(next + 1) == Some(&b'\'') => next += 2,
            _ if *byte == quote => return next + 1,
            _ => next += 1,
        }
    }
    text.len()
}

/// After the indicators of a block scalar that starts at `at`.
pub(crate) fn header_end(text: &str, at: usize) -> usize {
    let header = text[at..]
        .bytes()
        .take_while(|b| matches!(b, b'|' | b'>' | b'+' | b'-' | b'0'..=b'9'));
    at + header.count()
}

/// After the blanks and the comment that follow `at` on its line.
pub(crate) fn after_comment(text: &str, at: usize) -> usize {
    let next = skip_blanks(text, at);
    if text[next..].starts_with('#') {
        line_end(text, next)
    } else {
        next
    }
}
