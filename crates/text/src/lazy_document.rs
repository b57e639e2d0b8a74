use std::sync::OnceLock;

use agpm_diag::Text;

use crate::parse::parse_alone;
use crate::tree::{Document, Format};

/// Text that is parsed on demand: most documents are only written.
#[derive(Debug)]
pub struct LazyDocument {
    text: Text,
    format: Format,
    document: OnceLock<Document>,
}

impl LazyDocument {
    /// Text in a format, known to be valid.
    pub fn new(text: impl Into<Text>, format: Format) -> Self {
        LazyDocument {
            text: text.into(),
            format,
            document: OnceLock::new(),
        }
    }

    /// The text.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The parsed document.
    pub fn document(&self) -> &Document {
        self.document
            .get_or_init(|| parse_alone(self.text.clone(), self.format).document)
    }
}
