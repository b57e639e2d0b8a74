//! HTTP on this machine: who may ask, and that a session works.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use agpm_app::catalog::CatalogSelection;
use agpm_mcp::{AccessToken, HttpOptions, ServeOptions, ServeTransport, WriteAccess, serve};
use serde_json::json;

use crate::support::{project, world};

const TOKEN: &str = "correct-horse";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// Starts a server that lives as long as the test process.
fn start() -> (SocketAddr, agpm_testkit::Sandbox) {
    let sandbox = project();
    let (sender, receiver) = std::sync::mpsc::channel();
    let ready = Box::new(move |address| sender.send(address).unwrap());
    let http = HttpOptions {
        port: 0,
        token: AccessToken::new(TOKEN).unwrap(),
        ready,
    };
    let options = ServeOptions {
        channel: ServeTransport::Http(http),
        writes: WriteAccess::Refused,
        selection: CatalogSelection::default(),
    };
    let world = world(&sandbox);
    std::thread::spawn(move || serve(world, options).unwrap());
    (receiver.recv().unwrap(), sandbox)
}

/// Sends a request and reads the answer to its end, or to the end of its first event.
fn post(address: SocketAddr, headers: &[(&str, &str)], body: &str) -> String {
    send("POST", address, headers, body)
}

fn send(method: &str, address: SocketAddr, headers: &[(&str, &str)], body: &str) -> String {
    let stream = request(method, address, headers, body);
    read_answer(stream, Duration::from_secs(5))
}

/// The same without a body, for an answer that may not end.
fn send_and_wait(
    method: &str,
    address: SocketAddr,
    headers: &[(&str, &str)],
    patience: Duration,
) -> String {
    read_answer(request(method, address, headers, ""), patience)
}

/// A connection on which a request was sent.
fn request(method: &str, address: SocketAddr, headers: &[(&str, &str)], body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut head = format!(
        "{method} /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
    );
    head.push_str("Accept: application/json, text/event-stream\r\n");
    headers
        .iter()
        .for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(body.as_bytes());
    stream
}

fn read_answer(mut stream: TcpStream, patience: Duration) -> String {
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(patience)).unwrap();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[test]
fn the_token_and_an_own_name_of_this_machine_are_required() {
    let (address, _sandbox) = start();
    assert!(address.ip().is_loopback());
    let host = address.to_string();
    let local = format!("localhost:{}", address.port());
    let good = format!("Bearer {TOKEN}");
    let table: &[(&[(&str, &str)], &str)] = &[
        (&[("Host", &host), ("Authorization", &good)], "200"),
        (
            &[
                ("Host", &local),
                ("Authorization", &good),
                ("Origin", "http://localhost:3000"),
            ],
            "200",
        ),
        (&[("Host", &host)], "401"),
        (&[("Host", &host), ("Authorization", "Bearer wrong")], "401"),
        (
            &[("Host", &host), ("Authorization", "Bearer correct-hors")],
            "401",
        ),
        (&[("Host", &host), ("Authorization", TOKEN)], "401"),
        (
            &[
                ("Host", &host),
                ("Authorization", &good),
                ("Authorization", "Bearer wrong"),
            ],
            "401",
        ),
        (
            &[
                ("Host", &host),
                ("Authorization", &good),
                ("Origin", "https://evil.example"),
            ],
            "403",
        ),
        (
            &[
                ("Host", &host),
                ("Authorization", &good),
                ("Origin", "null"),
            ],
            "403",
        ),
        (
            &[
                ("Host", &host),
                ("Authorization", &good),
                ("Origin", "http://localhost.evil.example"),
            ],
            "403",
        ),
        (&[("Host", "evil.example"), ("Authorization", &good)], "403"),
        (&[("Host", "127.0.0.1:1"), ("Authorization", &good)], "403"),
    ];
    for (headers, expected) in table {
        let answer = post(address, headers, INITIALIZE);
        assert_eq!(status(&answer), *expected, "{headers:?}\n{answer}");
        assert!(!answer.contains(TOKEN));
    }
}

#[test]
fn a_refused_client_may_finish_and_learns_that_the_connection_closes() {
    let (address, _sandbox) = start();
    let mut stream = TcpStream::connect(address).unwrap();
    let length = INITIALIZE.len();
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut early = [0; 1];
    stream
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    let answered = stream.read(&mut early);
    assert!(answered.is_err(), "an answer before the body was sent");
    stream.set_read_timeout(None).unwrap();
    stream.write_all(INITIALIZE.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(status(&answer), "401", "{answer}");
    assert!(
        answer.to_lowercase().contains("\r\nconnection: close\r\n"),
        "{answer}"
    );
}

#[test]
fn a_session_over_http_answers_like_any_other() {
    let (address, _sandbox) = start();
    let host = address.to_string();
    let good = format!("Bearer {TOKEN}");
    let headers = [("Host", host.as_str()), ("Authorization", good.as_str())];
    let opened = post(address, &headers, INITIALIZE);
    let session = opened.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("mcp-session-id: ")
            .map(str::to_owned)
    });
    let session = session.unwrap_or_else(|| panic!("{opened}"));
    let headers = [headers[0], headers[1], ("Mcp-Session-Id", session.as_str())];
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(status(&post(address, &headers, initialized)), "202");
    let call = json!({ "name": "agpm", "arguments": { "operation": "list", "kind": "installed" } });
    let call =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }).to_string();
    let answer = post(address, &headers, &call);
    assert!(answer.contains("agents/reviewer"), "{answer}");
    let wrong =
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": 5 } })
            .to_string();
    let answer = post(address, &headers, &wrong);
    assert!(answer.contains("mcp/parameters"), "{answer}");
    assert_eq!(status(&send("DELETE", address, &headers, "")), "204");
    assert_eq!(status(&post(address, &headers, &call)), "404");
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let (address, _sandbox) = start();
    let host = address.to_string();
    let good = format!("Bearer {TOKEN}");
    let headers = [("Host", host.as_str()), ("Authorization", good.as_str())];
    let answer = post(address, &headers, &"x".repeat((16 << 20) + 1));
    assert_eq!(status(&answer), "413", "{answer}");
}

#[test]
fn malformed_messages_are_answered_as_over_streams() {
    let (address, _sandbox) = start();
    let (host, bearer) = (address.to_string(), format!("bearer {TOKEN}"));
    let headers = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
    for (body, code) in [
        ("{", "mcp/malformed"),
        ("", "mcp/malformed"),
        ("[]", "mcp/batch"),
        (r#"{"jsonrpc":"2.0","id":7,"method":5}"#, "mcp/no-message"),
    ] {
        let answer = post(address, &headers, body);
        assert!(answer.contains(code), "{body}: {answer}");
    }
    assert_eq!(status(&post(address, &headers, "{")), "400");
}

#[test]
fn a_client_that_accepts_anything_gets_the_answer_as_first_event() {
    let (address, _sandbox) = start();
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: */*\r\n\
         Authorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n{INITIALIZE}",
        INITIALIZE.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    let mut answer = vec![0; 4096];
    let mut text = String::new();
    while !text.contains("serverInfo") {
        let count = stream.read(&mut answer).unwrap();
        assert!(count > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&answer[..count]));
    }
    assert_eq!(status(&text), "200");
    let first = text
        .lines()
        .find_map(|line| line.strip_prefix("data:"))
        .unwrap();
    assert!(first.trim_start().starts_with('{'), "{text}");
}

/// Opens a session that is ready for notifications; its id comes back.
fn open_session(address: SocketAddr, headers: &[(&str, &str)]) -> String {
    let opened = post(address, headers, INITIALIZE);
    let id = opened
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .unwrap_or_else(|| panic!("{opened}"))
        .to_owned();
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let headers = [headers, &[("Mcp-Session-Id", id.as_str())]].concat();
    assert_eq!(status(&post(address, &headers, initialized)), "202");
    id
}

#[test]
fn a_change_is_sent_on_the_stream_of_a_session_and_once() {
    let (address, sandbox) = start();
    let (host, good) = (address.to_string(), format!("Bearer {TOKEN}"));
    let headers = [("Host", host.as_str()), ("Authorization", good.as_str())];
    let id = open_session(address, &headers);
    let headers = [headers[0], headers[1], ("Mcp-Session-Id", id.as_str())];
    // The first look at the files must have happened before the change.
    std::thread::sleep(Duration::from_millis(700));
    sandbox.write("agpm.lock", format!("{}\n", sandbox.read("agpm.lock")));
    std::thread::sleep(Duration::from_millis(1200));
    let stream = |last: &[(&str, &str)]| {
        let headers = [&headers, last].concat();
        send_and_wait("GET", address, &headers, Duration::from_millis(500))
    };
    let late = stream(&[]);
    assert_eq!(status(&late), "200", "{late}");
    assert_eq!(late.matches("list_changed").count(), 2, "{late}");
    let resumed = stream(&[("Last-Event-ID", "0")]);
    assert_eq!(resumed.matches("list_changed").count(), 1, "{resumed}");
    assert!(resumed.contains("id: 1\n"), "{resumed}");
    let unknown = stream(&[("Last-Event-ID", "3/9")]);
    assert!(unknown.ends_with("\r\n\r\n0\r\n\r\n"), "{unknown}");
}

#[test]
fn the_newest_version_needs_no_session_and_checks_its_headers() {
    let (address, _sandbox) = start();
    let (host, good) = (address.to_string(), format!("Bearer {TOKEN}"));
    let plain = [("Host", host.as_str()), ("Authorization", good.as_str())];
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let request = |method: &str| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "_meta": meta } })
            .to_string()
    };
    let table = [
        ("tools/list", Some("tools/list"), "200", "cacheScope"),
        (
            "server/discover",
            Some("server/discover"),
            "200",
            "supportedVersions",
        ),
        (
            "tools/list",
            Some("tools/call"),
            "400",
            "does not match body method",
        ),
        ("tools/list", None, "400", "Mcp-Method"),
        ("ping", Some("ping"), "404", "mcp/unknown-method"),
    ];
    for (method, copied, expected, text) in table {
        let mut headers = vec![plain[0], plain[1], version];
        headers.extend(copied.map(|copied| ("Mcp-Method", copied)));
        let answer = post(address, &headers, &request(method));
        assert_eq!(status(&answer), expected, "{method} {copied:?}: {answer}");
        assert!(answer.contains(text), "{method} {copied:?}: {answer}");
    }
    let answer = post(address, &plain, &request("tools/list"));
    assert_eq!(status(&answer), "400", "{answer}");
}

#[test]
fn refusals_state_the_header_that_is_missing_or_wrong() {
    let (address, _sandbox) = start();
    const JSON: &str = "Content-Type: application/json\r\n";
    let table = [
        (
            "POST",
            format!("{JSON}Accept: text/html\r\n"),
            "406",
            "accept both",
        ),
        (
            "POST",
            "Content-Type: text/plain\r\n".to_owned(),
            "415",
            "application/json",
        ),
        ("POST", JSON.to_owned(), "400", "Session ID is required"),
        (
            "POST",
            format!("{JSON}Mcp-Session-Id: x\r\n"),
            "404",
            "Session not found",
        ),
        (
            "POST",
            format!("{JSON}MCP-Protocol-Version: 1\r\n"),
            "400",
            "Unsupported MCP-Protocol-Version: 1",
        ),
        (
            "GET",
            "Accept: text/html\r\n".to_owned(),
            "406",
            "accept text/event-stream",
        ),
        ("GET", String::new(), "400", "Session ID is required"),
        (
            "DELETE",
            "MCP-Protocol-Version: 2026-07-28\r\n".to_owned(),
            "405",
            "allow: POST",
        ),
        ("PUT", String::new(), "405", "allow: GET, POST, DELETE"),
    ];
    for (method, headers, expected, text) in table {
        let body = match method {
            "POST" => r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            _ => "",
        };
        let request = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
             Connection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let answer = read_answer(stream, Duration::from_secs(5));
        assert_eq!(status(&answer), expected, "{request}\n{answer}");
        assert!(answer.contains(text), "{request}\n{answer}");
    }
}

#[test]
fn requests_on_one_connection_are_answered_in_order() {
    let (address, _sandbox) = start();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = |body: &str, more: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\n{more}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let all = [
        request("{", ""),
        request(INITIALIZE, ""),
        request(ping, "Connection: close\r\n"),
    ];
    stream.write_all(all.concat().as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    let found: Vec<usize> = ["mcp/malformed", "serverInfo", "Session ID is required"]
        .iter()
        .map(|text| answers.find(text).unwrap_or_else(|| panic!("{answers}")))
        .collect();
    assert!(found.is_sorted(), "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 ").count(), 3, "{answers}");
}

/// Sends bytes as they are; the answer comes back.
fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    // The server may refuse before it has read all.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    read_answer(stream, PATIENCE)
}

const PATIENCE: Duration = Duration::from_secs(5);

/// A request with these additional headers.
fn ping(address: SocketAddr, headers: &str, body: &str) -> String {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
         Content-Type: application/json\r\n{headers}\r\n{body}"
    );
    raw(address, head.as_bytes())
}

#[test]
fn malformed_heads_are_refused_and_the_server_goes_on() {
    let (address, _sandbox) = start();
    for head in [
        "\u{16}\u{3}\u{1}\r\n\r\n",
        "HELLO\r\n\r\n",
        "GET  /mcp HTTP/1.1\r\n\r\n",
        "GET /mcp HTTP/1.1\r\nA : b\r\n\r\n",
        "GET /mcp HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        "GET /mcp HTTP/1.1\r\nA: b\0\r\n\r\n",
        "GET /mcp HTTP/1.1\r\n: b\r\n\r\n",
    ] {
        let answer = raw(address, head.as_bytes());
        assert_eq!(status(&answer), "400", "{head:?}\n{answer}");
    }
    for incomplete in ["", "P", "POST /mcp HTTP/1.1\r\n"] {
        let answer = raw(address, incomplete.as_bytes());
        assert_ne!(status(&answer), "200", "{incomplete:?}\n{answer}");
    }
    let length = format!("Content-Length: {}\r\n", INITIALIZE.len());
    assert_eq!(status(&ping(address, &length, INITIALIZE)), "200");
}

#[test]
fn heads_are_limited_in_size_and_number() {
    let (address, _sandbox) = start();
    let long = format!("A: {}\r\n", "x".repeat(128 << 10));
    let many = "A: b\r\n".repeat(101);
    for headers in [&long, &many] {
        let answer = ping(address, headers, "");
        assert_eq!(status(&answer), "431", "{answer}");
    }
    // A head that never ends is not stored.
    let endless = raw(address, &vec![b'x'; 1 << 20]);
    assert_ne!(status(&endless), "200", "{endless}");
}

#[test]
fn a_body_of_ambiguous_length_is_never_two_requests() {
    let (address, _sandbox) = start();
    let length = INITIALIZE.len();
    let chunk = format!("{length:x}\r\n{INITIALIZE}\r\n0\r\n\r\n");
    let refused = [
        "Content-Length: 1\r\nContent-Length: 2\r\n".to_owned(),
        "Content-Length: +1\r\n".to_owned(),
        "Content-Length: -1\r\n".to_owned(),
        "Content-Length: 1a\r\n".to_owned(),
        "Content-Length:\r\n".to_owned(),
        "Content-Length: 99999999999999999999\r\n".to_owned(),
        "Transfer-Encoding: identity\r\n".to_owned(),
        "Transfer-Encoding: xchunked\r\n".to_owned(),
    ];
    for headers in refused {
        let answer = ping(address, &headers, "a");
        assert_eq!(status(&answer), "400", "{headers:?}\n{answer}");
    }
    // Chunks decide, and the connection closes, so nothing after them is read as a request.
    let both = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n\
         {chunk}GET /mcp HTTP/1.1\r\n\r\n"
    );
    let answer = raw(address, both.as_bytes());
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    let answer = ping(address, "Transfer-Encoding: chunked\r\n", &chunk);
    assert_eq!(status(&answer), "200", "{answer}");
}

#[test]
fn incomplete_and_malformed_bodies_are_refused() {
    let (address, _sandbox) = start();
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (headers, body) in [
        ("Content-Length: 3\r\n", "ab"),
        (chunked, "2\r\nab"),
        (chunked, "x\r\nab\r\n0\r\n\r\n"),
        (chunked, "-1\r\n\r\n"),
        (chunked, "2\r\nabc\r\n0\r\n\r\n"),
        (chunked, "fffffffffffffffff\r\n"),
    ] {
        let answer = ping(address, headers, body);
        assert_ne!(status(&answer), "200", "{headers:?} {body:?}\n{answer}");
        assert!(!answer.contains("result"), "{answer}");
    }
}
