//! Agents: Markdown as Claude Code writes it, into what the others read.

use agpm_model::FileForm;
use agpm_text::{Format, Value};

use super::agent_tools::{self, Limit};
use super::front::{Front, holds, is_toml_with, printed};
use super::models::{self, Models};
use super::parts::METADATA;
use super::tool_names::Dialect;
use super::{ConvertError, Converted, FateKind, Fates};

/// What a tool does with keys that it does not know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Ignored,
    Refused,
}

/// How a tool wants its agents.
pub(super) struct AgentForm {
    form: FileForm,
    models: Models,
    /// Fields that mean there what they mean here, or that only this tool has.
    passes: &'static [&'static str],
    /// Fields that are called otherwise there.
    renames: &'static [(&'static str, &'static str)],
    limit: Limit,
    unknown: Unknown,
}

/// Source: Claude Code "Create custom subagents". Only agents of other tools get here.
pub(super) const CLAUDE: AgentForm = AgentForm {
    form: FileForm::ClaudeAgent,
    models: Models::Claude,
    passes: &[
        "maxTurns",
        "skills",
        "mcpServers",
        "hooks",
        "memory",
        "effort",
        "isolation",
        "background",
        "color",
    ],
    renames: &[
        ("max_turns", "maxTurns"),
        ("is_background", "background"),
        ("mcp_servers", "mcpServers"),
    ],
    limit: Limit::List(Dialect::Claude),
    unknown: Unknown::Ignored,
};

/// Source: Codex "Subagents" (custom agent file schema).
pub(super) const CODEX: AgentForm = AgentForm {
    form: FileForm::CodexAgent,
    models: Models::Codex,
    passes: &[
        "sandbox_mode",
        "model_reasoning_effort",
        "nickname_candidates",
        "mcp_servers",
        "web_search",
    ],
    renames: &[("effort", "model_reasoning_effort")],
    limit: Limit::ReadOnly("sandbox_mode", Some("read-only")),
    unknown: Unknown::Refused,
};

/// Source: Cursor "Subagents" (configuration fields).
pub(super) const CURSOR: AgentForm = AgentForm {
    form: FileForm::CursorAgent,
    models: Models::Cursor,
    passes: &["readonly", "is_background"],
    renames: &[("background", "is_background")],
    limit: Limit::ReadOnly("readonly", None),
    unknown: Unknown::Ignored,
};

/// Source: GitHub Copilot "Custom agents configuration".
pub(super) const COPILOT: AgentForm = AgentForm {
    form: FileForm::CopilotAgent,
    models: Models::Copilot,
    passes: &[
        "target",
        "disable-model-invocation",
        "user-invocable",
        "infer",
        "mcp-servers",
        "metadata",
        "argument-hint",
        "handoffs",
    ],
    renames: &[],
    limit: Limit::List(Dialect::CopilotAgent),
    unknown: Unknown::Ignored,
};

/// Source: Gemini CLI "Subagents" (configuration schema), whose reader refuses other keys.
pub(super) const GEMINI: AgentForm = AgentForm {
    form: FileForm::GeminiAgent,
    models: Models::Gemini,
    passes: &[
        "kind",
        "display_name",
        "temperature",
        "max_turns",
        "timeout_mins",
        "policy",
        "mcp_servers",
    ],
    renames: &[("maxTurns", "max_turns")],
    limit: Limit::List(Dialect::Gemini),
    unknown: Unknown::Refused,
};

/// Fields that hold something back: to leave one out is to allow more.
const GUARDS: [&str; 3] = ["hooks", "isolation", "disallowed-tools"];

/// Turns an agent into a tool's own form.
pub(super) fn convert(form: &AgentForm, name: &str, text: &str) -> Result<Converted, ConvertError> {
    let codex = form.form == FileForm::CodexAgent;
    if codex && is_toml_with(text, &["name", "description", "developer_instructions"]) {
        return Ok(Converted {
            text: text.to_owned(),
            fates: Vec::new(),
        });
    }
    let front = Front::read(text)?;
    let mut fates = front.fates();
    let mut fields = fields(form, name, &front, &mut fates);
    let text = match codex {
        true => {
            fields.push((
                "developer_instructions".to_owned(),
                Value::from(front.body()),
            ));
            printed(&Value::Map(fields), Format::Toml)?
        }
        false => front.write(fields, front.body())?,
    };
    Ok(Converted {
        text,
        fates: fates.sorted(),
    })
}

fn fields(form: &AgentForm, name: &str, front: &Front, fates: &mut Fates) -> Vec<(String, Value)> {
    let mut fields = vec![
        (
            "name".to_owned(),
            Value::from(own_name(form, name, front, fates)),
        ),
        (
            "description".to_owned(),
            Value::from(description(name, front, fates)),
        ),
    ];
    let limit = agent_tools::limit(&form.limit, front, fates);
    for (key, value) in front.fields() {
        let limited = limit
            .as_ref()
            .filter(|(limited, _)| key == limited)
            .map(|(_, value)| value);
        fields.extend(limited.map(|value| (key.clone(), value.clone())));
        fields.extend(field(form, front, (key, value), limited, fates));
    }
    if let Some((key, value)) = limit.filter(|(key, _)| !front.has(key)) {
        fields.push((key.to_owned(), value));
    }
    fields
}

/// What one field becomes there, if it stays; `limited` is what it has to be.
fn field(
    form: &AgentForm,
    front: &Front,
    (key, value): (&str, &Value),
    limited: Option<&Value>,
    fates: &mut Fates,
) -> Option<(String, Value)> {
    let renamed = form
        .renames
        .iter()
        .find(|(from, to)| *from == key && !front.has(to));
    if METADATA.contains(&key) {
        return (form.unknown == Unknown::Ignored).then(|| (key.to_owned(), value.clone()));
    }
    if matches!(key, "name" | "description")
        || agent_tools::FIELDS.contains(&key) && !is_null(value)
    {
        return None;
    }
    if let Some(limit) = limited {
        let kind = if limit == value {
            FateKind::Exact
        } else {
            FateKind::Approximated
        };
        fates.add(
            key,
            kind,
            if limit == value {
                ""
            } else {
                "the list of tools asks for less"
            },
        );
        return None;
    }
    if is_null(value) {
        fates.add(key, FateKind::Dropped, "it is empty");
        return None;
    }
    if form.form == FileForm::CodexAgent && !holds(value, Format::Toml) {
        fates.add(key, FateKind::Dropped, "TOML cannot hold it");
        return None;
    }
    if key == "model" {
        return models::keep(form.models, value, fates)
            .map(|model| (key.to_owned(), model.clone()));
    }
    if form.passes.contains(&key) {
        fates.exact(key);
        return Some((key.to_owned(), value.clone()));
    }
    if let Some((_, to)) = renamed {
        fates.add(key, FateKind::Exact, format!("it is called `{to}` there"));
        return Some(((*to).to_owned(), value.clone()));
    }
    match GUARDS.contains(&key) {
        true => fates.add(
            key,
            FateKind::Widened,
            "it holds something back, and has no place there",
        ),
        false => fates.add(key, FateKind::Dropped, "it has no place there"),
    }
    None
}

fn is_null(value: &Value) -> bool {
    matches!(value, Value::Null)
}

fn own_name(form: &AgentForm, given: &str, front: &Front, fates: &mut Fates) -> String {
    let written = front.text("name");
    let name = written.clone().unwrap_or_else(|| given.to_owned());
    let fitting = if form.form == FileForm::GeminiAgent {
        slug(&name)
    } else {
        name.clone()
    };
    match &written {
        _ if fitting != name => {
            fates.add("name", FateKind::Approximated, format!("`{fitting}` there"))
        }
        Some(_) => fates.exact("name"),
        None if front.has("name") => {
            fates.add(
                "name",
                FateKind::Approximated,
                "it is no text; the name of the resource is taken",
            );
        }
        None => {}
    }
    fitting
}

/// Gemini takes small letters, digits, `-` and `_`.
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

/// All of them want one.
fn description(name: &str, front: &Front, fates: &mut Fates) -> String {
    if let Some(text) = front.text("description") {
        fates.exact("description");
        return text;
    }
    fates.add(
        "description",
        FateKind::Approximated,
        "there is none; the first line of the text is taken",
    );
    front.first_line().unwrap_or(name).to_owned()
}
