//! The resources of the working directory with their files, as they are published.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean};
use agpm_model::{
    FileMode, MARKETPLACE_FILES, RelativePath, ResourceType, SKILL_FILE, SourceAddress,
};
use agpm_resolve::discover::{Candidate, CandidateType};
use agpm_source::{
    LibrarySource, PublishedFile, PublishedLibrary, PublishedResource, Source, SourceEntry,
    SourceEntryKind,
};
use agpm_text::{Format, NodeKind, NodeRef, parse_alone};
use agpm_trust::{CapabilitySet, is_script, read_config, read_resource};

use crate::offers::LocationFinder;
use crate::project::packages::git;
use crate::project::source_failure::source_failure_of;
use crate::project::world::World;

/// A library in memory, and the state of its repository.
pub(super) struct GatheredLibrary {
    pub(super) library: PublishedLibrary,
    /// The tags of the current commit.
    pub(super) tags: Vec<String>,
    /// Published files that are not as in the commit.
    pub(super) uncommitted: Vec<String>,
}

/// Reads the resources at these paths of the working directory, or all of them.
pub(super) fn gather_library(world: &World, paths: &[String]) -> Result<GatheredLibrary, Failure> {
    let directory = world.environment.working_directory.clone();
    let finder = LocationFinder {
        world,
        sources: &[],
        directory: &directory,
    };
    let location = finder.find(&agpm_model::Address::Local(".".to_owned()))?;
    let candidates = location.offer(None)?.candidates;
    let chosen = choose(&candidates, paths)?;
    let failed = |error| source_failure_of("the library", error);
    let git = git(&world.environment);
    let state = git
        .working_state(&directory)
        .map_err(|error| failed(error.into()))?;
    let tree = location.source.walk(None, "", &|path| is_entered(path));
    let tree = tree.map_err(failed)?;
    let mut visible: BTreeMap<&str, &SourceEntry> = BTreeMap::new();
    let unignored: Option<BTreeSet<&str>> = state
        .as_ref()
        .map(|state| state.files.iter().map(String::as_str).collect());
    for entry in &tree.entries {
        let is_ignored = unignored
            .as_ref()
            .is_some_and(|files| !files.contains(entry.path.as_str()));
        if !is_ignored {
            visible.insert(&entry.path, entry);
        }
    }
    let reader = LibraryReader {
        source: &*location.source,
        visible: &visible,
    };
    let mut library = PublishedLibrary::default();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for candidate in &chosen {
        if candidate.kind == CandidateType::Plugin {
            continue;
        }
        let resource = reader.read_resource(candidate)?;
        taken.extend(resource.files.iter().map(|file| file.path.clone()));
        library.resources.push(resource);
    }
    let is_whole = paths.is_empty();
    library.shared = reader.read_shared(&chosen, &taken, is_whole)?;
    let mut uncommitted = Vec::new();
    if let Some(state) = &state {
        library.source = source_of(state.origin.as_deref(), state.commit.as_deref());
        let published: BTreeSet<&str> = library
            .resources
            .iter()
            .flat_map(|resource| &resource.files)
            .chain(&library.shared)
            .map(|file| file.path.as_str())
            .collect();
        let is_published = |path: &&String| published.contains(path.as_str());
        uncommitted = state.changed.iter().filter(is_published).cloned().collect();
    }
    Ok(GatheredLibrary {
        library,
        tags: state.map(|state| state.tags).unwrap_or_default(),
        uncommitted,
    })
}

/// Directories that no library publishes.
fn is_entered(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !matches!(name, ".git" | ".agpm" | "node_modules")
}

/// The candidates at the paths; each path must have one.
fn choose<'c>(
    candidates: &'c [Candidate],
    paths: &[String],
) -> Result<Vec<&'c Candidate>, Failure> {
    if candidates.is_empty() {
        let message = "no resources in the working directory";
        let found = Diagnostic::new(&codes::ADD_NOTHING, message);
        let help = "run it in a library: `agpm browse .` lists what is found";
        return Err(Failure::new(FailureKind::NotFound, found.help(help)));
    }
    if paths.is_empty() {
        return Ok(candidates.iter().collect());
    }
    let mut chosen: Vec<&Candidate> = Vec::new();
    for path in paths {
        let wanted = path.trim_start_matches("./").trim_end_matches('/');
        let wanted = wanted
            .strip_suffix(&format!("/{SKILL_FILE}"))
            .unwrap_or(wanted);
        let start = format!("{wanted}/");
        let mut is_found = false;
        for candidate in candidates {
            let is_it = matches!(wanted, "" | ".")
                || candidate.path == wanted
                || candidate.path.starts_with(&start);
            if is_it {
                is_found = true;
                let is_new = chosen.iter().all(|one| !std::ptr::eq(*one, candidate));
                if is_new {
                    chosen.push(candidate);
                }
            }
        }
        if !is_found {
            let names = candidates.iter().map(|candidate| candidate.path.as_str());
            let mut found =
                Diagnostic::new(&codes::ADD_NOTHING, format!("no resource at `{path}`"));
            found.help = did_you_mean(wanted, "paths are", names)
                .or_else(|| Some("`agpm browse .` lists the resources".to_owned()));
            return Err(Failure::new(FailureKind::NotFound, found));
        }
    }
    Ok(chosen)
}

/// The origin without a user: it may be a token.
fn source_of(origin: Option<&str>, commit: Option<&str>) -> LibrarySource {
    let url = origin.and_then(|origin| SourceAddress::parse(origin).ok());
    // A path of this machine means nothing to others.
    let url = url.filter(|url| !url.is_local());
    LibrarySource {
        url: url.map(|url| url.redacted().to_owned()),
        commit: commit.map(str::to_owned),
    }
}

struct LibraryReader<'a> {
    source: &'a dyn Source,
    /// The files that are not ignored, by path.
    visible: &'a BTreeMap<&'a str, &'a SourceEntry>,
}

impl LibraryReader<'_> {
    fn read_resource(&self, candidate: &Candidate) -> Result<PublishedResource, Failure> {
        let is_directory = candidate.kind == CandidateType::Skill;
        let start = match candidate.path.as_str() {
            "" => String::new(),
            path => format!("{path}/"),
        };
        let paths: Vec<&str> = self
            .visible
            .keys()
            .copied()
            .filter(|path| {
                if is_directory {
                    path.starts_with(&start)
                } else {
                    *path == candidate.path
                }
            })
            .collect();
        let files = self.read_files(&paths)?;
        let main_path = if is_directory {
            format!("{start}{SKILL_FILE}")
        } else {
            candidate.path.clone()
        };
        let main = files.iter().find(|file| file.path == main_path);
        let facts = main.map(ResourceFacts::of).unwrap_or_default();
        let mut capabilities = CapabilitySet::default();
        if let Some(kind) = candidate.kind.resource_type() {
            for file in &files {
                capabilities.absorb(capabilities_of(kind, file, file.path == main_path));
            }
        }
        let capabilities = capabilities.items();
        Ok(PublishedResource {
            kind: candidate.kind.singular().to_owned(),
            name: candidate.name.clone(),
            path: candidate.path.clone(),
            description: facts.description.or_else(|| candidate.description.clone()),
            license: facts.license,
            dependencies: facts.dependencies,
            capabilities: capabilities.iter().map(ToString::to_string).collect(),
            files,
        })
    }

    /// The files that belong to no resource: marketplaces, everything else in plugins, and licenses.
    fn read_shared(
        &self,
        chosen: &[&Candidate],
        taken: &BTreeSet<String>,
        is_whole: bool,
    ) -> Result<Vec<PublishedFile>, Failure> {
        let mut plugins: Vec<String> = Vec::new();
        for candidate in chosen {
            if candidate.kind == CandidateType::Plugin {
                plugins.push(match candidate.path.as_str() {
                    "" => String::new(),
                    path => format!("{path}/"),
                });
            }
        }
        let is_shared = |path: &str| {
            let is_top = !path.contains('/');
            let upper = path.to_ascii_uppercase();
            let is_legal = is_top
                && ["LICENSE", "LICENCE", "NOTICE", "COPYING"]
                    .iter()
                    .any(|start| upper.starts_with(start));
            let is_news = is_top && upper == "CHANGELOG.MD";
            let is_marketplace = is_whole && MARKETPLACE_FILES.contains(&path);
            let in_plugin = plugins.iter().any(|start| path.starts_with(start.as_str()));
            is_legal || is_news || is_marketplace || in_plugin
        };
        let paths: Vec<&str> = self
            .visible
            .keys()
            .copied()
            .filter(|path| !taken.contains(*path) && is_shared(path))
            .collect();
        self.read_files(&paths)
    }

    fn read_files(&self, paths: &[&str]) -> Result<Vec<PublishedFile>, Failure> {
        let mut entries = Vec::new();
        for path in paths {
            let entry = self.visible[path];
            if entry.kind.file_mode().is_none() {
                let what = match entry.kind {
                    SourceEntryKind::Symlink => "a symlink",
                    _ => "not a file",
                };
                let message = format!("`{path}` is {what}, which cannot be published");
                let found = Diagnostic::new(&codes::PUBLISH_REFUSED, message);
                let help = "replace it with a copy of the file";
                return Err(Failure::new(FailureKind::Refused, found.help(help)));
            }
            if RelativePath::new(path).is_err() {
                let message = format!("`{path}` is not a valid name on every system");
                let found = Diagnostic::new(&codes::PUBLISH_REFUSED, message);
                return Err(Failure::new(
                    FailureKind::Refused,
                    found.help("rename the file"),
                ));
            }
            entries.push(entry);
        }
        let read = self.source.read(&entries);
        let read = read.map_err(|error| source_failure_of("the library", error))?;
        let mut files = Vec::new();
        for (entry, bytes) in entries.into_iter().zip(read) {
            files.push(PublishedFile {
                path: entry.path.clone(),
                mode: entry.kind.file_mode().unwrap_or(FileMode::Plain),
                bytes,
            });
        }
        Ok(files)
    }
}

fn capabilities_of(kind: ResourceType, file: &PublishedFile, is_main: bool) -> CapabilitySet {
    if is_main
        && matches!(
            kind,
            ResourceType::Skills | ResourceType::Agents | ResourceType::Commands
        )
    {
        let text = String::from_utf8_lossy(&file.bytes);
        return read_resource(kind, &file.path, &text).set;
    }
    if let Some(reading) = read_config(&file.path, &file.bytes) {
        return reading.set;
    }
    let mut set = CapabilitySet::default();
    if is_script(&file.path, file.mode, &file.bytes) {
        set.add_command(file.path.clone());
    }
    set
}

/// What the front matter of a resource says.
#[derive(Default)]
struct ResourceFacts {
    description: Option<String>,
    license: Option<String>,
    dependencies: Vec<String>,
}

impl ResourceFacts {
    fn of(file: &PublishedFile) -> Self {
        let mut facts = ResourceFacts::default();
        let Some(format) = Format::of_file(&file.path) else {
            return facts;
        };
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        let parsed = parse_alone(text, format);
        let Some(root) = parsed.document.root() else {
            return facts;
        };
        let text_of = |key: &str| root.get(key).and_then(NodeRef::as_str).map(str::to_owned);
        facts.description = text_of("description");
        facts.license = text_of("license");
        let declared = root.get("dependencies");
        for (kind, list) in declared.into_iter().flat_map(NodeRef::entries) {
            for item in list.items() {
                facts
                    .dependencies
                    .extend(dependency_of(kind.content(), item));
            }
        }
        facts
    }
}

/// `TYPE PATH[@VERSION]`.
fn dependency_of(kind: &str, item: NodeRef<'_>) -> Option<String> {
    let text = |key: &str| item.get(key).and_then(NodeRef::as_str);
    let (path, version) = match item.kind() {
        NodeKind::Map => (text("path")?, text("version")),
        _ => (item.as_str()?, None),
    };
    let version = version.map(|version| format!("@{version}"));
    Some(format!("{kind} {path}{}", version.unwrap_or_default()))
}
