//! Converts commands to TOML with a description and a prompt.

use agpm_text::{Format, Value};
use agpm_tools::TomlCommand;

use super::command::leave_out;
use super::front::FrontMatter;
use super::outcome::{ConvertError, ConvertedFile};
use super::parts::{METADATA, text_of};
use super::placeholders::rewrite;
use super::plain_text::{is_toml_with, printed};

/// Converts a command to TOML.
pub(super) fn convert(
    format: &TomlCommand,
    name: &str,
    text: &str,
) -> Result<ConvertedFile, ConvertError> {
    if is_toml_with(text, &[format.prompt]) {
        return Ok(ConvertedFile::unchanged(text));
    }
    let front = FrontMatter::read(text)?;
    let mut outcomes = front.field_outcomes();
    let mut fields = Vec::new();
    for (key, value) in front
        .fields()
        .iter()
        .filter(|(key, _)| !METADATA.contains(&key.as_str()))
    {
        match (key.as_str(), text_of(value)) {
            ("description", Some(text)) => {
                outcomes.exact("description");
                fields.push((key.clone(), Value::from(text)));
            }
            ("name", Some(field_name)) if field_name == name => outcomes.exact("name"),
            (key, _) => leave_out(key, &mut outcomes),
        }
    }
    let prompt = rewrite(front.body(), &format.placeholders, &mut outcomes);
    fields.push((format.prompt.to_owned(), Value::from(prompt)));
    Ok(ConvertedFile {
        text: printed(&Value::Map(fields), Format::Toml)?,
        outcomes: outcomes.sorted(),
    })
}
