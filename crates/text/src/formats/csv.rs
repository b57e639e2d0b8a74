//! Reads CSV (RFC 4180), with the span of every field: a header line, then an object for each record.

use agpm_diag::{Code, Diagnostic, Span, codes};
use memchr::{memchr, memchr2};

use crate::limits::MOST_FINDINGS;
use crate::tree::{NodeId, NodeKind, ReaderState, duplicate_key};

pub(crate) fn read(reading: &mut ReaderState<'_>) {
    let (start, end) = (reading.range.start, reading.range.end);
    let bytes = &reading.text.as_bytes()[..end];
    let mut reader = CsvReader {
        reading,
        bytes,
        at: start,
        fields: Vec::new(),
        scratch: String::new(),
        unreported: 0,
    };
    reader.skip_blank_lines();
    if reader.at == end {
        let help = "write the names of the fields on the first line";
        reader.report(
            &codes::CSV_HEADER,
            Span::at(start),
            "the header is missing",
            help,
        );
        return;
    }
    let header = reader.header();
    let mut records = Vec::new();
    let mut entries = Vec::with_capacity(header.len() * 2);
    loop {
        reader.skip_blank_lines();
        if reader.at == end {
            break;
        }
        records.push(reader.map(&header, &mut entries));
    }
    reader.report_remaining();
    reading.tree.columns = header;
    let root = reading.tree.list(Span::new(start, end), &records);
    reading.tree.root = Some(root);
}

struct CsvReader<'r, 'a> {
    reading: &'r mut ReaderState<'a>,
    bytes: &'a [u8],
    at: usize,
    /// Fields of the current record.
    fields: Vec<NodeId>,
    scratch: String,
    /// The number of findings beyond the limit.
    unreported: usize,
}

impl CsvReader<'_, '_> {
    fn report(&mut self, code: &'static Code, span: Span, message: impl Into<String>, help: &str) {
        // The first finding with a code is always reported: callers decide by it whether the file can be used.
        let reported = &self.reading.diagnostics;
        if reported.len() < MOST_FINDINGS || reported.iter().all(|other| other.code != code) {
            let source = self.reading.source;
            self.reading.report(
                Diagnostic::new(code, message)
                    .at(source, span, "")
                    .help(help),
            );
        } else {
            self.unreported += 1;
        }
    }

    fn report_remaining(&mut self) {
        if self.unreported > 0 {
            let message = format!(
                "{} more findings in this file are not shown",
                self.unreported
            );
            let (source, end) = (self.reading.source, Span::at(self.at));
            let diagnostic = Diagnostic::new(&codes::CSV_RAGGED, message).at(source, end, "");
            self.reading
                .report(diagnostic.help("fix the ones shown, then check again"));
        }
    }

    fn skip_blank_lines(&mut self) {
        let mut at = self.at;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' => at += 1,
                b'\n' => {
                    at += 1;
                    self.at = at;
                }
                _ => return,
            }
        }
        self.at = at;
    }

    /// The names of the fields; invalid ones are reported.
    fn header(&mut self) -> Vec<NodeId> {
        self.record();
        let names = std::mem::take(&mut self.fields);
        let mut pairs = Vec::with_capacity(names.len() * 2);
        for name in &names {
            if self
                .reading
                .tree
                .content(self.reading.text, *name)
                .is_empty()
            {
                let span = self.reading.tree.span(*name);
                self.report(
                    &codes::CSV_HEADER,
                    span,
                    "a field without a name",
                    "give every field a name",
                );
            } else {
                pairs.extend([*name, *name]);
            }
        }
        for (first, again) in self.reading.tree.duplicates(self.reading.text, &pairs) {
            let (first, again) = (pairs[first], pairs[again]);
            let (first, span) = (self.reading.tree.span(first), self.reading.tree.span(again));
            let name = self
                .reading
                .tree
                .content(self.reading.text, again)
                .to_owned();
            let twice = duplicate_key(self.reading.source, &name, first, span);
            let message = format!("duplicate field `{name}`");
            self.reading.report(
                Diagnostic {
                    code: &codes::CSV_HEADER,
                    message,
                    ..twice
                }
                .help("rename one of them"),
            );
        }
        names
    }

    fn map(&mut self, header: &[NodeId], entries: &mut Vec<NodeId>) -> NodeId {
        let start = self.at;
        let end = self.record();
        let span = Span::new(start, end);
        if self.fields.len() != header.len() {
            self.report_ragged(span, header.len());
        }
        entries.clear();
        entries.extend(
            header
                .iter()
                .zip(&self.fields)
                .flat_map(|(name, field)| [*name, *field]),
        );
        self.reading.tree.map(span, entries)
    }

    fn report_ragged(&mut self, span: Span, expected: usize) {
        let count = self.fields.len();
        let fields = if count == 1 { "field" } else { "fields" };
        let message = format!("{count} {fields} where the header names {expected}");
        let help = if count < expected {
            "the last fields are missing; write empty ones as `,`"
        } else {
            "the extra fields are ignored; quote values that contain a comma"
        };
        self.report(&codes::CSV_RAGGED, span, message, help);
    }

    /// Reads one record and moves to the next line; returns the end of the record.
    fn record(&mut self) -> usize {
        self.fields.clear();
        loop {
            let field = self.field();
            self.fields.push(field);
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                rest => {
                    let end = self.at;
                    self.at += usize::from(rest.is_some());
                    let crlf = end > 0 && rest.is_some() && self.bytes[end - 1] == b'\r';
                    return end - usize::from(crlf);
                }
            }
        }
    }

    /// Reads up to the comma or line feed after the field.
    fn field(&mut self) -> NodeId {
        let start = self.skip_spaces(self.at);
        if self.bytes.get(start) == Some(&b'"') {
            return self.quoted(start);
        }
        let rest = &self.bytes[self.at..];
        let end = self.at + memchr2(b',', b'\n', rest).unwrap_or(rest.len());
        let span = trimmed(self.bytes, self.at, end);
        self.at = end;
        self.reading.tree.verbatim(NodeKind::String, span, span)
    }

    fn skip_spaces(&self, mut at: usize) -> usize {
        while matches!(self.bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    }

    fn quoted(&mut self, start: usize) -> NodeId {
        let Some((close, doubled)) = self.closing_quote(start + 1) else {
            self.report(
                &codes::CSV_QUOTE,
                Span::new(start, start + 1),
                "this quote is not closed",
                "close it; a quote inside a quoted field is written twice",
            );
            self.at = self.bytes.len();
            let span = Span::new(start, self.at);
            return self.reading.tree.verbatim(
                NodeKind::String,
                span,
                Span::new(start + 1, self.at),
            );
        };
        let rest = &self.bytes[close + 1..];
        let end = close + 1 + memchr2(b',', b'\n', rest).unwrap_or(rest.len());
        let extra = trimmed(self.bytes, close + 1, end);
        if extra.start < extra.end {
            let help =
                "close the quote at the end of the field; a quote inside it is written twice";
            self.report(
                &codes::CSV_QUOTE,
                extra,
                "unexpected characters after a closing quote",
                help,
            );
        }
        self.at = end;
        let (span, content) = (Span::new(start, close + 1), Span::new(start + 1, close));
        if !doubled {
            return self.reading.tree.verbatim(NodeKind::String, span, content);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let mut rest = &self.reading.text[content.range()];
        while let Some(quote) = memchr(b'"', rest.as_bytes()) {
            scratch.push_str(&rest[..=quote]);
            rest = &rest[quote + 2..];
        }
        scratch.push_str(rest);
        let id = self.reading.tree.decoded(NodeKind::String, span, &scratch);
        self.scratch = scratch;
        id
    }

    /// The end of the quote that opened before `from`, and whether it contains doubled quotes.
    fn closing_quote(&self, from: usize) -> Option<(usize, bool)> {
        let (mut at, mut doubled) = (from, false);
        loop {
            at += memchr(b'"', &self.bytes[at..])?;
            if self.bytes.get(at + 1) != Some(&b'"') {
                return Some((at, doubled));
            }
            doubled = true;
            at += 2;
        }
    }
}

/// The range from `start` to `end` without surrounding whitespace.
fn trimmed(bytes: &[u8], start: usize, end: usize) -> Span {
    let (mut start, mut end) = (start, end);
    while start < end && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
        end -= 1;
    }
    while start < end && matches!(bytes[start], b' ' | b'\t') {
        start += 1;
    }
    Span::new(start, end)
}
