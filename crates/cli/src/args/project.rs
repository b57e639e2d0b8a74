//! Commands that write the manifest: `init`, `demo`, `add`, `remove`, `import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ApprovalArgs, PolicyArgs, ScopeArgs};

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The project directory [default: the current one]
    #[arg(conflicts_with = "global")]
    pub(crate) path: Option<PathBuf>,
    /// A tool of the project, or several with commas [default: those found]
    #[arg(
        long = "tool",
        value_name = "TOOL",
        value_delimiter = ',',
        conflicts_with = "global"
    )]
    pub(crate) tools: Vec<String>,
    /// Overwrite an existing manifest
    #[arg(long)]
    pub(crate) force: bool,
    /// Manage the agents, skills and commands that exist
    #[arg(long, conflicts_with_all = ["bare", "global"])]
    pub(crate) adopt: bool,
    /// Do not detect tools and files
    #[arg(long)]
    pub(crate) bare: bool,
    /// Ask no questions
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// An empty or new directory [default: a temporary one]
    pub(crate) dir: Option<PathBuf>,
}

/// Arguments of `add`.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    override_usage = "agpm add [OPTIONS] <ADDRESS>... [NAME]...\n       \
                      agpm add source <NAME> <URL>\n       \
                      agpm add dep <TYPE> <SOURCE:PATH[@VERSION]>\n       \
                      agpm add mcp <NAME> <URL|-- COMMAND>"
)]
pub(crate) struct AddArgs {
    /// OWNER/REPO[/PATH][@VERSION], URL, SOURCE[:PATH] or a local path
    #[arg(value_name = "ADDRESS")]
    pub(crate) words: Vec<String>,
    /// Add only resources of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// The name to install it under [default: its own]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// A tool to install it for, or several with commas
    #[arg(long = "tool", value_name = "TOOL", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Add all resources of the source
    #[arg(long)]
    pub(crate) all: bool,
    /// Prefix the names of a plugin's parts with its own
    #[arg(long, hide_short_help = true)]
    pub(crate) prefix: bool,
    /// Leave out a part of a plugin or a match of a pattern
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,
    /// A subdirectory of the tool's directory
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) target: Option<String>,
    /// The name of the installed file [default: the name]
    #[arg(long, hide_short_help = true)]
    pub(crate) filename: Option<String>,
    /// Change only the manifest
    #[arg(long, hide_short_help = true)]
    pub(crate) no_install: bool,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Ask no questions
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Allow transitive scripts, hooks and MCP servers
    #[arg(long, conflicts_with = "no_install", hide_short_help = true)]
    pub(crate) allow_executables: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
    /// Apply this policy too
    #[arg(long, value_name = "FILE|URL", global = true, hide_short_help = true)]
    pub(crate) policy: Option<String>,
    /// The thing to add
    #[command(subcommand)]
    pub(crate) what: Option<AddCommand>,
}

/// The subcommands of `add`.
#[derive(Debug, Subcommand)]
pub(crate) enum AddCommand {
    /// Add a source of resources
    Source {
        /// Its name in the manifest
        name: String,
        /// Its URL (https, ssh, git@host:path, file://), or a directory
        url: String,
        /// Replace a source of that name
        #[arg(long)]
        force: bool,
    },
    /// Add a dependency and install it
    #[command(visible_alias = "dependency")]
    Dep(AddDepArgs),
    /// Add an MCP server and install it
    Mcp(AddMcpArgs),
}

/// Arguments of `add mcp`.
#[derive(Debug, Args)]
#[command(override_usage = "agpm add mcp [OPTIONS] <NAME> <URL>\n       \
                      agpm add mcp [OPTIONS] <NAME> -- <COMMAND> [ARGUMENT]...")]
pub(crate) struct AddMcpArgs {
    /// The name of the server
    pub(crate) name: String,
    /// The URL of a remote server
    pub(crate) url: Option<String>,
    /// The command of a local server, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// A variable of the command: NAME is the one of your environment
    #[arg(short = 'e', long = "env", value_name = "NAME[=VALUE]")]
    pub(crate) variables: Vec<String>,
    /// A header of requests, as in 'Authorization: Bearer ${TOKEN}'
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// How to talk to the server [default: stdio or http]
    #[arg(long = "type", value_name = "TYPE", value_parser = agpm_model::SERVER_TRANSPORTS)]
    pub(crate) transport: Option<String>,
    /// The directory that the command runs in
    #[arg(long = "cwd", value_name = "DIR")]
    pub(crate) directory: Option<String>,
    /// A tool to install it for, or several with commas
    #[arg(long = "tool", value_name = "TOOL", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Change only the manifest
    #[arg(long)]
    pub(crate) no_install: bool,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Ask no questions
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Arguments of `add dep`.
#[derive(Debug, Args)]
pub(crate) struct AddDepArgs {
    /// agent, snippet, command, script, hook, mcp-server or skill
    #[arg(value_name = "TYPE")]
    pub(crate) kind: String,
    /// SOURCE:PATH[@VERSION], or the path of a local file
    pub(crate) spec: String,
    /// The name in the manifest [default: the file name]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// A tool to install it for, or several with commas
    #[arg(long = "tool", value_name = "TOOL", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// A subdirectory of the tool's directory
    #[arg(long, value_name = "DIR")]
    pub(crate) target: Option<String>,
    /// The name of the installed file
    #[arg(long)]
    pub(crate) filename: Option<String>,
    /// Replace a dependency of that name
    #[arg(long)]
    pub(crate) force: bool,
    /// Change only the manifest
    #[arg(long)]
    pub(crate) no_install: bool,
    /// Allow transitive scripts, hooks and MCP servers
    #[arg(long, conflicts_with = "no_install")]
    pub(crate) allow_executables: bool,
}

/// Arguments of `remove`.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    override_usage = "agpm remove [OPTIONS] <NAME|ID>...\n       \
                      agpm remove source <NAME>\n       \
                      agpm remove dep <TYPE> <NAME>"
)]
pub(crate) struct RemoveArgs {
    /// Names, TYPE/NAME, or installed files
    #[arg(value_name = "NAME|ID")]
    pub(crate) names: Vec<String>,
    /// Exclude them from the pattern that matches them
    #[arg(long)]
    pub(crate) exclude: bool,
    /// Show the changes without making them
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// The thing to remove
    #[command(subcommand)]
    pub(crate) what: Option<RemoveCommand>,
}

/// The subcommands of `remove`.
#[derive(Debug, Subcommand)]
pub(crate) enum RemoveCommand {
    /// Remove a source that no dependency uses
    Source {
        /// Its name
        name: String,
    },
    /// Remove a dependency and everything only it required
    #[command(visible_alias = "dependency")]
    Dep {
        /// Its type (agent, snippet, command, …), or its id
        #[arg(value_name = "TYPE|ID")]
        kind: String,
        /// Its name in the manifest, after its type
        name: Option<String>,
    },
}

/// Arguments of `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// skills-lock, apm, rulesync, ruler, claude, agpm-cli or agent-manager [default: list what is found]
    pub(crate) format: Option<String>,
    /// The file [default: that manager's usual path]
    pub(crate) file: Option<PathBuf>,
    /// Print the sections without writing them
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}
