//! Converts errors of sources to failures with help.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean};
use agpm_model::SourceName;
use agpm_source::SourceError;

/// The help if git is missing or too old.
pub(crate) const GIT_HELP: &str = "install git 2.34 or later";

/// Converts the error of a named source to a failure.
pub(crate) fn source_failure(name: &SourceName, error: SourceError) -> Failure {
    source_failure_of(&format!("source `{name}`"), error)
}

/// Converts an error to a failure, with `what` as the subject of the message.
pub(crate) fn source_failure_of(what: &str, error: SourceError) -> Failure {
    let (kind, code, help) = match &error {
        SourceError::Offline(_) => (
            FailureKind::Network,
            &codes::SOURCE_OFFLINE,
            "run the command once without `--offline`",
        ),
        SourceError::Unreachable(_) => (
            FailureKind::Network,
            &codes::SOURCE_UNREACHABLE,
            "check the URL and the connection, then try again",
        ),
        SourceError::AuthRefused { help, .. } => {
            let help = help.clone();
            let found = Diagnostic::new(&codes::SOURCE_AUTH, format!("{what} refused access"));
            let found = found.detail(error.to_string()).help(help);
            return Failure::new(FailureKind::Network, found);
        }
        SourceError::NoSuchSource { message, help } => {
            let found = Diagnostic::new(&codes::SOURCE_UNREACHABLE, format!("{what}: {message}"));
            return Failure::new(FailureKind::NotFound, found.help(help.clone()));
        }
        SourceError::Invalid(_) => (
            FailureKind::Errors,
            &codes::SOURCE_CONTENT,
            "try again, and report it to the owner of the source if it happens again",
        ),
        SourceError::Hostile(_) => (
            FailureKind::Refused,
            &codes::SOURCE_CONTENT,
            "do not use this source until its owner has explained it",
        ),
        // The URL may be one of the manifest, of a marketplace, or just typed.
        SourceError::NotFound { address, .. } => {
            let message = format!("{what}: no git repository at `{address}`");
            let help = format!("check the URL, for example with `git ls-remote {address}`");
            let found = Diagnostic::new(&codes::SOURCE_UNREACHABLE, message).help(help);
            return Failure::new(FailureKind::Network, found);
        }
        SourceError::Damaged(_) => (
            FailureKind::Errors,
            &codes::SOURCE_GIT,
            "run `git fsck` in that repository, or contact its owner",
        ),
        SourceError::NoSuchRevision(_) | SourceError::AmbiguousRevision(_) => (
            FailureKind::Errors,
            &codes::PACKAGE_VERSION,
            "check `rev`, or run `agpm update` if the repository was rewritten",
        ),
        SourceError::NoSuchDirectory {
            directory, beside, ..
        } => {
            let name = directory.rsplit('/').next().unwrap_or(directory);
            let near = did_you_mean(
                name,
                "its directories are",
                beside.iter().map(String::as_str),
            );
            let mut found = Diagnostic::new(&codes::NAME_UNKNOWN, format!("{what}: {error}"));
            found.help =
                near.or_else(|| Some("name a directory of the source from its root".to_owned()));
            return Failure::new(FailureKind::NotFound, found);
        }
        SourceError::OutsideLink => {
            let found = Diagnostic::new(&codes::USAGE, format!("{what}: {error}"));
            let help = "name a directory inside it";
            return Failure::new(FailureKind::Refused, found.help(help));
        }
        SourceError::TooMuch(_) => (
            FailureKind::Errors,
            &codes::TEXT_TOO_LARGE,
            "name the directory to use after `:/`",
        ),
        SourceError::NoProgram(_) => (FailureKind::Errors, &codes::SOURCE_GIT, GIT_HELP),
        SourceError::Store(_) => return store_failure(error),
        _ => (
            FailureKind::Errors,
            &codes::SOURCE_GIT,
            "`agpm cache clean --all` throws the copies away; they are fetched again",
        ),
    };
    // Git's own words are long, so they are under the message and not in it.
    let (message, detail) = match &error {
        SourceError::Offline(words) => {
            (format!("offline: {what} is not in the cache"), Some(words))
        }
        SourceError::Unreachable(words) => (format!("cannot reach {what}"), Some(words)),
        SourceError::Damaged(words) => (format!("{what} is damaged"), Some(words)),
        SourceError::Invalid(words) => (format!("{what} sent invalid content"), Some(words)),
        SourceError::Hostile(words) => (format!("{what} sent dangerous content"), Some(words)),
        error => (format!("{what}: {error}"), None),
    };
    let found = Diagnostic::new(code, message).help(help);
    Failure::new(kind, found.details(detail.cloned()))
}

fn store_failure(error: SourceError) -> Failure {
    match error {
        SourceError::Store(error) => error.into(),
        other => Diagnostic::new(&codes::SOURCE_GIT, other.to_string()).into(),
    }
}
