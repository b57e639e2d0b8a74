//! What must not be published: changes that no commit has, and secrets.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, mask_line};
use agpm_source::PublishedFile;

use crate::publish::library::GatheredLibrary;

/// Larger files are not read by people, and are not searched.
const LARGEST_SEARCHED: usize = 4 << 20;

/// Fails with everything that must not be published.
pub(super) fn refuse_unpublishable(
    gathered: &GatheredLibrary,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let mut found = Vec::new();
    for path in &gathered.uncommitted {
        let message = format!("`{path}` has uncommitted changes");
        let diagnostic = Diagnostic::new(&codes::PUBLISH_REFUSED, message);
        found.push(diagnostic.help("commit it: others must be able to find what was published"));
    }
    let library = &gathered.library;
    let resources = library.resources.iter();
    let files = resources.flat_map(|resource| &resource.files);
    for file in files.chain(&library.shared) {
        if let Some(line) = line_with_secret(file) {
            let message = format!("`{}`, line {line}, looks like it has a secret", file.path);
            let diagnostic = Diagnostic::new(&codes::PUBLISH_REFUSED, message);
            found.push(diagnostic.help("remove it, and revoke it if it was ever shared"));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    for mut diagnostic in found {
        diagnostic.severity = Severity::Error;
        notes.diagnostics.push(diagnostic);
    }
    Err(Failure::reported_as(FailureKind::Refused))
}

/// The first line that has a value which looks like a secret.
fn line_with_secret(file: &PublishedFile) -> Option<usize> {
    if file.bytes.len() > LARGEST_SEARCHED {
        return None;
    }
    let text = std::str::from_utf8(&file.bytes).ok()?;
    let mut lines = text.lines();
    lines
        .position(|line| mask_line(line) != line)
        .map(|at| at + 1)
}
