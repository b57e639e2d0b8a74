//! Tools as a table: the destination of each resource type.

use std::collections::BTreeMap;

use agpm_tools::{
    CommandFormat, Directory, EntryFormat, FileFormat, HookFormat, HookLocation, InstructionFormat,
    InstructionLocation, OWN_TOOL, ScopedValue, ServerFormat, TOOLS, ToolDefinition,
};

use crate::name::ToolName;
use crate::path::RelativePath;
use crate::resource::{PLUGIN_PARTS, RESOURCE_TYPES, ResourceType, TargetLayout};

/// The scope of an installation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InstallScope {
    /// Everyone who works on a project, in its directory.
    #[default]
    Project,
    /// One user, in the home directory.
    User,
}

impl InstallScope {
    /// The value for this scope.
    fn of<T>(self, both: ScopedValue<T>) -> T {
        match self {
            InstallScope::Project => both.project,
            InstallScope::User => both.user,
        }
    }
}

/// The destination of a resource type in a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// As files in a directory.
    Files(ToolDirectory, FileFormat),
    /// As entries of a file, by its path from the project.
    Entries(RelativePath, EntryFormat),
    /// As blocks in a file, by its path from the project. Some blocks go into a file of that name in a directory.
    Blocks(RelativePath),
}

impl Destination {
    /// Whether two destinations need the same bytes, whatever their paths.
    pub fn has_format_of(&self, second: &Destination) -> bool {
        match (self, second) {
            (Destination::Files(_, first), Destination::Files(_, second)) => first == second,
            (Destination::Entries(_, first), Destination::Entries(_, second)) => first == second,
            (Destination::Blocks(_), Destination::Blocks(_)) => true,
            _ => false,
        }
    }
}

/// A directory for files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolDirectory {
    /// Under the tool's directory, and moved with it; `None` is the tool's directory itself.
    Own(Option<RelativePath>),
    /// A directory that several tools read, by its path from the project.
    Shared(RelativePath),
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
    /// The name of the tool.
    pub name: ToolName,
    /// Its directory in the project; `None` is the project itself.
    pub directory: Option<RelativePath>,
    /// Whether it is used.
    pub state: ToolState,
    /// The destination of each type; missing types are not supported.
    pub destinations: BTreeMap<ResourceType, Destination>,
    /// The layout of files by type, if the manifest sets it.
    pub layouts: BTreeMap<ResourceType, TargetLayout>,
    /// Further directories with skills that it reads.
    pub other_skills: Vec<RelativePath>,
    /// Files for blocks: the tool reads the first that exists, and the last if none does.
    pub block_files: Vec<RelativePath>,
}

/// All tools, and the defaults of each type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    pub(crate) tools: Vec<Tool>,
    defaults: BTreeMap<ResourceType, DefaultTools>,
}

/// The default tools of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DefaultTools {
    /// The tools that support it, at least one.
    able: Vec<ToolName>,
    /// The tools of the manifest that do not support it.
    unable: Vec<ToolName>,
}

impl Default for Tools {
    fn default() -> Self {
        Tools::in_scope(InstallScope::Project)
    }
}

/// The destinations of a built-in tool in a scope.
fn destinations(
    tool: &'static ToolDefinition,
    scope: InstallScope,
) -> BTreeMap<ResourceType, Destination> {
    let files = |directory: Option<Directory>, format| {
        directory.map(|directory| Destination::Files(directory.into(), format))
    };
    let unchanged = |location| files(scope.of(location), FileFormat::Unchanged);
    let agents = tool.agents.as_ref();
    let commands = tool.commands.as_ref();
    let hooks = tool.hooks.as_ref();
    let servers = tool.servers.as_ref();
    let instructions = tool.instructions.as_ref();
    let all = [
        (
            ResourceType::Agents,
            agents.and_then(|support| {
                files(
                    scope.of(support.location),
                    FileFormat::Agent(&support.format),
                )
            }),
        ),
        (
            ResourceType::Commands,
            commands.and_then(|support| {
                files(scope.of(support.location), command_format(&support.format))
            }),
        ),
        (
            ResourceType::Snippets,
            tool.snippets
                .as_ref()
                .and_then(|support| unchanged(support.location)),
        ),
        (
            ResourceType::Scripts,
            tool.scripts
                .as_ref()
                .and_then(|support| unchanged(support.location)),
        ),
        (
            ResourceType::Skills,
            tool.skills
                .as_ref()
                .and_then(|support| unchanged(support.location)),
        ),
        (
            ResourceType::Hooks,
            hooks.and_then(|support| {
                Some(hook_destination(
                    scope.of(support.location)?,
                    &support.format,
                ))
            }),
        ),
        (
            ResourceType::McpServers,
            servers.and_then(|support| {
                Some(server_destination(
                    scope.of(support.location)?,
                    &support.format,
                ))
            }),
        ),
        (
            ResourceType::Instructions,
            instructions.and_then(|support| {
                instruction_destination(scope.of(support.location)?, &support.format)
            }),
        ),
    ];
    let mut supported: BTreeMap<ResourceType, Destination> = all
        .into_iter()
        .filter_map(|(kind, destination)| Some((kind, destination?)))
        .collect();
    if PLUGIN_PARTS.iter().any(|kind| supported.contains_key(kind)) {
        supported.insert(ResourceType::Plugins, plugin_destination(scope));
    }
    supported
}

/// The directory of plugins in agpm's directory.
const PLUGIN_DIRECTORY: &str = "plugins";

/// The destination of plugins. All tools share one copy: only the parts are for a tool.
pub fn plugin_destination(scope: InstallScope) -> Destination {
    let directory = format!("{}/{PLUGIN_DIRECTORY}", scope.of(OWN_TOOL.directory));
    Destination::Files(
        ToolDirectory::Shared(path(&directory)),
        FileFormat::Unchanged,
    )
}

fn other_skills(tool: &ToolDefinition, scope: InstallScope) -> Vec<RelativePath> {
    let skills = tool.skills.iter();
    let paths = skills.flat_map(|support| scope.of(support.format.also_reads));
    paths.map(|text| path(text)).collect()
}

fn command_format(format: &'static CommandFormat) -> FileFormat {
    match format {
        CommandFormat::Unchanged => FileFormat::Unchanged,
        format => FileFormat::Command(format),
    }
}

fn hook_destination(location: HookLocation, format: &'static HookFormat) -> Destination {
    match location {
        HookLocation::Files(directory) => {
            Destination::Files(directory.into(), FileFormat::Hooks(format))
        }
        HookLocation::Entries(file) => Destination::Entries(path(file), EntryFormat::Hooks(format)),
    }
}

fn instruction_destination(
    location: InstructionLocation,
    format: &'static InstructionFormat,
) -> Option<Destination> {
    match (location.rules, &format.rule) {
        (Some(directory), Some(rule)) => {
            let format = FileFormat::Instruction(rule);
            Some(Destination::Files(directory.into(), format))
        }
        _ => location
            .blocks
            .last()
            .map(|file| Destination::Blocks(path(file))),
    }
}

fn block_files(tool: &ToolDefinition, scope: InstallScope) -> Vec<RelativePath> {
    let instructions = tool.instructions.as_ref();
    let files = instructions.and_then(|support| Some(scope.of(support.location)?.blocks));
    files
        .unwrap_or_default()
        .iter()
        .map(|text| path(text))
        .collect()
}

fn server_destination(file: &str, format: &'static ServerFormat) -> Destination {
    Destination::Entries(path(file), EntryFormat::Servers(format))
}

impl From<Directory> for ToolDirectory {
    fn from(directory: Directory) -> Self {
        match directory {
            Directory::Own(inner) => ToolDirectory::Own(Some(path(inner))),
            Directory::Shared(directory) => ToolDirectory::Shared(path(directory)),
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
    /// The built-in tools with their paths in a scope.
    pub fn in_scope(scope: InstallScope) -> Self {
        let tools = TOOLS.iter().map(|tool| Tool {
            name: name(tool.name),
            directory: Some(path(scope.of(tool.directory))),
            state: ToolState::Enabled,
            destinations: destinations(tool, scope),
            layouts: BTreeMap::new(),
            other_skills: other_skills(tool, scope),
            block_files: block_files(tool, scope),
        });
        let mut tools = Tools {
            tools: tools.collect(),
            defaults: BTreeMap::new(),
        };
        tools.set_defaults(&BTreeMap::new(), &[]);
        tools
    }

    /// Sets the default tools: those of the type, else those of the project, else the built-in default of the type. The
    /// last also applies if none of the others supports the type.
    pub(crate) fn set_defaults(
        &mut self,
        by_kind: &BTreeMap<ResourceType, Vec<ToolName>>,
        of_project: &[ToolName],
    ) {
        for kind in RESOURCE_TYPES {
            let named = by_kind.get(&kind).map_or(of_project, Vec::as_slice);
            let (mut able, unable): (Vec<ToolName>, Vec<ToolName>) = named
                .iter()
                .cloned()
                .partition(|tool| self.supports(tool, kind));
            if able.is_empty() {
                able.push(name(kind.default_tool()));
            }
            self.defaults.insert(kind, DefaultTools { able, unable });
        }
    }

    /// The tool that alone has files of a type with the extension of a path, as Copilot has `*.agent.md`.
    pub fn owner_of_format(&self, kind: ResourceType, path: &str) -> Option<&ToolName> {
        let owns = |tool: &&Tool| {
            let Some(Destination::Files(_, format)) = tool.destination(kind) else {
                return false;
            };
            // Markdown, TOML and JSON alone are formats of many programs: Claude Code's hooks are JSON too.
            let own = format
                .extension()
                .filter(|own| !["md", "toml", "json"].contains(own));
            own.is_some_and(|own| path.ends_with(&format!(".{own}")))
        };
        self.tools.iter().find(owns).map(|tool| &tool.name)
    }

    /// Whether a tool supports a type.
    pub fn supports(&self, name: &ToolName, kind: ResourceType) -> bool {
        self.named(name.as_str())
            .is_some_and(|tool| tool.destination(kind).is_some())
    }

    /// The tool with a name.
    pub fn named(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name.as_str() == name)
    }

    /// All tools.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> + Clone {
        self.tools.iter()
    }

    /// Whether a tool exists and is enabled.
    pub fn is_enabled(&self, name: &ToolName) -> bool {
        self.named(name.as_str())
            .is_some_and(|tool| tool.state == ToolState::Enabled)
    }

    /// The default tools of a type, at least one.
    pub fn defaults_for(&self, kind: ResourceType) -> &[ToolName] {
        &self.defaults[&kind].able
    }

    /// Default tools of the manifest that do not support a type.
    pub fn unable_defaults(&self, kind: ResourceType) -> &[ToolName] {
        &self.defaults[&kind].unable
    }
}

impl Tool {
    /// A directory of a type, from the project; `None` is the project itself.
    pub fn directory(&self, inner: &ToolDirectory) -> Option<RelativePath> {
        match (inner, &self.directory) {
            (ToolDirectory::Shared(inner), _) | (ToolDirectory::Own(Some(inner)), None) => {
                Some(inner.clone())
            }
            (ToolDirectory::Own(Some(inner)), Some(tool_directory)) => {
                Some(tool_directory.join(inner))
            }
            (ToolDirectory::Own(None), tool_directory) => tool_directory.clone(),
        }
    }

    /// The destination of a type; `None` if it is not supported.
    pub fn destination(&self, kind: ResourceType) -> Option<&Destination> {
        self.destinations.get(&kind)
    }

    /// Whether blocks for this tool may be in the file at a path: one that it reads, or one of that name in a directory
    /// of the project.
    pub fn may_hold_blocks(&self, path: &RelativePath) -> bool {
        self.block_files.iter().any(|file| {
            let is_in_project = !file.as_str().contains('/');
            file == path || is_in_project && file.file_name() == path.file_name()
        })
    }

    /// The default layout of files of a type.
    pub fn layout(&self, kind: ResourceType) -> TargetLayout {
        self.layouts.get(&kind).copied().unwrap_or(kind.layout())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_default_that_takes_it() {
        for tools in [InstallScope::Project, InstallScope::User].map(Tools::in_scope) {
            for kind in RESOURCE_TYPES {
                let [tool] = tools.defaults_for(kind) else {
                    panic!("{kind} has several defaults");
                };
                assert!(tools.supports(tool, kind), "{kind}");
            }
        }
    }

    /// All destinations, one per line.
    fn list_destinations(scope: InstallScope) -> String {
        let tools = Tools::in_scope(scope);
        let mut out = String::new();
        for tool in tools.iter() {
            for (kind, destination) in &tool.destinations {
                let location = match destination {
                    Destination::Files(directory, form) => {
                        let directory = match directory {
                            ToolDirectory::Own(directory) => {
                                format!(
                                    "{}/{}",
                                    tool.directory.as_ref().unwrap(),
                                    directory.as_ref().unwrap()
                                )
                            }
                            ToolDirectory::Shared(directory) => directory.to_string(),
                        };
                        directory
                            + &form
                                .extension()
                                .map_or(String::new(), |extension| format!("/*.{extension}"))
                    }
                    Destination::Entries(file, _) => format!("entries of {file}"),
                    Destination::Blocks(file) => format!("blocks in {file}"),
                };
                out.push_str(&format!("{} {kind}: {location}\n", tool.name));
            }
        }
        out
    }

    #[test]
    fn the_built_in_table_is_whole() {
        assert_eq!(
            list_destinations(InstallScope::Project),
            "claude-code agents: .claude/agents\n\
             claude-code snippets: .claude/snippets\n\
             claude-code commands: .claude/commands\n\
             claude-code scripts: .claude/scripts\n\
             claude-code hooks: entries of .claude/settings.local.json\n\
             claude-code mcp-servers: entries of .mcp.json\n\
             claude-code skills: .claude/skills\n\
             claude-code instructions: .claude/rules/*.md\n\
             claude-code plugins: .agpm/plugins\n\
             opencode agents: .opencode/agent\n\
             opencode commands: .opencode/command\n\
             opencode mcp-servers: entries of .opencode/opencode.json\n\
             opencode skills: .opencode/skills\n\
             opencode instructions: blocks in AGENTS.md\n\
             opencode plugins: .agpm/plugins\n\
             agpm snippets: .agpm/snippets\n\
             codex agents: .codex/agents/*.toml\n\
             codex hooks: entries of .codex/hooks.json\n\
             codex mcp-servers: entries of .codex/config.toml\n\
             codex skills: .agents/skills\n\
             codex instructions: blocks in AGENTS.md\n\
             codex plugins: .agpm/plugins\n\
             cursor agents: .cursor/agents\n\
             cursor commands: .cursor/commands\n\
             cursor hooks: entries of .cursor/hooks.json\n\
             cursor mcp-servers: entries of .cursor/mcp.json\n\
             cursor skills: .cursor/skills\n\
             cursor instructions: .cursor/rules/*.mdc\n\
             cursor plugins: .agpm/plugins\n\
             copilot agents: .github/agents/*.agent.md\n\
             copilot commands: .github/prompts/*.prompt.md\n\
             copilot hooks: .github/hooks/*.json\n\
             copilot mcp-servers: entries of .vscode/mcp.json\n\
             copilot skills: .github/skills\n\
             copilot instructions: .github/instructions/*.instructions.md\n\
             copilot plugins: .agpm/plugins\n\
             gemini agents: .gemini/agents\n\
             gemini commands: .gemini/commands/*.toml\n\
             gemini hooks: entries of .gemini/settings.json\n\
             gemini mcp-servers: entries of .gemini/settings.json\n\
             gemini skills: .gemini/skills\n\
             gemini instructions: blocks in GEMINI.md\n\
             gemini plugins: .agpm/plugins\n\
             agents skills: .agents/skills\n\
             agents instructions: blocks in AGENTS.md\n\
             agents plugins: .agpm/plugins\n\
             windsurf agents: .devin/agents\n\
             windsurf hooks: entries of .devin/config.json\n\
             windsurf mcp-servers: entries of .devin/mcp_config.json\n\
             windsurf skills: .devin/skills\n\
             windsurf instructions: .devin/rules/*.md\n\
             windsurf plugins: .agpm/plugins\n\
             zed mcp-servers: entries of .zed/settings.json\n\
             zed skills: .agents/skills\n\
             zed instructions: blocks in AGENTS.md\n\
             zed plugins: .agpm/plugins\n\
             amp mcp-servers: entries of .amp/settings.json\n\
             amp skills: .agents/skills\n\
             amp instructions: blocks in AGENTS.md\n\
             amp plugins: .agpm/plugins\n\
             kiro agents: .kiro/agents\n\
             kiro mcp-servers: entries of .kiro/settings/mcp.json\n\
             kiro skills: .kiro/skills\n\
             kiro instructions: .kiro/steering/*.md\n\
             kiro plugins: .agpm/plugins\n\
             cline commands: .clinerules/workflows\n\
             cline skills: .cline/skills\n\
             cline instructions: .clinerules/*.md\n\
             cline plugins: .agpm/plugins\n\
             goose agents: .goose/agents\n\
             goose hooks: entries of .agents/plugins/agpm/hooks/hooks.json\n\
             goose mcp-servers: entries of .agents/plugins/agpm/.mcp.json\n\
             goose skills: .goose/skills\n\
             goose instructions: blocks in AGENTS.md\n\
             goose plugins: .agpm/plugins\n\
             antigravity commands: .agents/workflows\n\
             antigravity hooks: entries of .agents/hooks.json\n\
             antigravity mcp-servers: entries of .agents/mcp_config.json\n\
             antigravity skills: .agents/skills\n\
             antigravity instructions: .agents/rules/*.md\n\
             antigravity plugins: .agpm/plugins\n\
             copilot-cli agents: .github/agents/*.agent.md\n\
             copilot-cli commands: .claude/commands\n\
             copilot-cli hooks: .github/hooks/*.json\n\
             copilot-cli mcp-servers: entries of .github/mcp.json\n\
             copilot-cli skills: .github/skills\n\
             copilot-cli instructions: .github/instructions/*.instructions.md\n\
             copilot-cli plugins: .agpm/plugins\n"
        );
    }

    #[test]
    fn the_built_in_table_is_whole_in_home() {
        assert_eq!(
            list_destinations(InstallScope::User),
            "claude-code agents: .claude/agents\n\
             claude-code snippets: .claude/snippets\n\
             claude-code commands: .claude/commands\n\
             claude-code scripts: .claude/scripts\n\
             claude-code hooks: entries of .claude/settings.json\n\
             claude-code mcp-servers: entries of .claude.json\n\
             claude-code skills: .claude/skills\n\
             claude-code instructions: .claude/rules/*.md\n\
             claude-code plugins: .local/share/agpm/plugins\n\
             opencode agents: .config/opencode/agent\n\
             opencode commands: .config/opencode/command\n\
             opencode mcp-servers: entries of .config/opencode/opencode.json\n\
             opencode skills: .config/opencode/skills\n\
             opencode instructions: blocks in .config/opencode/AGENTS.md\n\
             opencode plugins: .local/share/agpm/plugins\n\
             agpm snippets: .local/share/agpm/snippets\n\
             codex agents: .codex/agents/*.toml\n\
             codex hooks: entries of .codex/hooks.json\n\
             codex mcp-servers: entries of .codex/config.toml\n\
             codex skills: .agents/skills\n\
             codex instructions: blocks in .codex/AGENTS.md\n\
             codex plugins: .local/share/agpm/plugins\n\
             cursor agents: .cursor/agents\n\
             cursor commands: .cursor/commands\n\
             cursor hooks: entries of .cursor/hooks.json\n\
             cursor mcp-servers: entries of .cursor/mcp.json\n\
             cursor skills: .cursor/skills\n\
             cursor plugins: .local/share/agpm/plugins\n\
             copilot agents: .copilot/agents/*.agent.md\n\
             copilot hooks: .copilot/hooks/*.json\n\
             copilot skills: .copilot/skills\n\
             copilot plugins: .local/share/agpm/plugins\n\
             gemini agents: .gemini/agents\n\
             gemini commands: .gemini/commands/*.toml\n\
             gemini hooks: entries of .gemini/settings.json\n\
             gemini mcp-servers: entries of .gemini/settings.json\n\
             gemini skills: .gemini/skills\n\
             gemini instructions: blocks in .gemini/GEMINI.md\n\
             gemini plugins: .local/share/agpm/plugins\n\
             agents skills: .agents/skills\n\
             agents plugins: .local/share/agpm/plugins\n\
             windsurf agents: .config/devin/agents\n\
             windsurf hooks: entries of .config/devin/config.json\n\
             windsurf mcp-servers: entries of .config/devin/mcp_config.json\n\
             windsurf skills: .config/devin/skills\n\
             windsurf instructions: blocks in .config/devin/AGENTS.md\n\
             windsurf plugins: .local/share/agpm/plugins\n\
             zed mcp-servers: entries of .config/zed/settings.json\n\
             zed skills: .agents/skills\n\
             zed instructions: blocks in .config/zed/AGENTS.md\n\
             zed plugins: .local/share/agpm/plugins\n\
             amp mcp-servers: entries of .config/amp/settings.json\n\
             amp skills: .config/agents/skills\n\
             amp instructions: blocks in .config/amp/AGENTS.md\n\
             amp plugins: .local/share/agpm/plugins\n\
             kiro agents: .kiro/agents\n\
             kiro mcp-servers: entries of .kiro/settings/mcp.json\n\
             kiro skills: .kiro/skills\n\
             kiro plugins: .local/share/agpm/plugins\n\
             cline mcp-servers: entries of .cline/data/settings/cline_mcp_settings.json\n\
             cline skills: .cline/skills\n\
             cline instructions: blocks in .agents/AGENTS.md\n\
             cline plugins: .local/share/agpm/plugins\n\
             goose agents: .config/goose/agents\n\
             goose hooks: entries of .agents/plugins/agpm/hooks/hooks.json\n\
             goose mcp-servers: entries of .agents/plugins/agpm/.mcp.json\n\
             goose skills: .config/goose/skills\n\
             goose instructions: blocks in .config/goose/.goosehints\n\
             goose plugins: .local/share/agpm/plugins\n\
             antigravity commands: .gemini/antigravity/global_workflows\n\
             antigravity hooks: entries of .gemini/config/hooks.json\n\
             antigravity mcp-servers: entries of .gemini/config/mcp_config.json\n\
             antigravity skills: .gemini/config/skills\n\
             antigravity plugins: .local/share/agpm/plugins\n\
             copilot-cli agents: .copilot/agents/*.agent.md\n\
             copilot-cli hooks: .copilot/hooks/*.json\n\
             copilot-cli mcp-servers: entries of .copilot/mcp-config.json\n\
             copilot-cli skills: .copilot/skills\n\
             copilot-cli instructions: .copilot/instructions/*.instructions.md\n\
             copilot-cli plugins: .local/share/agpm/plugins\n"
        );
    }
}
