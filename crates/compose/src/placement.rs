//! Checks that tools find what is written: they do not read every directory, and names must be unique.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, Notes, codes, has_errors};
use agpm_model::{
    Dependency, Destination, InstallMode, Manifest, NodeLocation, RelativePath, ResourceOrigin,
    ResourceType, TargetLayout, Tool, ToolDirectory,
};
use agpm_resolve::path_in_type_directory;
use agpm_resolve::{ResolvedEntry, part_remedy};
use agpm_text::{Pointer, Value};
use agpm_tools::{FileFormat, NamelessAgents, TOOLS, ToolDefinition, UnreadFile, find};

use crate::folding::{counted, listed, shortened};
use crate::rendered::RenderedResource;

/// Refuses files that their tool would not find, and warns about those that hide others.
pub fn check_placement(
    manifest: &Manifest,
    resources: &[RenderedResource],
    notes: &mut Notes,
) -> Result<(), Failure> {
    let mut found = unread_directories(manifest, resources);
    found.extend(server_clashes(manifest, resources));
    found.extend(same_names(manifest, resources));
    let unread_files = TOOLS.iter().filter_map(|tool| tool.unread_file.as_ref());
    found.extend(unread_files.filter_map(|unread| unseen_servers(resources, unread)));
    let needing_names = TOOLS.iter().filter(|tool| needs_agent_names(tool));
    found.extend(needing_names.filter_map(|tool| nameless_agents(manifest, tool, resources)));
    found.extend(
        TOOLS
            .iter()
            .filter_map(|tool| unlisted_skills(tool, resources)),
    );
    let failed = has_errors(&found);
    notes.diagnostics.extend(found);
    if failed {
        Err(Failure::reported())
    } else {
        Ok(())
    }
}

fn resolved_of(resources: &[RenderedResource]) -> impl Iterator<Item = &ResolvedEntry> {
    resources.iter().map(|resource| &resource.resolved)
}

fn dependency_of<'m>(manifest: &'m Manifest, resolved: &ResolvedEntry) -> Option<&'m Dependency> {
    resolved
        .entry
        .root
        .and_then(|root| manifest.dependencies.get(root))
}

/// The format and path of an entry's files; `None` for entries of shared files.
fn files_of<'m>(
    manifest: &'m Manifest,
    resolved: &ResolvedEntry,
) -> Option<(&'m Tool, &'m ToolDirectory, FileFormat)> {
    let tool = manifest.tools.named(resolved.entry.tool.as_str())?;
    match tool.destination(resolved.entry.kind)? {
        Destination::Files(directory, format) => Some((tool, directory, *format)),
        Destination::Entries(..) | Destination::Blocks(_) => None,
    }
}

/// Files in directories that their tool does not read, one finding for each manifest entry.
fn unread_directories(manifest: &Manifest, resources: &[RenderedResource]) -> Vec<Diagnostic> {
    let mut hidden: BTreeMap<(&str, Option<usize>), Vec<&ResolvedEntry>> = BTreeMap::new();
    for resolved in
        resolved_of(resources).filter(|resolved| resolved.entry.install == InstallMode::Write)
    {
        let Some((tool, directory, format)) = files_of(manifest, resolved) else {
            continue;
        };
        let target = resolved.entry.target.as_ref();
        let inner = target.and_then(|target| path_in_type_directory(tool, directory, target));
        if !format.reads_subdirectories() && inner.is_some_and(|path| path.contains('/')) {
            hidden
                .entry((tool.name.as_str(), resolved.entry.root))
                .or_default()
                .push(resolved);
        }
    }
    hidden
        .iter()
        .map(|((tool, _), concerned)| unread(manifest, tool, concerned))
        .collect()
}

fn unread(manifest: &Manifest, tool: &str, concerned: &[&ResolvedEntry]) -> Diagnostic {
    let subjects = counted(concerned);
    let message = format!("{tool} does not read subdirectories: it would not find {subjects}");
    let mut diagnostic = Diagnostic::new(&codes::TOOL_DIRECTORY, message);
    let Some(first) = concerned.first() else {
        return diagnostic;
    };
    if let Some(dependency) = dependency_of(manifest, first) {
        diagnostic = diagnostic.at_spot(dependency.spot);
    }
    let flat = flat_name(manifest, first);
    let dependency = dependency_of(manifest, first);
    let key = match dependency.map(|dependency| (&dependency.target, dependency.layout)) {
        Some((None, Some(TargetLayout::Folders))) => "flatten = false",
        _ => "target",
    };
    diagnostic.help(if first.matched_pattern {
        format!(
            "remove `{key}`; files with the same name need one entry each, with a flat name such as `filename = \"{flat}\"`"
        )
    } else {
        format!("replace `{key}` with `filename = \"{flat}\"`")
    })
}

/// The directories of a file joined to its name.
fn flat_name(manifest: &Manifest, resolved: &ResolvedEntry) -> String {
    let inner = files_of(manifest, resolved)
        .zip(resolved.entry.target.as_ref())
        .and_then(|((tool, directory, _), target)| path_in_type_directory(tool, directory, target));
    inner.unwrap_or_default().replace('/', "-")
}

/// A server that two files define differently at one location.
struct ServerClash<'a> {
    first: &'a ResolvedEntry,
    second: &'a ResolvedEntry,
    file: &'a RelativePath,
    at: &'a Pointer,
}

/// All servers with the same name in one tool's file.
pub fn server_clashes(manifest: &Manifest, resources: &[RenderedResource]) -> Vec<Diagnostic> {
    let mut first_by_location: BTreeMap<(&RelativePath, &Pointer), (usize, &Value)> =
        BTreeMap::new();
    let mut found = Vec::new();
    for (number, RenderedResource { resolved, output }) in resources.iter().enumerate() {
        let entries = output
            .entries
            .as_ref()
            .filter(|_| resolved.entry.kind == ResourceType::McpServers);
        for (file, node) in entries
            .into_iter()
            .flat_map(|entries| entries.nodes.iter().map(|node| (&entries.file, node)))
        {
            let NodeLocation::Key(at) = &node.location else {
                continue;
            };
            let (first, value) = *first_by_location
                .entry((file, at))
                .or_insert((number, &node.value));
            if first != number && *value != node.value {
                found.push(ServerClash {
                    first: &resources[first].resolved,
                    second: resolved,
                    file,
                    at,
                });
            }
        }
    }
    found.iter().map(|clash| clash.report(manifest)).collect()
}

impl ServerClash<'_> {
    fn report(&self, manifest: &Manifest) -> Diagnostic {
        let name = self.at.steps().last().map_or("", String::as_str);
        let (first, second) = (self.first.label(), self.second.label());
        let message = format!("{first} and {second} both define the server `{name}`");
        let mut diagnostic =
            Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).in_file(self.file.as_str());
        let both =
            [self.second, self.first].map(|resolved| (resolved, dependency_of(manifest, resolved)));
        for dependency in both.iter().filter_map(|(_, dependency)| *dependency) {
            diagnostic = diagnostic.at_spot(dependency.spot);
        }
        diagnostic
            .remedies
            .extend(part_remedy(manifest, self.second));
        // A pattern has one `rename` for all of its files, which would only move the clash.
        let own_line = both
            .iter()
            .find(|(resolved, dependency)| dependency.is_some() && !resolved.matched_pattern);
        let new_name = |resolved: &ResolvedEntry| match resolved.entry.name.as_str() {
            entries if entries == name => format!("{name}-2"),
            entries => entries.to_owned(),
        };
        diagnostic.help(match own_line {
            Some((resolved, _)) => format!(
                "add `rename = {{ {} = \"{}\" }}` to the entry `{}`",
                key(name),
                new_name(resolved),
                resolved.entry.name
            ),
            None => format!(
                "add `exclude = [{:?}]` to the pattern's entry, and an entry for it with `rename = {{ {} = \"{}\" }}`",
                self.second.entry.name.as_str(),
                key(name),
                new_name(self.second)
            ),
        })
    }
}

/// Servers in a file that only one of a tool's programs reads, unless the others find them elsewhere.
fn unseen_servers(resources: &[RenderedResource], unread: &UnreadFile) -> Option<Diagnostic> {
    let written_to = |resolved: &ResolvedEntry, file: &str| {
        let target = resolved
            .entry
            .target
            .as_ref()
            .filter(|_| resolved.entry.install == InstallMode::Write);
        target.is_some_and(|target| target.as_str() == file)
    };
    let concerned: Vec<&ResolvedEntry> = resolved_of(resources)
        .filter(|resolved| written_to(resolved, unread.file))
        .collect();
    let is_served =
        resolved_of(resources).any(|resolved| written_to(resolved, unread.instead.file));
    if concerned.is_empty() || is_served {
        return None;
    }
    let subjects = counted(&concerned);
    let message = format!(
        "{} does not read `{}`; only {} does",
        unread.other, unread.file, unread.reader
    );
    let help = format!(
        "for {}, add an entry with `tool = \"{}\"`: it reads `{}`, too",
        unread.other_short, unread.instead.tool, unread.instead.file
    );
    let diagnostic = Diagnostic::new(&codes::TOOL_UNREAD, message);
    Some(diagnostic.detail(subjects).help(help))
}

fn needs_agent_names(tool: &ToolDefinition) -> bool {
    let agents = tool.agents.as_ref();
    agents.is_some_and(|agents| agents.format.nameless == NamelessAgents::Ignored)
}

/// Agents without a `name`, which the tool does not load, from a source whose agents have one: for example a README.
fn nameless_agents(
    manifest: &Manifest,
    tool: &ToolDefinition,
    resources: &[RenderedResource],
) -> Option<Diagnostic> {
    let mut by_source: BTreeMap<&ResourceOrigin, SourceAgents<'_>> = BTreeMap::new();
    for RenderedResource { resolved, output } in resources {
        let is_for_tool = resolved.entry.tool.as_str() == tool.name;
        if resolved.entry.kind != ResourceType::Agents || !is_for_tool {
            continue;
        }
        if files_of(manifest, resolved).is_none() {
            continue;
        }
        let agents = by_source.entry(&resolved.entry.unit.origin).or_default();
        match &output.agent_name {
            Some(_) => agents.named += 1,
            None => agents.nameless.push(resolved),
        }
    }
    let odd = by_source
        .into_values()
        .filter(SourceAgents::usually_have_names);
    let concerned: Vec<&ResolvedEntry> = odd.flat_map(|agents| agents.nameless).collect();
    if concerned.is_empty() {
        return None;
    }
    let message = format!(
        "{} does not load agents without a `name`: {}",
        tool.name,
        listed(&concerned)
    );
    let help = "set a name with `[patch.agents.NAME]`, or leave the file out";
    Some(Diagnostic::new(&codes::TOOL_UNREAD, message).help(help))
}

/// The agents of one source.
#[derive(Default)]
struct SourceAgents<'a> {
    named: usize,
    nameless: Vec<&'a ResolvedEntry>,
}

impl SourceAgents<'_> {
    /// Whether a missing name is an oversight: a few files that all lack one were written for something else.
    fn usually_have_names(&self) -> bool {
        self.named >= 3 && self.named > self.nameless.len()
    }
}

/// More skills than a tool lists: its prompt has room for only a part of them.
fn unlisted_skills(tool: &ToolDefinition, resources: &[RenderedResource]) -> Option<Diagnostic> {
    let (name, most) = (tool.name, tool.skills.as_ref()?.format.most_listed?);
    let is_for_tool = |resolved: &&ResolvedEntry| {
        let mut readers = resolved.entry.readers.iter();
        resolved.entry.kind == ResourceType::Skills && readers.any(|tool| tool.as_str() == name)
    };
    let count = resolved_of(resources).filter(is_for_tool).count();
    let message =
        format!("{name} lists only some of many skills, and {count} are installed for it");
    let help = "install the skills that you need, or leave some out with `exclude`";
    (count > most).then(|| Diagnostic::new(&codes::TOOL_UNREAD, message).help(help))
}

/// A key as TOML writes it.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}

/// Agents that their tool cannot distinguish, one finding for each tool.
fn same_names(manifest: &Manifest, resources: &[RenderedResource]) -> Vec<Diagnostic> {
    let mut by_tool: BTreeMap<&str, BTreeMap<&str, Vec<&ResolvedEntry>>> = BTreeMap::new();
    for RenderedResource { resolved, output } in resources {
        if resolved.entry.kind != ResourceType::Agents {
            continue;
        }
        let Some((tool, _, _)) = files_of(manifest, resolved) else {
            continue;
        };
        if let Some(name) = &output.agent_name {
            by_tool
                .entry(tool.name.as_str())
                .or_default()
                .entry(name.as_str())
                .or_default()
                .push(resolved);
        }
    }
    by_tool
        .iter()
        .filter_map(|(tool, names)| same_name(tool, names))
        .collect()
}

fn same_name(tool: &str, names: &BTreeMap<&str, Vec<&ResolvedEntry>>) -> Option<Diagnostic> {
    let shared: Vec<(&&str, &Vec<&ResolvedEntry>)> =
        names.iter().filter(|(_, all)| all.len() > 1).collect();
    let (name, all) = *shared.first()?;
    let agents = find(tool).and_then(|tool| tool.agents.as_ref());
    let outcome = agents.map_or("loads only one of them", |entries| entries.format.same_name);
    let count: BTreeSet<String> = shared
        .iter()
        .flat_map(|(_, all)| all.iter().map(|one| one.label()))
        .collect();
    let message = match shared.len() {
        1 => format!("{} agents are named `{name}`; {tool} {outcome}", all.len()),
        many => format!(
            "{} agents share {many} names; for each, {tool} {outcome}",
            count.len()
        ),
    };
    let each: Vec<String> = shared
        .iter()
        .map(|(name, all)| format!("`{name}`: {}", listed(all)))
        .collect();
    let each = if each.len() > 3 {
        shortened(&each)
    } else {
        each.join("; ")
    };
    let help = shared
        .iter()
        .find_map(|(name, all)| renaming(name, all))
        .unwrap_or_else(|| {
            "other resources require them: name one in `[agents]` too, then patch its `name`"
                .to_owned()
        });
    let diagnostic = Diagnostic::new(&codes::TOOL_SAME_NAME, message);
    Some(diagnostic.detail(each).help(help))
}

/// The patch that gives one of several agents another name; `None` if the manifest itself has none of them, because it
/// can patch only its own entries.
fn renaming(shared: &str, all: &[&ResolvedEntry]) -> Option<String> {
    let own = all
        .iter()
        .rev()
        .filter(|one| one.entry.root.is_some() && one.part_of.is_empty())
        .map(|one| one.entry.name.as_str());
    let other = own.clone().find(|name| *name != shared);
    let entry = other.or_else(|| own.clone().next())?;
    let name = match other {
        Some(name) => name.to_owned(),
        None => format!("{entry}-2"),
    };
    let key = key(entry);
    Some(format!(
        "rename one of them: `[patch.agents.{key}]` with `name = \"{name}\"`"
    ))
}
