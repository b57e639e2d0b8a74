//! `apm.yml` and `apm.lock.yaml` of APM.

use agpm_model::{ResourceType, SourceAddress};
use agpm_text::{Format, NodeKind, NodeRef, Value};

use crate::entries::{ForeignVersion, ManifestEntry};
use crate::formats::foreign::{ForeignFiles, ForeignManifest};
use crate::formats::format_reader::FormatReader;
use crate::formats::servers::server_entry;
use crate::formats::tool_names::tools_of;

const LOCK: &str = "apm.lock.yaml";
const SETTINGS: [&str; 6] = [
    "scripts",
    "compilation",
    "policy",
    "marketplace",
    "registries",
    "includes",
];
const NO_PACKAGES: &str = "add its resources by name: `agpm browse` lists them";

pub(super) fn read(files: &mut ForeignFiles<'_>) -> ForeignManifest {
    let mut reading = FormatReader::default();
    let mut manifest = ForeignManifest::default();
    let is_lock = files.name.contains("lock");
    let beside = if is_lock {
        None
    } else {
        files.beside.beside(LOCK, Format::Yaml)
    };
    let Some(root) = reading.root(&files.main, "a file of APM") else {
        manifest.diagnostics = reading.diagnostics;
        return manifest;
    };
    let lock_root = beside
        .as_ref()
        .and_then(|parsed| reading.root(parsed, "a lockfile of APM"));
    let lock = if is_lock { Some(root) } else { lock_root };
    let locked = lock.map_or_else(Vec::new, |lock| locked_packages(&mut reading, lock));
    if is_lock {
        for package in &locked {
            manifest.entries.extend(entries_of(&mut reading, package));
        }
    } else {
        reading.lost_keys(root, &SETTINGS, "keep it in APM, or leave it out");
        manifest.tools = targets(&mut reading, root);
        for section in ["dependencies", "devDependencies"] {
            let Some(dependencies) = reading.map(root, section) else {
                continue;
            };
            let packages = reading.list(dependencies, "apm");
            for package in packages.into_iter().flat_map(NodeRef::items) {
                if let Some(package) = read_package(&mut reading, package) {
                    let package = package.with_lock(&locked);
                    manifest.entries.extend(entries_of(&mut reading, &package));
                }
            }
            let servers = reading.list(dependencies, "mcp");
            for server in servers.into_iter().flat_map(NodeRef::items) {
                manifest.entries.extend(read_server(&mut reading, server));
            }
            reading.lost_keys(dependencies, &["lsp"], "agpm installs no language servers");
        }
    }
    manifest.diagnostics = reading.diagnostics;
    manifest
}

fn targets(reading: &mut FormatReader, root: NodeRef<'_>) -> Vec<String> {
    let Some(node) = root.get("targets").or_else(|| root.get("target")) else {
        return Vec::new();
    };
    let names = match node.kind() {
        NodeKind::List => reading.texts(node, "a target"),
        NodeKind::Null => Vec::new(),
        _ => reading
            .text(node, "`target`")
            .map(|text| (node, text))
            .into_iter()
            .collect(),
    };
    tools_of(
        reading,
        names.into_iter().filter(|(_, name)| *name != "all"),
    )
}

/// A package of a manifest or a lockfile.
struct ApmPackage<'n> {
    node: NodeRef<'n>,
    origin: PackageOrigin,
    /// The path in the repository; empty for all of it.
    path: String,
    version: ForeignVersion,
    /// The kind in the lockfile.
    kind: Option<&'n str>,
    /// The skills that are wanted; none for all.
    skills: Vec<&'n str>,
    alias: Option<&'n str>,
}

#[derive(Clone, PartialEq)]
enum PackageOrigin {
    Repository(SourceAddress),
    Directory(String),
}

impl<'n> ApmPackage<'n> {
    /// The same with the commit and the type that were locked.
    fn with_lock(mut self, locked: &[ApmPackage<'n>]) -> Self {
        let is_same = |one: &&ApmPackage<'_>| match (&one.origin, &self.origin) {
            (PackageOrigin::Repository(left), PackageOrigin::Repository(right)) => {
                agpm_model::same_repository(left, right) && one.path == self.path
            }
            (left, right) => left == right,
        };
        let Some(found) = locked.iter().find(is_same) else {
            return self;
        };
        self.kind = found.kind;
        let is_tag = matches!(&self.version, ForeignVersion::Reference(text)
            if text.starts_with(|c: char| "^~<>=v0123456789".contains(c)) && text.contains('.'));
        if !is_tag && found.version != ForeignVersion::Unstated {
            self.version = found.version.clone();
        }
        self
    }
}

fn locked_packages<'n>(reading: &mut FormatReader, lock: NodeRef<'n>) -> Vec<ApmPackage<'n>> {
    let listed = reading.list(lock, "dependencies");
    let mut packages = Vec::new();
    for node in listed.into_iter().flat_map(NodeRef::items) {
        if node.kind() != NodeKind::Map {
            let message = format!("a dependency is {}, not an object", node.kind().word());
            reading.malformed(node, message, "check the file");
            continue;
        }
        packages.extend(locked_package(reading, node));
    }
    packages
}

fn locked_package<'n>(reading: &mut FormatReader, node: NodeRef<'n>) -> Option<ApmPackage<'n>> {
    let path = node.get("virtual_path").and_then(NodeRef::as_str);
    let path = match (node.get("virtual_path"), path) {
        (Some(at), Some(path)) => reading.path(at, path)?,
        _ => String::new(),
    };
    let origin = match reading.string(node, "source") {
        Some("local") => PackageOrigin::Directory(reading.string(node, "local_path")?.to_owned()),
        Some("registry") => {
            let message = "a package of a registry has no counterpart";
            reading.report_lost(node, message, "add its repository");
            return None;
        }
        _ => {
            let url = reading.required(node, "repo_url")?;
            let at = node.get("repo_url").unwrap_or(node);
            let host = reading.string(node, "host");
            let written = match host {
                Some(host) if host != "github.com" && !url.contains("://") => {
                    format!(
                        "https://{host}/{}",
                        url.trim_start_matches(&format!("{host}/"))
                    )
                }
                _ => full_url(url),
            };
            PackageOrigin::Repository(reading.address(at, &written)?)
        }
    };
    let tag = reading.reference(node, "resolved_tag");
    let commit = reading.reference(node, "resolved_commit");
    let skills = reading.list(node, "skill_subset");
    Some(ApmPackage {
        node,
        origin,
        path,
        version: ForeignVersion::of_reference(tag.or(commit).unwrap_or_default()),
        kind: reading.string(node, "package_type"),
        skills: skills.map_or_else(Vec::new, |list| names_of(reading, list)),
        alias: None,
    })
}

fn names_of<'n>(reading: &mut FormatReader, list: NodeRef<'n>) -> Vec<&'n str> {
    let texts = reading.texts(list, "a skill").into_iter();
    texts.map(|(_, text)| text).collect()
}

/// `github.com/owner/repo` and `gitlab.com/owner/repo` as URLs; the rest is as it was.
fn full_url(written: &str) -> String {
    let first = written.split('/').next().unwrap_or_default();
    let is_host = first.contains('.') && written.matches('/').count() >= 2;
    if written.contains("://") || written.starts_with("git@") || !is_host {
        written.to_owned()
    } else {
        format!("https://{written}")
    }
}

/// An entry of `dependencies.apm`.
fn read_package<'n>(reading: &mut FormatReader, node: NodeRef<'n>) -> Option<ApmPackage<'n>> {
    match node.kind() {
        NodeKind::Map => read_object(reading, node),
        _ => {
            let text = reading.text(node, "a dependency")?;
            if text.starts_with(['.', '/', '~']) {
                return Some(package_at(node, text));
            }
            let (front, reference) = text.split_once('#').unwrap_or((text, ""));
            let (repository, path) = split_shorthand(front);
            let origin = PackageOrigin::Repository(reading.address(node, &repository)?);
            Some(ApmPackage {
                node,
                origin,
                path: match path {
                    "" => String::new(),
                    path => reading.path(node, path)?,
                },
                version: ForeignVersion::of_reference(reference),
                kind: None,
                skills: Vec::new(),
                alias: None,
            })
        }
    }
}

fn package_at<'n>(node: NodeRef<'n>, path: &str) -> ApmPackage<'n> {
    ApmPackage {
        node,
        origin: PackageOrigin::Directory(path.to_owned()),
        path: String::new(),
        version: ForeignVersion::Unstated,
        kind: None,
        skills: Vec::new(),
        alias: None,
    }
}

/// A shorthand as a repository and a path in it.
fn split_shorthand(written: &str) -> (String, &str) {
    if written.contains("://") || written.starts_with("git@") {
        return (written.to_owned(), "");
    }
    let first = written.split('/').next().unwrap_or_default();
    let repository_parts = if first.contains('.') { 3 } else { 2 };
    let end = written.match_indices('/').nth(repository_parts - 1);
    match end {
        Some((at, _)) => (full_url(&written[..at]), &written[at + 1..]),
        None => (full_url(written), ""),
    }
}

fn read_object<'n>(reading: &mut FormatReader, node: NodeRef<'n>) -> Option<ApmPackage<'n>> {
    for key in ["marketplace", "registry", "id"] {
        if let Some(found) = node.get(key) {
            let message = format!("a dependency with `{key}` has no counterpart");
            reading.report_lost(found, message, "add its repository");
            return None;
        }
    }
    let path = reading.string(node, "path");
    let Some(git) = reading.string(node, "git") else {
        let path = path.or_else(|| reading.required(node, "git"))?;
        return Some(package_at(node, path));
    };
    let at = node.get("git").unwrap_or(node);
    let address = reading.address(at, &full_url(git));
    let inner = match (node.get("path"), path) {
        (Some(at), Some(path)) => reading.path(at, path),
        _ => Some(String::new()),
    };
    let skills = reading.list(node, "skills");
    let skills = skills.map_or_else(Vec::new, |list| names_of(reading, list));
    Some(ApmPackage {
        node,
        version: ForeignVersion::of_reference(reading.reference(node, "ref").unwrap_or_default()),
        alias: reading.string(node, "alias"),
        kind: None,
        skills,
        origin: PackageOrigin::Repository(address?),
        path: inner?,
    })
}

/// The resources that a package is; one that holds several kinds of things has no counterpart.
fn entries_of(reading: &mut FormatReader, package: &ApmPackage<'_>) -> Vec<ManifestEntry> {
    let path = package.path.as_str();
    let kind = match package.kind {
        Some("claude_skill") => ResourceType::Skills,
        Some("marketplace_plugin") => ResourceType::Plugins,
        Some("skill_bundle") => return bundle(reading, package),
        _ if path.ends_with(".agent.md") => ResourceType::Agents,
        _ if path.ends_with(".prompt.md") => ResourceType::Commands,
        _ if path.ends_with(".instructions.md") => ResourceType::Instructions,
        None if path.starts_with("skills/") || path.contains("/skills/") => ResourceType::Skills,
        None if !package.skills.is_empty() => return bundle(reading, package),
        _ => {
            let kind = package.kind.map(|kind| format!(" of type `{kind}`"));
            let kind = kind.unwrap_or_default();
            let message = format!("an APM package{kind} has no counterpart");
            reading.report_lost(package.node, message, NO_PACKAGES);
            return Vec::new();
        }
    };
    let last = path.rsplit('/').next().unwrap_or_default();
    let stem = last.split('.').next().unwrap_or_default();
    let name = match (package.alias, &package.origin) {
        (Some(alias), _) => alias.to_owned(),
        (None, _) if !stem.is_empty() => stem.to_owned(),
        (None, PackageOrigin::Repository(address)) => {
            agpm_model::repository_name(address.redacted()).to_owned()
        }
        (None, PackageOrigin::Directory(directory)) => {
            let directory = directory.trim_end_matches('/');
            directory.rsplit('/').next().unwrap_or_default().to_owned()
        }
    };
    let entry = entry(package, kind, &name, path);
    entry.into_iter().collect()
}

/// The skills of a package that has only skills.
fn bundle(reading: &mut FormatReader, package: &ApmPackage<'_>) -> Vec<ManifestEntry> {
    let directory = match package.path.as_str() {
        "" | "." => "skills".to_owned(),
        path => format!("{path}/skills"),
    };
    let names = package.skills.iter().filter(|name| **name != "*");
    let names: Vec<&str> = names.copied().collect();
    if names.is_empty() {
        let name = match &package.origin {
            PackageOrigin::Repository(address) => {
                agpm_model::repository_name(address.redacted()).to_owned()
            }
            PackageOrigin::Directory(_) => "local".to_owned(),
        };
        let all = format!("{directory}/*");
        let entry = entry(package, ResourceType::Skills, &name, &all);
        return entry.into_iter().collect();
    }
    let mut entries = Vec::new();
    for name in names {
        let path = reading.path(package.node, &format!("{directory}/{name}"));
        let name = reading.name(package.node, name);
        if let (Some(path), Some(name)) = (path, name) {
            entries.extend(entry(package, ResourceType::Skills, name, &path));
        }
    }
    entries
}

fn entry(
    package: &ApmPackage<'_>,
    kind: ResourceType,
    name: &str,
    path: &str,
) -> Option<ManifestEntry> {
    match &package.origin {
        PackageOrigin::Repository(address) => {
            let path = if path.is_empty() { "." } else { path };
            let address = address.clone();
            Some(ManifestEntry::of_source(
                kind,
                name,
                address,
                path,
                &package.version,
            ))
        }
        PackageOrigin::Directory(directory) => {
            let inner = match path {
                "" => directory.clone(),
                path => format!("{}/{path}", directory.trim_end_matches('/')),
            };
            Some(ManifestEntry::of_fields(
                kind,
                name,
                [("path", Value::from(inner))],
            ))
        }
    }
}

/// An entry of `dependencies.mcp`.
fn read_server(reading: &mut FormatReader, node: NodeRef<'_>) -> Option<ManifestEntry> {
    if node.kind() != NodeKind::Map {
        let name = reading.text(node, "a server")?;
        let message = format!("the server `{name}` of a registry has no counterpart");
        reading.report_lost(node, message, "add its command or URL in `[mcp-servers]`");
        return None;
    }
    let name = reading.required(node, "name")?;
    let at = node.get("name").unwrap_or(node);
    if node.get("registry").and_then(NodeRef::as_bool) != Some(false) {
        let message = format!("the server `{name}` of a registry has no counterpart");
        reading.report_lost(at, message, "add its command or URL in `[mcp-servers]`");
        return None;
    }
    let name = reading.name(at, name)?;
    server_entry(reading, name, node)
}
