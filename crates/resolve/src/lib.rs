//! Resolves a manifest and a lockfile to the entries that are installed, with their target paths.
//!
//! The crate has no access to files, the network or git: it names the missing facts, and the caller provides them.

pub mod discover;
pub mod plugin;
pub mod solve;

mod conflict;
mod declared;
mod declared_requirements;
mod derived_names;
mod entries;
mod index;
mod levels;
mod lock_capabilities;
mod lock_diff;
mod lock_join;
mod lock_match;
mod lock_view;
mod locked_entries;
mod locked_resource;
mod marketplaces;
mod needs;
mod older_paths;
mod open_sources;
mod path_files;
mod pins;
mod plugin_needs;
mod plugin_root;
mod plugins;
mod required_source;
mod resource_entries;
mod shared_hooks;
mod skill_directories;
mod target;
mod versions;
mod written_id;

pub use conflict::{ConflictReporter, FileListing, PathContent, cycle, too_hard};
pub use declared::{DeclaringResource, EscapedPath, declared_unit, format_of, template_error};
pub use declared_requirements::DeclaredRequirements;
pub use entries::{
    ResolvedEntries, ResolvedEntry, forget_held_roots, held_roots, resolved_entries, roots,
};
pub use index::{
    DeclaredNeeds, FoundContent, MissingFact, PinState, ReleaseLimit, ResourceFiles, SolverPin,
    SourceFile, SourceIndex, SourceVersion, tree_line,
};
pub use lock_join::{JoinFacts, JoinedLock, JoinedPin, LockSides, PinChoice, join_locks};
pub use lock_match::{
    RootFinder, check_declared_needs, check_locked_sources, check_plugin_parts, is_locked_as,
    locked_roots,
};
pub use lock_view::{LockView, lockfile_note, no_lockfile, nothing_listed};
pub use locked_entries::{LockedContent, installable_part, part_of_lock};
pub use locked_resource::{LockedResource, Placements, ResourceIdentity};
pub use marketplaces::{
    NamedCommit, PluginLocation, add_source, bind_locked_plugins, find_entry, locate_plugin,
    remote_requirement,
};
pub use needs::{NeedsReader, ReadContent};
pub use open_sources::OpenSources;
pub use path_files::{PathFiles, Unfit, found_unit, path_clash, portable_path};
pub use pins::{UpdateScope, pins, relocated_sources};
pub use plugin_needs::marketplace_entries;
pub use plugins::{MarketplaceEntries, expand_plugins, part_remedy};
pub use required_source::{
    RequiredSource, SourceRefusal, add_locked_sources, refused_source, required_source,
    unit_of_source,
};
pub use versions::{
    fold_foreign_dependencies, moved_tag, passed_over, report_moved_tags, report_relocated,
    report_skipped, report_versions, source_relocated,
};
pub use written_id::{WrittenId, ambiguous, means, near_ids};

pub use derived_names::{ExcludedMatches, excluded};
pub use levels::levels;
pub use lock_capabilities::{
    EarlierCapabilities, LockedCapabilities, capability_difference, lacks_capabilities,
};
pub use lock_diff::{
    MovedPin, checksum_findings, frozen_difference, lock_difference, moved_pins,
    refuse_foreign_paths,
};
pub use older_paths::{MovedFile, is_older_path, moved_files};
pub use resource_entries::{EntryError, EntryGraph, Need, ResourceEntry, entries};
pub use target::{
    TargetClash, TargetRequest, ToolSharing, clashes, could_install_at, path_in_type_directory,
    placements, target,
};
