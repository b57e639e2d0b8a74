//! Notifications to the client.

use agpm_diag::server_codes;
use serde_json::{Value, json};

use crate::pages::shown_answer;
use crate::support::{Client, project};

#[test]
fn a_change_on_the_disk_is_reported() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    assert!(
        client
            .ask("resources/list", json!({}))
            .get("result")
            .is_some()
    );
    // The first look must have happened before the change.
    std::thread::sleep(std::time::Duration::from_millis(700));
    sandbox.write("agpm.lock", format!("{}\n", sandbox.read("agpm.lock")));
    let heard = client.hear().unwrap();
    assert_eq!(
        heard,
        json!({ "jsonrpc": "2.0", "method": "notifications/resources/list_changed" })
    );
    client.finish();
}

/// The subscription of a client of the newest protocol.
fn subscription(notifications: &Value) -> Value {
    json!({
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
        "notifications": notifications,
    })
}

#[test]
fn a_subscription_is_reported_and_ends_with_the_input() {
    let sandbox = project();
    let mut client = Client::silent(&sandbox, agpm_mcp::WriteAccess::Refused);
    let parameters =
        subscription(&json!({ "resourcesListChanged": true, "toolsListChanged": true }));
    let id = client.send("subscriptions/listen", parameters);
    let acknowledged = client.hear().unwrap();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({ "resourcesListChanged": true })
    );
    std::thread::sleep(std::time::Duration::from_millis(700));
    sandbox.write("agpm.toml", format!("{}\n", sandbox.read("agpm.toml")));
    let notification = client.hear().unwrap();
    assert_eq!(
        notification["method"],
        "notifications/resources/list_changed"
    );
    let begun = std::time::Instant::now();
    let rest = client.finish();
    let last: Vec<&Value> = rest.iter().filter(|heard| heard["id"] == id).collect();
    assert_eq!(last.len(), 1, "{rest:?}");
    assert!(
        begun.elapsed().as_secs() < 4,
        "nobody waits for a subscription"
    );
}

#[test]
fn the_level_of_messages_can_be_set() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    assert_eq!(
        client.ask("logging/setLevel", json!({ "level": "debug" }))["result"],
        json!({})
    );
    sandbox.write(
        "agpm.toml",
        "[agents]\nreviewer = { pth = \"kit/reviewer.md\" }\n",
    );
    let id = client.send("resources/list", json!({}));
    let mut messages = Vec::new();
    let mut answered = false;
    let is_error = |message: &Value| message["level"] == "error";
    while !messages.iter().any(is_error) || !answered {
        let heard = client.hear().unwrap();
        answered |= heard["id"] == id;
        if heard["method"] == "notifications/message" {
            messages.push(heard["params"].clone());
        }
    }
    for message in &messages {
        assert_eq!(message["logger"], "agpm", "{messages:?}");
        let code = message["data"]["code"].as_str().unwrap();
        assert!(
            code.starts_with("manifest/") || code == "catalog/empty",
            "{messages:?}"
        );
    }
    client.finish();
}

const AGENTS: &str = "bmad/_cfg/agent-manifest.csv";

/// The first look must have happened before a change.
fn looked() {
    std::thread::sleep(std::time::Duration::from_millis(700));
}

#[test]
fn a_catalog_that_nobody_required_yet_is_watched_too() {
    let sandbox = project();
    sandbox.write(AGENTS, "name,module\npm,bmm\n");
    let mut client = Client::open(&sandbox);
    looked();
    sandbox.write(AGENTS, "name,module\npm,bmm\ndev,bmm\n");
    let heard = [client.hear().unwrap(), client.hear().unwrap()];
    let methods = heard
        .each_ref()
        .map(|heard| heard["method"].as_str().unwrap());
    assert_eq!(
        methods,
        [
            "notifications/resources/list_changed",
            "notifications/prompts/list_changed"
        ]
    );
    client.finish();
}

#[test]
fn a_catalog_that_is_written_again_and_says_the_same_is_not_a_change() {
    let sandbox = project();
    sandbox.write(AGENTS, "name,module\npm,bmm\n");
    let mut client = Client::open(&sandbox);
    client.ask("prompts/list", json!({}));
    looked();
    sandbox.write(AGENTS, "name,module\npm,bmm\n\n");
    looked();
    let id = client.send("ping", json!({}));
    assert_eq!(client.hear().unwrap()["id"], id, "no notification before");
    sandbox.write(AGENTS, "name,module\npm,bmm\nqa,bmm\n");
    let mut heard = client.hear().unwrap();
    assert_eq!(heard["method"], "notifications/resources/list_changed");
    heard = client.hear().unwrap();
    assert_eq!(heard["method"], "notifications/prompts/list_changed");
    let prompts = client.ask("prompts/list", json!({}));
    assert_eq!(
        prompts["result"]["prompts"].as_array().unwrap().len(),
        2,
        "one notification, for the second change"
    );
    client.finish();
}

#[test]
fn a_seventeenth_subscription_is_refused() {
    let sandbox = project();
    let mut client = Client::silent(&sandbox, agpm_mcp::WriteAccess::Refused);
    let parameters = subscription(&json!({ "resourcesListChanged": true }));
    for _ in 0..16 {
        client.send("subscriptions/listen", parameters.clone());
    }
    let refused = client.ask("subscriptions/listen", parameters);
    assert_eq!(refused, shown_answer(&server_codes::BUSY));
    client.finish();
}
