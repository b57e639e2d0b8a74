//! Tools as a table: which kind of resource goes where.

use std::collections::BTreeMap;

use crate::manifest::Dependency;
use crate::name::ToolName;
use crate::path::RelativePath;
use crate::resource::{RESOURCE_TYPES, ResourceType};

/// Where a tool keeps one kind of resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// As files in a folder.
    Files(Folder, FileForm),
    /// As entries of a file, by its path from the project.
    Entries(RelativePath, EntryForm),
}

/// A folder that files go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// Below the tool's own, and moved with it; `None` is the tool's own.
    Own(Option<RelativePath>),
    /// One that several tools read, by its path from the project.
    Shared(RelativePath),
}

/// How a tool wants a file to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// As it is.
    Same,
    /// OpenCode's agents: as they are, but not all of Claude's fields say something there.
    OpenCodeAgent,
    /// Codex's agents: TOML with the instructions as a string.
    CodexAgent,
    /// Cursor's agents: Markdown that may be `readonly`.
    CursorAgent,
    /// Copilot's agents: Markdown with its own names of tools.
    CopilotAgent,
    /// Copilot's prompt files: Markdown with `${input:…}`.
    CopilotPrompt,
    /// Copilot's hooks: a JSON file each.
    CopilotHooks,
    /// Gemini's agents: Markdown with a closed set of fields.
    GeminiAgent,
    /// Gemini's commands: TOML with the prompt as a string.
    GeminiCommand,
}

impl FileForm {
    /// The ending of its files; `None` leaves that of the source.
    pub const fn ending(self) -> Option<&'static str> {
        match self {
            FileForm::Same | FileForm::OpenCodeAgent | FileForm::CursorAgent | FileForm::GeminiAgent => None,
            FileForm::CodexAgent | FileForm::GeminiCommand => Some("toml"),
            FileForm::CopilotAgent => Some("agent.md"),
            FileForm::CopilotPrompt => Some("prompt.md"),
            FileForm::CopilotHooks => Some("json"),
        }
    }
}

/// How a tool wants entries of a file to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryForm {
    /// Claude's hooks: lists of groups below `hooks`.
    ClaudeHooks,
    /// Claude's MCP servers, by name below `mcpServers`.
    ClaudeServers,
    /// OpenCode's MCP servers, by name below `mcp`.
    OpenCodeServers,
    /// Codex's hooks: Claude's shape, fewer events.
    CodexHooks,
    /// Codex's MCP servers: TOML, by name below `mcp_servers`.
    CodexServers,
    /// Cursor's hooks: lists without groups, and a version.
    CursorHooks,
    /// Cursor's MCP servers, by name below `mcpServers`.
    CursorServers,
    /// Gemini's hooks: Claude's shape, other names, milliseconds.
    GeminiHooks,
    /// Gemini's MCP servers, by name below `mcpServers`.
    GeminiServers,
    /// VS Code's MCP servers, by name below `servers`.
    VsCodeServers,
}

/// Whether a tool is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolState {
    /// Resources for it are installed.
    Enabled,
    /// Resources for it are skipped.
    Disabled,
}

/// A program that reads resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: ToolName,
    /// Its folder in the project; `None` is the project's own.
    pub folder: Option<RelativePath>,
    /// Whether it is used.
    pub state: ToolState,
    /// Where each kind goes; what is not here it does not support.
    pub destinations: BTreeMap<ResourceType, Destination>,
}

/// All tools, and which is the default of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    pub(crate) tools: Vec<Tool>,
    pub(crate) defaults: BTreeMap<ResourceType, ToolName>,
}

/// A kind of resource, where it goes and how it is written there.
enum Row {
    Files(ResourceType, &'static str, FileForm),
    Shared(ResourceType, &'static str, FileForm),
    Entries(ResourceType, &'static str, EntryForm),
}

use Row::{Entries, Files, Shared};

/// Built-in tools: name, folder, and where each kind goes.
///
/// Sources: OpenCode "Agent Skills"; Codex "Subagents", "Agent Skills", "Hooks", "Configuration Reference"; Cursor
/// "Subagents", "Commands", "Agent Skills", "Hooks", "Model Context Protocol"; GitHub Copilot "Customization cheat
/// sheet", "Custom agents configuration", "Hooks reference"; VS Code "Use prompt files", "MCP configuration
/// reference"; Gemini CLI "Subagents", "Custom commands", "Agent Skills", "Hooks reference", "MCP servers".
const BUILT_IN: &[(&str, &str, &[Row])] = &[
    (
        "claude-code",
        ".claude",
        &[
            Files(ResourceType::Agents, "agents", FileForm::Same),
            Files(ResourceType::Commands, "commands", FileForm::Same),
            Files(ResourceType::Scripts, "scripts", FileForm::Same),
            Files(ResourceType::Snippets, "snippets", FileForm::Same),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            Entries(ResourceType::Hooks, ".claude/settings.local.json", EntryForm::ClaudeHooks),
            Entries(ResourceType::McpServers, ".mcp.json", EntryForm::ClaudeServers),
        ],
    ),
    (
        "opencode",
        ".opencode",
        &[
            Files(ResourceType::Agents, "agent", FileForm::OpenCodeAgent),
            Files(ResourceType::Commands, "command", FileForm::Same),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            Entries(ResourceType::McpServers, ".opencode/opencode.json", EntryForm::OpenCodeServers),
        ],
    ),
    ("agpm", ".agpm", &[Files(ResourceType::Snippets, "snippets", FileForm::Same)]),
    (
        "codex",
        ".codex",
        &[
            Files(ResourceType::Agents, "agents", FileForm::CodexAgent),
            Shared(ResourceType::Skills, ".agents/skills", FileForm::Same),
            Entries(ResourceType::Hooks, ".codex/hooks.json", EntryForm::CodexHooks),
            Entries(ResourceType::McpServers, ".codex/config.toml", EntryForm::CodexServers),
        ],
    ),
    (
        "cursor",
        ".cursor",
        &[
            Files(ResourceType::Agents, "agents", FileForm::CursorAgent),
            Files(ResourceType::Commands, "commands", FileForm::Same),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            Entries(ResourceType::Hooks, ".cursor/hooks.json", EntryForm::CursorHooks),
            Entries(ResourceType::McpServers, ".cursor/mcp.json", EntryForm::CursorServers),
        ],
    ),
    (
        "copilot",
        ".github",
        &[
            Files(ResourceType::Agents, "agents", FileForm::CopilotAgent),
            Files(ResourceType::Commands, "prompts", FileForm::CopilotPrompt),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            Files(ResourceType::Hooks, "hooks", FileForm::CopilotHooks),
            Entries(ResourceType::McpServers, ".vscode/mcp.json", EntryForm::VsCodeServers),
        ],
    ),
    (
        "gemini",
        ".gemini",
        &[
            Files(ResourceType::Agents, "agents", FileForm::GeminiAgent),
            Files(ResourceType::Commands, "commands", FileForm::GeminiCommand),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            Entries(ResourceType::Hooks, ".gemini/settings.json", EntryForm::GeminiHooks),
            Entries(ResourceType::McpServers, ".gemini/settings.json", EntryForm::GeminiServers),
        ],
    ),
    ("agents", ".agents", &[Files(ResourceType::Skills, "skills", FileForm::Same)]),
];

impl Default for Tools {
    fn default() -> Self {
        let path = |text: &str| RelativePath::new(text).expect("a path of the table");
        let name = |text: &str| ToolName::new(text).expect("a name of the table");
        let destination = |row: &Row| match *row {
            Row::Files(kind, folder, form) => {
                (kind, Destination::Files(Folder::Own(Some(path(folder))), form))
            }
            Row::Shared(kind, folder, form) => (kind, Destination::Files(Folder::Shared(path(folder)), form)),
            Row::Entries(kind, file, form) => (kind, Destination::Entries(path(file), form)),
        };
        let tools = BUILT_IN.iter().map(|(tool, folder, kinds)| Tool {
            name: name(tool),
            folder: Some(path(folder)),
            state: ToolState::Enabled,
            destinations: kinds.iter().map(destination).collect(),
        });
        let defaults = RESOURCE_TYPES.iter().map(|kind| (*kind, name(kind.default_tool())));
        Tools { tools: tools.collect(), defaults: defaults.collect() }
    }
}

impl Tools {
    /// The tool of that name.
    pub fn named(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name.as_str() == name)
    }

    /// Every tool.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> + Clone {
        self.tools.iter()
    }

    /// The tool of a dependency: the one that it names, or its kind's default.
    pub fn of<'t>(&'t self, dependency: &'t Dependency) -> &'t ToolName {
        dependency.tool.as_ref().unwrap_or_else(|| self.default_for(dependency.kind))
    }

    /// Whether a tool is there and used.
    pub fn is_enabled(&self, name: &ToolName) -> bool {
        self.named(name.as_str()).is_some_and(|tool| tool.state == ToolState::Enabled)
    }

    /// The tool that a kind goes to if nothing else is said.
    pub fn default_for(&self, kind: ResourceType) -> &ToolName {
        &self.defaults[&kind]
    }
}

impl Tool {
    /// Where a kind goes; `None` if it is not supported.
    pub fn destination(&self, kind: ResourceType) -> Option<&Destination> {
        self.destinations.get(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_whole() {
        let tools = Tools::default();
        let mut out = String::new();
        for tool in tools.iter() {
            for (kind, destination) in &tool.destinations {
                let place = match destination {
                    Destination::Files(folder, form) => {
                        let folder = match folder {
                            Folder::Own(folder) => {
                                format!("{}/{}", tool.folder.as_ref().unwrap(), folder.as_ref().unwrap())
                            }
                            Folder::Shared(folder) => folder.to_string(),
                        };
                        folder + &form.ending().map_or(String::new(), |ending| format!("/*.{ending}"))
                    }
                    Destination::Entries(file, _) => format!("entries of {file}"),
                };
                out.push_str(&format!("{} {kind}: {place}\n", tool.name));
            }
        }
        assert_eq!(
            out,
            "claude-code agents: .claude/agents\n\
             claude-code snippets: .claude/snippets\n\
             claude-code commands: .claude/commands\n\
             claude-code scripts: .claude/scripts\n\
             claude-code hooks: entries of .claude/settings.local.json\n\
             claude-code mcp-servers: entries of .mcp.json\n\
             claude-code skills: .claude/skills\n\
             opencode agents: .opencode/agent\n\
             opencode commands: .opencode/command\n\
             opencode mcp-servers: entries of .opencode/opencode.json\n\
             opencode skills: .opencode/skills\n\
             agpm snippets: .agpm/snippets\n\
             codex agents: .codex/agents/*.toml\n\
             codex hooks: entries of .codex/hooks.json\n\
             codex mcp-servers: entries of .codex/config.toml\n\
             codex skills: .agents/skills\n\
             cursor agents: .cursor/agents\n\
             cursor commands: .cursor/commands\n\
             cursor hooks: entries of .cursor/hooks.json\n\
             cursor mcp-servers: entries of .cursor/mcp.json\n\
             cursor skills: .cursor/skills\n\
             copilot agents: .github/agents/*.agent.md\n\
             copilot commands: .github/prompts/*.prompt.md\n\
             copilot hooks: .github/hooks/*.json\n\
             copilot mcp-servers: entries of .vscode/mcp.json\n\
             copilot skills: .github/skills\n\
             gemini agents: .gemini/agents\n\
             gemini commands: .gemini/commands/*.toml\n\
             gemini hooks: entries of .gemini/settings.json\n\
             gemini mcp-servers: entries of .gemini/settings.json\n\
             gemini skills: .gemini/skills\n\
             agents skills: .agents/skills\n"
        );
        for kind in RESOURCE_TYPES {
            let tool = tools.named(tools.default_for(kind).as_str()).unwrap();
            assert!(tool.destination(kind).is_some(), "{kind}");
        }
    }
}
