//! Writes files of a source out once, for callers that read directories.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use agpm_model::{Checksum, RelativePath, Revision};
use agpm_store::ConfinedDirectory;

use crate::archive::stays_inside;
use crate::limits::{DEEPEST, MOST_LAYER_BYTES};
use crate::{Source, SourceEntry, SourceEntryKind, SourceError};

/// How many files are read before they are written.
const CHUNK: usize = 256;
/// How many unused directories of a source are kept.
const KEPT: usize = 8;

/// Returns the directory for a revision, or for a directory of it.
pub(crate) fn checkout_path(
    trees: &Path,
    revision: &Revision,
    inner: Option<&RelativePath>,
) -> PathBuf {
    let digits = revision.as_str().trim_start_matches("sha256:");
    let inner = inner.map(|inner| Checksum::of(inner.as_str().as_bytes()).digits());
    let inner = inner.map(|digits| format!("-{}", &digits[..16]));
    trees.join(format!("{digits}{}", inner.unwrap_or_default()))
}

/// A key that is unique for each reference and directory.
pub(crate) fn checkout_key(reference: Option<&str>, inner: Option<&RelativePath>) -> String {
    let inner = inner.map(RelativePath::as_str).unwrap_or_default();
    format!("{}\0{inner}", reference.unwrap_or_default())
}

/// Writes the files of a revision, or of a directory of it, into the cache. Symlinks that lead out of it and names that
/// are not valid on every system are left out.
pub(crate) fn write_checkout(
    source: &dyn Source,
    trees: &Path,
    revision: &Revision,
    inner: Option<&RelativePath>,
) -> Result<PathBuf, SourceError> {
    let path = checkout_path(trees, revision, inner);
    // Marked before the lookup, so no other process removes it from then on.
    agpm_store::mark_used(&path);
    if agpm_store::is_real_directory(&path) {
        return Ok(path);
    }
    let top = inner.map(RelativePath::as_str).unwrap_or_default();
    if let Some(inner) = inner {
        source.require_directory(Some(revision), inner)?;
    }
    let enters = |path: &str| path.matches('/').count() < DEEPEST;
    let tree = source.walk(Some(revision), top, &enters)?;
    let start = if top.is_empty() { 0 } else { top.len() + 1 };
    let mut taken = HashSet::new();
    let mut files: Vec<(RelativePath, &SourceEntry)> = Vec::new();
    for entry in &tree.entries {
        let Ok(inside) = RelativePath::new(&entry.path[start..]) else {
            continue;
        };
        let is_content = matches!(
            entry.kind,
            SourceEntryKind::File(_) | SourceEntryKind::Symlink
        );
        let is_git = inside
            .as_str()
            .split('/')
            .any(|part| part.eq_ignore_ascii_case(".git"));
        if is_content && !is_git && taken.insert(inside.as_str().to_lowercase()) {
            files.push((inside, entry));
        }
    }
    // Written last, so no file is written through a symlink.
    files.sort_by_key(|(_, entry)| entry.kind == SourceEntryKind::Symlink);
    let entries: Vec<&SourceEntry> = files.iter().map(|(_, entry)| *entry).collect();
    source.fetch_files(&entries)?;
    if source.size(&entries)? > MOST_LAYER_BYTES {
        let message = format!("too many files, or too large ones, in {}", revision.short());
        return Err(SourceError::TooMuch(message));
    }
    agpm_store::fill_atomically(&path, |fresh| write_files(source, &files, fresh))?;
    agpm_store::keep_used(trees, KEPT);
    Ok(path)
}

fn write_files(
    source: &dyn Source,
    files: &[(RelativePath, &SourceEntry)],
    fresh: &ConfinedDirectory,
) -> Result<(), SourceError> {
    for chunk in files.chunks(CHUNK) {
        let entries: Vec<&SourceEntry> = chunk.iter().map(|(_, entry)| *entry).collect();
        for ((path, entry), bytes) in chunk.iter().zip(source.read(&entries)?) {
            if entry.kind != SourceEntryKind::Symlink {
                fresh.create_new(path, &bytes)?;
                continue;
            }
            let target = String::from_utf8_lossy(&bytes);
            if stays_inside(path.as_str(), &target) {
                // A system without symlinks leaves them out.
                let _ = fresh.link_new(path, &target);
            }
        }
    }
    Ok(())
}
