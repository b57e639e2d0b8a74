use std::sync::Arc;
use std::time::Duration;

use agpm_mcp::{WriteAccess, serve_streams};
use agpm_ops::{Environment, InstallScope, NetworkAccess, SilentProgress, World};
use agpm_testkit::Sandbox;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Longer than anything takes, and short enough to wait for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A world of its own, with nothing in it.
pub(crate) fn sandbox() -> Sandbox {
    Sandbox::new("no program")
}

/// A project with one installed agent and one installed script.
pub(crate) fn project() -> Sandbox {
    let sandbox = sandbox();
    sandbox.write(
        "kit/reviewer.md",
        "---\nname: reviewer\ndescription: reads code\n---\nRead it.\n",
    );
    sandbox.write("kit/check.sh", "#!/bin/sh\nexit 0\n");
    sandbox.write(
        "agpm.toml",
        "[agents]\nreviewer = { path = \"kit/reviewer.md\" }\n[scripts]\ncheck = { path = \"kit/check.sh\" }\n",
    );
    let installed = agpm_ops::install(&world(&sandbox), &agpm_ops::InstallRequest::PLAIN);
    assert!(installed.result.is_ok(), "{:?}", installed.diagnostics);
    sandbox
}

pub(crate) fn world(sandbox: &Sandbox) -> World {
    let root = sandbox.home().parent().unwrap().to_owned();
    let environment = Environment {
        approvals: Vec::new(),
        scope: InstallScope::Project,
        folder: sandbox.work(),
        manifest: None,
        config: None,
        config_folder: Some(root.join("config/agpm")),
        cache: Some(root.join("cache/agpm")),
        home: Some(sandbox.home()),
        network: NetworkAccess::Offline,
        state: Some(root.join("state/agpm")),
        programs: agpm_ops::ProgramUse::Approved,
        outside: agpm_ops::OutsideReads::Allowed,
        policies: agpm_ops::PolicyPlaces::default(),
        executables: Vec::new(),
    };
    World::of_machine(environment, Arc::new(SilentProgress))
}

/// A client and its server.
pub(crate) struct Client {
    input: Option<tokio::io::WriteHalf<DuplexStream>>,
    pub(crate) output: BufReader<tokio::io::ReadHalf<DuplexStream>>,
    server: JoinHandle<()>,
    next: i64,
    /// Notifications that came while an answer was waited for.
    passed: Vec<Value>,
}

impl Client {
    /// One that has said nothing yet.
    pub(crate) fn silent(sandbox: &Sandbox, writes: WriteAccess) -> Self {
        // Two pipes, since the two ends of one are closed together.
        let (ours, theirs) = duplex(64 * 1024);
        let (our_output, their_output) = duplex(64 * 1024);
        let (_, input) = split(ours);
        let (server_input, _) = split(theirs);
        let (output, _) = split(our_output);
        let (_, server_output) = split(their_output);
        let server = tokio::spawn(serve_streams(
            world(sandbox),
            writes,
            server_input,
            server_output,
        ));
        Client {
            input: Some(input),
            output: BufReader::new(output),
            server,
            next: 0,
            passed: Vec::new(),
        }
    }

    /// One that has opened a session.
    pub(crate) async fn open(sandbox: &Sandbox) -> Self {
        Client::open_with(sandbox, WriteAccess::Refused).await
    }

    pub(crate) async fn open_with(sandbox: &Sandbox, writes: WriteAccess) -> Self {
        let mut client = Client::silent(sandbox, writes);
        client.initialize().await;
        client
    }

    pub(crate) async fn initialize(&mut self) -> Value {
        let parameters = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = self.ask("initialize", parameters).await;
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        answer
    }

    /// Writes bytes as they are.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        timeout(PATIENCE, input.write_all(bytes))
            .await
            .expect("the server reads")
            .unwrap();
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// The next line; nothing if the server closed its output.
    pub(crate) async fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.output.read_line(&mut line))
            .await
            .expect("the server answers")
            .unwrap();
        (read > 0)
            .then(|| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Asks without waiting; the id comes back.
    pub(crate) async fn send(&mut self, method: &str, parameters: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))
            .await;
        id
    }

    /// Asks and waits for the answer; notifications are passed over.
    pub(crate) async fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.send(method, parameters).await;
        loop {
            let heard = self.hear().await.expect("an answer");
            if heard["id"] == id {
                return heard;
            }
            assert!(
                heard.get("id").is_none(),
                "an answer that nobody asked for: {heard}"
            );
            self.passed.push(heard);
        }
    }

    /// Waits for a notification, unless it came already.
    pub(crate) async fn notification(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.passed.iter().position(|told| told["method"] == method) {
                return self.passed.remove(at);
            }
            let heard = self.hear().await.expect("a notification");
            self.passed.push(heard);
        }
    }

    /// Calls the tool; the result comes back.
    pub(crate) async fn call(&mut self, arguments: Value) -> Value {
        let answer = self
            .ask(
                "tools/call",
                json!({ "name": "agpm", "arguments": arguments }),
            )
            .await;
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// The number and the word of an error.
    pub(crate) async fn trouble(&mut self, method: &str, parameters: Value) -> String {
        error_of(&self.ask(method, parameters).await)
    }

    /// Ends the input, and waits for the server to end.
    pub(crate) async fn finish(mut self) -> Vec<Value> {
        self.close_input().await;
        let mut rest = Vec::new();
        while let Some(heard) = self.hear().await {
            rest.push(heard);
        }
        self.ended().await;
        rest
    }

    pub(crate) async fn close_input(&mut self) {
        self.input
            .take()
            .expect("the input is open")
            .shutdown()
            .await
            .unwrap();
    }

    pub(crate) async fn ended(self) {
        let Client { server, output, .. } = self;
        timeout(PATIENCE, server)
            .await
            .expect("the server ends")
            .unwrap();
        drop(output);
    }

    /// Nobody reads any more, and the server ends.
    pub(crate) async fn hang_up(self) {
        let Client {
            server,
            output,
            mut input,
            ..
        } = self;
        drop(output);
        let ping = b"{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}\n";
        let _ = input.as_mut().unwrap().write_all(ping).await;
        timeout(PATIENCE, server)
            .await
            .expect("the server ends")
            .unwrap();
    }
}

/// The number and the word of an error.
pub(crate) fn error_of(answer: &Value) -> String {
    let error = &answer["error"];
    format!(
        "{} {}",
        error["code"],
        error["data"]["code"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
    )
}
