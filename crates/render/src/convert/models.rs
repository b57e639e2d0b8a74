//! Checks which models a tool has.

use agpm_text::Value;
use agpm_tools::{
    InheritedModel, ModelForm, ModelNames, REFERENCE_TOOL, Vendor, is_reference_model,
};

use super::outcome::{FieldOutcomeKind, FieldOutcomes};
use super::parts::text_of;

/// The reason why a tool cannot use a model; `None` if it can.
fn objection(models: &ModelNames, model: &Value) -> Option<String> {
    let displayed = models.form == ModelForm::DisplayName;
    let Some(name) = text_of(model) else {
        let listed = matches!(model, Value::List(_)) && displayed;
        return (!listed).then(|| "the tool accepts one model, by name".to_owned());
    };
    let lower = name.to_lowercase();
    if lower == "inherit" {
        let is_implied = models.inherited == InheritedModel::Implied;
        return is_implied.then(|| "it is the default".to_owned());
    }
    if let ModelForm::WithProvider(title) = models.form {
        return (!name.contains('/')).then(|| format!("{title} names models as `provider/model`"));
    }
    if !displayed && name.contains(char::is_whitespace) {
        return Some("not a model name of the tool".to_owned());
    }
    match Vendor::of(&lower)? {
        // Other tools may have these models too, but under different names.
        Vendor::Anthropic if models.vendor != Some(Vendor::Anthropic) => {
            is_reference_model(&name).then(|| format!("a {}-specific name", REFERENCE_TOOL.title))
        }
        vendor => {
            let is_foreign = models
                .vendor
                .is_some_and(|tool_vendor| tool_vendor != vendor);
            is_foreign.then(|| "another vendor's model".to_owned())
        }
    }
}

/// The model, if the tool has it; the outcome is recorded.
pub(super) fn supported_model<'v>(
    models: &ModelNames,
    value: &'v Value,
    outcomes: &mut FieldOutcomes,
) -> Option<&'v Value> {
    match objection(models, value) {
        Some(why) => {
            outcomes.add("model", FieldOutcomeKind::Dropped, why);
            None
        }
        None => {
            outcomes.exact("model");
            Some(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use agpm_tools::{AgentForm, TOOLS, ToolDefinition};

    use super::*;

    fn models(tool: &ToolDefinition) -> Option<ModelNames> {
        match &tool.agents.as_ref()?.format.form {
            AgentForm::Fields(fields) => Some(fields.models),
            AgentForm::Checked(checked) => Some(checked.models),
        }
    }

    #[test]
    fn each_tool_keeps_the_models_that_it_has() {
        for (model, expected) in [
            (Value::from("opus"), "claude-code"),
            (Value::from("claude-sonnet-4-5"), "claude-code"),
            (Value::from("inherit"), "claude-code cursor gemini"),
            (
                Value::from("gpt-5"),
                "codex cursor copilot windsurf kiro goose copilot-cli",
            ),
            (
                Value::from("gemini-2.5-pro"),
                "cursor copilot gemini windsurf kiro goose copilot-cli",
            ),
            (
                Value::from("anthropic/claude-x"),
                "claude-code opencode codex cursor copilot gemini windsurf kiro goose copilot-cli",
            ),
            (
                Value::from("Claude Sonnet 4.5 (copilot)"),
                "copilot copilot-cli",
            ),
            (Value::list(["GPT-5", "opus"]), "copilot copilot-cli"),
        ] {
            let keeps = |tool: &&&ToolDefinition| {
                models(tool).is_some_and(|models| objection(&models, &model).is_none())
            };
            let found: Vec<&str> = TOOLS.iter().filter(keeps).map(|tool| tool.name).collect();
            assert_eq!(found.join(" "), expected, "{model:?}");
        }
    }
}
