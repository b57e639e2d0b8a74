//! Git servers on the loopback, serving the repositories of a sandbox.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::sandbox::Sandbox;

/// A `git daemon` for the repositories in a sandbox's working directory, until it is dropped.
pub struct GitDaemon {
    child: Child,
    port: u16,
}

impl GitDaemon {
    /// Starts one on a free port.
    pub fn start(sandbox: &Sandbox) -> Self {
        (0..5)
            .find_map(|_| Self::attempt(sandbox))
            .unwrap_or_else(|| panic!("git daemon does not start"))
    }

    /// The address of a repository of the sandbox.
    pub fn url(&self, repository: &str) -> String {
        format!("git://127.0.0.1:{}/{repository}", self.port)
    }

    /// Between the choice of a free port and its use another program may take it: then there is another attempt.
    fn attempt(sandbox: &Sandbox) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        // The program itself and not `git daemon`, which would leave it behind when killed.
        let mut ask = sandbox.command("git");
        ask.arg("--exec-path");
        let directory = String::from_utf8(ask.output().unwrap().stdout).unwrap();
        let mut command = sandbox.command(PathBuf::from(directory.trim()).join("git-daemon"));
        let base = format!("--base-path={}", sandbox.work().display());
        command.args([
            &base,
            "--export-all",
            "--reuseaddr",
            "--listen=127.0.0.1",
            &format!("--port={port}"),
        ]);
        let child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut daemon = GitDaemon { child, port };
        for _ in 0..200 {
            if daemon.child.try_wait().unwrap().is_some() {
                return None;
            }
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(daemon);
            }
            thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

impl Drop for GitDaemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How an HTTP server treats its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Serves everybody.
    Serve,
    /// Accept any password.
    AskPassword,
    /// Serves as servers did before the second version of the protocol.
    OldProtocol,
    /// Serves files as they are, knowing nothing of git.
    PlainFiles,
    /// Refuse every request.
    RefuseAccess,
    /// Closes the connection after so many bytes of an answer.
    CutAfter(usize),
    /// Takes a request and never answers.
    Silent,
}

/// A smart HTTP server for the repositories in a sandbox's working directory, until it is dropped.
pub struct HttpServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    environment: Vec<(OsString, OsString)>,
    root: PathBuf,
    behaviour: Mutex<Behaviour>,
    requests: AtomicU64,
    ended: AtomicBool,
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl HttpServer {
    /// Starts one on a free port.
    pub fn start(sandbox: &Sandbox) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let command = sandbox.command("git");
        let environment = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.into(), value?.into())));
        let shared = Arc::new(Shared {
            environment: environment.collect(),
            root: sandbox.work(),
            behaviour: Mutex::new(Behaviour::Serve),
            requests: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        HttpServer { address, shared }
    }

    /// The address of a repository of the sandbox.
    pub fn url(&self, repository: &str) -> String {
        format!("http://{}/{repository}/.git", self.address)
    }

    /// The address with a user and a password in it.
    pub fn url_with(&self, user: &str, password: &str, repository: &str) -> String {
        format!(
            "http://{user}:{password}@{}/{repository}/.git",
            self.address
        )
    }

    /// Treats clients otherwise from now on.
    pub fn behave(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock().unwrap() = behaviour;
    }

    /// How many requests there were.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::SeqCst)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.ended.load(Ordering::SeqCst) {
            return;
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A client that disconnects is not a failure of the server.
            let _ = stream.and_then(|stream| shared.serve(stream));
        });
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let request = read_request(&mut stream)?;
        self.requests.fetch_add(1, Ordering::SeqCst);
        let behaviour = *self.behaviour.lock().unwrap();
        let refused = match behaviour {
            Behaviour::RefuseAccess => true,
            Behaviour::AskPassword => request.header("authorization").is_none(),
            _ => false,
        };
        if refused {
            let ask = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"test\"\r\n";
            return write!(
                stream,
                "{ask}Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
        }
        if behaviour == Behaviour::Silent {
            while !self.ended.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
            }
            return Ok(());
        }
        let printed = match behaviour {
            Behaviour::PlainFiles => self.plain_file(&request),
            _ => self.backend(&request, behaviour)?,
        };
        let (head, body) = response(&printed);
        let most = if let Behaviour::CutAfter(most) = behaviour {
            most
        } else {
            usize::MAX
        };
        write!(
            stream,
            "{head}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        )?;
        stream.write_all(&body[..body.len().min(most)])
    }

    fn plain_file(&self, request: &Request) -> Vec<u8> {
        match std::fs::read(self.root.join(request.path.trim_start_matches('/'))) {
            Ok(content) => [b"Content-Type: text/plain\r\n\r\n", content.as_slice()].concat(),
            Err(_) => b"Status: 404 Not Found\r\n\r\n".to_vec(),
        }
    }

    fn backend(&self, request: &Request, behaviour: Behaviour) -> std::io::Result<Vec<u8>> {
        let mut command = Command::new("git");
        command
            .arg("http-backend")
            .env_clear()
            .envs(self.environment.iter().cloned());
        command
            .env("GIT_PROJECT_ROOT", &self.root)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("REMOTE_ADDR", "127.0.0.1")
            .env("REQUEST_METHOD", &request.method)
            .env("PATH_INFO", &request.path)
            .env("QUERY_STRING", &request.query)
            .env("CONTENT_LENGTH", request.body.len().to_string());
        for (header, variable) in [
            ("content-type", "CONTENT_TYPE"),
            ("content-encoding", "HTTP_CONTENT_ENCODING"),
            ("git-protocol", "HTTP_GIT_PROTOCOL"),
        ] {
            if let Some(value) = request.header(header) {
                command.env(variable, value);
            }
        }
        if behaviour == Behaviour::OldProtocol {
            command.env_remove("HTTP_GIT_PROTOCOL");
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (mut stdin, body) = (child.stdin.take().unwrap(), request.body.clone());
        thread::spawn(move || stdin.write_all(&body));
        Ok(child.wait_with_output()?.stdout)
    }
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

fn read_request(stream: &mut TcpStream) -> std::io::Result<Request> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let first = line(&mut reader)?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    let mut headers = Vec::new();
    loop {
        let header = line(&mut reader)?;
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request {
        method,
        path,
        query,
        headers,
        body: Vec::new(),
    };
    if request.header("expect").is_some() {
        write!(stream, "HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    request.body = read_body(&mut reader, &request)?;
    Ok(request)
}

fn read_body(reader: &mut impl BufRead, request: &Request) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if request.header("transfer-encoding") != Some("chunked") {
        let length = request
            .header("content-length")
            .and_then(|text| text.parse().ok())
            .unwrap_or(0);
        reader.take(length).read_to_end(&mut body)?;
        return Ok(body);
    }
    loop {
        let length = u64::from_str_radix(&line(reader)?, 16).unwrap_or(0);
        reader.take(length).read_to_end(&mut body)?;
        line(reader)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn line(reader: &mut impl BufRead) -> std::io::Result<String> {
    let mut text = String::new();
    reader.read_line(&mut text)?;
    Ok(text.trim_end().to_owned())
}

/// The head of the answer, without its end, and the body, out of what a CGI program printed.
fn response(printed: &[u8]) -> (String, Vec<u8>) {
    let end = printed
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap_or(printed.len());
    let fields = String::from_utf8_lossy(&printed[..end]).into_owned();
    let status = fields
        .lines()
        .find_map(|field| field.strip_prefix("Status: "))
        .unwrap_or("200 OK");
    let others = fields
        .lines()
        .filter(|field| !field.starts_with("Status: "));
    let head = others.fold(format!("HTTP/1.1 {status}\r\n"), |head, field| {
        head + field + "\r\n"
    });
    (head, printed.get(end + 4..).unwrap_or_default().to_vec())
}
