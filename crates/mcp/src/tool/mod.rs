//! The tool `agpm`.

mod arguments;
mod listing;
mod operations;
mod reading;
mod schema;

pub(crate) use crate::tool::arguments::ToolOperation;
pub(crate) use crate::tool::listing::names_of;
pub(crate) use crate::tool::operations::run;
pub(crate) use crate::tool::schema::{NAME, tool};
