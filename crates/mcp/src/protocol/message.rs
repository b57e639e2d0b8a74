//! Reads the messages of a client. The SDK ignores or closes where this says what is wrong.

use rmcp::model::{ClientJsonRpcMessage, JsonRpcError, RequestId};
use serde_json::{Map, Value as Json};

use crate::protocol::error::{BATCH, MALFORMED, NO_MESSAGE, RpcErrorKind};
use crate::protocol::method::cannot_answer;

/// The result of reading a message.
#[derive(Debug)]
pub(crate) enum ParsedMessage {
    Message(Box<ClientJsonRpcMessage>),
    /// Not a message; the client gets this answer.
    Refused(JsonRpcError),
    /// A blank line, or a notification that cannot be read: neither is answered.
    Nothing,
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
        Ok(Json::Array(_)) => refused(None, &BATCH, "a line must have one message, not a list"),
        Ok(_) => refused(None, &NO_MESSAGE, "a message is a JSON object"),
        Err(error) => refused(None, &MALFORMED, not_json(bytes, &error)),
    }
}

fn parse_object(object: Map<String, Json>) -> ParsedMessage {
    let id = readable_id(&object);
    if let Some(problem) = wrong_shape(&object) {
        return refused(id, &NO_MESSAGE, problem);
    }
    let Some(method) = object.get("method").and_then(Json::as_str) else {
        return match serde_json::from_value(Json::Object(object)) {
            Ok(message) => ParsedMessage::Message(Box::new(message)),
            Err(_) => {
                let problem = "it is neither a request, a notification nor an answer";
                refused(id, &NO_MESSAGE, problem)
            }
        };
    };
    let unreadable = match &id {
        Some(id) => {
            ParsedMessage::Refused(JsonRpcError::new(Some(id.clone()), cannot_answer(method)))
        }
        // A notification is never answered.
        None => ParsedMessage::Nothing,
    };
    if !has_readable_params(method, object.get("params").unwrap_or(&Json::Null)) {
        return unreadable;
    }
    match serde_json::from_value(Json::Object(object)) {
        Ok(message) => ParsedMessage::Message(Box::new(message)),
        Err(_) => unreadable,
    }
}

fn refused(
    id: Option<RequestId>,
    kind: &RpcErrorKind,
    message: impl Into<String>,
) -> ParsedMessage {
    ParsedMessage::Refused(JsonRpcError::new(id, kind.error(message)))
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

/// Whether parameters are an object, as all methods have them.
fn has_readable_params(method: &str, params: &Json) -> bool {
    let is_object = |value: &Json| value.is_object() || value.is_null();
    // A cursor that were ignored would start the list again, and a client could loop for ever.
    let cursor = &params["cursor"];
    let good_cursor = cursor.is_string() || cursor.is_null() || !method.ends_with("/list");
    is_object(params) && is_object(&params["_meta"]) && good_cursor
}

/// The id, if it can be sent back.
fn readable_id(object: &Map<String, Json>) -> Option<RequestId> {
    serde_json::from_value(object.get("id")?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &[u8]) -> String {
        match parse_message(line) {
            ParsedMessage::Refused(refusal) => {
                let answer = serde_json::to_value(refusal).unwrap();
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
                "null -32600 mcp/no-message",
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
