//! Google Antigravity, the editor and the CLI, which follows Gemini CLI.
//!
//! Sources differ on the shape of `hooks.json`, so hooks are not written.

use crate::prelude::*;

const TITLE: &str = "Antigravity";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".agents",
        user: ".gemini/config",
    },
    commands: Some(TypeSupport {
        place: ScopedValue {
            project: Some(Directory::Own("workflows")),
            user: Some(Directory::Shared(".gemini/antigravity/global_workflows")),
        },
        format: CommandFormat::Unchanged,
        source: source("Antigravity, Rules and workflows", "2026-11-16"),
    }),
    skills: Some(TypeSupport {
        place: own("skills"),
        format: SkillFormat::PLAIN,
        source: source("Antigravity, Skills", "2026-11-16"),
    }),
    servers: Some(TypeSupport {
        place: ScopedValue {
            project: Some(".agents/mcp_config.json"),
            user: Some(".gemini/config/mcp_config.json"),
        },
        format: SERVERS,
        source: source("Antigravity, MCP", "2026-11-16"),
    }),
    instructions: Some(TypeSupport {
        place: project_rules(Directory::Own("rules")),
        format: InstructionFormat::rules(RULES),
        source: source(
            "Antigravity, Rules and workflows; rules of public repositories",
            "2026-11-16",
        ),
    }),
    layer_files: SourcedList::new(
        &[".agents/**"],
        source("Antigravity, Rules and workflows", "2026-11-16"),
    ),
    ..ToolDefinition::new("antigravity", TITLE)
};

/// Variables are not mentioned, so they are taken not to be replaced.
const SERVERS: ServerFormat = ServerFormat {
    directory: None,
    urls: ServerUrls {
        http: "serverUrl",
        sse: Some("serverUrl"),
    },
    passes: &["disabledTools"],
    limits: &["disabledTools"],
    ..ServerFormat::new(
        "mcpServers",
        Variables::Named(NamedVariables {
            title: TITLE,
            env_vars: None,
            headers: "headers",
            env_headers: None,
            bearer: None,
        }),
    )
};

const RULES: RuleFormat = RuleFormat {
    extension: "md",
    patterns: "globs",
    list: PatternList::Commas,
    for_some: &[RuleField::text("trigger", "glob")],
    for_all: &[RuleField::text("trigger", "always_on")],
    description: RuleDescription::Read,
};
