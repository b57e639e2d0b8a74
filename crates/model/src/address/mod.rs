//! URLs that people type or paste to name a repository, something in it, a source or a directory.
//!
//! One grammar for every command and for dependencies in a manifest. The meaning of an argument follows from its text
//! and the names of the sources alone; callers find out whether anything exists.

mod browser;
mod forms;
mod hosts;
mod inner;
mod known_hosts;
mod problem;
mod remote;
mod repository;
mod source;
mod spelling;

use crate::name::SourceName;
use crate::redact::{HIDDEN, without_passwords};
use crate::version::VersionRequirement;

pub use browser::BrowserAddress;
pub use forms::AddressForm;
pub use hosts::{DefaultHost, HostError, PageReference};
pub use inner::InnerAddress;
pub(crate) use known_hosts::host_of_alias;
pub use problem::{ADDRESS_SCHEMES, AddressProblem, SourceAddressError};
pub use remote::{Encryption, ServerLocation};
pub(crate) use remote::{comparable_host, is_flat_host, location_of, port_of, split_port};
pub(crate) use repository::repository_url;
pub use repository::{repository_name, repository_owner, same_repository};
pub use source::{AddressKind, SourceAddress};
pub(crate) use spelling::{check_escapes, check_segments};

use inner::{inner, inner_of, split_requirement};
use known_hosts::{GroupNesting, KNOWN_HOSTS, KnownHost, known_host};
use repository::{is_repository, is_word};

/// A source with an optional path and version, as it was typed.
#[derive(Clone, Debug)]
pub enum Address {
    /// A git repository, or something in it.
    Repository(RepositoryAddress),
    /// A page of a host that shows a file or directory of a repository.
    Browser(BrowserAddress),
    /// A source of the manifest or of the user's configuration, or something in it.
    Source(NamedAddress),
    /// A plugin of a marketplace.
    Plugin(PluginAddress),
    /// A directory or file on this machine, as typed.
    Local(String),
}

/// A repository by its URL.
#[derive(Clone, Debug)]
pub struct RepositoryAddress {
    /// The URL of the repository.
    pub url: SourceAddress,
    /// The path and version in the repository.
    pub inner: InnerAddress,
}

/// A source by its name.
#[derive(Clone, Debug)]
pub struct NamedAddress {
    /// The name, which may be undefined.
    pub name: SourceName,
    /// The path and version in the source.
    pub inner: InnerAddress,
}

/// `NAME@MARKETPLACE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginAddress {
    /// Its name in the marketplace.
    pub name: String,
    /// The name of a source, or the name that a marketplace gives itself.
    pub marketplace: String,
}

/// The context that the meaning of an [`Address`] depends on.
#[derive(Clone, Copy)]
pub struct AddressContext<'a> {
    /// The host of `OWNER/REPO`.
    pub default_host: &'a DefaultHost,
    /// Whether a source has this name.
    pub is_source: &'a dyn Fn(&str) -> bool,
}

/// The reason why text is not a valid [`Address`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct AddressError {
    /// The problem.
    pub problem: AddressProblem,
    /// Valid forms that resemble the input.
    pub forms: Vec<AddressForm>,
}

impl Address {
    /// Parses a URL.
    pub fn parse(text: &str, context: &AddressContext<'_>) -> Result<Self, AddressError> {
        let text = text.trim_matches(' ');
        parse(text, context).map_err(|problem| AddressError {
            forms: forms::forms_for(text, &problem, context.default_host),
            problem,
        })
    }

    /// The same with another requirement; `None` if its form states none after `@`.
    pub fn requiring(&self, requirement: VersionRequirement) -> Option<Self> {
        let mut address = self.clone();
        let inner = match &mut address {
            Address::Repository(found) => &mut found.inner,
            Address::Source(found) => &mut found.inner,
            _ => return None,
        };
        inner.requirement = Some(requirement);
        Some(address)
    }

    /// Whether text in a manifest is a URL: text without a scheme is a local path.
    pub fn has_scheme(text: &str) -> bool {
        let alias = |host: &KnownHost| {
            let rest = text.strip_prefix(host.alias);
            rest.is_some_and(|rest| rest.starts_with(':'))
        };
        KNOWN_HOSTS.iter().any(alias)
            || text.starts_with("git+")
            || text.contains("://")
            || source::layout_path(text).is_some()
            || is_scp(text)
    }
}

fn parse(text: &str, context: &AddressContext<'_>) -> Result<Address, AddressProblem> {
    if text.is_empty() {
        return Err(AddressProblem::Empty);
    }
    if text.contains(|c: char| c.is_control() || c.is_whitespace()) && !is_local(text) {
        return Err(AddressProblem::OddCharacter);
    }
    // Before the other forms: a path may contain `:`, `@` and `//`, and the user marked it as a path with its first
    // character.
    if is_local(text) {
        return Ok(Address::Local(text.to_owned()));
    }
    if let Some(url) = text.strip_prefix("git+") {
        return if url.contains("://") || is_scp(url) {
            parse_url(url)
        } else {
            Err(AddressProblem::NoForm(text.to_owned()))
        };
    }
    if let Some(path) = source::layout_path(text) {
        return parse_layout(&text[..text.len() - path.len()], path);
    }
    // Before `WORD:REST`, since the scheme of a URL has the shape of a source name.
    if text.contains("://") || is_scp(text) {
        return parse_url(text);
    }
    if let Some((word, rest)) = text.split_once(':') {
        return parse_prefixed(text, word, rest, context);
    }
    if text.contains('/') {
        let host = context.default_host;
        return parse_shorthand(text, host.nesting(), &|path| host.url_of(path));
    }
    parse_word(text)
}

/// `PATH[//PATH][@REQ]` of an OCI image layout.
fn parse_layout(prefix: &str, text: &str) -> Result<Address, AddressProblem> {
    let (rest, requirement) = split_requirement(text);
    let (layout, path) = rest.split_once("//").unwrap_or((rest, ""));
    Ok(Address::Repository(RepositoryAddress {
        url: SourceAddress::parse(&format!("{prefix}{layout}"))?,
        inner: inner_of(path, requirement)?,
    }))
}

/// Whether text names something on this machine.
fn is_local(text: &str) -> bool {
    let is_drive = text.as_bytes().get(1) == Some(&b':')
        && text.as_bytes()[0].is_ascii_alphabetic()
        && text[2..].starts_with(['/', '\\']);
    let starts = ["./", "../", "/", "~/", ".\\", "..\\"];
    is_drive || matches!(text, "." | ".." | "~") || starts.iter().any(|one| text.starts_with(one))
}

/// `user@host:path`, with the colon before any slash.
fn is_scp(text: &str) -> bool {
    let front = text.split('/').next().unwrap_or_default();
    match front.split_once('@') {
        Some((user, rest)) => {
            !user.is_empty() && !user.contains(':') && rest.find(':').is_some_and(|at| at > 0)
        }
        None => false,
    }
}

/// `WORD:REST`: something in a source, or on a host with a short name.
fn parse_prefixed(
    text: &str,
    word: &str,
    rest: &str,
    context: &AddressContext<'_>,
) -> Result<Address, AddressProblem> {
    let known_alias = KNOWN_HOSTS.iter().find(|host| host.alias == word);
    // A source of the manifest may be named `github`, and it wins over the built-in short name.
    if let Some(host) = known_alias.filter(|_| !(context.is_source)(word)) {
        let url = |path: &str| format!("https://{}/{path}", host.host);
        return parse_shorthand(rest, host.nesting, &url);
    }
    let name = SourceName::new(word).ok().filter(|_| is_word(word));
    match name {
        Some(name) if !rest.is_empty() => Ok(Address::Source(NamedAddress {
            name,
            inner: inner(rest)?,
        })),
        _ => Err(AddressProblem::NoForm(text.to_owned())),
    }
}

/// `OWNER/REPO[/PATH][@REQ]`, and `GROUP/SUB/REPO//PATH` where groups nest.
fn parse_shorthand(
    text: &str,
    nesting: GroupNesting,
    url: &dyn Fn(&str) -> String,
) -> Result<Address, AddressProblem> {
    let no_repository = || AddressProblem::NoRepository(text.to_owned());
    if text.contains('#') {
        return Err(AddressProblem::Fragment(text.to_owned()));
    }
    let (address_path, requirement) = split_requirement(text);
    let (repository, path) = match address_path.split_once("//") {
        Some((repository, path)) => (repository.to_owned(), path.to_owned()),
        None => {
            let mut parts = address_path.splitn(3, '/');
            let (owner, name) = (parts.next(), parts.next());
            let (owner, name) = owner.zip(name).ok_or_else(no_repository)?;
            (
                format!("{owner}/{name}"),
                parts.next().unwrap_or("").to_owned(),
            )
        }
    };
    let repository = repository.trim_end_matches('/');
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    let segments: Vec<&str> = repository.split('/').collect();
    // `github.com/owner/repo` without a scheme would otherwise be the repository `owner` of the user `github.com`.
    if known_host(segments[0]).is_some() || is_host_like(segments[0]) {
        return Err(AddressProblem::BareHost(text.to_owned()));
    }
    let is_flat = segments.len() == 2;
    let (owners, name) = segments.split_at(segments.len() - 1);
    if owners.is_empty() || !owners.iter().all(|part| is_word(part)) || !is_repository(name[0]) {
        return Err(no_repository());
    }
    // On these hosts a third segment is a path, so `//` after three segments cannot be meant.
    if !is_flat && nesting == GroupNesting::Flat {
        return Err(AddressProblem::NoForm(text.to_owned()));
    }
    Ok(Address::Repository(RepositoryAddress {
        url: SourceAddress::parse(&url(repository))?,
        inner: inner_of(&path, requirement)?,
    }))
}

/// `NAME@MARKETPLACE`, or the name of a source.
fn parse_word(text: &str) -> Result<Address, AddressProblem> {
    if let Some((name, marketplace)) = text.split_once('@')
        && is_word(name)
        && is_word(marketplace)
    {
        return Ok(Address::Plugin(PluginAddress {
            name: name.to_owned(),
            marketplace: marketplace.to_owned(),
        }));
    }
    match SourceName::new(text) {
        Ok(name) if is_word(text) => Ok(Address::Source(NamedAddress {
            name,
            inner: InnerAddress::default(),
        })),
        _ => Err(AddressProblem::NoForm(text.to_owned())),
    }
}

/// A URL in git's syntax, or of a page that a browser shows.
fn parse_url(text: &str) -> Result<Address, AddressProblem> {
    // Problems of the URL itself are reported first; their message holds no secret.
    SourceAddress::check_start(text)?;
    let tail_at = match text.split_once("://") {
        Some((scheme, rest)) => {
            let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            scheme.len() + 3 + authority
        }
        None => text.find(':').map_or(text.len(), |at| at + 1),
    };
    let (front, tail) = text.split_at(tail_at);
    if let Some(page) = browser::parse_page(front, tail)? {
        return Ok(Address::Browser(page));
    }
    if tail.contains('?') {
        return Err(SourceAddressError::Query.into());
    }
    if let Some((address, version)) = tail.split_once('#') {
        let version = if version.is_empty() { "" } else { HIDDEN };
        let address = without_passwords(&format!("{front}{address}"));
        return Err(AddressProblem::Fragment(format!("{address}#{version}")));
    }
    let (rest, requirement) = split_requirement(tail);
    let separator = rest
        .char_indices()
        // Not at the very start: `https://host//x` has no repository before the separator.
        .skip(1)
        .find(|(at, _)| rest[*at..].starts_with("//"));
    let (repository, path) = match separator {
        Some((at, _)) => (&rest[..at], &rest[at + 2..]),
        None => (rest, ""),
    };
    let url = SourceAddress::parse(&format!("{front}{repository}"))?;
    refuse_other_page(front, repository, &url)?;
    Ok(Address::Repository(RepositoryAddress {
        url,
        inner: inner_of(path, requirement)?,
    }))
}

/// On a host where a repository is `OWNER/REPO`, anything else is a page, not a repository.
fn refuse_other_page(
    front: &str,
    repository: &str,
    url: &SourceAddress,
) -> Result<(), AddressProblem> {
    let authority = front.split_once("://").map_or(front, |(_, rest)| rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let is_flat = known_host(host.trim_end_matches(':'))
        .is_some_and(|host_entry| host_entry.nesting == GroupNesting::Flat);
    let count = repository
        .split('/')
        .filter(|part| !part.is_empty())
        .count();
    if is_flat && count != 2 {
        Err(AddressProblem::OtherPage(url.redacted().to_owned()))
    } else {
        Ok(())
    }
}

/// Whether an owner looks like a host: owners on known hosts have no dots.
fn is_host_like(owner: &str) -> bool {
    owner.contains('.') || owner == "localhost"
}
