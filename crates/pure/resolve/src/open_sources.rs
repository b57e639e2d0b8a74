//! The queries to a project's sources while its resources are read.

use std::sync::Arc;

use agpm_diag::Failure;
use agpm_model::{ObjectId, ResourceOrigin, SourceName, SourceVersions};
use agpm_plugin::Marketplace;

use crate::marketplaces::NamedCommit;

/// The sources of a project that are open.
pub trait OpenSources: Sync {
    /// Whether a source is one of them.
    fn is_open(&self, source: &SourceName) -> bool;

    /// Whether an origin has a path at a commit.
    fn exists(&self, origin: &ResourceOrigin, commit: Option<&ObjectId>, path: &str) -> bool;

    /// The tags and branches of a source; nothing for one without versions.
    fn versions(&self, source: &SourceName) -> Result<Option<Arc<SourceVersions>>, Failure>;

    /// The marketplace that a source is at a revision.
    fn marketplace(
        &self,
        source: &SourceName,
        revision: Option<&ObjectId>,
    ) -> Result<Marketplace, Failure>;

    /// The same at the revision of a source that nothing is required of.
    fn default_marketplace(&self, source: &SourceName) -> Result<Marketplace, Failure>;

    /// Fails unless a commit that a marketplace names belongs to the branch or tag that it names with it.
    fn check_commit(&self, source: &SourceName, commit: &NamedCommit) -> Result<(), Failure>;
}
