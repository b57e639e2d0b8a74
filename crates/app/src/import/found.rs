//! Finds the files of other managers that can be imported.

use agpm_adopt::{FORMATS, ImportFormat};
use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::LockWriter;
use agpm_resolve::nothing_listed;
use serde::Serialize;

use crate::import::packages::OWN_FORMAT;
use crate::project::gather::ManifestFiles;
use crate::project::packages::read_lock;
use crate::project::reading::display_path;
use crate::project::world::{Environment, InstallScope, World};

/// The files of other managers in the project and in the home directory.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FoundImports {
    /// In the order of the formats.
    pub found: Vec<FoundImport>,
}

/// A file that can be imported.
#[derive(Clone, Debug, Serialize)]
pub struct FoundImport {
    /// The format for `agpm import`.
    pub format: &'static str,
    /// The manager that writes it.
    pub manager: &'static str,
    /// The file, relative to the working directory.
    pub path: String,
    /// The command that imports it.
    pub command: String,
}

/// Finds everything that can be imported.
pub fn found_imports(world: &World) -> Outcome<FoundImports> {
    let mut notes = Notes::default();
    let result = find(world, &mut notes);
    notes.outcome(result)
}

fn find(world: &World, notes: &mut Notes) -> Result<FoundImports, Failure> {
    let environment = &world.environment;
    let files = ManifestFiles::find_or_new(environment)?;
    let mut report = FoundImports::default();
    for format in FORMATS {
        if format.name == OWN_FORMAT && !has_older_lock(environment, &files) {
            continue;
        }
        report.found.extend(in_project(environment, &files, format));
        report.found.extend(in_home(environment, format));
    }
    if report.found.is_empty() {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let help = format!(
            "name a file with `agpm import FORMAT FILE`; formats are {}",
            names.join(", ")
        );
        let nothing = nothing_listed("No files of other managers found");
        notes.diagnostics.push(nothing.help(help));
    }
    Ok(report)
}

fn in_project(
    environment: &Environment,
    files: &ManifestFiles,
    format: &ImportFormat,
) -> Option<FoundImport> {
    if environment.scope == InstallScope::User {
        return None;
    }
    let mut paths = format
        .project
        .iter()
        .map(|path| files.directory().join(path));
    let path = paths.find(|path| agpm_store::is_file(path))?;
    Some(FoundImport {
        format: format.name,
        manager: format.manager,
        path: display_path(environment, &path),
        command: format!("agpm import {}", format.name),
    })
}

/// Files in home are named in the command, because they are imported on demand only.
fn in_home(environment: &Environment, format: &ImportFormat) -> Option<FoundImport> {
    let home = environment.home.as_deref()?;
    let mut paths = format.home.iter().copied();
    let path = paths.find(|path| agpm_store::is_file(&home.join(path)))?;
    let path = format!("~/{path}");
    let command = match (environment.scope, format.read) {
        (InstallScope::User, _) => format!("agpm import {} -g", format.name),
        (_, None) => format!("agpm import {}", format.name),
        _ => format!("agpm import {} {path}", format.name),
    };
    Some(FoundImport {
        format: format.name,
        manager: format.manager,
        path,
        command,
    })
}

/// Whether agpm-cli wrote the lockfile. Its manifest has the name of agpm's own.
fn has_older_lock(environment: &Environment, files: &ManifestFiles) -> bool {
    let Ok(store) = files.store() else {
        return false;
    };
    let lock = read_lock(environment, &store, &mut Notes::default());
    lock.ok().flatten().is_some_and(|(lock, _)| {
        let mut entries = lock.entries.iter();
        entries.any(|entry| entry.writer == LockWriter::Older)
    })
}
