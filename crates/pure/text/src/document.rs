use std::ops::Range;

use agpm_diag::{Diagnostic, SourceId, SourceMap, Span, Text, codes};

use crate::format::Format;
use crate::pointer::Pointer;
use crate::tree::{NodeId, NodeRef, Tree};
use crate::{csv, json, markdown, toml, yaml};

/// How much a reader takes before it gives up with a diagnostic.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a source.
    pub bytes: usize,
    /// Levels of nesting.
    pub depth: usize,
    /// Nodes that aliases may stand for, all in all.
    pub expansion: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 1 << 30,
            depth: 256,
            expansion: 1_000_000,
        }
    }
}

/// A text and its tree.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) source: SourceId,
    pub(crate) text: Text,
    pub(crate) format: Format,
    pub(crate) tree: Tree,
    /// Markdown: everything after the front matter. Other formats: nothing.
    pub(crate) body: Span,
}

/// What reading gave: a tree of what was understood, and all that was wrong.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The document; without errors in `diagnostics` it is whole.
    pub document: Document,
    /// Everything that was found, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a reader works on and fills.
pub(crate) struct Reading<'a> {
    pub(crate) source: SourceId,
    pub(crate) text: &'a str,
    /// The part of `text` to read; spans count from the start of `text` all the same.
    pub(crate) range: Range<usize>,
    pub(crate) limits: Limits,
    pub(crate) tree: Tree,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Reading<'_> {
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn report_too_deep(&mut self, span: Span) {
        let message = format!("nested more than {} levels deep", self.limits.depth);
        self.report(
            Diagnostic::new(&codes::TEXT_TOO_DEEP, message)
                .at(self.source, span, "too deep from here on")
                .help("no tool we know writes such files; check how this one was made"),
        );
    }

    /// Reports keys that a map under construction names twice. `entries` alternates between key and value.
    pub(crate) fn report_duplicates(&mut self, entries: &[NodeId]) {
        for (earlier, later) in self.tree.duplicates(self.text, entries) {
            let key = self.tree.content(self.text, later).to_owned();
            self.report(duplicate_key(
                self.source,
                &key,
                self.tree.span(earlier),
                self.tree.span(later),
            ));
        }
    }
}

pub(crate) fn duplicate_key(source: SourceId, key: &str, earlier: Span, later: Span) -> Diagnostic {
    Diagnostic::new(
        &codes::TEXT_DUPLICATE_KEY,
        format!("the key `{key}` is there twice"),
    )
    .at(source, later, "again here")
    .at(source, earlier, "first here")
    .help("keep one of the two: readers disagree on which one counts")
}

/// The text in these bytes, or why there is none. A UTF-8 byte order mark stays.
pub fn decode(source: SourceId, bytes: Vec<u8>) -> Result<Text, Diagnostic> {
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    String::from_utf8(bytes).map(Text::from).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let (message, help) = if utf16 {
            ("this file is UTF-16, not UTF-8", "save it as UTF-8")
        } else {
            (
                "this file is not UTF-8",
                "save it as UTF-8; the place is the first byte that does not fit",
            )
        };
        Diagnostic::new(&codes::TEXT_ENCODING, message)
            .at(source, Span::at(at), "")
            .help(help)
    })
}

/// Reads `text` as `format`. Never fails: what is wrong is in the diagnostics.
pub fn parse(source: SourceId, text: impl Into<Text>, format: Format, limits: Limits) -> Parsed {
    let text: Text = text.into();
    let start = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut reading = Reading {
        source,
        text: &text,
        range: start..text.len(),
        limits,
        tree: Tree::default(),
        diagnostics: Vec::new(),
    };
    let mut body = Span::at(text.len().min(u32::MAX as usize));
    if text.len() > limits.bytes.min(u32::MAX as usize) {
        reading.report(
            Diagnostic::new(
                &codes::TEXT_TOO_LARGE,
                format!("larger than {} bytes", limits.bytes),
            )
            .at(source, Span::at(0), "")
            .help("split the file"),
        );
    } else {
        reading.tree = Tree::with_capacity(text.len());
        match format {
            Format::Json => json::read(&mut reading, json::Dialect::Strict),
            Format::Jsonc => json::read(&mut reading, json::Dialect::Comments),
            Format::Yaml => yaml::read(&mut reading),
            Format::Toml => toml::read(&mut reading),
            Format::Csv => csv::read(&mut reading),
            Format::Markdown => body = markdown::read(&mut reading),
        }
    }
    let Reading {
        tree,
        mut diagnostics,
        ..
    } = reading;
    diagnostics.sort_by_key(|d| d.labels.first().map(|label| label.span));
    Parsed {
        document: Document {
            source,
            text,
            format,
            tree,
            body,
        },
        diagnostics,
    }
}

/// Reads a text that nobody is shown: its places name no source.
pub fn parse_alone(text: impl Into<Text>, format: Format) -> Parsed {
    parse(
        SourceMap::default().add("", ""),
        text,
        format,
        Limits::default(),
    )
}

impl Document {
    /// The identity of the text.
    pub fn source(&self) -> SourceId {
        self.source
    }

    /// The text, as read.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// What it was read as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The value of the whole; nothing if the document is empty or holds only comments.
    pub fn root(&self) -> Option<NodeRef<'_>> {
        self.tree.root.map(|id| NodeRef { document: self, id })
    }

    /// Has a key read as another one. For reading only: the text keeps its spelling.
    pub fn read_key_as(&mut self, key: NodeId, name: &str) {
        self.tree.respell(key, name);
    }

    /// Markdown: the bytes after the front matter.
    pub fn body(&self) -> Span {
        self.body
    }

    /// CSV: the fields of the header, in order; nothing for other formats.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = NodeRef<'_>> {
        self.tree.columns.iter().map(|id| NodeRef {
            document: self,
            id: *id,
        })
    }

    /// How many nodes there are; their identities are smaller.
    pub fn node_count(&self) -> usize {
        self.tree.len()
    }

    /// The node behind an identity that this document gave.
    pub fn node(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef { document: self, id }
    }

    /// What stands at a node of JSON as a document of its own; its places are still those of the whole text. In other
    /// formats a value hangs on what stands around it.
    pub fn part(&self, node: NodeRef<'_>) -> Option<Document> {
        let dialect = match self.format {
            Format::Json => json::Dialect::Strict,
            Format::Jsonc => json::Dialect::Comments,
            _ => return None,
        };
        let range = node.span().range();
        let mut reading = Reading {
            source: self.source,
            text: &self.text,
            limits: Limits::default(),
            tree: Tree::with_capacity(range.len()),
            diagnostics: Vec::new(),
            range,
        };
        json::read(&mut reading, dialect);
        let Reading { tree, .. } = reading;
        Some(Document {
            tree,
            text: self.text.clone(),
            ..*self
        })
    }

    /// The document as if it held only what is at a node. For reading only: its text is still the whole one.
    pub fn seen_from(&self, node: NodeRef<'_>) -> Document {
        let mut part = self.clone();
        part.tree.root = Some(node.id());
        part
    }

    /// The node at a place.
    pub fn at(&self, pointer: &Pointer) -> Option<NodeRef<'_>> {
        pointer
            .steps()
            .iter()
            .try_fold(self.root()?, |node, step| node.child(step))
    }
}

/// A pointer step as an index: digits without a leading zero.
pub(crate) fn list_index(step: &str) -> Option<usize> {
    let canonical = step == "0" || !step.starts_with('0');
    (canonical && step.bytes().all(|b| b.is_ascii_digit())).then(|| step.parse().ok())?
}
