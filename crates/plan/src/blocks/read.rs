//! Reads files with blocks.

use agpm_diag::{Diagnostic, Failure, Notes, Span, codes};
use agpm_model::RelativePath;
use agpm_text::BlockDocument;

/// Parses a file. One with broken markers, or that is not text, is never treated as empty.
pub fn read_block_file(
    path: &RelativePath,
    bytes: Vec<u8>,
    notes: &mut Notes,
) -> Result<BlockDocument, Failure> {
    let text = String::from_utf8(bytes).map_err(|_| {
        let message = format!("`{path}` is not UTF-8, so no block can be in it");
        Diagnostic::new(&codes::BLOCK_MARKERS, message)
            .in_file(path.as_str())
            .help("convert the file to UTF-8")
    })?;
    BlockDocument::read(&text).map_err(|error| {
        let source = notes.sources.add(path.as_str(), text);
        let message = format!("`{path}`, line {}: {}", error.line, error.kind);
        let help = "restore the marker lines, or delete all of the block's markers; then run `agpm install`";
        let diagnostic = Diagnostic::new(&codes::BLOCK_MARKERS, message)
            .at(source, Span::new(error.span.start, error.span.end), "")
            .help(help);
        notes.diagnostics.push(diagnostic);
        Failure::reported()
    })
}
