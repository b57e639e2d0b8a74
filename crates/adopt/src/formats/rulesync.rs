//! `rulesync.jsonc` and `rulesync.lock` of rulesync.

use agpm_model::{ResourceType, SourceAddress};
use agpm_text::{Format, NodeKind, NodeRef};

use crate::entries::{ForeignVersion, ManifestEntry};
use crate::formats::foreign::{ForeignFiles, ForeignManifest, NeighbouringFiles};
use crate::formats::format_reader::FormatReader;
use crate::formats::local_files::{LocalDirectory, skills};
use crate::formats::servers::servers_of;
use crate::formats::tool_names::tools_of;

/// Settings of the program itself.
const SETTINGS: [&str; 8] = [
    "outputRoots",
    "baseDirs",
    "delete",
    "simulateCommands",
    "simulateSubagents",
    "simulateSkills",
    "flattenedCommandNaming",
    "gitignoreDestination",
];
/// The default directory of skills in a source.
const SKILLS: &str = "skills";
/// The same for rules.
const RULES: &str = "rules";
/// The directory of rulesync's files.
const OWN_DIRECTORY: &str = ".rulesync";
/// Directories of Markdown files in it, each with the feature that uses it.
const DIRECTORIES: [(ResourceType, &str, &str); 3] = [
    (ResourceType::Instructions, ".rulesync/rules", "rules"),
    (ResourceType::Commands, ".rulesync/commands", "commands"),
    (ResourceType::Agents, ".rulesync/subagents", "subagents"),
];
/// Files and directories in it that are imported.
const IMPORTED: [&str; 5] = ["rules", "commands", "subagents", "skills", "mcp.json"];
/// The file and the feature for files that tools ignore.
const IGNORE: (&str, &str) = (".rulesyncignore", "ignore");

pub(super) fn read(files: &mut ForeignFiles<'_>) -> ForeignManifest {
    let mut reading = FormatReader::default();
    let mut manifest = ForeignManifest::default();
    let Some(root) = reading.root(&files.main, "a configuration of rulesync") else {
        manifest.diagnostics = reading.diagnostics;
        return manifest;
    };
    let help = "agpm does this by itself, or has no such setting";
    reading.lost_keys(root, &SETTINGS, help);
    manifest.tools = targets(&mut reading, root);
    let lock = files.beside.beside("rulesync.lock", Format::Jsonc);
    let lock = lock
        .as_ref()
        .and_then(|parsed| reading.root(parsed, "a lockfile of rulesync"));
    let locked = lock.and_then(|lock| reading.map(lock, "sources"));
    for source in reading
        .list(root, "sources")
        .into_iter()
        .flat_map(NodeRef::items)
    {
        manifest
            .entries
            .extend(read_source(&mut reading, source, locked));
    }
    let servers = files.beside.beside(".rulesync/mcp.json", Format::Jsonc);
    let servers = servers
        .as_ref()
        .and_then(|parsed| reading.root(parsed, "a file of servers"));
    if let Some(servers) = servers.and_then(|root| reading.map(root, "mcpServers")) {
        manifest.entries.extend(servers_of(&mut reading, servers));
    }
    for (kind, path, feature) in DIRECTORIES {
        let directory = LocalDirectory {
            kind,
            path,
            without: &[],
        };
        if has_feature(root, feature) {
            let found = directory.entries(files.beside, &mut reading);
            manifest.entries.extend(found);
        }
    }
    if has_feature(root, "skills") {
        let found = skills(files.beside, ".rulesync/skills");
        manifest.entries.extend(found);
    }
    report_unused(&mut reading, files.beside, root);
    manifest.diagnostics = reading.diagnostics;
    manifest
}

/// Whether rulesync generates files of a kind. Without a list it generates all.
fn has_feature(root: NodeRef<'_>, feature: &str) -> bool {
    let Some(features) = root.get("features") else {
        return true;
    };
    let mut names = features.items().filter_map(NodeRef::as_str);
    features.kind() != NodeKind::List || names.any(|name| name == feature || name == "*")
}

/// Reports files that agpm has no counterpart for.
fn report_unused(
    reading: &mut FormatReader,
    beside: &mut dyn NeighbouringFiles,
    root: NodeRef<'_>,
) {
    let (ignore_file, ignore) = IGNORE;
    let in_root = beside.names(".").into_iter();
    let in_root = in_root.filter(|name| name == ignore_file);
    let own = beside.names(OWN_DIRECTORY).into_iter();
    let own = own.filter(|name| !IMPORTED.contains(&name.as_str()));
    let mut unused: Vec<String> = own.map(|name| format!("{OWN_DIRECTORY}/{name}")).collect();
    unused.sort();
    unused.extend(in_root);
    for path in &unused {
        let message = format!("`{path}` has no counterpart");
        reading.report_lost(
            root,
            message,
            "keep the file that rulesync generated from it",
        );
    }
    let features = root.get("features").into_iter().flat_map(NodeRef::items);
    if let Some(node) = features
        .into_iter()
        .find(|node| node.as_str() == Some(ignore))
    {
        let message = format!("the feature `{ignore}` has no counterpart");
        reading.report_lost(
            node,
            message,
            "keep the files that rulesync generated for it",
        );
    }
}

/// `targets`, a list or an object with the tools as keys.
fn targets(reading: &mut FormatReader, root: NodeRef<'_>) -> Vec<String> {
    let Some(targets) = root.get("targets") else {
        return Vec::new();
    };
    let names: Vec<(NodeRef<'_>, &str)> = match targets.kind() {
        NodeKind::List => reading.texts(targets, "a target"),
        NodeKind::Map => targets
            .entries()
            .map(|(key, _)| (key, key.content()))
            .collect(),
        other => {
            let message = format!("`targets` is {}, not a list", other.word());
            reading.malformed(targets, message, "check the file");
            Vec::new()
        }
    };
    if let Some((node, _)) = names.iter().find(|(_, name)| *name == "*") {
        let message = "all tools at once have no counterpart";
        let help = "list the tools that you use in `[project] tools`";
        reading.report_lost(*node, message, help);
    }
    tools_of(reading, names.into_iter().filter(|(_, name)| *name != "*"))
}

fn read_source(
    reading: &mut FormatReader,
    source: NodeRef<'_>,
    locked: Option<NodeRef<'_>>,
) -> Vec<ManifestEntry> {
    if source.kind() != NodeKind::Map {
        let message = format!("a source is {}, not an object", source.kind().word());
        reading.malformed(source, message, "check the file");
        return Vec::new();
    }
    let written = reading.required(source, "source");
    let node = source.get("source").unwrap_or(source);
    if reading.string(source, "transport") == Some("npm") {
        reading.report_lost(
            node,
            "an npm package has no counterpart",
            "add its repository",
        );
        return Vec::new();
    }
    let Some(written) = written else {
        return Vec::new();
    };
    let parts = SourceParts::of(written);
    let address = reading.address(node, parts.repository);
    let directory = match (source.get("path"), parts.path) {
        (Some(node), _) => {
            let path = reading.string(source, "path").unwrap_or(".");
            reading.path(node, path)
        }
        (None, Some(path)) => reading.path(node, path),
        (None, None) => Some(SKILLS.to_owned()),
    };
    let reference = reading.string(source, "ref").or(parts.reference);
    let commit = locked.and_then(|locked| locked_commit(locked, written, parts.repository));
    let version = match (reference, commit) {
        // A tag is more informative than its commit.
        (Some(tag), _) if is_version(tag) => ForeignVersion::of_reference(tag),
        (_, Some(commit)) => ForeignVersion::of_reference(commit),
        (reference, None) => ForeignVersion::of_reference(reference.unwrap_or_default()),
    };
    let (Some(address), Some(directory)) = (address, directory) else {
        return Vec::new();
    };
    let from = SkillSource {
        address,
        directory,
        version,
    };
    let mut entries = skills_of(reading, source, &from);
    entries.extend(rules_of(reading, source, &from));
    entries
}

fn is_version(reference: &str) -> bool {
    let digits = reference.trim_start_matches('v');
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains('.')
}

/// A repository with skills in one directory.
struct SkillSource {
    address: SourceAddress,
    directory: String,
    version: ForeignVersion,
}

fn skills_of(
    reading: &mut FormatReader,
    source: NodeRef<'_>,
    from: &SkillSource,
) -> Vec<ManifestEntry> {
    let entry = |name: &str, path: &str| {
        let kind = ResourceType::Skills;
        ManifestEntry::of_source(kind, name, from.address.clone(), path, &from.version)
    };
    let inner = |name: &str| match from.directory.as_str() {
        "." => name.to_owned(),
        directory => format!("{directory}/{name}"),
    };
    let named = match (reading.list(source, "skills"), source.get("rules")) {
        (Some(list), _) => reading.texts(list, "a skill"),
        (None, Some(_)) => return Vec::new(),
        (None, None) => Vec::new(),
    };
    let repository = agpm_model::repository_name(from.address.redacted()).to_owned();
    if named.is_empty() || named.iter().any(|(_, name)| *name == "*") {
        return vec![entry(&repository, &inner("*"))];
    }
    let mut entries = Vec::new();
    for (node, name) in named {
        let Some(name) = reading.name(node, name) else {
            continue;
        };
        let path = inner(name);
        entries.extend(reading.path(node, &path).map(|path| entry(name, &path)));
    }
    entries
}

/// Rules are Markdown files directly in one directory.
fn rules_of(
    reading: &mut FormatReader,
    source: NodeRef<'_>,
    from: &SkillSource,
) -> Vec<ManifestEntry> {
    let Some(rules) = reading.list(source, "rules") else {
        return Vec::new();
    };
    let directory = match (source.get("rulesPath"), reading.string(source, "rulesPath")) {
        (Some(node), Some(path)) => reading.path(node, path),
        _ => Some(RULES.to_owned()),
    };
    let Some(directory) = directory else {
        return Vec::new();
    };
    let entry = |name: &str, path: &str| {
        let kind = ResourceType::Instructions;
        ManifestEntry::of_source(kind, name, from.address.clone(), path, &from.version)
    };
    let mut entries = Vec::new();
    for (node, name) in reading.texts(rules, "a rule") {
        if name == "*" {
            let repository = agpm_model::repository_name(from.address.redacted()).to_owned();
            entries.push(entry(&repository, &format!("{directory}/*.md")));
            continue;
        }
        let Some(name) = reading.name(node, name.trim_end_matches(".md")) else {
            continue;
        };
        let path = reading.path(node, &format!("{directory}/{name}.md"));
        entries.extend(path.map(|path| entry(name, &path)));
    }
    entries
}

/// `owner/repo@ref:path`.
struct SourceParts<'t> {
    repository: &'t str,
    reference: Option<&'t str>,
    path: Option<&'t str>,
}

impl<'t> SourceParts<'t> {
    fn of(written: &'t str) -> Self {
        if written.contains("://") || written.starts_with("git@") {
            return SourceParts {
                repository: written,
                reference: None,
                path: None,
            };
        }
        let (front, path) = match written.split_once(':') {
            Some((front, path)) => (front, Some(path)),
            None => (written, None),
        };
        let (repository, reference) = match front.split_once('@') {
            Some((repository, reference)) => (repository, Some(reference)),
            None => (front, None),
        };
        SourceParts {
            repository,
            reference,
            path,
        }
    }
}

fn locked_commit<'n>(locked: NodeRef<'n>, written: &str, repository: &str) -> Option<&'n str> {
    let mut sources = locked.entries();
    let of_source = |(key, _): &(NodeRef<'_>, NodeRef<'_>)| {
        key.content() == written || key.content() == repository
    };
    let (_, source) = sources.find(of_source)?;
    source.get("resolvedRef")?.as_str()
}
