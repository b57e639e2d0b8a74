use clap::{Args, ValueEnum};

use super::{PolicyArgs, ScopeArgs};

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Ids, names, layers or installed files [default: all]
    pub(crate) ids: Vec<String>,
    /// Show what an update would change
    #[arg(long)]
    pub(crate) update: bool,
    /// Compare with a git ref of the project, without the disk
    #[arg(long, value_name = "REF", conflicts_with_all = ["update", "global"])]
    pub(crate) from: Option<String>,
    /// Print one line for each file
    #[arg(long, conflicts_with = "format")]
    pub(crate) stat: bool,
    /// Show only what tools would run
    #[arg(long)]
    pub(crate) executables: bool,
    /// Output format
    #[arg(long, value_enum)]
    pub(crate) format: Option<DiffFormat>,
    /// Exit with 1 if there are differences
    #[arg(long)]
    pub(crate) exit_code: bool,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Formats of `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Lines for people
    Text,
    /// A JSON document
    Json,
    /// Markdown for a pull request
    Markdown,
}
