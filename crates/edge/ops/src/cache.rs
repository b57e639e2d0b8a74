//! `agpm cache`: what was fetched, and getting rid of it.

use std::path::Path;

use agpm_diag::{Diagnostic, codes};
use agpm_git::{CachedSource, Git};
use agpm_model::{CatalogRemote, Manifest, SourceAddress};
use agpm_text::Value;

use crate::config::configured_sources;
use crate::failure::{Failure, Notes, Outcome};
use crate::gather::{ManifestFiles, Project, shown};
use crate::packages::{Opened, git, open};
use crate::world::{ManifestUse, World};

/// What to do with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheRequest {
    /// Tell what is in it.
    Info,
    /// Remove copies that neither the project nor anything of the user uses.
    CleanUnused,
    /// Remove everything.
    CleanAll,
}

/// The cache, or what was removed from it.
#[derive(Debug)]
pub struct CacheReport {
    /// Where it is.
    pub folder: String,
    /// What was asked.
    pub request: CacheRequest,
    /// The copies that are there, or were removed.
    pub copies: Vec<CachedCopy>,
}

/// The copy of one source.
#[derive(Debug)]
pub struct CachedCopy {
    /// Its address without secrets; nothing if it was never finished.
    pub address: Option<String>,
    /// How large it is or was.
    pub bytes: u64,
}

/// Tells or cleans.
pub fn cache(world: &World, request: CacheRequest) -> Outcome<CacheReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: CacheRequest, notes: &mut Notes) -> Result<CacheReport, Failure> {
    let git = git(&world.environment);
    let folder = shown(&world.environment, git.folder());
    let cached = match request {
        CacheRequest::Info | CacheRequest::CleanAll => git.cached()?,
        CacheRequest::CleanUnused => unused(world, &git, notes)?,
    };
    let of = |cached: &CachedSource| CachedCopy { address: cached.address.clone(), bytes: cached.bytes };
    let copies = cached.iter().map(of).collect();
    if request != CacheRequest::Info {
        for copy in cached {
            copy.remove()?;
        }
    }
    Ok(CacheReport { folder, request, copies })
}

/// The copies that nothing we know of uses. Without a project nothing is known to be unused.
fn unused(world: &World, git: &Git, notes: &mut Notes) -> Result<Vec<CachedSource>, Failure> {
    let environment = &world.environment;
    let Some(files) = ManifestFiles::find(environment, ManifestUse::Nearest)? else {
        let message = "there is no `agpm.toml` here, so that nothing is known to be unused";
        let help = "run it in a project, or remove everything with `--all`";
        let mut diagnostic = Diagnostic::new(&codes::MANIFEST_MISSING, message).help(help);
        diagnostic.severity = agpm_diag::Severity::Note;
        notes.diagnostics.push(diagnostic);
        return Ok(Vec::new());
    };
    let folder = files.folder().to_owned();
    let project = Project::of(environment, files, notes)?;
    // A project may give a name of the configuration another address; other projects still use the user's.
    let configured = configured_sources(environment, notes)?.into_iter().map(|source| source.address);
    let addresses: Vec<SourceAddress> = configured.chain(addresses_of(&project.manifest)).collect();
    let own = Project::of_user(environment, notes)?.unwrap_or_default();
    let (own, own_folder) = (addresses_of(&own.manifest), own.folder.unwrap_or_default());
    let used = |cached: &CachedSource| {
        addresses.iter().any(|address| is_copy(world, git, address, &folder, cached))
            || own.iter().any(|address| is_copy(world, git, address, &own_folder, cached))
    };
    Ok(git.cached()?.into_iter().filter(|cached| !used(cached)).collect())
}

/// Everything that a manifest gives an address of.
fn addresses_of(manifest: &Manifest) -> Vec<SourceAddress> {
    let remotes = manifest.catalog.all().filter_map(CatalogRemote::address);
    manifest.sources.iter().map(|source| &source.address).chain(remotes).cloned().collect()
}

fn is_copy(world: &World, git: &Git, address: &SourceAddress, base: &Path, cached: &CachedSource) -> bool {
    match open(git, &world.environment, address, base) {
        Opened::Git(remote) => remote.is_kept_in(cached),
        Opened::Folder(_) => false,
    }
}

impl CacheReport {
    /// How large all copies together are or were.
    pub fn bytes(&self) -> u64 {
        self.copies.iter().map(|copy| copy.bytes).sum()
    }

    /// The fields `folder`, `bytes`, and `sources` or `removed`.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let number = |bytes: u64| Value::from(usize::try_from(bytes).unwrap_or(usize::MAX));
        let copy = |copy: &CachedCopy| {
            Value::map([("address", copy.address.as_deref().into()), ("bytes", number(copy.bytes))])
        };
        let key = if self.request == CacheRequest::Info { "sources" } else { "removed" };
        vec![
            ("folder", self.folder.as_str().into()),
            ("bytes", number(self.bytes())),
            (key, Value::list(self.copies.iter().map(copy))),
        ]
    }
}
