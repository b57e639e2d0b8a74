//! The manifest that an import edits, and the default paths of other managers' files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_adopt::{ManifestDifference, NewEntry, format_named};
use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_model::ImportAdditions;
use agpm_store::{StoreError, StoreProblem};
use agpm_text::{Document, Format};
use serde::Serialize;

use crate::change::{ProposedManifest, write_manifest};
use crate::project::gather::ManifestFiles;
use crate::project::reading::display_path;
use crate::project::world::{Environment, InstallScope, World};
use crate::project::write_mode::WriteMode;
use agpm_diag::unknown_name;
use agpm_text::document_of;

/// The arguments of `import`.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// The name of the format.
    pub format: String,
    /// The file to import; by default the one at the manager's usual path.
    pub file: Option<PathBuf>,
    /// The directory that was passed to agent-manager.
    pub directory: Option<PathBuf>,
    /// Writes the manifest, or only shows the new sections.
    pub writing: WriteMode,
}

/// The result of an import.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImportReport {
    /// The name of the format.
    pub format: String,
    /// The imported file, relative to the working directory; `None` for agent-manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The path of the manifest, relative to the working directory.
    pub manifest: String,
    /// Whether the manifest was changed.
    pub written: bool,
    /// Whether the manifest was created.
    pub created: bool,
    /// The layers and sources that were added.
    #[serde(flatten)]
    pub additions: ImportAdditions,
    /// The tools that were added to the manifest.
    pub tools: Vec<String>,
    /// The dependencies that were added.
    pub dependencies: Vec<NewEntry>,
    /// Ids that the manifest already had; their dependencies are unchanged.
    pub kept: Vec<String>,
    /// One message per part of the file that has no counterpart in the manifest.
    pub lost: Vec<String>,
    /// Differences in how agpm treats a manifest of agpm-cli.
    pub changes: Vec<ManifestDifference>,
    /// The new sections alone, in TOML.
    #[serde(skip)]
    pub text: String,
    /// Whether the changes were written or only shown.
    #[serde(skip)]
    pub writing: WriteMode,
}

/// The manifest that an import edits.
pub(super) struct ImportTarget {
    pub(super) path: PathBuf,
    /// The current content; `None` if the file does not exist.
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
        let name = display_path(environment, &path);
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
        let proposed = ProposedManifest {
            title: &title,
            text,
            before: self.before.as_deref(),
            ignored: None,
        };
        write_manifest(world, proposed, notes)
    }
}

/// Returns the first existing default path of a manager's file, in the project and then in home; if none exists, the
/// first one.
pub(super) fn default_file(
    environment: &Environment,
    project: &Path,
    format: &str,
    notes: &mut Notes,
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
    let in_project: Vec<PathBuf> = in_project.collect();
    let expected_in_project = in_project.first().cloned();
    let candidates: Vec<PathBuf> = in_project.iter().cloned().chain(in_home).collect();
    let found = candidates.iter().find(|path| agpm_store::is_file(path));
    if let (Some(expected), Some(found)) = (expected_in_project, found)
        && !in_project.contains(found)
    {
        let name = |path: &Path| display_path(environment, path);
        let (expected, found) = (name(&expected), name(found));
        let message = format!("`{expected}` does not exist, so `{found}` is read");
        let mut note = Diagnostic::new(&codes::IO_NOT_FOUND, message);
        note.severity = Severity::Note;
        notes.diagnostics.push(note);
    }
    let expected = found.or(candidates.first()).cloned();
    expected.ok_or_else(|| {
        let message = "cannot find the configuration: `HOME` is not set";
        Diagnostic::new(&codes::IO_NOT_FOUND, message)
            .help("name the file")
            .into()
    })
}

pub(super) fn import_file_failure(
    environment: &Environment,
    request: &ImportRequest,
    error: StoreError,
) -> Failure {
    let looked_for = request.file.is_none() && matches!(error.problem, StoreProblem::NotFound);
    let mut failure = Failure::from(error.seen_from(&environment.working_directory));
    if let Some(diagnostic) = failure.diagnostic.as_mut().filter(|_| looked_for) {
        diagnostic.help = Some(format!(
            "name the file: `agpm import {} FILE`",
            request.format
        ));
    }
    failure
}
