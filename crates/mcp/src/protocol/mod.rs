//! The messages of the protocol: reading them, writing them, and the types of their contents.

pub(crate) mod error;
pub(crate) mod log;
pub(crate) mod message;
pub(crate) mod method;
pub(crate) mod params;
pub(crate) mod results;
pub(crate) mod version;
