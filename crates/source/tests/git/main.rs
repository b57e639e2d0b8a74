//! Sources of every kind, real servers on the loopback, and every failure. Tests read files directly and not through
//! the code under test.
// Tests look at files directly: what is tested must not vouch for itself.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::panic
)]

mod broken;
mod checkout;
#[cfg(unix)]
mod processes;
mod reading;
mod secrets;
mod servers;
mod support;
mod tracked;
