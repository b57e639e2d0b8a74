//! Catalogs from end to end: where manifests are looked for, which row counts, how it is shown, and everything that goes
//! wrong.
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
