//! The locations that tools read, by the table of tools.

use agpm_model::{Destination, InstallScope, ResourceType, Tools};
use agpm_tools::{HookLocation, HookShape, TOOLS, ToolDefinition};

/// A directory of resources of one type.
pub(crate) struct ResourceDirectory {
    pub(crate) tool: &'static str,
    pub(crate) kind: ResourceType,
    /// The path, from the project.
    pub(crate) path: String,
    /// The extension of files, without the dot; nothing for directories.
    pub(crate) extension: Option<&'static str>,
    /// Levels of directories that the tool looks into.
    pub(crate) depth: usize,
}

/// Deeper than anybody sorts files.
pub(crate) const MOST_LEVELS: usize = 8;

/// Types that are their own files and that tools have.
const TYPES: [ResourceType; 4] = [
    ResourceType::Agents,
    ResourceType::Skills,
    ResourceType::Commands,
    ResourceType::Instructions,
];

/// Directories that other programs than AI coding clients use too, or that several clients share: their existence does
/// not indicate a tool.
const COMMON_DIRECTORIES: [&str; 4] = [".agents", ".agpm", ".github", ".zed"];

/// Files with instructions that users write by hand, each with its tool.
pub(crate) fn instruction_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOOLS.iter().flat_map(|tool| {
        let files = tool.users_files.instructions.iter();
        files.map(|path| (tool.name, *path))
    })
}

/// The directories of all tools, each path once for a type: the tool that has it for itself comes first.
pub(crate) fn resource_directories() -> Vec<ResourceDirectory> {
    let tools = Tools::in_scope(InstallScope::Project);
    let mut directories: Vec<ResourceDirectory> = Vec::new();
    for definition in by_ownership() {
        let Some(tool) = tools.named(definition.name) else {
            continue;
        };
        for kind in TYPES {
            let Some(Destination::Files(directory, format)) = tool.destination(kind) else {
                continue;
            };
            let path = tool.directory(directory).map(|path| path.to_string());
            directories.extend(path.map(|path| ResourceDirectory {
                tool: definition.name,
                kind,
                path,
                extension: extension_of(kind, format.extension()),
                depth: if format.reads_subdirectories() {
                    MOST_LEVELS
                } else {
                    0
                },
            }));
        }
    }
    // After the directories that agpm writes to: where two tools have one, it is of the tool that installs there.
    for tool in TOOLS {
        for (word, path) in tool.users_files.directories {
            let Some(kind) = ResourceType::named(word) else {
                continue;
            };
            directories.push(ResourceDirectory {
                tool: tool.name,
                kind,
                path: (*path).to_owned(),
                extension: extension_of(kind, None),
                depth: MOST_LEVELS,
            });
        }
    }
    let mut seen = Vec::new();
    directories.retain(|one| {
        let key = (one.kind, one.path.clone());
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new
    });
    directories
}

fn extension_of(kind: ResourceType, of_tool: Option<&'static str>) -> Option<&'static str> {
    match kind {
        ResourceType::Skills => None,
        // An agent of Copilot may end in `.md` alone.
        ResourceType::Agents if of_tool == Some("agent.md") => Some("md"),
        _ => Some(of_tool.unwrap_or("md")),
    }
}

/// Tools with their own directories before those that read the directories of others.
fn by_ownership() -> Vec<&'static ToolDefinition> {
    let shares = |tool: &&ToolDefinition| {
        let skills = tool
            .skills
            .as_ref()
            .and_then(|skills| skills.location.project);
        matches!(skills, Some(agpm_tools::Directory::Shared(_)))
    };
    let (sharing, exclusive): (Vec<_>, Vec<_>) = TOOLS.iter().copied().partition(shares);
    exclusive.into_iter().chain(sharing).collect()
}

/// A file with hooks or servers, and the key that holds them.
pub(crate) struct SharedEntryFile {
    pub(crate) tool: &'static str,
    pub(crate) path: String,
    /// `None` where they are at the top of the file.
    pub(crate) key: Option<&'static str>,
}

/// The files of MCP servers.
pub(crate) fn server_files() -> Vec<SharedEntryFile> {
    let mut files = Vec::new();
    for tool in TOOLS {
        let Some(servers) = &tool.servers else {
            continue;
        };
        let written = servers.location.project.into_iter();
        for path in written.chain(tool.users_files.servers.iter().copied()) {
            files.push(SharedEntryFile {
                tool: tool.name,
                path: path.to_owned(),
                key: Some(servers.format.key),
            });
        }
    }
    files
}

/// The files and directories of hooks.
pub(crate) fn hook_locations() -> (Vec<SharedEntryFile>, Vec<(&'static str, String)>) {
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    for tool in TOOLS {
        let location = tool.hooks.as_ref().and_then(|hooks| hooks.location.project);
        match location {
            Some(HookLocation::Entries(path)) => files.push(SharedEntryFile {
                key: hook_key(tool),
                ..hook_file(tool.name, path)
            }),
            Some(HookLocation::Files(directory)) => {
                directories.push((tool.name, directory_path(tool, directory)));
            }
            None => {}
        }
        for path in tool.users_files.hooks {
            files.push(hook_file(tool.name, path));
        }
    }
    (files, directories)
}

fn hook_file(tool: &'static str, path: &str) -> SharedEntryFile {
    SharedEntryFile {
        tool,
        path: path.to_owned(),
        key: Some("hooks"),
    }
}

/// The key of hooks in a tool's own file: some have a name each instead.
fn hook_key(tool: &ToolDefinition) -> Option<&'static str> {
    let shape = tool.hooks.as_ref().map(|hooks| hooks.format.shape);
    (shape != Some(HookShape::Named)).then_some("hooks")
}

fn directory_path(tool: &ToolDefinition, directory: agpm_tools::Directory) -> String {
    match directory {
        agpm_tools::Directory::Own(name) => format!("{}/{name}", tool.directory.project),
        agpm_tools::Directory::Shared(path) => path.to_owned(),
    }
}

/// The directories that only one tool has, in a project and in home.
pub(crate) fn own_directories() -> impl Iterator<Item = (&'static str, &'static str, &'static str)>
{
    TOOLS
        .iter()
        .map(|tool| (tool.name, tool.directory.project, tool.directory.user))
}

/// Whether a directory does not indicate a tool.
pub(crate) fn is_common(directory: &str) -> bool {
    COMMON_DIRECTORIES.contains(&directory)
}
