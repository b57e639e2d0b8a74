//! The MCP server: what `ops` reports, for clients that are not people. The only crate with an async runtime.
//!
//! `stdio` knows lines and streams, `http` knows sockets; everything else knows neither. Nothing here decides what is
//! installed or which layer wins: that is asked of `ops`.

mod answer;
mod body;
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
mod methods;
mod mime;
mod options;
mod paging;
mod prompts;
mod resources;
mod rpc_error;
mod running;
mod search;
mod server;
mod shared;
mod stdio;
mod tool;
mod traffic_control;
mod uri;
mod watch;

pub use crate::options::{
    AccessToken, HttpOptions, ServeError, ServeOptions, ServeTransport, WriteAccess,
};
pub use crate::running::{serve, serve_streams};
