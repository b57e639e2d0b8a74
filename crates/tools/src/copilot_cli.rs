//! GitHub Copilot CLI. It reads the agents, skills and hooks of Copilot in VS Code, the commands of Claude Code, and its
//! own file of MCP servers.

use crate::copilot::{AGENTS, HOOKS as EDITOR_HOOKS, RULES};
use crate::prelude::*;

const TITLE: &str = "Copilot CLI";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".github",
        user: ".copilot",
    },
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source("GitHub Copilot, Custom agents configuration", "2026-11-16"),
    }),
    commands: Some(TypeSupport {
        location: ScopedValue {
            project: Some(Directory::Shared(".claude/commands")),
            user: None,
        },
        format: CommandFormat::Unchanged,
        source: source(
            "github/copilot-cli, changelog: `.claude/commands`",
            "2026-11-18",
        ),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat {
            strings: &["argument-hint"],
            ..SkillFormat::also_reading(ScopedValue::both(&[".claude/skills", COMMON_SKILLS]))
        },
        source: source(
            "GitHub Copilot, Customization cheat sheet; github/copilot-cli, changelog; Copilot CLI 1.0.102",
            "2026-11-18",
        ),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue::both(Some(HookLocation::Files(Directory::Own("hooks")))),
        format: HOOKS,
        source: source(
            "GitHub Copilot, Hooks reference; github/copilot-cli, changelog",
            "2026-11-18",
        ),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: Some(".github/mcp.json"),
            user: Some(".copilot/mcp-config.json"),
        },
        format: SERVERS,
        source: source(
            "GitHub Copilot, Adding MCP servers for GitHub Copilot CLI; github/copilot-cli, changelog",
            "2026-11-18",
        ),
    }),
    instructions: Some(TypeSupport {
        location: ScopedValue {
            project: Some(InstructionLocation {
                rules: Some(Directory::Own("instructions")),
                blocks: &[COMMON_INSTRUCTIONS],
            }),
            user: Some(InstructionLocation {
                rules: Some(Directory::Own("instructions")),
                blocks: &[".copilot/copilot-instructions.md"],
            }),
        },
        format: InstructionFormat::rules(RULES),
        source: source(
            "GitHub Copilot, Adding custom instructions for GitHub Copilot CLI",
            "2026-11-16",
        ),
    }),
    layer_files: SourcedList::new(
        &[".github/copilot-instructions.md", ".github/instructions/**"],
        source("GitHub Copilot, Customization cheat sheet", "2026-11-16"),
    ),
    executable: Some(Executable {
        name: "copilot",
        version: "1.0.102",
        source: source("npm, @github/copilot 1.0.102", "2026-11-16"),
    }),
    plugin_manifest: Some(PluginManifestPath {
        path: ".github/plugin/plugin.json",
        source: source(
            "GitHub Copilot CLI plugin reference: file locations",
            "2026-11-18",
        ),
    }),
    foreign_hooks: Some(ForeignHooks {
        tool: "claude-code",
        reading: ForeignReading::Always,
        source: source(
            "GitHub Copilot, Hooks reference: hooks locations; github/app#1717",
            "2026-11-18",
        ),
    }),
    config: CONFIG,
    names_elsewhere: &["copilotcli"],
    ..ToolDefinition::new("copilot-cli", TITLE)
};

const HOOKS: HookFormat = HookFormat {
    title: TITLE,
    ..EDITOR_HOOKS
};

const SERVERS: ServerFormat = ServerFormat {
    types: ServerTypes {
        local: Some("local"),
        http: Some("http"),
        sse: Some("sse"),
    },
    passes: &["tools", "timeout", "oauthClientId", "oauthPublicClient"],
    limits: &["tools"],
    ..ServerFormat::new("mcpServers", Variables::Replaced(VariableSyntax::Shell))
};

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".github/mcp.json", ".copilot/mcp-config.json"],
        SERVER_FILE,
        source(
            "GitHub Copilot, Adding MCP servers for GitHub Copilot CLI",
            "2026-11-19",
        ),
    ),
    ConfigFile::new(
        &[
            ".copilot/config.json",
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
        ],
        &[
            key("hooks", KeyEffect::Hooks),
            key("mcpServers", KeyEffect::Servers),
            harmless("banner"),
            harmless("model"),
            harmless("render_markdown"),
            harmless("screen_reader"),
            harmless("theme"),
            harmless("stream"),
        ],
        source("GitHub Copilot CLI, Configuration", "2026-11-19"),
    ),
];
