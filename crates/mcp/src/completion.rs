//! Completions: the names that match the text typed so far.

use std::collections::BTreeSet;

use agpm_catalog::{ENTRY_KINDS, EntryKind};
use agpm_model::{RESOURCE_TYPES, ResourceType};
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};

use crate::answer::OperationFailure;
use crate::catalog::EffectiveRow;
use crate::kind::ItemKind;
use crate::prompts;
use crate::protocol::error::PARAMETERS;
use crate::resources::{
    BOTTLE_AGENT_TEMPLATE, BOTTLE_TEMPLATE, CSV_TEMPLATE, ENTRY_TEMPLATE, INSTALLED_TEMPLATE,
    PERSONA_TEMPLATE,
};
use crate::shared::SharedState;
use crate::tool::names_of;

/// The values that complete an argument.
pub(crate) fn complete(
    shared: &SharedState,
    request: &CompleteRequestParams,
) -> Result<CompletionInfo, ErrorData> {
    let argument = request.argument.name.as_str();
    let known = match &request.r#ref {
        Reference::Prompt(prompt) => {
            if !prompts::exists(shared, &prompt.name).map_err(OperationFailure::error)? {
                return Err(prompts::unknown(&prompt.name));
            }
            (argument == prompts::MESSAGE).then(Vec::new)
        }
        Reference::Resource(template) => {
            let given = |name: &str| decided_value(request, name);
            names(shared, &template.uri, argument, given).map_err(OperationFailure::error)?
        }
        _ => None,
    };
    let wrong = || PARAMETERS.error(format!("no completions for `{argument}`"));
    let known = known.ok_or_else(wrong)?;
    Ok(matching_names(known, &request.argument.value))
}

/// The value of an argument that is already decided.
fn decided_value<'r>(request: &'r CompleteRequestParams, name: &str) -> Option<&'r str> {
    let decided = request.context.as_ref()?.arguments.as_ref()?;
    decided.get(name).map(String::as_str)
}

/// The names that an argument of a template can have; nothing if no such argument exists.
fn names<'r>(
    shared: &SharedState,
    template: &str,
    argument: &str,
    given: impl Fn(&str) -> Option<&'r str>,
) -> Result<Option<Vec<String>>, OperationFailure> {
    let fits = |row: &EffectiveRow<'_>| {
        given("kind").is_none_or(|kind| EntryKind::read(kind) == Some(row.kind()))
            && given("module").is_none_or(|module| module == row.module())
    };
    Ok(Some(match (template, argument) {
        (CSV_TEMPLATE | ENTRY_TEMPLATE, "kind") => ENTRY_KINDS
            .iter()
            .map(|kind| kind.singular().to_owned())
            .collect(),
        (ENTRY_TEMPLATE, "module") => shared
            .catalog()?
            .rows()
            .filter(fits)
            .map(|row| row.module().to_owned())
            .collect(),
        (ENTRY_TEMPLATE, "name") => shared
            .catalog()?
            .rows()
            .filter(fits)
            .map(|row| row.name().to_owned())
            .collect(),
        (INSTALLED_TEMPLATE, "type") => RESOURCE_TYPES
            .iter()
            .map(|kind| kind.plural().to_owned())
            .collect(),
        (INSTALLED_TEMPLATE, "name") => {
            let of_kind = |kind: ResourceType| {
                given("type").is_none_or(|word| ResourceType::named(word) == Some(kind))
            };
            let view = shared.installed()?;
            view.rows
                .iter()
                .filter(|row| of_kind(row.kind))
                .map(|row| row.name.clone())
                .collect()
        }
        (PERSONA_TEMPLATE, "slug") => names_of(shared, ItemKind::Persona)?,
        (BOTTLE_TEMPLATE, "name") => names_of(shared, ItemKind::Bottle)?,
        (BOTTLE_AGENT_TEMPLATE, "name") => names_of(shared, ItemKind::BottleAgent)?,
        _ => return Ok(None),
    }))
}

/// Names that begin with the typed text, then names that contain it.
fn matching_names(known: Vec<String>, typed: &str) -> CompletionInfo {
    let typed = typed.to_lowercase();
    let known: BTreeSet<String> = known.into_iter().filter(|name| !name.is_empty()).collect();
    let (begin, others): (Vec<String>, Vec<String>) = known
        .into_iter()
        .partition(|name| name.to_lowercase().starts_with(&typed));
    let contain = others
        .into_iter()
        .filter(|name| name.to_lowercase().contains(&typed));
    let mut values: Vec<String> = begin.into_iter().chain(contain).collect();
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > values.len());
    info.total = u32::try_from(total).ok();
    info.values = values;
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_come_first() {
        let known = ["reviewer", "Prereview", "other", "review", "review"]
            .map(str::to_owned)
            .to_vec();
        let info = matching_names(known, "rev");
        assert_eq!(info.values, ["review", "reviewer", "Prereview"]);
        assert_eq!((info.total, info.has_more), (Some(3), Some(false)));
    }

    #[test]
    fn there_are_never_more_than_the_protocol_allows() {
        let info = matching_names((0..250).map(|at| format!("n{at}")).collect(), "");
        assert_eq!(
            (info.values.len(), info.total, info.has_more),
            (100, Some(250), Some(true))
        );
    }
}
