//! JSON by hand: spans for everything, every mistake reported, one pass, no copy of strings without escapes.

use agpm_diag::{Diagnostic, Span, codes};

use crate::formats::json::JsonDialect;
use crate::formats::json::scan::{leading_spaces, special_byte};
use crate::limits::MOST_FINDINGS;
use crate::tree::{NodeId, NodeKind, ReaderState};

pub(crate) fn read(reading: &mut ReaderState<'_>, dialect: JsonDialect) {
    let (start, end) = (reading.range.start, reading.range.end);
    let bytes = &reading.text.as_bytes()[..end];
    let mut reader = JsonReader {
        reading,
        bytes,
        at: start,
        dialect,
        stack: Vec::new(),
        scratch: String::new(),
        gave_up: false,
    };
    reader.trivia();
    if reader.at == end {
        return;
    }
    let root = reader.value(0);
    reader.trivia();
    if reader.at < end && !reader.gave_up {
        let span = reader.word_here();
        reader.error(
            span,
            "unexpected content after the end of the document",
            "a JSON file has one value; remove the rest",
        );
    }
    reading.tree.root = root;
}

struct JsonReader<'r, 'a> {
    reading: &'r mut ReaderState<'a>,
    bytes: &'a [u8],
    at: usize,
    dialect: JsonDialect,
    /// Children of all open containers, innermost last.
    stack: Vec<NodeId>,
    scratch: String,
    gave_up: bool,
}

impl JsonReader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&mut self, span: Span, message: impl Into<String>, help: &str) {
        if self.gave_up {
            return;
        }
        let diagnostic = Diagnostic::new(&codes::JSON_SYNTAX, message)
            .at(self.reading.source, span, "")
            .help(help);
        self.reading.report(diagnostic);
        if self.reading.diagnostics.len() >= MOST_FINDINGS {
            self.stop_reading();
        }
    }

    /// Leaves the rest unread; all loops end at the end of the text.
    fn stop_reading(&mut self) {
        self.gave_up = true;
        self.at = self.bytes.len();
    }

    /// Skips white space and comments.
    #[inline]
    fn trivia(&mut self) {
        if self.peek().is_some_and(|byte| byte <= b' ' || byte == b'/') {
            self.skip_trivia();
        }
    }

    fn skip_trivia(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' => self.at += leading_spaces(&self.bytes[self.at..]),
                b'\n' | b'\r' | b'\t' => self.at += 1,
                b'/' if matches!(self.bytes.get(self.at + 1), Some(b'/' | b'*')) => self.comment(),
                _ => break,
            }
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start + 2..];
        let length = if self.bytes[start + 1] == b'/' {
            memchr::memchr(b'\n', rest).unwrap_or(rest.len())
        } else if let Some(end) = memchr::memmem::find(rest, b"*/") {
            end + 2
        } else {
            self.error(
                Span::new(start, start + 2),
                "unclosed comment",
                "close it with `*/`",
            );
            rest.len()
        };
        self.at = self.bytes.len().min(start + 2 + length);
        if self.dialect == JsonDialect::Strict {
            let span = Span::new(start, self.at);
            self.error(
                span,
                "comments are not allowed here",
                "the tool that reads this file accepts only plain JSON",
            );
        }
    }

    fn value(&mut self, depth: usize) -> Option<NodeId> {
        let start = self.at;
        match self.peek()? {
            b'{' | b'[' if depth >= self.reading.limits.depth => {
                self.reading.report_too_deep(Span::new(start, start + 1));
                self.stop_reading();
                None
            }
            b'{' => Some(self.map(depth)),
            b'[' => Some(self.list(depth)),
            b'"' => Some(self.string()),
            b'-' | b'0'..=b'9' => Some(self.number()),
            _ => self.word(),
        }
    }

    fn list(&mut self, depth: usize) -> NodeId {
        let start = self.at;
        let base = self.stack.len();
        self.at += 1;
        self.children(b']', |reader| {
            if let Some(item) = reader.value(depth + 1) {
                reader.stack.push(item);
            }
        });
        let id = self
            .reading
            .tree
            .list(Span::new(start, self.at), &self.stack[base..]);
        self.stack.truncate(base);
        id
    }

    fn map(&mut self, depth: usize) -> NodeId {
        let start = self.at;
        let base = self.stack.len();
        self.at += 1;
        self.children(b'}', |reader| reader.entry(depth));
        self.reading.report_duplicates(&self.stack[base..]);
        let id = self
            .reading
            .tree
            .map(Span::new(start, self.at), &self.stack[base..]);
        self.stack.truncate(base);
        id
    }

    fn entry(&mut self, depth: usize) {
        let key_start = self.at;
        let key = match self.peek() {
            Some(b'"') => self.string(),
            _ => {
                let span = self.word_here();
                self.error(
                    span,
                    "expected a key",
                    "keys are in double quotes, as in `\"name\": 1`",
                );
                self.skip_to_separator();
                return;
            }
        };
        self.trivia();
        if self.peek() != Some(b':') {
            let span = Span::new(key_start, self.at.min(self.bytes.len()));
            self.error(
                span,
                "this key has no value",
                "write `:` and a value after it",
            );
            self.skip_to_separator();
            return;
        }
        self.at += 1;
        self.trivia();
        if matches!(self.peek(), None | Some(b',' | b'}' | b']')) {
            self.error(
                Span::at(self.at),
                "missing value",
                "write a value, or `null` for none",
            );
            return;
        }
        if let Some(value) = self.value(depth + 1) {
            self.stack.extend([key, value]);
        }
    }

    /// Children with their commas, up to and over the closing bracket.
    fn children(&mut self, close: u8, mut child: impl FnMut(&mut Self)) {
        let open = self.at - 1;
        let mut after_comma = None;
        loop {
            self.trivia();
            match self.peek() {
                None => {
                    let expected = char::from(close);
                    let message = format!("unclosed bracket: expected `{expected}`");
                    self.error(
                        Span::new(open, open + 1),
                        message,
                        "add the closing bracket",
                    );
                    return;
                }
                Some(byte) if byte == close => {
                    self.at += 1;
                    if let (Some(comma), JsonDialect::Strict) = (after_comma, self.dialect) {
                        let span = Span::new(comma, comma + 1);
                        self.error(
                            span,
                            "trailing comma before the closing bracket",
                            "remove it",
                        );
                    }
                    return;
                }
                Some(b'}' | b']') => {
                    let span = Span::new(self.at, self.at + 1);
                    let message = format!("expected `{}`", char::from(close));
                    self.error(span, message, "the brackets do not match");
                    return;
                }
                Some(b',') => {
                    // This error may be the last one accepted and end the text here: first the step, then the error.
                    self.at += 1;
                    let span = Span::new(self.at - 1, self.at);
                    self.error(span, "missing value before this comma", "remove the comma");
                    continue;
                }
                Some(_) => {}
            }
            let before = self.at;
            child(self);
            let end = self.at;
            self.trivia();
            after_comma = None;
            match self.peek() {
                Some(b',') => {
                    after_comma = Some(self.at);
                    self.at += 1;
                }
                Some(b'}' | b']') | None => {}
                Some(_) => {
                    self.error(Span::at(end), "missing comma", "put `,` between two values");
                    if self.at == before {
                        self.at += 1;
                        self.skip_to_separator();
                    }
                }
            }
        }
    }

    /// To the next comma, closing bracket or line end outside of strings.
    // Reading goes on at the next comma or bracket, so one typo does not hide the errors after it.
    fn skip_to_separator(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b',' | b'}' | b']' | b'\n' => return,
                b'"' => {
                    self.skip_string();
                }
                _ => self.at += 1,
            }
        }
    }

    /// The run of ordinary characters here, for pointing at.
    fn word_here(&self) -> Span {
        let rest = &self.bytes[self.at..];
        let plain = |b: &u8| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'$') || *b >= 0x80
        };
        let length = rest
            .iter()
            .take_while(|b| plain(b))
            .count()
            .clamp(usize::from(!rest.is_empty()), 60);
        let mut end = self.at + length;
        while !self.reading.text.is_char_boundary(end) {
            end += 1;
        }
        Span::new(self.at, end)
    }

    fn word(&mut self) -> Option<NodeId> {
        let span = self.word_here();
        let tree = &mut self.reading.tree;
        let node = match &self.bytes[span.range()] {
            b"true" => Some(tree.bool(span, true)),
            b"false" => Some(tree.bool(span, false)),
            b"null" => Some(tree.null(span)),
            b"'" => {
                self.error(
                    span,
                    "strings are in double quotes",
                    "write \"…\" instead of '…'",
                );
                self.skip_to_separator();
                return None;
            }
            _ => {
                // The word may be a secret: the location shows it, masked.
                self.error(
                    span,
                    "invalid JSON value",
                    "values are strings in double quotes, numbers, true, false, null, [ ] and { }",
                );
                None
            }
        };
        if !self.gave_up {
            self.at = span.end as usize;
        }
        node
    }

    fn number(&mut self) -> NodeId {
        let start = self.at;
        let digits = |reader: &mut Self| {
            let from = reader.at;
            while matches!(reader.peek(), Some(b'0'..=b'9')) {
                reader.at += 1;
            }
            reader.at - from
        };
        let mut good = true;
        let mut kind = NodeKind::Integer;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let integer = digits(self);
        good &= integer > 0 && !(leading_zero && integer > 1);
        if self.peek() == Some(b'.') {
            self.at += 1;
            kind = NodeKind::Float;
            good &= digits(self) > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            kind = NodeKind::Float;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            good &= digits(self) > 0;
        }
        let rest = self.word_here();
        let glued = self
            .peek()
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'+' | b'-'));
        if glued || !good {
            let end = if glued { rest.end as usize } else { self.at };
            let span = Span::new(start, end);
            let message = "invalid JSON number";
            self.error(
                span,
                message,
                "numbers are written like 12, -3.5 or 1e9; put anything else in quotes",
            );
            if !self.gave_up {
                self.at = end;
            }
            return self.reading.tree.null(span);
        }
        let span = Span::new(start, self.at);
        self.reading.tree.verbatim(kind, span, span)
    }

    /// From the opening quote to after the closing one.
    fn skip_string(&mut self) -> StringScan {
        self.at += 1;
        let mut scan = StringScan::default();
        while let Some(length) = special_byte(&self.bytes[self.at..]) {
            self.at += length;
            match self.bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    scan.ended = true;
                    break;
                }
                b'\\' => {
                    scan.escapes = true;
                    self.at = (self.at + 2).min(self.bytes.len());
                }
                b'\n' => break,
                _ => {
                    scan.control.get_or_insert(self.at);
                    self.at += 1;
                }
            }
        }
        if !scan.ended && !matches!(self.peek(), Some(b'\n')) {
            self.at = self.bytes.len();
        }
        scan
    }

    fn string(&mut self) -> NodeId {
        let start = self.at;
        let scan = self.skip_string();
        let span = Span::new(start, self.at);
        if !scan.ended {
            self.error(
                Span::new(start, start + 1),
                "unclosed string",
                "close it with `\"` on the same line",
            );
            // The rest would be read inside out.
            self.stop_reading();
            return self.reading.tree.null(span);
        }
        let content = Span::new(start + 1, self.at - 1);
        if let Some(at) = scan.control {
            self.error(
                Span::new(at, at + 1),
                "control character in a string",
                "write it as an escape, as `\\t`",
            );
        }
        if !scan.escapes {
            return self.reading.tree.verbatim(NodeKind::String, span, content);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        if let Err((at, message)) = unescape(&self.reading.text[content.range()], &mut scratch) {
            let at = content.start as usize + at;
            let end = (at + 2).min(content.end as usize);
            let end = if self.reading.text.is_char_boundary(end) {
                end
            } else {
                at + 1
            };
            self.error(
                Span::new(at, end),
                message,
                "escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX",
            );
        }
        let id = self.reading.tree.decoded(NodeKind::String, span, &scratch);
        self.scratch = scratch;
        id
    }
}

/// The contents of a string.
#[derive(Default)]
struct StringScan {
    escapes: bool,
    control: Option<usize>,
    ended: bool,
}

/// Resolves escapes; on failure, where and why.
fn unescape(raw: &str, out: &mut String) -> Result<(), (usize, &'static str)> {
    let mut rest = raw;
    while let Some(slash) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..slash]);
        let at = raw.len() - rest.len() + slash;
        let escape = rest
            .as_bytes()
            .get(slash + 1)
            .ok_or((at, "incomplete escape"))?;
        let mut used = 2;
        out.push(match escape {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let (c, length) = unicode(&rest.as_bytes()[slash..])
                    .ok_or((at, "this is not a Unicode character"))?;
                used = length;
                c
            }
            _ => return Err((at, "unknown escape")),
        });
        rest = &rest[slash + used..];
    }
    out.push_str(rest);
    Ok(())
}

/// `\uXXXX`, or two of them for a surrogate pair.
fn unicode(bytes: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = std::str::from_utf8(bytes.get(at + 2..at + 6)?).ok()?;
        let prefixed =
            bytes.get(at..at + 2)? == b"\\u" && digits.bytes().all(|b| b.is_ascii_hexdigit());
        prefixed.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = unit(0)?;
    if !(0xd800..0xe000).contains(&first) {
        return Some((char::from_u32(first.into())?, 6));
    }
    let pair = char::decode_utf16([first, unit(6)?]).next()?.ok()?;
    Some((pair, 12))
}
