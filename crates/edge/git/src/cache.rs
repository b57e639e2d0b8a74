//! What the cache holds; no process is started for it.

use std::path::Path;

use agpm_store::StoreError;

use crate::program::Git;
use crate::shelf::Shelf;

/// The copy of one source.
#[derive(Debug)]
pub struct CachedSource {
    shelf: Shelf,
    /// The address, without secrets; nothing if the copy was never finished.
    pub address: Option<String>,
    /// How large it is.
    pub bytes: u64,
}

impl CachedSource {
    pub(crate) fn folder(&self) -> &Path {
        self.shelf.folder()
    }

    /// Throws the copy away, once nobody fetches for it.
    pub fn remove(self) -> Result<(), StoreError> {
        let _held = self.shelf.hold()?;
        agpm_store::remove_whole(self.shelf.folder())
    }
}

impl Git {
    /// The folder of all copies.
    pub fn folder(&self) -> &Path {
        self.cache()
    }

    /// Every copy, by its folder's name. Links are none of ours.
    pub fn cached(&self) -> Result<Vec<CachedSource>, StoreError> {
        let cache = self.cache();
        if !agpm_store::is_real_folder(cache) {
            return Ok(Vec::new());
        }
        let names = agpm_store::names_in(cache).into_iter().filter(|name| is_shelf(name));
        let real = names.filter(|name| agpm_store::is_real_folder(&cache.join(name)));
        real.map(|name| {
            let shelf = Shelf::named(cache, &name);
            let bytes = agpm_store::size_below(shelf.folder())?;
            Ok(CachedSource { address: shelf.address(), bytes, shelf })
        })
        .collect()
    }
}

/// Shelves are named by a checksum's digits.
fn is_shelf(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
