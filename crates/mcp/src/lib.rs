//! The MCP server: the reports of `ops`, for AI coding clients.
//!
//! `protocol` has the messages, `methods` the table of methods, and `session` the state of one client. `stdio` and
//! `http` are the transports; the other modules know neither lines nor sockets. Decisions about what is installed and
//! which layer wins are made in `ops`.

mod answer;
mod catalog;
mod completion;
#[cfg(test)]
mod documented;
mod end_signal;
mod http;
mod json;
mod kind;
mod limits;
mod list_changes;
mod methods;
mod mime;
mod options;
mod paging;
mod prompts;
mod protocol;
mod resources;
mod search;
mod serving;
mod session;
mod shared;
mod stdio;
mod tool;
mod uri;
mod watch;
mod workers;

pub use crate::options::{
    AccessToken, HttpOptions, ServeError, ServeOptions, ServeTransport, WriteAccess,
};
pub use crate::serving::{serve, serve_streams};
