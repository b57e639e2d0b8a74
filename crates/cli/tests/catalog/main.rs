//! Catalogs from end to end: locations of manifests, precedence of rows, output, and every failure.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

mod columns;
mod decision;
mod doctor;
mod errors;
mod explain;
mod locations;
mod lookup;
mod output;
mod parsing;
mod rows;
mod shadowed;
mod show;
mod support;
