//! The parser's texts in the words of someone who edits the file.

use agpm_diag::{Code, codes};

use crate::formats::flow::{blanks_of, line_start, skip_blanks};

/// What to tell about a mistake.
pub(crate) struct SyntaxAdvice {
    pub(crate) code: &'static Code,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}

/// Parts of the parser's texts, what they mean, and the way out.
const TABLE: &[(&str, &str, &str)] = &[
    (
        "tab",
        "a tab where YAML wants spaces",
        "indent with spaces; YAML does not allow tabs there",
    ),
    (
        "mapping values are not allowed",
        "a `:` where no value can start",
        "a text that contains `: ` stands in quotes; if this is a key, check its indent",
    ),
    (
        "simple key expect",
        "this line is no `key: value`",
        "write `:` and a blank after the key, or indent a continued text more",
    ),
    (
        "did not find expected key",
        "this line does not fit into the map around it",
        "keys of one map have the same indent; quote a text that starts with a special character",
    ),
    (
        "did not find expected '-' indicator",
        "this line does not fit into the list around it",
        "items of one list start with `- ` at the same indent",
    ),
    (
        "block sequence entries are not allowed",
        "a list cannot start here",
        "put the first `- ` on a line of its own below the key",
    ),
    (
        "mapping keys are not allowed",
        "a key cannot start here",
        "put it on a line of its own, at the indent of its map",
    ),
    (
        "flow mapping, did not find",
        "`,` or `}` is missing before this",
        "close the `{` or put a comma between the entries",
    ),
    (
        "flow sequence, expected",
        "`,` or `]` is missing before this",
        "close the `[` or put a comma between the items",
    ),
    (
        "unexpected end of stream",
        "this quoted text has no end",
        "close it with the quote that it starts with",
    ),
    (
        "unexpected document indicator",
        "this quoted text has no end before the next document",
        "close it with the quote that it starts with",
    ),
    (
        "unknown escape",
        "there is no such escape",
        "in double quotes write `\\\\` for a backslash, or use single quotes",
    ),
    (
        "hexadecimal number",
        "this escape lacks digits",
        "write `\\xXX`, `\\uXXXX` or `\\UXXXXXXXX`",
    ),
    (
        "invalid Unicode character escape",
        "this escape is no character",
        "write the character itself",
    ),
    (
        "trailing content after double-quoted",
        "something follows the closing quote",
        "write `\\\"` for a quote inside the text, or put the whole value in single quotes",
    ),
    (
        "unexpected character",
        "a value cannot start with this character",
        "put the value in quotes",
    ),
    (
        "node content",
        "a value is missing before this",
        "write a value, or `null`, or put a text that starts like this in quotes",
    ),
    (
        "indentation in quoted",
        "this quoted text has no end, or its next line has too small an indent",
        "close it with the quote that it starts with; indent continued lines more than the key",
    ),
    (
        "indentation",
        "this line has the wrong indent",
        "lines of one map or list have the same indent; continued lines have more",
    ),
    (
        "wrongly indented line",
        "this line has the wrong indent",
        "indent every line of the text alike",
    ),
    (
        "misplaced bracket",
        "this bracket closes nothing",
        "remove it, or put the value in quotes",
    ),
    (
        "unprintable",
        "a character that YAML does not allow",
        "remove it, or write it as an escape in double quotes",
    ),
    (
        "byte order mark",
        "a byte order mark in the middle of the text",
        "remove it; it may only start a file",
    ),
    (
        "comment intercepting",
        "a comment inside a text of several lines",
        "put the text in quotes, or the comment before it",
    ),
    (
        "document",
        "this stands outside of the document",
        "a file holds one document; remove the rest",
    ),
    (
        "directive",
        "this `%` line is not understood",
        "remove it; nothing here needs it",
    ),
    (
        "version",
        "this `%YAML` line is not understood",
        "remove it; nothing here needs it",
    ),
    (
        "anchor or alias",
        "this anchor or alias has no name",
        "write a name after `&` or `*`, or quote the text",
    ),
    (
        "block scalar",
        "the line of this `|` or `>` is not understood",
        "only `+`, `-`, a digit or a comment may follow",
    ),
    (
        "':'",
        "this `:` is misplaced",
        "put a blank after it, or put the text in quotes",
    ),
    (
        "'-'",
        "this `-` is misplaced",
        "put a blank after it, or put the text in quotes",
    ),
    (
        "quoted scalar",
        "this quoted text is not understood",
        "check its quotes and escapes",
    ),
];

/// Says it better than the parser, where we know how.
pub(crate) fn advice(info: &str) -> SyntaxAdvice {
    if info.contains("unknown anchor") {
        return SyntaxAdvice {
            code: &codes::YAML_ALIAS,
            message: "nothing above has this anchor".to_owned(),
            help: "an alias `*name` needs a value marked `&name` before it; put a text that starts with `*` in quotes",
        };
    }
    if info.contains("tag") || info.contains("handle") || info.contains("TAG") {
        let help = "remove it, or put a text that starts with `!` in quotes";
        return SyntaxAdvice {
            code: &codes::YAML_TAG,
            message: "this tag is not understood".to_owned(),
            help,
        };
    }
    match TABLE.iter().find(|(part, ..)| info.contains(part)) {
        Some((_, message, help)) => SyntaxAdvice {
            code: &codes::YAML_SYNTAX,
            message: (*message).to_owned(),
            help,
        },
        None => SyntaxAdvice {
            code: &codes::YAML_SYNTAX,
            message: format!("this is no YAML: {info}"),
            help: "check the indent and the quotes around here",
        },
    }
}

/// Where to point: the parser notices some mistakes only at the next token, or tells them of the one before.
pub(crate) fn place_of(text: &str, at: usize, info: &str) -> usize {
    if info.contains("simple key expect") {
        let before = text[..at].trim_end();
        let line = line_start(text, before.len());
        return skip_blanks(text, line).min(at);
    }
    if info.contains("tab") {
        return first_indent_tab(text, line_start(text, at)).unwrap_or(at);
    }
    at
}

/// The first tab in the indent of a line, from the line that starts at `start` on.
fn first_indent_tab(text: &str, mut start: usize) -> Option<usize> {
    for line in text[start..].split_inclusive('\n') {
        if let Some(tab) = blanks_of(line).find('\t') {
            return Some(start + tab);
        }
        start += line.len();
    }
    None
}
