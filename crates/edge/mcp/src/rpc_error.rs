//! Errors of protocol messages: stable words, each with its JSON-RPC number.

use agpm_diag::{Code, server_codes};
use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use serde_json::{Value, json};

/// A kind of error; clients find its word in `error.data.code`, and what it means on the code's page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RpcErrorKind {
    pub(crate) code: &'static Code,
    pub(crate) number: i32,
}

macro_rules! troubles {
    ($($constant:ident $number:literal;)*) => {
        $(pub(crate) static $constant: RpcErrorKind =
            RpcErrorKind { code: &server_codes::$constant, number: $number };)*
        /// Every kind; of those with one number, the most general stands first.
        pub(crate) static ALL: &[&RpcErrorKind] = &[$(&$constant),*];
    };
}

troubles! {
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
        ErrorData::new(
            ErrorCode(self.number),
            message.into(),
            Some(json!({ "code": self.code.name })),
        )
    }

    /// The same with a fix.
    pub(crate) fn with_help(
        &self,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ErrorData {
        let data = json!({ "code": self.code.name, "help": help.into() });
        ErrorData::new(ErrorCode(self.number), message.into(), Some(data))
    }

    /// An error whose word is that of a diagnostic.
    pub(crate) fn with_diagnostics(
        &self,
        word: &str,
        message: String,
        diagnostics: Value,
    ) -> ErrorData {
        let data = json!({ "code": word, "diagnostics": diagnostics });
        ErrorData::new(ErrorCode(self.number), message, Some(data))
    }
}

/// Gives an error of the SDK, which has no word, the word of its number.
pub(crate) fn with_error_code(mut error: ErrorData) -> ErrorData {
    let known = ALL
        .iter()
        .find(|trouble| trouble.number == error.code.0)
        .map_or(&INTERNAL, |trouble| *trouble);
    match &mut error.data {
        Some(Value::Object(data)) => {
            data.entry("code").or_insert_with(|| known.code.name.into());
        }
        Some(_) => {}
        None => error.data = Some(json!({ "code": known.code.name })),
    }
    error
}

#[cfg(test)]
mod tests {
    use agpm_diag::SERVER_CODES;

    use super::*;

    #[test]
    fn every_code_of_the_server_has_a_number() {
        let mut numbered: Vec<&str> = ALL.iter().map(|trouble| trouble.code.name).collect();
        numbered.sort_unstable();
        let known: Vec<&str> = SERVER_CODES.iter().map(|code| code.name).collect();
        assert_eq!(numbered, known);
    }

    #[test]
    fn errors_of_others_get_a_word() {
        let word = |number| {
            with_error_code(ErrorData::new(ErrorCode(number), "", None))
                .data
                .unwrap()["code"]
                .clone()
        };
        assert_eq!(word(-32601), "mcp/unknown-method");
        assert_eq!(word(-32602), "mcp/parameters");
        assert_eq!(word(-1), "mcp/internal");
        let own = with_error_code(CURSOR.error("no cursor"));
        assert_eq!(own.data.unwrap()["code"], "mcp/cursor");
    }
}
