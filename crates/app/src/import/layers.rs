//! Converts a configuration of agent-manager to layers and rules of `[merge]`.

use std::path::Path;

use agpm_diag::{Failure, FailureKind, Notes};
use agpm_model::{BaseDirectories, ImportedConfiguration, read_agent_manager};
use agpm_text::Format;

use crate::import::target::{
    ImportReport, ImportRequest, ImportTarget, default_file, import_file_failure,
};
use crate::manifest::uneditable;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::reading::{display_path, limit};
use crate::project::world::{Environment, World};
use crate::project::write_mode::WriteMode;
use agpm_text::parse_bytes;

const FILE_NAME: &str = "config.yaml";

pub(super) fn import_layers(
    world: &World,
    request: &ImportRequest,
    notes: &mut Notes,
) -> Result<ImportReport, Failure> {
    let environment = &world.environment;
    let files = ManifestFiles::find_or_new(environment)?;
    let target = ImportTarget::open(environment, &files, notes)?;
    let document = &target.document;
    let import = read(environment, request, files.directory(), notes)?;
    let project = Project::of(world, files, notes)?;
    let additions = import
        .additions(&project.manifest, document)
        .map_err(|clashes| {
            notes.diagnostics.extend(clashes);
            Failure::reported_as(FailureKind::Refused)
        })?;
    let new = additions
        .written_into(document.text())
        .map_err(|error| uneditable(&error))?;
    let written = request.writing == WriteMode::Apply && !additions.is_empty();
    if written {
        let quiet = &mut Notes::default();
        target.write(world, &request.format, &new, quiet)?;
    }
    let text = additions
        .written_into("")
        .map_err(|error| uneditable(&error))?;
    Ok(ImportReport {
        format: request.format.clone(),
        manifest: display_path(environment, &target.path),
        written,
        created: written && target.before.is_none(),
        additions,
        text,
        writing: request.writing,
        ..ImportReport::default()
    })
}

/// Reads the configuration as layers and rules of `[merge]`.
fn read(
    environment: &Environment,
    request: &ImportRequest,
    project: &Path,
    notes: &mut Notes,
) -> Result<ImportedConfiguration, Failure> {
    let own = request
        .directory
        .as_ref()
        .map(|directory| environment.resolve(directory).join(FILE_NAME));
    let path = match (&request.file, own) {
        (Some(file), _) => environment.resolve(file),
        (None, Some(own)) => own,
        (None, None) => default_file(environment, project, &request.format, notes)?,
    };
    let bytes = agpm_store::read_regular(&path, limit())
        .map_err(|error| import_file_failure(environment, request, error))?;
    let parsed = parse_bytes(display_path(environment, &path), bytes, Format::Yaml, notes)?;
    let [project, home] = [Some(project), environment.home.as_deref()].map(|path| {
        path.map(|path| {
            environment
                .resolve(path)
                .to_string_lossy()
                .replace('\\', "/")
        })
    });
    let directories = BaseDirectories {
        project: project.as_deref().unwrap_or_default(),
        home: home.as_deref(),
    };
    let (import, diagnostics) = read_agent_manager(&parsed, &directories);
    notes.diagnostics.extend(diagnostics);
    notes.check()?;
    Ok(import)
}
