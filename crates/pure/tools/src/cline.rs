//! Cline. Its hooks are executable files, and its MCP servers are in the storage of the editor.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".cline"),
    commands: Some(TypeSupport {
        // In home they are where the system keeps documents.
        place: ScopedValue {
            project: Some(Directory::Shared(".clinerules/workflows")),
            user: None,
        },
        format: CommandFormat::Unchanged,
        source: source("Cline, Workflows", "2026-11-16"),
    }),
    skills: Some(TypeSupport {
        place: own("skills"),
        format: SkillFormat::also_reading(ScopedValue {
            project: &[".claude/skills", ".clinerules/skills"],
            user: &[],
        }),
        source: source("Cline, Skills: where skills live", "2026-11-16"),
    }),
    instructions: Some(TypeSupport {
        place: project_rules(Directory::Shared(".clinerules")),
        format: InstructionFormat::rules(RuleFormat::PATHS),
        source: source("Cline, Rules; Conditional rules", "2026-11-16"),
    }),
    layer_files: SourcedList::new(
        &[".cline/**", ".clineignore", ".clinerules/**"],
        source("Cline, Customization overview", "2026-11-16"),
    ),
    ..ToolDefinition::new("cline", "Cline")
};
