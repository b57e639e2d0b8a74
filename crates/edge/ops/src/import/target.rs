//! The manifest that an import adds to, and where the files of other managers are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_adopt::{ManifestDifference, NewEntry, format_named};
use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::ImportAdditions;
use agpm_store::{StoreError, StoreProblem};
use agpm_text::{Document, Format};
use serde::Serialize;

use crate::change::write_manifest;
use crate::install::Writing;
use agpm_project::documents::document_of;
use agpm_project::gather::{ManifestFiles, unknown_name};
use agpm_project::reading::shown;
use agpm_project::world::{Environment, InstallScope, World};

/// The format and file to import.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// Whose files.
    pub format: String,
    /// The file, if it is not where that manager has it.
    pub file: Option<PathBuf>,
    /// The directory that the user gave agent-manager.
    pub folder: Option<PathBuf>,
    /// Whether it is written.
    pub writing: Writing,
}

/// The imported entries.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImportReport {
    /// Whose files.
    pub format: String,
    /// The file, from the working directory; nothing for agent-manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The manifest, from the working directory.
    pub manifest: String,
    /// Whether it changed.
    pub written: bool,
    /// Whether it did not exist before.
    pub created: bool,
    /// Layers, and sources.
    #[serde(flatten)]
    pub additions: ImportAdditions,
    /// The tools that the manifest names from now on.
    pub tools: Vec<String>,
    /// Dependencies that were added.
    pub dependencies: Vec<NewEntry>,
    /// Resources whose names the manifest had, which stay as they are.
    pub kept: Vec<String>,
    /// Settings without a counterpart.
    pub lost: Vec<String>,
    /// The differences between agpm and the other manager for these files.
    pub changes: Vec<ManifestDifference>,
    /// The new sections alone, as they are written.
    #[serde(skip)]
    pub text: String,
    /// Whether they were to be written, or shown.
    #[serde(skip)]
    pub writing: Writing,
}

/// The manifest that an import adds to.
pub(super) struct ImportTarget {
    pub(super) path: PathBuf,
    /// Nothing if it does not exist yet.
    pub(super) before: Option<Vec<u8>>,
    pub(super) document: Arc<Document>,
}

impl ImportTarget {
    pub(super) fn open(
        environment: &Environment,
        files: &ManifestFiles,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let path = files.path.clone();
        let bytes = files.project().to_vec();
        let name = shown(environment, &path);
        let document = document_of(name, bytes.clone(), Format::Toml, notes)?;
        notes.check()?;
        let before = agpm_store::exists(&path).then_some(bytes);
        Ok(ImportTarget {
            path,
            before,
            document,
        })
    }

    pub(super) fn write(
        &self,
        world: &World,
        format: &str,
        text: &str,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let title = format!("import {format}");
        write_manifest(world, &title, text, self.before.as_deref(), notes)
    }
}

/// Where a manager has its file: in the project, or else in home.
pub(super) fn default_file(
    environment: &Environment,
    project: &Path,
    format: &str,
) -> Result<PathBuf, Failure> {
    let Some(format) = format_named(format) else {
        return Err(unknown_name("import format", format, None));
    };
    let in_project = match environment.scope {
        InstallScope::Project => format.project,
        InstallScope::User => &[],
    };
    let in_project = in_project.iter().map(|path| project.join(path));
    let home = environment.home.as_deref().into_iter();
    let in_home = home.flat_map(|home| format.home.iter().map(|path| home.join(path)));
    let places: Vec<PathBuf> = in_project.chain(in_home).collect();
    let found = places.iter().find(|path| agpm_store::is_file(path));
    let expected = found.or(places.first()).cloned();
    expected.ok_or_else(|| {
        let message = "the configuration cannot be looked for: HOME is not set";
        Diagnostic::new(&codes::IO_NOT_FOUND, message)
            .help("name the file")
            .into()
    })
}

pub(super) fn missing(
    environment: &Environment,
    request: &ImportRequest,
    error: StoreError,
) -> Failure {
    let looked_for = request.file.is_none() && matches!(error.problem, StoreProblem::NotFound);
    let mut failure = Failure::from(error.seen_from(&environment.folder));
    if let Some(diagnostic) = failure.diagnostic.as_mut().filter(|_| looked_for) {
        diagnostic.help = Some(format!(
            "name the file: `agpm import {} FILE`",
            request.format
        ));
    }
    failure
}
