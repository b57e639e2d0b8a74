//! What the server lives through.

use agpm_diag::server_codes;
use agpm_mcp::WriteAccess;
use serde_json::{Value, json};

use crate::pages::shown_answer;
use crate::support::{Client, error_of, project, sandbox};

#[test]
fn a_line_that_is_too_long_is_skipped_and_answered() {
    let mut client = Client::open(&sandbox());
    let part = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        client.write(&part);
    }
    client.write(b"\n");
    let answer = client.hear().unwrap();
    assert_eq!(answer, shown_answer(&server_codes::TOO_LARGE));
    assert!(client.ask("ping", json!({})).get("result").is_some());
    client.finish();
}

#[test]
fn json_that_is_very_deep_is_refused() {
    let mut client = Client::open(&sandbox());
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{deep}}}\n");
    client.write(line.as_bytes());
    assert_eq!(error_of(&client.hear().unwrap()), "-32700 mcp/malformed");
    client.finish();
}

#[test]
fn a_thousand_requests_in_flight_are_all_answered() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let request = |id: usize| {
        let arguments = json!({ "operation": "list", "kind": "installed", "query": "rev" });
        let call = json!({ "name": "agpm", "arguments": arguments });
        format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call })
        )
    };
    let all: String = (1000..2000).map(request).collect();
    // The pipe holds less than that: the server has to take it in without an answer being read.
    client.write(all.as_bytes());
    let mut answered = vec![false; 1000];
    for _ in 0..1000 {
        let heard = client.hear().unwrap();
        let id = heard["id"].as_u64().unwrap() as usize;
        assert!(
            !std::mem::replace(&mut answered[id - 1000], true),
            "twice: {heard}"
        );
        assert_eq!(heard["result"]["structuredContent"]["total"], 1);
    }
    client.finish();
}

#[test]
fn pending_requests_are_answered_after_the_end_of_the_input() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    for _ in 0..20 {
        client.send(
            "tools/call",
            json!({ "name": "agpm", "arguments": { "operation": "status" } }),
        );
    }
    let answers = client.finish();
    assert_eq!(answers.len(), 20);
    assert!(
        answers
            .iter()
            .all(|answer| answer["result"]["structuredContent"]["ok"] == true)
    );
}

#[test]
fn a_last_line_without_a_newline_is_read() {
    let mut client = Client::open(&sandbox());
    client.write(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
    assert_eq!(client.finish()[0]["id"], "last");
}

#[test]
fn an_end_before_the_beginning_is_an_end() {
    assert_eq!(
        Client::silent(&sandbox(), WriteAccess::Refused).finish(),
        Vec::<Value>::new()
    );
}

#[test]
fn a_closed_output_ends_it_quietly() {
    Client::open(&sandbox()).hang_up();
}

#[test]
fn an_id_that_is_under_way_is_refused() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let status = json!({ "name": "agpm", "arguments": { "operation": "status" } });
    let line = format!(
        "{}\n",
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": status })
    );
    client.write(line.repeat(2).as_bytes());
    let (first, second) = (client.hear().unwrap(), client.hear().unwrap());
    assert_eq!(first, shown_answer(&server_codes::DUPLICATE_ID));
    assert_eq!(second["id"], 1);
    client.write(line.as_bytes());
    assert!(
        client.hear().unwrap().get("result").is_some(),
        "afterwards it is free again"
    );
    client.finish();
}

#[test]
fn a_cancelled_request_is_not_answered() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let status = json!({ "name": "agpm", "arguments": { "operation": "status" } });
    let call = json!({ "jsonrpc": "2.0", "id": "gone", "method": "tools/call", "params": status });
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "gone" } });
    client.write(format!("{call}\n{cancel}\n").as_bytes());
    assert!(client.ask("ping", json!({})).get("result").is_some());
    assert_eq!(client.finish(), Vec::<Value>::new());
}

#[test]
fn noise_of_any_kind_is_lived_through() {
    let mut client = Client::open(&sandbox());
    let mut seed = 7_u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let words = [
        "{",
        "}",
        "[",
        "\"jsonrpc\":\"2.0\"",
        ",",
        "\"id\":1",
        "\"method\":\"tools/call\"",
        "\"params\":{}",
        "\n",
        "\\",
        "\u{0}",
        "é",
    ];
    let mut lines = 0;
    for _ in 0..2000 {
        let word = words[random() % words.len()];
        lines += usize::from(word == "\n");
        client.write(word.as_bytes());
    }
    client.write(b"\n");
    assert!(lines > 50);
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":\"alive\",\"method\":\"ping\"}\n";
    client.write(ping);
    loop {
        let heard = client.hear().expect("the server lives");
        if heard["id"] == "alive" {
            break;
        }
        assert!(heard.get("error").is_some(), "{heard}");
    }
    client.finish();
}
