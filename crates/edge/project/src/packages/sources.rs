//! The sources of a project, opened when they are first used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::Failure;
use agpm_git::GitProgram;
use agpm_model::{
    CatalogRemote, Manifest, RemoteBase, ResourceOrigin, ResourceType, SourceAddress, SourceName,
    SourceVersions, Unit, normalize,
};
use agpm_resolve::ReleaseLimit;
use agpm_source::{DirectorySource, Source, SourceVersioning, SymlinkConfinement, git_program};

use crate::source_failure::source_failure;
use crate::world::{Environment, InstallScope, World};

/// Every source that dependencies use, the manifest's own directory, and where things are installed.
#[derive(Debug)]
pub struct ProjectSources {
    by_name: BTreeMap<SourceName, Arc<dyn Source>>,
    /// Remotes of the catalog that have a URL and no name.
    by_address: BTreeMap<SourceAddress, Arc<dyn Source>>,
    /// The files that the manifest names by their paths.
    pub local: DirectorySource,
    /// The directory of the manifest.
    pub project: PathBuf,
    /// The directory that resources are installed into.
    pub root: PathBuf,
    /// Whether this is a project or the user manifest.
    pub scope: InstallScope,
    /// How old versions must be that a requirement leaves a choice of.
    pub release_limit: Option<ReleaseLimit>,
}

impl ProjectSources {
    /// Opens what the dependencies, the layers and the catalog use; starts no process.
    pub fn open(world: &World, manifest: &Manifest, root: &Path) -> Self {
        let units = manifest
            .dependencies
            .iter()
            .filter_map(|dependency| dependency.unit.origin.source());
        let layers = manifest
            .layers
            .iter()
            .filter_map(|layer| layer.place.source());
        let marketplaces = manifest
            .dependencies
            .iter()
            .filter_map(|dependency| Some(&dependency.marketplace.as_ref()?.plugin.marketplace));
        let used: BTreeSet<&SourceName> = units
            .chain(layers)
            .chain(marketplaces)
            .chain(manifest.catalog.sources())
            .chain(&manifest.required_sources)
            .collect();
        // A plugin may need one of any marketplace of the manifest.
        let has_plugins = manifest
            .dependencies
            .iter()
            .any(|dependency| dependency.kind == ResourceType::Plugins);
        let used = manifest
            .sources
            .iter()
            .filter(|source| has_plugins || used.contains(&source.name));
        ProjectSources::of(world, used, manifest.catalog.all(), root)
    }

    /// With versions left out that are too young.
    #[must_use]
    pub fn with_release_limit(self, release_limit: Option<ReleaseLimit>) -> Self {
        ProjectSources {
            release_limit,
            ..self
        }
    }

    /// Opens every source of the manifest.
    pub fn open_all(world: &World, manifest: &Manifest, root: &Path) -> Self {
        let remotes = manifest.catalog.all();
        ProjectSources::of(world, manifest.sources.iter(), remotes, root)
    }

    /// Opens what these remotes of the catalog are.
    pub fn open_remotes<'r>(
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
        ProjectSources::of(world, used, remotes, root)
    }

    fn of<'s>(
        world: &World,
        sources: impl Iterator<Item = &'s agpm_model::SourceDeclaration>,
        remotes: impl Iterator<Item = &'s CatalogRemote>,
        root: &Path,
    ) -> Self {
        let environment = &world.environment;
        let project = environment.manifest_folder(root);
        let context = environment.source_context(project);
        let named = |source: &agpm_model::SourceDeclaration| {
            let opened = world.sources.open(&source.address, &context);
            (source.name.clone(), opened)
        };
        let addresses: BTreeSet<&SourceAddress> =
            remotes.filter_map(CatalogRemote::address).collect();
        // Who writes `git+` means a repository, also where there is only a directory.
        let addressed = |address: &SourceAddress| {
            let opened = world.sources.open_versioned(address, &context);
            (address.clone(), opened)
        };
        ProjectSources {
            by_name: sources.map(named).collect(),
            by_address: addresses.into_iter().map(addressed).collect(),
            local: DirectorySource::new(project.to_owned(), SymlinkConfinement::Anywhere, project),
            project: project.to_owned(),
            root: root.to_owned(),
            scope: environment.scope,
            release_limit: None,
        }
    }

    /// The source of a catalog remote.
    pub fn remote(&self, remote: &CatalogRemote) -> Option<&dyn Source> {
        let found = match &remote.base {
            RemoteBase::Source(name) => self.by_name.get(name),
            RemoteBase::Address(address) => self.by_address.get(address),
        };
        found.map(|source| &**source)
    }

    /// Whether any of them has versions, which takes git.
    pub fn need_git(&self) -> bool {
        let all = self.by_name.values().chain(self.by_address.values());
        all.into_iter().any(|source| is_versioned(&**source))
    }

    /// The source of that name, which the manifest has.
    pub fn get(&self, name: &SourceName) -> Option<&dyn Source> {
        self.by_name.get(name).map(|source| &**source)
    }

    /// The source of that name if it has versions.
    pub fn versioned(&self, name: &SourceName) -> Option<&dyn Source> {
        self.get(name).filter(|source| is_versioned(*source))
    }

    /// Where a unit is on this machine, if it is not a file of a repository.
    pub fn file_of(&self, unit: &Unit) -> Option<PathBuf> {
        let base = match &unit.origin {
            ResourceOrigin::Manifest => return None,
            ResourceOrigin::Local => self.project.as_path(),
            ResourceOrigin::Source(name) => self.get(name)?.place()?,
        };
        Some(normalize(&base.join(unit.path.as_str())))
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&SourceName, &dyn Source)> {
        self.by_name.iter().map(|(name, source)| (name, &**source))
    }
}

/// Whether a source has versions.
pub fn is_versioned(source: &dyn Source) -> bool {
    source.versioning() == SourceVersioning::Versioned
}

/// The versions of a source; nothing for one without versions.
pub fn versions_of(
    sources: &ProjectSources,
    name: &SourceName,
) -> Result<Option<Arc<SourceVersions>>, Failure> {
    let Some(source) = sources.versioned(name) else {
        return Ok(None);
    };
    let versions = source.versions();
    versions
        .map(Some)
        .map_err(|error| source_failure(name, error))
}

/// The git program as this world has it.
pub fn git(environment: &Environment) -> GitProgram {
    git_program(&environment.source_context(&environment.folder))
}

/// Sources without versions.
pub(super) fn plain_sources(sources: &ProjectSources) -> Vec<SourceName> {
    let plain = sources.iter().filter(|(_, source)| !is_versioned(*source));
    plain.map(|(name, _)| name.clone()).collect()
}
