//! Files in the directories of skills and plugins that do not belong to them.

use std::collections::BTreeSet;

use crate::drift::{DriftFinding, extra_files, own_directory};
use agpm_compose::RenderedResource;
use agpm_diag::Failure;
use agpm_model::is_junk;
use agpm_store::ProjectStore;

/// Skills are not nested deeper than this.
const MOST_LEVELS: usize = 64;

/// Files, symlinks and others that are not part of a skill or a plugin.
pub(crate) fn unexpected_files(
    store: &ProjectStore,
    resources: &[RenderedResource],
) -> Result<Vec<DriftFinding>, Failure> {
    let mut findings = Vec::new();
    for resource in resources {
        let Some(directory) = own_directory(resource) else {
            continue;
        };
        let full = store.path().join(directory.as_str());
        let found = agpm_store::entries_below(&full, MOST_LEVELS)?.into_iter();
        let found = found.map(|entry| entry.path);
        let (left_behind, mut found): (Vec<String>, Vec<String>) =
            found.partition(|path| path.split('/').any(is_junk));
        // Caches and backups appear where people work, but nobody commits them for a good reason.
        let left_behind: BTreeSet<String> = left_behind.into_iter().collect();
        if !left_behind.is_empty() {
            found.extend(agpm_source::git::first_tracked(&full, |path| {
                left_behind.contains(path)
            }));
        }
        findings.extend(extra_files(resource, &found));
    }
    Ok(findings)
}
