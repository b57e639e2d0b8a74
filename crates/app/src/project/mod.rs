//! Reads a project: its manifest with bases and policies, its lockfile, sources, layers and disk.
//!
//! Commands are built from these parts. Nothing here writes into a project, prints or prompts: a part reads the input of
//! a decision, and returns the decision.

pub(crate) mod bases;
pub(crate) mod config;
pub(crate) mod drive;
pub(crate) mod gather;
pub(crate) mod graph;
pub(crate) mod installed_index;
pub(crate) mod layers;
pub(crate) mod ledger;
pub(crate) mod locked;
pub mod merge_inputs;
pub(crate) mod observer;
pub(crate) mod outside;
pub(crate) mod packages;
pub mod permits;
pub(crate) mod pinning;
pub(crate) mod policy_cache;
pub(crate) mod policy_files;
pub mod program_approval;
pub(crate) mod projects;
pub(crate) mod reading;
pub(crate) mod releases;
pub(crate) mod scope;
pub(crate) mod source_failure;
pub(crate) mod text_patches;
pub mod world;
pub mod write_mode;

/// Returns the path of one of agpm's own files, relative to the project.
pub(crate) fn path_of(path: &'static str) -> agpm_model::RelativePath {
    agpm_model::RelativePath::new(path).expect("agpm names its files portably")
}
