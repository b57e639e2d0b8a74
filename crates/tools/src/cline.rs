//! Cline.
//!
//! Its editor extension and its CLI read agents from different directories and give tools different names, so agents are
//! not written. Its hooks are executable files, and its MCP servers are in a file of the user.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".cline"),
    commands: Some(TypeSupport {
        // In home they are where the system keeps documents.
        location: ScopedValue {
            project: Some(Directory::Shared(".clinerules/workflows")),
            user: None,
        },
        format: CommandFormat::Unchanged,
        source: source(
            "cline/cline, `resolveWorkflowsConfigSearchPaths`",
            "2026-11-18",
        ),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::also_reading(ScopedValue {
            project: &[".claude/skills", COMMON_SKILLS, ".clinerules/skills"],
            user: &[COMMON_SKILLS],
        }),
        source: source("cline/cline, `getSkillsDirectoriesForScan`", "2026-11-18"),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: None,
            user: Some(".cline/data/settings/cline_mcp_settings.json"),
        },
        format: SERVERS,
        source: source(
            "Cline, MCP; cline/cline, `resolveMcpSettingsPath` and its schema of servers",
            "2026-11-18",
        ),
    }),
    instructions: Some(TypeSupport {
        location: ScopedValue {
            project: Some(InstructionLocation {
                rules: Some(Directory::Shared(".clinerules")),
                blocks: &[COMMON_INSTRUCTIONS],
            }),
            user: Some(InstructionLocation {
                rules: None,
                blocks: &[".agents/AGENTS.md"],
            }),
        },
        format: InstructionFormat::rules(RuleFormat::PATHS),
        source: source(
            "Cline, Rules: supported rule types; Conditional rules",
            "2026-11-18",
        ),
    }),
    layer_files: SourcedList::new(
        &[".cline/**", ".clineignore", ".clinerules/**"],
        source("Cline, Config: directory layout", "2026-11-18"),
    ),
    loaded_code: SourcedList::new(
        &[".clinerules/hooks/", ".cline/hooks/", ".cline/plugins/"],
        source("Cline, Hooks: files", "2026-11-19"),
    ),
    config: CONFIG,
    users_files: UsersFiles {
        instructions: &[".clinerules"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["cline"],
    ..ToolDefinition::new("cline", "Cline")
};

/// A URL without a type would be for events. `timeout` is in seconds there and in milliseconds elsewhere, so it is left
/// out. Its code replaces no variables.
const SERVERS: ServerFormat = ServerFormat {
    types: ServerTypes {
        local: Some("stdio"),
        http: Some("streamableHttp"),
        sse: Some("sse"),
    },
    switch: ServerSwitch::Disabled,
    passes: &["autoApprove"],
    ..ServerFormat::new("mcpServers", Variables::kept_by("Cline"))
};

const CONFIG: &[ConfigFile] = &[ConfigFile::new(
    &[
        ".cline/mcp.json",
        ".cline/data/settings/cline_mcp_settings.json",
    ],
    SERVER_FILE,
    source("Cline, MCP", "2026-11-19"),
)];
