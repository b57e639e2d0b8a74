//! Parses and writes Markdown with front matter.

use agpm_text::{Document, Format, Value, markdown_body, to_value};

use super::by_line;
use super::outcome::{ConvertError, FieldOutcomeKind, FieldOutcomes};
use super::parts::{entries, text_of};
use super::plain_text::{document, printed};

/// A Markdown file's fields and its body.
pub(super) struct FrontMatter {
    /// The parsed file; `None` if its front matter is invalid YAML.
    document: Option<Document>,
    fields: Value,
    /// Fields without a clear value.
    unclear: Vec<String>,
    body: String,
}

/// Fields that restrict an agent or command: dropping one would allow more.
const LIMITS: [&str; 11] = [
    "tools",
    "allowed-tools",
    "permissions",
    "readonly",
    "disallowedTools",
    "disallowed-tools",
    "permissionMode",
    "permission",
    "sandbox_mode",
    "hooks",
    "isolation",
];

impl FrontMatter {
    pub(super) fn read(text: &str) -> Result<Self, ConvertError> {
        match document(text, Format::Markdown) {
            Ok(document) => {
                let fields = document.root().map_or(Value::Map(Vec::new()), to_value);
                let body = document.text()[document.body().range()].to_owned();
                Ok(FrontMatter {
                    document: Some(document),
                    fields,
                    unclear: Vec::new(),
                    body,
                })
            }
            Err(error) => {
                let found = by_line::read(text).ok_or(error)?;
                let (fields, body) = (Value::Map(found.fields), markdown_body(text).to_owned());
                Ok(FrontMatter {
                    document: None,
                    fields,
                    unclear: found.unclear,
                    body,
                })
            }
        }
    }

    /// The file with other fields; `write` still starts from the original text.
    pub(super) fn with_fields(self, fields: Vec<(String, Value)>) -> Self {
        FrontMatter {
            fields: Value::Map(fields),
            ..self
        }
    }

    /// The outcomes of reading the file.
    pub(super) fn field_outcomes(&self) -> FieldOutcomes {
        let mut outcomes = FieldOutcomes::default();
        if self.document.is_none() {
            outcomes.add(
                "(front matter)",
                FieldOutcomeKind::Approximated,
                "not valid YAML; read line by line",
            );
        }
        for field in &self.unclear {
            let kind = if LIMITS.contains(&field.as_str()) {
                FieldOutcomeKind::Widened
            } else {
                FieldOutcomeKind::Dropped
            };
            outcomes.add(field, kind, "its value is not valid YAML");
        }
        outcomes
    }

    /// Whether the front matter is valid YAML.
    pub(super) fn is_yaml(&self) -> bool {
        self.document.is_some()
    }

    pub(super) fn fields(&self) -> &[(String, Value)] {
        entries(&self.fields)
    }

    /// The value of a field that has one.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.fields
            .get(key)
            .filter(|value| !matches!(value, Value::Null))
    }

    /// Whether the field exists, even if it is empty.
    pub(super) fn has(&self, key: &str) -> bool {
        self.fields.get(key).is_some()
    }

    pub(super) fn body(&self) -> &str {
        &self.body
    }

    /// The first non-empty line of the body, without the marks of a heading.
    pub(super) fn first_line(&self) -> Option<&str> {
        let lines = self
            .body()
            .lines()
            .map(|line| line.trim_start_matches(['#', ' ', '\t']).trim_end());
        lines.into_iter().find(|line| !line.is_empty())
    }

    /// The text of a field, if it has one.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.get(key)
            .and_then(text_of)
            .filter(|text| !text.trim().is_empty())
    }

    /// The file with other fields and another body; comments and the order of fields are preserved where possible.
    pub(super) fn write(
        &self,
        fields: Vec<(String, Value)>,
        body: &str,
    ) -> Result<String, ConvertError> {
        let fenced = body
            .lines()
            .next()
            .is_some_and(|line| line.trim_end() == "---");
        if fields.is_empty() && !fenced {
            return Ok(body.to_owned());
        }
        let fields = Value::Map(fields);
        let rewritten = self
            .document
            .as_ref()
            .and_then(|document| document.rewrite(&fields).ok());
        let rewritten = rewritten.map(|text| text.to_string());
        match rewritten
            .as_deref()
            .and_then(|text| text.strip_suffix(self.body()))
        {
            Some(head) if !head.is_empty() => Ok(format!("{head}{body}")),
            _ => Ok(format!(
                "---\n{}---\n{body}",
                printed(&fields, Format::Yaml)?
            )),
        }
    }
}
