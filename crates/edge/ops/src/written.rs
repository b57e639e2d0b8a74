//! Files that agpm generates about itself, in a directory that the user names.

use std::path::{Path, PathBuf};

use agpm_diag::{Notes, Outcome};
use agpm_store as store;
use serde::Serialize;

use agpm_project::reading::shown;
use agpm_project::world::World;

/// A file to write.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// Its path in the directory.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The files that were written.
#[derive(Clone, Debug, Serialize)]
pub struct WrittenReport {
    /// The directory.
    pub path: String,
    /// The files in it.
    pub files: Vec<String>,
}

/// Writes files, over older ones of the same name.
pub fn write_files(world: &World, dir: &Path, files: &[WrittenFile]) -> Outcome<WrittenReport> {
    let dir = world.environment.resolve(dir);
    let written = files
        .iter()
        .try_for_each(|file| store::write_whole(&dir.join(&file.path), &file.bytes));
    let report = WrittenReport {
        path: shown(&world.environment, &dir),
        files: files
            .iter()
            .map(|file| file.path.display().to_string())
            .collect(),
    };
    Notes::default().outcome(written.map(|()| report).map_err(Into::into))
}
