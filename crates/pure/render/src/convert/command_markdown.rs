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
    let mut fates = front.field_outcomes();
    let mut fields = front.fields().to_vec();
    fields.retain(|(key, value)| stays(format, key, value, &mut fates));
    let body = rewrite(front.body(), &format.placeholders, &mut fates);
    Ok(ConvertedFile {
        text: front.write(fields, &body)?,
        fates: fates.sorted(),
    })
}

fn stays(format: &MarkdownCommand, key: &str, value: &Value, fates: &mut FieldOutcomes) -> bool {
    if METADATA.contains(&key) {
        return true;
    }
    if matches!(value, Value::Null) || !format.fields.contains(&key) {
        leave_out(key, fates);
        return false;
    }
    if key == "model" {
        return models::keep(&format.models, value, fates).is_some();
    }
    fates.exact(key);
    true
}
