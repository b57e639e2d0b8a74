//! The sources of a project, opened when they are first used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::Failure;
use agpm_model::{
    CatalogRemote, Manifest, RemoteBase, ResourceOrigin, ResourceType, Revision, SourceAddress,
    SourceName, SourceVersions, Unit, normalize,
};
use agpm_resolve::ReleaseLimit;
use agpm_source::git::GitProgram;
use agpm_source::{
    DirectorySource, FileFetching, Source, SourceEntry, SourceError, SourceVersioning,
    SymlinkConfinement, git_program,
};

use crate::project::packages::marketplace_cache::MarketplaceCache;
use crate::project::source_failure::source_failure;
use crate::project::world::{Environment, InstallScope, World};

/// The sources in use, the directory of the manifest, and the directory to install into.
#[derive(Debug)]
pub(crate) struct ProjectSources {
    by_name: BTreeMap<SourceName, Arc<dyn Source>>,
    /// Remotes of the catalog that have a URL and no name.
    by_address: BTreeMap<SourceAddress, Arc<dyn Source>>,
    /// The files that the manifest names by path.
    pub local: DirectorySource,
    /// The directory of the manifest.
    pub project: PathBuf,
    /// The directory that resources are installed into.
    pub root: PathBuf,
    /// Whether this is a project or the user manifest.
    pub scope: InstallScope,
    /// The minimum age of versions, where a requirement allows several.
    pub release_limit: Option<ReleaseLimit>,
    /// The marketplaces that were read.
    pub(super) marketplaces: MarketplaceCache,
}

impl ProjectSources {
    /// Opens the sources of the dependencies, the layers and the catalog, without starting a process.
    pub(crate) fn open_used(world: &World, manifest: &Manifest, root: &Path) -> Self {
        // A plugin may require a plugin of any marketplace in the manifest, so with one every source may be needed.
        let mut dependencies = manifest.dependencies.iter();
        if dependencies.any(|dependency| dependency.kind == ResourceType::Plugins) {
            return ProjectSources::open_all(world, manifest, root);
        }
        let mut names = manifest.named_sources();
        names.extend(&manifest.required_sources);
        let sources = manifest.sources.iter();
        let used = sources.filter(|source| names.contains(&source.name));
        ProjectSources::open_selected(world, used, manifest.catalog.all(), root)
    }

    /// Sets the minimum age of versions.
    #[must_use]
    pub(crate) fn with_release_limit(self, release_limit: Option<ReleaseLimit>) -> Self {
        ProjectSources {
            release_limit,
            ..self
        }
    }

    /// Opens every source of the manifest.
    pub(crate) fn open_all(world: &World, manifest: &Manifest, root: &Path) -> Self {
        let remotes = manifest.catalog.all();
        ProjectSources::open_selected(world, manifest.sources.iter(), remotes, root)
    }

    /// Opens the sources of these catalog remotes.
    pub(crate) fn open_remotes<'r>(
        world: &World,
        manifest: &'r Manifest,
        root: &Path,
        remotes: impl Iterator<Item = &'r CatalogRemote> + Clone,
    ) -> Self {
        let used: BTreeSet<&SourceName> =
            remotes.clone().filter_map(CatalogRemote::source).collect();
        let used = manifest
            .sources
            .iter()
            .filter(|source| used.contains(&source.name));
        ProjectSources::open_selected(world, used, remotes, root)
    }

    fn open_selected<'s>(
        world: &World,
        sources: impl Iterator<Item = &'s agpm_model::SourceDeclaration>,
        remotes: impl Iterator<Item = &'s CatalogRemote>,
        root: &Path,
    ) -> Self {
        let environment = &world.environment;
        let project = environment.manifest_directory(root);
        let context = environment.source_context(project);
        // Opening creates a handle only. A server is contacted when versions or missing commits are requested, so an
        // install whose pins are all in the cache needs no network (ADR 4).
        let mut by_name = BTreeMap::new();
        for source in sources {
            let opened = world.sources.open(&source.address, &context);
            by_name.insert(source.name.clone(), opened);
        }
        let mut by_address = BTreeMap::new();
        for address in remotes.filter_map(CatalogRemote::address) {
            // Several remotes may be directories of one repository, which is opened once.
            if by_address.contains_key(address) {
                continue;
            }
            // A URL that starts with `git+` is a repository, even if it names a plain directory.
            let opened = world.sources.open_versioned(address, &context);
            by_address.insert(address.clone(), opened);
        }
        ProjectSources {
            by_name,
            by_address,
            local: DirectorySource::new(project.to_owned(), SymlinkConfinement::Anywhere, project),
            project: project.to_owned(),
            root: root.to_owned(),
            scope: environment.scope,
            release_limit: None,
            marketplaces: MarketplaceCache::default(),
        }
    }

    /// Returns the source of a catalog remote.
    pub(crate) fn source_of_remote(&self, remote: &CatalogRemote) -> Option<&dyn Source> {
        let found = match &remote.base {
            RemoteBase::Source(name) => self.by_name.get(name),
            RemoteBase::Address(address) => self.by_address.get(address),
        };
        found.map(|source| &**source)
    }

    /// Returns whether any source is read with git.
    pub(crate) fn need_git(&self) -> bool {
        let mut all = self.by_name.values().chain(self.by_address.values());
        all.any(|source| source.required_executable().is_some())
    }

    /// Returns the source of that name.
    pub(crate) fn get(&self, name: &SourceName) -> Option<&dyn Source> {
        self.by_name.get(name).map(|source| &**source)
    }

    /// Returns the source of that name if it has versions.
    pub(crate) fn versioned_source(&self, name: &SourceName) -> Option<&dyn Source> {
        self.get(name).filter(|source| is_versioned(*source))
    }

    /// Returns the path of a unit on this machine; `None` for a file in a repository.
    pub(crate) fn file_of(&self, unit: &Unit) -> Option<PathBuf> {
        let base = match &unit.origin {
            ResourceOrigin::Manifest => return None,
            ResourceOrigin::Local => self.project.as_path(),
            ResourceOrigin::Source(name) => self.get(name)?.local_directory()?,
        };
        Some(normalize(&base.join(unit.path.as_str())))
    }

    /// Returns all named sources.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&SourceName, &dyn Source)> {
        self.by_name.iter().map(|(name, source)| (name, &**source))
    }
}

/// Returns whether a source has versions.
pub(crate) fn is_versioned(source: &dyn Source) -> bool {
    source.versioning() == SourceVersioning::Versioned
}

/// Returns the versions of a source; `None` if it has none.
pub(crate) fn versions_of(
    sources: &ProjectSources,
    name: &SourceName,
) -> Result<Option<Arc<SourceVersions>>, Failure> {
    let Some(source) = sources.versioned_source(name) else {
        return Ok(None);
    };
    let versions = source.versions();
    versions
        .map(Some)
        .map_err(|error| source_failure(name, error))
}

/// Returns the git executable with the settings of the environment.
pub(crate) fn git(environment: &Environment) -> GitProgram {
    git_program(&environment.source_context(&environment.working_directory))
}

/// Returns the names of the sources without versions.
pub(super) fn plain_sources(sources: &ProjectSources) -> Vec<SourceName> {
    let plain = sources.iter().filter(|(_, source)| !is_versioned(*source));
    plain.map(|(name, _)| name.clone()).collect()
}

/// Returns the entry at the path of a resource in a revision, which is fetched without its files.
pub(crate) fn entry_at(
    source: &dyn Source,
    revision: &Revision,
    unit: &Unit,
) -> Result<Option<SourceEntry>, SourceError> {
    if !source.has_revision(revision) {
        source.fetch(std::slice::from_ref(revision), FileFetching::OnDemand)?;
    }
    source.entry(Some(revision), unit.path.as_str())
}
