//! Sandboxes: `bottle`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// The subcommands of `bottle`.
#[derive(Debug, Subcommand)]
pub(crate) enum BottleCommand {
    /// List all bottles and bottle agents
    List {
        /// Read bottles from this JSON file
        #[arg(long, value_name = "FILE")]
        json_file: Option<PathBuf>,
    },
    /// Show a bottle merged with those it extends
    Show {
        /// The bottle
        name: String,
        /// Show it without the bottles it extends
        #[arg(long)]
        raw: bool,
        /// Output format [default: yaml]
        #[arg(long, value_name = "FORMAT")]
        format: Option<BottleFormat>,
        #[command(flatten)]
        args: BottleArgs,
    },
    /// Show a bottle agent merged with its bottle
    Agent {
        /// The bottle agent
        name: String,
        /// Output format [default: yaml]
        #[arg(long, value_name = "FORMAT")]
        format: Option<BottleFormat>,
        #[command(flatten)]
        args: BottleArgs,
    },
    /// Check all bottles and bottle agents
    Check(BottleArgs),
}

/// Arguments of everything about bottles; shared by `bottle` and `explain`.
#[derive(Debug, Args)]
pub(crate) struct BottleArgs {
    /// Read bottles from this JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) json_file: Option<PathBuf>,
    /// Show values that look like secrets
    #[arg(long)]
    pub(crate) show_secrets: bool,
}

/// Formats that a bottle can be printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BottleFormat {
    /// JSON with secrets, for other programs
    Json,
    /// YAML
    Yaml,
}
