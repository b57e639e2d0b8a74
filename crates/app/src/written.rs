//! Writes generated files, such as manual pages, to a directory of the user's choice.

use std::path::{Path, PathBuf};

use agpm_diag::{Notes, Outcome};
use agpm_store as store;
use serde::Serialize;

use crate::project::reading::display_path;
use crate::project::world::World;

/// A file to write.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// The path relative to the directory.
    pub path: PathBuf,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

/// The files that were written.
#[derive(Clone, Debug, Serialize)]
pub struct WrittenReport {
    /// The path of the directory.
    pub path: String,
    /// The paths of the files, relative to the directory.
    pub files: Vec<String>,
}

/// Writes files, and replaces existing ones of the same name.
pub fn write_files(world: &World, dir: &Path, files: &[WrittenFile]) -> Outcome<WrittenReport> {
    let dir = world.environment.resolve(dir);
    let written = files
        .iter()
        .try_for_each(|file| store::write_atomically(&dir.join(&file.path), &file.bytes));
    let report = WrittenReport {
        path: display_path(&world.environment, &dir),
        files: files
            .iter()
            .map(|file| file.path.display().to_string())
            .collect(),
    };
    Notes::default().outcome(written.map(|()| report).map_err(Into::into))
}
