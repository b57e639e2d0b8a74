//! Where the files of rows are: asked one by one, or for a whole list with every directory read once.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use agpm_model::{FoundFile, FoundKind, MachineFiles, ResolvedPath};

use crate::content::CatalogContent;
use crate::kind::EntryKind;
use crate::layer::CatalogLayer;
use crate::location::{PathFault, places, skill_folders};
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
    Folder,
    /// A file that is outside of the layer.
    OutsideFile,
    Nothing,
}

/// Says what a path in a layer leads to.
trait PathProbe {
    fn target(&mut self, layer: &CatalogLayer, place: &str) -> PathTarget;
}

/// Asks the file system about every path.
struct EachPath<'f>(&'f dyn MachineFiles);

impl PathProbe for EachPath<'_> {
    fn target(&mut self, layer: &CatalogLayer, place: &str) -> PathTarget {
        match self.0.reach(&layer.folder.join(place)) {
            Ok(Some(ResolvedPath::File(path))) if path.starts_with(&layer.real) => PathTarget::File,
            Ok(Some(ResolvedPath::Folder(path))) if path.starts_with(&layer.real) => {
                PathTarget::Folder
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
    known: Mutex<HashMap<PathBuf, Arc<DirectoryNames>>>,
}

/// One finder of files, with the directories that it has met so far at hand.
#[derive(Debug)]
pub(crate) struct FileFinder<'l> {
    listings: &'l FolderListings<'l>,
    met: HashMap<PathBuf, HashMap<String, Arc<DirectoryNames>>>,
}

/// The names in a directory.
#[derive(Debug)]
struct DirectoryNames {
    /// Sorted by name; nothing if the directory could not be read.
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
            known: Mutex::default(),
        }
    }

    pub(crate) fn finder(&self) -> FileFinder<'_> {
        FileFinder {
            listings: self,
            met: HashMap::new(),
        }
    }

    fn listing(&self, layer: &CatalogLayer, folder: &str) -> Arc<DirectoryNames> {
        let path = layer.folder.join(folder);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let listing = known.entry(path).or_insert_with_key(|path| {
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
    fn target(&mut self, layer: &CatalogLayer, place: &str) -> PathTarget {
        let (folder, name) = place.rsplit_once('/').unwrap_or(("", place));
        if !self.met.contains_key(&layer.folder) {
            self.met.insert(layer.folder.clone(), HashMap::new());
        }
        let Some(folders) = self.met.get_mut(&layer.folder) else {
            return EachPath(self.listings.files).target(layer, place);
        };
        let listing = match folders.get(folder) {
            Some(listing) => listing,
            None => folders
                .entry(folder.to_owned())
                .or_insert(self.listings.listing(layer, folder)),
        };
        // Links, directories and what cannot be listed are for the file system to say.
        listing
            .target_of(name)
            .unwrap_or_else(|| EachPath(self.listings.files).target(layer, place))
    }
}

impl DirectoryNames {
    /// The target of a name in this directory, if the listing alone decides it.
    fn target_of(&self, name: &str) -> Option<PathTarget> {
        let entries = self.entries.as_ref()?;
        match entries.binary_search_by(|own| own.path.as_str().cmp(name)) {
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
                        .map(|own| own.path.to_ascii_lowercase())
                        .collect()
                });
                (!small.contains(&name.to_ascii_lowercase())).then_some(PathTarget::Nothing)
            }
        }
    }
}

impl CatalogContent<'_> {
    /// Where the file of a row is, from the layer's directory.
    pub(crate) fn place_of(&self, row: RowRef<'_>) -> Result<String, NoFile> {
        self.path_of_row(row, &mut EachPath(self.machine))
    }

    /// The same for one of many rows.
    pub(crate) fn listed_place_of(
        &self,
        row: RowRef<'_>,
        finder: &mut FileFinder<'_>,
    ) -> Result<String, NoFile> {
        self.path_of_row(row, finder)
    }

    fn path_of_row(&self, row: RowRef<'_>, probe: &mut impl PathProbe) -> Result<String, NoFile> {
        let written = row.path().ok_or(NoFile::Unnamed)?;
        let candidates =
            places(written, &self.manifest_file(row).standing).map_err(|fault| match fault {
                PathFault::Missing => NoFile::Unnamed,
                PathFault::Escapes => NoFile::Escapes,
            })?;
        let layer = self.layer(row);
        let mut fault = NoFile::Missing;
        for place in candidates {
            match probe.target(layer, &place) {
                PathTarget::File => return Ok(place),
                PathTarget::Folder if row.kind() == EntryKind::Skill => {
                    if let Some(inner) = skill_file(probe, layer, &place) {
                        return Ok(inner);
                    }
                }
                PathTarget::OutsideFile => fault = NoFile::Escapes,
                PathTarget::Folder | PathTarget::Nothing => {}
            }
        }
        // Newer installers keep the file in the directories of tools alone, and leave the path of their package in the row.
        let mut folders = row.canonical_id().into_iter().flat_map(skill_folders);
        folders
            .find_map(|folder| installed_skill(probe, layer, &folder))
            .ok_or(fault)
    }
}

/// The file of a skill in a directory of a tool, if it has one of that name.
fn installed_skill(
    probe: &mut impl PathProbe,
    layer: &CatalogLayer,
    folder: &str,
) -> Option<String> {
    let is_folder = probe.target(layer, folder) == PathTarget::Folder;
    is_folder
        .then(|| skill_file(probe, layer, folder))
        .flatten()
}

fn skill_file(probe: &mut impl PathProbe, layer: &CatalogLayer, folder: &str) -> Option<String> {
    let inner = format!("{folder}/{SKILL_FILE}");
    (probe.target(layer, &inner) == PathTarget::File).then_some(inner)
}
