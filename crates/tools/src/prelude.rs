//! The words that a tool's file is written in.

pub(crate) use crate::config::{
    ConfigFile, ConfigKey, HOOK_FILE, KeyEffect, SERVER_FILE, harmless, key,
};
pub(crate) use crate::definition::*;
pub(crate) use crate::format::agent::*;
pub(crate) use crate::format::checked::*;
pub(crate) use crate::format::command::*;
pub(crate) use crate::format::hook::*;
pub(crate) use crate::format::instruction::*;
pub(crate) use crate::format::server::*;
pub(crate) use crate::models::*;
pub(crate) use crate::source::source;
pub(crate) use crate::tool_names::*;
