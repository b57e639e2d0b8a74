//! Finds the files of an older program that moved, so the install removes them or reports them.

use crate::install::older_files;
use agpm_compose::RenderedResource;
use agpm_diag::Failure;
use agpm_resolve::is_older_path;

use crate::install::run::{GatheredProject, InstallRun};
use crate::project::observer::observe_all;

pub(super) fn record_older_files(
    run: &InstallRun<'_>,
    gathered: &mut GatheredProject,
    resources: &[RenderedResource],
) -> Result<(), Failure> {
    let Some((lock, _)) = &gathered.lock else {
        return Ok(());
    };
    let (manifest, scope) = (&gathered.project.manifest, run.world.environment.scope);
    let found = older_files(lock, resources, &gathered.ledger, |path| {
        is_older_path(manifest, scope, path)
    });
    let paths: Vec<_> = found.iter().map(|file| &file.path).collect();
    let observed = observe_all(run.store, &paths)?;
    let records = found.into_iter().zip(&observed);
    let records: Vec<_> = records
        .filter_map(|(file, observed)| file.record(observed))
        .collect();
    gathered.ledger.files.extend(records);
    Ok(())
}
