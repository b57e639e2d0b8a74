//! Environment variables in strings: `${NAME}` and the notations of other tools.

use agpm_tools::{EDITOR_VARIABLES, StringPart, VariableSyntax, string_parts};

/// The loss of a conversion, from none to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VariableLoss {
    /// No loss.
    None,
    /// A default that older versions do not support.
    OldVersions,
    /// The default of a variable.
    Default,
    /// A variable, which becomes literal text.
    Variable,
}

impl VariableLoss {
    /// The note about the loss.
    pub(super) fn note(self) -> &'static str {
        match self {
            VariableLoss::None => "",
            VariableLoss::OldVersions => "older versions do not support defaults of variables",
            VariableLoss::Default => "the tool does not support defaults of variables",
            VariableLoss::Variable => "the tool does not replace variables",
        }
    }
}

/// The text in another syntax, and its loss.
pub(super) fn spell(text: &str, syntax: VariableSyntax) -> (String, VariableLoss) {
    let mut out = String::with_capacity(text.len());
    let mut loss = VariableLoss::None;
    for part in string_parts(text) {
        let StringPart::Variable { name, default } = part else {
            if let StringPart::Text(text) = part {
                out.push_str(text);
            }
            continue;
        };
        let (written, lost) = variable_in(name, default, syntax);
        out.push_str(&written);
        loss = loss.max(lost);
    }
    (out, loss)
}

fn variable_in(
    name: &str,
    default: Option<&str>,
    syntax: VariableSyntax,
) -> (String, VariableLoss) {
    let lost = if default.is_some() {
        VariableLoss::Default
    } else {
        VariableLoss::None
    };
    match (syntax, default) {
        (VariableSyntax::Shell, Some(default)) => {
            (format!("${{{name}:-{default}}}"), VariableLoss::None)
        }
        (VariableSyntax::ShellNewDefaults, Some(default)) => {
            (format!("${{{name}:-{default}}}"), VariableLoss::OldVersions)
        }
        (VariableSyntax::None, Some(default)) => (default.to_owned(), VariableLoss::Variable),
        (VariableSyntax::None, None) => (format!("${{{name}}}"), VariableLoss::Variable),
        (VariableSyntax::Editor, _) if !EDITOR_VARIABLES.contains(&name) => {
            (format!("${{env:{name}}}"), lost)
        }
        (VariableSyntax::Braces, _) => (format!("{{env:{name}}}"), lost),
        (VariableSyntax::Shell | VariableSyntax::ShellNewDefaults | VariableSyntax::Editor, _) => {
            (format!("${{{name}}}"), lost)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_and_spelled_again() {
        for (text, syntax, expected, loss) in [
            (
                "a ${B} c",
                VariableSyntax::Braces,
                "a {env:B} c",
                VariableLoss::None,
            ),
            (
                "${B:-x}/y",
                VariableSyntax::Braces,
                "{env:B}/y",
                VariableLoss::Default,
            ),
            ("{env:B}", VariableSyntax::Shell, "${B}", VariableLoss::None),
            (
                "${env:B}",
                VariableSyntax::Shell,
                "${B}",
                VariableLoss::None,
            ),
            (
                "${B:-x}",
                VariableSyntax::Shell,
                "${B:-x}",
                VariableLoss::None,
            ),
            (
                "${B:-x}",
                VariableSyntax::ShellNewDefaults,
                "${B:-x}",
                VariableLoss::OldVersions,
            ),
            (
                "${B}${workspaceFolder}",
                VariableSyntax::Editor,
                "${env:B}${workspaceFolder}",
                VariableLoss::None,
            ),
            (
                "${B:-x} ${C}",
                VariableSyntax::None,
                "x ${C}",
                VariableLoss::Variable,
            ),
            (
                "${input:key} $HOME { ${ {env:",
                VariableSyntax::None,
                "${input:key} $HOME { ${ {env:",
                VariableLoss::None,
            ),
        ] {
            assert_eq!(spell(text, syntax), (expected.to_owned(), loss), "{text}");
        }
    }
}
