//! `agpm explain`: shows the origin of a value, or the page of an error code.

mod blocks;
mod catalog_entry;
mod explained_resource;
mod file;
mod file_contributions;
mod found_subject;
mod managed_file;
mod paths;
mod project;
mod report;
mod resource;
mod subject;
mod values;
mod word;

pub use catalog_entry::explain_entry;
pub use managed_file::{ManagedFile, edited_layered_file};
pub use paths::{file_paths, outside_project, unknown_file};
pub use report::{CodePage, ExplainReport, ExplainedValues};
pub use resource::{
    ExplainedResource, RequiredAt, ResourceExplanation, ResourceTarget, ToolConversion, disk_path,
    is_copy_of, trace_to_sources,
};
pub use subject::{ExplainSubject, NamedSubject, SubjectFlag, parse_pointer, refuse_flags};
pub use values::require_values;
pub use word::{file_owner, subject_of_word, unknown_subject};

use std::path::{Path, PathBuf};

use agpm_diag::{Failure, Notes, Outcome, code_named};

use agpm_merge::{Provenance, SecretDisplay};
use agpm_model::{ResourceId, ResourceType};
use agpm_resolve::{lockfile_note, means};
use agpm_text::Pointer;

use crate::bottle::BottleInput;
use crate::explain::explained_resource::explain_resource;
use crate::project::merge_inputs::MergeInputs;
use crate::project::world::World;
use file::explain_blocks;
use found_subject::{
    ExplainTarget, explain_bottle, explain_catalog_entry, explain_manifest, explain_persona,
};

pub(crate) use file::explain_file;
pub(crate) use project::ExplainedProject;

/// The arguments of `explain`.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// `file:PATH`, `manifest:/POINTER`, `agent:NAME` or another type, `catalog:MODULE/NAME`, `profile:SLUG`,
    /// `bottle:NAME`, or an error code.
    pub what: String,
    /// The pointer of a value; `None` explains all values.
    pub pointer: Option<String>,
    /// Files to merge instead of the project's layers, with the strategy.
    pub inputs: MergeInputs,
    /// A JSON file with bottles to read instead of the Markdown files.
    pub json_file: Option<PathBuf>,
    /// Whether the secrets of bottles are shown.
    pub secrets: SecretDisplay,
}

impl ExplainRequest {
    /// Returns the flags in use, each with the subject that it applies to.
    fn flags(&self) -> Vec<SubjectFlag> {
        let inputs = &self.inputs;
        let flags = [
            (!inputs.files.is_empty(), "--from", ExplainSubject::File),
            (
                inputs.strategy.is_some(),
                "--strategy",
                ExplainSubject::File,
            ),
            (!inputs.rules.is_empty(), "--rule", ExplainSubject::File),
            (
                !inputs.layer_names.is_empty(),
                "--layer-names",
                ExplainSubject::File,
            ),
            (
                self.json_file.is_some(),
                "--json-file",
                ExplainSubject::Bottle,
            ),
            (
                self.secrets == SecretDisplay::Shown,
                "--show-secrets",
                ExplainSubject::Bottle,
            ),
        ];
        let used = flags.into_iter().filter(|(is_used, ..)| *is_used);
        used.map(|(_, flag, subject)| SubjectFlag { flag, subject })
            .collect()
    }
}

/// Explains a value or an error code.
pub fn explain(world: &World, request: &ExplainRequest) -> Outcome<ExplainReport> {
    let mut notes = Notes::default();
    let result = explain_subject(world, request, &mut notes);
    notes.outcome(result)
}

pub(crate) fn explain_subject(
    world: &World,
    request: &ExplainRequest,
    notes: &mut Notes,
) -> Result<ExplainReport, Failure> {
    let project = ExplainedProject::new(world);
    let Some(named) = find_subject(&project, &request.what, notes)? else {
        refuse_flags(None, &request.flags())?;
        return match code_named(&request.what) {
            Some(code) => Ok(ExplainReport::Page(CodePage::of(code))),
            None => Err(unknown_subject(&request.what, project.locked(notes))),
        };
    };
    refuse_flags(Some(named.subject), &request.flags())?;
    named.require_name()?;
    explain_values(&project, request, named, notes).map(ExplainReport::Values)
}

fn explain_values(
    project: &ExplainedProject<'_>,
    request: &ExplainRequest,
    named: NamedSubject,
    notes: &mut Notes,
) -> Result<ExplainedValues, Failure> {
    let world = project.world;
    let written = request.pointer.as_deref().unwrap_or_default();
    let pointer = parse_pointer(written)?;
    let name = named.name.as_str();
    let provenance = match named.subject {
        ExplainSubject::Resource(kind) => {
            return explain_installed(project, kind, name, pointer, notes);
        }
        ExplainSubject::Manifest => {
            return explain_manifest(project, &[name, written].concat(), notes);
        }
        ExplainSubject::File => match owner_of_file(project, request, name, notes)? {
            FileOwner::Blocks(blocks) => blocks,
            FileOwner::Resource(id) => {
                return explain_installed(project, id.kind, id.name.as_str(), pointer, notes);
            }
            FileOwner::Values => explain_file(project, name, &pointer, &request.inputs, notes)?,
        },
        ExplainSubject::Catalog => explain_catalog_entry(world, name, &pointer, notes)?,
        ExplainSubject::Profile => explain_persona(world, name, &pointer, notes)?,
        ExplainSubject::Bottle => {
            let input = BottleInput {
                json_file: request.json_file.clone(),
            };
            let target = ExplainTarget {
                pointer: &pointer,
                secrets: request.secrets,
            };
            explain_bottle(world, &input, name, target, notes)?
        }
    };
    Ok(ExplainedValues::of_subject(named, pointer, provenance))
}

/// Who a file is explained by.
enum FileOwner {
    /// The owners of its blocks.
    Blocks(Provenance),
    /// The resource that the whole file is of.
    Resource(ResourceId),
    /// Each of its values has an owner.
    Values,
}

fn owner_of_file(
    project: &ExplainedProject<'_>,
    request: &ExplainRequest,
    file: &str,
    notes: &mut Notes,
) -> Result<FileOwner, Failure> {
    // With `--from`, the name is only a label for the merged files.
    if !request.inputs.files.is_empty() {
        return Ok(FileOwner::Values);
    }
    if let Some(blocks) = explain_blocks(project, file, notes)? {
        return Ok(FileOwner::Blocks(blocks));
    }
    let here = &project.world.environment.working_directory;
    let owner = project
        .locked(notes)
        .and_then(|view| file_owner(view, here, file));
    Ok(owner.map_or(FileOwner::Values, FileOwner::Resource))
}

fn explain_installed(
    project: &ExplainedProject<'_>,
    kind: ResourceType,
    name: &str,
    pointer: Pointer,
    notes: &mut Notes,
) -> Result<ExplainedValues, Failure> {
    let ResourceExplanation {
        resource,
        provenance,
    } = explain_resource(project, kind, name, &pointer, notes)?;
    Ok(ExplainedValues::of_resource(resource, pointer, provenance))
}

/// Finds the subject of an argument: the one in its prefix, an existing file, or else something in the lockfile.
fn find_subject(
    project: &ExplainedProject<'_>,
    word: &str,
    notes: &mut Notes,
) -> Result<Option<NamedSubject>, Failure> {
    if let Some(named) = NamedSubject::parse(word) {
        return Ok(Some(named));
    }
    let environment = &project.world.environment;
    if agpm_store::is_file(&environment.resolve(Path::new(word))) {
        return Ok(Some(NamedSubject {
            subject: ExplainSubject::File,
            name: word.to_owned(),
        }));
    }
    if let Some(view) = project.locked(notes)
        && let Some(named) = subject_of_word(view, &environment.working_directory, word)?
    {
        return Ok(Some(named));
    }
    Ok(find_unlocked_subject(project, word, notes))
}

/// Finds a name of the manifest that is not installed yet; the manifest is all that is known of it.
fn find_unlocked_subject(
    project: &ExplainedProject<'_>,
    word: &str,
    notes: &mut Notes,
) -> Option<NamedSubject> {
    // A wrong name contacts no server for the bases of the manifest, and hides no error in it.
    let manifest = project.offline_manifest()?;
    let mut named = manifest
        .dependencies
        .iter()
        .filter(|one| means(word, one.kind, one.name.as_str()));
    let found = named.next()?;
    if named.next().is_some() {
        // A name of several types has to say which.
        return None;
    }
    let label = format!("{}/{}", found.kind, found.name);
    notes
        .diagnostics
        .push(lockfile_note(format!("{label} is not installed yet")));
    let pointer = Pointer::root().child(found.kind.plural());
    Some(NamedSubject {
        subject: ExplainSubject::Manifest,
        name: pointer.child(found.name.as_str()).to_string(),
    })
}
