//! The path and version in a URL.

use std::fmt;

use super::problem::AddressProblem;
use crate::unit::ResourcePath;
use crate::version::VersionRequirement;

/// A path in a source and a requirement on its version.
#[derive(Clone, Debug, Default)]
pub struct InnerAddress {
    /// The path or pattern; `None` is the whole source.
    pub path: Option<ResourcePath>,
    /// The requirement; without one, agpm chooses the version.
    pub requirement: Option<VersionRequirement>,
}

impl fmt::Display for InnerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}")?;
        }
        match &self.requirement {
            Some(requirement) => write!(f, "@{}", requirement.as_str()),
            None => Ok(()),
        }
    }
}

/// Splits at the first `@` that does not begin a segment: `@scope` is part of a path, and a tag may be `pdf@1.0.0`.
pub(super) fn split_requirement(text: &str) -> (&str, Option<&str>) {
    let begins_segment = |at: usize| at == 0 || text[..at].ends_with('/');
    let at = text
        .match_indices('@')
        .map(|(at, _)| at)
        .find(|at| !begins_segment(*at));
    match at {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// `PATH[@REQ]`.
pub(super) fn inner(text: &str) -> Result<InnerAddress, AddressProblem> {
    let (path, requirement) = split_requirement(text);
    inner_of(path, requirement)
}

pub(super) fn inner_of(
    path: &str,
    requirement: Option<&str>,
) -> Result<InnerAddress, AddressProblem> {
    let path = path.trim_matches('/');
    let bad = |error| AddressProblem::Path {
        path: path.to_owned(),
        error,
    };
    // The whole repository is not a path: an empty one would be resolved as a directory with an empty name.
    let is_root = matches!(path, "" | ".");
    Ok(InnerAddress {
        path: (!is_root)
            .then(|| ResourcePath::in_source(path))
            .transpose()
            .map_err(bad)?,
        requirement: requirement.map(VersionRequirement::parse).transpose()?,
    })
}
