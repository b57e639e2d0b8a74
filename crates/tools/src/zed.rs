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
    config: CONFIG,
    users_files: UsersFiles {
        instructions: &[".rules"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["zed"],
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

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".zed/settings.json", ".config/zed/settings.json"],
        &[
            key("context_servers", KeyEffect::Servers),
            key(
                "agent/always_allow_tool_actions",
                KeyEffect::Unprotects(true),
            ),
            key(
                "agent/tool_permissions/default",
                KeyEffect::Mode(&["confirm", "deny"]),
            ),
            key(
                "agent/tool_permissions/tools/*/default",
                KeyEffect::Mode(&["confirm", "deny"]),
            ),
            key(
                "agent/tool_permissions/tools/*/default_mode",
                KeyEffect::Mode(&["confirm", "deny"]),
            ),
            key("agent_servers", KeyEffect::Servers),
            key("lsp/*/binary", KeyEffect::Runs),
            key("languages/*/formatter/external", KeyEffect::Runs),
            key("formatter/external", KeyEffect::Runs),
            key("terminal/shell", KeyEffect::Runs),
            key("terminal/env", KeyEffect::Environment),
            harmless("agent/default_model"),
            harmless("agent/default_profile"),
            harmless("agent/enabled"),
            harmless("buffer_font_family"),
            harmless("buffer_font_size"),
            harmless("format_on_save"),
            harmless("hard_tabs"),
            harmless("languages/*/format_on_save"),
            harmless("languages/*/hard_tabs"),
            harmless("languages/*/tab_size"),
            harmless("lsp/*/initialization_options"),
            harmless("soft_wrap"),
            harmless("tab_size"),
            harmless("theme"),
            harmless("ui_font_size"),
            harmless("vim_mode"),
        ],
        source("Zed, Configuring Zed; All settings", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".zed/tasks.json", ".zed/debug.json"],
        &[key("*", KeyEffect::Runs)],
        source("Zed, Tasks", "2026-11-19"),
    ),
];
