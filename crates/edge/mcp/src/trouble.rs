//! What can be wrong with a message of the protocol: stable words, each with the number that JSON-RPC has for it.

use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use serde_json::{Value, json};

/// A kind of error; clients find its word in `error.data.code`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) word: &'static str,
    pub(crate) number: i32,
}

macro_rules! troubles {
    ($($constant:ident = $word:literal $number:literal;)*) => {
        $(pub(crate) static $constant: Trouble = Trouble { word: $word, number: $number };)*
        /// Every kind; of those with one number, the most general stands first.
        pub(crate) static ALL: &[&Trouble] = &[$(&$constant),*];
    };
}

troubles! {
    MALFORMED = "mcp/malformed" -32700;
    NO_MESSAGE = "mcp/no-message" -32600;
    BATCH = "mcp/batch" -32600;
    DUPLICATE_ID = "mcp/duplicate-id" -32600;
    NOT_INITIALIZED = "mcp/not-initialized" -32600;
    TOO_LARGE = "mcp/too-large" -32600;
    UNKNOWN_METHOD = "mcp/unknown-method" -32601;
    PARAMETERS = "mcp/parameters" -32602;
    CURSOR = "mcp/cursor" -32602;
    UNKNOWN_OPERATION = "mcp/unknown-operation" -32602;
    UNKNOWN_PROMPT = "mcp/unknown-prompt" -32602;
    UNKNOWN_TOOL = "mcp/unknown-tool" -32602;
    URI = "mcp/uri" -32602;
    UNKNOWN_RESOURCE = "mcp/unknown-resource" -32002;
    INTERNAL = "mcp/internal" -32603;
    BUSY = "mcp/busy" -32603;
    VERSION = "mcp/protocol-version" -32022;
}

impl Trouble {
    /// An error of this kind.
    pub(crate) fn error(&self, message: impl Into<String>) -> ErrorData {
        ErrorData::new(ErrorCode(self.number), message.into(), Some(json!({ "code": self.word })))
    }

    /// The same with a way out.
    pub(crate) fn with_help(&self, message: impl Into<String>, help: impl Into<String>) -> ErrorData {
        let data = json!({ "code": self.word, "help": help.into() });
        ErrorData::new(ErrorCode(self.number), message.into(), Some(data))
    }

    /// An error whose word is that of a diagnostic.
    pub(crate) fn told_by(&self, word: &str, message: String, diagnostics: Value) -> ErrorData {
        let data = json!({ "code": word, "diagnostics": diagnostics });
        ErrorData::new(ErrorCode(self.number), message, Some(data))
    }
}

/// Gives an error of the SDK, which has no word, the word of its number.
pub(crate) fn coded(mut error: ErrorData) -> ErrorData {
    let known =
        ALL.iter().find(|trouble| trouble.number == error.code.0).map_or(&INTERNAL, |trouble| *trouble);
    match &mut error.data {
        Some(Value::Object(data)) => {
            data.entry("code").or_insert_with(|| known.word.into());
        }
        Some(_) => {}
        None => error.data = Some(json!({ "code": known.word })),
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_others_get_a_word() {
        let word = |number| coded(ErrorData::new(ErrorCode(number), "", None)).data.unwrap()["code"].clone();
        assert_eq!(word(-32601), "mcp/unknown-method");
        assert_eq!(word(-32602), "mcp/parameters");
        assert_eq!(word(-1), "mcp/internal");
        let own = coded(CURSOR.error("no cursor"));
        assert_eq!(own.data.unwrap()["code"], "mcp/cursor");
    }
}
