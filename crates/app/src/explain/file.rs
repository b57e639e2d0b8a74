//! Explains a file: the values of its layers, of the disk, and those that agpm manages.

use std::path::PathBuf;

use crate::explain::{
    ManagedFile, edited_layered_file, file_paths, require_values, trace_to_sources, unknown_file,
};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes};
use agpm_merge::{Provenance, merge_files};
use agpm_model::Strategy;
use agpm_plan::read_block_file;
use agpm_text::Pointer;

use crate::explain::blocks::block_owners;
use crate::explain::explained_resource::explain_resource;
use crate::explain::file_contributions::{FileContributions, contributions_of_project};
use crate::explain::project::ExplainedProject;
use crate::project::gather::Project;
use crate::project::ledger::read_ledger;
use crate::project::merge_inputs::{MergeInputs, choose_strategy, read_files};
use crate::project::permits::permit;
use crate::project::reading::limit;
use crate::project::world::{ManifestUse, World};

/// Explains the values of a file of the project, or of the files in `inputs`.
pub(crate) fn explain_file(
    explained: &ExplainedProject<'_>,
    file: &str,
    pointer: &Pointer,
    inputs: &MergeInputs,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    if inputs.files.is_empty() && !inputs.layer_names.is_empty() {
        let diagnostic = Diagnostic::new(&codes::USAGE, "`--layer-names` without `--from`");
        let help = "the layers of the manifest have their own names";
        return Err(Failure::new(FailureKind::Usage, diagnostic.help(help)));
    }
    let world = explained.world;
    let other;
    let project = match (inputs.manifest, explained.find()?) {
        (ManifestUse::Nearest, Some(_)) => explained.project(notes)?,
        (wanted, _) => {
            other = Project::load(world, wanted, notes)?;
            &other
        }
    };
    let mut chosen = inputs.clone();
    let found = if inputs.files.is_empty() {
        let found = contributions_of_project(explained, project, file, notes)?;
        chosen.files = vec![found.path.clone()];
        found
    } else {
        FileContributions {
            path: PathBuf::new(),
            files: read_files(&world.environment, inputs, notes)?.parse(notes)?,
            managed: None,
            now: None,
        }
    };
    notes.check()?;
    let strategy = choose_strategy(&world.environment, project, &chosen)?;
    refuse_program(world, project, file, &strategy)?;
    explain_contributions(explained, file, found, &strategy, pointer, notes)
}

/// Fails for a file that an executable merges, because an executable does not report where its values come from.
fn refuse_program(
    world: &World,
    project: &Project,
    file: &str,
    strategy: &Strategy,
) -> Result<(), Failure> {
    let Some(driver) = &strategy.driver else {
        return Ok(());
    };
    permit(world, &project.manifest, [driver])?;
    let message = format!(
        "`{file}` is merged by the program of the strategy `{}`",
        strategy.name
    );
    let help =
        "an executable does not report where its values come from; `agpm merge` shows its result";
    Err(Diagnostic::new(&codes::MERGE_DRIVER, message)
        .help(help)
        .into())
}

/// Merges the contributions to a file, and explains the values at a pointer of the result.
fn explain_contributions(
    explained: &ExplainedProject<'_>,
    file: &str,
    contributions: FileContributions,
    strategy: &Strategy,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let managed = contributions.managed.as_ref();
    let merged = merge_files(contributions.files, strategy, None);
    if merged.is_none() && managed.is_none() {
        return Err(unknown_file(file, None));
    }
    if let Some(merged) = &merged {
        for finding in &merged.diagnostics {
            // Warnings about other values than the requested one would distract from the answer.
            if *pointer == Pointer::root() || finding.severity == Severity::Error {
                notes.diagnostics.push(finding.clone());
            }
        }
        notes.check()?;
        if let Some(now) = &contributions.now {
            notes
                .diagnostics
                .extend(edited_layered_file(file, now, merged));
        }
    }
    let mut provenance = Provenance::default();
    if let Some(managed) = managed {
        provenance = managed.explain(merged.as_ref(), pointer, &notes.sources);
        trace_to_sources(&mut provenance, |kind, name| {
            // Findings about the resources that wrote the values are not about this file.
            let reported = (notes.diagnostics.len(), notes.log.len());
            let explained = explain_resource(explained, kind, name, &Pointer::root(), notes);
            notes.diagnostics.truncate(reported.0);
            notes.log.truncate(reported.1);
            Some(explained.ok()?.provenance)
        });
    }
    // A value that is not on the disk yet is explained by the layers alone.
    if let Some(merged) = merged.as_ref().filter(|_| provenance.leaves.is_empty()) {
        provenance = Provenance::of(merged, pointer, &notes.sources);
    }
    let values = [
        merged.and_then(|merged| merged.value()),
        managed.and_then(ManagedFile::value),
    ];
    require_values(provenance, file, pointer, &values)
}

/// Explains which resource or layer owns each block of a shared Markdown file; `None` for other files.
pub(super) fn explain_blocks(
    explained: &ExplainedProject<'_>,
    file: &str,
    notes: &mut Notes,
) -> Result<Option<Provenance>, Failure> {
    let Some(project) = explained.find()? else {
        return Ok(None);
    };
    let ledger = read_ledger(&project.store)?;
    let here = &explained.world.environment.working_directory;
    for path in file_paths(&project.root, here, file).unwrap_or_default() {
        let Some(owned) = ledger.blocks.get(&path) else {
            continue;
        };
        // A deleted file has no lines to explain, but the layers may still give it.
        let Ok(bytes) = project.store.read(&path, limit()) else {
            continue;
        };
        let document = read_block_file(&path, bytes, notes)?;
        return Ok(Some(block_owners(&path, &document, owned)));
    }
    Ok(None)
}
