//! `diff`: what an install or an update would change, capabilities first.

use agpm_diag::{Failure, Notes, Outcome};
pub use agpm_install::DiffReport;
use agpm_resolve::UpdateScope;

use crate::install::{InstallJob, InstallPreview, preview};
use crate::update::scope_of;
use agpm_project::world::World;

/// The state that is compared with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffTarget {
    /// The state that `install` would write.
    Install,
    /// The state that `update` would write.
    Update,
}

/// Which differences are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffContent {
    /// All of them.
    Everything,
    /// Only programs that tools would run.
    Executables,
}

/// The options of a comparison.
#[derive(Clone, Debug)]
pub struct DiffRequest {
    /// Resources and layers; all if there are none.
    pub ids: Vec<String>,
    /// The state that the disk is compared with.
    pub target: DiffTarget,
    /// The contents to show.
    pub content: DiffContent,
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
    let job = InstallJob::showing("diff", moving);
    let InstallPreview { report, files } = preview(world, &job, notes)?;
    let files = files.into_iter().map(|file| file.difference()).collect();
    let mut report = DiffReport::new(report, files);
    if !request.ids.is_empty() {
        report.keep_ids(&request.ids);
    }
    if request.content == DiffContent::Executables {
        report.keep_executables();
    }
    Ok(report)
}
