//! Variables that only exist inside a plugin.

use agpm_text::Value;
use agpm_tools::{StringPart, TOOLS, string_parts};

use super::outcome::ConvertError;
use super::parts::{entries, items};

/// Refuses a hook or server that cannot run without its plugin; `subject` is which of them it is.
pub(super) fn refuse_variables(
    subject: &str,
    name: &str,
    value: &Value,
) -> Result<(), ConvertError> {
    let Some(variable) = variable_in(value) else {
        return Ok(());
    };
    let message =
        format!("the {subject} `{name}` needs `${{{variable}}}`, which only plugins have");
    let help = "no parent directory is a plugin, so its files are unknown: add the plugin to `[plugins]`, or change \
                the path";
    Err(ConvertError::new(message, help))
}

fn variable_in(value: &Value) -> Option<&'static str> {
    if let Some(text) = value.as_str() {
        let mut variables = TOOLS.iter().flat_map(|tool| tool.plugin_variables.items);
        return variables.find(|variable| is_used(variable, text)).copied();
    }
    let mut inner = entries(value)
        .iter()
        .map(|(_, value)| value)
        .chain(items(value));
    inner.find_map(variable_in)
}

/// `${NAME}` without a default, or `$NAME`.
fn is_used(variable: &str, text: &str) -> bool {
    let braced = |piece: &StringPart<'_>| matches!(piece, StringPart::Variable { name, default: None } if *name == variable);
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let bare = text.split('$').skip(1).any(|rest| {
        rest.strip_prefix(variable)
            .is_some_and(|rest| !rest.starts_with(word))
    });
    bare || string_parts(text).iter().any(braced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_without_a_value_are_refused() {
        let refused = |text: &str| refuse_variables("hook", "x", &Value::list([text])).is_err();
        assert!(refused("${CLAUDE_PLUGIN_ROOT}/a.sh"));
        assert!(refused("sh \"$CLAUDE_PLUGIN_DATA/a.sh\""));
        assert!(refused("node ${PLUGIN_ROOT}/server.js"));
        assert!(!refused("${CLAUDE_PLUGIN_ROOT:-.}/a.sh"));
        assert!(!refused(
            "$CLAUDE_PLUGIN_ROOTS $CLAUDE_PROJECT_DIR CLAUDE_PLUGIN_ROOT"
        ));
    }
}
