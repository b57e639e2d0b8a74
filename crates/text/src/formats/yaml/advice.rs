//! Translates the parser's messages for people who edit the file.

use agpm_diag::{Code, codes};

use crate::formats::flow::{blanks_of, line_start, skip_blanks};

/// The advice about a syntax error.
pub(crate) struct SyntaxAdvice {
    pub(crate) code: &'static Code,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}

/// Parts of the parser's messages, their meaning, and the fix.
const TABLE: &[(&str, &str, &str)] = &[
    (
        "tab",
        "tab in indentation",
        "indent with spaces; YAML does not allow tabs",
    ),
    (
        "mapping values are not allowed",
        "unexpected `:`",
        "quote a string that contains `: `; if this is a key, check its indentation",
    ),
    (
        "simple key expect",
        "expected `key: value`",
        "write `:` and a space after the key, or indent a continued string more",
    ),
    (
        "did not find expected key",
        "this line does not belong to the mapping around it",
        "keys of one mapping have the same indentation; quote a string that starts with a special character",
    ),
    (
        "did not find expected '-' indicator",
        "this line does not belong to the list around it",
        "items of one list start with `- ` at the same indentation",
    ),
    (
        "block sequence entries are not allowed",
        "a list cannot start here",
        "put the first `- ` on its own line under the key",
    ),
    (
        "mapping keys are not allowed",
        "a key cannot start here",
        "put it on its own line, at the indentation of its mapping",
    ),
    (
        "flow mapping, did not find",
        "missing `,` or `}` before this",
        "close the `{` or put a comma between the entries",
    ),
    (
        "flow sequence, expected",
        "missing `,` or `]` before this",
        "close the `[` or put a comma between the items",
    ),
    (
        "unexpected end of stream",
        "unclosed quote",
        "close it with the same quote character",
    ),
    (
        "unexpected document indicator",
        "unclosed quote before the next document",
        "close it with the same quote character",
    ),
    (
        "unknown escape",
        "unknown escape",
        "in double quotes write `\\\\` for a backslash, or use single quotes",
    ),
    (
        "hexadecimal number",
        "incomplete escape",
        "write `\\xXX`, `\\uXXXX` or `\\UXXXXXXXX`",
    ),
    (
        "invalid Unicode character escape",
        "this escape is not a Unicode character",
        "write the character itself",
    ),
    (
        "trailing content after double-quoted",
        "unexpected content after the closing quote",
        "write `\\\"` for a quote inside the string, or put the entire value in single quotes",
    ),
    (
        "unexpected character",
        "a value cannot start with this character",
        "put the value in quotes",
    ),
    (
        "node content",
        "missing value before this",
        "write a value, or `null`, or quote a string that starts like this",
    ),
    (
        "indentation in quoted",
        "unclosed quote, or the next line is indented too little",
        "close it with the opening quote; indent continued lines more than the key",
    ),
    (
        "indentation",
        "wrong indentation",
        "lines of one mapping or list have the same indentation; continued lines have more",
    ),
    (
        "wrongly indented line",
        "wrong indentation",
        "indent every line of the string the same",
    ),
    (
        "misplaced bracket",
        "unmatched closing bracket",
        "remove it, or put the value in quotes",
    ),
    (
        "unprintable",
        "this character is not allowed in YAML",
        "remove it, or write it as an escape in double quotes",
    ),
    (
        "byte order mark",
        "byte order mark in the middle of the file",
        "remove it; it may only start a file",
    ),
    (
        "comment intercepting",
        "comment inside a multi-line string",
        "put the string in quotes, or the comment before it",
    ),
    (
        "document",
        "unexpected content outside the document",
        "a file has one document; remove the rest",
    ),
    (
        "directive",
        "unknown `%` directive",
        "remove it; agpm does not need it",
    ),
    (
        "version",
        "invalid `%YAML` directive",
        "remove it; agpm does not need it",
    ),
    (
        "anchor or alias",
        "this anchor or alias has no name",
        "write a name after `&` or `*`, or quote the string",
    ),
    (
        "block scalar",
        "invalid block string header",
        "only `+`, `-`, a digit or a comment may follow",
    ),
    (
        "':'",
        "misplaced `:`",
        "put a space after it, or put the string in quotes",
    ),
    (
        "'-'",
        "misplaced `-`",
        "put a space after it, or put the string in quotes",
    ),
    (
        "quoted scalar",
        "invalid quoted string",
        "check its quotes and escapes",
    ),
];

/// A better message than the parser's, if one is known.
pub(crate) fn advice(info: &str) -> SyntaxAdvice {
    if info.contains("unknown anchor") {
        return SyntaxAdvice {
            code: &codes::YAML_ALIAS,
            message: "undefined alias".to_owned(),
            help: "an alias `*name` needs a value marked `&name` before it; quote a string that starts with `*`",
        };
    }
    if info.contains("tag") || info.contains("handle") || info.contains("TAG") {
        let help = "remove it, or quote a string that starts with `!`";
        return SyntaxAdvice {
            code: &codes::YAML_TAG,
            message: "unknown tag".to_owned(),
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
            message: format!("invalid YAML: {info}"),
            help: "check the indentation and quotes near this line",
        },
    }
}

/// The offset to report: the parser notices some mistakes only at the next token, or reports them at the one before.
pub(crate) fn error_offset(text: &str, at: usize, info: &str) -> usize {
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
