//! `agpm cache`: shows and cleans the copies of sources.

mod needs;

use agpm_diag::{Failure, Notes, Outcome};
use std::path::Path;
use std::time::Duration;

use agpm_source::git::{CachedSource, CopyCondition, GitProgram};
use agpm_store as store;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::cache::needs::CacheNeeds;
use crate::project::packages::git;
use crate::project::reading::display_path;
use crate::project::world::World;
use crate::project::write_mode::WriteMode;

/// How long a copy that no project needs is kept after its last use.
pub const KEPT_UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The interval and the time limit of the automatic cleaning in `install`.
const CLEANED_EVERY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const MOST_TIME: Duration = Duration::from_millis(50);
const CLEANED: &str = "cache-cleaned";

/// The arguments of `cache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheRequest {
    /// Show the copies.
    Info,
    /// Remove copies, or show which ones would be removed.
    Clean {
        /// The copies to remove.
        extent: CleanExtent,
        /// Removes the copies, or only shows them.
        writing: WriteMode,
    },
}

impl CacheRequest {
    fn removes(self) -> bool {
        matches!(
            self,
            CacheRequest::Clean {
                writing: WriteMode::Apply,
                ..
            }
        )
    }
}

/// The copies that `cache clean` removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanExtent {
    /// Incomplete or damaged copies, and copies that no project needs and that were unused for this long.
    Unused(Duration),
    /// All copies.
    All,
}

/// The copies in the cache, or those that were removed.
#[derive(Debug)]
pub struct CacheReport {
    /// The path of the cache directory.
    pub directory: String,
    /// The request that this report answers.
    pub request: CacheRequest,
    /// The existing copies, or the removed ones.
    pub copies: Vec<CachedCopy>,
    /// The size of leftovers of killed processes, which were removed from the remaining copies.
    pub leftovers: u64,
}

/// The copy of one source.
#[derive(Debug, Serialize)]
pub struct CachedCopy {
    /// The URL without secrets; `None` if the copy was never completed.
    #[serde(flatten, serialize_with = "agpm_model::serialize_url")]
    pub address: Option<String>,
    /// The size of the copy, before it was removed.
    pub bytes: u64,
    /// Whether the copy is complete and readable.
    pub condition: CopyCondition,
}

/// Shows or cleans the cache.
pub fn cache(world: &World, request: CacheRequest) -> Outcome<CacheReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: CacheRequest, notes: &mut Notes) -> Result<CacheReport, Failure> {
    let git = git(&world.environment);
    let directory = display_path(&world.environment, git.directory());
    let mut report = CacheReport {
        directory,
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
            && !should_remove(&git, world, &copy, extent, &needs)
        {
            report.leftovers += match writing {
                WriteMode::Apply => copy.tidy()?,
                WriteMode::Show => copy.leftover_bytes()?,
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
        store::sweep_directories(git.directory());
    }
    // Search indexes are small and are rebuilt from the copies, and content by digest is shared by repositories, so only
    // `--all` removes them.
    if let CacheRequest::Clean {
        extent: CleanExtent::All,
        writing: WriteMode::Apply,
    } = request
    {
        store::remove_path(&world.environment.index_directory())?;
        let cache = world.environment.source_context(Path::new("")).cache;
        store::remove_path(&agpm_source::content_directory(&cache))?;
    }
    Ok(report)
}

/// Returns whether a copy is removed.
fn should_remove(
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

/// Removes old copies once a week. Errors are ignored, and the work ends after `MOST_TIME`; the rest is left to the
/// next run.
pub(crate) fn clean_now_and_then(world: &World) {
    let start = (world.elapsed)();
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
    // The stamp is written before the work, so a cache that cannot be cleaned does not delay every install.
    if store::write_atomically(&stamp, b"").is_err() {
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
        if (world.elapsed)() - start > MOST_TIME {
            return;
        }
        if !needs.has(&git, &world.environment, &copy) {
            let _ = copy.remove(copy.condition());
        }
    }
}

impl CacheReport {
    /// The total size of the listed copies and the leftovers.
    pub fn bytes(&self) -> u64 {
        self.copies.iter().map(|copy| copy.bytes).sum::<u64>() + self.leftovers
    }
}

impl Serialize for CacheReport {
    /// The copies are in `sources` if they exist, and in `removed` if they were removed.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("folder", &self.directory)?;
        map.serialize_entry("path", &self.directory)?;
        map.serialize_entry("bytes", &self.bytes())?;
        match self.request {
            CacheRequest::Info => map.serialize_entry("sources", &self.copies)?,
            CacheRequest::Clean { writing, .. } => {
                map.serialize_entry("removed", &self.copies)?;
                map.serialize_entry("leftovers", &self.leftovers)?;
                map.serialize_entry("dry_run", &(writing == WriteMode::Show))?;
            }
        }
        map.end()
    }
}
