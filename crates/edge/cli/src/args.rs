//! What was typed. Doc comments are the help, the man page and the reference.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use agpm_ops::RuleArgument;

/// One effective, reproducible and explainable set of AI-agent resources out of many places.
#[derive(Debug, Parser)]
#[command(
    name = "agpm",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The manifest to use [default: the nearest `agpm.toml` upward]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// The user's configuration file
    #[arg(long, global = true, value_name = "FILE", env = "AGPM_CONFIG", hide_env_values = true)]
    pub(crate) config: Option<PathBuf>,
    /// The folder for downloaded data
    #[arg(long, global = true, value_name = "DIR", env = "AGPM_CACHE_DIR", hide_env_values = true)]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Open no connection
    #[arg(long, global = true, env = "AGPM_OFFLINE", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) offline: bool,
    /// Print exactly one JSON document on standard output, also on failure
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Leave out warnings and notes
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more; repeat for even more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Draw no progress bars
    #[arg(long, global = true, env = "AGPM_NO_PROGRESS", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) no_progress: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a small project of three layers and show what can be done with it
    Demo(DemoArgs),
    /// Merge files, low to high, and print the result
    Merge(MergeArgs),
    /// Show the merge strategies, built in and of the project, with an example each
    Strategies(StrategiesArgs),
    /// Tell where a value came from and what it shadows, or what an error code means
    Explain(ExplainArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// A folder that is empty or not there [default: a new temporary folder]
    pub(crate) dir: Option<PathBuf>,
}

/// How files are folded; shared by `merge` and `explain`.
#[derive(Debug, Args)]
pub(crate) struct FoldArgs {
    /// The strategy to merge by, over what `[merge]` in the manifest says
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<String>,
    /// What happens at a place, as in `/servers=by-key:id`; `*` is one step, `**` many
    #[arg(long = "rule", value_name = "/POINTER=OPERATION")]
    pub(crate) rules: Vec<RuleArgument>,
    /// Names for the layers, lowest first [default: the paths]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) layer_names: Vec<String>,
    /// Ignore the project's manifest
    #[arg(long)]
    pub(crate) no_manifest: bool,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The files, lowest first
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) fold: FoldArgs,
    /// Print in this format [default: the lowest file's, with its comments]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<MergeFormat>,
    /// Print where every value came from instead of the values
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Formats that a merge can be printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeFormat {
    /// Plain JSON, without comments
    Json,
    /// YAML
    Yaml,
    /// TOML
    Toml,
}

/// Arguments of `strategies`.
#[derive(Debug, Args)]
pub(crate) struct StrategiesArgs {
    /// Show only this one
    pub(crate) name: Option<String>,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// `file:PATH`, or an error code such as `json/syntax`
    pub(crate) what: String,
    /// A place in the file, as a JSON pointer
    pub(crate) pointer: Option<String>,
    /// Fold these files, lowest first, instead of the layers of the project
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) from: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) fold: FoldArgs,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

impl Cli {
    /// Reads the command line.
    pub(crate) fn read(arguments: &[OsString]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(arguments)
    }

    /// The declaration of all commands, for completions and manuals.
    pub(crate) fn declaration() -> clap::Command {
        Cli::command()
    }
}
