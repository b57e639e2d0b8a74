//! Parameters of requests. Only fields that the server uses are read; clients may send more.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::protocol::log::LogLevel;
use crate::protocol::message::RequestId;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeParams {
    pub(crate) protocol_version: String,
    // The server needs neither of the next two, but a client without them does not speak the protocol.
    #[serde(rename = "capabilities")]
    _capabilities: Map<String, Json>,
    #[serde(rename = "clientInfo")]
    _client: ClientInfo,
}

#[derive(Debug, Deserialize)]
struct ClientInfo {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "version")]
    _version: String,
}

/// The parameters of every list.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListParams {
    pub(crate) cursor: Option<String>,
}

/// A tool or a prompt with its arguments.
#[derive(Debug, Deserialize)]
pub(crate) struct NamedParams {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) arguments: Option<Map<String, Json>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ReadResourceParams {
    pub(crate) uri: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SetLevelParams {
    pub(crate) level: LogLevel,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CompleteParams {
    #[serde(rename = "ref")]
    pub(crate) reference: CompletionReference,
    pub(crate) argument: CompletionArgument,
    #[serde(default)]
    pub(crate) context: Option<CompletionContext>,
}

/// The prompt or resource template whose argument is completed.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum CompletionReference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Debug, Deserialize)]
pub(crate) struct CompletionArgument {
    pub(crate) name: String,
    pub(crate) value: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CompletionContext {
    #[serde(default)]
    arguments: Option<HashMap<String, String>>,
}

impl CompleteParams {
    /// The value of an argument that is already decided.
    pub(crate) fn decided(&self, name: &str) -> Option<&str> {
        let arguments = self.context.as_ref()?.arguments.as_ref()?;
        arguments.get(name).map(String::as_str)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct ListenParams {
    pub(crate) notifications: SubscriptionFilter,
}

/// The notifications that a subscription is for.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubscriptionFilter {
    /// The tool never changes, so this is never accepted.
    #[serde(default, rename = "toolsListChanged", skip_serializing)]
    _tools_list_changed: Option<bool>,
    /// Single resources are not watched.
    #[serde(default, rename = "resourceSubscriptions", skip_serializing)]
    _resource_subscriptions: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompts_list_changed: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resources_list_changed: Option<bool>,
}

impl SubscriptionFilter {
    /// The notifications that the client wants and the server sends.
    pub(crate) fn accepted(mut self) -> Self {
        self.prompts_list_changed.take_if(|wanted| !*wanted);
        self.resources_list_changed.take_if(|wanted| !*wanted);
        self
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelledParams {
    pub(crate) request_id: RequestId,
}
