//! The names of the methods that the server answers.

use rmcp::ErrorData;

use crate::protocol::error::{PARAMETERS, UNKNOWN_METHOD};

pub(crate) const INITIALIZE: &str = "initialize";

const METHODS: [&str; 13] = [
    INITIALIZE,
    "completion/complete",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
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
