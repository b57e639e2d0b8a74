//! Results of requests, and the items in them.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::protocol::message::RequestId;
use crate::protocol::version::{SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY, VERSIONS};

const INSTRUCTIONS: &str = "agpm knows the agents, workflows, skills, packages, personas and bottles of this project. \
Use the tool `agpm` with `list` to find something and `read` to get it; the highest rank wins. \
The server is read-only unless started with `--allow-write`.";

/// The most values of a completion that the protocol allows.
pub(crate) const MOST_COMPLETIONS: usize = 100;

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) description: String,
    pub(crate) input_schema: Json,
    pub(crate) annotations: ToolAnnotations,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolAnnotations {
    pub(crate) title: &'static str,
    pub(crate) read_only_hint: bool,
    pub(crate) destructive_hint: bool,
    pub(crate) idempotent_hint: bool,
    pub(crate) open_world_hint: bool,
}

/// The result of a tool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallToolResult {
    content: [TextContent; 1],
    structured_content: Json,
    is_error: bool,
}

impl CallToolResult {
    pub(crate) fn success(value: Json, text: String) -> Self {
        CallToolResult {
            content: [TextContent::new(text)],
            structured_content: value,
            is_error: false,
        }
    }

    pub(crate) fn failure(value: Json, text: String) -> Self {
        CallToolResult {
            is_error: true,
            ..CallToolResult::success(value, text)
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct TextContent {
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
}

impl TextContent {
    fn new(text: String) -> Self {
        TextContent { kind: "text", text }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) mime_type: String,
}

/// A family of URIs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceTemplate {
    pub(crate) uri_template: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mime_type: Option<&'static str>,
}

/// The content of a resource: text, or bytes in Base64.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceContents {
    pub(crate) uri: String,
    pub(crate) mime_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) blob: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Prompt {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) arguments: [PromptArgument; 1],
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct PromptArgument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) required: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct GetPromptResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) messages: Vec<PromptMessage>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PromptMessage {
    role: &'static str,
    content: TextContent,
}

impl PromptMessage {
    /// A message to the model.
    pub(crate) fn of_user(text: String) -> Self {
        PromptMessage {
            role: "user",
            content: TextContent::new(text),
        }
    }
}

/// The values that complete an argument.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Completion {
    pub(crate) values: Vec<String>,
    pub(crate) total: usize,
    pub(crate) has_more: bool,
}

/// The additions of the newest version to the result of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultShape {
    /// None.
    Plain,
    /// `resultType`: the result is not a request for more input.
    Complete,
    /// `resultType` and hints for caches.
    Cacheable,
}

impl ResultShape {
    /// The result for a client of the newest version.
    pub(crate) fn extended(self, result: Json) -> Json {
        let mut extended = match self {
            ResultShape::Plain => return result,
            ResultShape::Complete => json!({ "resultType": "complete" }),
            // Files may change at any time, so a cached result is stale at once.
            ResultShape::Cacheable => {
                json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private" })
            }
        };
        if let (Json::Object(all), Json::Object(own)) = (&mut extended, result) {
            all.extend(own);
        }
        extended
    }
}

pub(crate) fn initialize_result(version: &str) -> Json {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities(),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })
}

pub(crate) fn discover_result() -> Json {
    ResultShape::Cacheable.extended(json!({
        "supportedVersions": VERSIONS,
        "capabilities": capabilities(),
        "instructions": INSTRUCTIONS,
        "_meta": { SERVER_INFO_KEY: server_info() },
    }))
}

/// The result that ends a subscription.
pub(crate) fn listen_result(id: &RequestId) -> Json {
    json!({
        "resultType": "complete",
        "_meta": { SUBSCRIPTION_ID_KEY: id, SERVER_INFO_KEY: server_info() },
    })
}

/// A page of a list, under the name of the list.
pub(crate) fn list_result<T: Serialize>(name: &str, items: &[T], next: Option<String>) -> Json {
    let mut result = Map::new();
    result.insert(name.to_owned(), json!(items));
    if let Some(next) = next {
        result.insert("nextCursor".to_owned(), next.into());
    }
    result.into()
}

fn capabilities() -> Json {
    json!({
        "completions": {},
        "logging": {},
        "prompts": { "listChanged": true },
        "resources": { "listChanged": true },
        "tools": {},
    })
}

fn server_info() -> Json {
    json!({ "name": "agpm", "version": env!("CARGO_PKG_VERSION") })
}
