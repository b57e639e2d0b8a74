//! HTTP on this machine only: every request shows the token, and none comes from a page of somebody else.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONNECTION, HOST, ORIGIN, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::body::{HttpAnswer, LONGEST_BODY, with_message};
use crate::options::{AccessToken, HttpOptions, ServeError};
use crate::server::McpSession;
use crate::shared::SharedState;
use crate::watch::watch_files;

const PATH: &str = "/mcp";
/// How a token is shown; the word may be in any letters.
const SCHEME: &[u8] = b"Bearer ";
/// So much is listened to of a request that is refused.
const LONGEST_REFUSED: usize = 64 << 10;
const MOST_CONNECTIONS: usize = 512;
/// Who does not finish the head of a request by then is cut off.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

type Service = StreamableHttpService<McpSession, LocalSessionManager>;

/// Serves for ever.
pub(crate) async fn serve_http(
    shared: Arc<SharedState>,
    options: HttpOptions,
) -> Result<(), ServeError> {
    let HttpOptions { port, token, ready } = options;
    let failed = |cause| ServeError::Port { port, cause };
    // Loopback only: the server answers with the contents of the project, and a token is not a protection on a shared network.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    ready(address);
    tokio::spawn(watch_files(Arc::clone(&shared)));
    accept(
        listener,
        Arc::new(AuthorizedService {
            service: service(shared),
            token,
            address,
        }),
    )
    .await;
    Ok(())
}

async fn accept(listener: TcpListener, gate: Arc<AuthorizedService>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let gate = Arc::clone(&gate);
                tokio::spawn(async move {
                    connection(stream, gate).await;
                    drop(place);
                });
            }
            // Too many open files, for one: it passes.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn connection(stream: TcpStream, gate: Arc<AuthorizedService>) {
    let answer = service_fn(move |request| {
        let gate = Arc::clone(&gate);
        async move { Ok::<_, Infallible>(gate.pass(request).await) }
    });
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE);
    // The client is gone, and nobody is left to report to.
    let _ = server.serve_connection(TokioIo::new(stream), answer).await;
}

fn service(shared: Arc<SharedState>) -> Service {
    let config = StreamableHttpServerConfig::default();
    // An empty event at the start of an answer is for the newest clients; older ones take it for a message.
    let config = config
        .with_max_request_body_bytes(LONGEST_BODY)
        .with_sse_retry(None);
    let session = move || Ok(McpSession::new(Arc::clone(&shared)));
    StreamableHttpService::new(session, Arc::default(), config)
}

/// Precedes the service.
struct AuthorizedService {
    service: Service,
    token: AccessToken,
    address: SocketAddr,
}

impl AuthorizedService {
    async fn pass(&self, mut request: Request<Incoming>) -> HttpAnswer {
        accept_both(request.headers_mut());
        match self.judge(request.uri().path(), request.headers()) {
            StatusCode::OK => {
                let method = request.method().clone();
                let answer = match method {
                    Method::POST => match with_message(request).await {
                        Ok(request) => self.service.handle(request).await,
                        Err(answer) => answer,
                    },
                    _ => self.service.handle(request).await,
                };
                finish_answer(&method, answer)
            }
            status => {
                drain_body(request).await;
                refusal(status)
            }
        }
    }

    /// Whether a request may pass, from what is known before its body is read.
    fn judge(&self, path: &str, headers: &HeaderMap) -> StatusCode {
        if !self.is_own_host(headers) || !self.is_own_origin(headers) {
            StatusCode::FORBIDDEN
        } else if !self.knows_token(headers) {
            StatusCode::UNAUTHORIZED
        } else if path != PATH {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::OK
        }
    }

    /// A name that only now leads to this machine is another one.
    // A web page can resolve its own name to 127.0.0.1 (DNS rebinding); its requests then have a foreign `Host`.
    fn is_own_host(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        let one = hosts.next().filter(|_| hosts.next().is_none());
        one.and_then(|host| host.to_str().ok())
            .is_some_and(|host| self.is_own_authority(host))
    }

    /// Programs have no origin; pages of this machine have the origin of this machine.
    fn is_own_origin(&self, headers: &HeaderMap) -> bool {
        headers.get_all(ORIGIN).iter().all(|origin| {
            let authority = origin
                .to_str()
                .ok()
                .and_then(|origin| origin.strip_prefix("http://"));
            authority.is_some_and(is_loopback)
        })
    }

    fn is_own_authority(&self, authority: &str) -> bool {
        let port = authority
            .rsplit_once(':')
            .and_then(|(_, port)| port.parse().ok());
        is_loopback(authority) && port == Some(self.address.port())
    }

    // Other users of the machine reach loopback ports too, so the token is required even there.
    fn knows_token(&self, headers: &HeaderMap) -> bool {
        let mut all = headers.get_all(AUTHORIZATION).iter();
        let one = all.next().filter(|_| all.next().is_none());
        let shown = one.and_then(|value| value.as_bytes().split_at_checked(SCHEME.len()));
        shown.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(SCHEME) && self.token.is(token)
        })
    }
}

/// Who takes anything takes both forms of an answer, though the SDK wants them named.
fn accept_both(headers: &mut HeaderMap) {
    let said = headers
        .get(ACCEPT)
        .and_then(|accepted| accepted.to_str().ok());
    if said.is_none_or(|said| said.contains("*/*")) {
        headers.insert(
            ACCEPT,
            http::HeaderValue::from_static("application/json, text/event-stream"),
        );
    }
}

/// Whether an authority, with or without a port, is a name of this machine.
fn is_loopback(authority: &str) -> bool {
    LOOPBACK
        .iter()
        .any(|name| match authority.strip_prefix(name) {
            Some("") => true,
            Some(rest) => rest
                .strip_prefix(':')
                .is_some_and(|port| port.parse::<u16>().is_ok()),
            None => false,
        })
}

/// A session that is ended is gone and not about to go: clients take "accepted" for a failure.
fn finish_answer(method: &Method, mut answer: HttpAnswer) -> HttpAnswer {
    if method == Method::DELETE && answer.status() == StatusCode::ACCEPTED {
        *answer.status_mut() = StatusCode::NO_CONTENT;
    }
    answer
}

/// Who is still sending when the connection closes may never see why.
async fn drain_body(request: Request<Incoming>) {
    let body = Limited::new(request.into_body(), LONGEST_REFUSED).collect();
    let _ = timeout(PATIENCE, body).await;
}

fn refusal(status: StatusCode) -> HttpAnswer {
    let text = match status {
        StatusCode::UNAUTHORIZED => {
            "the token is missing or wrong: send `Authorization: Bearer TOKEN`\n"
        }
        StatusCode::FORBIDDEN => "only requests from this machine, by its own name, are allowed\n",
        _ => "the server is at /mcp\n",
    };
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    // Nor is the connection for a next request: what is left of a long body would be treated as it.
    answer
        .headers_mut()
        .insert(CONNECTION, http::HeaderValue::from_static("close"));
    if status == StatusCode::UNAUTHORIZED {
        answer
            .headers_mut()
            .insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for own in ["127.0.0.1", "localhost:80", "[::1]:8080", "127.0.0.1:1"] {
            assert!(is_loopback(own), "{own}");
        }
        for other in [
            "",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "localhost:",
            "localhost:x",
            "evil:80",
            "127.0.0.1@evil",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
