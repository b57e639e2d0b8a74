//! Looks at the locations that tools and other managers read, and nowhere else: a project may be large.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_model::{
    FoundFile, FoundKind, MachineFiles, RelativePath, ResolvedPath, ResourceName, ResourcePath,
    SKILL_FILE, is_junk,
};
use agpm_text::{Document, Format, NodeRef, parse_alone};
use agpm_tools::TOOLS;

use crate::found::{
    ChosenTools, DetectedIn, FoundEntries, FoundManager, FoundResource, FoundRule, ProjectSurvey,
    SkippedFile,
};
use crate::locations::{
    ResourceDirectory, SharedEntryFile, hook_locations, instruction_files, is_common,
    own_directories, resource_directories, server_files,
};
use crate::managers::MANAGER_FILES;

/// Skills are copied whole, so agpm refuses larger ones.
const MOST_SKILL_FILES: usize = 1000;
const SKILL_LEVELS: usize = 64;
/// Documents about a directory of resources, without their extension.
const DOCUMENTS: [&str; 5] = ["readme", "license", "licence", "changelog", "contributing"];

/// Everything that tools and other managers read in a project.
pub fn survey(files: &dyn MachineFiles, project: &Path) -> ProjectSurvey {
    let mut surveyor = Surveyor {
        files,
        project,
        survey: ProjectSurvey::default(),
        paths: BTreeSet::new(),
    };
    for directory in resource_directories() {
        surveyor.scan_directory(&directory);
    }
    surveyor.find_rules();
    surveyor.find_entries();
    surveyor.find_managers();
    let mut survey = surveyor.survey;
    survey.resources.sort();
    survey.rules.sort();
    survey.hooks.sort();
    survey.servers.sort();
    survey.skipped.sort();
    survey
}

struct Surveyor<'a> {
    files: &'a dyn MachineFiles,
    project: &'a Path,
    survey: ProjectSurvey,
    /// The paths of resources in lower case: on some systems two that differ in case are one file.
    paths: BTreeSet<String>,
}

impl Surveyor<'_> {
    /// The names in a directory; none if it is a symlink, since what it leads to is found where it is.
    fn names(&self, path: &str) -> Vec<String> {
        if self.is_linked(path) {
            return Vec::new();
        }
        self.files
            .names(&self.project.join(path))
            .unwrap_or_default()
    }

    fn below(&self, path: &str, depth: usize) -> Vec<FoundFile> {
        if self.is_linked(path) {
            return Vec::new();
        }
        let found = self.files.below(&self.project.join(path), depth);
        let mut found = found.unwrap_or_default();
        found.retain(|file| !file.path.split('/').any(is_junk));
        found
    }

    fn is_linked(&self, path: &str) -> bool {
        let real = self.files.real_path(&self.project.join(path));
        real != self.files.real_path(self.project).join(path)
    }

    fn is_file(&self, path: &str) -> bool {
        let reached = self.files.reach(&self.project.join(path));
        matches!(reached, Ok(Some(ResolvedPath::File(_))))
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.files.read(&self.project.join(path)).ok()
    }

    fn skip(&mut self, path: String, reason: impl Into<String>) {
        let reason = reason.into();
        self.survey.skipped.push(SkippedFile { path, reason });
    }

    fn scan_directory(&mut self, directory: &ResourceDirectory) {
        match directory.extension {
            Some(extension) => self.look_for_files(directory, extension),
            None => self.look_for_skills(directory),
        }
    }

    fn look_for_skills(&mut self, directory: &ResourceDirectory) {
        for name in self.names(&directory.path) {
            let path = format!("{}/{name}", directory.path);
            if is_junk(&name) || !self.is_file(&format!("{path}/{SKILL_FILE}")) {
                continue;
            }
            if self.is_linked(&path) {
                // A symlink to a skill of another directory is that skill, which is found there.
                continue;
            }
            match self.trouble_with_skill(&path) {
                Some(reason) => self.skip(path, reason),
                None => self.add(directory, name, path),
            }
        }
    }

    fn trouble_with_skill(&self, path: &str) -> Option<String> {
        let found = self.files.below(&self.project.join(path), SKILL_LEVELS);
        let mut inside = found.unwrap_or_default();
        inside.retain(|file| !file.path.split('/').any(|part| part == ".git"));
        if let Some(odd) = inside.iter().find(|file| file.kind != FoundKind::File) {
            return Some(format!(
                "contains `{}`, which is not a regular file",
                odd.path
            ));
        }
        let mut names = BTreeSet::new();
        let is_odd = |file: &&FoundFile| {
            RelativePath::new(&file.path).is_err() || !names.insert(file.path.to_lowercase())
        };
        if let Some(odd) = inside.iter().find(is_odd) {
            return Some(format!(
                "contains `{}`, which has no portable name",
                odd.path
            ));
        }
        (inside.len() > MOST_SKILL_FILES).then(|| format!("has more than {MOST_SKILL_FILES} files"))
    }

    fn look_for_files(&mut self, directory: &ResourceDirectory, extension: &str) {
        for file in self.below(&directory.path, directory.depth) {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            let Some(stem) = stem_of(name, extension) else {
                continue;
            };
            let path = format!("{}/{}", directory.path, file.path);
            if file.kind != FoundKind::File {
                self.skip(path, "is a symlink");
            } else if self.read(&path).is_none() {
                self.skip(path, "cannot be read");
            } else {
                self.add(directory, stem.to_owned(), path);
            }
        }
    }

    fn add(&mut self, directory: &ResourceDirectory, name: String, path: String) {
        let is_plain = RelativePath::new(&path).is_ok()
            && ResourcePath::local(&path).is_ok_and(|path| !path.is_pattern());
        if !is_plain || ResourceName::new(&name).is_err() {
            return self.skip(path, "has a name that is not valid in a manifest");
        }
        // Commands may be in a directory of instructions.
        if self.survey.resources.iter().any(|one| one.path == path) {
            return;
        }
        if !self.paths.insert(path.to_lowercase()) {
            return self.skip(path, "differs from another one only in case");
        }
        self.survey.resources.push(FoundResource {
            kind: directory.kind,
            name,
            path,
            tool: directory.tool,
        });
    }

    fn find_rules(&mut self) {
        for (tool, path) in instruction_files() {
            if self.is_file(path) {
                self.survey.rules.push(FoundRule {
                    path: path.to_owned(),
                    tool,
                });
            }
        }
    }

    fn find_entries(&mut self) {
        for file in server_files() {
            let found = self.entries(&file);
            self.survey.servers.extend(found);
        }
        let (files, directories) = hook_locations();
        for file in files {
            let found = self.entries(&file);
            self.survey.hooks.extend(found);
        }
        for (tool, path) in directories {
            for name in self.names(&path) {
                let file = SharedEntryFile {
                    tool,
                    path: format!("{path}/{name}"),
                    key: Some("hooks"),
                };
                let is_known = self.survey.hooks.iter().any(|one| one.path == file.path);
                let found = self.entries(&file).filter(|_| !is_known);
                self.survey.hooks.extend(found);
            }
        }
    }

    /// The names of what a file has under a key.
    fn entries(&self, file: &SharedEntryFile) -> Option<FoundEntries> {
        let document = self.document(&file.path)?;
        let root = document.root()?;
        let node = match file.key {
            Some(key) => root.get(key)?,
            None => root,
        };
        let names: Vec<String> = node
            .entries()
            .map(|(name, _)| name.content().to_owned())
            .collect();
        (!names.is_empty()).then(|| FoundEntries {
            path: file.path.clone(),
            tool: file.tool,
            names,
        })
    }

    /// A file, as far as it can be parsed; its tool reports the mistakes.
    fn document(&self, path: &str) -> Option<Document> {
        if !self.is_file(path) {
            return None;
        }
        let text = String::from_utf8(self.read(path)?).ok()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
        Some(parse_alone(text, Format::of_file(path)?).document)
    }

    fn find_managers(&mut self) {
        for manager in MANAGER_FILES {
            let is_there = match manager.key {
                None => self.is_file(manager.path),
                Some(key) => {
                    let document = self.document(manager.path);
                    let root = document.as_ref().and_then(Document::root);
                    root.and_then(|root: NodeRef<'_>| root.get(key)).is_some()
                }
            };
            if is_there {
                self.survey.managers.push(FoundManager {
                    name: manager.name,
                    path: manager.path.to_owned(),
                    format: manager.format,
                });
            }
        }
    }
}

/// The name of a file without its extension, unless it is about the directory.
fn stem_of<'n>(name: &'n str, extension: &str) -> Option<&'n str> {
    let stem = name.strip_suffix(extension)?.strip_suffix('.')?;
    let stem = stem.strip_suffix(".agent").unwrap_or(stem);
    let is_document = DOCUMENTS.contains(&stem.to_ascii_lowercase().as_str());
    (!stem.is_empty() && !is_document).then_some(stem)
}

/// The tools that a project is for; those in home if it has none.
pub fn detect_tools(
    files: &dyn MachineFiles,
    project: &Path,
    home: Option<&Path>,
    survey: &ProjectSurvey,
) -> ChosenTools {
    let found = in_project(files, project, survey);
    if !found.is_empty() {
        return ChosenTools {
            tools: ordered(&found),
            found_in: Some(DetectedIn::Project),
        };
    }
    let is_directory =
        |path: &Path| matches!(files.reach(path), Ok(Some(ResolvedPath::Directory(_))));
    let in_home = own_directories().filter(|(_, _, user)| !is_common(user));
    let in_home: BTreeSet<&str> = in_home
        .filter(|(_, _, user)| home.is_some_and(|home| is_directory(&home.join(user))))
        .map(|(tool, ..)| tool)
        .collect();
    // Two programs share one directory in home, and the first of them has more types.
    let mut tools = ordered(&in_home);
    tools.retain(|tool| *tool != "copilot-cli" || !in_home.contains("copilot"));
    tools.retain(|tool| *tool != agpm_tools::OWN_TOOL.name);
    ChosenTools {
        found_in: Some(DetectedIn::Home).filter(|_| !tools.is_empty()),
        tools,
    }
}

fn in_project(
    files: &dyn MachineFiles,
    project: &Path,
    survey: &ProjectSurvey,
) -> BTreeSet<&'static str> {
    let resources = survey.resources.iter().map(|one| one.tool);
    let rules = survey.rules.iter().map(|one| one.tool);
    let entries = survey.hooks.iter().chain(&survey.servers);
    let mut tools: BTreeSet<&'static str> = resources
        .chain(rules)
        .chain(entries.map(|one| one.tool))
        .collect();
    let is_directory =
        |path: &Path| matches!(files.reach(path), Ok(Some(ResolvedPath::Directory(_))));
    let exclusive = own_directories().filter(|(_, directory, _)| !is_common(directory));
    tools.extend(
        exclusive
            .filter(|(_, directory, _)| is_directory(&project.join(directory)))
            .map(|(tool, ..)| tool),
    );
    // Many tools read the shared files: they indicate a tool only if nothing else does.
    if tools.len() > 1 {
        tools.remove("agents");
    }
    tools
}

fn ordered(tools: &BTreeSet<&str>) -> Vec<&'static str> {
    TOOLS
        .iter()
        .map(|tool| tool.name)
        .filter(|name| tools.contains(name))
        .collect()
}
