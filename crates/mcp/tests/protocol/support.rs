use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use agpm_app::project::world::{Environment, InstallScope, NetworkAccess, SilentProgress, World};
use agpm_mcp::{WriteAccess, serve_streams};
use agpm_testkit::Sandbox;
use serde_json::{Value, json};

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
    let installed =
        agpm_app::install::install(&world(&sandbox), &agpm_app::install::InstallRequest::PLAIN);
    assert!(installed.result.is_ok(), "{:?}", installed.diagnostics);
    sandbox
}

pub(crate) fn world(sandbox: &Sandbox) -> World {
    let root = sandbox.home().parent().unwrap().to_owned();
    let environment = Environment {
        approvals: Vec::new(),
        bases: agpm_app::project::world::BaseApproval::default(),
        typed: agpm_diag::TypedCommand::default(),
        scope: InstallScope::Project,
        working_directory: sandbox.work(),
        manifest: None,
        config: None,
        config_directory: Some(root.join("config/agpm")),
        cache: Some(root.join("cache/agpm")),
        home: Some(sandbox.home()),
        network: NetworkAccess::Offline,
        state: Some(root.join("state/agpm")),
        programs: agpm_app::project::world::ProgramUse::Approved,
        outside: agpm_app::project::world::OutsideReads::Allowed,
        policies: agpm_app::project::world::PolicyLocations::default(),
        executables: Vec::new(),
        credentials: Vec::new(),
    };
    World::of_machine(environment, Arc::new(SilentProgress))
}

/// A client and its server.
pub(crate) struct Client {
    input: Option<UnixStream>,
    pub(crate) output: BufReader<UnixStream>,
    /// Gets a message when the server ends.
    ended: Receiver<()>,
    next: i64,
    /// Notifications that came while an answer was waited for.
    passed: Vec<Value>,
}

impl Client {
    /// A client that has sent nothing yet.
    pub(crate) fn silent(sandbox: &Sandbox, writes: WriteAccess) -> Self {
        // Two pairs, since a client may close one direction only.
        let (input, server_input) = UnixStream::pair().unwrap();
        let (output, server_output) = UnixStream::pair().unwrap();
        input.set_write_timeout(Some(PATIENCE)).unwrap();
        output.set_read_timeout(Some(PATIENCE)).unwrap();
        let world = world(sandbox);
        let (sender, ended) = channel();
        server_input.set_nonblocking(true).unwrap();
        server_output.set_nonblocking(true).unwrap();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let input = tokio::net::UnixStream::from_std(server_input).unwrap();
                let output = tokio::net::UnixStream::from_std(server_output).unwrap();
                serve_streams(world, writes, input, output).await;
            });
            runtime.shutdown_background();
            sender.send(()).unwrap_or_default();
        });
        Client {
            input: Some(input),
            output: BufReader::new(output),
            ended,
            next: 0,
            passed: Vec::new(),
        }
    }

    /// One that has opened a session.
    pub(crate) fn open(sandbox: &Sandbox) -> Self {
        Client::open_with(sandbox, WriteAccess::Refused)
    }

    pub(crate) fn open_with(sandbox: &Sandbox, writes: WriteAccess) -> Self {
        let mut client = Client::silent(sandbox, writes);
        client.initialize();
        client
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let parameters = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = self.ask("initialize", parameters);
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        assert!(self.try_write(bytes, PATIENCE), "the server reads");
    }

    /// Whether the server took bytes in within the time.
    pub(crate) fn try_write(&mut self, bytes: &[u8], patience: Duration) -> bool {
        let input = self.input.as_mut().expect("the input is open");
        input.set_write_timeout(Some(patience)).unwrap();
        input.write_all(bytes).is_ok()
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// The next line; nothing if the server closed its output.
    pub(crate) fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self
            .output
            .read_line(&mut line)
            .expect("the server answers");
        (read > 0)
            .then(|| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Asks without waiting; the id comes back.
    pub(crate) fn send(&mut self, method: &str, parameters: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        id
    }

    /// Asks and waits for the answer; notifications are passed over.
    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.send(method, parameters);
        loop {
            let heard = self.hear().expect("an answer");
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
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self
                .passed
                .iter()
                .position(|message| message["method"] == method)
            {
                return self.passed.remove(at);
            }
            let heard = self.hear().expect("a notification");
            self.passed.push(heard);
        }
    }

    /// Calls the tool; the result comes back.
    pub(crate) fn call(&mut self, arguments: Value) -> Value {
        let answer = self.ask(
            "tools/call",
            json!({ "name": "agpm", "arguments": arguments }),
        );
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// The number and the word of an error.
    pub(crate) fn trouble(&mut self, method: &str, parameters: Value) -> String {
        error_of(&self.ask(method, parameters))
    }

    /// Ends the input, and waits for the server to end.
    pub(crate) fn finish(mut self) -> Vec<Value> {
        self.close_input();
        let mut rest = Vec::new();
        while let Some(heard) = self.hear() {
            rest.push(heard);
        }
        self.ended();
        rest
    }

    pub(crate) fn close_input(&mut self) {
        let input = self.input.take().expect("the input is open");
        input.shutdown(Shutdown::Both).unwrap();
    }

    pub(crate) fn ended(self) {
        self.ended.recv_timeout(PATIENCE).expect("the server ends");
    }

    /// Nobody reads any more, and the server ends.
    pub(crate) fn hang_up(self) {
        let Client {
            ended,
            output,
            mut input,
            ..
        } = self;
        drop(output);
        let ping = b"{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}\n";
        let _ = input.as_mut().unwrap().write_all(ping);
        ended.recv_timeout(PATIENCE).expect("the server ends");
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
