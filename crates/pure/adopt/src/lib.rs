//! What a project has before agpm comes: from a look at its files to entries of a manifest.
//!
//! Reads through `model::MachineFiles`, writes nothing, and asks no source. Two ways lead to entries: files that tools
//! read already are described in place, and the files of other managers name where theirs came from.

mod entries;
mod format;
mod formats;
mod found;
mod git_metadata;
mod managers;
mod places;
mod survey;

pub use entries::{
    AdoptedEntries, DependencySource, EntryOrigin, ForeignDependency, ForeignVersion,
    ManifestEntry, entries_of,
};
pub use format::{FORMATS, ImportFormat, ImportedManifest, ReadFiles};
pub use found::{
    DetectedIn, FoundEntries, FoundManager, FoundResource, FoundRule, ProjectSurvey, SkippedFile,
    Tooling,
};
pub use managers::MANAGER_FILES;
pub use survey::{detect_tools, survey};
