//! Catalogs from end to end: where manifests are looked for, which row counts, how it is shown, and everything that goes
//! wrong.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

mod bad;
mod columns;
mod doctor;
mod explain;
mod finding;
mod looks;
mod places;
mod reading;
mod rows;
mod seed;
mod shadowed;
mod show;
mod support;
