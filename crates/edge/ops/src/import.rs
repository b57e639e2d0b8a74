//! `import`: another program's configuration becomes sections of the manifest.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes, did_you_mean};
use agpm_model::{Additions, Folders, Import, read_agent_manager};
use agpm_store::{Problem, StoreError};
use agpm_text::Format;
use serde::Serialize;

use crate::change::{until_not_overtaken, write_manifest};
use crate::documents::{document_of, parsed};
use crate::gather::{ManifestFiles, Project, unknown_name};
use crate::install::Writing;
use crate::manifest_text::uneditable;
use crate::reading::{limit, shown};
use crate::world::{Environment, World};

/// The programs whose configurations are understood.
pub const IMPORT_FORMATS: &[&str] = &["agent-manager"];

const FOLDER_NAME: &str = ".agent-manager";
const FILE_NAME: &str = "config.yaml";

/// What to take over.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// Whose configuration.
    pub format: String,
    /// The file, if it is not where that program has it.
    pub file: Option<PathBuf>,
    /// The folder that the user gave that program.
    pub folder: Option<PathBuf>,
    /// Whether it is written.
    pub writing: Writing,
}

/// What was taken over.
#[derive(Clone, Debug, Serialize)]
pub struct ImportReport {
    /// The manifest, from the working folder.
    pub manifest: String,
    /// Whether it changed.
    pub written: bool,
    /// What it lacked.
    #[serde(flatten)]
    pub additions: Additions,
    /// The new sections alone, as they are written.
    #[serde(skip)]
    pub text: String,
    /// Whether they were to be written, or shown.
    #[serde(skip)]
    pub writing: Writing,
}

/// Takes over a configuration.
pub fn import(world: &World, request: &ImportRequest) -> Outcome<ImportReport> {
    until_not_overtaken(|notes| run(world, request, notes))
}

fn run(world: &World, request: &ImportRequest, notes: &mut Notes) -> Result<ImportReport, Failure> {
    let environment = &world.environment;
    if !IMPORT_FORMATS.contains(&request.format.as_str()) {
        let help = did_you_mean(
            &request.format,
            "formats are",
            IMPORT_FORMATS.iter().copied(),
        );
        return Err(unknown_name("format to import", &request.format, help));
    }
    let files = ManifestFiles::require(environment)?;
    let (before, path) = (files.project().to_vec(), files.path.clone());
    let document = document_of(
        shown(environment, &path),
        before.clone(),
        Format::Toml,
        notes,
    )?;
    notes.check()?;
    let import = read(environment, request, files.folder(), notes)?;
    let project = Project::of(world, files, notes)?;
    let additions = import
        .additions(&project.manifest, &document)
        .map_err(|clashes| {
            notes.diagnostics.extend(clashes);
            Failure {
                kind: FailureKind::Refused,
                diagnostic: None,
            }
        })?;
    let new = additions
        .written_into(document.text())
        .map_err(|error| uneditable(&error))?;
    let written = request.writing == Writing::Apply && !additions.is_empty();
    if written {
        write_manifest(
            world,
            &format!("import {}", request.format),
            &new,
            Some(&before),
            &mut Notes::default(),
        )?;
    }
    let text = additions
        .written_into("")
        .map_err(|error| uneditable(&error))?;
    Ok(ImportReport {
        manifest: shown(environment, &path),
        written,
        additions,
        text,
        writing: request.writing,
    })
}

/// The configuration as layers and lines of `[merge]`.
fn read(
    environment: &Environment,
    request: &ImportRequest,
    project: &Path,
    notes: &mut Notes,
) -> Result<Import, Failure> {
    let path = file(environment, request)?;
    let bytes =
        agpm_store::read(&path, limit()).map_err(|error| missing(environment, request, error))?;
    let parsed = parsed(shown(environment, &path), bytes, Format::Yaml, notes)?;
    let [project, home] = [Some(project), environment.home.as_deref()].map(|path| {
        path.map(|path| {
            environment
                .resolve(path)
                .to_string_lossy()
                .replace('\\', "/")
        })
    });
    let folders = Folders {
        project: project.as_deref().unwrap_or_default(),
        home: home.as_deref(),
    };
    let (import, diagnostics) = read_agent_manager(&parsed, &folders);
    notes.diagnostics.extend(diagnostics);
    notes.check()?;
    Ok(import)
}

/// The file that is named, or where that program has it.
fn file(environment: &Environment, request: &ImportRequest) -> Result<PathBuf, Failure> {
    if let Some(file) = &request.file {
        return Ok(environment.resolve(file));
    }
    let own = request
        .folder
        .as_ref()
        .map(|folder| environment.resolve(folder));
    let folder = own.or_else(|| environment.home.as_ref().map(|home| home.join(FOLDER_NAME)));
    folder.map(|folder| folder.join(FILE_NAME)).ok_or_else(|| {
        let message = "the configuration cannot be looked for: HOME is not set";
        Diagnostic::new(&codes::IO_NOT_FOUND, message)
            .help("name the file")
            .into()
    })
}

fn missing(environment: &Environment, request: &ImportRequest, error: StoreError) -> Failure {
    let looked_for = request.file.is_none() && matches!(error.problem, Problem::NotFound);
    let mut failure = Failure::from(error.seen_from(&environment.folder));
    if let Some(diagnostic) = failure.diagnostic.as_mut().filter(|_| looked_for) {
        diagnostic.help = Some(format!(
            "name the file: `agpm import {} FILE`",
            request.format
        ));
    }
    failure
}
