//! What a client that does not read costs. Alone in its process, since memory is counted by process.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

#[allow(dead_code)]
#[path = "protocol/support.rs"]
mod support;

use std::time::Duration;

use serde_json::json;

use crate::support::{Client, project};

#[test]
fn a_client_that_does_not_read_is_not_fed() {
    let sandbox = project();
    let body = "x".repeat(1 << 20);
    sandbox.write(
        "kit/reviewer.md",
        format!("---\nname: reviewer\n---\n{body}"),
    );
    let world = crate::support::world(&sandbox);
    assert!(
        agpm_app::install::install(&world, &agpm_app::install::InstallRequest::PLAIN)
            .result
            .is_ok()
    );
    let mut client = Client::open(&sandbox);
    let line = |id: usize| {
        let uri = json!({ "uri": "agpm://installed/agents/reviewer" });
        format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "id": id, "method": "resources/read", "params": uri })
        )
    };
    // More requests than are ever taken in unanswered: at some point the server stops reading.
    let mut written = 0;
    while written < 20_000 {
        let lines: String = (written..written + 100).map(line).collect();
        if !client.try_write(lines.as_bytes(), Duration::from_millis(500)) {
            break;
        }
        written += 100;
    }
    assert!(written < 20_000, "everything was taken in");
    assert!(resident() < 200 << 20, "{} MiB", resident() >> 20);
    // It goes on as soon as somebody reads.
    let heard = client.hear().unwrap();
    assert_eq!(heard["result"]["contents"][0]["mimeType"], "text/markdown");
    client.hang_up();
}

/// Memory of this process, as the kernel counts it.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok())
        .unwrap_or(0)
        * 4096
}
