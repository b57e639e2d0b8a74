//! Failures of catalog remotes: unknown branches, tags, commits and directories.

use agpm_diag::{Diagnostic, Failure, FailureKind, SourceSpan, codes, did_you_mean};
use agpm_model::CatalogRemote;
use agpm_source::{ReferenceError, SourceError};

use crate::project::source_failure::source_failure_of;

/// Converts the error of a source to a failure with help.
pub(super) fn failure_of(remote: &CatalogRemote, error: impl Into<ReferenceError>) -> Failure {
    match error.into() {
        ReferenceError::Source(error) => failure_of_source(remote, error),
        ReferenceError::NotFound(names) => no_such_reference(remote, &names),
        ReferenceError::NotCached(names) => not_cached(remote, &names),
    }
}

fn failure_of_source(remote: &CatalogRemote, error: SourceError) -> Failure {
    let what = format!("remote `{remote}`");
    match error {
        SourceError::NoSuchRevision(_) | SourceError::AmbiguousRevision(_) => {
            let found = Diagnostic::new(&codes::NAME_UNKNOWN, format!("{what}: {error}"));
            let help =
                "check the commit after `#`, or run `agpm update` if the repository was rewritten";
            Failure::new(FailureKind::NotFound, found.help(help))
        }
        SourceError::NotFound { .. } if remote.address().is_some() => {
            let Failure { kind, diagnostic } = source_failure_of(&what, error);
            Failure {
                kind,
                diagnostic: diagnostic.map(|found| found.help("check the URL")),
            }
        }
        error => source_failure_of(&what, error),
    }
}

fn no_such_reference(remote: &CatalogRemote, names: &[String]) -> Failure {
    let (cause, near) = match &remote.reference {
        Some(reference) => (
            format!("unknown branch, tag or commit `{reference}`"),
            near(reference, names),
        ),
        None => ("the repository has no default branch".to_owned(), None),
    };
    let help = near.unwrap_or_else(|| "name a branch, a tag or a commit after `#`".to_owned());
    let found = Diagnostic::new(&codes::NAME_UNKNOWN, format!("remote `{remote}`: {cause}"));
    Failure::new(FailureKind::NotFound, found.help(help))
}

fn not_cached(remote: &CatalogRemote, names: &[String]) -> Failure {
    let reference = remote.reference.as_deref().unwrap_or_default();
    let message = format!("offline: `{reference}` of remote `{remote}` is not in the cache");
    let again = "run the command once without `--offline`";
    let help = near(reference, names)
        .map_or_else(|| again.to_owned(), |near| format!("{near}; or {again}"));
    Failure::new(
        FailureKind::Network,
        Diagnostic::new(&codes::SOURCE_OFFLINE, message).help(help),
    )
}

fn near(reference: &str, names: &[String]) -> Option<String> {
    did_you_mean(reference, "there are", names.iter().map(String::as_str))
}

/// Returns the finding about a remote of the manifest that is not part of the catalog.
pub(super) fn left_out(cause: Failure, spot: SourceSpan) -> Option<Diagnostic> {
    let cause = cause.diagnostic?;
    let mut found = Diagnostic::new(&codes::CATALOG_REMOTE, cause.message).at_spot(spot);
    found.details = cause.details;
    found.help = cause.help;
    Some(found)
}
