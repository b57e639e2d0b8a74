//! Translates the parser's errors, each with a fix.

use agpm_diag::{Diagnostic, Span, codes};
use toml_parser::{Expected, ParseError};

use crate::tree::ReaderState;

/// The start of the parser's message, the message of agpm, and the fix.
const WORDS: &[(&str, &str, &str)] = &[
    (
        UNQUOTED,
        "invalid TOML value",
        "put strings in quotes, as in \"text\"",
    ),
    (
        "missing opening quote",
        "missing opening quote",
        "open it with the quotes that close it",
    ),
    (
        "invalid basic string",
        "invalid string",
        "close it with `\"` on the same line, and write control characters as escapes like `\\t`",
    ),
    (
        "invalid literal string",
        "invalid string",
        "close it with `'` on the same line; it cannot contain control characters",
    ),
    (
        "invalid multi-line basic string",
        "invalid string",
        "close it with `\"\"\"`, and write control characters as escapes like `\\t`",
    ),
    (
        "invalid multi-line literal string",
        "invalid string",
        "close it with `'''`; it cannot contain control characters",
    ),
    (
        "missing escaped value",
        "unknown escape",
        "escapes are \\b \\t \\n \\f \\r \\e \\\" \\\\ \\xHH \\uHHHH and \\UHHHHHHHH; a backslash itself is `\\\\`",
    ),
    (
        "too few unicode value digits",
        "this escape is too short",
        "write `\\xHH`, `\\uHHHH` or `\\UHHHHHHHH`",
    ),
    (
        "invalid value",
        "this is not a Unicode character",
        "write the code point of a Unicode character that is not a surrogate",
    ),
    (
        "key with no value",
        "this key has no value",
        "write `key = value`; for a section write `[key]`",
    ),
    (
        "missing value for key",
        "this key has no value",
        "write `key = value`",
    ),
    (
        "missing value",
        "this key has no value",
        "write a value after the `=`",
    ),
    (
        "unquoted keys cannot be empty",
        "missing key",
        "write a key; the empty key is written \"\"",
    ),
    (
        "invalid unquoted key",
        "invalid key",
        "unquoted keys contain letters, digits, `-` and `_`; put other keys in quotes",
    ),
    (
        "keys cannot be multi-line",
        "a key cannot be a multi-line string",
        "write it in single quotation marks",
    ),
    (
        "unclosed array table",
        "unclosed header",
        "close it with `]]`",
    ),
    ("unclosed table", "unclosed header", "close it with `]`"),
    ("unclosed array", "unclosed list", "close it with `]`"),
    (
        "unclosed inline table",
        "unclosed table",
        "close it with `}`",
    ),
    (
        "missing table open",
        "missing opening bracket of a header",
        "open it with `[`",
    ),
    (
        "missing array opening",
        "missing opening bracket of a list",
        "open it with `[`",
    ),
    (
        "missing inline table opening",
        "missing opening brace of a table",
        "open it with `{`",
    ),
    (
        "missing comma",
        "missing comma before this",
        "write `,` between the two",
    ),
    ("extra comma", "unexpected comma", "remove it"),
    ("extra `=`", "unexpected `=`", "remove it"),
    ("extra assignment", "unexpected `=`", "remove it"),
    (
        "unexpected `=` in array",
        "unexpected `=` in a list",
        "a list contains only values; write a table as `{ key = value }`",
    ),
    (
        "missing assignment",
        "missing `=` before this",
        "write `key = value`",
    ),
    (
        "missing key for inline table",
        "missing key before this",
        "write `key = value`",
    ),
    (
        "invalid inline table element",
        "this does not belong in a table",
        "write `key = value`",
    ),
    (
        "invalid key-value pair",
        "this is neither a key nor a header",
        "write `key = value` or `[header]`",
    ),
    (
        "unexpected key or value",
        "unexpected content after the value",
        "start a new line before it",
    ),
    (
        "unexpected content",
        "unexpected content after the value",
        "start a new line before it",
    ),
    (
        "carriage return must be followed by newline",
        "carriage return without a newline",
        "save the file with Unix or Windows line endings",
    ),
    (
        "invalid comment character",
        "control character in a comment",
        "remove it",
    ),
    (
        "`_` may only go between digits",
        "misplaced `_` in a number",
        "keep `_` between digits only",
    ),
    (
        "unexpected leading zero",
        "a number cannot start with 0",
        "remove the zero, or put it in quotes",
    ),
    (
        "redundant numeric sign",
        "more than one sign",
        "keep one sign",
    ),
    (
        "integers with a radix cannot be signed",
        "this number cannot have a sign",
        "remove the sign",
    ),
    (
        "unexpected sign",
        "this number cannot have a sign",
        "remove the sign",
    ),
    (
        "radix must be lowercase",
        "the prefix of a number must be lowercase",
        "write 0x, 0o or 0b",
    ),
    (
        "redundant integer number prefix",
        "decimal numbers have no prefix",
        "remove it",
    ),
    (
        "invalid boolean",
        "invalid TOML value",
        "write true or false, or put the string in quotes",
    ),
];

/// The parser's message for anything that is not a value.
const UNQUOTED: &str = "string values must be quoted";

const MORE_THAN_ONE: (&str, &str) = (
    "this is more than one value",
    "put strings in quotes, commas between the values of a list, and one key on each line",
);

const NUMBERS: &str = "numbers are written like 12, -3.5, 1e9 or 0xff; put anything else in quotes";

/// Reports the first error on each line: the following ones are mostly consequences.
pub(super) fn report_all(reading: &mut ReaderState<'_>, errors: &[ParseError]) {
    let mut found: Vec<(Span, &ParseError)> = errors
        .iter()
        .map(|error| (error_span(reading, error), error))
        .collect();
    found.sort_by_key(|(span, _)| span.start);
    let mut reported: Option<usize> = None;
    for (span, error) in found {
        let start = span.range().start;
        if reported.is_some_and(|before| !reading.text[before..start].contains('\n')) {
            continue;
        }
        reported = Some(start);
        let (message, help) = words(error, &reading.text[start..], &reading.text[span.range()]);
        let source = reading.source;
        reading.report(
            Diagnostic::new(&codes::TOML_SYNTAX, message)
                .at(source, span, "")
                .help(help),
        );
    }
}

/// `rest` is the text from the error on.
fn words(error: &ParseError, rest: &str, found: &str) -> (String, String) {
    let description = error.description();
    let owned = |(message, help): (&str, &str)| (message.to_owned(), help.to_owned());
    match description {
        UNQUOTED if found.is_empty() => {
            return owned(("missing value", "write a value; strings are in quotes"));
        }
        "invalid literal string" if rest.trim().is_empty() => {
            return owned((
                "unexpected end of file",
                "complete the last value and close all brackets and quotes",
            ));
        }
        UNQUOTED if found.contains([' ', '\t']) => return owned(MORE_THAN_ONE),
        _ => {}
    }
    if let Some((_, message, help)) = WORDS
        .iter()
        .find(|(start, ..)| description.starts_with(start))
    {
        return owned((message, help));
    }
    let number = ["number", "float", "mantissa", "fraction", "exponent"];
    if number.iter().any(|word| description.ends_with(word)) {
        return owned(("invalid TOML number", NUMBERS));
    }
    (description.to_owned(), expected(error))
}

fn expected(error: &ParseError) -> String {
    let words: Vec<&str> = error
        .expected()
        .unwrap_or_default()
        .iter()
        .map(|expected| match expected {
            Expected::Literal(text) | Expected::Description(text) => *text,
            _ => "something else",
        })
        .collect();
    if words.is_empty() {
        "remove it".to_owned()
    } else {
        format!("write {} here", words.join(" or "))
    }
}

/// The span of an error, on character boundaries.
fn error_span(reading: &ReaderState<'_>, error: &ParseError) -> Span {
    let context = error.context().unwrap_or_default();
    let mut span = error.unexpected().unwrap_or(context);
    if error.description().ends_with("string")
        && span.start() == context.end()
        && !context.is_empty()
    {
        // An unclosed string is reported at its start.
        span = context.before();
    }
    let on_character = |offset: usize| {
        let mut offset = (reading.range.start + offset).min(reading.range.end);
        while !reading.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let (start, end) = (on_character(span.start()), on_character(span.end()));
    Span::new(start, end.max(start))
}
