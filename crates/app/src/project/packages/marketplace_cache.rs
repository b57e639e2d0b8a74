//! The marketplaces that were read in a run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use agpm_diag::Failure;
use agpm_model::{Revision, SourceName};
use agpm_resolve::plugin::Marketplace;

/// A source and a commit of it; `None` for a directory.
type MarketplaceKey = (SourceName, Option<Revision>);

/// Marketplaces by source and commit. Each plugin of a marketplace needs it, and it may be large.
#[derive(Debug, Default)]
pub(super) struct MarketplaceCache {
    by_revision: Mutex<BTreeMap<MarketplaceKey, Arc<Marketplace>>>,
}

impl MarketplaceCache {
    /// Returns a marketplace, and reads it if it is not known yet.
    pub(super) fn get_or_read(
        &self,
        key: MarketplaceKey,
        read: impl FnOnce() -> Result<Marketplace, Failure>,
    ) -> Result<Arc<Marketplace>, Failure> {
        let known = self.by_revision.lock().map(|read| read.get(&key).cloned());
        if let Ok(Some(known)) = known {
            return Ok(known);
        }
        let read = Arc::new(read()?);
        if let Ok(mut known) = self.by_revision.lock() {
            known.insert(key, Arc::clone(&read));
        }
        Ok(read)
    }
}
