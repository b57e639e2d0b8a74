//! Files that authors write next to a manager's configuration, as entries of a manifest.

use std::collections::BTreeSet;

use agpm_model::{ResourceName, ResourceType, SKILL_FILE};
use agpm_text::{Format, NodeKind, NodeRef, Value};

use crate::entries::ManifestEntry;
use crate::formats::foreign::NeighbouringFiles;
use crate::formats::format_reader::FormatReader;
use crate::formats::tool_names::tools_of;

/// How deep directories of files are read. Managers keep a few levels at most.
const DEEPEST: usize = 4;

/// A directory of files of one type. Its path starts at the imported file.
pub(super) struct LocalDirectory<'d> {
    pub(super) kind: ResourceType,
    pub(super) path: &'d str,
    /// Directories in it that hold something else.
    pub(super) without: &'d [&'d str],
}

impl LocalDirectory<'_> {
    /// Its Markdown files as entries, named after their paths in it. `targets` in a file limits its tools.
    pub(super) fn entries(
        &self,
        beside: &mut dyn NeighbouringFiles,
        reading: &mut FormatReader,
    ) -> Vec<ManifestEntry> {
        let mut entries: Vec<ManifestEntry> = Vec::new();
        let mut names = BTreeSet::new();
        for inner in self.markdown_files(beside, "", DEEPEST) {
            let path = self.joined(&inner);
            let stem = inner.trim_end_matches(".md");
            let last = stem.rsplit('/').next().unwrap_or(stem);
            let long = stem.replace('/', "-");
            // Two files of one name differ in their directories.
            let name = [last, &long]
                .into_iter()
                .find(|name| !names.contains(*name));
            let Some(name) = name.filter(|name| ResourceName::new(name).is_ok()) else {
                continue;
            };
            names.insert(name.to_owned());
            let fields = [("path", Value::from(path.as_str()))];
            let mut entry = ManifestEntry::of_fields(self.kind, name, fields);
            if let Some(tools) = tools_of_file(beside, reading, &path) {
                entry.fields.push(("tools".to_owned(), tools));
            }
            entries.push(entry);
        }
        entries
    }

    /// The Markdown files by their paths in the directory.
    fn markdown_files(
        &self,
        beside: &mut dyn NeighbouringFiles,
        inner: &str,
        depth: usize,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let mut names = beside.names(&self.joined(inner));
        names.sort();
        for name in names.iter().filter(|name| !name.starts_with('.')) {
            let path = match inner {
                "" => name.clone(),
                inner => format!("{inner}/{name}"),
            };
            if name.ends_with(".md") {
                found.push(path);
            } else if depth > 0 && !self.without.contains(&path.as_str()) {
                found.extend(self.markdown_files(beside, &path, depth - 1));
            }
        }
        found
    }

    fn joined(&self, inner: &str) -> String {
        match (self.path, inner) {
            (".", "") => ".".to_owned(),
            (".", inner) => inner.to_owned(),
            (path, "") => path.to_owned(),
            (path, inner) => format!("{path}/{inner}"),
        }
    }
}

/// Skills are copied as they are, so the copies of other managers are those of agpm.
pub(super) fn skills(beside: &mut dyn NeighbouringFiles, directory: &str) -> Vec<ManifestEntry> {
    let mut entries = Vec::new();
    for name in beside.names(directory) {
        let path = format!("{directory}/{name}");
        let is_skill = beside.names(&path).iter().any(|file| file == SKILL_FILE);
        if is_skill && !name.starts_with('.') && ResourceName::new(&name).is_ok() {
            let fields = [("path", Value::from(path))];
            let entry = ManifestEntry::of_fields(ResourceType::Skills, &name, fields);
            entries.push(entry);
        }
    }
    entries
}

/// The value of `tools` for a file whose front matter has a list `targets`; `None` if it is for all tools.
fn tools_of_file(
    beside: &mut dyn NeighbouringFiles,
    reading: &mut FormatReader,
    path: &str,
) -> Option<Value> {
    let parsed = beside.beside(path, Format::Markdown)?;
    let targets = parsed.document.root()?.get("targets")?;
    let is_list = targets.kind() == NodeKind::List;
    let names: Vec<(NodeRef<'_>, &str)> = targets
        .items()
        .filter_map(|node| Some((node, node.as_str()?)))
        .collect();
    if !is_list || names.is_empty() || names.iter().any(|(_, name)| *name == "*") {
        return None;
    }
    let tools = tools_of(reading, names);
    (!tools.is_empty()).then(|| Value::list(tools))
}
