//! Zed. It has no agents, commands or hooks of its own.

use crate::definition::{
    Directory, Scoped, SharedFacts, SkillFormat, Support, ToolDefinition, source,
};
use crate::format::server::{
    CommandLine, CopiedServers, FileSyntax, NamedVariables, ServerFormat, ServerSwitch,
    ServerTypes, ServerUrls, Variables,
};

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: Scoped {
        project: ".zed",
        user: ".config/zed",
    },
    skills: Some(Support {
        place: Scoped::both(Some(Directory::Shared(".agents/skills"))),
        format: SkillFormat::PLAIN,
        source: source("Zed, Skills: where skills live", "2026-11-16"),
    }),
    servers: Some(Support {
        place: Scoped {
            project: Some(".zed/settings.json"),
            user: Some(".config/zed/settings.json"),
        },
        format: SERVERS,
        source: source(
            "Zed, Model Context Protocol; Worktree trust; `ContextServerSettingsContent` of zed-industries/zed",
            "2026-11-16",
        ),
    }),
    layer_files: SharedFacts::new(
        &[".rules", ".zed/**"],
        source("Zed, Instructions; Configuring Zed", "2026-11-16"),
    ),
    ..ToolDefinition::new("zed", "Zed")
};

/// `timeout` is in seconds there and in milliseconds elsewhere, so it is left out.
const SERVERS: ServerFormat = ServerFormat {
    key: "context_servers",
    syntax: FileSyntax::Json,
    command: CommandLine::PartsWithArgs,
    env: "env",
    directory: None,
    types: ServerTypes::UNSAID,
    urls: ServerUrls {
        http: "url",
        sse: None,
    },
    variables: Variables::Named(NamedVariables {
        title: "Zed",
        env_vars: None,
        headers: "headers",
        env_headers: None,
        bearer: None,
    }),
    switch: ServerSwitch::Enabled,
    passes: &["remote"],
    renames: &[],
    limits: &[],
    copied: CopiedServers::None,
};
