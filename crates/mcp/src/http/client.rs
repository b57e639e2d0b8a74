//! The other end of a connection.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::Duration;

pub(super) struct Client(pub(super) TcpStream);

impl Client {
    /// Whether the client closed the connection.
    pub(super) fn is_gone(&self) -> bool {
        let mut byte = [0];
        let looked = self
            .0
            .set_read_timeout(Some(Duration::from_millis(1)))
            .and_then(|()| self.0.peek(&mut byte));
        match looked {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    }
}
