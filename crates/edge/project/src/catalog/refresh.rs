//! The current version of a remote, written out, or its copy if it cannot be reached.

use std::path::PathBuf;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{CatalogRemote, ResolvedVersion};
use agpm_source::{ReferenceError, Source, SourceError, resolve_reference};

use crate::catalog::failures::failure_of;

/// A commit of a remote, written out.
#[derive(Debug)]
pub(super) struct Refreshed {
    pub(super) version: ResolvedVersion,
    pub(super) folder: PathBuf,
    /// The note that it may be out of date.
    pub(super) stale: Option<Diagnostic>,
}

/// The current version of a remote, or its copy if it cannot be reached.
pub(super) fn refresh(
    source: &dyn Source,
    remote: &CatalogRemote,
) -> Result<Refreshed, ReferenceError> {
    newest(source, remote).or_else(|error| match copy_instead(source, remote, &error) {
        Some((version, folder)) => Ok(Refreshed {
            version,
            folder,
            stale: stale(remote, error),
        }),
        None => Err(error),
    })
}

/// The current version of a remote only.
pub(super) fn newest(
    source: &dyn Source,
    remote: &CatalogRemote,
) -> Result<Refreshed, ReferenceError> {
    let (reference, inner) = (remote.reference.as_deref(), remote.folder.as_ref());
    let version = resolve_reference(source, reference)?;
    let folder = source.directory(Some(&version.revision), inner)?;
    source.remember_directory(reference, inner, &version.revision)?;
    Ok(Refreshed {
        version,
        folder,
        stale: None,
    })
}

/// The last good copy, if the way to the remote or into the cache failed and not the question; a commit that is listed and
/// not there is the remote's own trouble.
fn copy_instead(
    source: &dyn Source,
    remote: &CatalogRemote,
    error: &ReferenceError,
) -> Option<(ResolvedVersion, PathBuf)> {
    let (ReferenceError::NotCached(_)
    | ReferenceError::Source(
        SourceError::Offline(_)
        | SourceError::Unreachable(_)
        | SourceError::AuthRefused(_)
        | SourceError::NotFound { .. }
        | SourceError::NoSuchRevision(_)
        | SourceError::MissingFile(_)
        | SourceError::NoProgram(_)
        | SourceError::Broken(_)
        | SourceError::Store(_),
    )) = error
    else {
        return None;
    };
    let version = last(source, remote).or_else(|| {
        // Packages of the same source may have brought the commit.
        let versions = source.remembered_versions()?;
        let version = versions.reference(remote.reference.as_deref())?;
        source.has_revision(&version.revision).then_some(version)
    })?;
    let folder = source.directory(Some(&version.revision), remote.folder.as_ref());
    Some((version, folder.ok()?))
}

/// The last copy of a remote that was written out.
fn last(source: &dyn Source, remote: &CatalogRemote) -> Option<ResolvedVersion> {
    let reference = remote.reference.as_deref();
    let (revision, _) = source.last_directory(reference, remote.folder.as_ref())?;
    let branch = || source.remembered_versions()?.default_branch;
    let label = reference
        .map(str::to_owned)
        .or_else(branch)
        .unwrap_or_else(|| "HEAD".to_owned());
    Some(ResolvedVersion { label, revision })
}

/// That a copy applies; who forbids connections knows it.
fn stale(remote: &CatalogRemote, error: ReferenceError) -> Option<Diagnostic> {
    let (cause, check) = match error {
        ReferenceError::NotCached(_) | ReferenceError::Source(SourceError::Offline(_)) => {
            return None;
        }
        ReferenceError::Source(SourceError::Store(error)) => (
            format!("remote `{remote}`: {error}"),
            "the permissions of the cache and the disk",
        ),
        error => (
            failure_of(remote, error).diagnostic?.message,
            "the URL and the connection",
        ),
    };
    let help = format!("check {check}, or use `--offline` to read the copy without asking");
    let message = format!("{cause}; the copy in the cache is used");
    Some(Diagnostic::new(&codes::CATALOG_STALE, message).help(help))
}
