//! Messages of JSON-RPC: reading those of a client, and writing those of the server.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::protocol::error::{BATCH, ErrorData, MALFORMED, NO_MESSAGE, RpcErrorKind};
use crate::protocol::method::cannot_answer;
use crate::protocol::version::RequestMeta;

/// The id of a request, chosen by the client.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum RequestId {
    Number(i64),
    Text(String),
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestId::Number(number) => number.fmt(f),
            RequestId::Text(text) => text.fmt(f),
        }
    }
}

/// A message of a client.
#[derive(Debug)]
pub(crate) enum IncomingMessage {
    Request(Request),
    Notification(Notification),
    /// An answer. The server requests nothing from clients, so it is ignored.
    Response,
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: RequestId,
    pub(crate) method: String,
    /// An object, or null if the request has none.
    pub(crate) params: Json,
    pub(crate) meta: RequestMeta,
}

#[derive(Debug)]
pub(crate) struct Notification {
    pub(crate) method: String,
    /// An object, or null.
    pub(crate) params: Json,
}

/// The result of reading a message.
#[derive(Debug)]
pub(crate) enum ParsedMessage {
    Message(IncomingMessage),
    /// Not a message; the client gets this answer.
    Refused(OutgoingMessage),
    /// A blank line, or a notification that cannot be read: neither is answered.
    Nothing,
}

/// A message of the server.
#[derive(Debug)]
pub(crate) struct OutgoingMessage {
    pub(crate) json: String,
    /// The number of the error, if the message is one.
    pub(crate) error: Option<i32>,
    pub(crate) kind: OutgoingKind,
}

/// A result is borrowed, since it may be as large as the largest file.
#[derive(Serialize)]
struct ResultMessage<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: &'a Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutgoingKind {
    Answer,
    Notification,
}

impl OutgoingMessage {
    pub(crate) fn result(id: &RequestId, result: &Json) -> Self {
        let answer = ResultMessage {
            jsonrpc: "2.0",
            id,
            result,
        };
        let json = serde_json::to_string(&answer);
        OutgoingMessage {
            json: json.expect("all keys of JSON values are strings"),
            error: None,
            kind: OutgoingKind::Answer,
        }
    }

    pub(crate) fn error(id: &RequestId, error: &ErrorData) -> Self {
        OutgoingMessage::error_with(json!(id), error)
    }

    /// An error that belongs to no request.
    pub(crate) fn error_without_id(error: &ErrorData) -> Self {
        OutgoingMessage::error_with(Json::Null, error)
    }

    fn error_with(id: Json, error: &ErrorData) -> Self {
        OutgoingMessage {
            json: json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string(),
            error: Some(error.number),
            kind: OutgoingKind::Answer,
        }
    }

    pub(crate) fn notification(method: &str, params: Option<Json>) -> Self {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if let Some(params) = params {
            message["params"] = params;
        }
        OutgoingMessage {
            json: message.to_string(),
            error: None,
            kind: OutgoingKind::Notification,
        }
    }
}

/// Reads a message. JSON nests at most 128 levels deep, so no message can exhaust the stack.
pub(crate) fn parse_message(bytes: &[u8]) -> ParsedMessage {
    let bytes = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii();
    if bytes.is_empty() {
        return ParsedMessage::Nothing;
    }
    match serde_json::from_slice(bytes) {
        Ok(Json::Object(object)) => parse_object(object),
        Ok(Json::Array(_)) => refused(
            Json::Null,
            &BATCH,
            "a line must have one message, not a list",
        ),
        Ok(_) => refused(Json::Null, &NO_MESSAGE, "a message is a JSON object"),
        Err(error) => refused(Json::Null, &MALFORMED, not_json(bytes, &error)),
    }
}

fn parse_object(mut object: Map<String, Json>) -> ParsedMessage {
    let shown = shown_id(&object);
    if let Some(problem) = wrong_shape(&object) {
        return refused(shown, &NO_MESSAGE, problem);
    }
    let id = serde_json::from_value(shown.clone()).ok();
    let Some(Json::String(method)) = object.remove("method") else {
        return if is_response(&object) {
            ParsedMessage::Message(IncomingMessage::Response)
        } else {
            let problem = "it is neither a request, a notification nor an answer";
            refused(shown, &NO_MESSAGE, problem)
        };
    };
    let params = object.remove("params").unwrap_or(Json::Null);
    let readable = has_readable_params(&method, &params);
    match id {
        Some(id) if readable => ParsedMessage::Message(IncomingMessage::Request(Request {
            meta: params["_meta"]
                .as_object()
                .map(RequestMeta::read)
                .unwrap_or_default(),
            id,
            method,
            params,
        })),
        Some(id) => ParsedMessage::Refused(OutgoingMessage::error(&id, &cannot_answer(&method))),
        None if readable => ParsedMessage::Message(IncomingMessage::Notification(Notification {
            method,
            params,
        })),
        None => ParsedMessage::Nothing,
    }
}

fn refused(id: Json, kind: &RpcErrorKind, message: impl Into<String>) -> ParsedMessage {
    ParsedMessage::Refused(OutgoingMessage::error_with(id, &kind.error(message)))
}

fn not_json(line: &[u8], error: &serde_json::Error) -> String {
    match std::str::from_utf8(line) {
        Err(_) => "the line is not UTF-8".to_owned(),
        Ok(_) => format!("the line is not JSON: {error}"),
    }
}

/// The reason why an object is not a message of JSON-RPC.
fn wrong_shape(object: &Map<String, Json>) -> Option<&'static str> {
    if object.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return Some("`jsonrpc` is not \"2.0\"");
    }
    match object.get("id") {
        None | Some(Json::String(_)) => {}
        Some(Json::Number(number)) if number.is_i64() => {}
        Some(_) => return Some("`id` is neither a string nor an integer"),
    }
    match object.get("method") {
        None | Some(Json::String(_)) => None,
        Some(_) => Some("`method` is not a string"),
    }
}

fn is_response(object: &Map<String, Json>) -> bool {
    let is_result = object.contains_key("id") && object.contains_key("result");
    let is_error = object
        .get("error")
        .is_some_and(|error| error["code"].is_i64() && error["message"].is_string());
    is_result || is_error
}

/// Whether parameters are an object, as all methods have them.
fn has_readable_params(method: &str, params: &Json) -> bool {
    let is_object = |value: &Json| value.is_object() || value.is_null();
    // A cursor that were ignored would start the list again, and a client could loop for ever.
    let cursor = &params["cursor"];
    let good_cursor = cursor.is_string() || cursor.is_null() || !method.ends_with("/list");
    is_object(params) && is_object(&params["_meta"]) && good_cursor
}

/// The id as it can be sent back.
fn shown_id(object: &Map<String, Json>) -> Json {
    match object.get("id") {
        Some(id @ (Json::String(_) | Json::Number(_))) => id.clone(),
        _ => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &[u8]) -> String {
        match parse_message(line) {
            ParsedMessage::Refused(refusal) => {
                let answer: Json = serde_json::from_str(&refusal.json).unwrap();
                let error = &answer["error"];
                format!(
                    "{} {} {}",
                    answer["id"],
                    error["code"],
                    error["data"]["code"].as_str().unwrap()
                )
            }
            ParsedMessage::Message(_) => "message".to_owned(),
            ParsedMessage::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn every_line_gets_its_answer() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let marked = format!("\u{feff}{ping}\r");
        let (two, batch) = (format!("{ping}{ping}"), format!("[{ping}]"));
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let deep_params = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{deep}}}"#);
        let table: &[(&[u8], &str)] = &[
            (b"", "nothing"),
            (b" \t\r", "nothing"),
            (ping.as_bytes(), "message"),
            (marked.as_bytes(), "message"),
            (b"{", "null -32700 mcp/malformed"),
            (b"hello", "null -32700 mcp/malformed"),
            (b"\"\xff\"", "null -32700 mcp/malformed"),
            (b"{\"a\":\"\xc0\xaf\"}", "null -32700 mcp/malformed"),
            (deep.as_bytes(), "null -32700 mcp/malformed"),
            (deep_params.as_bytes(), "null -32700 mcp/malformed"),
            (two.as_bytes(), "null -32700 mcp/malformed"),
            (b"5", "null -32600 mcp/no-message"),
            (b"null", "null -32600 mcp/no-message"),
            (b"{}", "null -32600 mcp/no-message"),
            (batch.as_bytes(), "null -32600 mcp/batch"),
            (br#"{"id":1,"method":"ping"}"#, "1 -32600 mcp/no-message"),
            (
                br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#,
                "\"a\" -32600 mcp/no-message",
            ),
            (
                br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                "null -32600 mcp/no-message",
            ),
            (
                br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
                "1.5 -32600 mcp/no-message",
            ),
            (
                br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
                "null -32600 mcp/no-message",
            ),
            (
                br#"{"jsonrpc":"2.0","id":7,"method":5}"#,
                "7 -32600 mcp/no-message",
            ),
            (br#"{"jsonrpc":"2.0","id":7}"#, "7 -32600 mcp/no-message"),
            (
                br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":5}"#,
                "7 -32602 mcp/parameters",
            ),
            (
                br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":5}}"#,
                "7 -32602 mcp/parameters",
            ),
            (
                br#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":5}}"#,
                "7 -32602 mcp/parameters",
            ),
            (
                br#"{"jsonrpc":"2.0","id":7,"method":"unheard/of","params":[]}"#,
                "7 -32601 mcp/unknown-method",
            ),
            (
                br#"{"jsonrpc":"2.0","method":"tools/call","params":5}"#,
                "nothing",
            ),
            (
                br#"{"jsonrpc":"2.0","method":"notifications/unheard-of"}"#,
                "message",
            ),
        ];
        for (line, expected) in table {
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
            assert_eq!(answer(line), *expected, "{shown}");
        }
    }
}
