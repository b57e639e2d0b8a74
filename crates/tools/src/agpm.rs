//! agpm itself, for resources that no tool reads by itself.

use crate::prelude::*;

/// Snippets are apart from `.agpm`, which in home may belong to a project there.
pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".agpm",
        user: ".local/share/agpm",
    },
    snippets: Some(TypeSupport {
        location: own_directory("snippets"),
        format: UnchangedFiles,
        source: source("agpm, docs/packages.md", "2026-11-15"),
    }),
    former_directories: SourcedList::new(
        &[".agpm/snippets"],
        source("agpm-cli 0.4.14, `src/cli/migrate.rs`", "2026-11-18"),
    ),
    ..ToolDefinition::new("agpm", "agpm")
};
