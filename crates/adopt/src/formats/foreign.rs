//! Input and output of the format readers.

use agpm_diag::Diagnostic;
use agpm_text::{Format, ParsedDocument};

use crate::entries::ManifestEntry;

/// The contents of another manager's files.
#[derive(Debug, Default)]
pub struct ForeignManifest {
    /// Tools, as agpm calls them.
    pub tools: Vec<String>,
    /// Dependencies, and MCP servers. Local paths start at the file.
    pub entries: Vec<ManifestEntry>,
    /// Errors in the files, and settings without a counterpart.
    pub diagnostics: Vec<Diagnostic>,
}

/// The file that is imported, and those that belong to it.
pub struct ForeignFiles<'a> {
    /// The file that was named or found.
    pub main: ParsedDocument,
    /// Its name, without directories.
    pub name: String,
    /// Other files and directories.
    pub beside: &'a mut dyn NeighbouringFiles,
}

/// The files around the one that is imported.
pub trait NeighbouringFiles {
    /// A file by its path from the directory of the imported one; `None` if it does not exist.
    fn beside(&mut self, path: &str, format: Format) -> Option<ParsedDocument>;

    /// A file of the user, by its path from home.
    fn in_home(&mut self, path: &str, format: Format) -> Option<ParsedDocument>;

    /// The names in a directory next to the imported file.
    fn names(&mut self, directory: &str) -> Vec<String>;

    /// Whether a file or directory of the project exists and is not a symlink.
    fn is_in_project(&self, path: &str) -> bool;
}
