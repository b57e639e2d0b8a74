//! Abilities in the files that clients read, whoever wrote them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use agpm_compose::reading_of_layer_file;
use agpm_diag::Failure;
use agpm_model::{
    Destination, InstallScope, LockEntry, Manifest, RelativePath, ResourceType, Tool, Tools,
};
use agpm_resolve::path_in_type_directory;
use agpm_store::{self as store};
use agpm_text::{Format, Pointer, parse_alone};
use agpm_tools::{config_file, is_of_tool_directory};
use agpm_trust::{CapabilityMatch, CapabilityQuery, CapabilityWay, ToolRule, is_script};

use super::Ability;
use super::locked::{LockText, has_ability, of_entry, read_lock};

/// The deepest directory of a client that is read.
const DEEPEST: usize = 12;
/// The largest file that is read: clients have none that are larger.
const LARGEST: u64 = 4 << 20;
/// Directories that no client reads.
const FOREIGN: [&str; 3] = [".git", ".agpm", "node_modules"];

/// A file that a client reads, with the tools that read it.
struct ClientFile {
    path: RelativePath,
    bytes: Vec<u8>,
    answers: Vec<CapabilityMatch>,
    denied: Vec<ToolRule>,
    tools: Vec<String>,
}

/// The abilities in a project.
pub(super) fn abilities(
    query: &CapabilityQuery,
    directory: &Path,
) -> Result<Vec<Ability>, Failure> {
    let manifest = Manifest {
        tools: Tools::in_scope(InstallScope::Project),
        ..Manifest::default()
    };
    let lock = read_lock(directory)?;
    let mut files = Vec::new();
    for path in client_files(&manifest.tools, directory)? {
        let Ok((bytes, mode)) = store::read_below(directory, path.as_str(), LARGEST) else {
            // A symlink out of the project, or something that is not a file: no client of the project reads it.
            continue;
        };
        let reading = reading_of_layer_file(&manifest, &path, mode, &bytes);
        let mut answers = query.answers(&reading, None);
        if is_script(path.as_str(), mode, &bytes) {
            answers.extend(in_program(query, &bytes));
        }
        let denied: Vec<ToolRule> = reading.set.denied.iter().cloned().collect();
        if answers.is_empty() && denied.is_empty() {
            continue;
        }
        files.push(ClientFile {
            tools: tools_of(&manifest.tools, &path),
            path,
            bytes,
            answers,
            denied,
        });
    }
    let denied = denied_by_tool(&files);
    let mut abilities = Vec::new();
    for file in &files {
        for answer in &file.answers {
            let is_denied = |tool: &String| {
                denied
                    .get(tool)
                    .is_some_and(|denied| answer.is_denied(denied))
            };
            if !file.tools.is_empty() && file.tools.iter().all(is_denied) {
                continue;
            }
            abilities.push(ability(query, file, answer, lock.as_ref()));
        }
    }
    // The files of plugins are read by their clients through the plugin, so what the lockfile says about them is used.
    if let Some(lock) = &lock {
        let is_plugin = |entry: &LockEntry| entry.kind == ResourceType::Plugins;
        abilities.extend(lock.abilities(query, &is_plugin));
    }
    abilities.sort();
    abilities.dedup();
    Ok(abilities)
}

/// The lines of a program that answer the question, as one answer with the first of them.
fn in_program(query: &CapabilityQuery, bytes: &[u8]) -> Option<CapabilityMatch> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| query.is_in_text(line))?;
    Some(CapabilityMatch {
        way: CapabilityWay::InProgram,
        value: line.trim().to_owned(),
        pointer: None,
        rules: Vec::new(),
    })
}

/// A denial in one file of a client holds for all of its files.
fn denied_by_tool(files: &[ClientFile]) -> BTreeMap<String, Vec<ToolRule>> {
    let mut denied: BTreeMap<String, Vec<ToolRule>> = BTreeMap::new();
    for file in files {
        for tool in &file.tools {
            denied
                .entry(tool.clone())
                .or_default()
                .extend(file.denied.iter().cloned());
        }
    }
    denied
}

fn ability(
    query: &CapabilityQuery,
    file: &ClientFile,
    answer: &CapabilityMatch,
    lock: Option<&LockText>,
) -> Ability {
    let ability = Ability {
        path: file.path.to_string(),
        line: line_of(file, answer),
        way: answer.way,
        value: agpm_diag::mask_line(&answer.value),
        id: None,
        tools: file.tools.clone(),
        source: None,
        version: None,
        commit: None,
    };
    let entries = lock.map_or(&[][..], |lock| &lock.lock.entries);
    match owner_of(query, file, answer, entries) {
        Some(entry) => of_entry(ability, entry),
        None => ability,
    }
}

/// The locked resource that brings it. Of those that share a file, it is the one that has the capability and whose name is
/// in the pointer, or the only one that has it.
fn owner_of<'l>(
    query: &CapabilityQuery,
    file: &ClientFile,
    answer: &CapabilityMatch,
    entries: &'l [LockEntry],
) -> Option<&'l LockEntry> {
    let path = file.path.as_str();
    let is_at = |entry: &&LockEntry| {
        entry.paths().into_iter().any(|at| {
            let inner = path.strip_prefix(at.as_str());
            inner.is_some_and(|inner| inner.is_empty() || inner.starts_with('/'))
        })
    };
    let mut at: Vec<&LockEntry> = entries.iter().filter(is_at).collect();
    let is_shared =
        |entry: &&LockEntry| entry.kind.is_merged() || entry.kind == ResourceType::Instructions;
    if at.iter().any(is_shared) {
        at.retain(|entry| has_ability(query, entry));
        let steps = answer.pointer.as_ref().map_or(&[][..], Pointer::steps);
        let named = at
            .iter()
            .find(|entry| steps.iter().any(|step| step == entry.name.as_str()));
        if let Some(named) = named {
            return Some(named);
        }
    }
    match at.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// The line of an answer: where its pointer leads, or the first line that has its text.
fn line_of(file: &ClientFile, answer: &CapabilityMatch) -> Option<usize> {
    let text = String::from_utf8_lossy(&file.bytes);
    let format = match Format::of_file(file.path.file_name()) {
        Some(Format::Json | Format::Jsonc) => Some(Format::Jsonc),
        Some(format @ (Format::Yaml | Format::Toml)) => Some(format),
        _ => None,
    };
    if let (Some(format), Some(pointer)) = (format, &answer.pointer)
        && !pointer.steps().is_empty()
    {
        let parsed = parse_alone(text.to_string(), format);
        if let Some(node) = parsed.document.at(pointer) {
            let start = node.span().start as usize;
            let before = text.as_bytes().get(..start)?;
            return Some(memchr_lines(before) + 1);
        }
    }
    // Events are added to commands, and hosts are taken from URLs.
    let value = answer.value.split(" (").next().unwrap_or(&answer.value);
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    let mut needles = vec![value, escaped.as_str()];
    // A command line may be written as a program and its arguments; other values are in the file as they are.
    if answer.way == CapabilityWay::Automatic {
        needles.extend(value.split_whitespace().next());
    }
    needles.iter().find_map(|needle| {
        let mut lines = text.lines();
        let found = lines.position(|line| !needle.is_empty() && line.contains(needle));
        found.map(|number| number + 1)
    })
}

fn memchr_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// The files that some client reads, sorted.
fn client_files(tools: &Tools, directory: &Path) -> Result<BTreeSet<RelativePath>, Failure> {
    let mut roots: BTreeSet<String> = BTreeSet::new();
    let mut files: BTreeSet<RelativePath> = BTreeSet::new();
    for tool in tools.iter() {
        roots.extend(tool.directory.iter().map(|path| first_part(path.as_str())));
        roots.extend(
            tool.other_skills
                .iter()
                .map(|path| first_part(path.as_str())),
        );
        files.extend(tool.block_files.iter().cloned());
        for destination in tool.destinations.values() {
            match destination {
                Destination::Files(inner, _) => {
                    let path = tool.directory(inner);
                    roots.extend(path.iter().map(|path| first_part(path.as_str())));
                }
                Destination::Entries(file, _) | Destination::Blocks(file) => {
                    files.insert(file.clone());
                }
            }
        }
    }
    for name in store::names_in(directory) {
        let is_known = config_file(&name).is_some() || reads_by_name(&name);
        if let Ok(path) = RelativePath::new(&name)
            && is_known
        {
            files.insert(path);
        }
        if name.starts_with('.')
            && !FOREIGN.contains(&name.as_str())
            && is_of_tool_directory(&format!("{name}/x"))
        {
            roots.insert(name);
        }
    }
    for root in roots
        .iter()
        .filter(|root| !FOREIGN.contains(&root.as_str()))
    {
        for file in store::files_below(&directory.join(root), DEEPEST)? {
            let is_foreign = file.split('/').any(|part| FOREIGN.contains(&part));
            if let Ok(path) = RelativePath::new(&format!("{root}/{file}"))
                && !is_foreign
            {
                files.insert(path);
            }
        }
    }
    files.retain(|path| store::is_file(&directory.join(path.as_str())));
    Ok(files)
}

/// Files in the project's own directory that clients read by their names.
fn reads_by_name(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "AGENTS.md",
        "AGENT.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "GEMINI.md",
        ".clinerules",
        ".cursorrules",
        ".goosehints",
        ".windsurfrules",
    ];
    NAMES.contains(&name) || name == ".mcp.json"
}

fn first_part(path: &str) -> String {
    path.split('/').next().unwrap_or(path).to_owned()
}

/// The clients that read a file, by name.
fn tools_of(tools: &Tools, path: &RelativePath) -> Vec<String> {
    let reads = |tool: &&Tool| {
        let is_below = |directory: &RelativePath| {
            let inner = path.as_str().strip_prefix(directory.as_str());
            inner.is_some_and(|inner| inner.starts_with('/'))
        };
        tool.directory.as_ref().is_some_and(is_below)
            || tool.other_skills.iter().any(is_below)
            || tool.block_files.contains(path)
            || tool
                .destinations
                .values()
                .any(|destination| match destination {
                    Destination::Files(inner, _) => {
                        tool.directory(inner).is_some()
                            && path_in_type_directory(tool, inner, path).is_some()
                    }
                    Destination::Entries(file, _) | Destination::Blocks(file) => file == path,
                })
    };
    let own = agpm_tools::OWN_TOOL.name;
    let mut names: Vec<String> = tools
        .iter()
        .filter(reads)
        .map(|tool| tool.name.to_string())
        .filter(|name| name != own)
        .collect();
    if names.is_empty() {
        names.extend(tools_of_config(path.as_str()));
    }
    names
}

/// The clients whose configuration a file is.
fn tools_of_config(path: &str) -> Vec<String> {
    let Some(file) = config_file(path) else {
        return Vec::new();
    };
    let has =
        |tool: &&&agpm_tools::ToolDefinition| tool.config.iter().any(|own| std::ptr::eq(own, file));
    let tools = agpm_tools::TOOLS.iter().filter(has);
    tools.map(|tool| tool.name.to_owned()).collect()
}
