//! The names of the methods that the server answers.

use crate::protocol::error::{ErrorData, PARAMETERS, UNKNOWN_METHOD};

pub(crate) const CALL_TOOL: &str = "tools/call";
pub(crate) const COMPLETE: &str = "completion/complete";
pub(crate) const DISCOVER: &str = "server/discover";
pub(crate) const GET_PROMPT: &str = "prompts/get";
pub(crate) const INITIALIZE: &str = "initialize";
pub(crate) const LISTEN: &str = "subscriptions/listen";
pub(crate) const LIST_PROMPTS: &str = "prompts/list";
pub(crate) const LIST_RESOURCES: &str = "resources/list";
pub(crate) const LIST_TEMPLATES: &str = "resources/templates/list";
pub(crate) const LIST_TOOLS: &str = "tools/list";
pub(crate) const PING: &str = "ping";
pub(crate) const READ_RESOURCE: &str = "resources/read";
pub(crate) const SET_LEVEL: &str = "logging/setLevel";

pub(crate) const METHODS: [&str; 13] = [
    CALL_TOOL,
    COMPLETE,
    DISCOVER,
    GET_PROMPT,
    INITIALIZE,
    LISTEN,
    LIST_PROMPTS,
    LIST_RESOURCES,
    LIST_TEMPLATES,
    LIST_TOOLS,
    PING,
    READ_RESOURCE,
    SET_LEVEL,
];

/// The reason why a request cannot be answered: wrong parameters if its method exists.
pub(crate) fn cannot_answer(method: &str) -> ErrorData {
    if METHODS.contains(&method) {
        PARAMETERS.error(format!("invalid parameters of `{method}`"))
    } else {
        unknown_method(method)
    }
}

pub(crate) fn unknown_method(method: &str) -> ErrorData {
    UNKNOWN_METHOD.error(format!("unknown method `{method}`"))
}
