//! Converts dependencies of other managers to dependencies of the manifest.

use std::path::{Path, PathBuf};

use agpm_adopt::{
    ForeignFiles, ForeignManifest, ImportFormat, ManifestDifference, ManifestEntry, NewEntries,
    ProjectSurvey, format_named, read_differences,
};
use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_model::{ImportAdditions, normalize};
use agpm_text::Format;

use crate::import::neighbours::NeighbouringDisk;
use crate::import::target::{
    ImportReport, ImportRequest, ImportTarget, default_file, import_file_failure,
};
use crate::manifest::uneditable;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::read_lock;
use crate::project::reading::{display_path, limit};
use crate::project::world::{Environment, World};
use crate::project::write_mode::WriteMode;
use agpm_resolve::{MovedFile, moved_files};
use agpm_text::parse_bytes;

/// The format of agpm-cli, whose manifest is already a valid manifest. Imported in place, it is only checked for
/// differences.
pub(super) const OWN_FORMAT: &str = "agpm-cli";

pub(super) fn import_packages(
    world: &World,
    request: &ImportRequest,
    format: &ImportFormat,
    notes: &mut Notes,
) -> Result<ImportReport, Failure> {
    let environment = &world.environment;
    let is_in_place = format.name == OWN_FORMAT && request.file.is_none();
    let manifest = if is_in_place {
        ManifestFiles::require(environment)?
    } else {
        ManifestFiles::find_or_new(environment)?
    };
    let target = ImportTarget::open(environment, &manifest, notes)?;
    let directory = manifest.directory().to_owned();
    let (document, path) = (&target.document, &target.path);
    let file = match &request.file {
        Some(file) => environment.resolve(file),
        None if is_in_place => path.clone(),
        None => default_file(environment, &directory, format.name, notes)?,
    };
    let bytes = agpm_store::read_regular(&file, limit())
        .map_err(|error| import_file_failure(environment, request, error))?;
    let mut report = ImportReport {
        format: format.name.to_owned(),
        file: Some(display_path(environment, &file)),
        manifest: display_path(environment, path),
        writing: request.writing,
        ..ImportReport::default()
    };
    let reading = ReadForeign {
        environment,
        project: &directory,
        file: &file,
    };
    if is_in_place {
        let (changes, diagnostics) = reading.with_files(bytes, notes, read_differences)?;
        notes.diagnostics.extend(diagnostics);
        notes.check()?;
        report.changes = changes;
        report.changes.extend(moves(world, notes)?);
        return Ok(report);
    }
    let Some(read) = format.read else {
        return Ok(report);
    };
    let foreign = reading.with_files(bytes, notes, read)?;
    report.lost = lost_messages(&foreign);
    notes.diagnostics.extend(foreign.diagnostics);
    notes.check()?;
    let entries = rebase_local_paths(foreign.entries, &file, &directory);
    let new = NewEntries::for_manifest(document, &entries, &foreign.tools);
    notes.diagnostics.extend(
        new.kept
            .iter()
            .map(|id| already_listed(id, &report.manifest)),
    );
    if request.writing == WriteMode::Apply && !new.is_empty() {
        let text = new
            .written_into(document.text())
            .map_err(|error| uneditable(&error))?;
        target.write(world, format.name, &text, notes)?;
        report.written = true;
        report.created = target.before.is_none();
    }
    report.text = new.written_into("").map_err(|error| uneditable(&error))?;
    report.additions = ImportAdditions {
        sources: new.sources,
        ..ImportAdditions::default()
    };
    report.tools = new.tools;
    report.dependencies = new.entries;
    report.kept = new.kept;
    Ok(report)
}

/// The files that the next install moves: agpm-cli has other directories.
fn moves(world: &World, notes: &mut Notes) -> Result<Vec<ManifestDifference>, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let Some((lock, _)) = read_lock(&world.environment, &store, notes)? else {
        return Ok(Vec::new());
    };
    let project = Project::of(&world.offline(), files, &mut Notes::default())?;
    let moved = moved_files(&lock, &project.manifest).into_iter();
    let difference = |file: MovedFile| ManifestDifference {
        path: file.from.to_string(),
        change: format!("moves to `{}`", file.to),
    };
    Ok(moved.map(difference).collect())
}

/// A file of another manager, with the information needed to read files next to it.
struct ReadForeign<'a> {
    environment: &'a Environment,
    project: &'a Path,
    file: &'a Path,
}

impl ReadForeign<'_> {
    fn with_files<T>(
        &self,
        bytes: Vec<u8>,
        notes: &mut Notes,
        read: impl FnOnce(&mut ForeignFiles<'_>) -> T,
    ) -> Result<T, Failure> {
        let name = self.file.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        // Lockfiles without an extension are JSON in all supported formats.
        let format = Format::of_file(&name).unwrap_or(Format::Jsonc);
        let main = parse_bytes(
            display_path(self.environment, self.file),
            bytes,
            format,
            notes,
        )?;
        let directory = self.file.parent().unwrap_or(Path::new("."));
        let mut beside = NeighbouringDisk {
            environment: self.environment,
            directory: directory.to_owned(),
            project: self.project.to_owned(),
            notes,
        };
        Ok(read(&mut ForeignFiles {
            main,
            name,
            beside: &mut beside,
        }))
    }
}

fn lost_messages(foreign: &ForeignManifest) -> Vec<String> {
    let lost = foreign.diagnostics.iter();
    let lost = lost.filter(|found| *found.code == codes::IMPORT_NO_COUNTERPART);
    lost.map(|found| found.shown_message().to_string())
        .collect()
}

fn already_listed(id: &str, manifest: &str) -> Diagnostic {
    let message = format!("`{manifest}` has {id} already, and keeps it");
    let mut diagnostic =
        Diagnostic::new(&codes::IO_EXISTS, message).help("rename one of them if you want both");
    diagnostic.severity = Severity::Note;
    diagnostic
}

/// Makes local paths relative to the manifest instead of to the imported file.
fn rebase_local_paths(
    entries: Vec<ManifestEntry>,
    file: &Path,
    project: &Path,
) -> Vec<ManifestEntry> {
    let directory = normalize(file.parent().unwrap_or(Path::new(".")));
    let project = normalize(project);
    let mut entries = entries;
    for entry in entries.iter_mut().filter(|entry| entry.source.is_none()) {
        for (key, value) in &mut entry.fields {
            let Some(path) = value.as_str().filter(|_| key == "path") else {
                continue;
            };
            if path.starts_with(['/', '~']) || path.contains("://") {
                continue;
            }
            let full: PathBuf = normalize(&directory.join(path));
            let path = full.strip_prefix(&project).unwrap_or(&full);
            *value = path.to_string_lossy().replace('\\', "/").into();
        }
    }
    entries
}

/// Returns the entries in the lockfiles of other managers, which may name the origin of an existing file.
pub(crate) fn named_entries(
    environment: &Environment,
    project: &Path,
    survey: &ProjectSurvey,
) -> Vec<ManifestEntry> {
    let mut entries = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for name in survey.managers.iter().filter_map(|manager| manager.format) {
        let Some(format) = format_named(name).filter(|_| !seen.contains(&name)) else {
            continue;
        };
        seen.push(name);
        let files = format.project.iter().map(|path| project.join(path));
        let Some(file) = files.into_iter().find(|path| agpm_store::is_file(path)) else {
            continue;
        };
        let reading = ReadForeign {
            environment,
            project,
            file: &file,
        };
        let Ok(bytes) = agpm_store::read_regular(&file, limit()) else {
            continue;
        };
        if let Some(read) = format.read {
            let found = reading.with_files(bytes, &mut Notes::default(), read);
            entries.extend(found.map(|found| found.entries).unwrap_or_default());
        }
    }
    entries
}
