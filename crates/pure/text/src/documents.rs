//! Bytes as documents whose mistakes can be shown.

use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, Notes, Severity};

use crate::limits::Limits;
use crate::parse::{ParsedDocument, decode, parse};
use crate::tree::{Document, Format};

/// Bytes as a document; what is wrong with them goes to the notes.
pub fn document_of(
    name: String,
    bytes: Vec<u8>,
    format: Format,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let is_conflict = has_conflict_markers(&bytes);
    let shown = name.clone();
    let ParsedDocument {
        document,
        mut diagnostics,
    } = parse_bytes(name, bytes, format, notes)?;
    // Every marker would be its own mistake.
    if let Some(first) = diagnostics
        .iter()
        .position(|found| found.severity == Severity::Error)
        .filter(|_| is_conflict)
    {
        let message = format!("`{shown}` contains git merge conflict markers");
        let help = format!("resolve the conflict in `{shown}`, then run the command again");
        diagnostics = vec![Diagnostic {
            message,
            help: Some(help),
            ..diagnostics.swap_remove(first)
        }];
    }
    notes.diagnostics.extend(diagnostics);
    Ok(Arc::new(document))
}

/// Whether a line is one that git writes where a merge needs a decision.
pub fn has_conflict_markers(bytes: &[u8]) -> bool {
    bytes
        .split(|byte| *byte == b'\n')
        .any(|line| line.starts_with(b"<<<<<<< "))
}

/// The same with what is wrong still apart.
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
