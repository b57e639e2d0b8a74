//! Parses bytes into documents, and reports the mistakes in them.

use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, Notes, Severity};

use crate::conflicts::{MarkerLines, marker_lines};
use crate::limits::Limits;
use crate::parse::{ParsedDocument, decode, parse};
use crate::tree::{Document, Format};

/// Parses bytes; mistakes are added to the notes.
pub fn document_of(
    name: String,
    bytes: Vec<u8>,
    format: Format,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let markers = marker_lines(&bytes);
    let display_name = name.clone();
    let ParsedDocument {
        document,
        mut diagnostics,
    } = parse_bytes(name, bytes, format, notes)?;
    // Reported once, because every marker would be a separate mistake.
    let first = diagnostics
        .iter()
        .position(|found| found.severity == Severity::Error);
    if let (Some(first), Some(MarkerLines { first: from, last })) = (first, markers) {
        let message = format!("`{display_name}` contains git merge conflict markers");
        let help = format!("resolve the conflict in `{display_name}`, then run the command again");
        diagnostics = vec![Diagnostic {
            message,
            help: Some(help),
            details: vec![format!("the markers are from line {from} to line {last}")],
            ..diagnostics.swap_remove(first)
        }];
    }
    notes.diagnostics.extend(diagnostics);
    Ok(Arc::new(document))
}

/// Parses bytes; mistakes are returned separately.
pub fn parse_bytes(
    name: String,
    bytes: Vec<u8>,
    format: Format,
    notes: &mut Notes,
) -> Result<ParsedDocument, Failure> {
    let source = notes
        .sources
        .add(name, String::from_utf8_lossy(&bytes).into_owned());
    let text = decode(source, bytes)?;
    Ok(parse(source, text, format, Limits::default()))
}
