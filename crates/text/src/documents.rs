//! Parses bytes into documents, and reports the mistakes in them.

use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, Notes, Severity};

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
    let is_conflict = has_conflict_markers(&bytes);
    let display_name = name.clone();
    let ParsedDocument {
        document,
        mut diagnostics,
    } = parse_bytes(name, bytes, format, notes)?;
    // Reported once, because every marker would be a separate mistake.
    if let Some(first) = diagnostics
        .iter()
        .position(|found| found.severity == Severity::Error)
        .filter(|_| is_conflict)
    {
        let message = format!("`{display_name}` contains git merge conflict markers");
        let help = format!("resolve the conflict in `{display_name}`, then run the command again");
        diagnostics = vec![Diagnostic {
            message,
            help: Some(help),
            ..diagnostics.swap_remove(first)
        }];
    }
    notes.diagnostics.extend(diagnostics);
    Ok(Arc::new(document))
}

/// Whether a line is a conflict marker of git.
pub fn has_conflict_markers(bytes: &[u8]) -> bool {
    bytes
        .split(|byte| *byte == b'\n')
        .any(|line| line.starts_with(b"<<<<<<< "))
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
