//! HTTP on this machine: connections by hyper, the protocol by the SDK, and checks before it.

mod access;
mod body;
mod in_flight;
mod response;

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::JsonRpcError;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_io_timeout::TimeoutStream;

use crate::http::access::{AccessRules, drain_body};
use crate::http::body::{LONGEST_BODY, READ_PATIENCE, ReceivedMessage, read_message};
use crate::http::in_flight::RequestsInFlight;
use crate::http::response::{HttpResponse, error_response, with_error_code};
use crate::options::{AccessToken, HttpOptions, ServeError};
use crate::protocol::error::DUPLICATE_ID;
use crate::session::Session;
use crate::shared::SharedState;
use crate::watch::watch_files;

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

/// Connections that are served at once. Further ones wait until one of them is closed.
const MOST_CONNECTIONS: usize = 512;
/// The wait after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_HEAD: usize = 64 << 10;
const MOST_HEADERS: usize = 100;
/// The time in which a client has to read some of a response.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);

type McpService = StreamableHttpService<Session, LocalSessionManager>;

/// Serves for ever.
pub(crate) async fn serve_http(
    shared: Arc<SharedState>,
    options: HttpOptions,
) -> Result<(), ServeError> {
    let HttpOptions { port, token, ready } = options;
    let failed = |cause| ServeError::Port { port, cause };
    // Loopback only: the server answers with the contents of the project, and a token is not a protection on a
    // shared network.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    ready(address);
    tokio::spawn(watch_files(Arc::clone(&shared)));
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let endpoint = Endpoint::new(shared, token, address);
    accept(listener, places, Arc::new(endpoint)).await;
    Ok(())
}

fn mcp_service(shared: Arc<SharedState>, address: SocketAddr) -> McpService {
    let own = ["127.0.0.1", "localhost", "[::1]"];
    let port = address.port();
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(LONGEST_BODY)
        // A web page can resolve its own name to 127.0.0.1 (DNS rebinding). Its requests then have a foreign `Host`.
        .with_allowed_hosts(own.map(|name| format!("{name}:{port}")))
        // Programs send no origin. Pages of this machine have an origin on this machine.
        .with_allowed_origins(own.map(|name| format!("http://{name}:*")))
        // Clients of older versions would take an empty event before the answer to `initialize` for a message.
        .with_sse_retry(None);
    let session = move || Ok(Session::new(Arc::clone(&shared), None));
    StreamableHttpService::new(session, Arc::<LocalSessionManager>::default(), config)
}

async fn accept(listener: TcpListener, places: Arc<Semaphore>, endpoint: Arc<Endpoint>) {
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Messages are small, and somebody waits for each.
                let _ = stream.set_nodelay(true);
                let endpoint = Arc::clone(&endpoint);
                tokio::spawn(async move {
                    serve_connection(stream, endpoint).await;
                    drop(place);
                });
            }
            // The most likely reason, too many open files, passes.
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn serve_connection<S>(stream: S, endpoint: Arc<Endpoint>)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_PATIENCE));
    let service = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(endpoint.respond(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READ_PATIENCE)
        .max_buf_size(LONGEST_HEAD)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    // An error means that the client is gone, and nobody is left to report it to.
    let _ = connection.await;
}

/// The checks before the SDK, and the SDK.
struct Endpoint {
    access: AccessRules,
    service: McpService,
    in_flight: RequestsInFlight,
}

impl Endpoint {
    fn new(shared: Arc<SharedState>, token: AccessToken, address: SocketAddr) -> Self {
        Endpoint {
            access: AccessRules { token },
            service: mcp_service(shared, address),
            in_flight: RequestsInFlight::default(),
        }
    }

    async fn respond(&self, mut request: Request<Incoming>) -> HttpResponse {
        if let Some(refusal) = self.access.refusal(request.uri().path(), request.headers()) {
            drain_body(request.into_body()).await;
            return refusal;
        }
        accept_both_forms(request.headers_mut());
        match *request.method() {
            Method::POST => self.post(request).await,
            Method::DELETE => ended_session(self.service.handle(request).await),
            _ => {
                follow_last_event(request.headers_mut());
                self.service.handle(request).await
            }
        }
    }

    async fn post(&self, request: Request<Incoming>) -> HttpResponse {
        let (head, body) = request.into_parts();
        let ReceivedMessage { bytes, request_id } = match read_message(body).await {
            Ok(message) => message,
            Err(refusal) => return refusal,
        };
        let session = head.headers.get(SESSION).cloned();
        let request = Request::from_parts(head, Full::new(bytes));
        // Only the requests of a session share their ids.
        let (Some(session), Some(id)) = (session, request_id) else {
            return with_error_code(self.service.handle(request).await).await;
        };
        let Some(in_flight) = self.in_flight.admit(session, id.clone()) else {
            // The id belongs to the other request, so the answer has none.
            let error = DUPLICATE_ID.error(format!("duplicate request id `{id}`"));
            return error_response(StatusCode::BAD_REQUEST, &JsonRpcError::new(None, error));
        };
        let response = with_error_code(self.service.handle(request).await).await;
        response.map(|body| {
            // The request is in flight until the body with its answer is dropped.
            let keep = move |frame| {
                let _ = &in_flight;
                frame
            };
            body.map_frame(keep).boxed()
        })
    }
}

/// Lets a client that accepts anything get both forms of a response. The SDK requires that it names them.
fn accept_both_forms(headers: &mut HeaderMap) {
    let accepted = headers.get(ACCEPT).map(|accepted| accepted.to_str());
    let names_none = match accepted {
        None => true,
        Some(accepted) => accepted.is_ok_and(|accepted| accepted.contains("*/*")),
    };
    if names_none {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, both);
    }
}

/// Resumes a stream after the last event that the client has. The SDK repeats that event.
fn follow_last_event(headers: &mut HeaderMap) {
    let Some(last) = headers.get(LAST_EVENT).and_then(|last| last.to_str().ok()) else {
        return;
    };
    let (index, stream) = match last.split_once('/') {
        Some((index, stream)) => (index, format!("/{stream}")),
        None => (last, String::new()),
    };
    let Some(next) = index.parse::<usize>().ok().and_then(|at| at.checked_add(1)) else {
        return;
    };
    if let Ok(value) = HeaderValue::try_from(format!("{next}{stream}")) {
        headers.insert(LAST_EVENT, value);
    }
}

/// Reports a session as ended. Some clients take "accepted" for a failure.
fn ended_session(mut response: HttpResponse) -> HttpResponse {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::net::TcpStream;
    use tokio::task::JoinHandle;
    use tokio::time::{Instant, timeout};

    use super::*;

    const HEAD: &str = "POST /mcp HTTP/1.1\r\nHost: localhost:80\r\nAuthorization: Bearer t\r\n\
                        Content-Type: application/json\r\n";

    fn endpoint() -> Arc<Endpoint> {
        let token = AccessToken::new("t").unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 80));
        Arc::new(Endpoint::new(SharedState::of_nothing(), token, address))
    }

    /// A connection with room for so many unread bytes.
    fn connection(room: usize) -> (DuplexStream, JoinHandle<()>) {
        let (client, server) = duplex(room);
        (client, tokio::spawn(serve_connection(server, endpoint())))
    }

    #[tokio::test]
    async fn connections_over_the_limit_wait_for_the_end_of_another() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(accept(listener, Arc::new(Semaphore::new(1)), endpoint()));
        let first = TcpStream::connect(address).await.unwrap();
        let mut second = TcpStream::connect(address).await.unwrap();
        let request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        second.write_all(request).await.unwrap();
        let mut start = [0; 12];
        let patience = Duration::from_millis(100);
        let early = timeout(patience, second.read_exact(&mut start)).await;
        assert!(early.is_err(), "the first connection is open");
        drop(first);
        timeout(READ_PATIENCE, second.read_exact(&mut start))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(&start, b"HTTP/1.1 401");
        server.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_does_not_end_is_not_awaited() {
        let (mut client, connection) = connection(1024);
        let begun = Instant::now();
        let feed = async {
            client.write_all(b"GET /mcp HTTP/1.1\r\nA: ").await.unwrap();
            // A byte per second is not progress.
            while client.write_all(b"b").await.is_ok() {
                sleep(Duration::from_secs(1)).await;
            }
        };
        timeout(READ_PATIENCE * 2, feed).await.unwrap();
        connection.await.unwrap();
        assert!(begun.elapsed() >= READ_PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_end_is_not_awaited() {
        let (mut client, _connection) = connection(1024);
        let head = format!("{HEAD}Content-Length: 100\r\n\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        let (mut reader, mut writer) = tokio::io::split(client);
        tokio::spawn(async move {
            while writer.write_all(b" ").await.is_ok() {
                sleep(Duration::from_secs(1)).await;
            }
        });
        let mut start = [0; 12];
        let answered = timeout(READ_PATIENCE * 2, reader.read_exact(&mut start)).await;
        assert!(answered.is_ok());
        assert_eq!(&start, b"HTTP/1.1 408");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_disconnected() {
        let (mut client, connection) = connection(64);
        let head = b"GET / HTTP/1.1\r\nHost: localhost:80\r\n\r\n";
        client.write_all(head).await.unwrap();
        let begun = Instant::now();
        timeout(WRITE_PATIENCE * 2, connection)
            .await
            .unwrap()
            .unwrap();
        assert!(begun.elapsed() >= WRITE_PATIENCE);
    }

    #[test]
    fn a_stream_is_resumed_after_the_last_event() {
        for (last, next) in [("0", "1"), ("3/9", "4/9"), ("x", "x"), ("1x/2", "1x/2")] {
            let mut headers = HeaderMap::new();
            headers.insert(LAST_EVENT, HeaderValue::from_static(last));
            follow_last_event(&mut headers);
            assert_eq!(headers[LAST_EVENT], next);
        }
    }
}
