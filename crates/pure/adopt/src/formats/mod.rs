//! Files of other managers as entries of a manifest: one table, one file for each format.

mod agpm_cli;
mod apm;
mod claude;
mod reading;
mod ruler;
mod rulesync;
mod servers;
mod skills_lock;
mod tool_names;

use agpm_diag::Diagnostic;
use agpm_text::{Format, Parsed};

pub use agpm_cli::{ManifestDifference, read_differences};
pub(crate) use reading::Reading;

use crate::entries::ManifestEntry;

/// A format of `agpm import`.
pub struct ImportFormat {
    /// What the command calls it.
    pub name: &'static str,
    /// The manager that writes it.
    pub manager: &'static str,
    /// Its files in a project, the first of which is required.
    pub project: &'static [&'static str],
    /// The same in home.
    pub home: &'static [&'static str],
    /// How they are read; nothing for a format that becomes layers instead of dependencies.
    pub read: Option<fn(&mut ForeignFiles<'_>) -> ForeignManifest>,
}

/// All formats.
pub static FORMATS: &[ImportFormat] = &[
    ImportFormat {
        name: "skills-lock",
        manager: "skills",
        project: &["skills-lock.json"],
        home: &[".agents/.skill-lock.json"],
        read: Some(skills_lock::read),
    },
    ImportFormat {
        name: "apm",
        manager: "APM",
        project: &["apm.yml", "apm.lock.yaml"],
        home: &[".apm/apm.yml"],
        read: Some(apm::read),
    },
    ImportFormat {
        name: "rulesync",
        manager: "rulesync",
        project: &["rulesync.jsonc"],
        home: &[],
        read: Some(rulesync::read),
    },
    ImportFormat {
        name: "ruler",
        manager: "ruler",
        project: &[".ruler/ruler.toml"],
        home: &[".config/ruler/ruler.toml"],
        read: Some(ruler::read),
    },
    ImportFormat {
        name: "claude",
        manager: "Claude Code",
        project: &[".claude/settings.json", ".claude/settings.local.json"],
        home: &[".claude/settings.json"],
        read: Some(claude::read),
    },
    ImportFormat {
        name: "agpm-cli",
        manager: "agpm-cli",
        project: &["agpm.toml"],
        home: &[],
        read: Some(agpm_cli::read),
    },
    ImportFormat {
        name: "agent-manager",
        manager: "agent-manager",
        project: &[],
        home: &[".agent-manager/config.yaml"],
        read: None,
    },
];

/// What the files of another manager say.
#[derive(Debug, Default)]
pub struct ForeignManifest {
    /// Tools, as agpm calls them.
    pub tools: Vec<String>,
    /// Dependencies, and MCP servers. Local paths start at the file.
    pub entries: Vec<ManifestEntry>,
    /// What is wrong with the files, and what has no counterpart.
    pub diagnostics: Vec<Diagnostic>,
}

/// The file that is imported, and those that belong to it.
pub struct ForeignFiles<'a> {
    /// The file that was named or found.
    pub main: Parsed,
    /// Its name, without directories.
    pub name: String,
    /// Other files and directories.
    pub beside: &'a mut dyn NeighbouringFiles,
}

/// The files around the one that is imported.
pub trait NeighbouringFiles {
    /// A file by its path from the directory of the imported one; nothing if there is none.
    fn beside(&mut self, path: &str, format: Format) -> Option<Parsed>;

    /// A file of the user, by its path from home.
    fn in_home(&mut self, path: &str, format: Format) -> Option<Parsed>;

    /// The names in a directory beside the imported file.
    fn names(&mut self, directory: &str) -> Vec<String>;

    /// Whether a file or directory of the project exists and is no symlink.
    fn is_in_project(&self, path: &str) -> bool;
}

/// The format of a name.
pub fn format_named(name: &str) -> Option<&'static ImportFormat> {
    FORMATS.iter().find(|format| format.name == name)
}
