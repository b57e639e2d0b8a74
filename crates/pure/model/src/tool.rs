//! Tools as a table: which kind of resource goes where.

use std::collections::BTreeMap;

use crate::manifest::Dependency;
use crate::name::ToolName;
use crate::path::RelativePath;
use crate::resource::{RESOURCE_TYPES, ResourceType};

/// Where a tool keeps one kind of resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// As files in a folder below the tool's own; `None` is the tool's own.
    Files(Option<RelativePath>, FileForm),
    /// As entries of a file, by its path from the project.
    Entries(RelativePath, EntryForm),
}

/// How a tool wants a file to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// As it is.
    Same,
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
    Entries(ResourceType, &'static str, EntryForm),
}

use Row::{Entries, Files};

/// Built-in tools: name, folder, and where each kind goes.
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
            Files(ResourceType::Agents, "agent", FileForm::Same),
            Files(ResourceType::Commands, "command", FileForm::Same),
            Entries(ResourceType::McpServers, ".opencode/opencode.json", EntryForm::OpenCodeServers),
        ],
    ),
    ("agpm", ".agpm", &[Files(ResourceType::Snippets, "snippets", FileForm::Same)]),
];

impl Default for Tools {
    fn default() -> Self {
        let path = |text: &str| RelativePath::new(text).expect("a path of the table");
        let name = |text: &str| ToolName::new(text).expect("a name of the table");
        let destination = |row: &Row| match *row {
            Row::Files(kind, folder, form) => (kind, Destination::Files(Some(path(folder)), form)),
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
                    Destination::Files(folder, _) => {
                        format!("{}/{}", tool.folder.as_ref().unwrap(), folder.as_ref().unwrap())
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
             agpm snippets: .agpm/snippets\n"
        );
        for kind in RESOURCE_TYPES {
            let tool = tools.named(tools.default_for(kind).as_str()).unwrap();
            assert!(tool.destination(kind).is_some(), "{kind}");
        }
    }
}
