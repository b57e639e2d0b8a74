//! The arguments of `catalog`.

use agpm_catalog::EntryKind;
use clap::{Args, Subcommand, ValueEnum};

/// Arguments of `catalog`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct CatalogArgs {
    /// Work with one entry instead of listing
    #[command(subcommand)]
    pub(crate) command: Option<CatalogCommand>,
    /// The kind [default: all]
    #[arg(value_name = "KIND")]
    pub(crate) kind: Option<KindArg>,
    /// Only entries of this module
    #[arg(long, value_name = "MODULE")]
    pub(crate) module: Option<String>,
    #[command(flatten)]
    pub(crate) layers: CatalogLayerArgs,
    /// Output format [default: table]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<CatalogFormat>,
    /// List overridden entries too
    #[arg(long)]
    pub(crate) all: bool,
}

/// The subcommands for one entry.
#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    /// Print the file of an entry
    Show {
        /// The entry
        #[arg(value_name = "[MODULE/]NAME")]
        name: String,
        /// Its kind, if the name is ambiguous
        #[arg(long, value_name = "KIND")]
        kind: Option<KindArg>,
        /// Print the path of the file
        #[arg(long)]
        path: bool,
        #[command(flatten)]
        layers: CatalogLayerArgs,
    },
}

/// Where catalogs are looked for.
#[derive(Debug, Args)]
pub(crate) struct CatalogLayerArgs {
    /// Which sources to include
    #[arg(long, value_name = "MODE", default_value = "auto")]
    pub(crate) mode: ModeArg,
    /// A source, or git+URL[#REF][:/SUB]; highest first
    #[arg(long, value_name = "NAME|URL")]
    pub(crate) remote: Vec<String>,
}

/// Kinds of entries, in singular and plural.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// Agents
    #[value(name = "agents", alias = "agent")]
    Agents,
    /// Workflows
    #[value(name = "workflows", alias = "workflow")]
    Workflows,
    /// Tasks
    #[value(name = "tasks", alias = "task")]
    Tasks,
    /// Tools
    #[value(name = "tools", alias = "tool")]
    Tools,
    /// Skills
    #[value(name = "skills", alias = "skill")]
    Skills,
}

impl KindArg {
    pub(crate) fn kind(self) -> EntryKind {
        match self {
            KindArg::Agents => EntryKind::Agent,
            KindArg::Workflows => EntryKind::Workflow,
            KindArg::Tasks => EntryKind::Task,
            KindArg::Tools => EntryKind::Tool,
            KindArg::Skills => EntryKind::Skill,
        }
    }
}

/// Which layers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// All layers
    Auto,
    /// The project only
    Local,
    /// Home only
    User,
    /// Git remotes only
    Strict,
}

/// Formats of `catalog`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CatalogFormat {
    /// A table for people
    Table,
    /// CSV, as manifests are
    Csv,
    /// JSON
    Json,
}
