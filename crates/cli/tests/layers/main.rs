//! Layers from end to end: declared, pinned, merged, installed, owned key by key, explained, and every failure.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod approvals;
mod blocks;
mod declarations;
mod drivers;
mod errors;
mod global;
mod laws;
mod lifecycle;
mod lists;
mod lock;
mod merging;
mod ownership;
#[path = "../packages/support.rs"]
#[allow(dead_code, reason = "what packages need is more than what layers need")]
mod project;
mod support;
mod views;
mod whole_files;
mod with_packages;
