//! Parses text in any format.

use agpm_diag::{Diagnostic, SourceId, SourceMap, Span, Text, codes};

use crate::formats::flow::after_mark;
use crate::formats::{csv, json, markdown, toml, yaml};
use crate::limits::Limits;
use crate::tree::{Document, Format, NodeRef, NodeTree, ReaderState};

/// The result of parsing: a tree of everything that was understood, and all findings.
#[derive(Clone, Debug)]
pub struct ParsedDocument {
    /// The document; it is complete if `diagnostics` has no errors.
    pub document: Document,
    /// All findings, in document order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Decodes bytes, or reports why they are not text. A UTF-8 byte order mark stays.
pub fn decode(source: SourceId, bytes: Vec<u8>) -> Result<Text, Diagnostic> {
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    String::from_utf8(bytes).map(Text::from).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let (message, help) = if utf16 {
            ("this file is UTF-16, not UTF-8", "save it as UTF-8")
        } else {
            (
                "this file is not UTF-8",
                "save it as UTF-8; the location is the first invalid byte",
            )
        };
        Diagnostic::new(&codes::TEXT_ENCODING, message)
            .at(source, Span::at(at), "")
            .help(help)
    })
}

/// Parses `text` as `format`. Never fails: mistakes are in the diagnostics.
pub fn parse(
    source: SourceId,
    text: impl Into<Text>,
    format: Format,
    limits: Limits,
) -> ParsedDocument {
    let text: Text = text.into();
    let start = after_mark(&text);
    let mut reading = ReaderState {
        source,
        text: &text,
        range: start..text.len(),
        limits,
        tree: NodeTree::default(),
        diagnostics: Vec::new(),
    };
    let mut body = Span::at(text.len().min(u32::MAX as usize));
    if text.len() > limits.bytes.min(u32::MAX as usize) {
        reading.report(
            Diagnostic::new(
                &codes::TEXT_TOO_LARGE,
                format!("the file is larger than {} bytes", limits.bytes),
            )
            .at(source, Span::at(0), "")
            .help("split the file"),
        );
    } else {
        reading.tree = NodeTree::with_capacity(text.len());
        match format {
            Format::Json => json::read(&mut reading, json::JsonDialect::Strict),
            Format::Jsonc => json::read(&mut reading, json::JsonDialect::Comments),
            Format::Yaml => yaml::read(&mut reading),
            Format::Toml => toml::read(&mut reading),
            Format::Csv => csv::read(&mut reading),
            Format::Markdown => body = markdown::read(&mut reading),
        }
    }
    let ReaderState {
        tree,
        mut diagnostics,
        ..
    } = reading;
    diagnostics.sort_by_key(|d| d.labels.first().map(|label| label.span));
    ParsedDocument {
        document: Document {
            source,
            text,
            format,
            tree,
            body,
            parts: Vec::new(),
        },
        diagnostics,
    }
}

/// Parses text that is never shown: its spans refer to no source.
pub fn parse_alone(text: impl Into<Text>, format: Format) -> ParsedDocument {
    parse(
        SourceMap::default().add("", ""),
        text,
        format,
        Limits::default(),
    )
}

impl Document {
    /// A node of JSON as a separate document; its spans still refer to the whole text. In other formats a value depends
    /// on its surroundings.
    pub fn part(&self, node: NodeRef<'_>) -> Option<Document> {
        let dialect = match self.format {
            Format::Json => json::JsonDialect::Strict,
            Format::Jsonc => json::JsonDialect::Comments,
            _ => return None,
        };
        let range = node.span().range();
        let mut reading = ReaderState {
            source: self.source,
            text: &self.text,
            limits: Limits::default(),
            tree: NodeTree::with_capacity(range.len()),
            diagnostics: Vec::new(),
            range,
        };
        json::read(&mut reading, dialect);
        let ReaderState { tree, .. } = reading;
        Some(Document {
            tree,
            text: self.text.clone(),
            parts: Vec::new(),
            ..*self
        })
    }
}
