//! Rules of the protocol for HTTP headers: the version, and copies of the method and its subject.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value as Json;

use crate::http::reader::{Headers, header_text};
use crate::http::response::Response;
use crate::protocol::error::{ErrorData, NO_MESSAGE, PARAMETERS};
use crate::protocol::message::{IncomingMessage, OutgoingMessage, Request};
use crate::protocol::method::{DISCOVER, INITIALIZE};
use crate::protocol::version::{is_stateless, is_supported};

pub(super) const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";
/// The version of requests that name none.
const DEFAULT_VERSION: &str = "2025-03-26";
/// The number of errors about headers that contradict the message. It has no code of agpm, since no other transport
/// has headers.
const HEADER_MISMATCH: i32 = -32020;
/// Marks of a header value in Base64.
const BASE64_START: &str = "=?base64?";
const BASE64_END: &str = "?=";

/// The way in which a message is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// In a session that `initialize` opened.
    Session,
    /// By itself.
    Stateless,
}

/// The route of a message, unless its version contradicts the headers.
pub(super) fn route(headers: &Headers, message: &IncomingMessage) -> Result<Route, Response> {
    let IncomingMessage::Request(request) = message else {
        return header_route(headers);
    };
    let stated = request.meta.version.as_deref();
    if stated.is_none() {
        check_version_header(headers)?;
    }
    if request.method == INITIALIZE {
        check_initialize(headers, request)?;
        // The handshake exists only in versions with sessions, whatever version it names.
        return Ok(Route::Session);
    }
    check_stated_version(headers, request)?;
    let version = stated.or(headers.text(VERSION_HEADER));
    // Clients discover the server before they decide whether to open a session.
    let stateless = request.method == DISCOVER
        || request.meta.is_complete()
        || is_stateless(version.unwrap_or(DEFAULT_VERSION));
    Ok(if stateless {
        Route::Stateless
    } else {
        Route::Session
    })
}

/// The route of a request without a message.
pub(super) fn header_route(headers: &Headers) -> Result<Route, Response> {
    check_version_header(headers)?;
    let version = headers.text(VERSION_HEADER).unwrap_or(DEFAULT_VERSION);
    Ok(if is_stateless(version) {
        Route::Stateless
    } else {
        Route::Session
    })
}

fn check_version_header(headers: &Headers) -> Result<(), Response> {
    let Some(value) = headers.all(VERSION_HEADER).next() else {
        return Ok(());
    };
    let problem = match header_text(value) {
        Some(version) if is_supported(version) => return Ok(()),
        Some(version) => format!("unsupported version `{version}` in `MCP-Protocol-Version`\n"),
        None => "`MCP-Protocol-Version` is not ASCII\n".to_owned(),
    };
    Err(Response::text(400, problem))
}

fn check_initialize(headers: &Headers, request: &Request) -> Result<(), Response> {
    let body = request.params["protocolVersion"].as_str();
    match (headers.text(VERSION_HEADER), body) {
        (Some(header), Some(body)) if header != body => {
            let problem =
                format!("`MCP-Protocol-Version` is `{header}`, but `initialize` requests `{body}`");
            Err(refused(request, &NO_MESSAGE.error(problem)))
        }
        _ => Ok(()),
    }
}

fn check_stated_version(headers: &Headers, request: &Request) -> Result<(), Response> {
    let header = headers.text(VERSION_HEADER);
    match (&request.meta.version, header) {
        (None, header) => {
            if request.method == DISCOVER || header.is_some_and(is_stateless) {
                let error = PARAMETERS.error(request.meta.missing_fields());
                return Err(refused(request, &error));
            }
            Ok(())
        }
        (Some(_), None) => {
            let problem = "`_meta` has a protocol version, but `MCP-Protocol-Version` is missing";
            Err(mismatch(request, problem.to_owned()))
        }
        (Some(stated), Some(header)) if stated != header => Err(mismatch(
            request,
            format!("`MCP-Protocol-Version` is `{header}`, but `_meta` has `{stated}`"),
        )),
        _ => Ok(()),
    }
}

/// Checks the headers by which proxies route messages of the newest version without reading them.
pub(super) fn check_copies(headers: &Headers, message: &IncomingMessage) -> Result<(), Response> {
    if !headers.text(VERSION_HEADER).is_some_and(is_stateless) {
        return Ok(());
    }
    match message {
        IncomingMessage::Request(request) if request.method == INITIALIZE => {
            // Clients of versions with a handshake do not know these headers.
            match headers.all(METHOD_HEADER).next() {
                None => Ok(()),
                Some(_) => {
                    copied_method(headers, INITIALIZE).map_err(|problem| mismatch(request, problem))
                }
            }
        }
        IncomingMessage::Request(request) => copied_method(headers, &request.method)
            .and_then(|()| copied_name(headers, request))
            .map_err(|problem| mismatch(request, problem)),
        IncomingMessage::Notification(notification) => copied_method(headers, &notification.method)
            .map_err(|problem| {
                let error = header_error(problem);
                Response::message(400, &OutgoingMessage::error_without_id(&error))
            }),
        IncomingMessage::Response => Ok(()),
    }
}

fn copied_method(headers: &Headers, method: &str) -> Result<(), String> {
    match single_text(headers, METHOD_HEADER, "Mcp-Method")? {
        None => Err("`Mcp-Method` is missing".to_owned()),
        Some(copy) if copy != method => Err(format!(
            "`Mcp-Method` is `{copy}`, but the method is `{method}`"
        )),
        Some(_) => Ok(()),
    }
}

fn copied_name(headers: &Headers, request: &Request) -> Result<(), String> {
    let method = request.method.as_str();
    let Some(name) = copied_param(method).and_then(|param| request.params[param].as_str()) else {
        return Ok(());
    };
    let copy = single_text(headers, NAME_HEADER, "Mcp-Name")?
        .ok_or_else(|| format!("`Mcp-Name` is missing; `{method}` needs it"))?;
    let copy = decoded(copy).ok_or("`Mcp-Name` is not valid Base64")?;
    if copy != name {
        return Err(format!(
            "`Mcp-Name` is `{copy}`, but the message has `{name}`"
        ));
    }
    Ok(())
}

/// The parameter that requests of a method repeat in a header.
fn copied_param(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        _ => None,
    }
}

/// The only value of a header. Two values could be read differently by a proxy.
fn single_text<'h>(
    headers: &'h Headers,
    name: &'h str,
    shown: &str,
) -> Result<Option<&'h str>, String> {
    let mut values = headers.all(name);
    let first = values.next();
    if values.next().is_some() {
        return Err(format!("`{shown}` is repeated"));
    }
    Ok(first.and_then(header_text))
}

/// The value of a header that may be in Base64, since headers are ASCII.
fn decoded(value: &str) -> Option<String> {
    let encoded = value
        .strip_prefix(BASE64_START)
        .and_then(|rest| rest.strip_suffix(BASE64_END));
    match encoded {
        None => Some(value.to_owned()),
        Some(encoded) => String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok(),
    }
}

fn header_error(message: String) -> ErrorData {
    ErrorData {
        number: HEADER_MISMATCH,
        message,
        data: None::<Json>,
    }
}

fn mismatch(request: &Request, problem: String) -> Response {
    refused(request, &header_error(problem))
}

fn refused(request: &Request, error: &ErrorData) -> Response {
    Response::message(400, &OutgoingMessage::error(&request.id, error))
}
