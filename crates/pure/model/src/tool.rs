//! Tools as a table: which kind of resource goes where.

use std::collections::BTreeMap;

use crate::manifest::Dependency;
use crate::name::ToolName;
use crate::path::RelativePath;
use crate::resource::{Layout, RESOURCE_TYPES, ResourceType};

/// For whom things are installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// For those who work on a project, in its folder.
    #[default]
    Project,
    /// For one user, in the home folder.
    User,
}

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
    /// Claude Code's agents: as they are, unless they were written for another tool.
    ClaudeAgent,
    /// OpenCode's agents: as they are, but not all of Claude's fields say something there.
    OpenCodeAgent,
    /// OpenCode's commands: as they are, but for fields of another type or another tool's model.
    OpenCodeCommand,
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
            FileForm::Same
            | FileForm::ClaudeAgent
            | FileForm::OpenCodeAgent
            | FileForm::OpenCodeCommand
            | FileForm::CursorAgent
            | FileForm::GeminiAgent => None,
            FileForm::CodexAgent | FileForm::GeminiCommand => Some("toml"),
            FileForm::CopilotAgent => Some("agent.md"),
            FileForm::CopilotPrompt => Some("prompt.md"),
            FileForm::CopilotHooks => Some("json"),
        }
    }
}

impl FileForm {
    /// Whether the tool also reads directories under the one that its files go to. Gemini CLI does not look into
    /// directories of `.gemini/agents` (`loadAgentsFromDirectory` of 0.61.0).
    pub const fn reads_directories(self) -> bool {
        !matches!(self, FileForm::GeminiAgent)
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
    /// How files of a kind are laid out, where the manifest says so.
    pub layouts: BTreeMap<ResourceType, Layout>,
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
    /// One that holds in this scope only.
    In(Scope, &'static Row),
}

use Row::{Entries, Files, In, Shared};

/// A tool's folder, in a project and in home.
struct Folders {
    project: &'static str,
    home: &'static str,
}

/// One that is called the same in both.
const fn both(folder: &'static str) -> Folders {
    Folders {
        project: folder,
        home: folder,
    }
}

/// Built-in tools: name, folders, and where each kind goes.
///
/// Snippets of our own are apart from `.agpm`, which in home may belong to a project that stands there. Copilot reads
/// prompt files of a user from a profile of VS Code, and the user's MCP servers of its command line in a form that is
/// not written yet.
///
/// Sources: OpenCode "Agent Skills"; Codex "Subagents", "Agent Skills", "Hooks", "Configuration Reference"; Cursor
/// "Subagents", "Commands", "Agent Skills", "Hooks", "Model Context Protocol"; GitHub Copilot "Customization cheat
/// sheet", "Custom agents configuration", "Hooks reference"; VS Code "Use prompt files", "MCP configuration
/// reference"; Gemini CLI "Subagents", "Custom commands", "Agent Skills", "Hooks reference", "MCP servers".
const BUILT_IN: &[(&str, Folders, &[Row])] = &[
    (
        "claude-code",
        both(".claude"),
        &[
            Files(ResourceType::Agents, "agents", FileForm::ClaudeAgent),
            Files(ResourceType::Commands, "commands", FileForm::Same),
            Files(ResourceType::Scripts, "scripts", FileForm::Same),
            Files(ResourceType::Snippets, "snippets", FileForm::Same),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            In(
                Scope::Project,
                &Entries(
                    ResourceType::Hooks,
                    ".claude/settings.local.json",
                    EntryForm::ClaudeHooks,
                ),
            ),
            In(
                Scope::User,
                &Entries(
                    ResourceType::Hooks,
                    ".claude/settings.json",
                    EntryForm::ClaudeHooks,
                ),
            ),
            In(
                Scope::Project,
                &Entries(
                    ResourceType::McpServers,
                    ".mcp.json",
                    EntryForm::ClaudeServers,
                ),
            ),
            In(
                Scope::User,
                &Entries(
                    ResourceType::McpServers,
                    ".claude.json",
                    EntryForm::ClaudeServers,
                ),
            ),
        ],
    ),
    (
        "opencode",
        Folders {
            project: ".opencode",
            home: ".config/opencode",
        },
        &[
            Files(ResourceType::Agents, "agent", FileForm::OpenCodeAgent),
            Files(ResourceType::Commands, "command", FileForm::OpenCodeCommand),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            In(
                Scope::Project,
                &Entries(
                    ResourceType::McpServers,
                    ".opencode/opencode.json",
                    EntryForm::OpenCodeServers,
                ),
            ),
            In(
                Scope::User,
                &Entries(
                    ResourceType::McpServers,
                    ".config/opencode/opencode.json",
                    EntryForm::OpenCodeServers,
                ),
            ),
        ],
    ),
    (
        "agpm",
        Folders {
            project: ".agpm",
            home: ".local/share/agpm",
        },
        &[Files(ResourceType::Snippets, "snippets", FileForm::Same)],
    ),
    (
        "codex",
        both(".codex"),
        &[
            Files(ResourceType::Agents, "agents", FileForm::CodexAgent),
            Shared(ResourceType::Skills, ".agents/skills", FileForm::Same),
            Entries(
                ResourceType::Hooks,
                ".codex/hooks.json",
                EntryForm::CodexHooks,
            ),
            Entries(
                ResourceType::McpServers,
                ".codex/config.toml",
                EntryForm::CodexServers,
            ),
        ],
    ),
    (
        "cursor",
        both(".cursor"),
        &[
            Files(ResourceType::Agents, "agents", FileForm::CursorAgent),
            Files(ResourceType::Commands, "commands", FileForm::Same),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            Entries(
                ResourceType::Hooks,
                ".cursor/hooks.json",
                EntryForm::CursorHooks,
            ),
            Entries(
                ResourceType::McpServers,
                ".cursor/mcp.json",
                EntryForm::CursorServers,
            ),
        ],
    ),
    (
        "copilot",
        Folders {
            project: ".github",
            home: ".copilot",
        },
        &[
            Files(ResourceType::Agents, "agents", FileForm::CopilotAgent),
            In(
                Scope::Project,
                &Files(ResourceType::Commands, "prompts", FileForm::CopilotPrompt),
            ),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            Files(ResourceType::Hooks, "hooks", FileForm::CopilotHooks),
            In(
                Scope::Project,
                &Entries(
                    ResourceType::McpServers,
                    ".vscode/mcp.json",
                    EntryForm::VsCodeServers,
                ),
            ),
        ],
    ),
    (
        "gemini",
        both(".gemini"),
        &[
            Files(ResourceType::Agents, "agents", FileForm::GeminiAgent),
            Files(ResourceType::Commands, "commands", FileForm::GeminiCommand),
            Files(ResourceType::Skills, "skills", FileForm::Same),
            Entries(
                ResourceType::Hooks,
                ".gemini/settings.json",
                EntryForm::GeminiHooks,
            ),
            Entries(
                ResourceType::McpServers,
                ".gemini/settings.json",
                EntryForm::GeminiServers,
            ),
        ],
    ),
    (
        "agents",
        both(".agents"),
        &[Files(ResourceType::Skills, "skills", FileForm::Same)],
    ),
];

impl Default for Tools {
    fn default() -> Self {
        Tools::in_scope(Scope::Project)
    }
}

impl Folders {
    fn of(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::Project => self.project,
            Scope::User => self.home,
        }
    }
}

impl Row {
    /// What it says in a scope, if anything.
    fn destination(&self, scope: Scope) -> Option<(ResourceType, Destination)> {
        let own = |folder| Folder::Own(Some(path(folder)));
        match *self {
            Row::Files(kind, folder, form) => Some((kind, Destination::Files(own(folder), form))),
            Row::Shared(kind, folder, form) => {
                Some((kind, Destination::Files(Folder::Shared(path(folder)), form)))
            }
            Row::Entries(kind, file, form) => Some((kind, Destination::Entries(path(file), form))),
            Row::In(only, row) if only == scope => row.destination(scope),
            Row::In(..) => None,
        }
    }
}

fn path(text: &str) -> RelativePath {
    RelativePath::new(text).expect("a path of the table")
}

fn name(text: &str) -> ToolName {
    ToolName::new(text).expect("a name of the table")
}

impl Tools {
    /// The built-in tools with their places in a project or in home.
    pub fn in_scope(scope: Scope) -> Self {
        let tools = BUILT_IN.iter().map(|(tool, folders, kinds)| Tool {
            name: name(tool),
            folder: Some(path(folders.of(scope))),
            state: ToolState::Enabled,
            destinations: kinds
                .iter()
                .filter_map(|row| row.destination(scope))
                .collect(),
            layouts: BTreeMap::new(),
        });
        let defaults = RESOURCE_TYPES
            .iter()
            .map(|kind| (*kind, name(kind.default_tool())));
        Tools {
            tools: tools.collect(),
            defaults: defaults.collect(),
        }
    }

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
        dependency
            .tool
            .as_ref()
            .unwrap_or_else(|| self.default_for(dependency.kind))
    }

    /// Whether a tool is there and used.
    pub fn is_enabled(&self, name: &ToolName) -> bool {
        self.named(name.as_str())
            .is_some_and(|tool| tool.state == ToolState::Enabled)
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

    /// How files of a kind are laid out unless their dependency says otherwise.
    pub fn layout(&self, kind: ResourceType) -> Layout {
        self.layouts.get(&kind).copied().unwrap_or(kind.layout())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_default_that_takes_it() {
        for tools in [Scope::Project, Scope::User].map(Tools::in_scope) {
            for kind in RESOURCE_TYPES {
                let tool = tools.named(tools.default_for(kind).as_str()).unwrap();
                assert!(tool.destination(kind).is_some(), "{kind}");
            }
        }
    }

    /// Every place, one a line.
    fn places(scope: Scope) -> String {
        let tools = Tools::in_scope(scope);
        let mut out = String::new();
        for tool in tools.iter() {
            for (kind, destination) in &tool.destinations {
                let place = match destination {
                    Destination::Files(folder, form) => {
                        let folder = match folder {
                            Folder::Own(folder) => {
                                format!(
                                    "{}/{}",
                                    tool.folder.as_ref().unwrap(),
                                    folder.as_ref().unwrap()
                                )
                            }
                            Folder::Shared(folder) => folder.to_string(),
                        };
                        folder
                            + &form
                                .ending()
                                .map_or(String::new(), |ending| format!("/*.{ending}"))
                    }
                    Destination::Entries(file, _) => format!("entries of {file}"),
                };
                out.push_str(&format!("{} {kind}: {place}\n", tool.name));
            }
        }
        out
    }

    #[test]
    fn the_built_in_table_is_whole() {
        assert_eq!(
            places(Scope::Project),
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
    }

    #[test]
    fn the_built_in_table_is_whole_in_home() {
        assert_eq!(
            places(Scope::User),
            "claude-code agents: .claude/agents\n\
             claude-code snippets: .claude/snippets\n\
             claude-code commands: .claude/commands\n\
             claude-code scripts: .claude/scripts\n\
             claude-code hooks: entries of .claude/settings.json\n\
             claude-code mcp-servers: entries of .claude.json\n\
             claude-code skills: .claude/skills\n\
             opencode agents: .config/opencode/agent\n\
             opencode commands: .config/opencode/command\n\
             opencode mcp-servers: entries of .config/opencode/opencode.json\n\
             opencode skills: .config/opencode/skills\n\
             agpm snippets: .local/share/agpm/snippets\n\
             codex agents: .codex/agents/*.toml\n\
             codex hooks: entries of .codex/hooks.json\n\
             codex mcp-servers: entries of .codex/config.toml\n\
             codex skills: .agents/skills\n\
             cursor agents: .cursor/agents\n\
             cursor commands: .cursor/commands\n\
             cursor hooks: entries of .cursor/hooks.json\n\
             cursor mcp-servers: entries of .cursor/mcp.json\n\
             cursor skills: .cursor/skills\n\
             copilot agents: .copilot/agents/*.agent.md\n\
             copilot hooks: .copilot/hooks/*.json\n\
             copilot skills: .copilot/skills\n\
             gemini agents: .gemini/agents\n\
             gemini commands: .gemini/commands/*.toml\n\
             gemini hooks: entries of .gemini/settings.json\n\
             gemini mcp-servers: entries of .gemini/settings.json\n\
             gemini skills: .gemini/skills\n\
             agents skills: .agents/skills\n"
        );
    }
}
