//! The program that creates the documents.

/// The version of agpm.
pub(super) const CREATOR_VERSION: &str = env!("CARGO_PKG_VERSION");
