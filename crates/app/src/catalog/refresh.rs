//! Checks out the current version of a remote into the cache, or uses the existing copy if the remote is unreachable.

use std::path::PathBuf;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{CatalogRemote, ResolvedVersion, VersionLabel};
use agpm_source::{ReferenceError, Source, SourceError, resolve_reference};

use crate::catalog::failures::failure_of;

/// A version of a remote that is checked out into the cache.
#[derive(Debug)]
pub(super) struct RefreshedRemote {
    pub(super) version: ResolvedVersion,
    pub(super) directory: PathBuf,
    /// The warning if the copy may be older than the remote.
    pub(super) stale: Option<Diagnostic>,
}

/// Checks out the current version of a remote; if the remote is unreachable, returns the existing copy.
pub(super) fn refresh(
    source: &dyn Source,
    remote: &CatalogRemote,
) -> Result<RefreshedRemote, ReferenceError> {
    newest(source, remote).or_else(|error| match copy_instead(source, remote, &error) {
        Some((version, directory)) => Ok(RefreshedRemote {
            version,
            directory,
            stale: stale(remote, error),
        }),
        None => Err(error),
    })
}

/// Checks out the current version of a remote.
pub(super) fn newest(
    source: &dyn Source,
    remote: &CatalogRemote,
) -> Result<RefreshedRemote, ReferenceError> {
    let (reference, inner) = (remote.reference.as_deref(), remote.directory.as_ref());
    let version = resolve_reference(source, reference)?;
    // A remote becomes a directory in the cache, so one implementation finds, reads and confines the files of all
    // layers, and the paths in JSON output can be opened (ADR 8).
    let directory = source.directory(Some(&version.revision), inner)?;
    source.remember_directory(reference, inner, &version.revision)?;
    Ok(RefreshedRemote {
        version,
        directory,
        stale: None,
    })
}

/// Returns the last good copy if the remote or the cache failed. A wrong reference gets no copy. A commit that the
/// remote lists but cannot deliver is a failure of the remote.
fn copy_instead(
    source: &dyn Source,
    remote: &CatalogRemote,
    error: &ReferenceError,
) -> Option<(ResolvedVersion, PathBuf)> {
    let (ReferenceError::NotCached(_)
    | ReferenceError::Source(
        SourceError::Offline(_)
        | SourceError::Unreachable(_)
        | SourceError::AuthRefused { .. }
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
        // Packages of the same source may have fetched the commit.
        let versions = source.remembered_versions()?;
        let version = versions.reference(remote.reference.as_deref())?;
        source.has_revision(&version.revision).then_some(version)
    })?;
    let directory = source.directory(Some(&version.revision), remote.directory.as_ref());
    Some((version, directory.ok()?))
}

/// Returns the version that was last checked out.
fn last(source: &dyn Source, remote: &CatalogRemote) -> Option<ResolvedVersion> {
    let reference = remote.reference.as_deref();
    let (revision, _) = source.last_directory(reference, remote.directory.as_ref())?;
    let branch = || source.remembered_versions()?.default_branch;
    let label = match reference {
        Some(reference) => VersionLabel::new(reference),
        None => VersionLabel::new(branch().as_deref().unwrap_or("HEAD")),
    };
    Some(ResolvedVersion { label, revision })
}

/// Returns the warning that a copy is used. With `--offline` there is none, since the user chose that.
fn stale(remote: &CatalogRemote, error: ReferenceError) -> Option<Diagnostic> {
    let (cause, check) = match error {
        ReferenceError::NotCached(_) | ReferenceError::Source(SourceError::Offline(_)) => {
            return None;
        }
        ReferenceError::Source(SourceError::Store(error)) => (
            format!("remote `{remote}`: {error}"),
            "the permissions of the cache and the disk",
        ),
        error => {
            let found = failure_of(remote, error).diagnostic?;
            let cause = if found.details.is_empty() {
                found.message
            } else {
                found.details.join("; ")
            };
            (cause, "the URL and the connection")
        }
    };
    let help = format!("check {check}, or use `--offline` to read the copy without asking");
    let message = format!("using the cached copy of remote `{remote}`");
    let diagnostic = Diagnostic::new(&codes::CATALOG_STALE, message);
    Some(diagnostic.detail(cause).help(help))
}
