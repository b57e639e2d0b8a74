//! Packages from end to end: the manifest reference's worked examples, locks, ownership, and everything that goes wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod adding;
mod adoption;
mod browsing;
mod clones;
mod compat;
mod disk;
mod editing;
mod explaining;
mod hostile;
mod hostile_plugins;
mod ids;
mod increases;
mod inline;
mod instructions;
mod lock;
mod manifest;
mod many_tools;
mod marketplaces;
mod moving;
mod other_sources;
mod outside;
mod ownership;
mod patches;
mod patterns;
mod plugins;
mod readable;
mod removing;
mod resolve;
mod running;
mod shared;
mod skills;
mod support;
mod templates;
mod tools;
mod trust;
