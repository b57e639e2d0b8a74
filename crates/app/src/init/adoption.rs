//! Chooses the manifest entry for an existing resource, by comparing its bytes with those of possible sources.

use std::collections::BTreeMap;
use std::path::Path;

use agpm_adopt::{AdoptedResource, AdoptionChoice, FoundResource, ManifestEntry};
use agpm_model::{
    FileMode, InstallScope, InstructionForm, Requirement, ResourcePath, ResourceType, SKILL_FILE,
    Tools, VersionRequirement, is_junk,
};
use agpm_resolve::{TargetRequest, ToolSharing, target};
use agpm_source::{FileFetching, ReferenceError, Source, resolve, resolve_reference};

use crate::project::reading::limit;
use crate::project::source_failure::source_failure_of;
use crate::project::world::World;

/// The prefix of error messages about a source.
const SUBJECT: &str = "the source";
/// The maximum depth of directories in a skill.
const MOST_LEVELS: usize = 64;

/// Chooses entries, and contacts an unreachable source only once.
pub(super) struct EntryChooser<'a> {
    world: &'a World,
    project: &'a Path,
    /// The reasons why sources are unreachable, by URL.
    unreachable: BTreeMap<String, String>,
}

impl<'a> EntryChooser<'a> {
    /// Creates a chooser for the resources of a project.
    pub(super) fn new(world: &'a World, project: &'a Path) -> Self {
        EntryChooser {
            world,
            project,
            unreachable: BTreeMap::new(),
        }
    }

    /// Returns the entry for a resource: a source with the same bytes, or else the file in place.
    pub(super) fn choose(&mut self, choice: &AdoptionChoice) -> (ManifestEntry, AdoptedResource) {
        let mut note = None;
        for origin in &choice.origins {
            match self.compare(&choice.found, origin) {
                Ok(entry) => {
                    let adopted = adopted(&entry, &choice.found, None);
                    return (entry, adopted);
                }
                Err(reason) => note = Some(reason),
            }
        }
        let entry = choice.in_place.clone();
        let adopted = adopted(&entry, &choice.found, note);
        (entry, adopted)
    }

    /// Returns the entry to write if its source has the same bytes and would install them at the same path; otherwise
    /// the reason against it.
    fn compare(
        &mut self,
        found: &FoundResource,
        origin: &ManifestEntry,
    ) -> Result<ManifestEntry, String> {
        let Some(from) = &origin.source else {
            return Err("names no source".to_owned());
        };
        if found.kind == ResourceType::Instructions {
            return Err("agpm writes instructions in the form of each tool".to_owned());
        }
        let mut entry = origin.clone();
        if !is_installed_at(&entry, found)? {
            let name = found.path.rsplit('/').next().unwrap_or_default();
            entry.fields.retain(|(key, _)| key != "filename");
            entry.fields.push(("filename".to_owned(), name.into()));
            if !is_installed_at(&entry, found)? {
                return Err("agpm would install it at another path".to_owned());
            }
        }
        let url = from.address.redacted().to_owned();
        if let Some(why) = self.unreachable.get(&url) {
            return Err(why.clone());
        }
        let context = self.world.environment.source_context(self.project);
        let source = self.world.sources.open(&from.address, &context);
        let bytes = match source_files(&*source, &mut entry, found.kind) {
            Ok(bytes) => bytes,
            Err(why) => {
                let why = format!("`{url}` was not compared: {why}");
                if source.versions().is_err() {
                    self.unreachable.insert(url, why.clone());
                }
                return Err(why);
            }
        };
        let here = local_files(self.project, found)?;
        let is_same = |(path, file): (&String, &(Vec<u8>, FileMode))| here.get(path) == Some(file);
        let is_known = |path: &String| bytes.contains_key(path) || path.split('/').any(is_junk);
        if bytes.is_empty() || !bytes.iter().all(is_same) || !here.keys().all(is_known) {
            return Err(format!("`{url}` has other bytes"));
        }
        // Equal bytes are not enough: installing would render templates and follow dependencies, and adopting must not
        // change a byte (ADR 17).
        match here.iter().find(|(_, (bytes, _))| is_for_agpm(bytes)) {
            Some((path, _)) => Err(format!("`{path}` uses templates or dependencies of agpm")),
            None => Ok(entry),
        }
    }
}

fn adopted(entry: &ManifestEntry, found: &FoundResource, note: Option<String>) -> AdoptedResource {
    let version = ["version", "branch", "rev"].map(|key| entry.field(key));
    AdoptedResource {
        id: entry.id(),
        path: found.path.clone(),
        url: entry
            .source
            .as_ref()
            .map(|source| source.address.redacted().to_owned()),
        version: version.into_iter().flatten().next().map(str::to_owned),
        note,
    }
}

/// Returns whether the entry would be installed at the resource's current path.
fn is_installed_at(entry: &ManifestEntry, found: &FoundResource) -> Result<bool, String> {
    let path = entry.field("path").unwrap_or(".");
    let path = ResourcePath::directory_in_source(path).map_err(|error| error.to_string())?;
    let filename = entry
        .field("filename")
        .and_then(|name| agpm_model::RelativePath::new(name).ok());
    let tools = Tools::in_scope(InstallScope::Project);
    let Some(tool) = tools.named(found.tool) else {
        return Ok(false);
    };
    let wanted = TargetRequest {
        kind: found.kind,
        path: &path,
        target: None,
        filename: filename.as_ref(),
        layout: None,
        pattern: None,
        sharing: ToolSharing::OneTool,
        name: &entry.name,
        form: InstructionForm::default(),
    };
    let at = target(tool, &wanted).map_err(|error| error.to_string())?;
    Ok(at.is_some_and(|at| at.as_str() == found.path))
}

/// Files with their modes, by the path relative to the resource.
type Files = BTreeMap<String, (Vec<u8>, FileMode)>;

/// Reads the files of an entry from its source. An entry without a version gets the branch that was read.
fn source_files(
    source: &dyn Source,
    entry: &mut ManifestEntry,
    kind: ResourceType,
) -> Result<Files, String> {
    let words = |error| {
        let diagnostic = source_failure_of(SUBJECT, error).diagnostic;
        let message = diagnostic.map(|found| found.shown_message().to_string());
        let message = message.unwrap_or_default();
        let start = format!("{SUBJECT}: ");
        message.strip_prefix(&start).unwrap_or(&message).to_owned()
    };
    let rev = entry
        .field("rev")
        .map(|rev| Requirement::Rev(rev.to_owned()));
    let version = entry.field("version").map(VersionRequirement::parse);
    let version = version.and_then(Result::ok).map(Requirement::Version);
    let revision = match rev.or(version) {
        Some(requirement) => resolve(source, &requirement)
            .map_err(words)?
            .map(|version| version.revision),
        None => {
            let found = resolve_reference(source, None);
            let found = found.map_err(|error| match error {
                ReferenceError::Source(error) => words(error),
                _ => "it has no default branch".to_owned(),
            })?;
            entry.fields.retain(|(key, _)| key != "branch");
            let branch = ("branch".to_owned(), found.label.as_str().into());
            entry.fields.push(branch);
            Some(found.revision)
        }
    };
    let revision = revision.ok_or("it does not have that version")?;
    let revisions = std::slice::from_ref(&revision);
    source
        .fetch(revisions, FileFetching::OnDemand)
        .map_err(words)?;
    let path = entry.field("path").unwrap_or(".");
    let path = if path == "." { "" } else { path };
    let entries = match kind {
        ResourceType::Skills => {
            let tree = source.walk(Some(&revision), path, &|_| true);
            tree.map_err(words)?.entries
        }
        _ => source
            .entry(Some(&revision), path)
            .map_err(words)?
            .into_iter()
            .collect(),
    };
    let is_file = |entry: &&agpm_source::SourceEntry| entry.kind.file_mode().is_some();
    let of_resource: Vec<&agpm_source::SourceEntry> = entries.iter().filter(is_file).collect();
    source.fetch_files(&of_resource).map_err(words)?;
    let bytes = source.read(&of_resource).map_err(words)?;
    let mut files = Files::new();
    for (entry, bytes) in of_resource.iter().zip(bytes) {
        let inner = entry.path.strip_prefix(path).unwrap_or(&entry.path);
        let inner = inner.trim_start_matches('/').to_owned();
        if let Some(mode) = entry.kind.file_mode() {
            files.insert(inner, (bytes, mode));
        }
    }
    Ok(files)
}

/// Reads the files of the resource in the project.
fn local_files(project: &Path, found: &FoundResource) -> Result<Files, String> {
    let path = project.join(&found.path);
    let unreadable = |error: agpm_store::StoreError| error.to_string();
    if found.kind != ResourceType::Skills {
        let file = agpm_store::read_below(project, &found.path, limit()).map_err(unreadable)?;
        return Ok(Files::from([(String::new(), file)]));
    }
    let mut files = Files::new();
    for name in agpm_store::files_below(&path, MOST_LEVELS).map_err(unreadable)? {
        if name.split('/').any(|part| part == ".git") {
            continue;
        }
        let file = agpm_store::read_below(&path, &name, limit()).map_err(unreadable)?;
        files.insert(name, file);
    }
    if !files.contains_key(SKILL_FILE) {
        return Err(format!("it has no `{SKILL_FILE}`"));
    }
    Ok(files)
}

/// Returns whether agpm would render the file differently, or install dependencies for it.
fn is_for_agpm(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let declares = |line: &str| line.starts_with("dependencies:") || line.starts_with("agpm");
    text.starts_with("---") && text.lines().any(declares)
        || text.contains("agpm.") && (text.contains("{{") || text.contains("{%"))
}
