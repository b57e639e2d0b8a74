//! The state of a project before agpm: from its files to entries of a manifest.
//!
//! Reads through `model::MachineFiles`, writes nothing, and asks no source. Two ways lead to entries: files that tools
//! read already are described in place, and the files of other managers name the sources of the files that they installed.

mod describe;
mod entries;
mod formats;
mod found;
mod git_metadata;
mod locations;
mod managers;
mod report;
mod starter;
mod survey;

pub use describe::{AdoptionChoice, adoption_choices};
pub use entries::{EntrySource, ForeignVersion, ManifestEntry, NewEntries, NewEntry};
pub use formats::{
    FORMATS, ForeignFiles, ForeignManifest, ImportFormat, ManifestDifference, NeighbouringFiles,
    format_named, read_differences,
};
pub use found::{
    ChosenTools, DetectedIn, FoundEntries, FoundManager, FoundResource, FoundRule, ProjectSurvey,
    SkippedFile, UnknownTool,
};
pub use managers::{MANAGER_FILES, ManagerFile};
pub use report::{AdoptedResource, Adoption, AdoptionAnswer, InitReport, ManifestWrite};
pub use starter::{
    COOLDOWN_CHOICE, STARTER_MANIFEST, starter_manifest, with_ignored_line, with_ignored_lines,
};
pub use survey::{detect_tools, survey};
