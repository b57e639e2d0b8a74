//! Reports as JSON values.

use serde::Serialize;
use serde_json::Value as Json;

/// A report, or a part of one, as a JSON value.
pub(crate) fn json<T: Serialize + ?Sized>(report: &T) -> Json {
    serde_json::to_value(report).expect("a report has strings for keys, and no part of it fails")
}

#[cfg(test)]
mod tests {
    use agpm_text::{Format, parse_alone, to_json, to_value};

    use super::*;

    #[test]
    fn a_report_is_the_same_in_both() {
        let text = r#"{"z": [null, true, 7, 1.50, "text"], "a": {"b": 12345678901234567890}}"#;
        let value = to_value(parse_alone(text, Format::Json).document.root().unwrap());
        let printed: Json = serde_json::from_str(&to_json(&value)).unwrap();
        assert_eq!(json(&value), printed);
        assert_eq!(
            json(&value).to_string(),
            r#"{"z":[null,true,7,1.5,"text"],"a":{"b":12345678901234567890}}"#
        );
    }
}
