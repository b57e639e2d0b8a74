//! `agpm cache`: what was fetched, and getting rid of it.

use agpm_diag::{Failure, Notes, Outcome};
use std::time::{Duration, Instant};

use agpm_git::{CachedSource, CopyCondition, GitProgram};
use agpm_store as store;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use agpm_install::Writing;
use agpm_project::cache_needs::CacheNeeds;
use agpm_project::packages::git;
use agpm_project::reading::shown;
use agpm_project::world::World;

/// How long a copy stays that no project needs.
pub const KEPT_UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How often `install` cleans by itself, and how long that may take.
const CLEANED_EVERY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const MOST_TIME: Duration = Duration::from_millis(50);
const CLEANED: &str = "cache-cleaned";

/// The action on the cache.
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
    /// The request.
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
        } => CacheNeeds::of_user(world, notes)?,
        _ => CacheNeeds::default(),
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
    needs: &CacheNeeds,
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
    let Ok(needs) = CacheNeeds::of_user(world, &mut Notes::default()) else {
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
