//! Dependencies that are URLs: their source needs no entry under `[sources]`.

use agpm_diag::{Diagnostic, SourceSpan, codes};
use agpm_text::NodeRef;

use crate::address::{
    Address, AddressContext, BrowserAddress, DefaultHost, RepositoryAddress, SourceAddress,
    repository_url, same_repository,
};
use crate::check::{Check, spot};
use crate::manifest::sources::{SourceDeclaration, SourceScope};
use crate::name::SourceName;
use crate::resource::ResourceType;
use crate::unit::{ResourceExtent, ResourceOrigin, ResourcePath, Unit};
use crate::version::{DEFAULT_VERSION, Requirement, VersionRequirement};

/// A dependency whose value is a URL.
pub(super) struct InlineDependency {
    pub(super) unit: Unit,
    pub(super) requirement: Requirement,
}

const HELP: &str = "write `github:OWNER/REPO/PATH@VERSION`, or `https://HOST/REPO//PATH@VERSION`";

/// Parses a URL; its source is added to the manifest, named after the URL.
pub(super) fn read_inline(
    check: &mut Check,
    sources: &mut Vec<SourceDeclaration>,
    node: NodeRef<'_>,
    kind: ResourceType,
    scope: SourceScope,
) -> Option<InlineDependency> {
    let host = DefaultHost::default();
    let context = AddressContext {
        default_host: &host,
        is_source: &|_| false,
    };
    let found = match Address::parse(node.content(), &context) {
        Ok(Address::Repository(found)) => found,
        Ok(Address::Browser(page)) => {
            check.bad_value(node, "this is the URL of a page", &as_address(&page));
            return None;
        }
        Ok(_) => {
            check.bad_value(node, "this URL is not a git repository", HELP);
            return None;
        }
        Err(error) => {
            check.bad_value(node, error.to_string(), HELP);
            return None;
        }
    };
    let path = inner_path(check, node, kind, &found)?;
    if scope == SourceScope::Project && found.url.redacted() != found.url.reveal() {
        let message = "the URL contains a secret, and this file is shared";
        let help = "keep it in git's credentials";
        let diagnostic = Diagnostic::new(&codes::MANIFEST_SECRET, message).at_spot(spot(node));
        check.report(diagnostic.help(help));
    }
    let main = || VersionRequirement::parse(DEFAULT_VERSION).expect("a good name");
    let requirement = found.inner.requirement.clone().unwrap_or_else(main);
    Some(InlineDependency {
        unit: Unit {
            origin: ResourceOrigin::Source(implicit_source(
                sources,
                &found.url,
                spot(node),
                scope,
            )?),
            path,
            extent: kind.extent(),
            marketplace: None,
        },
        requirement: Requirement::Version(requirement),
    })
}

/// The path in the repository; without one, a skill or plugin is the whole repository.
fn inner_path(
    check: &mut Check,
    node: NodeRef<'_>,
    kind: ResourceType,
    found: &RepositoryAddress,
) -> Option<ResourcePath> {
    let path = found.inner.path.as_ref().map(ResourcePath::as_str);
    let path = match (path, kind.extent()) {
        (Some(path), ResourceExtent::File) => ResourcePath::in_source(path),
        (None, ResourceExtent::File) => {
            check.bad_value(node, "the URL does not name a file", HELP);
            return None;
        }
        (path, ResourceExtent::Directory | ResourceExtent::Plugin) => {
            ResourcePath::directory_in_source(kind.directory_of(path.unwrap_or(".")))
        }
    };
    let bad = |error: crate::path::PathError| check.bad_value(node, error.to_string(), HELP);
    let path = path.map_err(bad).ok()?;
    if let Err(error) = path.glob() {
        check.bad_value(node, format!("invalid file pattern: {error}"), HELP);
        return None;
    }
    Some(path)
}

/// The source of a URL, the same for all its spellings.
pub(crate) fn implicit_source(
    sources: &mut Vec<SourceDeclaration>,
    url: &SourceAddress,
    spot: SourceSpan,
    scope: SourceScope,
) -> Option<SourceName> {
    let is_it = |one: &&SourceDeclaration| one.is_implicit() && same_repository(&one.address, url);
    if let Some(existing) = sources.iter().find(is_it) {
        return Some(existing.name.clone());
    }
    let name = SourceName::new(repository_url(url)).ok()?;
    sources.push(SourceDeclaration {
        name: name.clone(),
        address: url.clone(),
        scope,
        spot,
    });
    Some(name)
}

/// The URL of the content that a page shows.
fn as_address(page: &BrowserAddress) -> String {
    let (reference, path) = page.first_split();
    let url = page.url.redacted();
    format!("write `{url}//{path}@{reference}`")
}
