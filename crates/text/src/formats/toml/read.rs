//! Reads TOML from the parser's events: in one pass, with every mistake reported, and without copying strings that have
//! no escapes.

use std::borrow::Cow;

use agpm_diag::Span;
use toml_parser::decoder::{Encoding, ScalarKind};
use toml_parser::lexer::{Token, TokenKind};
use toml_parser::parser::{Event, EventKind, EventReceiver, parse_document};
use toml_parser::{ErrorSink, ParseError, Source, Span as RawSpan};

use crate::formats::toml::explain::report_all;
use crate::formats::toml::scalar;
use crate::formats::toml::tables::{DottedKeyPart, TableBuilder, TableId, string_node};
use crate::limits::{MOST_FINDINGS, MOST_TOKENS};
use crate::tree::{NodeId, NodeKind, ReaderState};

pub(crate) fn read(reading: &mut ReaderState<'_>) {
    let source = Source::new(&reading.text[reading.range.clone()]);
    let mut errors: Vec<ParseError> = Vec::new();
    let mut reader = TomlReader {
        source,
        base: reading.range.start,
        tables: TableBuilder::new(reading),
        current: TableBuilder::ROOT,
        header: None,
        keys: Vec::new(),
        frames: Vec::new(),
        items: Vec::new(),
        gave_up: false,
    };
    let mut sink = |error: ParseError| {
        if errors.len() < MOST_FINDINGS {
            errors.push(error);
        }
    };
    if source.input().starts_with('\u{feff}') {
        // The parser would skip it like the first one, which is outside the part that is read here.
        let span = Span::new(reader.base, reader.base + '\u{feff}'.len_utf8());
        reader.tables.report(
            span,
            "byte order mark in the middle of the file",
            "remove it",
        );
    }
    for_each_batch(source, |tokens| {
        parse_document(tokens, &mut reader, &mut sink)
    });
    let root = (!reader.tables.is_empty()).then(|| reader.tables.finish(TableBuilder::ROOT));
    reading.tree.root = root;
    report_all(reading, &errors);
}

/// Calls `parse` with batches of whole statements.
fn for_each_batch(source: Source<'_>, mut parse: impl FnMut(&[Token])) {
    let mut tokens: Vec<Token> = Vec::with_capacity(MOST_TOKENS.min(source.input().len()));
    let mut brackets = OpenBrackets::default();
    for token in source.lex() {
        brackets.take(token.kind());
        tokens.push(token);
        if tokens.len() >= MOST_TOKENS
            && token.kind() == TokenKind::Newline
            && brackets.are_closed()
        {
            parse(&tokens);
            tokens.clear();
        }
    }
    parse(&tokens);
}

/// The open brackets; once two do not match, the parser's interpretation of the rest is unknown.
#[derive(Default)]
struct OpenBrackets {
    closings: Vec<TokenKind>,
    mismatched: bool,
}

impl OpenBrackets {
    fn take(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::LeftSquareBracket => self.closings.push(TokenKind::RightSquareBracket),
            TokenKind::LeftCurlyBracket => self.closings.push(TokenKind::RightCurlyBracket),
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                self.mismatched |= self.closings.pop() != Some(kind);
            }
            _ => {}
        }
    }

    fn are_closed(&self) -> bool {
        self.closings.is_empty() && !self.mismatched
    }
}

/// The action for a complete header.
type OpenTable<'r, 'a> =
    fn(&mut TableBuilder<'r, 'a>, &[DottedKeyPart<'a>], Span) -> Option<TableId>;

/// An open header.
struct OpenHeader {
    start: usize,
}

/// A list or table that is not closed yet.
struct OpenContainer {
    start: usize,
    depth: usize,
    kind: FrameKind,
}

enum FrameKind {
    /// The index of its first item.
    List(usize),
    /// The table, and the index of its first key.
    Table(TableId, usize),
}

struct TomlReader<'r, 'a> {
    source: Source<'a>,
    /// The start of the current part in the text.
    base: usize,
    tables: TableBuilder<'r, 'a>,
    /// The table of the current header.
    current: TableId,
    header: Option<OpenHeader>,
    /// Parts of the keys that wait for their values, those of the innermost table last.
    keys: Vec<DottedKeyPart<'a>>,
    frames: Vec<OpenContainer>,
    /// Items of all open lists, innermost last.
    items: Vec<NodeId>,
    gave_up: bool,
}

impl<'r, 'a> TomlReader<'r, 'a> {
    fn span(&self, span: RawSpan) -> Span {
        Span::new(self.base + span.start(), self.base + span.end())
    }

    fn stop_reading(&mut self, span: Span) {
        self.tables.reading.report_too_deep(span);
        self.gave_up = true;
    }

    /// The index of the first key of the innermost table.
    fn key_base(&self) -> usize {
        match self.frames.last().map(|frame| &frame.kind) {
            Some(FrameKind::Table(_, base)) => *base,
            Some(FrameKind::List(_)) => self.keys.len(),
            None => 0,
        }
    }

    /// The depth of a container that opens here.
    fn depth_here(&self) -> usize {
        let keys = self.keys.len() - self.key_base();
        match self.frames.last() {
            Some(OpenContainer {
                depth,
                kind: FrameKind::List(_),
                ..
            }) => depth + 1,
            Some(OpenContainer { depth, .. }) => depth + keys,
            None => self.tables.depth(self.current) + keys,
        }
    }

    fn open(
        &mut self,
        span: RawSpan,
        kind: impl FnOnce(&mut Self, usize, Span) -> FrameKind,
    ) -> bool {
        if self.gave_up {
            return false;
        }
        let (depth, node_span) = (self.depth_here(), self.span(span));
        if depth > self.tables.reading.limits.depth {
            self.stop_reading(node_span);
            return false;
        }
        let kind = kind(self, depth, node_span);
        self.frames.push(OpenContainer {
            start: node_span.range().start,
            depth,
            kind,
        });
        true
    }

    fn close(&mut self, span: RawSpan) {
        if self.gave_up {
            return;
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let span = Span::new(frame.start, (self.base + span.end()).max(frame.start));
        let node = match frame.kind {
            FrameKind::List(base) => {
                let node = self.tables.reading.tree.list(span, &self.items[base..]);
                self.items.truncate(base);
                node
            }
            FrameKind::Table(table, base) => {
                self.keys.truncate(base);
                self.tables.finish_inline(table, span)
            }
        };
        self.value(node);
    }

    /// Adds a complete value to its list, or to its table under the waiting key.
    fn value(&mut self, node: NodeId) {
        let table = match self.frames.last().map(|frame| &frame.kind) {
            Some(FrameKind::List(_)) => {
                self.items.push(node);
                return;
            }
            Some(FrameKind::Table(table, _)) => *table,
            None => self.current,
        };
        let base = self.key_base();
        self.tables.set(table, &self.keys[base..], node);
        self.keys.truncate(base);
    }

    fn close_header(&mut self, span: RawSpan, open: OpenTable<'r, 'a>) {
        let Some(header) = self.header.take() else {
            return;
        };
        if self.gave_up {
            return;
        }
        let span = Span::new(header.start, self.base + span.end());
        self.current = match open(&mut self.tables, &self.keys, span) {
            Some(table) => table,
            None => self.tables.new_detached_table(span),
        };
        self.keys.clear();
        // Lists on the way count too, and they are known only now.
        if self.tables.depth(self.current) > self.tables.reading.limits.depth {
            self.stop_reading(span);
        }
    }

    fn scalar_node(
        &mut self,
        span: RawSpan,
        encoding: Option<Encoding>,
        error: &mut dyn ErrorSink,
    ) -> Option<NodeId> {
        let raw = self
            .source
            .get(Event::new_unchecked(EventKind::Scalar, encoding, span))?;
        let mut failed = false;
        let mut sink = |found: ParseError| {
            failed = true;
            error.report_error(found);
        };
        let mut content = Cow::Borrowed("");
        let kind = raw.decode_scalar(&mut content, &mut sink);
        let node_span = self.span(span);
        let tree = &mut self.tables.reading.tree;
        Some(match kind {
            _ if failed => tree.null(node_span),
            ScalarKind::String => string_node(self.tables.reading, node_span, &content),
            ScalarKind::Boolean(value) => tree.bool(node_span, value),
            ScalarKind::DateTime => self.date_time(node_span, raw.as_str()),
            ScalarKind::Float => self.number(NodeKind::Float, node_span, scalar::float(&content)),
            ScalarKind::Integer(radix) => match scalar::integer(&content, radix) {
                Some(digits) => self.number(NodeKind::Integer, node_span, &digits),
                None => {
                    let message = "this number does not fit in 64 bits";
                    self.tables.report(
                        node_span,
                        message,
                        "put it in quotes, or write it as a float like 1e20",
                    );
                    self.tables.reading.tree.null(node_span)
                }
            },
        })
    }

    fn number(&mut self, kind: NodeKind, span: Span, canonical: &str) -> NodeId {
        let reading = &mut self.tables.reading;
        if &reading.text[span.range()] == canonical {
            reading.tree.verbatim(kind, span, span)
        } else {
            reading.tree.decoded(kind, span, canonical)
        }
    }

    fn date_time(&mut self, span: Span, text: &str) -> NodeId {
        if scalar::is_date_time(text) {
            return self
                .tables
                .reading
                .tree
                .verbatim(NodeKind::DateTime, span, span);
        }
        let message = "invalid date or time";
        self.tables.report(
            span,
            message,
            "write 2026-01-31, 23:59:00 or 2026-01-31T23:59:00Z, or put it in quotes",
        );
        self.tables.reading.tree.null(span)
    }
}

impl EventReceiver for TomlReader<'_, '_> {
    fn std_table_open(&mut self, span: RawSpan, _: &mut dyn ErrorSink) {
        self.keys.clear();
        self.header = Some(OpenHeader {
            start: self.base + span.start(),
        });
    }

    fn std_table_close(&mut self, span: RawSpan, _: &mut dyn ErrorSink) {
        self.close_header(span, TableBuilder::open_table);
    }

    fn array_table_open(&mut self, span: RawSpan, error: &mut dyn ErrorSink) {
        self.std_table_open(span, error);
    }

    fn array_table_close(&mut self, span: RawSpan, _: &mut dyn ErrorSink) {
        self.close_header(span, TableBuilder::open_item);
    }

    fn inline_table_open(&mut self, span: RawSpan, _: &mut dyn ErrorSink) -> bool {
        self.open(span, |reader, depth, node_span| {
            FrameKind::Table(reader.tables.inline(depth, node_span), reader.keys.len())
        })
    }

    fn inline_table_close(&mut self, span: RawSpan, _: &mut dyn ErrorSink) {
        self.close(span);
    }

    fn array_open(&mut self, span: RawSpan, _: &mut dyn ErrorSink) -> bool {
        self.open(span, |reader, _, _| FrameKind::List(reader.items.len()))
    }

    fn array_close(&mut self, span: RawSpan, _: &mut dyn ErrorSink) {
        self.close(span);
    }

    fn simple_key(&mut self, span: RawSpan, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        if self.gave_up {
            return;
        }
        let Some(raw) = self
            .source
            .get(Event::new_unchecked(EventKind::SimpleKey, encoding, span))
        else {
            return;
        };
        let mut name = Cow::Borrowed("");
        raw.decode_key(&mut name, error);
        let span = self.span(span);
        self.keys.push(DottedKeyPart { name, span });
        // The last part of a key holds no table yet; the last part of a header does.
        let depth = if self.header.is_some() {
            1 + self.keys.len()
        } else {
            self.depth_here() - 1
        };
        if depth > self.tables.reading.limits.depth {
            self.stop_reading(span);
        }
    }

    fn scalar(&mut self, span: RawSpan, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        if !self.gave_up
            && let Some(node) = self.scalar_node(span, encoding, error)
        {
            self.value(node);
        }
    }

    fn value_sep(&mut self, _: RawSpan, _: &mut dyn ErrorSink) {
        // A key without a value must not take the next one.
        let base = self.key_base();
        self.keys.truncate(base);
    }

    fn comment(&mut self, span: RawSpan, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.source.get(span) {
            raw.decode_comment(error);
        }
    }

    fn newline(&mut self, span: RawSpan, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.source.get(span) {
            raw.decode_newline(error);
        }
        if self.frames.is_empty() {
            self.keys.clear();
            if self.header.take().is_some() {
                // Keys under an invalid header must not be added to the table above it.
                self.current = self.tables.new_detached_table(self.span(span));
            }
        }
    }
}
