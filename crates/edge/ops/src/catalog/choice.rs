//! Which commit a remote is: what its branch or tag means, or the commit that is named.

use agpm_diag::{Diagnostic, Spot, codes, did_you_mean};
use agpm_git::{GitError, Refs, Remote};
use agpm_model::{CatalogRemote, ObjectId};

use crate::failure::{Failure, FailureKind};
use crate::packages::git_failure_of;

/// Fewer digits are rather a word than a commit.
const FEWEST_DIGITS: usize = 7;

/// The commit that a remote is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The branch or tag, or the commit as it was asked for.
    pub(crate) version: String,
    pub(crate) commit: ObjectId,
}

/// Why there is no commit, or no folder of it.
#[derive(Debug)]
pub(super) enum Trouble {
    /// What git could not do.
    Git(GitError),
    /// Nothing is called so; these names are there.
    NoReference(Vec<String>),
    /// Nothing was called so when the remote was last asked, and it may not be asked now.
    NotCached(Vec<String>),
}

impl From<GitError> for Trouble {
    fn from(error: GitError) -> Self {
        Trouble::Git(error)
    }
}

/// The commit that a remote is now, as far as the network may be asked.
pub(super) fn choose(remote: &Remote, reference: Option<&str>) -> Result<Choice, Trouble> {
    let chosen = |commit| Choice {
        version: reference.unwrap_or_default().to_owned(),
        commit,
    };
    // The whole name of a commit means nothing else tomorrow, so nobody is asked.
    if let Some(commit) = reference.and_then(|reference| reference.parse().ok()) {
        return Ok(chosen(commit));
    }
    let refs = remote.refs()?;
    let found = match (listed(&refs, reference), reference) {
        (Some(choice), _) => return Ok(choice),
        (None, Some(digits)) if is_short_commit(digits) => remote.find_commit(digits),
        _ => return Err(no_reference(remote, &refs, reference)),
    };
    match found {
        Err(GitError::NoSuchCommit { .. }) => Err(no_reference(remote, &refs, reference)),
        found => Ok(chosen(found?)),
    }
}

/// What is listed under a name, tags before branches as git has it; the default branch if no name is given.
pub(super) fn listed(refs: &Refs, reference: Option<&str>) -> Option<Choice> {
    let reference = reference.filter(|reference| *reference != "HEAD");
    let name = reference.or(refs.head.as_deref())?;
    let (name, tags, branches) = match (
        name.strip_prefix("refs/tags/"),
        name.strip_prefix("refs/heads/"),
    ) {
        (Some(tag), _) => (tag, Some(&refs.tags), None),
        (_, Some(branch)) => (branch, None, Some(&refs.branches)),
        _ => (
            name,
            Some(&refs.tags).filter(|_| reference.is_some()),
            Some(&refs.branches),
        ),
    };
    let commit = tags
        .and_then(|tags| tags.get(name))
        .or_else(|| branches?.get(name))?;
    Some(Choice {
        version: name.to_owned(),
        commit: commit.clone(),
    })
}

fn no_reference(remote: &Remote, refs: &Refs, reference: Option<&str>) -> Trouble {
    let names = refs
        .branches
        .keys()
        .chain(refs.tags.keys())
        .cloned()
        .collect();
    match reference.is_some() && remote.is_out_of_reach() {
        true => Trouble::NotCached(names),
        false => Trouble::NoReference(names),
    }
}

fn is_short_commit(text: &str) -> bool {
    text.len() >= FEWEST_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What git could not do, or what is not there, as a failure with a way out.
pub(super) fn failure_of(remote: &CatalogRemote, trouble: Trouble) -> Failure {
    match trouble {
        Trouble::Git(error) => failure_of_git(remote, error),
        Trouble::NoReference(names) => no_such_reference(remote, &names),
        Trouble::NotCached(names) => not_cached(remote, &names),
    }
}

fn failure_of_git(remote: &CatalogRemote, error: GitError) -> Failure {
    let what = format!("remote `{remote}`");
    match error {
        GitError::NoSuchCommit { .. } | GitError::Ambiguous { .. } => {
            let found = Diagnostic::new(&codes::NAME_UNKNOWN, format!("{what}: {error}"));
            let help =
                "check the commit behind `#`, or run `agpm update` if the repository was rewritten";
            Failure::new(FailureKind::NotFound, found.help(help))
        }
        GitError::NotFound { .. } if remote.address().is_some() => {
            let Failure { kind, diagnostic } = git_failure_of(&what, error);
            Failure {
                kind,
                diagnostic: diagnostic.map(|found| found.help("check the address")),
            }
        }
        error => git_failure_of(&what, error),
    }
}

fn no_such_reference(remote: &CatalogRemote, names: &[String]) -> Failure {
    let (cause, near) = match &remote.reference {
        Some(reference) => (
            format!("there is no branch, tag or commit `{reference}`"),
            near(reference, names),
        ),
        None => ("the repository has no default branch".to_owned(), None),
    };
    let help = near.unwrap_or_else(|| "name a branch, a tag or a commit behind `#`".to_owned());
    let found = Diagnostic::new(&codes::NAME_UNKNOWN, format!("remote `{remote}`: {cause}"));
    Failure::new(FailureKind::NotFound, found.help(help))
}

fn not_cached(remote: &CatalogRemote, names: &[String]) -> Failure {
    let reference = remote.reference.as_deref().unwrap_or_default();
    let message = format!(
        "remote `{remote}`: `{reference}` is not in the cache, and no connection may be opened"
    );
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

/// What is said of a remote of the manifest that the catalog has to do without.
pub(super) fn left_out(cause: Failure, spot: Spot) -> Option<Diagnostic> {
    let cause = cause.diagnostic?;
    let mut found = Diagnostic::new(&codes::CATALOG_REMOTE, cause.message).at_spot(spot);
    found.help = cause.help;
    Some(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_name_is_a_tag_before_it_is_a_branch() {
        let id = |digit: &str| digit.repeat(40).parse::<ObjectId>().unwrap();
        let named = |names: &[(&str, &str)]| {
            names
                .iter()
                .map(|(name, digit)| ((*name).to_owned(), id(digit)))
                .collect()
        };
        let refs = Refs {
            head: Some("main".to_owned()),
            branches: named(&[("main", "1"), ("v1", "2"), ("feature/x", "3")]),
            tags: named(&[("v1", "4"), ("main", "5")]),
        };
        for (reference, version, digit) in [
            (None, "main", "1"),
            (Some("v1"), "v1", "4"),
            (Some("main"), "main", "5"),
            (Some("feature/x"), "feature/x", "3"),
            (Some("HEAD"), "main", "1"),
            (Some("refs/heads/v1"), "v1", "2"),
            (Some("refs/tags/main"), "main", "5"),
        ] {
            let expected = Choice {
                version: version.to_owned(),
                commit: id(digit),
            };
            assert_eq!(listed(&refs, reference), Some(expected), "{reference:?}");
        }
        assert_eq!(listed(&refs, Some("nope")), None);
        assert_eq!(listed(&Refs::default(), None), None);
    }
}
