//! Layers from end to end: declared, pinned, folded, installed, owned key by key, explained, and everything that goes wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod approving;
mod bad;
mod blocks;
mod declaring;
mod drivers;
mod folding;
mod global;
mod laws;
mod life;
mod lists;
mod lock;
mod looks;
mod ownership;
#[path = "../packages/support.rs"]
#[allow(dead_code, reason = "what packages need is more than what layers need")]
mod project;
mod support;
mod together;
mod whole;
