//! Zed. It has no agents, commands or its own hooks.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".zed",
        user: ".config/zed",
    },
    skills: Some(TypeSupport {
        location: shared(COMMON_SKILLS),
        format: SkillFormat::PLAIN,
        source: source(
            "Zed, Skills: where skills live; dyoshikawa/rulesync#1705",
            "2026-11-18",
        ),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: Some(".zed/settings.json"),
            user: Some(".config/zed/settings.json"),
        },
        format: SERVERS,
        source: source(
            "Zed, Model Context Protocol; Worktree trust; `ContextServerSettingsContent` of zed-industries/zed",
            "2026-11-18",
        ),
    }),
    instructions: Some(TypeSupport {
        location: blocks(&[COMMON_INSTRUCTIONS], Some(&[".config/zed/AGENTS.md"])),
        format: InstructionFormat::BLOCKS,
        source: source("Zed, Instructions; dyoshikawa/rulesync#2415", "2026-11-18"),
    }),
    layer_files: SourcedList::new(
        &[".rules", ".zed/**"],
        source("Zed, Instructions; Configuring Zed", "2026-11-16"),
    ),
    ..ToolDefinition::new("zed", "Zed")
};

/// `timeout` is in seconds there and in milliseconds elsewhere, so it is left out.
const SERVERS: ServerFormat = ServerFormat {
    command: CommandLine::PartsWithArgs,
    directory: None,
    urls: ServerUrls {
        http: "url",
        sse: None,
    },
    switch: ServerSwitch::Enabled,
    passes: &["remote"],
    ..ServerFormat::new("context_servers", Variables::kept_by("Zed"))
};
