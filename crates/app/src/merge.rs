//! `agpm merge`: merges files named on the command line, from low to high rank.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_merge::{FileBytes, LayerFile, OutputFormat, Provenance, merge_files};
use agpm_model::Strategy;
use agpm_text::Pointer;

use crate::project::drive::drive;
use crate::project::gather::Project;
use crate::project::permits::permit;
use crate::project::world::World;

use crate::project::merge_inputs::MergeInputs;
use crate::project::merge_inputs::{ReadFiles, choose_strategy, read_files};

/// The arguments of `merge`.
#[derive(Clone, Debug)]
pub struct MergeRequest {
    /// The files and the strategy.
    pub inputs: MergeInputs,
    /// The output format; `None` is the format of the lowest file.
    pub format: Option<OutputFormat>,
    /// Whether the provenance is returned.
    pub explain: bool,
}

/// The result of a merge.
#[derive(Debug)]
pub struct MergeReport {
    /// The merged file.
    pub output: FileBytes,
    /// The provenance of all values, if requested.
    pub explained: Option<Provenance>,
}

/// Merges files, from low to high rank.
pub fn merge(world: &World, request: &MergeRequest) -> Outcome<MergeReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

pub(crate) fn run(
    world: &World,
    request: &MergeRequest,
    notes: &mut Notes,
) -> Result<MergeReport, Failure> {
    let environment = &world.environment;
    let project = Project::load(world, request.inputs.manifest, notes)?;
    let strategy = choose_strategy(environment, &project, &request.inputs)?;
    notes
        .log
        .push(format!("merging by the strategy `{}`", strategy.name));
    let read = read_files(environment, &request.inputs, notes)?;
    if let Some(driver) = &strategy.driver {
        let permit = permit(world, &project.manifest, [driver])?;
        let file = drive(driver, &permit, &strategy.name, read.all()?)?;
        if request.format.is_none() && !request.explain {
            return Ok(MergeReport {
                output: FileBytes::Bytes(file.bytes.into()),
                explained: None,
            });
        }
        // To be converted or explained, the output of the executable must be valid in its format. It is treated as a
        // single layer.
        let read = ReadFiles {
            files: vec![file],
            failure: None,
        };
        return report(read.parse(notes)?, &Strategy::default(), request, notes);
    }
    report(read.parse(notes)?, &strategy, request, notes)
}

fn report(
    files: Vec<LayerFile>,
    strategy: &Strategy,
    request: &MergeRequest,
    notes: &mut Notes,
) -> Result<MergeReport, Failure> {
    let merged = merge_files(files, strategy, None).expect("no files are wrong usage");
    notes.diagnostics.extend(merged.diagnostics.iter().cloned());
    notes.check()?;
    let (output, warning) = merged.render_as(request.format)?;
    notes.diagnostics.extend(warning);
    let explained = request
        .explain
        .then(|| Provenance::of(&merged, &Pointer::root(), &notes.sources));
    Ok(MergeReport { output, explained })
}
