//! Reads a project: its manifest with bases and policies, its lockfile, sources, layers and disk.
//!
//! Use cases in `ops` are built from these parts. Nothing here writes into a project, prints or prompts: a part reads
//! what a pure crate needs to decide, and returns the decision.

pub mod adoption;
pub mod allowed;
pub mod bases;
pub mod cache_needs;
pub mod catalog;
pub mod config;
pub mod disk_record;
pub mod documents;
pub mod drive;
pub mod explained_resource;
pub mod file_contributions;
pub mod former_policies;
pub mod gather;
pub mod installed;
pub mod layers;
pub mod ledger;
pub mod lineage;
pub mod locked;
pub mod locked_state;
pub mod manifests;
pub mod merge_inputs;
pub mod neighbours;
pub mod observer;
pub mod offers;
pub mod outside;
pub mod packages;
pub mod permits;
pub mod pinning;
pub mod policies;
pub mod policy_cache;
pub mod policy_files;
pub mod projects;
pub mod reading;
pub mod releases;
pub mod scope;
pub mod source_failure;
pub mod unexpected;
pub mod watch;
pub mod world;

/// Returns the path of one of agpm's own files, relative to the project.
pub fn path_of(path: &'static str) -> agpm_model::RelativePath {
    agpm_model::RelativePath::new(path).expect("agpm names its files portably")
}
