//! Amp. It has neither agents nor commands in files, and its plugins are programs.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".amp",
        user: ".config/amp",
    },
    skills: Some(TypeSupport {
        location: ScopedValue {
            project: Some(Directory::Shared(COMMON_SKILLS)),
            user: Some(Directory::Shared(".config/agents/skills")),
        },
        format: SkillFormat::also_reading(ScopedValue {
            project: &[".claude/skills"],
            user: &[".claude/skills", ".config/amp/skills"],
        }),
        source: source(
            "Amp, Owner's Manual: Agent Skills; syllago, Amp",
            "2026-11-18",
        ),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: Some(".amp/settings.json"),
            user: Some(".config/amp/settings.json"),
        },
        format: SERVERS,
        source: source("Amp, Owner's Manual: MCP, `amp.mcpServers`", "2026-11-18"),
    }),
    instructions: Some(TypeSupport {
        location: blocks(&[COMMON_INSTRUCTIONS], Some(&[".config/amp/AGENTS.md"])),
        format: InstructionFormat::BLOCKS,
        source: source(
            "Amp, Owner's Manual: AGENTS.md; dyoshikawa/rulesync#1739",
            "2026-11-18",
        ),
    }),
    layer_files: SourcedList::new(
        &[".amp/**"],
        source("Amp, Owner's Manual: workspace settings", "2026-11-16"),
    ),
    loaded_code: SourcedList::new(
        &[".amp/plugins/"],
        source("Amp, Owner's Manual: plugins", "2026-11-19"),
    ),
    config: CONFIG,
    names_elsewhere: &["amp"],
    ..ToolDefinition::new("amp", "Amp")
};

/// The key has a dot in it. A server of a project runs after the user approves it.
const SERVERS: ServerFormat = ServerFormat {
    directory: None,
    passes: &["includeTools"],
    limits: &["includeTools"],
    ..ServerFormat::new("amp.mcpServers", Variables::Replaced(VariableSyntax::Shell))
};

const CONFIG: &[ConfigFile] = &[ConfigFile::new(
    &[
        ".amp/settings.json",
        ".amp/settings.jsonc",
        ".config/amp/settings.json",
    ],
    &[
        key("amp.mcpServers", KeyEffect::Servers),
        key("amp.dangerouslyAllowAll", KeyEffect::Unprotects(true)),
        key("amp.permissions", KeyEffect::Permissions),
        key("amp.tools.disable", KeyEffect::Denies),
        key("amp.commands.allowlist", KeyEffect::Allows),
        key("amp.url", KeyEffect::Connects),
        harmless("amp.notifications.enabled"),
        harmless("amp.showCosts"),
        harmless("amp.todos.enabled"),
        harmless("amp.terminal.theme"),
        harmless("amp.updates.mode"),
    ],
    source("Amp, Owner's Manual: configuration", "2026-11-19"),
)];
