//! Kiro, the editor and the CLI.
//!
//! An agent of the editor is Markdown and one of the CLI is JSON, each with names of tools that have no counterpart
//! elsewhere, so agents are not converted: a restriction could be lost.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".kiro"),
    skills: Some(TypeSupport {
        place: own("skills"),
        format: SkillFormat::PLAIN,
        source: source("Kiro, Agent Skills; Kiro CLI, Agent Skills", "2026-11-16"),
    }),
    servers: Some(TypeSupport {
        place: ScopedValue::both(Some(".kiro/settings/mcp.json")),
        format: SERVERS,
        source: source("Kiro, MCP: configuration", "2026-11-16"),
    }),
    instructions: Some(TypeSupport {
        place: ScopedValue {
            project: Some(InstructionPlace {
                rules: Some(Directory::Own("steering")),
                blocks: &[COMMON_INSTRUCTIONS],
            }),
            // In home it does not load files for some paths only.
            user: None,
        },
        format: InstructionFormat::rules(RULES),
        source: source(
            "Kiro, Steering: inclusion modes; kirodotdev/Kiro#9176",
            "2026-11-16",
        ),
    }),
    layer_files: SourcedList::new(
        &[".kiro/**"],
        source("Kiro, Steering; Configuration scopes", "2026-11-16"),
    ),
    ..ToolDefinition::new("kiro", "Kiro")
};

const SERVERS: ServerFormat = ServerFormat {
    directory: None,
    passes: &["autoApprove", "disabledTools", "timeout", "oauth"],
    limits: &["disabledTools"],
    ..ServerFormat::new("mcpServers", Variables::Replaced(VariableSyntax::Shell))
};

const RULES: RuleFormat = RuleFormat {
    extension: "md",
    patterns: "fileMatchPattern",
    list: PatternList::List,
    for_some: &[RuleField::text("inclusion", "fileMatch")],
    for_all: &[RuleField::text("inclusion", "always")],
    description: RuleDescription::Read,
};
