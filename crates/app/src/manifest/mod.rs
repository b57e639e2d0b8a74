//! A manifest out of its files and bases, and edits of it: what is typed becomes an entry, or removes one.
//!
//! Knows no disk and no sources: bases are read through a port, and what a source offers is handed in.

mod added_entry;
mod additions;
mod address_words;
mod bases;
mod dependency_edit;
mod edit;
mod entry_change;
mod fold;
mod local_paths;
mod offer_failures;
mod origin;
mod past;
mod pin_words;
mod removal;
mod settlement;
mod source_edit;
mod typed_dependency;
mod usage;

pub use added_entry::{
    AddedEntry, AddedResource, EntryContext, EntryOptions, Presence, existing_dependency,
    newest_or_default,
};
pub use additions::{AddedSource, AdditionsReport, LeftOutResource, ManifestAdditions};
pub use address_words::{AddressWords, group_words, read_address};
pub use bases::{
    BaseFile, BasePins, BaseReader, BaseRules, BaseVersions, LoadedBase, base_with, load_bases,
    plain_path,
};
pub use dependency_edit::DependencyEdit;
pub(crate) use edit::parsed;
pub use edit::{EditedManifest, edit, set_entry, uneditable};
pub use entry_change::{ChangedResource, EntryChange};
pub use fold::{ManifestDocuments, fold_texts, readable_lock, required_release_age, source_names};
pub use local_paths::written_paths;
pub use origin::{OfferOrigin, OfferedSource, SourceState, path_from_manifest};
pub use past::{ManifestPast, RecordedEdit, requires_nothing};
pub use pin_words::PinWords;
pub use removal::{DependencyId, DependencyRemoval, PatternUse};
pub use settlement::{Settlement, suggest_command};
pub use source_edit::{add_source, remove_source};
pub use typed_dependency::{DependencyParser, NewDependency, TypedDependency};
pub use usage::{
    Replace, name_exists, new_source, not_an_address, resource_type_of_word, type_of_word,
    unknown_tool, usage,
};

/// The name of a manifest's file.
pub const MANIFEST_NAME: &str = "agpm.toml";
