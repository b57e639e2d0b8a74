//! The syntax of each format: parsing, printing and editing.

pub(crate) mod csv;
pub(crate) mod flow;
pub(crate) mod json;
pub(crate) mod markdown;
mod quote;
pub(crate) mod representable;
pub(crate) mod toml;
pub(crate) mod yaml;
