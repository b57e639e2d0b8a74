//! The methods that are answered.

use rmcp::ErrorData;

use crate::rpc_error::{PARAMETERS, UNKNOWN_METHOD};

/// The names of all methods.
const METHODS: [&str; 13] = [
    "completion/complete",
    "initialize",
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

/// Why a request cannot be answered that is none of those the SDK knows: if its method is, its parameters are wrong.
pub(crate) fn cannot_answer(method: &str) -> ErrorData {
    if METHODS.contains(&method) {
        PARAMETERS.error(format!("invalid parameters of `{method}`"))
    } else {
        UNKNOWN_METHOD.error(format!("unknown method `{method}`"))
    }
}
