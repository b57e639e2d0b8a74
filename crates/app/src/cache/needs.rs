//! Determines which copies in the cache are needed by projects of this user.

use std::path::{Path, PathBuf};

use agpm_diag::{Failure, Notes};
use agpm_model::SourceAddress;
use agpm_source::git::{CachedSource, GitProgram};
use agpm_source::{MachineSources, SourceOpener};
use agpm_store as store;

use crate::project::config::configured_sources;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::{is_versioned, read_lock};
use crate::project::projects;
use crate::project::projects::RecordedProject;
use crate::project::world::{Environment, InstallScope, ManifestUse, World};

/// The sources that the projects of a user need.
#[derive(Default)]
pub(super) struct CacheNeeds {
    used: Vec<SourceUse>,
    gone: Vec<RecordedProject>,
    /// Set if a project cannot be read at all, since it may need any source.
    anything: bool,
}

/// The sources of one project, with the directory that relative ones start at.
struct SourceUse {
    base: PathBuf,
    addresses: Vec<SourceAddress>,
}

impl CacheNeeds {
    /// Collects the sources of every known project, the current one, the user manifest and the configuration.
    pub(super) fn of_user(world: &World, notes: &mut Notes) -> Result<Self, Failure> {
        let environment = &world.environment;
        let (gone, mut roots): (Vec<RecordedProject>, Vec<RecordedProject>) =
            projects::recorded(environment)
                .into_iter()
                .partition(RecordedProject::is_gone);
        let mut needs = CacheNeeds {
            used: Vec::new(),
            gone,
            anything: false,
        };
        let here = ManifestFiles::find(environment, ManifestUse::Nearest)?
            .map(|files| files.root().to_owned());
        let here = here.filter(|here| roots.iter().all(|project| project.root != *here));
        for root in roots.drain(..).map(|project| project.root).chain(here) {
            needs.add_project(world, root);
        }
        // A project may redefine the URL of a configured source; other projects still use the configured one.
        let configured = configured_sources(environment, notes)?
            .into_iter()
            .map(|source| source.address);
        needs.used.push(SourceUse {
            base: environment.working_directory.clone(),
            addresses: configured.collect(),
        });
        let own = Project::of_user(&world.offline(), notes)?.unwrap_or_default();
        let addresses = own.manifest.source_addresses();
        needs.used.push(SourceUse {
            base: own.directory.unwrap_or_default(),
            addresses,
        });
        Ok(needs)
    }

    /// Adds the sources of the manifest and the lockfile of a project. If the manifest is invalid, the lockfile is
    /// enough.
    fn add_project(&mut self, world: &World, root: PathBuf) {
        // A base is not fetched to find out what can be removed: the lockfile names it.
        let mut there = world.offline();
        there.environment = Environment {
            scope: InstallScope::Project,
            working_directory: root.clone(),
            manifest: None,
            ..there.environment
        };
        let environment = &there.environment;
        let mut quiet = Notes::default();
        let project = ManifestFiles::find(environment, ManifestUse::Nearest).and_then(|files| {
            files
                .map(|files| Project::of(&there, files, &mut quiet))
                .transpose()
        });
        let lock = store::ProjectStore::open(&root)
            .map_err(Failure::from)
            .and_then(|store| read_lock(environment, &store, &mut quiet));
        self.anything |= project.is_err() && lock.is_err();
        let mut addresses = Vec::new();
        addresses.extend(
            project
                .ok()
                .flatten()
                .map(|project| project.manifest.source_addresses()),
        );
        addresses.extend(lock.ok().flatten().map(|(lock, _)| lock.source_addresses()));
        self.used.push(SourceUse {
            base: root,
            addresses: addresses.concat(),
        });
    }

    /// Returns whether a project needs a copy.
    pub(super) fn has(
        &self,
        git: &GitProgram,
        environment: &Environment,
        copy: &CachedSource,
    ) -> bool {
        self.anything
            || self
                .used
                .iter()
                .any(|used| used.has(git, environment, copy))
    }

    /// Removes projects that no longer exist from the list of known projects.
    pub(super) fn forget_gone(&self) {
        self.gone.iter().for_each(RecordedProject::forget);
    }
}

impl SourceUse {
    fn has(&self, git: &GitProgram, environment: &Environment, copy: &CachedSource) -> bool {
        self.addresses
            .iter()
            .any(|address| is_copy(git, environment, address, &self.base, copy))
    }
}

/// Returns whether a copy in the cache belongs to a URL. A directory without versions has no copy.
fn is_copy(
    git: &GitProgram,
    environment: &Environment,
    address: &SourceAddress,
    base: &Path,
    cached: &CachedSource,
) -> bool {
    let opened = MachineSources::default().open(address, &environment.source_context(base));
    is_versioned(&*opened) && git.remote(address, base).is_cached_in(cached)
}
