//! Finds the files of rows: one by one, or for a whole list with every directory read once.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use agpm_model::{FoundFile, FoundKind, MachineFiles, ResolvedPath};

use crate::content::CatalogContent;
use crate::kind::EntryKind;
use crate::layer::CatalogLayer;
use crate::location::{PathFault, candidate_paths, skill_directories};
use crate::row::RowRef;

/// The file of a skill that is a directory.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// The reason why an entry has no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFile {
    /// The row names none.
    Unnamed,
    /// It does not exist.
    Missing,
    /// It is, or would be, outside of the layer.
    Escapes,
}

/// The target of a path in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathTarget {
    File,
    Directory,
    /// A file that is outside of the layer.
    OutsideFile,
    Nothing,
}

/// Says what a path in a layer leads to.
trait PathProbe {
    fn target(&mut self, layer: &CatalogLayer, path: &str) -> PathTarget;
}

/// Asks the file system about every path.
struct EachPath<'f>(&'f dyn MachineFiles);

impl PathProbe for EachPath<'_> {
    fn target(&mut self, layer: &CatalogLayer, location: &str) -> PathTarget {
        match self.0.reach(&layer.directory.join(location)) {
            Ok(Some(ResolvedPath::File(path))) if path.starts_with(&layer.real) => PathTarget::File,
            Ok(Some(ResolvedPath::Directory(path))) if path.starts_with(&layer.real) => {
                PathTarget::Directory
            }
            Ok(Some(ResolvedPath::File(_))) => PathTarget::OutsideFile,
            _ => PathTarget::Nothing,
        }
    }
}

/// Directories that were read, for all who look for files at the same time.
///
/// A catalog has many rows in few directories, and reading a directory costs about as much as requiring a few of its files. The
/// listings are as old as this value: keep it only as long as one list is made.
#[derive(Debug)]
pub(crate) struct FolderListings<'f> {
    files: &'f dyn MachineFiles,
    listings_by_path: Mutex<HashMap<PathBuf, Arc<DirectoryNames>>>,
}

/// One finder of files, with the directories that it has met so far at hand.
#[derive(Debug)]
pub(crate) struct FileFinder<'l> {
    listings: &'l FolderListings<'l>,
    seen: HashMap<PathBuf, HashMap<String, Arc<DirectoryNames>>>,
}

/// The names in a directory.
#[derive(Debug)]
struct DirectoryNames {
    /// The entries, sorted by name; `None` if the directory could not be read.
    entries: Option<Vec<FoundFile>>,
    /// Whether the directory really is in its layer.
    is_inside: bool,
    /// The names in small letters, made when a name is missed: file systems may ignore the difference.
    small: OnceLock<HashSet<String>>,
}

impl<'f> FolderListings<'f> {
    pub(crate) fn new(files: &'f dyn MachineFiles) -> Self {
        FolderListings {
            files,
            listings_by_path: Mutex::default(),
        }
    }

    pub(crate) fn finder(&self) -> FileFinder<'_> {
        FileFinder {
            listings: self,
            seen: HashMap::new(),
        }
    }

    fn listing(&self, layer: &CatalogLayer, directory: &str) -> Arc<DirectoryNames> {
        let path = layer.directory.join(directory);
        let mut listings_by_path = self
            .listings_by_path
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let listing = listings_by_path.entry(path).or_insert_with_key(|path| {
            let is_inside = self.files.real_path(path).starts_with(&layer.real);
            let entries = self.files.below(path, 0).ok();
            Arc::new(DirectoryNames {
                entries,
                is_inside,
                small: OnceLock::new(),
            })
        });
        Arc::clone(listing)
    }
}

impl PathProbe for FileFinder<'_> {
    fn target(&mut self, layer: &CatalogLayer, path: &str) -> PathTarget {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if !self.seen.contains_key(&layer.directory) {
            self.seen.insert(layer.directory.clone(), HashMap::new());
        }
        let Some(directories) = self.seen.get_mut(&layer.directory) else {
            return EachPath(self.listings.files).target(layer, path);
        };
        let listing = match directories.get(directory) {
            Some(listing) => listing,
            None => directories
                .entry(directory.to_owned())
                .or_insert(self.listings.listing(layer, directory)),
        };
        // Symlinks, directories and unlisted paths are checked in the file system.
        listing
            .target_of(name)
            .unwrap_or_else(|| EachPath(self.listings.files).target(layer, path))
    }
}

impl DirectoryNames {
    /// The target of a name in this directory, if the listing alone decides it.
    fn target_of(&self, name: &str) -> Option<PathTarget> {
        let entries = self.entries.as_ref()?;
        match entries.binary_search_by(|entry| entry.path.as_str().cmp(name)) {
            Ok(at) => {
                (entries[at].kind == FoundKind::File && self.is_inside).then_some(PathTarget::File)
            }
            Err(_) if entries.is_empty() => Some(PathTarget::Nothing),
            // A file system may hold the name in another form.
            Err(_) if !name.is_ascii() => None,
            Err(_) => {
                let small = self.small.get_or_init(|| {
                    entries
                        .iter()
                        .map(|entry| entry.path.to_ascii_lowercase())
                        .collect()
                });
                (!small.contains(&name.to_ascii_lowercase())).then_some(PathTarget::Nothing)
            }
        }
    }
}

impl CatalogContent<'_> {
    /// The path of the file of a row, from the layer's directory.
    pub(crate) fn path_in_layer(&self, row: RowRef<'_>) -> Result<String, NoFile> {
        self.path_of_row(row, &mut EachPath(self.machine))
    }

    /// The same for one of many rows.
    pub(crate) fn listed_path_of(
        &self,
        row: RowRef<'_>,
        finder: &mut FileFinder<'_>,
    ) -> Result<String, NoFile> {
        self.path_of_row(row, finder)
    }

    fn path_of_row(&self, row: RowRef<'_>, probe: &mut impl PathProbe) -> Result<String, NoFile> {
        let written = row.path().ok_or(NoFile::Unnamed)?;
        let candidates = candidate_paths(written, &self.manifest_file(row).standing).map_err(
            |fault| match fault {
                PathFault::Missing => NoFile::Unnamed,
                PathFault::Escapes => NoFile::Escapes,
            },
        )?;
        let layer = self.layer(row);
        let mut fault = NoFile::Missing;
        for path in candidates {
            match probe.target(layer, &path) {
                PathTarget::File => return Ok(path),
                PathTarget::Directory if row.kind() == EntryKind::Skill => {
                    if let Some(inner) = skill_file(probe, layer, &path) {
                        return Ok(inner);
                    }
                }
                PathTarget::OutsideFile => fault = NoFile::Escapes,
                PathTarget::Directory | PathTarget::Nothing => {}
            }
        }
        // Newer installers keep the file in the directories of tools alone, and leave the path of their package in the row.
        let mut directories = row.canonical_id().into_iter().flat_map(skill_directories);
        directories
            .find_map(|directory| installed_skill(probe, layer, &directory))
            .ok_or(fault)
    }
}

/// The file of a skill in a directory of a tool, if it has one of that name.
fn installed_skill(
    probe: &mut impl PathProbe,
    layer: &CatalogLayer,
    directory: &str,
) -> Option<String> {
    let is_directory = probe.target(layer, directory) == PathTarget::Directory;
    is_directory
        .then(|| skill_file(probe, layer, directory))
        .flatten()
}

fn skill_file(probe: &mut impl PathProbe, layer: &CatalogLayer, directory: &str) -> Option<String> {
    let inner = format!("{directory}/{SKILL_FILE}");
    (probe.target(layer, &inner) == PathTarget::File).then_some(inner)
}
