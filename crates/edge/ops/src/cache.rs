//! `agpm cache`: what was fetched, and getting rid of it.

use agpm_diag::{Failure, Notes, Outcome};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agpm_git::{CachedSource, CopyCondition, GitProgram};
use agpm_model::SourceAddress;
use agpm_store as store;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::config::configured_sources;
use crate::gather::{ManifestFiles, Project};
use crate::packages::{git, is_versioned, read_lock};
use crate::projects::{self, KnownProject};
use crate::reading::shown;
use crate::serialize::Writing;
use crate::world::{Environment, InstallScope, ManifestUse, World};
use agpm_source::{MachineSources, SourceOpener};

/// How long a copy stays that no project needs.
pub const KEPT_UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How often `install` cleans by itself, and how long that may take.
const CLEANED_EVERY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const MOST_TIME: Duration = Duration::from_millis(50);
const CLEANED: &str = "cache-cleaned";

/// What to do with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheRequest {
    /// Show what it holds.
    Info,
    /// Remove copies, or show which would be removed.
    Clean {
        /// Which ones.
        extent: CleanExtent,
        /// Whether they are removed.
        writing: Writing,
    },
}

impl CacheRequest {
    fn removes(self) -> bool {
        matches!(
            self,
            CacheRequest::Clean {
                writing: Writing::Apply,
                ..
            }
        )
    }
}

/// Which copies are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanExtent {
    /// Those that no project needs and nobody used for this long, and those that cannot be used.
    Unused(Duration),
    /// All of them.
    All,
}

/// The cache, or what was removed from it.
#[derive(Debug)]
pub struct CacheReport {
    /// Where it is.
    pub folder: String,
    /// What was asked.
    pub request: CacheRequest,
    /// The copies that exist, or were removed.
    pub copies: Vec<CachedCopy>,
    /// The bytes that killed processes left in other copies, which were removed as well.
    pub leftovers: u64,
}

/// The copy of one source.
#[derive(Debug, Serialize)]
pub struct CachedCopy {
    /// Its URL without secrets; nothing if it was never finished.
    #[serde(flatten, serialize_with = "agpm_model::serialize_url")]
    pub address: Option<String>,
    /// How large it is or was.
    pub bytes: u64,
    /// Whether it can be used.
    pub condition: CopyCondition,
}

/// Shows or cleans.
pub fn cache(world: &World, request: CacheRequest) -> Outcome<CacheReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: CacheRequest, notes: &mut Notes) -> Result<CacheReport, Failure> {
    let git = git(&world.environment);
    let folder = shown(&world.environment, git.folder());
    let mut report = CacheReport {
        folder,
        request,
        copies: Vec::new(),
        leftovers: 0,
    };
    let needs = match request {
        CacheRequest::Clean {
            extent: CleanExtent::Unused(_),
            ..
        } => Needs::of_user(world, notes)?,
        _ => Needs::default(),
    };
    for copy in git.cached() {
        let condition = copy.condition();
        if let CacheRequest::Clean { extent, writing } = request
            && !goes(&git, world, &copy, extent, &needs)
        {
            report.leftovers += match writing {
                Writing::Apply => copy.tidy()?,
                Writing::Show => copy.leftover_bytes()?,
            };
            continue;
        }
        report.copies.push(CachedCopy {
            address: copy.address.clone(),
            bytes: copy.bytes()?,
            condition,
        });
        if request.removes() {
            copy.remove(condition)?;
        }
    }
    if request.removes() {
        needs.forget_gone();
        store::sweep_folders(git.folder());
    }
    // Indexes are small and made again from the copies, so only those who want everything gone lose them.
    if let CacheRequest::Clean {
        extent: CleanExtent::All,
        writing: Writing::Apply,
    } = request
    {
        store::remove_whole(&world.environment.index_folder())?;
    }
    Ok(report)
}

/// Whether a copy is removed.
fn goes(
    git: &GitProgram,
    world: &World,
    copy: &CachedSource,
    extent: CleanExtent,
    needs: &Needs,
) -> bool {
    match extent {
        CleanExtent::All => true,
        CleanExtent::Unused(span) => {
            copy.condition() != CopyCondition::Whole
                || !copy.is_used_within(span) && !needs.has(git, &world.environment, copy)
        }
    }
}

/// Cleans once a week, quietly: what fails, or takes longer than nobody notices, is left for the next time.
pub(crate) fn clean_now_and_then(world: &World) {
    let start = Instant::now();
    let Some(stamp) = world
        .environment
        .state
        .as_ref()
        .map(|state| state.join(CLEANED))
    else {
        return;
    };
    if store::age(&stamp).is_some_and(|age| age < CLEANED_EVERY) {
        return;
    }
    if store::write_whole(&stamp, b"").is_err() {
        return;
    }
    let git = git(&world.environment);
    let old: Vec<CachedSource> = git
        .cached()
        .into_iter()
        .filter(|copy| !copy.is_used_within(KEPT_UNUSED))
        .collect();
    let Ok(needs) = Needs::of_user(world, &mut Notes::default()) else {
        return;
    };
    for copy in old {
        if start.elapsed() > MOST_TIME {
            return;
        }
        if !needs.has(&git, &world.environment, &copy) {
            let _ = copy.remove(copy.condition());
        }
    }
}

/// What the projects of a user need.
#[derive(Default)]
struct Needs {
    used: Vec<Use>,
    gone: Vec<KnownProject>,
    /// A project of which nothing can be read may need anything.
    anything: bool,
}

/// Sources, with the folder that relative ones start at.
struct Use {
    base: PathBuf,
    addresses: Vec<SourceAddress>,
}

impl Needs {
    /// Those of every known project, of the one here, of the user's own manifest and of the configuration.
    fn of_user(world: &World, notes: &mut Notes) -> Result<Self, Failure> {
        let environment = &world.environment;
        let (gone, mut roots): (Vec<KnownProject>, Vec<KnownProject>) =
            projects::known(environment)
                .into_iter()
                .partition(KnownProject::is_gone);
        let mut needs = Needs {
            used: Vec::new(),
            gone,
            anything: false,
        };
        let here = ManifestFiles::find(environment, ManifestUse::Nearest)?
            .map(|files| files.root().to_owned());
        let here = here.filter(|here| roots.iter().all(|known| known.root != *here));
        for root in roots.drain(..).map(|known| known.root).chain(here) {
            needs.add_project(world, root);
        }
        // A project may give a name of the configuration another URL; other projects still use the user's.
        let configured = configured_sources(environment, notes)?
            .into_iter()
            .map(|source| source.address);
        needs.used.push(Use {
            base: environment.folder.clone(),
            addresses: configured.collect(),
        });
        let own = Project::of_user(&world.offline(), notes)?.unwrap_or_default();
        let addresses = own.manifest.source_addresses();
        needs.used.push(Use {
            base: own.folder.unwrap_or_default(),
            addresses,
        });
        Ok(needs)
    }

    /// What the manifest and the lockfile of a project name; a broken manifest leaves the lockfile.
    fn add_project(&mut self, world: &World, root: PathBuf) {
        let mut there = world.offline();
        there.environment = Environment {
            scope: InstallScope::Project,
            folder: root.clone(),
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
        self.used.push(Use {
            base: root,
            addresses: addresses.concat(),
        });
    }

    fn has(&self, git: &GitProgram, environment: &Environment, copy: &CachedSource) -> bool {
        self.anything
            || self
                .used
                .iter()
                .any(|used| used.has(git, environment, copy))
    }

    fn forget_gone(&self) {
        self.gone.iter().for_each(KnownProject::forget);
    }
}

impl Use {
    fn has(&self, git: &GitProgram, environment: &Environment, copy: &CachedSource) -> bool {
        self.addresses
            .iter()
            .any(|address| is_copy(git, environment, address, &self.base, copy))
    }
}

/// A base is not fetched to find out what may be thrown away: the lockfile names it.
/// Whether a copy in the cache is that of an address. A directory without versions has none.
fn is_copy(
    git: &GitProgram,
    environment: &Environment,
    address: &SourceAddress,
    base: &Path,
    cached: &CachedSource,
) -> bool {
    let opened = MachineSources.open(address, &environment.source_context(base));
    is_versioned(&*opened) && git.remote(address, base).is_kept_in(cached)
}

impl CacheReport {
    /// How large all copies together are or were.
    pub fn bytes(&self) -> u64 {
        self.copies.iter().map(|copy| copy.bytes).sum::<u64>() + self.leftovers
    }
}

impl Serialize for CacheReport {
    /// Copies are `sources` that exist, or what was `removed`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("folder", &self.folder)?;
        map.serialize_entry("path", &self.folder)?;
        map.serialize_entry("bytes", &self.bytes())?;
        match self.request {
            CacheRequest::Info => map.serialize_entry("sources", &self.copies)?,
            CacheRequest::Clean { writing, .. } => {
                map.serialize_entry("removed", &self.copies)?;
                map.serialize_entry("leftovers", &self.leftovers)?;
                map.serialize_entry("dry_run", &(writing == Writing::Show))?;
            }
        }
        map.end()
    }
}
