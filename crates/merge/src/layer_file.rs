//! One file of one layer: its bytes and their parsed content.

use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceId, SourceMap, Span, Text};
use agpm_model::LayerName;
use agpm_text::{Document, Format, Limits, decode, parse};

use crate::file_bytes::FileBytes;

/// A file in one layer.
#[derive(Clone, Debug)]
pub struct LayerFile {
    /// The layer.
    pub layer: LayerName,
    /// The name of the file, as users see it.
    pub file: String,
    /// The id of its text, for labels.
    pub source: SourceId,
    /// The content of the file.
    pub content: LayerContent,
}

/// The content of a file.
#[derive(Clone, Debug)]
pub enum LayerContent {
    /// Content in a known format.
    Document(Arc<Document>),
    /// Plain text.
    Text(Text),
    /// Content of any other format.
    Opaque(Arc<[u8]>),
}

/// The kinds of content that merge with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentFamily {
    Structured,
    Markdown,
    Text,
    Opaque,
}

/// A file of one layer as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFile {
    /// The layer.
    pub layer: LayerName,
    /// The path as users see it.
    pub display_name: String,
    /// The content of the raw file.
    pub bytes: Vec<u8>,
}

impl RawFile {
    /// The same with its text known to the source map.
    pub fn unparsed(self, sources: &mut SourceMap) -> UnparsedFile {
        UnparsedFile::new(self.layer, &self.display_name, self.bytes, sources)
    }
}

/// A file of one layer whose text is known and whose structure is not yet: that part of reading needs nothing else.
#[derive(Debug)]
pub struct UnparsedFile {
    file: LayerFile,
    format: Option<Format>,
    diagnostics: Vec<Diagnostic>,
}

impl UnparsedFile {
    /// Takes in the bytes of a file. The extension of its name decides the format.
    pub fn new(layer: LayerName, file: &str, bytes: Vec<u8>, sources: &mut SourceMap) -> Self {
        let format = Format::of_file(file).filter(|format| *format != Format::Csv);
        let is_text = file.to_ascii_lowercase().ends_with(".txt");
        let unparsed = |source, content, diagnostics| UnparsedFile {
            file: LayerFile {
                layer: layer.clone(),
                file: file.to_owned(),
                source,
                content,
            },
            format,
            diagnostics,
        };
        // Content with a NUL is neither a page nor text, whatever its name; as data it is malformed.
        let is_binary = bytes.contains(&0) && (is_text || format == Some(Format::Markdown));
        if is_binary || format.is_none() && !is_text {
            return unparsed(
                sources.add(file, ""),
                LayerContent::Opaque(bytes.into()),
                Vec::new(),
            );
        }
        match String::from_utf8(bytes) {
            Ok(text) => {
                let text: Text = text.into();
                unparsed(
                    sources.add(file, text.clone()),
                    LayerContent::Text(text),
                    Vec::new(),
                )
            }
            Err(error) => {
                let source =
                    sources.add(file, String::from_utf8_lossy(error.as_bytes()).into_owned());
                let diagnostic = decode(source, error.into_bytes()).err();
                unparsed(
                    source,
                    LayerContent::Text("".into()),
                    diagnostic.into_iter().collect(),
                )
            }
        }
    }

    /// Finds its structure. Errors are returned as diagnostics that name the layer.
    pub fn parse(self) -> (LayerFile, Vec<Diagnostic>) {
        let UnparsedFile {
            mut file,
            format,
            mut diagnostics,
        } = self;
        if let (Some(format), LayerContent::Text(text), true) =
            (format, &file.content, diagnostics.is_empty())
        {
            let parsed = parse(file.source, text.clone(), format, Limits::default());
            diagnostics = parsed.diagnostics;
            file.content = LayerContent::Document(Arc::new(parsed.document));
        }
        for diagnostic in &mut diagnostics {
            diagnostic.layer = Some(file.layer.to_string());
        }
        (file, diagnostics)
    }
}

impl LayerFile {
    /// Reads the bytes of a file by the extension of its name. Errors are returned as diagnostics that name the layer.
    pub fn read(
        layer: LayerName,
        file: &str,
        bytes: Vec<u8>,
        sources: &mut SourceMap,
    ) -> (Self, Vec<Diagnostic>) {
        UnparsedFile::new(layer, file, bytes, sources).parse()
    }

    pub(crate) fn family(&self) -> ContentFamily {
        match &self.content {
            LayerContent::Document(document) if document.format() == Format::Markdown => {
                ContentFamily::Markdown
            }
            LayerContent::Document(_) => ContentFamily::Structured,
            LayerContent::Text(_) => ContentFamily::Text,
            LayerContent::Opaque(_) => ContentFamily::Opaque,
        }
    }

    pub(crate) fn text(&self) -> &str {
        match &self.content {
            LayerContent::Document(document) => document.text(),
            LayerContent::Text(text) => text,
            LayerContent::Opaque(_) => "",
        }
    }

    /// The file's bytes; nothing for a file that is not text but should be.
    pub fn bytes(&self) -> &[u8] {
        match &self.content {
            LayerContent::Opaque(bytes) => bytes,
            _ => self.text().as_bytes(),
        }
    }

    pub(crate) fn as_it_is(&self) -> FileBytes {
        match &self.content {
            LayerContent::Document(document) => FileBytes::Text(document.text().clone()),
            LayerContent::Text(text) => FileBytes::Text(text.clone()),
            LayerContent::Opaque(bytes) => FileBytes::Bytes(bytes.clone()),
        }
    }

    /// The number of lines.
    pub fn line_count(&self) -> usize {
        let bytes = self.bytes();
        let ends = bytes.iter().filter(|b| **b == b'\n').count();
        (ends + usize::from(!bytes.ends_with(b"\n"))).max(1)
    }

    pub(crate) fn document(&self) -> Option<&Arc<Document>> {
        match &self.content {
            LayerContent::Document(document) => Some(document),
            _ => None,
        }
    }

    pub(crate) fn body(&self) -> Span {
        self.document()
            .map_or(Span::new(0, self.text().len()), |document| document.body())
    }
}
