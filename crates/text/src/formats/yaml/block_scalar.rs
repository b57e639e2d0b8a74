//! The range and content of block scalars, whose end the parser does not report exactly.

use crate::formats::flow::{is_blank, line_start};
use crate::formats::yaml::scan::{after_newline, header_end, line_end};

/// The end of a block scalar; trailing blank lines belong to it only if it keeps them.
pub(crate) fn block_end(text: &str, start: usize, raw_end: usize, content: &str) -> usize {
    let header = header_end(text, start);
    let body = &text[header..raw_end.max(header)];
    // A last line of blanks beyond the indentation is content, unless something follows on it.
    let blanks_count = content.trim_end_matches('\n').ends_with([' ', '\t']);
    let keeps = text[start..header].contains('+') || blanks_count;
    let last_line = body.rfind('\n').map_or(0, |newline| newline + 1);
    let is_content = blanks_count && raw_end == text.len();
    let body = if is_blank(&body[last_line..]) && !is_content {
        &body[..last_line]
    } else {
        body
    };
    let one_less = body
        .strip_suffix('\n')
        .map_or(body, |b| b.strip_suffix('\r').unwrap_or(b));
    let kept_lines = if keeps {
        one_less
    } else {
        body.trim_end_matches([' ', '\t', '\r', '\n'])
    };
    if raw_end <= header || !kept_lines.contains('\n') {
        header
    } else {
        header + kept_lines.len()
    }
}

/// The content of a block scalar; the parser treats trailing blanks as one more line.
pub(crate) fn block_content<'e>(text: &str, content: &'e str, start: usize, end: usize) -> &'e str {
    let header = header_end(text, start);
    let body = after_newline(text, line_end(text, header));
    let last_line = line_start(text, text.len()).max(body);
    let trimmed = content.trim_end_matches('\n');
    let is_phantom = end == text.len() && last_line < end && is_blank(&text[last_line..]);
    if !is_phantom || trimmed.ends_with([' ', '\t']) {
        return content;
    }
    let blank = text[body..].trim_end_matches([' ', '\t', '\r', '\n']).len();
    let most = if text[start..header].contains('+') {
        usize::MAX
    } else {
        1
    };
    let newlines = text[body + blank..].matches('\n').count().min(most);
    &content[..content.len().min(trimmed.len() + newlines)]
}
