//! HTTP on this machine: who may ask, and that a session works.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use agpm_mcp::{AccessToken, HttpOptions, ServeOptions, ServeTransport, WriteAccess, serve};
use agpm_ops::CatalogPlaces;
use serde_json::json;

use crate::support::{project, world};

const TOKEN: &str = "correct-horse";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// Starts a server that lives as long as the test process.
fn start() -> (SocketAddr, agpm_testkit::Sandbox) {
    let sandbox = project();
    let (tell, told) = std::sync::mpsc::channel();
    let ready = Box::new(move |address| tell.send(address).unwrap());
    let http = HttpOptions {
        port: 0,
        token: AccessToken::new(TOKEN).unwrap(),
        ready,
    };
    let options = ServeOptions {
        channel: ServeTransport::Http(http),
        writes: WriteAccess::Refused,
        places: CatalogPlaces::default(),
    };
    let world = world(&sandbox);
    std::thread::spawn(move || serve(world, options).unwrap());
    (told.recv().unwrap(), sandbox)
}

/// Sends a request and reads the answer to its end, or to the end of its first event.
fn post(address: SocketAddr, headers: &[(&str, &str)], body: &str) -> String {
    send("POST", address, headers, body)
}

fn send(method: &str, address: SocketAddr, headers: &[(&str, &str)], body: &str) -> String {
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
    let mut answer = Vec::new();
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[test]
fn only_those_who_know_the_token_and_stand_on_this_machine_may_ask() {
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
