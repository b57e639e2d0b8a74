//! The catalog: agents and workflows from many places as one list.

mod choice;
mod pins;
#[allow(dead_code, reason = "the commands of the catalog are what reads them")]
mod remotes;
#[cfg(test)]
mod tests;

pub(crate) use choice::Choice;
pub(crate) use pins::{ask_remotes, remote_today, remotes_as_locked, remotes_to_lock};
#[allow(unused_imports, reason = "the commands of the catalog are what reads them")]
pub(crate) use remotes::{RemoteLayer, remote_layers, remotes_as_told};
