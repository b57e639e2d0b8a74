//! The client configurations in the guide to the server: each has the shape that its client reads, and starts a server
//! that answers.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use agpm_testkit::{Sandbox, parse_json};
use agpm_text::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const GUIDE: &str = include_str!("../../../docs/mcp.md");
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const TOOLS: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

/// The shape that a client reads: the key of its servers, and the required and allowed keys of an entry.
struct Shape {
    /// The heading of its section.
    section: &'static str,
    file: &'static str,
    servers: &'static str,
    needed: &'static [&'static str],
    allowed: &'static [&'static str],
}

const SHAPES: [Shape; 3] = [
    Shape {
        section: "### Claude Code\n",
        file: ".mcp.json",
        servers: "mcpServers",
        needed: &["command"],
        allowed: &["type", "command", "args", "env"],
    },
    Shape {
        section: "### VS Code\n",
        file: ".vscode/mcp.json",
        servers: "servers",
        needed: &["type", "command"],
        allowed: &["type", "command", "args", "env", "envFile", "cwd"],
    },
    Shape {
        section: "### Cursor\n",
        file: ".cursor/mcp.json",
        servers: "mcpServers",
        needed: &["command"],
        allowed: &["type", "command", "args", "env", "envFile"],
    },
];

/// A section of the guide, from its heading to the next one.
fn section(heading: &str) -> &'static str {
    let (_, rest) = GUIDE
        .split_once(heading)
        .unwrap_or_else(|| panic!("the guide has no {heading}"));
    rest.split("\n#").next().unwrap()
}

/// The fences of a language in a text.
fn fences<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("```{language}\n");
    text.split(&opening)
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// The one entry of a configuration that has nothing but servers.
fn entry(text: &str, servers: &str) -> Value {
    let value = parse_json(text);
    assert_eq!(keys(&value), [servers], "{text}");
    let entries = value.get(servers).unwrap();
    let [name] = keys(entries)[..] else {
        panic!("not one server in {text}")
    };
    entries.get(name).unwrap().clone()
}

fn keys(value: &Value) -> Vec<&str> {
    let Value::Map(entries) = value else {
        panic!("no object: {value:?}")
    };
    entries.iter().map(|(key, _)| key.as_str()).collect()
}

fn word<'v>(entry: &'v Value, key: &str) -> &'v str {
    entry
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text `{key}` in {}", entry.to_json()))
}

/// The command of an entry, word by word.
fn command_of(entry: &Value) -> Vec<String> {
    let Some(Value::List(arguments)) = entry.get("args") else {
        panic!("no list `args` in {}", entry.to_json())
    };
    let arguments = arguments
        .iter()
        .map(|argument| argument.as_str().unwrap().to_owned());
    std::iter::once(word(entry, "command").to_owned())
        .chain(arguments)
        .collect()
}

/// Starts a command of the guide, with the program under test for `agpm`.
fn command(sandbox: &Sandbox, words: &[String]) -> Command {
    let (program, arguments) = words.split_first().unwrap();
    assert_eq!(program, "agpm");
    let mut command = sandbox.command(PROGRAM);
    command.args(arguments);
    command
}

/// Initializes a session, lists the tools and disconnects; the answers are those of a server with one tool.
fn talks(sandbox: &Sandbox, words: &[String]) {
    let mut command = command(sandbox, words);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let requests = format!("{INITIALIZE}\n{INITIALIZED}\n{TOOLS}\n");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(requests.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<&str> = answers.lines().collect();
    lines.sort_by_key(|line| line.contains(r#""id":2"#));
    let [hello, tools] = lines[..] else {
        panic!("{words:?} printed\n{answers}")
    };
    assert!(
        hello.contains(r#""id":1"#) && hello.contains(r#""serverInfo":{"name":"agpm""#),
        "{hello}"
    );
    assert!(
        tools.contains(r#""id":2"#) && tools.contains(r#""name":"agpm""#),
        "{tools}"
    );
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), b"".as_slice())
    );
}

#[test]
fn each_client_gets_the_shape_that_it_reads_and_a_server_that_answers() {
    for shape in &SHAPES {
        let section = section(shape.section);
        assert!(
            section.contains(&format!("`{}`", shape.file)),
            "{} is not named",
            shape.file
        );
        let [text] = fences(section, "json")[..] else {
            panic!("not one configuration in {section}")
        };
        let entry = entry(text, shape.servers);
        let keys_present = keys(&entry);
        assert!(
            shape.needed.iter().all(|key| keys_present.contains(key)),
            "{} lacks a key:\n{text}",
            shape.file
        );
        assert!(
            keys_present.iter().all(|key| shape.allowed.contains(key)),
            "{} has a strange key:\n{text}",
            shape.file
        );
        assert!(
            entry
                .get("type")
                .is_none_or(|kind| kind.as_str() == Some("stdio")),
            "{text}"
        );
        assert!(
            entry
                .get("cwd")
                .is_none_or(|directory| directory.as_str() == Some("${workspaceFolder}")),
            "{text}"
        );
        talks(&Sandbox::new(PROGRAM), &command_of(&entry));
    }
}

#[test]
fn the_command_that_adds_the_server_names_one_that_answers() {
    let [line] = fences(section("### Claude Code\n"), "sh")[..] else {
        panic!("not one command")
    };
    let (adding, started) = line.trim().split_once(" -- ").unwrap();
    assert_eq!(adding, "claude mcp add agpm");
    let words: Vec<String> = started.split(' ').map(str::to_owned).collect();
    talks(&Sandbox::new(PROGRAM), &words);
}

#[test]
fn installs_for_a_team_have_the_same_shapes() {
    let [manifest] = fences(section("### All clients, for a team\n"), "toml")[..] else {
        panic!("not one manifest")
    };
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("agpm.toml", manifest);
    let output = sandbox.run_line("agpm install");
    assert_eq!(output.code, Some(0), "{output}");
    for shape in &SHAPES {
        let entry = entry(&sandbox.read(shape.file), shape.servers);
        let keys_present = keys(&entry);
        assert!(
            shape.needed.iter().all(|key| keys_present.contains(key)),
            "{}: {keys_present:?}",
            shape.file
        );
        assert!(
            keys_present.iter().all(|key| shape.allowed.contains(key)),
            "{}: {keys_present:?}",
            shape.file
        );
        talks(&sandbox, &command_of(&entry));
    }
}

/// Ends a server that would go on.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_configuration_for_http_reaches_the_server_that_is_started_for_it() {
    let section = section("## Over HTTP\n");
    let [text] = fences(section, "json")[..] else {
        panic!("not one configuration in {section}")
    };
    let entry = entry(text, "mcpServers");
    assert_eq!(
        (keys(&entry), word(&entry, "type")),
        (vec!["type", "url", "headers"], "http")
    );
    let [line] = fences(section, "sh")[..] else {
        panic!("not one command in {section}")
    };
    let (variable, started) = line.trim().split_once("=… ").unwrap();
    let (started, port) = started.rsplit_once(' ').unwrap();
    assert_eq!(word(&entry, "url"), format!("http://127.0.0.1:{port}/mcp"));
    let header = word(entry.get("headers").unwrap(), "Authorization")
        .replace(&format!("${{{variable}}}"), "s3cret");

    // Any free port, since that of the guide may be taken here.
    let words: Vec<String> = started.split(' ').chain(["0"]).map(str::to_owned).collect();
    let sandbox = Sandbox::new(PROGRAM);
    let mut command = command(&sandbox, &words);
    let mut server = Ending(
        command
            .env(variable, "s3cret")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut output = String::new();
    BufReader::new(server.0.stderr.take().unwrap())
        .read_line(&mut output)
        .unwrap();
    let address = output
        .trim()
        .strip_prefix("agpm: serving MCP at http://")
        .and_then(|url| url.strip_suffix("/mcp"));
    let address = address.unwrap_or_else(|| panic!("{output}"));
    let answer = post(address, &header);
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.contains(r#""serverInfo":{"name":"agpm""#),
        "{answer}"
    );
    assert!(post(address, "Bearer other").starts_with("HTTP/1.1 401 "));
}

/// Sends `initialize`, and gives back what is answered until that is complete.
fn post(address: &str, authorization: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: {authorization}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{INITIALIZE}",
        INITIALIZE.len()
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn there_is_not_a_configuration_in_the_guide_that_is_not_checked() {
    let checked = SHAPES.len() + 1;
    assert_eq!(fences(GUIDE, "json").len(), checked);
    assert_eq!(fences(GUIDE, "sh").len(), 2);
}
