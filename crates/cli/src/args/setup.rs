//! Commands about agpm itself: `cache`, `config`, `schema`, `completions`, `man`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::schema_name::SchemaName;

/// The subcommands of `cache`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum CacheCommand {
    /// Show the location and contents of the cache
    Info,
    /// Remove copies that no project needs
    Clean {
        /// Remove everything
        #[arg(long)]
        all: bool,
        /// Remove copies unused for this long: 12h, 30d, 8w
        #[arg(long, value_name = "AGE", default_value = "30d", value_parser = age, conflicts_with = "all")]
        older_than: Duration,
        /// Show what would be removed
        #[arg(long)]
        dry_run: bool,
    },
}

/// A number with a unit: `s`, `m`, `h`, `d` or `w`.
fn age(text: &str) -> Result<Duration, String> {
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
        count.checked_mul(*seconds).map(Duration::from_secs)
    };
    read().ok_or_else(|| "expected a number and a unit (s, m, h, d, w), such as `30d`".to_owned())
}

/// The subcommands of `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print it, with secrets masked
    Show,
    /// Print its path
    Path,
    /// Add a source for all projects
    AddSource {
        /// Its name in manifests
        name: String,
        /// Its URL
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
    /// Print or set the host of OWNER/REPO
    DefaultHost {
        /// A host such as git.example.com, or the start of a URL
        host: Option<String>,
    },
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// manifest, lock, policy, bottle, agent, persona or output/COMMAND
    #[arg(value_name = "WHAT", default_value = "manifest")]
    pub(crate) what: SchemaName,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The words of a command [default: agpm itself]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub(crate) command: Vec<String>,
    /// Write all pages into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
