//! The server by transcript: lines in, lines out, over streams in this process.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod catalog;
mod http;
mod notifications;
mod pages;
mod requests;
mod robust;
mod session;
mod support;
