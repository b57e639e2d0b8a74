//! What a remote is now, written out, or the copy of it if it cannot be asked.

use std::path::PathBuf;

use agpm_diag::{Diagnostic, codes};
use agpm_git::{GitError, Remote};
use agpm_model::{CatalogRemote, ObjectId};

use crate::catalog::choice::{Choice, Trouble, choose, failure_of, listed};

/// A commit of a remote, written out.
#[derive(Debug)]
pub(super) struct Refreshed {
    pub(super) choice: Choice,
    pub(super) folder: PathBuf,
    /// What is to be said if it may be older than it could be.
    pub(super) stale: Option<Diagnostic>,
}

/// What a remote is now, or the copy of it if it cannot be asked.
pub(super) fn refresh(git: &Remote, remote: &CatalogRemote) -> Result<Refreshed, Trouble> {
    newest(git, remote).or_else(|trouble| match copy_instead(git, remote, &trouble) {
        Some((choice, folder)) => Ok(Refreshed {
            choice,
            folder,
            stale: stale(remote, trouble),
        }),
        None => Err(trouble),
    })
}

/// What a remote is now, and nothing else.
pub(super) fn newest(git: &Remote, remote: &CatalogRemote) -> Result<Refreshed, Trouble> {
    let (reference, inner) = (remote.reference.as_deref(), remote.folder.as_ref());
    let choice = choose(git, reference)?;
    let folder = git.checkout(&choice.commit, inner)?;
    git.remember_checkout(reference, inner, &choice.commit)?;
    Ok(Refreshed {
        choice,
        folder,
        stale: None,
    })
}

/// The last good copy, if the way to the remote or into the cache failed and not the question; a commit that is listed and
/// not there is the remote's own trouble.
fn copy_instead(
    git: &Remote,
    remote: &CatalogRemote,
    trouble: &Trouble,
) -> Option<(Choice, PathBuf)> {
    let (Trouble::NotCached(_)
    | Trouble::Git(
        GitError::Offline { .. }
        | GitError::Unreachable { .. }
        | GitError::AuthRefused { .. }
        | GitError::NotFound { .. }
        | GitError::NoSuchCommit { .. }
        | GitError::MissingObject { .. }
        | GitError::NoGit { .. }
        | GitError::TooOld { .. }
        | GitError::Broken { .. }
        | GitError::Store(_),
    )) = trouble
    else {
        return None;
    };
    let choice = last(git, remote).or_else(|| {
        // Packages of the same source may have brought the commit.
        let choice = listed(&git.remembered_refs()?, remote.reference.as_deref())?;
        git.has_commit(&choice.commit).then_some(choice)
    })?;
    let place = git.checkout(&choice.commit, remote.folder.as_ref()).ok()?;
    Some((choice, place))
}

/// What was last written out of a remote.
fn last(git: &Remote, remote: &CatalogRemote) -> Option<Choice> {
    let reference = remote.reference.as_deref();
    let (commit, _): (ObjectId, PathBuf) = git.last_checkout(reference, remote.folder.as_ref())?;
    let branch = || git.remembered_refs().and_then(|refs| refs.head);
    let version = reference
        .map(str::to_owned)
        .or_else(branch)
        .unwrap_or_else(|| "HEAD".to_owned());
    Some(Choice { version, commit })
}

/// That a copy counts; who forbids connections knows it.
fn stale(remote: &CatalogRemote, trouble: Trouble) -> Option<Diagnostic> {
    let (cause, check) = match trouble {
        Trouble::NotCached(_) | Trouble::Git(GitError::Offline { .. }) => return None,
        Trouble::Git(GitError::Store(error)) => (
            format!("remote `{remote}`: {error}"),
            "the permissions of the cache and the disk",
        ),
        trouble => (
            failure_of(remote, trouble).diagnostic?.message,
            "the address and the connection",
        ),
    };
    let help = format!("check {check}, or use `--offline` to read the copy without asking");
    let message = format!("{cause}; the copy in the cache counts");
    Some(Diagnostic::new(&codes::CATALOG_STALE, message).help(help))
}
