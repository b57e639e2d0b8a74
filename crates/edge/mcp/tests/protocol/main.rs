//! The server by transcript: lines in, lines out, over streams in this process.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod catalog;
mod http;
mod looking;
mod pages;
mod robust;
mod session;
mod support;
mod telling;
