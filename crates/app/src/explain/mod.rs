//! `agpm explain`: shows the origin of a value, or the page of an error code.

mod blocks;
mod catalog_entry;
mod explained_resource;
mod file;
mod file_contributions;
mod found_subject;
mod managed_file;
mod paths;
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

use agpm_merge::SecretDisplay;
use agpm_model::ResourceType;
use agpm_resolve::{LockView, lockfile_note, means};
use agpm_text::Pointer;

use crate::bottle::BottleInput;
use crate::explain::explained_resource::explain_resource;
use crate::project::gather::{ErrorTolerance, ManifestFiles, Project};
use crate::project::merge_inputs::MergeInputs;
use crate::project::packages::read_lock;
use crate::project::world::{ManifestUse, World};
use file::explain_blocks;
use found_subject::{
    ExplainTarget, explain_bottle, explain_catalog_entry, explain_manifest, explain_persona,
};

pub(crate) use file::explain_file;

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
    let named = match NamedSubject::parse(&request.what) {
        Some(named) => Some(named),
        None => find_subject(world, &request.what, notes)?,
    };
    refuse_flags(
        named.as_ref().map(|subject| subject.subject),
        &request.flags(),
    )?;
    let Some(named) = named else {
        return match code_named(&request.what) {
            Some(code) => Ok(ExplainReport::Page(CodePage::of(code))),
            None => Err(unknown_subject(&request.what, locked(world).as_ref())),
        };
    };
    named.require_name()?;
    values(world, request, named, notes).map(ExplainReport::Values)
}

fn values(
    world: &World,
    request: &ExplainRequest,
    named: NamedSubject,
    notes: &mut Notes,
) -> Result<ExplainedValues, Failure> {
    let written = request.pointer.as_deref().unwrap_or_default();
    let pointer = parse_pointer(written)?;
    let name = named.name.as_str();
    let provenance = match named.subject {
        ExplainSubject::File if !request.inputs.files.is_empty() => {
            explain_file(world, name, &pointer, &request.inputs, notes)?
        }
        ExplainSubject::File => match explain_blocks(world, name, notes)? {
            Some(blocks) => blocks,
            None => {
                let view = locked(world);
                let here = &world.environment.working_directory;
                if let Some(owner) = view.and_then(|view| file_owner(&view, here, name)) {
                    return of_resource(world, owner.kind, owner.name.as_str(), pointer, notes);
                }
                explain_file(world, name, &pointer, &request.inputs, notes)?
            }
        },
        ExplainSubject::Manifest => {
            return explain_manifest(world, &[name, written].concat(), notes);
        }
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
        ExplainSubject::Resource(kind) => return of_resource(world, kind, name, pointer, notes),
    };
    Ok(ExplainedValues::of_subject(named, pointer, provenance))
}

fn of_resource(
    world: &World,
    kind: ResourceType,
    name: &str,
    pointer: Pointer,
    notes: &mut Notes,
) -> Result<ExplainedValues, Failure> {
    let ResourceExplanation {
        resource,
        provenance,
    } = explain_resource(world, kind, name, &pointer, notes)?;
    Ok(ExplainedValues::of_resource(resource, pointer, provenance))
}

/// Finds the subject of an argument without a prefix: an existing file, or else something in the lockfile.
fn find_subject(
    world: &World,
    word: &str,
    notes: &mut Notes,
) -> Result<Option<NamedSubject>, Failure> {
    let environment = &world.environment;
    if agpm_store::is_file(&environment.resolve(Path::new(word))) {
        return Ok(Some(NamedSubject {
            subject: ExplainSubject::File,
            name: word.to_owned(),
        }));
    }
    let named = match locked(world) {
        Some(view) => subject_of_word(&view, &environment.working_directory, word)?,
        None => None,
    };
    Ok(named.or_else(|| unlocked_subject(world, word, notes)))
}

/// Finds a name of the manifest that is not installed yet; the manifest is all that is known of it.
fn unlocked_subject(world: &World, word: &str, notes: &mut Notes) -> Option<NamedSubject> {
    let files = ManifestFiles::find(&world.environment, ManifestUse::Nearest).ok()??;
    let quiet = &mut Notes::default();
    let project = Project::read(&world.offline(), files, ErrorTolerance::Report, quiet).ok()?;
    let dependencies = project.manifest.dependencies.iter();
    let mut named = dependencies.filter(|one| means(word, one.kind, one.name.as_str()));
    // A name of several types has to say which.
    let found = named.next().filter(|_| named.next().is_none())?;
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

/// Reads the lockfile as far as possible; `None` if it is missing or unreadable.
fn locked(world: &World) -> Option<LockView> {
    let files = ManifestFiles::find(&world.environment, ManifestUse::Nearest).ok()??;
    let root = files.root().to_owned();
    let store = files.store().ok()?;
    let mut quiet = Notes::default();
    let (lock, _) = read_lock(&world.environment, &store, &mut quiet).ok()??;
    let project = Project::read(world, files, ErrorTolerance::Report, &mut quiet).ok()?;
    Some(LockView::of(lock, &project.manifest, root).with_parts())
}
