//! Merges the files of all layers in parallel.

use agpm_diag::{Failure, Notes};
use agpm_layers::{FileStack, FoldedFile, LayerSnapshot, LayeredFile, MergeProgram, stacks};
use agpm_merge::RawFile;
use agpm_model::{Manifest, MergeDriver, Strategy};
use agpm_store::parallel;

use crate::project::drive::drive;
use crate::project::permits::{ProgramPermit, permit};
use crate::project::world::World;

/// The number of files that a thread merges at a time.
const CHUNK: usize = 32;

/// The merge executables that are approved.
struct PermittedPrograms(Option<ProgramPermit>);

impl MergeProgram for PermittedPrograms {
    fn merge(
        &self,
        driver: &MergeDriver,
        strategy: &str,
        files: Vec<RawFile>,
    ) -> Result<RawFile, Failure> {
        let permit = self
            .0
            .as_ref()
            .expect("permitted before anything is folded");
        drive(driver, permit, strategy, files)
    }
}

/// Merges the files of all layers, and reports all errors in them.
pub(crate) fn fold_all(
    world: &World,
    manifest: &Manifest,
    snapshots: Vec<LayerSnapshot<'_>>,
    notes: &mut Notes,
) -> Result<Vec<LayeredFile>, Failure> {
    let default = Strategy::default();
    let stacks = stacks(manifest, &default, snapshots);
    // All executables must be approved before the first one runs.
    let drivers: Vec<&MergeDriver> = stacks.iter().filter_map(FileStack::driver).collect();
    let permit = match drivers.as_slice() {
        [] => None,
        drivers => Some(permit(world, manifest, drivers.iter().copied())?),
    };
    let programs = PermittedPrograms(permit);
    let mut stacks = stacks.into_iter();
    let chunks = std::iter::from_fn(|| {
        let chunk = stacks.by_ref().take(CHUNK);
        let chunk: Vec<_> = chunk
            .map(|stack| stack.unfolded(&mut notes.sources))
            .collect();
        (!chunk.is_empty()).then_some(chunk)
    });
    let folded = parallel::map(chunks.collect(), |chunk: Vec<_>| {
        let files = chunk.into_iter().map(|file| file.fold(&programs));
        files.collect::<Vec<FoldedFile>>()
    });
    let mut files = Vec::new();
    let mut failed = None;
    for folded in folded.into_iter().flatten() {
        notes.diagnostics.extend(folded.diagnostics);
        match folded.file {
            Ok(file) => files.extend(file),
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    failed.map_or(Ok(()), Err)?;
    notes.check()?;
    Ok(files)
}
