//! Lineage from end to end: where personas are looked for, whom they inherit, how they are shown, and everything that goes
//! wrong.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

mod discovery;
mod doctor;
mod errors;
mod inheritance;
mod large;
mod output;
mod read_only;
mod submodules;
mod support;
mod symlinks;
mod unusual;
