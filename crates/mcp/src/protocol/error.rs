//! Errors of protocol messages: stable codes, each with its JSON-RPC number.

use agpm_diag::{Code, server_codes};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, JsonRpcMessage, ServerJsonRpcMessage};
use serde_json::{Value as Json, json};

/// A kind of error. Clients find its code in `error.data.code`, and an explanation on the page of the code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RpcErrorKind {
    pub(crate) code: &'static Code,
    pub(crate) number: i32,
}

macro_rules! error_kinds {
    ($($constant:ident $number:literal;)*) => {
        $(pub(crate) static $constant: RpcErrorKind =
            RpcErrorKind { code: &server_codes::$constant, number: $number };)*
        /// Every kind, in the order of the guide. Of those with one number, the most general is first.
        pub(crate) static ALL: &[&RpcErrorKind] = &[$(&$constant),*];
    };
}

error_kinds! {
    MALFORMED -32700;
    NO_MESSAGE -32600;
    BATCH -32600;
    DUPLICATE_ID -32600;
    NOT_INITIALIZED -32600;
    TOO_LARGE -32600;
    UNKNOWN_METHOD -32601;
    PARAMETERS -32602;
    CURSOR -32602;
    UNKNOWN_OPERATION -32602;
    UNKNOWN_PROMPT -32602;
    UNKNOWN_TOOL -32602;
    URI -32602;
    UNKNOWN_RESOURCE -32002;
    INTERNAL -32603;
    BUSY -32603;
    PROTOCOL_VERSION -32022;
}

impl RpcErrorKind {
    /// An error of this kind.
    pub(crate) fn error(&self, message: impl Into<String>) -> ErrorData {
        self.with_data(message.into(), json!({ "code": self.code.name }))
    }

    /// An error with a suggested fix.
    pub(crate) fn with_help(
        &self,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ErrorData {
        let data = json!({ "code": self.code.name, "help": help.into() });
        self.with_data(message.into(), data)
    }

    /// An error with the code of a diagnostic.
    pub(crate) fn with_diagnostics(
        &self,
        code: &str,
        message: String,
        diagnostics: Json,
    ) -> ErrorData {
        self.with_data(message, json!({ "code": code, "diagnostics": diagnostics }))
    }

    fn with_data(&self, message: String, data: Json) -> ErrorData {
        ErrorData::new(ErrorCode(self.number), message, Some(data))
    }
}

/// Adds a code to an error of the SDK, which has only a number.
pub(crate) fn with_code(mut error: ErrorData) -> ErrorData {
    let Some(kind) = ALL.iter().find(|kind| kind.number == error.code.0) else {
        // Headers that contradict a message: an error that no other transport has.
        return error;
    };
    let code = kind.code.name;
    match &mut error.data {
        Some(Json::Object(data)) => {
            data.entry("code").or_insert_with(|| code.into());
        }
        Some(_) => {}
        None => error.data = Some(json!({ "code": code })),
    }
    error
}

/// The message, with a code if it is an error.
pub(crate) fn with_code_of_error(message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    match message {
        JsonRpcMessage::Error(mut failed) => {
            failed.error = with_code(failed.error);
            JsonRpcMessage::Error(failed)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use agpm_diag::SERVER_CODES;

    use super::*;

    #[test]
    fn every_code_of_the_server_has_a_number() {
        let mut numbered: Vec<&str> = ALL.iter().map(|kind| kind.code.name).collect();
        numbered.sort_unstable();
        let known: Vec<&str> = SERVER_CODES.iter().map(|code| code.name).collect();
        assert_eq!(numbered, known);
    }

    #[test]
    fn errors_of_the_sdk_get_the_code_of_their_number() {
        let code = |number| {
            let error = with_code(ErrorData::new(ErrorCode(number), "", None));
            error.data.unwrap()["code"].clone()
        };
        assert_eq!(code(-32601), "mcp/unknown-method");
        assert_eq!(code(-32602), "mcp/parameters");
        assert_eq!(code(-32603), "mcp/internal");
        assert_eq!(
            with_code(ErrorData::new(ErrorCode(-32020), "", None)).data,
            None
        );
        let own = with_code(CURSOR.error("not a cursor"));
        assert_eq!(own.data.unwrap()["code"], "mcp/cursor");
    }
}
