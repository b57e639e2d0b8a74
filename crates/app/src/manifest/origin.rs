//! The origin of an added resource, as the manifest names it.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_model::{
    Manifest, SourceAddress, SourceName, SourceScope, normalize, repository_name, repository_owner,
    same_repository,
};

use crate::manifest::usage;

/// The manifest's name of a location.
#[derive(Clone, Debug)]
pub enum OfferOrigin {
    /// A source that it has, or one to be added.
    Source(OfferedSource),
    /// A directory of this machine, as the manifest writes it before a path.
    Local(String),
    /// The manifest itself, which defines a server.
    Manifest,
}

/// A source that something can be added from.
#[derive(Clone, Debug)]
pub struct OfferedSource {
    /// Its name in the manifest.
    pub name: SourceName,
    /// The URL or directory.
    pub address: SourceAddress,
    /// Whether the manifest has it.
    pub state: SourceState,
}

/// Whether the manifest has a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// The manifest has the source.
    Known,
    /// The source is added to the manifest.
    New,
}

impl OfferOrigin {
    /// The source; `None` for a local directory.
    pub fn source(&self) -> Option<&OfferedSource> {
        match self {
            OfferOrigin::Source(source) => Some(source),
            OfferOrigin::Local(_) | OfferOrigin::Manifest => None,
        }
    }

    /// Its name in messages and for root candidates.
    pub fn label(&self) -> String {
        match self {
            OfferOrigin::Source(source) => source.name.to_string(),
            OfferOrigin::Local(path) => {
                let name = path.trim_end_matches('/').rsplit('/').next();
                name.unwrap_or_default().trim_matches('.').to_owned()
            }
            OfferOrigin::Manifest => crate::manifest::MANIFEST_NAME.to_owned(),
        }
    }
}

impl OfferedSource {
    /// The sources that a manifest has.
    pub fn all_of(manifest: &Manifest) -> Vec<OfferedSource> {
        let sources = |source: &agpm_model::SourceDeclaration| OfferedSource {
            name: source.name.clone(),
            address: source.address.clone(),
            state: SourceState::Known,
        };
        let named = manifest
            .sources
            .iter()
            .filter(|source| !source.is_implicit());
        named.map(sources).collect()
    }

    /// The sources of a project. A source of the user's configuration is copied to the project when something is added
    /// from it: without it, nobody else could install the project. A private one, or one with a secret in its URL, is
    /// not copied.
    pub fn shared_by(manifest: &Manifest, private: &[String]) -> Vec<OfferedSource> {
        let mut sources = OfferedSource::all_of(manifest);
        for one in &mut sources {
            let declared = manifest.source(&one.name);
            let is_users = declared.is_some_and(|source| source.scope == SourceScope::User);
            let is_private = private.iter().any(|name| name == one.name.as_str());
            if is_users && !is_private && !has_secret(&one.address) {
                one.state = SourceState::New;
            }
        }
        sources
    }

    /// The source of a repository: one that is known, or a new one with a name that is free.
    pub fn for_repository(
        sources: &[OfferedSource],
        url: &SourceAddress,
    ) -> Result<OfferedSource, Failure> {
        let mut same = sources.iter();
        if let Some(source) = same.find(|one| same_repository(&one.address, url)) {
            return Ok(source.clone());
        }
        refuse_secret(url)?;
        let is_free = |name: &String| !sources.iter().any(|one| one.name.as_str() == name);
        let short = repository_name(url.redacted()).to_owned();
        let owner = repository_owner(url.redacted()).map(plain_word);
        let long = owner.map_or_else(|| short.clone(), |owner| format!("{owner}-{short}"));
        let numbered = (2..).map(|number| format!("{long}-{number}"));
        let mut names = [short, long.clone()].into_iter().chain(numbered);
        let name = names.find(is_free).unwrap_or(long);
        let bad = |_| usage(format!("`{name}` cannot be a source"), String::new());
        Ok(OfferedSource {
            name: SourceName::new(&name).map_err(bad)?,
            address: url.clone(),
            state: SourceState::New,
        })
    }
}

/// A manifest is shared, and a new source would be written into it.
fn refuse_secret(url: &SourceAddress) -> Result<(), Failure> {
    if !has_secret(url) {
        return Ok(());
    }
    let message = format!("the URL of `{url}` holds a secret, and the manifest is shared");
    let help =
        "leave it out and keep it in git's credentials, or run `agpm config add-source` first";
    let diagnostic = Diagnostic::new(&codes::MANIFEST_SECRET, message).help(help);
    Err(Failure::new(FailureKind::Refused, diagnostic))
}

fn has_secret(url: &SourceAddress) -> bool {
    url.redacted() != url.reveal()
}

/// An owner as part of a name.
fn plain_word(owner: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '-'
        }
    };
    owner.chars().map(plain).collect()
}

/// A directory as a manifest in `folder` writes it: relative where it is inside or next to, absolute elsewhere.
pub fn path_from_manifest(directory: &Path, target: &Path) -> String {
    let target = normalize(target);
    let text = |path: &Path| path.to_string_lossy().replace('\\', "/");
    if let Ok(inner) = directory.strip_prefix(&target) {
        return match text(inner) {
            inner if inner.is_empty() => ".".to_owned(),
            inner => format!("./{inner}"),
        };
    }
    let beside = target.parent().filter(|parent| parent.parent().is_some());
    match beside.and_then(|parent| directory.strip_prefix(parent).ok()) {
        Some(inner) => text(&PathBuf::from("..").join(inner)),
        None => text(directory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, url: &str) -> OfferedSource {
        OfferedSource {
            name: SourceName::new(name).expect("a good name"),
            address: SourceAddress::parse(url).expect("a good URL"),
            state: SourceState::Known,
        }
    }

    #[test]
    fn a_new_source_gets_the_shortest_name_that_is_free() {
        let url = SourceAddress::parse("https://host/acme/kit.git").expect("a good URL");
        let name = |sources: &[OfferedSource]| {
            let source = OfferedSource::for_repository(sources, &url).expect("a source");
            (source.name.to_string(), source.state)
        };
        let other = source("kit", "https://host/other/kit");
        let same = source("mine", "https://host/acme/kit");
        assert_eq!(name(&[]), ("kit".to_owned(), SourceState::New));
        let taken = [other.clone()];
        assert_eq!(name(&taken), ("acme-kit".to_owned(), SourceState::New));
        let both = [other.clone(), source("acme-kit", "https://host/else")];
        assert_eq!(name(&both), ("acme-kit-2".to_owned(), SourceState::New));
        assert_eq!(
            name(&[other, same]),
            ("mine".to_owned(), SourceState::Known)
        );
    }

    #[test]
    fn a_secret_is_not_written_into_a_manifest() {
        let url = SourceAddress::parse("https://user:word@host/kit.git").expect("a good URL");
        let refused = OfferedSource::for_repository(&[], &url);
        let failure = refused.expect_err("the manifest is shared");
        assert_eq!(failure.kind, FailureKind::Refused);
    }

    #[test]
    fn a_directory_is_written_from_the_manifest() {
        let written = |directory: &str| path_from_manifest(Path::new(directory), Path::new("/w/p"));
        assert_eq!(written("/w/p"), ".");
        assert_eq!(written("/w/p/kit"), "./kit");
        assert_eq!(written("/w/kit"), "../kit");
        assert_eq!(written("/elsewhere/kit"), "/elsewhere/kit");
    }
}
