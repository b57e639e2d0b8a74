//! Renders resolved resources to the bytes and entries that are written: patches, templates, tool formats.
//!
//! The crate has no access to the disk: the caller provides the files that templates read, and nothing is written.

mod capabilities;
mod composer;
mod contained_types;
mod fidelity;
mod folding;
mod foreign_hooks;
mod form;
mod instructions;
mod judged;
mod judged_layers;
mod layer_readings;
mod lock;
mod markdown_facts;
mod patching;
mod placement;
mod project_capabilities;
mod readings;
mod rendered;
mod templates;
mod text_patch;
mod texts;

pub use capabilities::{capability_set_of_layer, capability_sets};
pub use composer::{ComposedEntry, Composer};
pub use fidelity::{LossPolicy, Widening, check_fidelity, widenings};
pub use foreign_hooks::foreign_hook_notes;
pub use instructions::{ProjectTree, place_blocks, refuse_markers};
pub use judged::{VersionFacts, judged_list, judged_resources, judged_source, judged_version};
pub use judged_layers::{JudgedFile, judged_layers};
pub use layer_readings::reading_of_layer_file;
pub use lock::lock_of;
pub use markdown_facts::MarkdownCache;
pub use patching::{AppliedField, check_names as check_patched_names, patched_file};
pub use placement::{check_placement, server_clashes};
pub use project_capabilities::{
    CapabilityChanges, LockedBefore, ProjectCapabilities, SetsAsLocked, UnapprovedChange,
    UnapprovedReason,
};
pub use rendered::{
    KeptTexts, OutputBlock, OutputCapability, OutputEntries, OutputFile, RenderedResource,
    RenderedSet, ResourceOutput,
};
pub use templates::{LARGEST_READ, ProjectFileError, ProjectFiles, project_names};
pub use text_patch::{
    NewFileDiff, PatchedFile, PatchedText, line_span, main_name, text_patch_file,
};
