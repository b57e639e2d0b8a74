//! Policies at a URL: fetched before every run that checks them, and cached for runs that cannot reach them.

use std::fmt;
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes};
use agpm_model::{
    Address, AddressContext, Checksum, DEFAULT_VERSION, DefaultHost, RepositoryAddress,
    Requirement, ResourcePath, SourceAddress, VersionRequirement,
};
use agpm_source::{FileFetching, Source, SourceEntry, SourceEntryKind, SourceError, resolve};
use agpm_store as store;
use agpm_text::{FormatVersion, from_json, to_json};
use agpm_trust::duration;
use serde::{Deserialize, Serialize};

use crate::project::reading::limit;
use crate::project::source_failure::source_failure_of;
use crate::project::world::{Environment, World};

/// The name of a policy file.
pub(crate) const POLICY_NAME: &str = "policy.toml";
const POLICIES_DIRECTORY: &str = "policies";
/// The format version of a cached policy.
const VERSION: u32 = 1;

/// A policy in a repository.
#[derive(Clone, Debug)]
pub(crate) struct PolicyAddress {
    url: SourceAddress,
    path: String,
    requirement: VersionRequirement,
}

/// Shows the URL without secrets.
impl fmt::Display for PolicyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (url, path) = (self.url.redacted(), &self.path);
        write!(f, "{url}//{path}@{}", self.requirement.as_str())
    }
}

impl PolicyAddress {
    /// Parses the name of a policy as a URL; `None` for the path of a file.
    pub(crate) fn parse(named: &str) -> Result<Option<Self>, Failure> {
        if !Address::has_scheme(named) || file_of_url(named).is_some() {
            return Ok(None);
        }
        let host = DefaultHost::default();
        let context = AddressContext {
            default_host: &host,
            is_source: &|_| false,
        };
        let message = match Address::parse(named, &context) {
            Ok(Address::Repository(found)) => return Ok(Some(PolicyAddress::of(found))),
            Ok(_) => "this is not the URL of a git repository".to_owned(),
            Err(error) => error.to_string(),
        };
        let diagnostic = Diagnostic::new(&codes::USAGE, format!("invalid policy: {message}"));
        let help = "name a file, or write `https://HOST/REPO//PATH@VERSION`";
        Err(Failure::new(FailureKind::Usage, diagnostic.help(help)))
    }

    fn of(found: RepositoryAddress) -> Self {
        let path = found.inner.path.as_ref().map(ResourcePath::in_tree);
        let default = || VersionRequirement::parse(DEFAULT_VERSION).expect("a good name");
        PolicyAddress {
            url: found.url,
            path: path.unwrap_or(POLICY_NAME).to_owned(),
            requirement: found.inner.requirement.unwrap_or_else(default),
        }
    }

    fn cache_path(&self, environment: &Environment) -> PathBuf {
        let cache = environment
            .source_context(&environment.working_directory)
            .cache;
        let name = Checksum::of(self.to_string().as_bytes()).to_string();
        let name = name.trim_start_matches("sha256:");
        cache.join(POLICIES_DIRECTORY).join(format!("{name}.json"))
    }
}

/// Returns the path in a `file://` URL that names a file and not a repository.
pub(crate) fn file_of_url(named: &str) -> Option<&Path> {
    let path = named.strip_prefix("file://")?;
    let is_file = !path.contains("//") && store::is_file(Path::new(path));
    is_file.then(|| Path::new(path))
}

/// A policy as it was last fetched.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CachedPolicy {
    version: FormatVersion<VERSION>,
    address: String,
    /// The time in seconds since 1970.
    fetched: u64,
    /// The checksum of `text`: a truncated policy must not be used.
    checksum: String,
    /// The content of the policy.
    pub text: String,
}

/// Returns the cached copy of a policy, if it is complete.
pub(crate) fn cached_policy(
    environment: &Environment,
    address: &PolicyAddress,
) -> Option<CachedPolicy> {
    let bytes = store::read(&address.cache_path(environment), limit()).ok()?;
    let cached: CachedPolicy = from_json::<_, VERSION>(&bytes).ok()?;
    let is_intact = Checksum::of(cached.text.as_bytes()).to_string() == cached.checksum;
    (is_intact && cached.address == address.to_string()).then_some(cached)
}

/// Fetches the policies that have a URL. If one is unreachable, its cached copy is used with a warning; if it was never
/// fetched, `ProjectPolicies::read` decides whether the run may continue.
pub(crate) fn refresh_policies(world: &World, notes: &mut Notes) -> Result<(), Failure> {
    let policies = &world.environment.policies;
    for named in policies.variable.iter().chain(&policies.argument) {
        if let Some(address) = PolicyAddress::parse(named)? {
            refresh(world, &address, notes);
        }
    }
    Ok(())
}

fn refresh(world: &World, address: &PolicyAddress, notes: &mut Notes) {
    let environment = &world.environment;
    let context = environment.source_context(&environment.working_directory);
    let source = world.sources.open(&address.url, &context);
    let label = address.to_string();
    let fetched = fetch(address, &*source);
    let now = (world.clock)();
    let reason = match fetched.and_then(|text| keep(environment, address, text, now)) {
        Ok(()) => return,
        Err(error) => error,
    };
    let Some(cached) = cached_policy(environment, address) else {
        notes.log.push(format!("policy `{label}`: {reason}"));
        return;
    };
    let age = duration(now.saturating_sub(cached.fetched));
    let message = format!("cannot reach a policy; using the copy from {age} ago");
    let failure = source_failure_of(&format!("policy `{label}`"), reason);
    let details = failure.diagnostic.into_iter().flat_map(|found| {
        let message = std::iter::once(found.message);
        message.chain(found.details)
    });
    let diagnostic = Diagnostic::new(&codes::POLICY_STALE, message).details(details);
    notes
        .diagnostics
        .push(diagnostic.help("connect to the network to check for a newer version"));
}

fn fetch(address: &PolicyAddress, source: &dyn Source) -> Result<String, SourceError> {
    if source.is_out_of_reach() {
        return Err(SourceError::Offline(
            "no connection may be opened".to_owned(),
        ));
    }
    let requirement = Requirement::Version(address.requirement.clone());
    let required = address.requirement.as_str();
    let version = resolve(source, &requirement)?
        .ok_or_else(|| SourceError::NoSuchRevision(format!("no version fits `{required}`")))?;
    let commit = &version.revision;
    if !source.has_revision(commit) {
        source.fetch(std::slice::from_ref(commit), FileFetching::OnDemand)?;
    }
    let is_directory = |entry: &SourceEntry| entry.kind == SourceEntryKind::Directory;
    let path = match source.entry(Some(commit), &address.path)? {
        Some(entry) if is_directory(&entry) => format!("{}/{POLICY_NAME}", address.path),
        _ => address.path.clone(),
    };
    let entry = source.entry(Some(commit), &path)?;
    let entry = entry.filter(|entry| matches!(entry.kind, SourceEntryKind::File(_)));
    let missing = || SourceError::MissingFile(format!("{} has no `{path}`", version.label));
    let entry = entry.ok_or_else(missing)?;
    source.fetch_files(&[&entry])?;
    let bytes = source.read(&[&entry])?.into_iter().next();
    String::from_utf8(bytes.unwrap_or_default())
        .map_err(|_| SourceError::MissingFile(format!("`{path}` is not UTF-8")))
}

fn keep(
    environment: &Environment,
    address: &PolicyAddress,
    text: String,
    now: u64,
) -> Result<(), SourceError> {
    let cached = CachedPolicy {
        version: FormatVersion,
        address: address.to_string(),
        fetched: now,
        checksum: Checksum::of(text.as_bytes()).to_string(),
        text,
    };
    store::write_private(
        &address.cache_path(environment),
        to_json(&cached).as_bytes(),
    )?;
    Ok(())
}
