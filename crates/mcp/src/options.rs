//! Options of the server, and errors of its start.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use agpm_app::catalog::CatalogSelection;

/// The options of the server.
pub struct ServeOptions {
    /// The transport.
    pub channel: ServeTransport,
    /// Whether clients may change the project.
    pub writes: WriteAccess,
    /// The directories that are searched for catalogs.
    pub selection: CatalogSelection,
}

/// The transport between clients and the server.
pub enum ServeTransport {
    /// Standard input and output; nothing else may write there.
    Stdio,
    /// HTTP on this machine only.
    Http(HttpOptions),
}

/// The options of HTTP.
pub struct HttpOptions {
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The token that every request must have.
    pub token: AccessToken,
    /// Called with the host and port as soon as requests are accepted.
    pub ready: Box<dyn FnOnce(SocketAddr) + Send>,
}

/// Whether clients may change the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteAccess {
    /// Clients may only read.
    #[default]
    Refused,
    /// They may install and update.
    Allowed,
}

/// A secret that is compared and never shown.
#[derive(Clone)]
pub struct AccessToken(String);

impl AccessToken {
    /// A given token; nothing if it is empty, or not valid in a header.
    pub fn new(text: &str) -> Option<Self> {
        let good = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        good.then(|| AccessToken(text.to_owned()))
    }

    /// A random token; nothing if the system has no random bytes.
    pub fn generate() -> Option<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).ok()?;
        Some(AccessToken(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// The text of the token, for the user who starts the server.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether both are the same. The time of the comparison does not depend on where they differ.
    pub(crate) fn is(&self, other: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let differing = own.iter().enumerate().fold(0, |sum, (at, byte)| {
            sum | (byte ^ other.get(at).copied().unwrap_or(0))
        });
        std::hint::black_box(differing) == 0 && own.len() == other.len()
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

/// The reason why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The async runtime did not start.
    #[error("the server cannot start: {0}")]
    Runtime(#[source] io::Error),
    /// The port cannot be used.
    #[error("port {port} of this machine cannot be used: {cause}")]
    Port {
        /// The port.
        port: u16,
        /// The error of the operating system.
        #[source]
        cause: io::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_same_or_not() {
        let token = AccessToken::new("s3cret").unwrap();
        assert!(token.is(b"s3cret"));
        for other in ["", "s3cre", "s3crets", "S3cret", "s3cre\0"] {
            assert!(!token.is(other.as_bytes()), "{other:?}");
        }
        assert!(
            AccessToken::new("").is_none()
                && AccessToken::new("a b").is_none()
                && AccessToken::new("a\n").is_none()
        );
        assert_eq!(format!("{token:?}"), "Token(***)");
    }
}
