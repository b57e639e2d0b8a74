//! One installed resource, by its type and name.

use std::collections::{BTreeSet, HashMap};

use agpm_diag::{Diagnostic, Failure, codes, did_you_mean, unknown_name};
use agpm_model::{LockEntry, RelativePath, ResourceExtent, ResourceType, SKILL_FILE};
use agpm_resolve::LockView;

/// The installed resources of a project, as of its manifest and lockfile when they were read.
#[derive(Debug)]
pub(crate) struct InstalledIndex {
    /// Manifest and lockfile.
    pub view: LockView,
    /// The index of each entry, by type and name.
    numbers: HashMap<(ResourceType, String), usize>,
}

impl InstalledIndex {
    /// The resources of a lockfile.
    pub(crate) fn of(view: LockView) -> Self {
        let mut numbers = HashMap::new();
        for (at, entry) in view.entries.iter().enumerate() {
            numbers
                .entry((entry.kind, entry.name.to_string()))
                .or_insert(at);
        }
        InstalledIndex { view, numbers }
    }

    /// The resource of that name, or of that key of the manifest.
    pub(crate) fn find(&self, kind: ResourceType, name: &str) -> Result<&LockEntry, Failure> {
        let entries = &self.view.entries;
        if let Some(at) = self.numbers.get(&(kind, name.to_owned())) {
            return Ok(&entries[*at]);
        }
        let id = format!("{kind}/{name}");
        let found = self.view.find(&id).ok();
        let found = found.and_then(|found| found.first().copied());
        found
            .map(|at| &entries[at])
            .ok_or_else(|| self.unknown(kind, &id))
    }

    /// Names of another type would lead astray.
    fn unknown(&self, kind: ResourceType, id: &str) -> Failure {
        let entries = self.view.entries.iter();
        let of_kind = entries.filter(|entry| entry.kind == kind);
        let labels: BTreeSet<String> = of_kind.map(LockEntry::label).collect();
        let near = did_you_mean(
            id,
            "installed resources are",
            labels.iter().map(String::as_str),
        );
        let none = || format!("no {kind} are installed; `agpm list` shows what is");
        unknown_name("resource", id, Some(near.unwrap_or_else(none)))
    }
}

/// The file of a resource; `None` for entries of shared files.
pub(crate) fn installed_path(entry: &LockEntry) -> Result<Option<RelativePath>, Failure> {
    if entry.kind.is_merged() {
        return Ok(None);
    }
    // The copies for several tools are of one resource, so the first represents all.
    let paths = entry.paths();
    let path = *paths.first().ok_or_else(|| not_written(entry))?;
    Ok(match entry.kind.extent() {
        ResourceExtent::File => Some(path.clone()),
        ResourceExtent::Directory => RelativePath::new(&format!("{path}/{SKILL_FILE}")).ok(),
        // A plugin is not one text; its parts are their own resources.
        ResourceExtent::Plugin => None,
    })
}

fn not_written(entry: &LockEntry) -> Failure {
    let message = format!("`{}` is resolved for others and not written", entry.label());
    Diagnostic::new(&codes::IO_NOT_FOUND, message)
        .help("`agpm tree` shows who needs it")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{entry, view_of};

    #[test]
    fn names_of_other_types_are_not_suggested() {
        let index = InstalledIndex::of(view_of(vec![
            entry("agents/reviewer", &[]),
            entry("commands/review", &[]),
        ]));
        let found = index.find(ResourceType::Agents, "reviewer");
        assert_eq!(found.expect("installed").label(), "agents/reviewer");
        let failure = index.find(ResourceType::Commands, "reviewer");
        let help = failure.err().and_then(|failure| failure.diagnostic?.help);
        assert_eq!(help.as_deref(), Some("did you mean `commands/review`?"));
        let failure = index.find(ResourceType::Skills, "reviewer");
        let help = failure.err().and_then(|failure| failure.diagnostic?.help);
        let none = "no skills are installed; `agpm list` shows what is";
        assert_eq!(help.as_deref(), Some(none));
    }

    #[test]
    fn the_file_of_a_skill_is_in_its_directory() {
        let view = view_of(vec![entry("agents/a", &[]), entry("skills/pdf", &[])]);
        let paths: Vec<String> = view
            .entries
            .iter()
            .map(|entry| installed_path(entry).expect("written").expect("a file"))
            .map(|path| path.to_string())
            .collect();
        assert_eq!(
            paths,
            [".claude/agents/a.md", ".claude/skills/pdf.md/SKILL.md"]
        );
    }
}
