//! The MCP server: the reports of `app`, for AI coding clients. The only crate with an async runtime.
//!
//! The SDK speaks the protocol. `session` has its methods, `protocol` the messages and errors that the SDK leaves to
//! the server. `stdio` with
//! `traffic`, and `http`, limit what a client can cost; the other modules know neither lines nor sockets.
//! Decisions about what is installed and which layer wins are made in `app`.

mod answer;
mod catalog;
mod completion;
#[cfg(test)]
mod documented;
mod http;
mod json;
mod kind;
mod limits;
mod list_changes;
mod log;
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
mod traffic;
mod uri;
mod watch;

pub use crate::options::{
    AccessToken, HttpOptions, ServeError, ServeOptions, ServeTransport, WriteAccess,
};
pub use crate::serving::{serve, serve_streams};
