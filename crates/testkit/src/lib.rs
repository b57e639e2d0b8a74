//! For tests only: a sandbox, temporary git repositories, and the complete output of a command as one text.
//!
//! Unlike the product, this crate may panic: that is how a test fails.
#![allow(clippy::panic, clippy::unwrap_used)]

mod fixtures;
mod git;
mod json;
mod memory_files;
mod parallel;
mod registry;
mod sandbox;
mod schema;
mod script;
mod server;
mod temporary;

pub use fixtures::each_fixture;
pub use git::Repository;
pub use json::parse_json;
pub use memory_files::MemoryFiles;
pub use parallel::check_in_parallel;
pub use registry::{
    FakeLayer, FakeRegistry, RegistryFault, RegistryRequest, TarEntry, digest_of, tar_archive,
};
pub use sandbox::{CommandOutput, Sandbox};
pub use schema::schema_problems;
pub use script::{check_guide, check_parts, check_script, compare, run_script};
pub use server::{Behaviour, GitDaemon, HttpServer};
pub use temporary::temporary_directory;
