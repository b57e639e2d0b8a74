//! Lineage from end to end: where personas are looked for, whom they inherit, how they are shown, and everything that goes
//! wrong.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

mod bad;
mod discovery;
mod doctor;
mod inheriting;
mod large;
mod links;
mod looks;
mod odd;
mod reading;
mod submodules;
mod support;
