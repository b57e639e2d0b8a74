//! `agpm explain`: where a value came from, or what a code means.

use std::path::{Path, PathBuf};

use agpm_diag::{CODES, Code, Diagnostic, Severity, code_named, codes, did_you_mean};
use agpm_merge::{LayerFile, merge_files};
use agpm_model::{Layer, LayerName, LayerPlace, RelativePath};
use agpm_store::{self as store, Folder, Problem, StoreError};
use agpm_text::Pointer;

use crate::failure::{Failure, FailureKind, Notes, Outcome};
use crate::gather::{Project, layer_file, limit, shown, unknown_name};
use crate::merge::{MergeInputs, choose_strategy, read_files};
use crate::provenance::Provenance;
use crate::world::{Environment, World};

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
    explain_file(world, file, pointer, &request.inputs, notes)
}

fn explain_file(
    world: &World,
    file: &str,
    pointer: Pointer,
    inputs: &MergeInputs,
    notes: &mut Notes,
) -> Result<ExplainReport, Failure> {
    let environment = &world.environment;
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
    let merged = merge_files(files, &strategy, None).ok_or_else(|| not_in_layers(file))?;
    // A warning about another place would only be in the way of the answer.
    let told = |d: &&Diagnostic| pointer == Pointer::root() || d.severity == Severity::Error;
    notes.diagnostics.extend(merged.diagnostics.iter().filter(told).cloned());
    notes.check()?;
    let provenance = Provenance::of(&merged, &pointer, &notes.sources);
    if provenance.is_empty() && pointer != Pointer::root() {
        let message = format!("there is nothing at `{pointer}` in `{file}`");
        let help = "leave out the pointer to see all places";
        let diagnostic = Diagnostic::new(&codes::EXPLAIN_NOT_FOUND, message).help(help);
        return Err(Failure::new(FailureKind::NotFound, diagnostic));
    }
    Ok(ExplainReport::File { file: file.to_owned(), pointer, provenance })
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
    let Some(folder) = project.folder.as_ref().filter(|_| !project.manifest.layers.is_empty()) else {
        let path = environment.resolve(Path::new(file));
        let name = LayerName::new(file).map_err(|_| not_in_layers(file))?;
        let bytes = match store::read(&path, limit()) {
            Err(StoreError { problem: Problem::NotFound, .. }) => return Err(not_in_layers(file)),
            other => other?,
        };
        return Ok(vec![layer_file(name, &shown(environment, &path), bytes, notes)]);
    };
    let seen = |error: StoreError| error.seen_from(&environment.folder);
    let inside = project.path_of(environment, Path::new(file));
    let inside = RelativePath::new(&inside).map_err(|error| {
        let diagnostic = Diagnostic::new(&codes::USAGE, format!("`{file}`: {error}"));
        Failure::new(
            FailureKind::Refused,
            diagnostic.help("name the file by its path from the manifest's folder"),
        )
    })?;
    let mut files = Vec::new();
    for layer in &project.manifest.layers {
        let place = layer_folder(folder, layer)?;
        let open = match Folder::open(&place) {
            Err(StoreError { problem: Problem::NotFound, .. }) => {
                notes.log.push(format!("layer `{}` is left out: its folder is not there", layer.name));
                continue;
            }
            other => other.map_err(seen)?,
        };
        match open.read(&inside, limit()) {
            Err(StoreError { problem: Problem::NotFound, .. }) => {
                notes.log.push(format!("layer `{}` does not have the file", layer.name));
            }
            other => {
                let path = shown(environment, &place.join(inside.as_str()));
                files.push(layer_file(layer.name.clone(), &path, other.map_err(seen)?, notes));
            }
        }
    }
    Ok(files)
}

fn layer_folder(manifest: &Path, layer: &Layer) -> Result<PathBuf, Failure> {
    match &layer.place {
        LayerPlace::Folder(path) => {
            let folder = manifest.join(path);
            Ok(layer.root.as_ref().map_or(folder.clone(), |root| folder.join(root.as_str())))
        }
        LayerPlace::Source(source) => {
            let message = format!(
                "layer `{}` comes from the git source `{source}`, which cannot be read yet",
                layer.name
            );
            Err(Diagnostic::new(&codes::EXPLAIN_NOT_FOUND, message)
                .in_layer(layer.name.as_str())
                .help("use `path` for a folder on this machine")
                .into())
        }
    }
}
