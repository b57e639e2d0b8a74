//! `agpm explain`: where a value came from, or what a code means.

use std::path::{Path, PathBuf};

use agpm_diag::{CODES, Code, Diagnostic, Severity, code_named, codes, did_you_mean, nearest};
use agpm_merge::{LayerFile, merge_files};
use agpm_model::{LayerName, RelativePath};
use agpm_store::{self as store, Problem, StoreError};
use agpm_text::{Pointer, Value};

use crate::failure::{Failure, FailureKind, Notes, Outcome};
use crate::gather::{Project, layer_file, limit, shown, unknown_name};
use crate::layers;
use crate::merge::{MergeInputs, choose_strategy, read_files};
use crate::provenance::Provenance;
use crate::world::{Environment, Scope, World};

/// What to explain.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// `file:PATH` or a code.
    pub what: String,
    /// A place in the file; the whole file if there is none.
    pub pointer: Option<String>,
    /// The files to fold instead of the project's layers, and how.
    pub inputs: MergeInputs,
}

/// The explanation.
#[derive(Debug)]
pub enum ExplainReport {
    /// The page of a code.
    Page(&'static Code),
    /// Where a file's values came from.
    File {
        /// The file.
        file: String,
        /// The place asked for.
        pointer: Pointer,
        /// What is known of it.
        provenance: Provenance,
    },
}

/// Explains a value or a code.
pub fn explain(world: &World, request: &ExplainRequest) -> Outcome<ExplainReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &ExplainRequest, notes: &mut Notes) -> Result<ExplainReport, Failure> {
    if let Some(code) = code_named(&request.what) {
        return Ok(ExplainReport::Page(code));
    }
    let Some(file) = request.what.strip_prefix("file:") else {
        let near = did_you_mean(&request.what, "codes are", CODES.iter().map(|code| code.name));
        let help = near.filter(|help| help.starts_with("did you mean"));
        let help =
            help.unwrap_or_else(|| "explain knows `file:PATH` and codes such as `json/syntax`".to_owned());
        let what = if request.what.contains(':') { "explanation of" } else { "code" };
        return Err(unknown_name(what, &request.what, Some(help)));
    };
    let pointer: Pointer = request.pointer.as_deref().unwrap_or_default().parse().map_err(|error| {
        let help = "a pointer has `/` before every step, as in `/permissions/allow/0`";
        Failure::new(FailureKind::Usage, Diagnostic::new(&codes::USAGE, format!("{error}")).help(help))
    })?;
    let provenance = explain_file(world, file, &pointer, &request.inputs, notes)?;
    Ok(ExplainReport::File { file: file.to_owned(), pointer, provenance })
}

pub(crate) fn explain_file(
    world: &World,
    file: &str,
    pointer: &Pointer,
    inputs: &MergeInputs,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let environment = &world.environment;
    if inputs.files.is_empty() && !inputs.layer_names.is_empty() {
        let diagnostic = Diagnostic::new(&codes::USAGE, "`--layer-names` without `--from`");
        let help = "the layers of the manifest have their own names";
        return Err(Failure::new(FailureKind::Usage, diagnostic.help(help)));
    }
    let project = Project::load(environment, inputs.manifest, notes)?;
    let mut named = inputs.clone();
    let files = if inputs.files.is_empty() {
        named.files = vec![PathBuf::from(file)];
        from_project(environment, &project, file, notes)?
    } else {
        read_files(environment, inputs, notes)?.parse(notes)?
    };
    notes.check()?;
    let strategy = choose_strategy(environment, &project, &named)?;
    if strategy.driver.is_some() {
        let message = format!("`{file}` is merged by the program of the strategy `{}`", strategy.name);
        let help = "a program does not tell where its values come from; `agpm merge` shows its result";
        return Err(Diagnostic::new(&codes::MERGE_DRIVER, message).help(help).into());
    }
    let merged = merge_files(files, &strategy, None).ok_or_else(|| not_in_layers(file))?;
    // A warning about another place would only be in the way of the answer.
    let told = |d: &&Diagnostic| *pointer == Pointer::root() || d.severity == Severity::Error;
    notes.diagnostics.extend(merged.diagnostics.iter().filter(told).cloned());
    notes.check()?;
    let provenance = Provenance::of(&merged, pointer, &notes.sources);
    if provenance.is_empty() && *pointer != Pointer::root() {
        let message = format!("there is nothing at `{pointer}` in `{file}`");
        let near = merged.value().and_then(|value| near_place(&value, pointer));
        let near = near.map(|place| format!("did you mean `{place}`?"));
        let help = near.unwrap_or_else(|| "leave out the pointer to see all places".to_owned());
        let diagnostic = Diagnostic::new(&codes::EXPLAIN_NOT_FOUND, message).help(help);
        return Err(Failure::new(FailureKind::NotFound, diagnostic));
    }
    Ok(provenance)
}

/// The place that a pointer was probably meant to be: its first step that leads nowhere, put right.
fn near_place(value: &Value, pointer: &Pointer) -> Option<Pointer> {
    let mut place = value.get("front_matter").unwrap_or(value);
    let mut here = Pointer::root();
    for step in pointer.steps() {
        match place.child(step) {
            Some(child) => {
                place = child;
                here.push(step);
            }
            None => {
                let Value::Map(entries) = place else { return None };
                let near = nearest(step, entries.iter().map(|(key, _)| key.as_str()))?;
                return Some(here.child(near));
            }
        }
    }
    None
}

fn not_in_layers(file: &str) -> Failure {
    let help = "no layer of the project has it; the path is from the manifest's folder".to_owned();
    unknown_name("file", file, Some(help))
}

/// The file in every layer of the project, lowest first; without layers, the file itself.
fn from_project(
    environment: &Environment,
    project: &Project,
    file: &str,
    notes: &mut Notes,
) -> Result<Vec<LayerFile>, Failure> {
    if project.manifest.layers.is_empty() {
        let root = project.root.as_deref().filter(|_| environment.scope == Scope::User);
        let path = root.unwrap_or(&environment.folder).join(file);
        let name = LayerName::new(file).map_err(|_| not_in_layers(file))?;
        let bytes = match store::read(&path, limit()) {
            Err(StoreError { problem: Problem::NotFound, .. }) => return Err(not_in_layers(file)),
            other => other.map_err(|error| error.seen_from(&environment.folder))?,
        };
        return Ok(vec![layer_file(name, &shown(environment, &path), bytes, notes)]);
    }
    // A path is from the manifest's folder; where one works in a folder below, it may also be from there.
    let from_manifest = RelativePath::new(file);
    let from_here = RelativePath::new(&project.path_of(environment, Path::new(file)));
    if let (Err(error), Err(_)) = (&from_manifest, &from_here) {
        let diagnostic = Diagnostic::new(&codes::USAGE, format!("`{file}`: {error}"));
        let help = "name the file by its path from the manifest's folder";
        return Err(Failure::new(FailureKind::Refused, diagnostic.help(help)));
    }
    for path in [from_manifest, from_here].into_iter().flatten() {
        let files = layers::files_at(environment, project, &path, notes)?;
        if !files.is_empty() {
            return Ok(files);
        }
    }
    Ok(Vec::new())
}
