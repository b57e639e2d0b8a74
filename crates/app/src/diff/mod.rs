//! `diff`: shows the changes that an install or an update would make, or those since a git ref; capabilities first.

mod comparison;
mod from_ref;
mod project_at_ref;
mod project_state;
mod ref_comparison;
mod report;
mod request;

pub use ref_comparison::{PinnedId, RefComparison, SourceChange};
pub use report::DiffReport;
pub use request::{DiffContent, DiffRequest, DiffTarget};

use crate::diff::from_ref::diff_from;
use crate::drift::not_comparable;
use agpm_diag::{Failure, Notes, Outcome};
use agpm_plan::FileVersions;
use agpm_resolve::UpdateScope;

use crate::install::{InstallJob, InstallPreview, local_edits, preview};
use crate::project::world::World;
use crate::update::scope_of;

/// Compares the disk with the result of an install or update, or the project with a git ref.
pub fn diff(world: &World, request: &DiffRequest) -> Outcome<DiffReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &DiffRequest, notes: &mut Notes) -> Result<DiffReport, Failure> {
    if let DiffTarget::Ref(reference) = &request.target {
        return diff_from(world, reference, request, notes);
    }
    // An unknown name is an error even if nothing differs.
    let named = scope_of(world, &request.ids)?;
    let moving = match request.target {
        DiffTarget::Install | DiffTarget::Ref(_) => UpdateScope::Nothing,
        DiffTarget::Update => named,
    };
    let job = InstallJob::showing("diff", moving);
    let InstallPreview { report, files } = preview(world, &job, notes)?;
    let edits = match local_edits(world) {
        Ok(edits) => edits,
        // The edited files are in the findings; what they were is not known.
        Err(failure) => {
            notes.diagnostics.push(not_comparable(failure));
            Vec::new()
        }
    };
    let differences = |files: Vec<FileVersions>| {
        let files = files.into_iter();
        files.map(FileVersions::difference).collect()
    };
    let mut report = DiffReport::new(report, differences(edits), differences(files));
    if !request.ids.is_empty() {
        report.keep_ids(&request.ids);
    }
    if request.content == DiffContent::Executables {
        report.keep_executables();
    }
    Ok(report)
}
