//! Files of other managers as entries of a manifest: one table, one file for each format.

mod agpm_cli;
mod apm;
mod claude;
mod foreign;
mod format_reader;
mod local_files;
mod ruler;
mod rulesync;
mod servers;
mod skills_lock;
mod tool_names;

pub use agpm_cli::{ManifestDifference, read_differences};
pub use foreign::{ForeignFiles, ForeignManifest, NeighbouringFiles};

/// A format of `agpm import`.
pub struct ImportFormat {
    /// Its name in the command.
    pub name: &'static str,
    /// The manager that writes it.
    pub manager: &'static str,
    /// Its files in a project, the first of which is required.
    pub project: &'static [&'static str],
    /// The usual paths in the home directory.
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

/// The format of a name.
pub fn format_named(name: &str) -> Option<&'static ImportFormat> {
    FORMATS.iter().find(|format| format.name == name)
}
