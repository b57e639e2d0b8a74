//! Personas from end to end: locations, inheritance, output, and every failure.
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
