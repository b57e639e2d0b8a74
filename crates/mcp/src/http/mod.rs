//! HTTP on this machine: a thread for each connection, up to a limit.

mod access;
mod client;
mod connection;
mod endpoint;
mod events;
mod reader;
mod response;
mod rules;
mod sessions;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::http::access::AccessRules;
use crate::http::connection::Connection;
use crate::http::endpoint::Endpoint;
use crate::http::sessions::Sessions;
use crate::options::{HttpOptions, ServeError};
use crate::shared::SharedState;

/// Connections that are served at once. Further ones wait until one of them is closed.
const MOST_CONNECTIONS: usize = 512;
/// Connections only read and write messages, so they need little of a stack.
const STACK: usize = 512 << 10;
/// The wait after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves for ever.
pub(crate) fn serve_http(shared: Arc<SharedState>, options: HttpOptions) -> Result<(), ServeError> {
    let HttpOptions { port, token, ready } = options;
    let failed = |cause| ServeError::Port { port, cause };
    // Loopback only: the server answers with the contents of the project, and a token is not a protection on a
    // shared network.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    ready(address);
    let server = HttpServer {
        access: AccessRules {
            token,
            port: address.port(),
        },
        endpoint: Endpoint {
            shared,
            sessions: Sessions::default(),
        },
        open: OpenConnections::default(),
    };
    Arc::new(server).accept(&listener);
    Ok(())
}

struct HttpServer {
    access: AccessRules,
    endpoint: Endpoint,
    open: OpenConnections,
}

impl HttpServer {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            self.open.wait_for_capacity();
            match listener.accept() {
                Ok((stream, _)) => self.start_connection(stream),
                // The most likely reason, too many open files, passes.
                Err(_) => thread::sleep(ACCEPT_PAUSE),
            }
        }
    }

    fn start_connection(self: &Arc<Self>, stream: TcpStream) {
        let server = Arc::clone(self);
        self.open.change(1);
        let started = thread::Builder::new()
            .name("mcp-connection".to_owned())
            .stack_size(STACK)
            .spawn(move || {
                let _open = OpenConnection(&server.open);
                // An error means that the client is gone, and nobody is left to report it to.
                let _ = Connection::new(stream, &server.access, &server.endpoint)
                    .and_then(Connection::run);
            });
        if started.is_err() {
            self.open.change(-1);
            thread::sleep(ACCEPT_PAUSE);
        }
    }
}

/// The number of open connections.
#[derive(Default)]
struct OpenConnections {
    count: Mutex<isize>,
    changed: Condvar,
}

impl OpenConnections {
    fn change(&self, difference: isize) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += difference;
        self.changed.notify_all();
    }

    fn wait_for_capacity(&self) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |count: &mut isize| *count >= MOST_CONNECTIONS as isize;
        drop(self.changed.wait_while(count, full));
    }
}

/// One open connection, until it is dropped.
struct OpenConnection<'s>(&'s OpenConnections);

impl Drop for OpenConnection<'_> {
    fn drop(&mut self) {
        self.0.change(-1);
    }
}
