//! Messages and errors of the protocol, where the SDK leaves them to the server.

pub(crate) mod error;
pub(crate) mod message;
pub(crate) mod method;
