//! Sources that resources require: which of them may be used, and their names.

use agpm_diag::{Diagnostic, SourceSpan, codes};
use agpm_model::{
    Address, AddressContext, DeclaredDependency, LockedSource, Lockfile, Manifest, PathError,
    ResourceExtent, ResourceOrigin, ResourcePath, SourceAddress, SourceDeclaration, SourceName,
    SourceScope, Unit, repository_name, repository_owner, same_repository,
};

/// A source that a declared dependency names.
#[derive(Clone, Debug)]
pub enum RequiredSource {
    /// A source of the manifest.
    Known(SourceName),
    /// A repository that the manifest allows without naming it.
    Allowed(Box<SourceDeclaration>),
}

/// The reason why a source cannot be used.
#[derive(Clone, Debug)]
pub enum SourceRefusal {
    /// The project has no source of that name.
    UnknownName(String),
    /// The project neither names nor allows the repository.
    NotAllowed(SourceAddress),
    /// It is neither a name nor the URL of a repository.
    NoRepository(String),
}

/// The source of a declared dependency. A repository of the manifest is recognized however its URL is written.
pub fn required_source(
    manifest: &Manifest,
    written: &str,
    spot: SourceSpan,
) -> Result<RequiredSource, SourceRefusal> {
    let is_source = |name: &str| manifest.sources.iter().any(|one| one.name.as_str() == name);
    if is_source(written) {
        let named = SourceName::new(written).ok().map(RequiredSource::Known);
        return named.ok_or_else(|| SourceRefusal::UnknownName(written.to_owned()));
    }
    let address = repository_of(manifest, written)?;
    if let Some(source) = source_at(manifest, &address) {
        return Ok(RequiredSource::Known(source.name.clone()));
    }
    if !is_allowed(manifest, &address) {
        return Err(SourceRefusal::NotAllowed(address));
    }
    let name = unused_name(&address, &is_source);
    Ok(RequiredSource::Allowed(Box::new(SourceDeclaration {
        name,
        address,
        scope: SourceScope::Project,
        spot,
    })))
}

fn source_at<'m>(manifest: &'m Manifest, address: &SourceAddress) -> Option<&'m SourceDeclaration> {
    let mut sources = manifest.sources.iter();
    sources.find(|source| same_repository(&source.address, address))
}

/// Whether `allow-sources` covers a repository. Resources may not use directories of this machine.
fn is_allowed(manifest: &Manifest, address: &SourceAddress) -> bool {
    let mut allowed = manifest.allow_sources.iter();
    allowed.any(|pattern| pattern.matches(address))
}

fn repository_of(manifest: &Manifest, written: &str) -> Result<SourceAddress, SourceRefusal> {
    let not_a_repository = || SourceRefusal::NoRepository(written.to_owned());
    let url = written.strip_prefix("git+").unwrap_or(written);
    if url.contains("://") {
        return SourceAddress::parse(url).map_err(|_| not_a_repository());
    }
    if !Address::has_scheme(written) && !written.contains('/') {
        return Err(SourceRefusal::UnknownName(written.to_owned()));
    }
    let context = AddressContext {
        default_host: &manifest.default_host,
        is_source: &|_| false,
    };
    match Address::parse(written, &context) {
        Ok(Address::Repository(repository))
            if repository.inner.path.is_none() && repository.inner.requirement.is_none() =>
        {
            Ok(repository.url)
        }
        _ => Err(not_a_repository()),
    }
}

/// `OWNER-REPOSITORY`, with a number if another source has that name.
fn unused_name(address: &SourceAddress, is_taken: &dyn Fn(&str) -> bool) -> SourceName {
    let url = address.redacted();
    let repository = repository_name(url);
    let name = match repository_owner(url) {
        Some(owner) => format!("{owner}-{repository}"),
        None => repository.to_owned(),
    };
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| !is_taken(name)).unwrap_or_default();
    SourceName::new(&free).expect("a URL is one line")
}

/// The resource in another source, by its path from the root.
pub fn unit_of_source(
    source: &SourceName,
    declared: &DeclaredDependency,
) -> Result<Unit, PathError> {
    let path = declared.kind.directory_of(declared.path.trim());
    let path = match declared.kind.extent() {
        ResourceExtent::File => ResourcePath::in_source(path)?,
        ResourceExtent::Directory | ResourceExtent::Plugin => {
            ResourcePath::directory_in_source(path)?
        }
    };
    Ok(Unit {
        origin: ResourceOrigin::Source(source.clone()),
        path,
        extent: declared.kind.extent(),
        marketplace: None,
    })
}

/// Adds the sources of locked resources that no entry of the manifest names: they keep their names if the manifest
/// still allows them.
pub fn add_locked_sources(manifest: &mut Manifest, lock: &Lockfile) {
    for locked in &lock.sources {
        if manifest.source(&locked.name).is_some() {
            manifest.required_sources.insert(locked.name.clone());
        } else if let Some(source) = allowed_source(manifest, locked) {
            manifest.required_sources.insert(source.name.clone());
            manifest.sources.push(source);
        }
    }
}

fn allowed_source(manifest: &Manifest, locked: &LockedSource) -> Option<SourceDeclaration> {
    let address = SourceAddress::parse(locked.url.as_deref()?).ok()?;
    let is_new = source_at(manifest, &address).is_none() && is_allowed(manifest, &address);
    let spot = manifest.dependencies.first()?.spot;
    is_new.then(|| SourceDeclaration {
        name: locked.name.clone(),
        address,
        scope: SourceScope::Project,
        spot,
    })
}

/// The error about a source that a resource may not use; `chain` names the dependents.
pub fn refused_source(refusal: &SourceRefusal, chain: &[Unit], spot: SourceSpan) -> Diagnostic {
    let (message, change) = match refusal {
        SourceRefusal::UnknownName(name) => (
            format!("unknown source `{name}`"),
            format!("add `{name} = \"URL\"` to `[sources]`"),
        ),
        SourceRefusal::NotAllowed(address) => (
            format!("the manifest does not allow the source `{address}`"),
            format!("add `allow-sources = [\"{address}\"]` at the top of `agpm.toml`"),
        ),
        SourceRefusal::NoRepository(written) => (
            format!("`{written}` is not the URL of a repository"),
            "write `source: NAME`, `source: URL` or `source: github:OWNER/REPO`".to_owned(),
        ),
    };
    let chain: Vec<String> = chain.iter().map(|unit| format!("`{unit}`")).collect();
    Diagnostic::new(&codes::SOURCE_NOT_ALLOWED, message)
        .at_spot(spot)
        .help(format!("{change}; required by {}", chain.join(" -> ")))
}
