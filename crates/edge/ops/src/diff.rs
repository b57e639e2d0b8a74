//! `diff`: what an install or an update would change, capabilities first.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::{FileMode, Owner, ResourceType};
use agpm_plan::FileDifference;
use agpm_resolve::UpdateScope;
use agpm_trust::CapabilityChange;
use serde::Serialize;

use crate::install::{InstallReport, Job, LockChange, Moved, Preview, Program, is_meant, preview};
use crate::update::scope_of;
use agpm_project::world::World;

/// What is compared with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffTarget {
    /// What `install` would write.
    Install,
    /// What `update` would write.
    Update,
}

/// Which differences are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffContent {
    /// All of them.
    Everything,
    /// What tools would run.
    Executables,
}

/// What to compare.
#[derive(Clone, Debug)]
pub struct DiffRequest {
    /// Resources and layers; all if there are none.
    pub ids: Vec<String>,
    /// What the disk is compared with.
    pub target: DiffTarget,
    /// What is shown.
    pub content: DiffContent,
}

/// What would change.
#[derive(Debug, Serialize)]
pub struct DiffReport {
    /// What resources and layers let tools do, where that changes.
    pub capabilities: Vec<CapabilityChange>,
    /// Versions that move.
    pub moved: Vec<Moved>,
    /// What is new or changed and would run.
    pub programs: Vec<Program>,
    /// Files, by path.
    pub files: Vec<FileDifference>,
    /// What would happen to the lockfile.
    pub lock: LockChange,
    #[serde(skip)]
    extent: DiffExtent,
}

/// How much of the differences a report has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffExtent {
    All,
    /// Only those that were asked for: the lockfile is not one of them.
    Some,
}

impl DiffReport {
    /// Whether anything differs.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.capabilities.is_empty()
            && self.moved.is_empty()
            && (self.extent == DiffExtent::Some || self.lock == LockChange::Unchanged)
    }
}

/// Compares the disk with what would be installed.
pub fn diff(world: &World, request: &DiffRequest) -> Outcome<DiffReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &DiffRequest, notes: &mut Notes) -> Result<DiffReport, Failure> {
    // A name that nothing has is a mistake, whether or not anything differs.
    let named = scope_of(world, &request.ids)?;
    let moving = match request.target {
        DiffTarget::Install => UpdateScope::Nothing,
        DiffTarget::Update => named,
    };
    let job = Job::showing("diff", moving);
    let Preview { report, files } = preview(world, &job, notes)?;
    let InstallReport {
        capabilities,
        moved,
        programs,
        lock,
        ..
    } = report;
    let mut report = DiffReport {
        capabilities,
        moved,
        programs,
        files: files.into_iter().map(|file| file.difference()).collect(),
        lock,
        extent: DiffExtent::All,
    };
    if !request.ids.is_empty() {
        report.keep_ids(&request.ids);
    }
    if request.content == DiffContent::Executables {
        report.keep_executables();
    }
    Ok(report)
}

impl DiffReport {
    fn keep_ids(&mut self, words: &[String]) {
        self.extent = DiffExtent::Some;
        let is_named = |id: &Owner| words.iter().any(|word| is_meant(word, id));
        self.capabilities.retain(|change| is_named(&change.id));
        self.moved
            .retain(|moved| is_named(&Owner::from(moved.id.to_string().as_str())));
        self.programs
            .retain(|program| is_named(&Owner::from(program.resource.as_str())));
        let has_path = |file: &FileDifference| words.iter().any(|word| word == file.path.as_str());
        self.files
            .retain(|file| has_path(file) || file.ids.iter().any(is_named));
    }

    fn keep_executables(&mut self) {
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
        let runs = |id: &Owner| {
            let kind = id.resource().map(|id| id.kind);
            kind.is_some_and(|kind| kind.is_merged() || kind == ResourceType::Scripts)
        };
        self.files
            .retain(|file| file.mode == FileMode::Executable || file.ids.iter().any(runs));
    }
}
