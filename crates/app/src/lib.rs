//! One directory per command: its request, its steps, its decisions and its report, top to bottom. Nothing here prints.
//!
//! Commands share `project`: reading a project with its manifest, lockfile, sources, layers and disk.

pub mod add;
pub mod approve;
pub mod audit;
pub mod blame;
pub mod bottle;
pub mod browse;
pub mod cache;
pub mod can;
pub mod catalog;
pub mod change;
pub mod ci;
pub mod config;
pub mod cost;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod drift;
pub mod explain;
pub mod findings;
mod gitignore;
mod ignored_hooks;
pub mod import;
pub mod init;
pub mod install;
pub mod installed;
pub mod layers;
pub mod lineage;
pub mod list;
pub mod lock_merge;
pub mod manifest;
pub mod manifest_text;
pub mod merge;
pub mod names;
mod offers;
pub mod outdated;
pub mod patch;
pub mod policy;
pub mod project;
pub mod publish;
pub mod report;
pub mod resolve;
pub mod sbom;
pub mod search;
pub mod status;
pub mod strategies;
#[cfg(test)]
mod testing;
pub mod tree;
pub mod undo;
pub mod update;
pub mod validate;
pub mod verify;
pub mod watch;
pub mod why;
pub mod written;
