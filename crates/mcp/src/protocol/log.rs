//! Levels of log messages.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// How severe a message is, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    /// The level of a diagnostic.
    pub(crate) fn of(diagnostic: &Json) -> Self {
        match diagnostic["severity"].as_str() {
            Some("error") => LogLevel::Error,
            Some("warning") => LogLevel::Warning,
            _ => LogLevel::Info,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn diagnostics_have_levels_and_levels_an_order() {
        let levels = ["note", "warning", "error"]
            .map(|severity| LogLevel::of(&json!({ "severity": severity })));
        assert_eq!(levels, [LogLevel::Info, LogLevel::Warning, LogLevel::Error]);
        assert!(levels.is_sorted());
        assert!(LogLevel::Debug < levels[0] && levels[2] < LogLevel::Emergency);
        assert_eq!(json!(LogLevel::Emergency), "emergency");
    }
}
