//! What holds for everything that a client of the MCP server sends: each answer is a JSON message, and the server ends
//! when its input does.

use std::sync::Arc;

use agpm_app::project::world::{
    BaseApproval, Environment, InstallScope, NetworkAccess, OutsideReads, PolicyLocations,
    ProgramUse, SilentProgress, World,
};
use agpm_diag::TypedCommand;
use agpm_mcp::{WriteAccess, serve_streams};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Bytes that are on their way in each direction.
const PIPE: usize = 1 << 16;

fn world(directory: &std::path::Path) -> World {
    let environment = Environment {
        approvals: Vec::new(),
        bases: BaseApproval::default(),
        typed: TypedCommand::default(),
        scope: InstallScope::Project,
        working_directory: directory.to_owned(),
        manifest: None,
        config: None,
        config_directory: None,
        cache: Some(directory.join("cache")),
        home: Some(directory.to_owned()),
        network: NetworkAccess::Offline,
        state: Some(directory.join("state")),
        programs: ProgramUse::Approved,
        outside: OutsideReads::Refused,
        policies: PolicyLocations::default(),
        executables: Vec::new(),
    };
    World::of_machine(environment, Arc::new(SilentProgress))
}

/// Sends bytes to a server without a project, and returns what it answers.
pub fn answers(bytes: &[u8], directory: &std::path::Path) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let world = world(directory);
    let sent = bytes.to_vec();
    let answered = runtime.block_on(async move {
        let (mut input, server_input) = tokio::io::duplex(PIPE);
        let (server_output, mut output) = tokio::io::duplex(PIPE);
        let send = async move {
            let _ = input.write_all(&sent).await;
            // The end of the input ends the server.
            drop(input);
        };
        let mut answered = Vec::new();
        let receive = async {
            let _ = output.read_to_end(&mut answered).await;
        };
        let serve = serve_streams(world, WriteAccess::Refused, server_input, server_output);
        tokio::join!(send, receive, serve);
        answered
    });
    runtime.shutdown_background();
    String::from_utf8(answered).expect("answers are text")
}

/// Each answer is a line with a JSON object.
pub fn check_protocol(bytes: &[u8], directory: &std::path::Path) {
    for line in answers(bytes, directory).lines() {
        let parsed = agpm_text::parse_alone(line, agpm_text::Format::Json);
        assert!(parsed.diagnostics.is_empty(), "{line}");
        assert!(line.starts_with('{'), "{line}");
    }
}
