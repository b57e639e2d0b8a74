//! Parses and prints values of text without a file.

use agpm_diag::{Diagnostic, Severity};
use agpm_text::{Document, Format, Value, parse_alone, print, to_value};

use super::outcome::ConvertError;

/// Parses text without a source, or returns the mistake.
pub(super) fn document(text: &str, format: Format) -> Result<Document, ConvertError> {
    let parsed = parse_alone(text, format);
    match parsed
        .diagnostics
        .into_iter()
        .find(|found| found.severity == Severity::Error)
    {
        Some(found) => Err(explain(found)),
        None => Ok(parsed.document),
    }
}

fn explain(found: Diagnostic) -> ConvertError {
    let at = found.labels.first().map(|label| label.span);
    ConvertError {
        message: found.message,
        help: "fix the file so agpm can convert it",
        at,
    }
}

/// The value of text in this format, if it is valid.
pub(super) fn value_of(text: &str, format: Format) -> Option<Value> {
    document(text, format).ok()?.root().map(to_value)
}

/// Whether text is TOML with strings under these keys.
pub(super) fn is_toml_with(text: &str, keys: &[&str]) -> bool {
    let has = |value: &Value| {
        keys.iter()
            .all(|key| value.get(key).and_then(Value::as_str).is_some())
    };
    value_of(text, Format::Toml).as_ref().is_some_and(has)
}

/// A value in a format, or the reason why it cannot be printed.
pub(super) fn printed(value: &Value, format: Format) -> Result<String, ConvertError> {
    print(value, format).map_err(|error| {
        ConvertError::new(
            error.to_string(),
            "remove the field, or write it differently",
        )
    })
}

/// Whether a format can represent a value as a field.
pub(super) fn holds(value: &Value, format: Format) -> bool {
    print(&Value::map([("field", value.clone())]), format).is_ok()
}
