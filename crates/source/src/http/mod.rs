//! HTTP for sources that are servers without git: one client with limits, patience, redirects and credentials.
//!
//! It knows requests and credentials, not what is fetched. Answers are never trusted: every body has a limit, and a
//! credential goes only to the server that it is for.

mod challenge;
mod client;
mod credentials;
mod server;

pub(crate) use challenge::{Challenge, read_challenges};
pub(crate) use client::{HttpAnswer, HttpClient, HttpFailure, HttpRequest, ReadFailure, printable};
pub(crate) use credentials::{Credential, CredentialFailure, find_credential};
pub(crate) use server::HttpServer;
