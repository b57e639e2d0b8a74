//! The meaning of a line: a message for the SDK, or an immediate answer.

use rmcp::ErrorData;
use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Map, Value, json};

use crate::methods::cannot_answer;
use crate::rpc_error::{BATCH, MALFORMED, NO_MESSAGE, RpcErrorKind};

/// A line, parsed.
#[derive(Debug)]
pub(crate) enum ParsedLine {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// None; this is what is said about it.
    Refused(ErrorReply),
    /// A blank line.
    Nothing,
}

/// An answer to what is not a message.
#[derive(Debug)]
pub(crate) struct ErrorReply {
    id: Value,
    error: ErrorData,
}

impl ErrorReply {
    /// One that belongs to no request.
    pub(crate) fn without_id(error: ErrorData) -> Self {
        ErrorReply {
            id: Value::Null,
            error,
        }
    }

    /// One that answers a request.
    pub(crate) fn of(id: Value, error: ErrorData) -> Self {
        ErrorReply { id, error }
    }

    /// The answer as a line.
    pub(crate) fn line(&self) -> Vec<u8> {
        let answer = json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error });
        format!("{answer}\n").into_bytes()
    }
}

/// Reads a line. JSON nests at most 128 levels deep, so no line can exhaust the stack.
pub(crate) fn parse_line(line: &[u8]) -> ParsedLine {
    let line = line
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(line)
        .trim_ascii();
    if line.is_empty() {
        return ParsedLine::Nothing;
    }
    let value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return refused(Value::Null, &MALFORMED, not_json(line, &error)),
    };
    let Value::Object(object) = value else {
        return match value {
            Value::Array(_) => refused(
                Value::Null,
                &BATCH,
                "a line must have one message, not a list",
            ),
            _ => refused(Value::Null, &NO_MESSAGE, "a message is a JSON object"),
        };
    };
    if let Some(wrong) = wrong_shape(&object) {
        return refused(shown_id(&object), &NO_MESSAGE, wrong);
    }
    let id = shown_id(&object);
    if let Some(method) = wrong_cursor(&object).filter(|_| !id.is_null()) {
        return ParsedLine::Refused(ErrorReply {
            id,
            error: cannot_answer(method),
        });
    }
    let method = object
        .get("method")
        .and_then(Value::as_str)
        .map(str::to_owned);
    match (serde_json::from_value(Value::Object(object)), method) {
        (Ok(message), _) => ParsedLine::Message(Box::new(message)),
        // A notification is never answered.
        (Err(_), Some(_)) if id.is_null() => ParsedLine::Nothing,
        (Err(_), Some(method)) => ParsedLine::Refused(ErrorReply {
            id,
            error: cannot_answer(&method),
        }),
        (Err(_), None) => refused(
            id,
            &NO_MESSAGE,
            "it is neither a request, a notification nor an answer",
        ),
    }
}

fn refused(id: Value, trouble: &RpcErrorKind, message: impl Into<String>) -> ParsedLine {
    ParsedLine::Refused(ErrorReply {
        id,
        error: trouble.error(message),
    })
}

fn not_json(line: &[u8], error: &serde_json::Error) -> String {
    match std::str::from_utf8(line) {
        Err(_) => "the line is not UTF-8".to_owned(),
        Ok(_) => format!("the line is not JSON: {error}"),
    }
}

/// The reason why an object is not a message of JSON-RPC.
fn wrong_shape(object: &Map<String, Value>) -> Option<&'static str> {
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("`jsonrpc` is not \"2.0\"");
    }
    match object.get("id") {
        None | Some(Value::String(_)) => {}
        Some(Value::Number(number)) if number.is_i64() => {}
        Some(_) => return Some("`id` is neither a string nor an integer"),
    }
    match object.get("method") {
        None | Some(Value::String(_)) => None,
        Some(_) => Some("`method` is not a string"),
    }
}

/// The method that has a cursor which is not a string: the SDK treats that as none, and would begin again.
fn wrong_cursor(object: &Map<String, Value>) -> Option<&str> {
    let cursor = object.get("params")?.get("cursor")?;
    let method = object.get("method")?.as_str()?;
    (method.ends_with("/list") && !cursor.is_string() && !cursor.is_null()).then_some(method)
}

/// The id as it can be sent back.
fn shown_id(object: &Map<String, Value>) -> Value {
    match object.get("id") {
        Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &[u8]) -> String {
        match parse_line(line) {
            ParsedLine::Refused(refusal) => {
                let answer: Value = serde_json::from_slice(&refusal.line()).unwrap();
                let error = &answer["error"];
                format!(
                    "{} {} {}",
                    answer["id"],
                    error["code"],
                    error["data"]["code"].as_str().unwrap()
                )
            }
            ParsedLine::Message(_) => "message".to_owned(),
            ParsedLine::Nothing => "nothing".to_owned(),
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
