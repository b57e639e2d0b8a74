//! Values of reports as the protocol wants them.

use agpm_text::Value;
use serde_json::Value as Json;

/// A value of a report; numbers that JSON cannot say become strings.
pub(crate) fn json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => number
            .as_str()
            .parse()
            .map_or_else(|_| number.as_str().into(), Json::Number),
        Value::String(text) | Value::DateTime(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), json(value)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_the_same_in_both() {
        let value = Value::map([
            (
                "z",
                Value::list([Value::Null, true.into(), 7_usize.into(), "text".into()]),
            ),
            (
                "a",
                Value::map([("when", Value::DateTime("2026-01-01".to_owned()))]),
            ),
        ]);
        assert_eq!(
            json(&value).to_string(),
            r#"{"z":[null,true,7,"text"],"a":{"when":"2026-01-01"}}"#
        );
        let printed: Json = serde_json::from_str(&value.to_json()).unwrap();
        assert_eq!(json(&value), printed);
    }
}
