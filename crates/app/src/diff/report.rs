//! The differences between the disk and what would be installed.

use agpm_model::{FileMode, Owner, ResourceType};
use agpm_plan::FileDifference;
use agpm_trust::CapabilityChange;
use serde::Serialize;

use crate::diff::ref_comparison::RefComparison;
use crate::install::matches_id;
use crate::install::{InstallReport, LockChange, ReportedProgram, UpdatedPin};

/// The changes of an install or an update, or those since a git ref.
#[derive(Debug, Serialize)]
pub struct DiffReport {
    /// The ref that the project is compared with; nothing in a comparison with the disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<RefComparison>,
    /// Files that were edited since they were installed, from the locked content to the content on disk, by path.
    pub edited: Vec<FileDifference>,
    /// Capabilities of resources and layers that change.
    pub capabilities: Vec<CapabilityChange>,
    /// Versions that move.
    pub moved: Vec<UpdatedPin>,
    /// New or changed programs that would run.
    pub programs: Vec<ReportedProgram>,
    /// Files, by path.
    pub files: Vec<FileDifference>,
    /// The change of the lockfile.
    pub lock: LockChange,
    #[serde(skip)]
    extent: DiffExtent,
}

/// The level of detail of the differences in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffExtent {
    All,
    /// Only those that were requested: the lockfile is not one of them.
    Some,
}

impl DiffReport {
    /// Whether anything differs.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.edited.is_empty()
            && self.capabilities.is_empty()
            && self.moved.is_empty()
            && self.from.as_ref().is_none_or(RefComparison::is_empty)
            && (self.extent == DiffExtent::Some || self.lock == LockChange::Unchanged)
    }
}

impl DiffReport {
    /// All differences of an install, and the local edits that it keeps.
    pub fn new(
        report: InstallReport,
        edited: Vec<FileDifference>,
        files: Vec<FileDifference>,
    ) -> Self {
        DiffReport {
            from: None,
            edited,
            capabilities: report.capabilities,
            moved: report.moved,
            programs: report.programs,
            files,
            lock: match report.lock {
                LockChange::Unchanged => report.private_lock,
                change => change,
            },
            extent: DiffExtent::All,
        }
    }

    /// Keeps the differences of these resources, layers and files.
    pub fn keep_ids(&mut self, words: &[String]) {
        self.extent = DiffExtent::Some;
        let is_named = |id: &Owner| words.iter().any(|word| matches_id(word, id));
        self.capabilities.retain(|change| is_named(&change.id));
        self.moved
            .retain(|moved| is_named(&Owner::from(moved.id.to_string().as_str())));
        self.programs
            .retain(|program| is_named(&Owner::from(program.resource.as_str())));
        if let Some(from) = &mut self.from {
            from.keep_ids(is_named);
        }
        let has_path = |file: &FileDifference| words.iter().any(|word| word == file.path.as_str());
        let is_selected = |file: &FileDifference| has_path(file) || file.ids.iter().any(is_named);
        self.edited.retain(is_selected);
        self.files.retain(is_selected);
    }

    /// Keeps the differences of what tools would run.
    pub fn keep_executables(&mut self) {
        self.extent = DiffExtent::Some;
        self.capabilities.retain(|change| {
            let before = change.before.as_ref();
            !change.after.runs.is_empty() || before.is_some_and(|before| !before.runs.is_empty())
        });
        let ids: Vec<String> = self
            .capabilities
            .iter()
            .map(|one| one.id.to_string())
            .collect();
        self.moved
            .retain(|moved| ids.contains(&moved.id.to_string()));
        if let Some(from) = &mut self.from {
            from.keep_ids(|id| ids.contains(&id.to_string()));
        }
        let runs = |id: &Owner| {
            let kind = id.resource().map(|id| id.kind);
            kind.is_some_and(|kind| kind.is_merged() || kind == ResourceType::Scripts)
        };
        let is_selected =
            |file: &FileDifference| file.mode == FileMode::Executable || file.ids.iter().any(runs);
        self.edited.retain(is_selected);
        self.files.retain(is_selected);
    }
}
