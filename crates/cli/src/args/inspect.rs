//! Commands that show what a project has: `status`, `list`, `tree`, `why`, `outdated`, `explain`, `browse`, `search`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ApprovalArgs, BottleArgs, FoldArgs, ScopeArgs};

/// Arguments of `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `outdated`.
#[derive(Debug, Args)]
pub(crate) struct OutdatedArgs {
    /// Names, TYPE/NAME, installed files, or sources [default: all]
    #[arg(value_name = "NAME|ID")]
    pub(crate) names: Vec<String>,
    /// List everything
    #[arg(long)]
    pub(crate) all: bool,
    /// Exit with 1 if anything is outdated
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Only from this source
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// Only for this tool
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Only names that contain this
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// Show the old and new values of patched fields
    #[arg(long)]
    pub(crate) detailed: bool,
    /// Show the characters that each tool spends on names and descriptions
    #[arg(long, conflicts_with_all = ["kind", "source", "search", "detailed", "format"])]
    pub(crate) cost: bool,
    /// Output format [default: table]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<ListFormat>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Formats of `list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    Table,
    /// JSON
    Json,
    /// YAML
    Yaml,
}

/// Arguments of `tree`.
#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    /// Start at these resources [default: those in the manifest]
    #[arg(value_name = "NAME|ID")]
    pub(crate) names: Vec<String>,
    /// Show at most this many levels
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// Show the resources that require it
    #[arg(long)]
    pub(crate) invert: bool,
    /// Output format [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<TreeFormat>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Formats of `tree`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeFormat {
    /// Lines and branches
    Text,
    /// JSON
    Json,
    /// A Mermaid graph
    Mermaid,
    /// A Graphviz graph
    Dot,
}

/// Arguments of `why`.
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// A name, TYPE/NAME, or an installed file
    #[arg(value_name = "NAME|ID")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A file, id, name, error code, or SUBJECT:NAME as in bottle:rust
    pub(crate) what: String,
    /// A JSON Pointer to a value, as in /permissions/allow/0
    pub(crate) pointer: Option<String>,
    /// Show the file with the origin of each line
    #[arg(long)]
    pub(crate) blame: bool,
    /// Show the whole page of an error code
    #[arg(long)]
    pub(crate) full: bool,
    /// Merge these files instead of the layers
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) from: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) fold: FoldArgs,
    #[command(flatten)]
    pub(crate) bottle: BottleArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// Arguments of `browse`.
#[derive(Debug, Args)]
pub(crate) struct BrowseArgs {
    /// OWNER/REPO[/PATH][@VERSION], a URL, a source, or a local path
    #[arg(value_name = "ADDRESS|SOURCE")]
    pub(crate) address: String,
    /// Show only matches of these words
    pub(crate) query: Vec<String>,
    /// Show only this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Show at most this many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words to find in names or descriptions
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// Show only this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Show at most this many [default: 50]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Fetch every source again
    #[arg(long)]
    pub(crate) refresh: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}
