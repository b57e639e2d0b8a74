//! Converts commands to Markdown with a tool's fields and placeholders.

use agpm_text::Value;
use agpm_tools::MarkdownCommand;

use super::command::leave_out;
use super::front::FrontMatter;
use super::models;
use super::outcome::{ConvertError, ConvertedFile, FieldOutcomes};
use super::parts::METADATA;
use super::placeholders::rewrite;

/// Converts a command to the tool's Markdown.
pub(super) fn convert(format: &MarkdownCommand, text: &str) -> Result<ConvertedFile, ConvertError> {
    let front = FrontMatter::read(text)?;
    let mut outcomes = front.field_outcomes();
    let mut fields = front.fields().to_vec();
    fields.retain(|(key, value)| stays(format, key, value, &mut outcomes));
    let body = rewrite(front.body(), &format.placeholders, &mut outcomes);
    Ok(ConvertedFile {
        text: front.write(fields, &body)?,
        outcomes: outcomes.sorted(),
    })
}

fn stays(format: &MarkdownCommand, key: &str, value: &Value, outcomes: &mut FieldOutcomes) -> bool {
    if METADATA.contains(&key) {
        return true;
    }
    if matches!(value, Value::Null) || !format.fields.contains(&key) {
        leave_out(key, outcomes);
        return false;
    }
    if key == "model" {
        return models::supported_model(&format.models, value, outcomes).is_some();
    }
    outcomes.exact(key);
    true
}
