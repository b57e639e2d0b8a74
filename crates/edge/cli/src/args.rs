//! What was typed. Doc comments are the help, the man page and the reference.

mod approve;
mod catalog;
mod ci;
mod diff;
mod policy;
mod serve;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::commands::SchemaName;
use crate::help::{asks_for_all, with_short_help};
use agpm_ops::{InstallScope, ManifestUse, MergeInputs, ProgramUse, RuleArgument};

pub(crate) use approve::{ApprovalArgs, ApproveArgs};
pub(crate) use catalog::{CatalogArgs, CatalogCommand, CatalogFormat, ModeArg, PlacesArgs};
pub(crate) use ci::{CiArgs, CiFormat};
pub(crate) use diff::{DiffArgs, DiffFormat};
pub(crate) use policy::{PolicyArgs, PolicyCommand};
pub(crate) use serve::{McpArgs, ServeCommand};

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
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// The manifest to use [default: the nearest `agpm.toml` upward]
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
    /// The folder for downloaded data
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "AGPM_CACHE_DIR",
        hide_env_values = true
    )]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Open no connection
    #[arg(long, global = true, env = "AGPM_OFFLINE", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) offline: bool,
    /// Print exactly one JSON document on standard output, also on failure
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only errors, and what a command was asked to show
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Show every finding and every file, and how the result came about
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
    /// Write a commented starter manifest and the ignore lines
    Init(InitArgs),
    /// Make a small project with a git source, layers, a persona and bottles, install it, and show what can be done with it
    Demo(DemoArgs),
    /// Add resources by their address and install them
    Add(AddArgs),
    /// Remove resources and everything that only they required
    #[command(visible_aliases = ["rm", "uninstall"])]
    Remove(RemoveArgs),
    /// List what a source has
    Browse(BrowseArgs),
    /// Search for resources in all sources
    Search(SearchArgs),
    /// Resolve what the lockfile does not pin, then make the disk match
    #[command(visible_aliases = ["i", "sync"])]
    Install(InstallArgs),
    /// Move pins within their requirements
    #[command(visible_alias = "upgrade")]
    Update(UpdateArgs),
    /// Approve the programs that the manifest makes agpm run
    Approve(ApproveArgs),
    /// Show the policies that apply, or check the project against them
    Policy {
        /// What to do
        #[command(subcommand)]
        what: PolicyCommand,
    },
    /// Show how the project stands
    #[command(visible_alias = "st")]
    Status(StatusArgs),
    /// Show what an install or update would change
    Diff(DiffArgs),
    /// Check a committed project in a pipeline
    Ci(CiArgs),
    /// Show which newer versions there are
    Outdated(OutdatedArgs),
    /// Show what is installed
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show what needs what
    Tree(TreeArgs),
    /// Show who asked for a resource
    Why(WhyArgs),
    /// Check manifest, sources and lockfile without writing
    Validate(ValidateArgs),
    /// Check every installed file against what was installed
    Verify(VerifyArgs),
    /// Check git, configuration, manifest, cache, layers, what is installed, personas and catalogs, and create nothing
    Doctor(DoctorArgs),
    /// Take back the last change
    Undo(UndoArgs),
    /// Show or clean what was fetched
    Cache {
        /// What to do
        #[command(subcommand)]
        what: CacheCommand,
    },
    /// Show or change the user's own configuration
    Config {
        /// What to do
        #[command(subcommand)]
        what: ConfigCommand,
    },
    /// Show the layers in their order: versions, files, and what was skipped and why
    Layers(LayersArgs),
    /// Merge files, low to high, and print the result
    Merge(MergeArgs),
    /// Show the merge strategies, built in and of the project, with an example each
    Strategies(StrategiesArgs),
    /// Take over the dependencies or layers of another manager
    Import(ImportArgs),
    /// List agents, workflows, tasks, tools and skills out of project, home and git
    Catalog(CatalogArgs),
    /// Show a persona: one out of the documents of many folders
    Profile(ProfileArgs),
    /// Show and check sandboxes: bottles, what they extend, and the agents in them
    Bottle {
        /// What to do
        #[command(subcommand)]
        what: BottleCommand,
    },
    /// Tell where a value came from and what it shadows, or what an error code means
    Explain(ExplainArgs),
    /// Serve what agpm knows to other programs
    Serve {
        /// What to serve
        #[command(subcommand)]
        what: ServeCommand,
    },
    /// Print the JSON Schema of a file, for editors
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Whose manifest a command is about.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Use your own manifest, `agpm.toml` in the configuration folder, which is for your home
    #[arg(short = 'g', long = "global", global = true)]
    pub(crate) global: bool,
}

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder of the project [default: this one]
    #[arg(conflicts_with = "global")]
    pub(crate) path: Option<PathBuf>,
    /// Overwrite a manifest that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Describe the agents, skills and commands that the project has
    #[arg(long, conflicts_with_all = ["bare", "global"])]
    pub(crate) adopt: bool,
    /// Do not look for tools and files
    #[arg(long)]
    pub(crate) bare: bool,
    /// Ask nothing
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `add`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct AddArgs {
    /// `OWNER/REPO[/PATH][@VERSION]`, a URL, `SOURCE[:PATH]`, `PLUGIN@MARKETPLACE` or a local path; then names
    #[arg(value_name = "ADDRESS|NAME")]
    pub(crate) words: Vec<String>,
    /// Add only resources of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// The name in the manifest [default: that of the file or directory]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// A tool to install it for; repeat it, or separate several by commas
    #[arg(long = "tool", value_name = "TOOL", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Add everything that the address has
    #[arg(long)]
    pub(crate) all: bool,
    /// Change the manifest only
    #[arg(long)]
    pub(crate) no_install: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Ask nothing
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Let it bring programs along in this run
    #[arg(long, conflicts_with = "no_install")]
    pub(crate) allow_executables: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
    /// What to add
    #[command(subcommand)]
    pub(crate) what: Option<AddCommand>,
}

/// What can be added by a command of its own.
#[derive(Debug, Subcommand)]
pub(crate) enum AddCommand {
    /// Add a place that packages come from
    Source {
        /// What dependencies call it
        name: String,
        /// Its address: `https`, `ssh`, `git@host:path`, `file://`, or a folder
        url: String,
        /// Replace a source of that name
        #[arg(long)]
        force: bool,
    },
    /// Add a resource, and install it
    #[command(visible_alias = "dependency")]
    Dep(AddDepArgs),
}

/// Arguments of `add dep`.
#[derive(Debug, Args)]
pub(crate) struct AddDepArgs {
    /// agent, snippet, command, script, hook, mcp-server or skill
    #[arg(value_name = "TYPE")]
    pub(crate) kind: String,
    /// `SOURCE:PATH[@VERSION]`, or the path of a local file
    pub(crate) spec: String,
    /// Its name in the manifest [default: the file's name without its ending]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The tool it is for
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// A folder below the tool's own for this kind
    #[arg(long, value_name = "FOLDER")]
    pub(crate) target: Option<String>,
    /// The name of the installed file
    #[arg(long)]
    pub(crate) filename: Option<String>,
    /// Replace a dependency of that name
    #[arg(long)]
    pub(crate) force: bool,
    /// Change the manifest only
    #[arg(long)]
    pub(crate) no_install: bool,
    /// Let it bring programs along in this run
    #[arg(long, conflicts_with = "no_install")]
    pub(crate) allow_executables: bool,
}

/// Arguments of `remove`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct RemoveArgs {
    /// Names, `TYPE/NAME`, or installed files
    #[arg(value_name = "NAME|ID")]
    pub(crate) names: Vec<String>,
    /// Leave them out of the pattern that brought them
    #[arg(long)]
    pub(crate) exclude: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
    /// What to remove
    #[command(subcommand)]
    pub(crate) what: Option<RemoveCommand>,
}

/// What can be removed by a command of its own.
#[derive(Debug, Subcommand)]
pub(crate) enum RemoveCommand {
    /// Remove a source that no dependency uses
    Source {
        /// Its name
        name: String,
    },
    /// Remove a dependency with all it brought
    #[command(visible_alias = "dependency")]
    Dep {
        /// Its type (agent, snippet, command, script, hook, mcp-server or skill), or its id
        #[arg(value_name = "TYPE|ID")]
        kind: String,
        /// Its name in the manifest, after its type
        name: Option<String>,
    },
}

/// Arguments of `browse`.
#[derive(Debug, Args)]
pub(crate) struct BrowseArgs {
    /// `OWNER/REPO[/PATH][@VERSION]`, a URL, a source, or a local path
    #[arg(value_name = "ADDRESS|SOURCE")]
    pub(crate) address: String,
    /// Show only what fits these words
    pub(crate) query: Vec<String>,
    /// Show only this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Show no more than this
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words that names or descriptions must fit
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// Show only this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Show no more than this [default: 50]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Ask every source again
    #[arg(long)]
    pub(crate) refresh: bool,
}

/// Arguments of `install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Take everything from the lockfile, resolve nothing, and check every byte
    #[arg(long, conflicts_with_all = ["locked", "no_lock"])]
    pub(crate) frozen: bool,
    /// Fail if the lockfile would change
    #[arg(long, conflicts_with = "no_lock")]
    pub(crate) locked: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The same, and fail if there is anything to do
    #[arg(long)]
    pub(crate) check: bool,
    /// Do not write the lockfile
    #[arg(long)]
    pub(crate) no_lock: bool,
    /// Overwrite files that are in the way or were edited
    #[arg(long)]
    pub(crate) force: bool,
    /// Take over files that are in the way
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Take warnings for errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Let resources bring programs along in this run
    #[arg(long)]
    pub(crate) allow_executables: bool,
    /// Fail if a tool's own form cannot say all that a resource says
    #[arg(long)]
    pub(crate) strict_fidelity: bool,
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
    /// Names, or `TYPE/NAME` [default: all]
    pub(crate) names: Vec<String>,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The same, and fail if there is anything to do
    #[arg(long)]
    pub(crate) check: bool,
    /// Overwrite files that are in the way or were edited
    #[arg(long)]
    pub(crate) force: bool,
    /// Let resources bring programs along in this run
    #[arg(long)]
    pub(crate) allow_executables: bool,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// Arguments of `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `outdated`.
#[derive(Debug, Args)]
pub(crate) struct OutdatedArgs {
    /// Names, `TYPE/NAME`, installed files, or sources [default: all]
    pub(crate) names: Vec<String>,
    /// List everything
    #[arg(long)]
    pub(crate) all: bool,
    /// Fail if anything is outdated
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only this kind
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
    /// Tell what patches changed, from which value to which
    #[arg(long)]
    pub(crate) detailed: bool,
    /// How to print it [default: table]
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
    /// Start at these, by name or `TYPE/NAME` [default: what the manifest asks for]
    pub(crate) names: Vec<String>,
    /// Show no more levels than this
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// Show who needs it instead
    #[arg(long)]
    pub(crate) invert: bool,
    /// How to print it [default: text]
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
    /// A name, `TYPE/NAME`, or an installed file
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Resolve every dependency
    #[arg(long)]
    pub(crate) resolve: bool,
    /// Reach every source
    #[arg(long)]
    pub(crate) sources: bool,
    /// Look for local files
    #[arg(long)]
    pub(crate) paths: bool,
    /// Render every template
    #[arg(long)]
    pub(crate) render: bool,
    /// Compare the lockfile with the manifest
    #[arg(long)]
    pub(crate) check_lock: bool,
    /// Take warnings for errors
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// Arguments of `layers`.
#[derive(Debug, Args)]
pub(crate) struct LayersArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
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
    /// Take warnings for errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Also check that persona documents removed since this git revision are archived
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `undo`.
#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// List the transactions that can be undone
    #[arg(long, conflicts_with_all = ["force", "dry_run"])]
    pub(crate) list: bool,
    /// Undo even if files were modified afterwards
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be undone
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// What can be done with the cache.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum CacheCommand {
    /// Show where it is and what it holds
    Info,
    /// Remove copies that no project needs
    Clean {
        /// Remove everything
        #[arg(long)]
        all: bool,
        /// Remove what was not used for this long, such as `12h`, `30d` or `8w`
        #[arg(long, value_name = "AGE", default_value = "30d", value_parser = age, conflicts_with = "all")]
        older_than: std::time::Duration,
        /// Show what would be removed
        #[arg(long)]
        dry_run: bool,
    },
}

/// A number with a unit: `s`, `m`, `h`, `d` or `w`.
fn age(text: &str) -> Result<std::time::Duration, String> {
    let units = [
        ('s', 1),
        ('m', 60),
        ('h', 3600),
        ('d', 86_400),
        ('w', 604_800),
    ];
    let read = || {
        let (_, seconds) = units.iter().find(|(unit, _)| text.ends_with(*unit))?;
        let count: u64 = text[..text.len() - 1].parse().ok()?;
        count
            .checked_mul(*seconds)
            .map(std::time::Duration::from_secs)
    };
    read().ok_or_else(|| "expected a number and a unit (s, m, h, d, w), such as `30d`".to_owned())
}

/// What can be done with the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print it, with secrets masked
    Show,
    /// Print where it is
    Path,
    /// Add a source for all projects
    AddSource {
        /// What dependencies call it
        name: String,
        /// Its address
        url: String,
        /// Replace a source of that name
        #[arg(long)]
        force: bool,
    },
    /// Remove a source for all projects
    RemoveSource {
        /// Its name
        name: String,
    },
    /// Print or set the host of `OWNER/REPO`
    DefaultHost {
        /// A host such as `git.example.com`, or the beginning of a URL
        host: Option<String>,
    },
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

impl FoldArgs {
    /// What is merged, and how.
    pub(crate) fn inputs(self, files: Vec<PathBuf>) -> MergeInputs {
        MergeInputs {
            files,
            layer_names: self.layer_names,
            strategy: self.strategy,
            rules: self.rules,
            manifest: if self.no_manifest {
                ManifestUse::Ignored
            } else {
                ManifestUse::Nearest
            },
        }
    }
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
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
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

/// Arguments of `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Whose files: skills-lock, apm, rulesync, ruler, claude, agpm-cli, agent-manager
    pub(crate) format: String,
    /// The file [default: where that manager has it, in the project or in home]
    pub(crate) file: Option<PathBuf>,
    /// Print the sections, and do not write them
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `profile`.
#[derive(Debug, Args)]
#[command(override_usage = "agpm profile [OPTIONS] <SLUG>\n       agpm profile [OPTIONS] --list")]
pub(crate) struct ProfileArgs {
    /// The persona: the name of its folder in `.clia/agents`
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub(crate) slug: Option<String>,
    /// List the personas that can be seen from here
    #[arg(long, conflicts_with_all = ["kind", "root_chain", "with_sources", "projections"])]
    pub(crate) list: bool,
    /// Which document
    #[arg(long, value_name = "KIND", default_value = "agent")]
    pub(crate) kind: ProfileKind,
    /// The folder to look from [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,
    /// The topmost folder that counts [default: the root of the outermost git repository]
    #[arg(long, value_name = "DIR")]
    pub(crate) ceiling: Option<PathBuf>,
    /// Count the other submodules of this repository too, below its own documents
    #[arg(long)]
    pub(crate) submodules: bool,
    /// Take warnings for errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Add `contextChain`: every document, lowest first
    #[arg(long)]
    pub(crate) root_chain: bool,
    /// Add `sources`: the document and line of every value
    #[arg(long)]
    pub(crate) with_sources: bool,
    /// Add `projections`: sections, checklists and the like as plain text
    #[arg(long)]
    pub(crate) projections: bool,
    /// How to print it [default: JSON, and a table for the list]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<ProfileFormat>,
}

/// Documents of a persona.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileKind {
    /// Who it is
    Agent,
    /// What it is up to
    Agenda,
    /// What it has done
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

/// What can be done with bottles.
#[derive(Debug, Subcommand)]
pub(crate) enum BottleCommand {
    /// Show all bottles and agents
    List {
        /// Read bottles and agents from this JSON file instead of `~/.bot-bottle` and `.bot-bottle`
        #[arg(long, value_name = "FILE")]
        json_file: Option<PathBuf>,
    },
    /// Show a bottle with what it has from those that it extends
    Show {
        /// The bottle
        name: String,
        /// Show it as it is written
        #[arg(long)]
        raw: bool,
        /// How to print it [default: yaml]
        #[arg(long, value_name = "FORMAT")]
        format: Option<BottleFormat>,
        #[command(flatten)]
        args: BottleArgs,
    },
    /// Show an agent with its bottle
    Agent {
        /// The agent
        name: String,
        /// How to print it [default: yaml]
        #[arg(long, value_name = "FORMAT")]
        format: Option<BottleFormat>,
        #[command(flatten)]
        args: BottleArgs,
    },
    /// Check all bottles and agents, and tell every mistake
    Check(BottleArgs),
}

/// Arguments of everything about bottles; shared by `bottle` and `explain`.
#[derive(Debug, Args)]
pub(crate) struct BottleArgs {
    /// Read bottles and agents from this JSON file instead of `~/.bot-bottle` and `.bot-bottle`
    #[arg(long, value_name = "FILE")]
    pub(crate) json_file: Option<PathBuf>,
    /// Show values of bottles that look like secrets
    #[arg(long)]
    pub(crate) show_secrets: bool,
}

/// Formats that a bottle can be printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BottleFormat {
    /// JSON for programs, secrets and all
    Json,
    /// YAML
    Yaml,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// `file:PATH`, `manifest:/POINTER`, `agent:NAME` (or another type), `catalog:MODULE/NAME`, `profile:SLUG[/KIND]`, `bottle:NAME`, or an error code such as `json/syntax`
    pub(crate) what: String,
    /// A place in it, as a JSON pointer
    pub(crate) pointer: Option<String>,
    /// Fold these files, lowest first, instead of the layers of the project
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

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// `manifest`, `lock`, `policy`, `bottle`, `agent`, `persona`, or `output/COMMAND` for the JSON of a command
    #[arg(value_name = "WHAT", default_value = "manifest")]
    pub(crate) what: SchemaName,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

impl Command {
    /// The policy that the user named.
    pub(crate) fn policy(&self) -> Option<String> {
        let args = match self {
            Command::Install(args) => &args.policy,
            Command::Update(args) => &args.policy,
            Command::Diff(args) => &args.policy,
            Command::Ci(args) => &args.policy,
            Command::Policy { what } => what.args(),
            _ => return None,
        };
        args.policy.clone()
    }

    /// Whether the user wants no question: `--yes`.
    pub(crate) fn asks_nothing(&self) -> bool {
        matches!(self, Command::Add(args) if args.yes)
    }

    /// What the command approves.
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
            Command::Install(args) => &args.scope,
            Command::Update(args) => &args.scope,
            Command::Status(args) => &args.scope,
            Command::Diff(args) => &args.scope,
            Command::Outdated(args) => &args.scope,
            Command::List(args) => &args.scope,
            Command::Tree(args) => &args.scope,
            Command::Why(args) => &args.scope,
            Command::Validate(args) => &args.scope,
            Command::Verify(args) => &args.scope,
            Command::Doctor(args) => &args.scope,
            Command::Layers(args) => &args.scope,
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
        if asks_for_all(arguments) {
            return Cli::try_parse_from(["agpm", "--help"]);
        }
        let command = with_short_help(Cli::declaration());
        let matches = command.try_get_matches_from(without_help_of_help(arguments))?;
        Cli::from_arg_matches(&matches)
    }

    /// The declaration of all commands, for completions and manuals.
    pub(crate) fn declaration() -> clap::Command {
        Cli::command()
    }
}

/// `help` takes no flags: what `help COMMAND --help` asks for is the help of the command.
fn without_help_of_help(arguments: &[OsString]) -> Vec<OsString> {
    let is_flag = |argument: &OsString| argument == "--help" || argument == "-h";
    let mut words = arguments
        .iter()
        .skip(1)
        .filter(|argument| !argument.to_string_lossy().starts_with('-'));
    match words.next().is_some_and(|word| word == "help") {
        true => arguments
            .iter()
            .filter(|argument| !is_flag(argument))
            .cloned()
            .collect(),
        false => arguments.to_vec(),
    }
}
