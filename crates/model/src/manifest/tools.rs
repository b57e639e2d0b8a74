//! `[tools]`, `[default-tools]`, and `tools` in `[project]`.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, codes};
use agpm_text::{NodeKind, NodeRef};
use agpm_tools::{COMMON_INSTRUCTIONS, FileFormat, REFERENCE_TOOL};

use crate::check::{Check, ineffective_in_base, spot};
use crate::manifest::tables::{RESOURCE, TOOL};
use crate::name::ToolName;
use crate::path::RelativePath;
use crate::resource::{PLUGIN_PARTS, RESOURCE_TYPES, ResourceType, TargetLayout};
use crate::tool::{Destination, Tool, ToolDirectory, ToolState, Tools};

/// The built-in tools, modified by `[tools]`, `[default-tools]` and `[project]` of a manifest.
pub(crate) fn read(check: &mut Check, mut tools: Tools, root: NodeRef<'_>) -> Tools {
    let tools_table = root.get("tools");
    if let Some(tools_table) =
        tools_table.filter(|tools_table| check.map(*tools_table, "`[tools]`"))
    {
        for (name, table) in tools_table.entries() {
            read_tool(check, name, table, &mut tools);
        }
    }
    let mut by_kind = BTreeMap::new();
    let defaults = root.get("default-tools");
    if let Some(defaults) = defaults.filter(|defaults| check.map(*defaults, "`[default-tools]`")) {
        for (kind, tool) in defaults.entries() {
            by_kind.extend(read_default(check, kind, tool, &tools));
        }
    }
    let of_project = root.get("project").and_then(|project| project.get("tools"));
    // `[project]` holds template variables; any other `tools` is one of them.
    let of_project = of_project.filter(|node| is_list_of_strings(*node));
    let of_project = of_project.map(|node| tool_list(check, node, "`tools`", &tools));
    let of_project: Vec<ToolName> = names(of_project.unwrap_or_default());
    tools.set_defaults(&by_kind, &of_project);
    tools
}

/// `allow-widening` of `[project]`: the tools in which any conversion may permit more. Only the project itself can give this
/// approval: in a base, the key has no effect.
pub(crate) fn read_widening(
    check: &mut Check,
    tools: &Tools,
    manifest: Option<NodeRef<'_>>,
    bases: &[Option<NodeRef<'_>>],
) -> Vec<ToolName> {
    // `[project]` holds template variables; any other value of this name is one of them.
    for node in bases.iter().copied().flatten().filter_map(project_widening) {
        check.report(ineffective_in_base(node, "allow-widening"));
    }
    let node = manifest
        .and_then(project_widening)
        .filter(|node| is_list_of_strings(*node));
    names(node.map_or_else(Vec::new, |node| {
        tool_list(check, node, "`allow-widening`", tools)
    }))
}

fn project_widening(root: NodeRef<'_>) -> Option<NodeRef<'_>> {
    root.get("project")?.get("allow-widening")
}

fn is_list_of_strings(node: NodeRef<'_>) -> bool {
    node.kind() == NodeKind::List && node.items().all(|item| item.as_str().is_some())
}

/// A tool and the node that names it.
pub(crate) type NamedTool<'n> = (NodeRef<'n>, ToolName);

fn names(named: Vec<NamedTool<'_>>) -> Vec<ToolName> {
    named.into_iter().map(|(_, tool)| tool).collect()
}

/// The known tools of a list, each once, in order.
pub(crate) fn tool_list<'n>(
    check: &mut Check,
    node: NodeRef<'n>,
    what: &str,
    tools: &Tools,
) -> Vec<NamedTool<'n>> {
    if node.kind() == NodeKind::List && node.items().next().is_none() {
        let help = "name at least one tool, or remove the key";
        check.bad_value(node, format!("{what} is an empty list"), help);
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut named: Vec<NamedTool<'n>> = Vec::new();
    for (item, name) in check.strings(node, what) {
        let names = names.iter().copied();
        if check.check_known(item, "tool", &codes::MANIFEST_UNKNOWN_TOOL, names) {
            let tool = ToolName::new(name).ok();
            let is_new = |tool: &ToolName| named.iter().all(|(_, other)| other != tool);
            let tool = tool.filter(is_new);
            named.extend(tool.map(|tool| (item, tool)));
        }
    }
    named
}

fn read_tool(check: &mut Check, name: NodeRef<'_>, table: NodeRef<'_>, tools: &mut Tools) {
    if !check.map(table, "a tool") {
        return;
    }
    check.keys(table, &TOOL);
    let Ok(tool_name) = ToolName::new(name.content()) else {
        check.bad_value(
            name,
            "a tool needs a name",
            "write a short word, such as `my-tool`",
        );
        return;
    };
    let built_in = tools.tools.iter().position(|tool| tool.name == tool_name);
    if built_in.is_none() && table.get("path").is_none() {
        let message = format!("the tool `{tool_name}` has no `path`");
        let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, message).at_spot(spot(name));
        let help = "add its directory, as in `path = \".mytool\"`";
        check.report_missing(diagnostic.help(help));
    }
    let at = built_in.unwrap_or_else(|| {
        let state = ToolState::Enabled;
        tools.tools.push(Tool {
            name: tool_name,
            directory: None,
            state,
            destinations: BTreeMap::new(),
            layouts: BTreeMap::new(),
            other_skills: Vec::new(),
            block_files: RelativePath::new(COMMON_INSTRUCTIONS).into_iter().collect(),
        });
        tools.tools.len() - 1
    });
    let plugins = tools
        .named(REFERENCE_TOOL.name)
        .and_then(|reference| reference.destination(ResourceType::Plugins).cloned());
    let tool = &mut tools.tools[at];
    if let Some(path) = table.get("path") {
        tool.directory = read_directory(check, path, "`path`");
    }
    if let Some(enabled) = table
        .get("enabled")
        .and_then(|node| check.flag(node, "`enabled`"))
    {
        tool.state = if enabled {
            ToolState::Enabled
        } else {
            ToolState::Disabled
        };
    }
    if let Some(resources) = table
        .get("resources")
        .filter(|node| check.map(*node, "`resources`"))
    {
        let built_in = with_forms(tool);
        for (kind, destination_table) in resources.entries() {
            if let Some((kind, destination)) =
                read_destination(check, kind, destination_table, &built_in)
            {
                tool.destinations.insert(kind, destination);
                // A manifest that sets the directory wants the skills there.
                if kind == ResourceType::Skills {
                    tool.other_skills.clear();
                }
                if let Destination::Blocks(file) = &tool.destinations[&kind] {
                    tool.block_files = vec![file.clone()];
                }
                let flatten = destination_table
                    .get("flatten")
                    .and_then(|node| check.flag(node, "`flatten`"));
                tool.layouts
                    .extend(flatten.map(|flatten| (kind, TargetLayout::of_flatten(flatten))));
            }
        }
    }
    let takes_parts = PLUGIN_PARTS
        .iter()
        .any(|kind| tool.destination(*kind).is_some());
    if takes_parts && let Some(directory) = plugins {
        tool.destinations.insert(ResourceType::Plugins, directory);
    }
}

/// The destinations of a tool; a type without one in home keeps its format of the project.
fn with_forms(tool: &Tool) -> BTreeMap<ResourceType, Destination> {
    let project = Tools::default();
    let mut forms = project
        .named(tool.name.as_str())
        .map_or_else(BTreeMap::new, |built_in| built_in.destinations.clone());
    forms.extend(tool.destinations.clone());
    forms
}

fn read_destination(
    check: &mut Check,
    kind_node: NodeRef<'_>,
    table: NodeRef<'_>,
    built_in: &BTreeMap<ResourceType, Destination>,
) -> Option<(ResourceType, Destination)> {
    let kind = kind(check, kind_node)?;
    if kind == ResourceType::Plugins {
        let help =
            "remove it: hooks and servers of plugins need one directory that all tools share";
        check.bad_value(
            kind_node,
            "the directory of plugins cannot be changed",
            help,
        );
        return None;
    }
    if !check.map(table, "a tool's resource") {
        return None;
    }
    check.keys(table, &RESOURCE);
    // A different path does not change the format of the tool.
    let before = built_in.get(&kind);
    let merged = kind.is_merged() && !matches!(before, Some(Destination::Files(..)));
    let destination = match (table.get("path"), table.get("merge-target")) {
        (_, Some(file)) if merged => {
            let usual = reference_destination(kind);
            let Some(Destination::Entries(_, form)) = before.or(usual.as_ref()) else {
                return None;
            };
            Destination::Entries(check.path(file, "`merge-target`")?, *form)
        }
        (None, Some(file)) if kind == ResourceType::Instructions => {
            Destination::Blocks(check.path(file, "`merge-target`")?)
        }
        (Some(path), None) if !merged => {
            let form = match before {
                Some(Destination::Files(_, form)) => *form,
                _ => FileFormat::Unchanged,
            };
            Destination::Files(
                ToolDirectory::Own(read_directory(check, path, "`path`")),
                form,
            )
        }
        _ => {
            let key = if merged { "merge-target" } else { "path" };
            let message = format!("`{kind}` need `{key}` and nothing else");
            check.bad_value(
                kind_node,
                message,
                "files have a `path`; hooks, MCP servers and blocks of instructions have a `merge-target`",
            );
            return None;
        }
    };
    Some((kind, destination))
}

/// The destination of a type in the reference tool: custom tools get entries in its format.
fn reference_destination(kind: ResourceType) -> Option<Destination> {
    let tools = Tools::default();
    let reference = tools.named(REFERENCE_TOOL.name)?;
    reference.destination(kind).cloned()
}

/// A directory, where `.` is the enclosing one.
fn read_directory(check: &mut Check, node: NodeRef<'_>, what: &str) -> Option<RelativePath> {
    if node.as_str().is_some_and(|text| matches!(text, "." | "./")) {
        return None;
    }
    check.path(node, what)
}

fn read_default(
    check: &mut Check,
    kind_node: NodeRef<'_>,
    tool: NodeRef<'_>,
    tools: &Tools,
) -> Option<(ResourceType, Vec<ToolName>)> {
    let kind = kind(check, kind_node)?;
    if tool.kind() == NodeKind::List {
        let names = names(tool_list(check, tool, &format!("`{kind}`"), tools));
        return (!names.is_empty()).then_some((kind, names));
    }
    let name = check.string(tool, "a default tool")?;
    let is_known: Vec<&str> = tools.tools.iter().map(|tool| tool.name.as_str()).collect();
    if !check.check_known(
        tool,
        "tool",
        &codes::MANIFEST_UNKNOWN_TOOL,
        is_known.iter().copied(),
    ) {
        return None;
    }
    if tools
        .named(name)
        .is_some_and(|found| found.destination(kind).is_none())
    {
        let message = format!("the tool `{name}` does not support {kind}");
        let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, message).at_spot(spot(tool));
        let help = format!("choose another tool, or add `{kind}` to its `resources`");
        check.report_missing(diagnostic.help(help));
        return None;
    }
    Some((kind, vec![ToolName::new(name).ok()?]))
}

fn kind(check: &mut Check, node: NodeRef<'_>) -> Option<ResourceType> {
    let words = RESOURCE_TYPES.map(|kind| kind.plural());
    let is_known = check.check_known(node, "resource type", &codes::MANIFEST_UNKNOWN_KEY, words);
    if is_known {
        ResourceType::named(node.content())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use agpm_diag::SourceMap;
    use agpm_text::{Format, Limits, parse};
    use agpm_tools::{EntryFormat, find};

    use super::*;

    fn tools(text: &str) -> Tools {
        let mut sources = SourceMap::default();
        let document = parse(
            sources.add("agpm.toml", text),
            text,
            Format::Toml,
            Limits::default(),
        )
        .document;
        let mut check = Check::default();
        let tools = read(
            &mut check,
            Tools::default(),
            document.root().expect("a table"),
        );
        assert_eq!(check.into_diagnostics(), []);
        tools
    }

    fn path(text: &str) -> RelativePath {
        RelativePath::new(text).unwrap()
    }

    #[test]
    fn another_directory_moves_what_is_below_it_and_leaves_forms_and_shared_directories() {
        let tools = tools("[tools.codex]\npath = \".other\"\n");
        let codex = tools.named("codex").unwrap();
        let agents = &find("codex").unwrap().agents.as_ref().unwrap().format;
        assert_eq!(codex.directory, Some(path(".other")));
        assert_eq!(
            codex.destination(ResourceType::Agents),
            Some(&Destination::Files(
                ToolDirectory::Own(Some(path("agents"))),
                FileFormat::Agent(agents)
            ))
        );
        assert_eq!(
            codex.destination(ResourceType::Skills),
            Some(&Destination::Files(
                ToolDirectory::Shared(path(".agents/skills")),
                FileFormat::Unchanged
            ))
        );
    }

    #[test]
    fn a_tool_says_how_files_are_laid_out() {
        let text = "[tools.claude-code]\npath = \".claude\"\n\
                    resources = { agents = { path = \"agents\", flatten = false }, snippets = { path = \"snippets\" } }\n";
        let tools = tools(text);
        let claude = tools.named("claude-code").unwrap();
        assert_eq!(claude.layout(ResourceType::Agents), TargetLayout::Folders);
        assert_eq!(claude.layout(ResourceType::Commands), TargetLayout::Flat);
        assert_eq!(claude.layout(ResourceType::Snippets), TargetLayout::Folders);
    }

    #[test]
    fn another_place_keeps_the_form_even_for_hooks_in_files_of_their_own() {
        let text = "[tools.copilot.resources]\nhooks = { path = \"h\" }\n\
                    mcp-servers = { merge-target = \"servers.json\" }\n";
        let tools = tools(text);
        let copilot = tools.named("copilot").unwrap();
        let hooks = &find("copilot").unwrap().hooks.as_ref().unwrap().format;
        let servers = &find("copilot").unwrap().servers.as_ref().unwrap().format;
        assert_eq!(
            copilot.destination(ResourceType::Hooks),
            Some(&Destination::Files(
                ToolDirectory::Own(Some(path("h"))),
                FileFormat::Hooks(hooks)
            ))
        );
        assert_eq!(
            copilot.destination(ResourceType::McpServers),
            Some(&Destination::Entries(
                path("servers.json"),
                EntryFormat::Servers(servers)
            ))
        );
    }
}
