//! Commands that bring the disk in line: `install`, `update`, `lock`, `undo`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ApprovalArgs, PolicyArgs, ScopeArgs};

/// Arguments of `install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Install exactly the locked versions
    #[arg(long, conflicts_with_all = ["locked", "no_lock"])]
    pub(crate) frozen: bool,
    /// Fail if the lockfile would change
    #[arg(long, conflicts_with = "no_lock")]
    pub(crate) locked: bool,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Like --dry-run; exit 1 if anything would change
    #[arg(long)]
    pub(crate) check: bool,
    /// Do not write the lockfile
    #[arg(long)]
    pub(crate) no_lock: bool,
    /// Overwrite unmanaged and locally modified files
    #[arg(long)]
    pub(crate) force: bool,
    /// Replace unmanaged files and manage them
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Allow transitive scripts, hooks and MCP servers
    #[arg(long)]
    pub(crate) allow_executables: bool,
    /// Fail if a tool's format loses any field
    #[arg(long)]
    pub(crate) strict_fidelity: bool,
    /// Ask no questions
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// Arguments of `update`.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Names, or TYPE/NAME, with @VERSION for that version [default: all]
    #[arg(value_name = "NAME|ID[@VERSION]")]
    pub(crate) names: Vec<String>,
    /// Change requirements that exclude the newest release
    #[arg(long)]
    pub(crate) latest: bool,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Like --dry-run; exit 1 if anything would change
    #[arg(long)]
    pub(crate) check: bool,
    /// Overwrite unmanaged and locally modified files
    #[arg(long)]
    pub(crate) force: bool,
    /// Allow transitive scripts, hooks and MCP servers
    #[arg(long)]
    pub(crate) allow_executables: bool,
    /// Ask no questions
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// The subcommands of `lock`.
#[derive(Debug, Subcommand)]
pub(crate) enum LockCommand {
    /// Join the lockfiles of two branches, as a git merge driver
    Merge {
        /// The lockfile of the common ancestor
        base: PathBuf,
        /// The lockfile of the current branch, which is replaced
        ours: PathBuf,
        /// The lockfile of the other branch
        theirs: PathBuf,
    },
}

/// Arguments of `resolve`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("side").required(true).args(["mine", "new", "merged"])))]
pub(crate) struct ResolveArgs {
    /// A name, TYPE/NAME, or the path of a file in conflict
    #[arg(value_name = "NAME|ID")]
    pub(crate) name: String,
    /// Keep your file as it was when the conflict arose
    #[arg(long)]
    pub(crate) mine: bool,
    /// Replace your file with the new version
    #[arg(long)]
    pub(crate) new: bool,
    /// Keep your file as it is now, with the new version merged by you
    #[arg(long)]
    pub(crate) merged: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// The subcommands of `patch`.
#[derive(Debug, Subcommand)]
pub(crate) enum PatchCommand {
    /// Save local edits of a resource as a patch
    Save(PatchSaveArgs),
}

impl PatchCommand {
    /// Whose manifest it is about.
    pub(crate) fn scope(&self) -> &ScopeArgs {
        match self {
            PatchCommand::Save(args) => &args.scope,
        }
    }
}

/// Arguments of `patch save`.
#[derive(Debug, Args)]
pub(crate) struct PatchSaveArgs {
    /// A name, or TYPE/NAME
    #[arg(value_name = "NAME|ID")]
    pub(crate) name: String,
    /// Show the patch without writing it
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `undo`.
#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// Undo this transaction and all after it [default: the last]
    pub(crate) number: Option<u32>,
    /// List the transactions that can be undone
    #[arg(long, conflicts_with_all = ["number", "force", "dry_run"])]
    pub(crate) list: bool,
    /// Overwrite files that were modified afterwards
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be undone
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}
