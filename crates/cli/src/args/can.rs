use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What `can` is asked.
#[derive(Debug, Subcommand)]
pub(crate) enum CanCommand {
    /// Show who can run a program
    Run {
        /// The program, with arguments if they matter
        program: String,
        #[command(flatten)]
        projects: CanProjects,
    },
    /// Show who can connect to a host
    Connect {
        /// A host, or a pattern such as `*.example`
        host: String,
        #[command(flatten)]
        projects: CanProjects,
    },
    /// Show who can use a tool
    Use {
        /// A rule in the words of any client, such as `Bash(git push:*)`
        rule: String,
        #[command(flatten)]
        projects: CanProjects,
    },
    /// Show who receives or reads a variable
    ReadEnv {
        /// The name, or a pattern such as `*_TOKEN`
        name: String,
        #[command(flatten)]
        projects: CanProjects,
    },
    /// Show which files give instructions that are always read
    Instruct {
        #[command(flatten)]
        projects: CanProjects,
    },
}

/// The projects that `can` looks at.
#[derive(Debug, Args)]
pub(crate) struct CanProjects {
    /// Directories of projects [default: the current one]
    #[arg(value_name = "DIR")]
    pub(crate) directories: Vec<PathBuf>,
    /// Read more directories from a file, one on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Answer from the lockfile instead of the installed files
    #[arg(long)]
    pub(crate) locked: bool,
}
