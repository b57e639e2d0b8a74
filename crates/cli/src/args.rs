//! The arguments as they were typed. Doc comments are the help, the man pages and the reference.

mod approve;
mod audit;
mod bottle;
mod can;
mod catalog;
mod check;
mod ci;
mod diff;
mod fleet;
mod inspect;
mod install;
mod layers;
mod policy;
mod profile;
mod project;
mod publish;
mod serve;
mod setup;

use std::ffi::OsString;
use std::path::PathBuf;

use agpm_diag::command_line;
use agpm_report::CommandScope;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::help::{wants_all_commands, with_short_help, without_help_command};
use agpm_app::project::world::{InstallScope, ProgramUse};

pub(crate) use approve::{ApprovalArgs, ApproveArgs};
pub(crate) use audit::{AuditArgs, AuditFormat};
pub(crate) use bottle::{BottleArgs, BottleCommand, BottleFormat};
pub(crate) use can::{CanCommand, CanProjects};
pub(crate) use catalog::{CatalogArgs, CatalogCommand, CatalogFormat, CatalogLayerArgs, ModeArg};
pub(crate) use check::{DoctorArgs, ValidateArgs, VerifyArgs};
pub(crate) use ci::{CiArgs, CiFormat};
pub(crate) use diff::{DiffArgs, DiffFormat};
pub(crate) use fleet::{ReportArgs, SbomArgs, SbomFormat};
pub(crate) use inspect::{
    BrowseArgs, ExplainArgs, ListArgs, ListFormat, OutdatedArgs, SearchArgs, StatusArgs, TreeArgs,
    TreeFormat, WhyArgs,
};
pub(crate) use install::{
    InstallArgs, LockCommand, PatchCommand, PatchSaveArgs, ResolveArgs, UndoArgs, UpdateArgs,
};
pub(crate) use layers::{FoldArgs, LayersArgs, MergeArgs, MergeFormat, StrategiesArgs};
pub(crate) use policy::{PolicyArgs, PolicyCommand};
pub(crate) use profile::{ProfileArgs, ProfileFormat, ProfileKind};
pub(crate) use project::{
    AddArgs, AddCommand, AddDepArgs, AddMcpArgs, DemoArgs, ImportArgs, InitArgs, RemoveArgs,
    RemoveCommand,
};
pub(crate) use publish::{PublishArgs, PublishFormatArg};
pub(crate) use serve::{McpArgs, ServeCommand};
pub(crate) use setup::{CacheCommand, CompletionsArgs, ConfigCommand, ManArgs, SchemaArgs};

/// A package manager and configuration layer for AI coding agents
#[derive(Debug, Parser)]
#[command(
    name = "agpm",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 80
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// The manifest [default: the nearest agpm.toml upward]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// The user's configuration file
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "AGPM_CONFIG",
        hide_env_values = true
    )]
    pub(crate) config: Option<PathBuf>,
    /// Run as if started in this directory
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// The directory for downloaded data
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "AGPM_CACHE_DIR",
        hide_env_values = true
    )]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Disable network access
    #[arg(long, global = true, env = "AGPM_OFFLINE", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) offline: bool,
    /// Print one JSON document on standard output, also on failure
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only errors and requested results
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Show every finding and file, and how agpm got the result
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Disable progress bars
    #[arg(long, global = true, env = "AGPM_NO_PROGRESS", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) no_progress: bool,
}

/// When to use colors.
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
    /// Create agpm.toml and update .gitignore
    Init(InitArgs),
    /// Create a sample project and show what agpm does with it
    Demo(DemoArgs),
    /// Add resources and install them
    Add(Box<AddArgs>),
    /// Remove resources and everything only they required
    #[command(visible_aliases = ["rm", "uninstall"])]
    Remove(RemoveArgs),
    /// List the resources of a source
    Browse(BrowseArgs),
    /// Search for resources in all sources
    Search(SearchArgs),
    /// Publish the resources of a library
    Publish(PublishArgs),
    /// Install the project's dependencies and layers
    #[command(visible_aliases = ["i", "sync"])]
    Install(InstallArgs),
    /// Update locked versions
    #[command(visible_alias = "upgrade")]
    Update(UpdateArgs),
    /// Approve the merge programs of the manifest
    Approve(ApproveArgs),
    /// Show policies, or check the project against them
    Policy {
        /// The subcommand
        #[command(subcommand)]
        what: PolicyCommand,
    },
    /// Show the state of the project
    #[command(visible_alias = "st")]
    Status(StatusArgs),
    /// Show what an install or update would change
    Diff(DiffArgs),
    /// Check a committed project in a pipeline
    Ci(CiArgs),
    /// Search installed content for hidden text and attacks
    Audit(AuditArgs),
    /// Show who can run, connect, use, read or instruct
    Can {
        /// The subcommand
        #[command(subcommand)]
        what: CanCommand,
    },
    /// Show newer versions
    Outdated(OutdatedArgs),
    /// List installed resources
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show the dependency tree
    Tree(TreeArgs),
    /// Show why a resource is installed
    Why(WhyArgs),
    /// List the resources of many projects or repositories
    Report(ReportArgs),
    /// Print a bill of materials as CycloneDX or SPDX
    Sbom(SbomArgs),
    /// Check manifest, sources and lockfile
    Validate(ValidateArgs),
    /// Compare installed files with the lockfile
    Verify(VerifyArgs),
    /// Diagnose git, configuration, cache and project
    Doctor(DoctorArgs),
    /// Resolve a conflict of your edit with a new version
    Resolve(ResolveArgs),
    /// Save local edits in the manifest
    Patch {
        /// The subcommand
        #[command(subcommand)]
        what: PatchCommand,
    },
    /// Undo the last change or all since one
    Undo(UndoArgs),
    /// Join lockfiles
    Lock {
        /// The subcommand
        #[command(subcommand)]
        what: LockCommand,
    },
    /// Show or clean fetched data
    Cache {
        /// The subcommand
        #[command(subcommand)]
        what: CacheCommand,
    },
    /// Show or change your configuration
    Config {
        /// The subcommand
        #[command(subcommand)]
        what: ConfigCommand,
    },
    /// List the layers with their versions and files
    Layers(LayersArgs),
    /// Merge files and print the result
    Merge(MergeArgs),
    /// Show the merge strategies with examples
    Strategies(StrategiesArgs),
    /// Import dependencies or layers of another manager
    Import(ImportArgs),
    /// List BMAD agents and workflows of project, home and git
    Catalog(CatalogArgs),
    /// Show a persona merged from all its documents (CLIA)
    Profile(ProfileArgs),
    /// Show and check sandboxes of bot-bottle
    Bottle {
        /// The subcommand
        #[command(subcommand)]
        what: BottleCommand,
    },
    /// Show where a value or file comes from, or an error code
    Explain(ExplainArgs),
    /// Run a server for other programs
    Serve {
        /// The server
        #[command(subcommand)]
        what: ServeCommand,
    },
    /// Print a JSON Schema of a file or of JSON output
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print or write manual pages
    Man(ManArgs),
    /// Print words that can follow the given ones
    #[command(hide = true)]
    Complete(CompleteArgs),
}

/// Arguments of `complete`, which completion scripts call.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// The words of the command line, the last one unfinished
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

/// Whose manifest a command is about.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Use your own manifest and home directory
    #[arg(short = 'g', long = "global", global = true)]
    pub(crate) global: bool,
}

impl Command {
    /// The policy that the user named.
    pub(crate) fn policy(&self) -> Option<String> {
        let args = match self {
            Command::Add(args) => return args.policy.clone(),
            Command::Remove(args) => &args.policy,
            Command::Install(args) => &args.policy,
            Command::Update(args) => &args.policy,
            Command::Diff(args) => &args.policy,
            Command::Audit(args) => &args.policy,
            Command::Ci(args) => &args.policy,
            Command::Report(args) => &args.policy,
            Command::Policy { what } => what.args(),
            _ => return None,
        };
        args.policy.clone()
    }

    /// Whether the user wants no question: `--yes`.
    pub(crate) fn skips_questions(&self) -> bool {
        match self {
            Command::Add(args) => args.yes,
            Command::Install(args) => args.yes,
            Command::Update(args) => args.yes,
            _ => false,
        }
    }

    /// The approvals on the command line.
    pub(crate) fn approval(&self) -> Option<&ApprovalArgs> {
        Some(match self {
            Command::Add(args) => &args.approval,
            Command::Remove(args) => &args.approval,
            Command::Install(args) => &args.approval,
            Command::Update(args) => &args.approval,
            Command::Validate(args) => &args.approval,
            Command::Merge(args) => &args.approval,
            Command::Explain(args) => &args.approval,
            Command::Ci(args) => &args.approval,
            _ => return None,
        })
    }

    /// Which merge programs may run.
    pub(crate) fn programs(&self) -> ProgramUse {
        if self.approval().is_some_and(ApprovalArgs::has_programs) {
            ProgramUse::AllOnce
        } else {
            ProgramUse::Approved
        }
    }

    /// Whose manifest it is about.
    pub(crate) fn scope(&self) -> InstallScope {
        let args = match self {
            Command::Init(args) => &args.scope,
            Command::Add(args) => &args.scope,
            Command::Remove(args) => &args.scope,
            Command::Browse(args) => &args.scope,
            Command::Search(args) => &args.scope,
            Command::Install(args) => &args.scope,
            Command::Update(args) => &args.scope,
            Command::Status(args) => &args.scope,
            Command::Diff(args) => &args.scope,
            Command::Audit(args) => &args.scope,
            Command::Outdated(args) => &args.scope,
            Command::List(args) => &args.scope,
            Command::Tree(args) => &args.scope,
            Command::Why(args) => &args.scope,
            Command::Validate(args) => &args.scope,
            Command::Verify(args) => &args.scope,
            Command::Doctor(args) => &args.scope,
            Command::Layers(args) => &args.scope,
            Command::Resolve(args) => &args.scope,
            Command::Patch { what } => what.scope(),
            Command::Undo(args) => &args.scope,
            Command::Explain(args) => &args.scope,
            Command::Import(args) => &args.scope,
            _ => return InstallScope::Project,
        };
        if args.global {
            InstallScope::User
        } else {
            InstallScope::Project
        }
    }
}

impl Cli {
    /// Reads the command line.
    pub(crate) fn read(arguments: &[OsString]) -> Result<Cli, clap::Error> {
        if wants_all_commands(arguments) {
            return Cli::try_parse_from(["agpm", "--help"]);
        }
        let command = with_short_help(Cli::declaration());
        let matches = command.try_get_matches_from(without_help_command(arguments))?;
        Cli::from_arg_matches(&matches)
    }

    /// The options that suggested commands need to act on the same project as this run.
    pub(crate) fn commands_of_same_project(&self) -> CommandScope {
        let global = &self.global;
        let directory = global.directory.iter().map(|path| ("-C", path));
        let manifest = global.manifest_path.iter();
        let manifest = manifest.map(|path| ("--manifest-path", path));
        let typed: Vec<(&str, String)> = directory
            .chain(manifest)
            .map(|(option, path)| (option, path.display().to_string()))
            .collect();
        let words = typed.iter().flat_map(|(option, path)| [*option, path]);
        CommandScope {
            options: command_line(words),
            project_commands: command_names(|command| {
                !WITHOUT_PROJECT.contains(&command.get_name())
            }),
            global_commands: match self.command.scope() {
                InstallScope::Project => Vec::new(),
                InstallScope::User => names_with_scope(),
            },
        }
    }

    /// The declaration of all commands, for completions and manuals.
    pub(crate) fn declaration() -> clap::Command {
        Cli::command()
    }
}

/// Commands that act on no project: options that select one would only be noise.
const WITHOUT_PROJECT: [&str; 11] = [
    "cache",
    "complete",
    "completions",
    "config",
    "demo",
    "help",
    "lock",
    "man",
    "schema",
    "serve",
    "strategies",
];

/// Whether a command has `-g`.
fn has_scope(command: &clap::Command) -> bool {
    let mut arguments = command.get_arguments();
    arguments.any(|argument| argument.get_long() == Some("global"))
}

/// The commands with `-g`; of a command that only has subcommands, those.
fn names_with_scope() -> Vec<String> {
    let mut names = command_names(has_scope);
    for command in Cli::declaration().get_subcommands() {
        let inner = command.get_subcommands().filter(|inner| has_scope(inner));
        if !has_scope(command) {
            let name = command.get_name();
            names.extend(inner.map(|inner| format!("{name} {}", inner.get_name())));
        }
    }
    names
}

fn command_names(is_listed: impl Fn(&clap::Command) -> bool) -> Vec<String> {
    let declaration = Cli::declaration();
    let commands = declaration.get_subcommands();
    let names = commands.filter(|command| is_listed(command));
    names.map(|command| command.get_name().to_owned()).collect()
}
