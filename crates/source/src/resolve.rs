//! Resolves a requirement or a reference to a revision of a source.

use agpm_model::{
    AllowedVersions, Requirement, ResolvedVersion, SourceVersions, VersionIndex, VersionLabel,
    is_abbreviated_commit,
};

use crate::{Source, SourceError};

/// Returns the best version that a requirement allows; `None` if no version matches.
pub fn resolve(
    source: &dyn Source,
    requirement: &Requirement,
) -> Result<Option<ResolvedVersion>, SourceError> {
    let index = VersionIndex::new(source.versions()?);
    match index.allowed(requirement) {
        AllowedVersions::Listed(numbers) => {
            Ok(numbers.first().and_then(|best| index.version(*best)))
        }
        AllowedVersions::Commit(digits) => Ok(Some(ResolvedVersion {
            revision: source.find_revision(&digits)?,
            label: VersionLabel::new(&digits),
        })),
    }
}

/// Returns every listed version that a requirement allows, best first.
pub fn resolve_all(
    source: &dyn Source,
    requirement: &Requirement,
) -> Result<Vec<ResolvedVersion>, SourceError> {
    let index = VersionIndex::new(source.versions()?);
    Ok(match index.allowed(requirement) {
        AllowedVersions::Listed(numbers) => {
            let versions = numbers
                .into_iter()
                .filter_map(|number| index.version(number));
            versions.collect()
        }
        AllowedVersions::Commit(_) => Vec::new(),
    })
}

/// Why a reference could not be resolved.
#[derive(Debug)]
pub enum ReferenceError {
    /// The source failed.
    Source(SourceError),
    /// No reference has this name; these names exist.
    NotFound(Vec<String>),
    /// No reference had this name in the last listing, and the source may not be contacted now.
    NotCached(Vec<String>),
}

impl From<SourceError> for ReferenceError {
    fn from(error: SourceError) -> Self {
        ReferenceError::Source(error)
    }
}

/// Returns the commit of a branch, tag or commit id, or of the default branch. The source is contacted only if allowed.
pub fn resolve_reference(
    source: &dyn Source,
    reference: Option<&str>,
) -> Result<ResolvedVersion, ReferenceError> {
    let as_written = |revision| ResolvedVersion {
        label: VersionLabel::new(reference.unwrap_or_default()),
        revision,
    };
    // The full id of a commit never changes its meaning, so the source is not contacted.
    if let Some(revision) = reference.and_then(|reference| reference.parse().ok()) {
        return Ok(as_written(revision));
    }
    let versions = source.versions()?;
    if let Some(found) = versions.reference(reference) {
        return Ok(found);
    }
    let digits = reference.filter(|reference| is_abbreviated_commit(reference));
    match digits.map(|digits| source.find_revision(digits)) {
        None | Some(Err(SourceError::NoSuchRevision(_))) => {
            Err(not_found(source, &versions, reference))
        }
        Some(found) => Ok(as_written(found?)),
    }
}

fn not_found(
    source: &dyn Source,
    versions: &SourceVersions,
    reference: Option<&str>,
) -> ReferenceError {
    let names = versions.branches.keys().chain(versions.tags.keys());
    let names = names.cloned().collect();
    if reference.is_some() && source.is_out_of_reach() {
        ReferenceError::NotCached(names)
    } else {
        ReferenceError::NotFound(names)
    }
}
