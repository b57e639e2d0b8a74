//! Prompts: one for each agent of the catalog.

use std::collections::BTreeSet;

use agpm_catalog::EntryKind;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value as Json};

use crate::answer::OperationFailure;
use crate::catalog::{CatalogView, EffectiveRow};
use crate::protocol::error::{PARAMETERS, UNKNOWN_PROMPT};
use crate::shared::SharedState;

pub(crate) const MESSAGE: &str = "message";

/// Lists all prompts.
pub(crate) fn all(shared: &SharedState) -> Result<Vec<Prompt>, OperationFailure> {
    // If two agents have one name, it belongs to the agent of the higher rank.
    let mut names = BTreeSet::new();
    let view = shared.catalog()?;
    Ok(agents(&view)
        .map(prompt)
        .filter(|prompt| names.insert(prompt.name.clone()))
        .collect())
}

/// The prefix of skills that replace agents in newer catalogs.
const AGENT_SKILL: &str = "bmad-agent-";

/// The agents, and the skills that are agents in modules that list no agents.
fn agents(view: &CatalogView) -> impl Iterator<Item = EffectiveRow<'_>> {
    let modules: BTreeSet<&str> = view
        .of_kind(EntryKind::Agent)
        .map(EffectiveRow::module)
        .collect();
    let is_agent = move |row: &EffectiveRow<'_>| {
        row.name().starts_with(AGENT_SKILL) && !modules.contains(row.module())
    };
    view.of_kind(EntryKind::Agent)
        .chain(view.of_kind(EntryKind::Skill).filter(is_agent))
}

/// `MODULE.NAME`, or the name alone.
fn prompt_name(row: EffectiveRow<'_>) -> String {
    if row.module().is_empty() {
        row.name().to_owned()
    } else {
        format!("{}.{}", row.module(), row.name())
    }
}

fn prompt(row: EffectiveRow<'_>) -> Prompt {
    let message = PromptArgument::new(MESSAGE)
        .with_description("the message to the agent")
        .with_required(false);
    let mut prompt = Prompt::new(prompt_name(row), row.description(), Some(vec![message]));
    prompt.title = row.title();
    prompt
}

/// Whether a prompt of that name exists.
pub(crate) fn exists(shared: &SharedState, name: &str) -> Result<bool, OperationFailure> {
    Ok(agents(shared.catalog()?.as_ref()).any(|row| prompt_name(row) == name))
}

pub(crate) fn unknown(name: &str) -> ErrorData {
    UNKNOWN_PROMPT.with_help(
        format!("unknown prompt `{name}`"),
        "`prompts/list` lists all prompts",
    )
}

/// The agent's file, then the message.
pub(crate) fn get(
    shared: &SharedState,
    name: &str,
    arguments: Option<&Map<String, Json>>,
) -> Result<GetPromptResult, ErrorData> {
    let message = message(arguments)?;
    let view = shared.catalog().map_err(OperationFailure::error)?;
    let row = agents(&view)
        .find(|row| prompt_name(*row) == name)
        .ok_or_else(|| unknown(name))?;
    let file = view
        .read(Some(row.kind()), &row.reference())
        .map_err(OperationFailure::error)?;
    let text = String::from_utf8(file.bytes)
        .map_err(|_| UNKNOWN_PROMPT.error(format!("the file of `{name}` is not UTF-8")))?;
    let texts = std::iter::once(text).chain(message);
    let of_user = |text| PromptMessage::new_text(Role::User, text);
    let mut result = GetPromptResult::new(texts.map(of_user).collect());
    result.description = row.description();
    Ok(result)
}

fn message(arguments: Option<&Map<String, Json>>) -> Result<Option<String>, ErrorData> {
    let mut found = None;
    for (key, value) in arguments.into_iter().flatten() {
        match (key.as_str(), value) {
            (MESSAGE, Json::String(text)) => {
                found = Some(text.clone()).filter(|text| !text.trim().is_empty())
            }
            (MESSAGE, Json::Null) => {}
            (MESSAGE, _) => return Err(PARAMETERS.error("`message` is not a string")),
            (other, _) => {
                let help = "a prompt accepts `message`";
                return Err(
                    PARAMETERS.with_help(format!("a prompt does not accept `{other}`"), help)
                );
            }
        }
    }
    Ok(found)
}
