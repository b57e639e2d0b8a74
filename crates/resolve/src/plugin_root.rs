//! The directory of a plugin, and its notation in the files of a tool.

use crate::ResourceEntry;
use crate::plugin::{
    PluginPaths, PluginTree, RelativeFiles, RootReference, environment_of, rewrite_hooks,
    rewrite_markdown, rewrite_servers,
};
use agpm_model::{RelativePath, ResourceType, ToolName};
use agpm_text::Value;
use agpm_tools::{OWN_TOOL, REFERENCE_TOOL, TOOLS, find};

use crate::index::ResourceFiles;

/// The directory for files that plugins write, next to that of plugins.
const DATA_DIRECTORY: &str = "plugin-data";

/// The directory of a plugin.
pub(crate) struct PluginDirectory {
    root: String,
    data: String,
    scope: PathScope,
    /// The environment variables that the plugin's programs read.
    environment: Vec<&'static str>,
}

/// The base of a plugin's paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathScope {
    Project,
    Home,
}

/// The start of relative paths in hooks and servers.
#[derive(Clone, Copy)]
pub(crate) enum PathBase<'a> {
    /// The project.
    Project,
    /// These files of the plugin.
    Plugin(RelativeFiles<'a>),
    /// The directory that the server runs in, which is the plugin's.
    ServerDirectory,
}

/// The variables to set for a tool. Programs recognize their client by the variables that only this client sets, so
/// those of other tools are left out, except for the reference's, which all plugins know.
fn environment_for(tool: &ToolName, read: &[&'static str]) -> Vec<&'static str> {
    let is_foreign = |name: &&'static str| {
        let others = TOOLS
            .iter()
            .filter(|other| other.name != tool.as_str() && other.name != REFERENCE_TOOL.name)
            .filter(|other| other.hooks.is_some());
        let mut names = others.flat_map(|other| other.plugin_variables.items);
        names.any(|other| other == name)
    };
    let own: Vec<&'static str> = read
        .iter()
        .copied()
        .filter(|name| !is_foreign(name))
        .collect();
    // A program that knows one client only still has to find its files.
    if own.is_empty() { read.to_vec() } else { own }
}

impl PluginDirectory {
    /// The directory of a plugin entry.
    pub(crate) fn of(plugin: &ResourceEntry, tree: &PluginTree<'_>) -> Self {
        let root = plugin
            .target
            .as_ref()
            .map_or(String::new(), RelativePath::to_string);
        let is_project = root.starts_with(&format!("{}/", OWN_TOOL.directory.project));
        let (base_directory, scope) = if is_project {
            (OWN_TOOL.directory.project, PathScope::Project)
        } else {
            (OWN_TOOL.directory.user, PathScope::Home)
        };
        PluginDirectory {
            data: format!("{base_directory}/{DATA_DIRECTORY}/{}", plugin.name),
            root,
            scope,
            environment: environment_of(tree),
        }
    }

    fn paths<'a>(&'a self, environment: &'a [&'static str]) -> PluginPaths<'a> {
        PluginPaths {
            root: &self.root,
            data: &self.data,
            environment,
        }
    }

    /// The tool's reference to the directory that paths start from.
    fn reference(&self, tool: &ToolName) -> RootReference<'static> {
        if self.scope == PathScope::Home {
            return RootReference {
                command: Some("HOME"),
                field: Some("${HOME}"),
            };
        }
        let root = find(tool.as_str()).and_then(|tool| tool.project_root);
        RootReference {
            command: root.and_then(|root| root.hooks),
            field: root.and_then(|root| root.servers),
        }
    }

    /// Markdown, in which paths start at the project or at home.
    pub(crate) fn markdown(&self, text: &str) -> String {
        if self.scope == PathScope::Project {
            return rewrite_markdown(text, self.paths(&[]));
        }
        // In home, the tool runs in any project.
        let (root, data) = (
            format!("$HOME/{}", self.root),
            format!("$HOME/{}", self.data),
        );
        let paths = PluginPaths {
            root: &root,
            data: &data,
            environment: &[],
        };
        rewrite_markdown(text, paths)
    }

    /// Hooks or servers with paths that work in a tool.
    pub(crate) fn merged_file(
        &self,
        kind: ResourceType,
        value: &Value,
        base: PathBase<'_>,
        tool: &ToolName,
    ) -> ResourceFiles {
        let reference = self.reference(tool);
        let environment = environment_for(tool, &self.environment);
        let paths = self.paths(&environment);
        let authored = Some(value.to_json());
        let value = match (kind, base) {
            (ResourceType::Hooks, PathBase::Plugin(files)) => {
                rewrite_hooks(value, paths, reference, Some(files))
            }
            (ResourceType::Hooks, _) => rewrite_hooks(value, paths, reference, None),
            (_, PathBase::ServerDirectory) if reference.field.is_none() => {
                self.in_own_directory(value)
            }
            _ => rewrite_servers(value, paths, reference),
        };
        ResourceFiles {
            authored,
            ..ResourceFiles::json(&value)
        }
    }

    /// Servers that run in the plugin's directory, where their paths start.
    fn in_own_directory(&self, value: &Value) -> Value {
        let steps = self.root.split('/').count();
        let data = format!("{}{}", "../".repeat(steps), self.data);
        let inner = PluginPaths {
            root: ".",
            data: &data,
            environment: &[],
        };
        let none = RootReference::default();
        let Value::Map(entries) = value else {
            return value.clone();
        };
        let entry = |(key, value): &(String, Value)| {
            let value = match (key.as_str(), value) {
                ("cwd", Value::String(_)) => {
                    let alone = Value::map([("cwd", value.clone())]);
                    let moved = rewrite_servers(&alone, self.paths(&[]), none);
                    moved.get("cwd").cloned().unwrap_or(Value::Null)
                }
                (_, Value::Map(_)) if key != "env" && key != "headers" => {
                    self.in_own_directory(value)
                }
                _ => {
                    let alone = Value::map([(key.as_str(), value.clone())]);
                    let moved = rewrite_servers(&alone, inner, none);
                    moved.get(key).cloned().unwrap_or(Value::Null)
                }
            };
            (key.clone(), value)
        };
        Value::Map(entries.iter().map(entry).collect())
    }
}
