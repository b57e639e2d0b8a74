//! The result of an install without writing it, with the content of every file before and after.

use std::collections::BTreeMap;

use crate::install::{InstallReport, PlannedInstall, report_conflicts};
use crate::project::write_mode::WriteMode;
use agpm_diag::{Failure, Notes};
use agpm_model::{FileMode, Owner, RelativePath};
use agpm_plan::{FileVersions, PlannedChange};
use agpm_store::{FileChange, ProjectStore, StoreProblem};

use crate::install::planning::plan_install;
use crate::install::run::{InstallJob, InstallRun};
use crate::install::writing::project_changes;
use crate::install::{gather_and_render, report};
use crate::project::policy_cache::refresh_policies;
use crate::project::reading::limit;
use crate::project::world::World;

/// The report and the files of an install that was not made.
pub(crate) struct InstallPreview {
    pub(crate) report: InstallReport,
    pub(crate) files: Vec<FileVersions>,
}

/// Plans an install, and reads the files that it would replace.
pub(crate) fn preview(
    world: &World,
    job: &InstallJob<'_>,
    notes: &mut Notes,
) -> Result<InstallPreview, Failure> {
    refresh_policies(world, notes)?;
    let files = job.manifest_files(&world.environment)?;
    let store = files.store()?;
    let run = InstallRun {
        world,
        store: &store,
        job,
    };
    let (gathered, rendered) = gather_and_render(&run, files, notes)?;
    let planned = plan_install(&run, &gathered, rendered, notes)?;
    let files = file_versions(&store, &planned)?;
    report_conflicts(planned.plan.conflicts().collect(), WriteMode::Show, notes);
    let report = report(planned, WriteMode::Show);
    Ok(InstallPreview { report, files })
}

fn file_versions(
    store: &ProjectStore,
    planned: &PlannedInstall,
) -> Result<Vec<FileVersions>, Failure> {
    let mut owners: BTreeMap<&RelativePath, Vec<Owner>> = BTreeMap::new();
    let changed = |change: &&PlannedChange| change.action.changes_disk();
    for change in planned.plan.changes.iter().filter(changed) {
        let of_file = owners.entry(&change.path).or_default();
        if !of_file.contains(&change.owner) {
            of_file.push(change.owner.clone());
        }
    }
    let mut files = Vec::new();
    for change in project_changes(planned) {
        let (path, after, mode) = match change {
            FileChange::Write {
                path, bytes, mode, ..
            } => (path, Some(bytes.into_owned()), mode),
            FileChange::Remove { path, .. } => (path, None, FileMode::Plain),
        };
        files.push(FileVersions {
            owners: owners.remove(&path).unwrap_or_default(),
            before: bytes_on_disk(store, &path)?,
            path,
            after,
            mode,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Reads a file; `None` if it does not exist.
pub(crate) fn bytes_on_disk(
    store: &ProjectStore,
    path: &RelativePath,
) -> Result<Option<Vec<u8>>, Failure> {
    match store.read(path, limit()) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.problem, StoreProblem::NotFound) => Ok(None),
        Err(error) => Err(error.seen_from(store.path()).into()),
    }
}
