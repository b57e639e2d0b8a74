//! Files on the disk, read in pieces.

use std::path::{Path, PathBuf};

use agpm_diag::Failure;
use agpm_store::{self as store, ProjectStore, parallel};
use agpm_trust::{AuditFinding, AuditScanner};

use crate::project::reading::display_path;
use crate::project::world::Environment;

use crate::findings::{AuditIssue, AuditedContent};

/// The deepest directory that is read.
const DEEPEST: usize = 64;
/// Bytes that are read at once.
const PIECE: usize = 256 * 1024;
/// Directories of programs that no tool reads as content.
const STATE_DIRECTORIES: [&str; 2] = [".git", ".agpm"];

/// Files that were audited because they were named.
pub(super) struct AuditedFiles {
    pub(super) issues: Vec<AuditIssue>,
    pub(super) files: Vec<PathBuf>,
}

/// Audits a file, or every file of a directory.
pub(super) fn audit_files(environment: &Environment, path: &Path) -> Result<AuditedFiles, Failure> {
    let files = if store::is_file(path) {
        vec![path.to_owned()]
    } else {
        let found = store::files_below(path, DEEPEST)?.into_iter();
        let is_content = |file: &String| {
            let mut parts = file.split('/');
            !parts.any(|part| STATE_DIRECTORIES.contains(&part))
        };
        found
            .filter(is_content)
            .map(|file| path.join(file))
            .collect()
    };
    let scanned = parallel::map(files.iter().collect(), |file: &PathBuf| scan_file(file));
    let mut issues = Vec::new();
    for (file, found) in files.iter().zip(scanned) {
        let shown = display_path(environment, file);
        let found = found.map_err(|error| error.seen_from(&environment.working_directory))?;
        let found = found.into_iter();
        issues.extend(found.map(|finding| AuditIssue::of_rule(finding, None, shown.clone())));
    }
    Ok(AuditedFiles { issues, files })
}

fn scan_file(path: &Path) -> Result<Vec<AuditFinding>, store::StoreError> {
    let mut scanner = AuditScanner::new(&path.to_string_lossy());
    store::read_pieces(path, PIECE, &mut |piece| scanner.feed(piece))?;
    Ok(scanner.finish())
}

/// Audits files whose content on the disk is not what would be installed: a tool reads the file as it is.
pub(super) fn audit_edited(
    store: &ProjectStore,
    contents: &[AuditedContent<'_>],
) -> Result<Vec<AuditIssue>, Failure> {
    let mut issues = Vec::new();
    for content in contents.iter().filter(|content| content.is_whole_file) {
        let path = store.path().join(&content.path);
        let Ok(found) = scan_if_edited(&path, &content.bytes) else {
            // A file that is missing, or that cannot be read, is a finding of `verify`.
            continue;
        };
        let issue = |finding| {
            AuditIssue::of_rule(finding, Some(content.owner.clone()), content.path.clone())
        };
        issues.extend(found.into_iter().map(issue));
    }
    Ok(issues)
}

fn scan_if_edited(path: &Path, installed: &[u8]) -> Result<Vec<AuditFinding>, store::StoreError> {
    let now = store::read_regular(path, crate::project::reading::limit())?;
    if now == installed {
        return Ok(Vec::new());
    }
    Ok(agpm_trust::scan(&path.to_string_lossy(), &now))
}
