//! The directory that several tools share.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".agents"),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::PLAIN,
        source: source("Agent Skills, specification", "2026-11-15"),
    }),
    instructions: Some(TypeSupport {
        location: blocks(&[COMMON_INSTRUCTIONS], None),
        format: InstructionFormat::BLOCKS,
        source: source("AGENTS.md, agents.md", "2026-11-16"),
    }),
    layer_files: SourcedList::new(
        &["AGENTS.md", ".agents/**"],
        source("AGENTS.md, agents.md", "2026-11-15"),
    ),
    plugin_variables: SourcedList::new(
        &["PLUGIN_ROOT", "PLUGIN_DATA"],
        source("Agent Plugins 1.0.0, `mcp.json`", "2026-11-15"),
    ),
    users_files: UsersFiles {
        instructions: &["AGENTS.md"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["agents", "agent-skills", "agentsmd"],
    ..ToolDefinition::new("agents", "Agent Skills")
};
