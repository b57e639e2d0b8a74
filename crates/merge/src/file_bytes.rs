use std::sync::Arc;

use agpm_diag::Text;
use agpm_text::RewrittenText;

/// The content of a file in pieces, so large ones are written without building them.
#[derive(Debug)]
pub enum FileBytes {
    /// Any bytes.
    Bytes(Arc<[u8]>),
    /// Text.
    Text(Text),
    /// Text with replacements.
    Rewritten(RewrittenText),
}

impl FileBytes {
    /// Calls `write` with every piece, until one fails.
    pub fn each_piece<E>(&self, mut write: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        match self {
            FileBytes::Bytes(bytes) => write(bytes),
            FileBytes::Text(text) => write(text.as_bytes()),
            FileBytes::Rewritten(rewritten) => rewritten
                .pieces()
                .try_for_each(|piece| write(piece.as_bytes())),
        }
    }

    /// The whole content.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let done: Result<(), std::convert::Infallible> = self.each_piece(|piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        match done {
            Ok(()) => bytes,
        }
    }
}
