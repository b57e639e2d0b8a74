//! Bases: manifests that a manifest extends.

use std::fmt;

use agpm_diag::{Diagnostic, SourceSpan, codes};
use agpm_text::{Document, NodeKind, NodeRef};

use crate::address::{Address, AddressContext, DefaultHost, SourceAddress, same_repository};
use crate::check::{Check, spot};
use crate::digest::{Checksum, Revision};
use crate::name::BaseName;
use crate::pin::Pin;
use crate::unit::ResourcePath;
use crate::version::{DEFAULT_VERSION, VersionRequirement};

/// The most bases that may follow each other in a chain of `extends`.
pub const LONGEST_CHAIN: usize = 10;

/// The location of a base.
#[derive(Clone, Debug)]
pub enum BaseAddress {
    /// A directory on this machine, as written.
    Directory(String),
    /// A directory of a repository.
    Repository(RepositoryBase),
}

/// A base in a repository.
#[derive(Clone, Debug)]
pub struct RepositoryBase {
    /// The repository.
    pub url: SourceAddress,
    /// The directory of its `agpm.toml`, with `/`; empty for the top.
    pub directory: String,
    /// The required version.
    pub requirement: VersionRequirement,
}

/// A base that a manifest names.
#[derive(Clone, Debug)]
pub struct BaseReference {
    /// The location.
    pub address: BaseAddress,
    /// The entry of `extends`.
    pub spot: SourceSpan,
}

/// The root of the relative paths of a base.
#[derive(Clone, Debug)]
pub enum BaseRoot {
    /// A directory, from the directory of the manifest, or absolute.
    Directory(String),
    /// A directory of a repository at one commit.
    Snapshot {
        /// The repository.
        url: SourceAddress,
        /// The directory, empty for the top.
        directory: String,
        /// The commit.
        commit: Revision,
    },
}

impl BaseRoot {
    /// Whether the base does not come from this machine.
    pub fn is_remote(&self) -> bool {
        match self {
            BaseRoot::Directory(_) => false,
            BaseRoot::Snapshot { url, .. } => !url.is_local(),
        }
    }
}

/// A locked base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedBase {
    /// The directory of its `agpm.toml`: in the repository if it has a pin, else on this machine.
    pub directory: String,
    /// The version of its repository; `None` for a directory on this machine.
    pub pin: Option<Pin>,
    /// The checksum of its `agpm.toml`.
    pub checksum: Checksum,
}

impl LockedBase {
    /// The repository and the directory, without a version.
    pub fn name(&self) -> BaseName {
        match &self.pin {
            Some(pin) => name_in_repository(&pin.source.to_string(), &self.directory),
            None => BaseName::new(self.directory.clone()),
        }
    }
}

fn name_in_repository(url: &str, directory: &str) -> BaseName {
    match directory {
        "" => BaseName::new(url.to_owned()),
        directory => BaseName::new(format!("{url}//{directory}")),
    }
}

impl BaseAddress {
    /// The name without version and secrets.
    pub fn name(&self) -> BaseName {
        match self {
            BaseAddress::Directory(path) => BaseName::new(path.clone()),
            BaseAddress::Repository(base) => {
                name_in_repository(base.url.redacted(), &base.directory)
            }
        }
    }

    /// Parses a URL of `extends`; an error is a message and its help.
    fn parse(text: &str, host: &DefaultHost) -> Result<Self, BaseError> {
        let context = AddressContext {
            default_host: host,
            is_source: &|_| false,
        };
        let found = match Address::parse(text, &context) {
            Ok(Address::Repository(found)) => found,
            Ok(Address::Local(path)) => {
                let trimmed = path.trim_end_matches('/');
                let path = if trimmed.is_empty() { "/" } else { trimmed };
                return Ok(BaseAddress::Directory(path.to_owned()));
            }
            Ok(Address::Browser(page)) => {
                let (reference, path) = page.first_split();
                let url = page.url.redacted();
                return Err(BaseError {
                    message: "this is the URL of a page".to_owned(),
                    help: format!("write `{url}//{path}@{reference}`"),
                });
            }
            Ok(Address::Source(_) | Address::Plugin(_)) => {
                return Err(BaseError::new(
                    "this is not a git repository or a directory",
                ));
            }
            Err(error) => return Err(BaseError::new(&error.to_string())),
        };
        if found
            .inner
            .path
            .as_ref()
            .is_some_and(ResourcePath::is_pattern)
        {
            return Err(BaseError::new(
                "the directory of a base cannot be a pattern",
            ));
        }
        let directory = found.inner.path.as_ref().map(ResourcePath::in_tree);
        let default = || VersionRequirement::parse(DEFAULT_VERSION).expect("a good name");
        Ok(BaseAddress::Repository(RepositoryBase {
            url: found.url,
            directory: directory.unwrap_or_default().to_owned(),
            requirement: found.inner.requirement.unwrap_or_else(default),
        }))
    }
}

/// Prints the version too, but no secrets.
impl fmt::Display for BaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BaseAddress::Directory(_) => self.name().fmt(f),
            BaseAddress::Repository(base) => {
                write!(f, "{}@{}", self.name(), base.requirement.as_str())
            }
        }
    }
}

struct BaseError {
    message: String,
    help: String,
}

impl BaseError {
    fn new(message: &str) -> Self {
        BaseError {
            message: message.to_owned(),
            help: "write `github:OWNER/REPO@^1`, `https://HOST/REPO//PATH@^1` or `../DIRECTORY`"
                .to_owned(),
        }
    }
}

impl RepositoryBase {
    /// Whether a pin of the lockfile is for this version of this repository.
    pub fn is_pinned_by(&self, pin: &Pin) -> bool {
        let is_same = SourceAddress::parse(&pin.source.to_string()).is_ok_and(|locked| {
            same_repository(&locked, &self.url) || locked.redacted() == self.url.redacted()
        });
        is_same && pin.requirement.as_deref() == Some(self.requirement.as_str())
    }
}

/// The bases of a manifest, lowest first, and the findings about them.
pub fn read_extends(
    document: &Document,
    host: &DefaultHost,
) -> (Vec<BaseReference>, Vec<Diagnostic>) {
    let mut check = Check::default();
    let mut bases = Vec::new();
    let node = document.root().and_then(|root| root.get("extends"));
    let entries: Vec<NodeRef<'_>> = match node {
        Some(list) if list.kind() == NodeKind::List => list.items().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    for entry in entries {
        if entry.kind() != NodeKind::String {
            check.wrong_kind(entry, "`extends`", "a URL or directory, or a list of them");
            continue;
        }
        match BaseAddress::parse(entry.content(), host) {
            Ok(address) => {
                if has_secret(&address) {
                    let message = "the URL contains a secret, and this file is shared";
                    let diagnostic = Diagnostic::new(&codes::MANIFEST_SECRET, message);
                    let diagnostic = diagnostic.at_spot(spot(entry));
                    check.report(diagnostic.help("keep it in git's credentials"));
                }
                bases.push(BaseReference {
                    address,
                    spot: spot(entry),
                });
            }
            Err(error) => check.bad_value(entry, error.message, &error.help),
        }
    }
    (bases, check.into_diagnostics())
}

fn has_secret(address: &BaseAddress) -> bool {
    match address {
        BaseAddress::Directory(_) => false,
        BaseAddress::Repository(base) => base.url.redacted() != base.url.reveal(),
    }
}

/// The merge programs of a base, which are refused: a repository must not decide what runs on this machine.
pub fn refused_programs(base: &Document) -> Vec<Diagnostic> {
    let strategies = base.root().and_then(|root| root.get("strategies"));
    let tables = strategies.into_iter().flat_map(NodeRef::entries);
    let commands = tables.filter_map(|(name, table)| Some((name, table.get("command")?)));
    let report = |(name, command): (NodeRef<'_>, NodeRef<'_>)| {
        let message = format!(
            "a base cannot define a merge executable: strategy `{}` has a `command`",
            name.content()
        );
        let help = "define the strategy in the project's own `agpm.toml`";
        Diagnostic::new(&codes::BASE_PROGRAM, message)
            .at_spot(spot(command))
            .help(help)
    };
    commands.map(report).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use agpm_text::{Format, parse_alone};

    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let document = parse_alone(text, Format::Toml).document;
        let (bases, found) = read_extends(&document, &DefaultHost::default());
        let bases = bases.iter().map(|base| base.address.to_string());
        (
            bases.collect(),
            found.into_iter().map(|one| one.message).collect(),
        )
    }

    #[test]
    fn an_url_or_a_list_is_read_by_the_one_grammar() {
        let (bases, found) = read(
            r#"extends = ["git+https://git.corp/agents/base@^3", "corp/base", "github:corp/base//team@main", "../base/", "~/base", "git@git.corp:base.git@v1"]"#,
        );
        assert_eq!(found, [""; 0]);
        assert_eq!(
            bases,
            [
                "https://git.corp/agents/base@^3",
                "https://github.com/corp/base@main",
                "https://github.com/corp/base//team@main",
                "../base",
                "~/base",
                "git@git.corp:base.git@v1",
            ]
        );
        assert_eq!(read(r#"extends = "../base""#).0, ["../base"]);
        assert_eq!(read("").0, [""; 0]);
    }

    #[test]
    fn all_mistakes_are_reported_and_the_rest_is_read() {
        let (bases, found) = read(
            r#"extends = [1, "base", "https://u:secret@git.corp/base", "corp/x@^^", "", "../base"]"#,
        );
        assert_eq!(bases.last().unwrap(), "../base");
        assert_eq!(found.len(), 5, "{found:#?}");
        assert!(!found.iter().any(|message| message.contains("secret@")));
    }
}
