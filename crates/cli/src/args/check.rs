//! Commands that check a project: `validate`, `verify`, `doctor`.

use clap::Args;

use super::{ApprovalArgs, ScopeArgs};

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Resolve every dependency
    #[arg(long)]
    pub(crate) resolve: bool,
    /// Reach every source
    #[arg(long)]
    pub(crate) sources: bool,
    /// Check that local files exist
    #[arg(long)]
    pub(crate) paths: bool,
    /// Render every template
    #[arg(long)]
    pub(crate) render: bool,
    /// Compare the lockfile with the manifest
    #[arg(long)]
    pub(crate) check_lock: bool,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Check that personas removed since then are archived
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}
