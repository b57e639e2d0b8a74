//! Opening a session, its capabilities, and errors for malformed messages.

use agpm_mcp::WriteAccess;
use serde_json::json;

use crate::support::{Client, error_of, sandbox};

#[test]
fn initialize_reports_who_it_is_and_what_it_can() {
    let mut client = Client::silent(&sandbox(), WriteAccess::Refused);
    let answer = client.initialize();
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(
        result["serverInfo"],
        json!({ "name": "agpm", "version": env!("CARGO_PKG_VERSION") })
    );
    let expected = json!({
        "completions": {},
        "logging": {},
        "prompts": { "listChanged": true },
        "resources": { "listChanged": true },
        "tools": {},
    });
    assert_eq!(result["capabilities"], expected);
    assert_eq!(
        result["instructions"]
            .as_str()
            .unwrap()
            .matches(". ")
            .count(),
        2,
        "three sentences"
    );
    assert_eq!(client.finish(), Vec::<serde_json::Value>::new());
}

#[test]
fn an_unknown_version_gets_one_that_is_known() {
    let mut client = Client::silent(&sandbox(), WriteAccess::Refused);
    let parameters = |version: &str| json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let answer = client.ask("initialize", parameters("1999-01-01"));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    client.finish();
}

#[test]
fn before_initialize_only_ping_is_answered_and_the_server_goes_on() {
    let mut client = Client::silent(&sandbox(), WriteAccess::Refused);
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.say(&json!({ "jsonrpc": "2.0", "id": 99, "result": {} }));
    assert_eq!(
        client.trouble("tools/list", json!({})),
        "-32600 mcp/not-initialized"
    );
    assert_eq!(
        client.trouble("unheard/of", json!({})),
        "-32600 mcp/not-initialized"
    );
    assert_eq!(
        client.trouble("initialize", json!({})),
        "-32602 mcp/parameters"
    );
    assert_eq!(
        client.trouble("initialize", json!(5)),
        "-32602 mcp/parameters"
    );
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    assert!(client.initialize().get("result").is_some());
    assert!(client.ask("tools/list", json!({})).get("result").is_some());
    client.finish();
}

#[test]
fn a_session_without_initialize_reports_with_each_request_who_asks() {
    let mut client = Client::silent(&sandbox(), WriteAccess::Refused);
    let meta = |version: &str| {
        json!({ "_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        } })
    };
    let discovered = client.ask("server/discover", meta("2026-07-28"));
    assert_eq!(
        discovered["result"]["capabilities"]["resources"]["listChanged"], true,
        "{discovered}"
    );
    assert!(
        client
            .trouble("tools/list", meta("2099-01-01"))
            .ends_with(" mcp/protocol-version")
    );
    // A notification here must not open, close or break anything.
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let listed = client.ask("tools/list", meta("2026-07-28"));
    assert_eq!(listed["result"]["tools"][0]["name"], "agpm", "{listed}");
    assert_eq!(
        client.trouble("tools/list", json!({})),
        "-32602 mcp/parameters"
    );
    client.finish();
}

#[test]
fn wrong_messages_get_their_codes() {
    let mut client = Client::open(&sandbox());
    let table = [
        ("unheard/of", json!({}), "-32601 mcp/unknown-method"),
        (
            "resources/subscribe",
            json!({ "uri": "agpm://persona/a" }),
            "-32601 mcp/unknown-method",
        ),
        (
            "tasks/get",
            json!({ "taskId": "1" }),
            "-32601 mcp/unknown-method",
        ),
        ("tools/call", json!({}), "-32602 mcp/parameters"),
        ("tools/call", json!([1]), "-32602 mcp/parameters"),
        (
            "tools/call",
            json!({ "name": "agpm", "arguments": 5 }),
            "-32602 mcp/parameters",
        ),
        (
            "tools/call",
            json!({ "name": "agpm", "arguments": {} }),
            "-32602 mcp/parameters",
        ),
        (
            "tools/call",
            json!({ "name": "agpm", "arguments": { "operation": "fly" } }),
            "-32602 mcp/unknown-operation",
        ),
        (
            "tools/call",
            json!({ "name": "other", "arguments": {} }),
            "-32602 mcp/unknown-tool",
        ),
        (
            "tools/list",
            json!({ "cursor": 5 }),
            "-32602 mcp/parameters",
        ),
        ("tools/list", json!({ "cursor": "x" }), "-32602 mcp/cursor"),
        (
            "resources/list",
            json!({ "cursor": "00" }),
            "-32602 mcp/cursor",
        ),
        (
            "resources/templates/list",
            json!({ "cursor": "y" }),
            "-32602 mcp/cursor",
        ),
        (
            "prompts/list",
            json!({ "cursor": "z" }),
            "-32602 mcp/cursor",
        ),
        (
            "prompts/get",
            json!({ "name": "no.body" }),
            "-32602 mcp/unknown-prompt",
        ),
        ("resources/read", json!({}), "-32602 mcp/parameters"),
        (
            "logging/setLevel",
            json!({ "level": "loud" }),
            "-32602 mcp/parameters",
        ),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/resource", "uri": "x" }, "argument": { "name": "n", "value": "" } }),
            "-32602 mcp/parameters",
        ),
    ];
    for (method, parameters, expected) in table {
        assert_eq!(
            client.trouble(method, parameters.clone()),
            expected,
            "{method} {parameters}"
        );
    }
    client.finish();
}

#[test]
fn lines_that_are_not_messages_are_answered_in_their_place() {
    let mut client = Client::open(&sandbox());
    let table: [(&[u8], &str); 6] = [
        (b"{\n", "-32700 mcp/malformed"),
        (b"\xff\xfe\n", "-32700 mcp/malformed"),
        (b"[]\n", "-32600 mcp/batch"),
        (b"{}\r\n", "-32600 mcp/no-message"),
        (b"\n\r\n \n\"text\"\n", "-32600 mcp/no-message"),
        (b"\xef\xbb\xbfnull\n", "-32600 mcp/no-message"),
    ];
    for (line, expected) in table {
        client.write(line);
        let answer = client.hear().unwrap();
        assert_eq!(answer["id"], json!(null));
        assert_eq!(error_of(&answer), expected, "{line:?}");
    }
    assert!(client.ask("ping", json!({})).get("result").is_some());
    client.finish();
}

#[test]
fn there_is_one_tool_and_it_only_looks_unless_it_may_write() {
    let mut client = Client::open(&sandbox());
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    let operations = &tools[0]["inputSchema"]["properties"]["operation"]["enum"];
    assert_eq!(
        *operations,
        json!(["list", "read", "explain", "status", "plan"])
    );
    client.finish();

    let mut client = Client::open_with(&sandbox(), WriteAccess::Allowed);
    let listed = client.ask("tools/list", json!({}));
    let tool = &listed["result"]["tools"][0];
    assert_eq!(tool["annotations"]["readOnlyHint"], false);
    assert!(
        tool["inputSchema"]["properties"]["operation"]["enum"]
            .as_array()
            .unwrap()
            .contains(&json!("update"))
    );
    client.finish();
}
