//! Packages from end to end: the manifest reference's worked examples, locks, ownership, and everything that goes wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod disk;
mod explaining;
mod hostile;
mod lock;
mod manifest;
mod outside;
mod ownership;
mod patches;
mod resolve;
mod running;
mod shared;
mod skills;
mod support;
mod templates;
mod tools;
mod trust;
