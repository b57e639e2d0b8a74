//! The contents of the cache, read without starting a process.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use agpm_store::StoreError;

use crate::git::program::GitProgram;
use crate::git::source_cache::{SourceCache, is_repository};

/// The copy of one source.
#[derive(Debug)]
pub struct CachedSource {
    source_cache: SourceCache,
    /// The URL without secrets; `None` if the copy was never finished.
    pub address: Option<String>,
}

/// Whether a copy can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CopyCondition {
    /// The copy is complete.
    Whole,
    /// The copy was never finished.
    Unfinished,
    /// Some parts are missing.
    Broken,
}

impl CachedSource {
    pub(crate) fn directory(&self) -> &Path {
        self.source_cache.directory()
    }

    /// Returns the size of the copy in bytes.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        agpm_store::size_below(self.directory())
    }

    /// Returns whether the copy can be used, judged by the names of its files.
    pub fn condition(&self) -> CopyCondition {
        let objects = self.source_cache.objects();
        match self.source_cache.address() {
            None => CopyCondition::Unfinished,
            Some(_) if !agpm_store::is_directory(&objects) => CopyCondition::Whole,
            Some(_) if is_repository(&objects) && has_indexed_packs(&objects) => {
                CopyCondition::Whole
            }
            Some(_) => CopyCondition::Broken,
        }
    }

    /// Returns whether the copy was used within this time.
    pub fn is_used_within(&self, span: Duration) -> bool {
        let used = agpm_store::last_used(self.directory()).unwrap_or(SystemTime::UNIX_EPOCH);
        used.elapsed().map_or(true, |age| age < span)
    }

    /// Removes the copy if its condition is still the same once no process is fetching into it.
    pub fn remove(&self, condition: CopyCondition) -> Result<(), StoreError> {
        let _lock = self.source_cache.hold()?;
        let _filling = self.source_cache.hold_trees()?;
        if self.condition() != condition {
            return Ok(());
        }
        agpm_store::remove_at_once(self.directory())
    }

    /// Removes leftovers of killed processes, and returns their size.
    pub fn tidy(&self) -> Result<u64, StoreError> {
        if self.leftovers().is_empty() {
            return Ok(0);
        }
        let _lock = self.source_cache.hold()?;
        let _filling = self.source_cache.hold_trees()?;
        let mut bytes = 0;
        for path in self.leftovers() {
            bytes += size_of(&path)?;
            agpm_store::remove_path(&path)?;
        }
        Ok(bytes)
    }

    /// Returns the size of the leftovers of killed processes.
    pub fn leftover_bytes(&self) -> Result<u64, StoreError> {
        self.leftovers().iter().map(|path| size_of(path)).sum()
    }

    fn leftovers(&self) -> Vec<PathBuf> {
        let packs = self.source_cache.objects().join("objects/pack");
        let within = |directory: PathBuf, starts: &'static [&'static str]| {
            let names = agpm_store::names_in(&directory).into_iter();
            let left = names.filter(move |name| starts.iter().any(|start| name.starts_with(start)));
            left.map(move |name| directory.join(name))
        };
        let trees = within(self.source_cache.trees(), &[".new-", ".old-"]);
        let rebuilt =
            Some(self.source_cache.rebuilt()).filter(|path| agpm_store::is_directory(path));
        trees
            .chain(within(packs, &["tmp_"]))
            .chain(rebuilt)
            .collect()
    }
}

fn size_of(path: &Path) -> Result<u64, StoreError> {
    if agpm_store::is_real_directory(path) {
        return agpm_store::size_below(path);
    }
    Ok(agpm_store::file_size(path))
}

/// Returns whether every pack has its index.
fn has_indexed_packs(objects: &Path) -> bool {
    let packs = objects.join("objects/pack");
    let names = agpm_store::names_in(&packs);
    let mut stems = names.iter().filter_map(|name| name.strip_suffix(".pack"));
    stems.all(|stem| {
        let size = |end: &str| agpm_store::file_size(&packs.join(format!("{stem}.{end}")));
        size("idx") > 0 && size("pack") > 0
    })
}

impl GitProgram {
    /// Returns the directory of all copies.
    pub fn directory(&self) -> &Path {
        self.cache()
    }

    /// Returns every copy, sorted by the name of its directory. Symlinks are skipped.
    pub fn cached(&self) -> Vec<CachedSource> {
        let cache = self.cache();
        if !agpm_store::is_real_directory(cache) {
            return Vec::new();
        }
        let names = agpm_store::names_in(cache)
            .into_iter()
            .filter(|name| is_shelf(name));
        let real = names.filter(|name| agpm_store::is_real_directory(&cache.join(name)));
        real.map(|name| {
            let source_cache = SourceCache::named(cache, &name);
            CachedSource {
                address: source_cache.address(),
                source_cache,
            }
        })
        .collect()
    }
}

/// Directories of copies are named by the digits of a checksum.
fn is_shelf(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
