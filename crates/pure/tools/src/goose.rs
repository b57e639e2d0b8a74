//! Goose. Its MCP servers are extensions in a YAML file of the user, and its hooks belong to plugins.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".goose",
        user: ".config/goose",
    },
    skills: Some(TypeSupport {
        place: own("skills"),
        format: SkillFormat::also_reading(ScopedValue {
            project: &[".claude/skills", COMMON_SKILLS],
            user: &[".claude/skills", ".config/agents/skills"],
        }),
        source: source("Goose, Using skills: skill locations", "2026-11-16"),
    }),
    instructions: Some(TypeSupport {
        place: blocks(&[COMMON_INSTRUCTIONS], Some(&[".config/goose/.goosehints"])),
        format: InstructionFormat::BLOCKS,
        source: source(
            "Goose, Using goosehints: `CONTEXT_FILE_NAMES`",
            "2026-11-16",
        ),
    }),
    layer_files: SourcedList::new(
        &[".goose/**", ".goosehints", ".gooseignore"],
        source("Goose, Using goosehints; Recipes", "2026-11-16"),
    ),
    ..ToolDefinition::new("goose", "Goose")
};
