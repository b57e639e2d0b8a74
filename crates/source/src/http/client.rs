//! Requests with patience: what is retried, for how long, and where an answer may lead.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use ureq::http::{self, HeaderMap, Method, StatusCode};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};
use url::Url;

use crate::http::server::HttpServer;

const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// How long a server may be silent.
const SILENCE_PATIENCE: Duration = Duration::from_secs(30);
/// How long an answer may take in all, whatever its size: a server that sends a byte a second is never silent.
const ANSWER_PATIENCE: Duration = Duration::from_secs(900);
/// How long all waiting for busy servers may take in one command.
const RETRY_PATIENCE: Duration = Duration::from_secs(10);
const FIRST_WAIT: Duration = Duration::from_millis(300);
const MOST_REDIRECTS: usize = 5;
const USER_AGENT: &str = concat!("agpm/", env!("CARGO_PKG_VERSION"));

/// A request.
pub(crate) struct HttpRequest<'a> {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// Sent to the server of `url` alone, not to one that a redirect names.
    pub(crate) authorization: Option<String>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<&'a [u8]>,
}

impl HttpRequest<'_> {
    pub(crate) fn get(url: Url) -> Self {
        HttpRequest {
            method: Method::GET,
            url,
            authorization: None,
            headers: Vec::new(),
            body: None,
        }
    }
}

/// Why a server did not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpFailure {
    #[error("{0}")]
    Unreachable(String),
    #[error("`{0}` is not encrypted; set `insecure = true` in its source if that is intended")]
    Plain(String),
    #[error("`{0}` redirects too often")]
    Redirects(String),
    #[error("a redirect leads to `{0}`, which is not a URL of a server")]
    BadRedirect(String),
}

/// An answer, whose body is read with a limit.
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The URL that answered.
    pub(crate) url: Url,
    body: Body,
}

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadFailure {
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    #[error("it was cut short")]
    CutShort,
    #[error("{0}")]
    Unreachable(String),
}

impl HttpAnswer {
    /// Reads the whole body, if it has at most so many bytes.
    pub(crate) fn read(&mut self, limit: u64) -> Result<Vec<u8>, ReadFailure> {
        let mut bytes = Vec::new();
        let read = self.reader().take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|error| ReadFailure::of(&error))?;
        if bytes.len() as u64 > limit {
            return Err(ReadFailure::TooLarge(limit));
        }
        Ok(bytes)
    }

    /// Returns the body as a stream. It has no limit.
    pub(crate) fn reader(&mut self) -> impl Read + '_ {
        self.body.with_config().limit(u64::MAX).reader()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl ReadFailure {
    pub(crate) fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => ReadFailure::CutShort,
            // ureq reports a peer that closed the connection in the middle of a body as a protocol error.
            io::ErrorKind::Other if error.to_string().contains("disconnect") => {
                ReadFailure::CutShort
            }
            _ => ReadFailure::Unreachable(error.to_string()),
        }
    }
}

/// One client for all requests to a server.
pub(crate) struct HttpClient {
    server: HttpServer,
    /// Without a proxy: a proxy cannot reach this machine.
    plain: Agent,
    /// Certificates are read when the first encrypted request is made.
    encrypted: OnceLock<Agent>,
    /// What is left of the time to wait for busy servers.
    waiting: Mutex<Duration>,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "HttpClient({:?})", self.server)
    }
}

impl HttpClient {
    pub(crate) fn new(server: HttpServer) -> Self {
        HttpClient {
            server,
            plain: agent(None, None),
            encrypted: OnceLock::new(),
            waiting: Mutex::new(RETRY_PATIENCE),
        }
    }

    pub(crate) fn server(&self) -> &HttpServer {
        &self.server
    }

    /// Sends a request. A busy server is asked again when it says so, and redirects of reads are followed. An answer
    /// with any other status is returned.
    pub(crate) fn send(&self, request: &HttpRequest<'_>) -> Result<HttpAnswer, HttpFailure> {
        let mut url = request.url.clone();
        let mut authorization = request.authorization.clone();
        for _ in 0..=MOST_REDIRECTS {
            if !self.server.allows(&url) {
                return Err(HttpFailure::Plain(without_query(&url)));
            }
            let answer = self.send_first(request, &mut url, authorization.as_deref())?;
            let is_read = matches!(request.method, Method::GET | Method::HEAD);
            let target = Some(&answer).filter(|answer| answer.status.is_redirection() && is_read);
            let Some(target) = target.and_then(|answer| answer.header("location")) else {
                return Ok(answer);
            };
            let next = url
                .join(target)
                .ok()
                .filter(|next| matches!(next.scheme(), "http" | "https"))
                .ok_or_else(|| HttpFailure::BadRedirect(printable(target)))?;
            // Storage of another server must not learn the token; its URL carries a separate signature.
            if next.origin() != url.origin() {
                authorization = None;
            }
            url = next;
        }
        Err(HttpFailure::Redirects(without_query(&request.url)))
    }

    /// Sends a request. A server that may speak without encryption, and does not, is asked again with it.
    fn send_first(
        &self,
        request: &HttpRequest<'_>,
        url: &mut Url,
        authorization: Option<&str>,
    ) -> Result<HttpAnswer, HttpFailure> {
        let answered = self.send_patiently(request, url, authorization);
        let is_odd = match &answered {
            // What servers of TLS answer to a plain request.
            Ok(answer) => answer.status == StatusCode::BAD_REQUEST,
            Err(HttpFailure::Unreachable(reason)) => !reason.contains("refused"),
            Err(_) => false,
        };
        let encrypted = Some(&*url).filter(|_| is_odd);
        if let Some(encrypted) = encrypted.and_then(|url| self.server.encrypted_url(url)) {
            match self.send_patiently(request, &encrypted, authorization) {
                Ok(answer) => {
                    self.server.remember_scheme(&encrypted);
                    *url = encrypted;
                    return Ok(answer);
                }
                // The server speaks with encryption, and its certificate is the problem.
                Err(HttpFailure::Unreachable(reason)) if reason.contains("certificate") => {
                    return Err(HttpFailure::Unreachable(reason));
                }
                Err(_) => {}
            }
        }
        if answered.is_ok() {
            self.server.remember_scheme(url);
        }
        answered
    }

    fn send_patiently(
        &self,
        request: &HttpRequest<'_>,
        url: &Url,
        authorization: Option<&str>,
    ) -> Result<HttpAnswer, HttpFailure> {
        let mut wait = FIRST_WAIT;
        loop {
            let answer = self.send_once(request, url, authorization)?;
            let is_busy =
                answer.status == StatusCode::TOO_MANY_REQUESTS || answer.status.is_server_error();
            if !is_busy {
                return Ok(answer);
            }
            let stated = answer
                .header("retry-after")
                .and_then(|text| text.parse().ok());
            let pause = stated.map_or(wait, Duration::from_secs);
            if !self.take_waiting(pause) {
                return Ok(answer);
            }
            thread::sleep(pause);
            wait *= 2;
        }
    }

    /// Takes a pause off the time that is left; `false` if it is longer. Then waiting any shorter is useless, because
    /// the server said when it will answer.
    fn take_waiting(&self, pause: Duration) -> bool {
        let mut left = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match left.checked_sub(pause) {
            Some(rest) => {
                *left = rest;
                true
            }
            None => false,
        }
    }

    fn send_once(
        &self,
        request: &HttpRequest<'_>,
        url: &Url,
        authorization: Option<&str>,
    ) -> Result<HttpAnswer, HttpFailure> {
        let failed = |reason: String| {
            HttpFailure::Unreachable(format!("`{}`: {reason}", without_query(url)))
        };
        let mut built = http::Request::builder()
            .method(request.method.clone())
            .uri(url.as_str());
        for (name, value) in &request.headers {
            built = built.header(*name, value);
        }
        if let Some(authorization) = authorization {
            built = built.header("authorization", authorization);
        }
        let agent = match url.scheme() {
            "https" => self.encrypted.get_or_init(encrypted_agent),
            _ => &self.plain,
        };
        let answered = match request.body {
            Some(body) => built
                .body(body)
                .map_err(ureq::Error::from)
                .and_then(|request| agent.run(request)),
            None if request.method == Method::POST || request.method == Method::PUT => built
                .body(&[][..])
                .map_err(ureq::Error::from)
                .and_then(|request| agent.run(request)),
            None => built
                .body(())
                .map_err(ureq::Error::from)
                .and_then(|request| agent.run(request)),
        };
        let (parts, body) = answered
            .map_err(|error| failed(error.to_string()))?
            .into_parts();
        Ok(HttpAnswer {
            status: parts.status,
            headers: parts.headers,
            url: url.clone(),
            body,
        })
    }
}

fn agent(proxy: Option<Proxy>, roots: Option<RootCerts>) -> Agent {
    let mut tls = TlsConfig::builder();
    if let Some(roots) = roots {
        tls = tls.root_certs(roots);
    }
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(proxy)
        .tls_config(tls.build())
        .timeout_connect(Some(CONNECT_PATIENCE))
        .timeout_per_read(Some(SILENCE_PATIENCE))
        .timeout_per_write(Some(SILENCE_PATIENCE))
        .timeout_recv_body(Some(ANSWER_PATIENCE))
        .user_agent(USER_AGENT)
        .build();
    Agent::new_with_config(config)
}

/// The agent for https, with the proxy of the environment and the certificates of this machine, which `SSL_CERT_FILE`
/// replaces. A machine without any uses those of Mozilla.
fn encrypted_agent() -> Agent {
    let found = rustls_native_certs::load_native_certs().certs;
    let certificates: Vec<Certificate<'static>> = found
        .iter()
        .map(|certificate| Certificate::from_der(certificate.as_ref()).to_owned())
        .collect();
    let roots = if certificates.is_empty() {
        RootCerts::WebPki
    } else {
        RootCerts::Specific(Arc::new(certificates))
    };
    agent(Proxy::try_from_env(), Some(roots))
}

/// A URL for people. The query of a URL of storage is a signature, which is a secret.
fn without_query(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.to_string()
}

/// Text of a server in a message.
pub(crate) fn printable(text: &str) -> String {
    let visible = text.chars().filter(|c| !c.is_control());
    visible.take(300).collect()
}
