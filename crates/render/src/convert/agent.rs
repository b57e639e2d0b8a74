//! Converts agents field by field, to Markdown or TOML.

use agpm_text::{Format, Value};
use agpm_tools::{AgentContainer, AgentFields, AgentLimit, AgentNames, UnknownKeys};

use super::agent_limits;
use super::agent_tools;
use super::front::FrontMatter;
use super::models;
use super::outcome::{ConvertError, ConvertedFile, FieldOutcomeKind, FieldOutcomes};
use super::parts::METADATA;
use super::plain_text::{holds, is_toml_with, printed};

/// Fields that restrict an agent: dropping one would allow more.
const GUARDS: [&str; 7] = [
    "hooks",
    "isolation",
    "disallowed-tools",
    "allowed-tools",
    "permission",
    "permissions",
    "sandbox_mode",
];

/// Fields of permissions, which restrict an agent only by what they deny.
const PERMISSIONS: [&str; 2] = ["permission", "permissions"];

/// An agent as its author and the patches of the project left it.
pub(super) struct AgentFile<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// The fields that a patch set.
    pub(super) patched: &'a [&'a str],
}

/// Converts an agent to a tool's format.
pub(super) fn convert(
    format: &AgentFields,
    file: AgentFile<'_>,
) -> Result<ConvertedFile, ConvertError> {
    let text = file.text;
    if let AgentContainer::Toml(body) = format.container
        && is_toml_with(text, &["name", "description", body])
    {
        return Ok(ConvertedFile::unchanged(text));
    }
    let own_limit = match format.limit {
        AgentLimit::ReadOnly(key, _) => key,
        AgentLimit::List(_) | AgentLimit::Never => "",
    };
    let (front, renamed) = agent_limits::in_reference_terms(FrontMatter::read(text)?, own_limit);
    let mut outcomes = front.field_outcomes();
    let mut fields = fields(format, &file, &front, &mut outcomes);
    let text = match format.container {
        AgentContainer::Toml(body) => {
            fields.push((body.to_owned(), Value::from(front.body())));
            printed(&Value::Map(fields), Format::Toml)?
        }
        AgentContainer::Markdown => front.write(fields, front.body())?,
    };
    Ok(ConvertedFile {
        text,
        outcomes: renamed.as_written(outcomes).sorted(),
    })
}

fn fields(
    format: &AgentFields,
    file: &AgentFile<'_>,
    front: &FrontMatter,
    outcomes: &mut FieldOutcomes,
) -> Vec<(String, Value)> {
    let mut fields = vec![
        (
            "name".to_owned(),
            Value::from(own_name(format, file.name, front, outcomes)),
        ),
        (
            "description".to_owned(),
            Value::from(description(file.name, front, outcomes)),
        ),
    ];
    let limits = agent_tools::limit(format.limit, front, outcomes);
    for (key, value) in front.fields() {
        let limited = limits
            .iter()
            .find(|(limited, _)| key == limited)
            .map(|(_, value)| value);
        fields.extend(limited.map(|value| (key.clone(), value.clone())));
        let field = AgentField {
            key,
            value,
            limited,
            is_patched: file.patched.contains(&key.as_str()),
        };
        fields.extend(field.convert(format, front, outcomes));
    }
    let new = limits.into_iter().filter(|(key, _)| !front.has(key));
    fields.extend(new.map(|(key, value)| (key.to_owned(), value)));
    fields
}

/// A field of an agent.
struct AgentField<'a> {
    key: &'a str,
    value: &'a Value,
    /// The target value, if the field holds the agent's limit.
    limited: Option<&'a Value>,
    /// Whether a patch set it.
    is_patched: bool,
}

impl AgentField<'_> {
    /// The converted value, if the field is kept.
    fn convert(
        &self,
        format: &AgentFields,
        front: &FrontMatter,
        outcomes: &mut FieldOutcomes,
    ) -> Option<(String, Value)> {
        let (key, value) = (self.key, self.value);
        if METADATA.contains(&key) {
            let stays = format.unknown == UnknownKeys::Ignored;
            return stays.then(|| (key.to_owned(), value.clone()));
        }
        if matches!(key, "name" | "description")
            || agent_tools::FIELDS.contains(&key) && !is_null(value)
        {
            return None;
        }
        if let Some(limit) = self.limited {
            if limit == value {
                outcomes.exact(key);
            } else {
                let note = "the list of tools is narrower";
                outcomes.add(key, FieldOutcomeKind::Approximated, note);
            }
            return None;
        }
        if is_null(value) {
            outcomes.add(key, FieldOutcomeKind::Dropped, "it is empty");
            return None;
        }
        if matches!(format.container, AgentContainer::Toml(_)) && !holds(value, Format::Toml) {
            outcomes.add(key, FieldOutcomeKind::Dropped, "TOML cannot represent it");
            return None;
        }
        if key == "model" {
            return models::supported_model(&format.models, value, outcomes)
                .map(|model| (key.to_owned(), model.clone()));
        }
        if format.passes.contains(&key) {
            outcomes.exact(key);
            return Some((key.to_owned(), value.clone()));
        }
        let mut renames = format.renames.iter();
        if let Some((_, to)) = renames.find(|(from, to)| *from == key && !front.has(to)) {
            outcomes.add(
                key,
                FieldOutcomeKind::Exact,
                format!("the tool calls it `{to}`"),
            );
            return Some(((*to).to_owned(), value.clone()));
        }
        if self.is_patched && format.unknown == UnknownKeys::Ignored {
            outcomes.add(key, FieldOutcomeKind::Exact, "a patch set it");
            return Some((key.to_owned(), value.clone()));
        }
        let grants_only = PERMISSIONS.contains(&key) && agent_limits::denies_nothing(value);
        if grants_only {
            let note = "it denies nothing, and the tool does not support it";
            outcomes.add(key, FieldOutcomeKind::Dropped, note);
        } else if GUARDS.contains(&key) {
            let note = "it restricts something, and the tool does not support it";
            outcomes.add(key, FieldOutcomeKind::Widened, note);
        } else {
            outcomes.add(
                key,
                FieldOutcomeKind::Dropped,
                "the tool does not support it",
            );
        }
        None
    }
}

fn is_null(value: &Value) -> bool {
    matches!(value, Value::Null)
}

fn own_name(
    format: &AgentFields,
    agent_name: &str,
    front: &FrontMatter,
    outcomes: &mut FieldOutcomes,
) -> String {
    let written = front.text("name");
    let name = written.clone().unwrap_or_else(|| agent_name.to_owned());
    let fitting = match format.names {
        AgentNames::Slug => slug(&name),
        AgentNames::Any => name.clone(),
    };
    match &written {
        _ if fitting != name => outcomes.add(
            "name",
            FieldOutcomeKind::Approximated,
            format!("`{fitting}` there"),
        ),
        Some(_) => outcomes.exact("name"),
        None if front.has("name") => {
            outcomes.add(
                "name",
                FieldOutcomeKind::Approximated,
                "it is not a string; the name of the resource is used",
            );
        }
        None => {}
    }
    fitting
}

/// The name in lowercase letters, digits, `-` and `_`.
fn slug(name: &str) -> String {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    let lower = name.to_lowercase();
    let slug: String = lower
        .chars()
        .map(|c| if fits(c) { c } else { '-' })
        .collect();
    if slug.is_empty() {
        "agent".to_owned()
    } else {
        slug
    }
}

/// The description, which all formats require.
fn description(name: &str, front: &FrontMatter, outcomes: &mut FieldOutcomes) -> String {
    if let Some(text) = front.text("description") {
        outcomes.exact("description");
        return text;
    }
    outcomes.add(
        "description",
        FieldOutcomeKind::Approximated,
        "missing; the first line of the body is used",
    );
    front.first_line().unwrap_or(name).to_owned()
}
