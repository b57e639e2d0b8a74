//! Queries to a project's sources while its resources are read.

use std::sync::Arc;

use crate::plugin::Marketplace;
use agpm_diag::Failure;
use agpm_model::{ResourceOrigin, Revision, SourceName, SourceVersions};

use crate::marketplaces::NamedCommit;

/// The open sources of a project.
pub trait OpenSources: Sync {
    /// Whether a source is open.
    fn is_open(&self, source: &SourceName) -> bool;

    /// Whether a path exists in an origin at a commit.
    fn exists(&self, origin: &ResourceOrigin, commit: Option<&Revision>, path: &str) -> bool;

    /// The tags and branches of a source; `None` for one without versions.
    fn versions(&self, source: &SourceName) -> Result<Option<Arc<SourceVersions>>, Failure>;

    /// The marketplace of a source at a revision.
    fn marketplace(
        &self,
        source: &SourceName,
        revision: Option<&Revision>,
    ) -> Result<Arc<Marketplace>, Failure>;

    /// The marketplace of a source without a requirement.
    fn default_marketplace(&self, source: &SourceName) -> Result<Arc<Marketplace>, Failure>;

    /// Fails unless a commit of a marketplace entry belongs to the entry's branch or tag.
    fn check_commit(&self, source: &SourceName, commit: &NamedCommit) -> Result<(), Failure>;
}
