//! Reads the files next to an imported one.

use std::path::{Path, PathBuf};

use agpm_adopt::NeighbouringFiles;
use agpm_diag::Notes;
use agpm_text::{Format, ParsedDocument};

use crate::project::reading::{display_path, limit};
use crate::project::world::Environment;
use agpm_text::parse_bytes;

/// Files on disk, which are added to the notes when they are read.
pub(super) struct NeighbouringDisk<'a> {
    /// The environment of the command.
    pub environment: &'a Environment,
    /// The directory of the imported file.
    pub directory: PathBuf,
    /// The directory of the manifest.
    pub project: PathBuf,
    /// The findings, with the sources that they point into.
    pub notes: &'a mut Notes,
}

impl NeighbouringDisk<'_> {
    fn read(&mut self, path: &Path, format: Format) -> Option<ParsedDocument> {
        let bytes = agpm_store::read_regular(path, limit()).ok()?;
        parse_bytes(
            display_path(self.environment, path),
            bytes,
            format,
            self.notes,
        )
        .ok()
    }
}

impl NeighbouringFiles for NeighbouringDisk<'_> {
    fn beside(&mut self, path: &str, format: Format) -> Option<ParsedDocument> {
        self.read(&self.directory.join(path), format)
    }

    fn in_home(&mut self, path: &str, format: Format) -> Option<ParsedDocument> {
        let file = self.environment.home.as_ref()?.join(path);
        self.read(&file, format)
    }

    fn names(&mut self, directory: &str) -> Vec<String> {
        agpm_store::directory_names(&self.directory.join(directory)).unwrap_or_default()
    }

    fn is_in_project(&self, path: &str) -> bool {
        let full = self.project.join(path);
        let real = agpm_store::real_path(&self.project).join(path);
        agpm_store::exists(&full) && agpm_store::real_path(&full) == real
    }
}
