//! Personas: `profile`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `profile`.
#[derive(Debug, Args)]
#[command(override_usage = "agpm profile [OPTIONS] <SLUG>\n       agpm profile [OPTIONS] --list")]
pub(crate) struct ProfileArgs {
    /// The persona: the name of its directory in .clia/agents
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub(crate) slug: Option<String>,
    /// List the personas visible from this directory
    #[arg(long, conflicts_with_all = ["kind", "root_chain", "with_sources", "projections"])]
    pub(crate) list: bool,
    /// agent, agenda, agency or all
    #[arg(
        long,
        value_name = "KIND",
        default_value = "agent",
        hide_possible_values = true
    )]
    pub(crate) kind: ProfileKind,
    /// The directory to start from [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,
    /// The topmost directory [default: the git root]
    #[arg(long, value_name = "DIR")]
    pub(crate) ceiling: Option<PathBuf>,
    /// Include the other submodules, with a lower rank
    #[arg(long)]
    pub(crate) submodules: bool,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Add contextChain: every document, lowest first
    #[arg(long)]
    pub(crate) root_chain: bool,
    /// Add sources: the document and line of every value
    #[arg(long)]
    pub(crate) with_sources: bool,
    /// Add projections: sections and checklists as text
    #[arg(long)]
    pub(crate) projections: bool,
    /// json, yaml or md [default: json]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) format: Option<ProfileFormat>,
}

/// Documents of a persona.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileKind {
    /// Who it is
    Agent,
    /// Its plans
    Agenda,
    /// Its past work
    Agency,
    /// All three, each under its own key
    All,
}

/// Formats of `profile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileFormat {
    /// JSON
    Json,
    /// YAML
    Yaml,
    /// Markdown, for people
    Md,
}
