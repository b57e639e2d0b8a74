//! Environment variables in strings: `${NAME}` and the notations of other tools.

use agpm_tools::VariableSyntax;

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

/// A part of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringPart<'a> {
    Text(&'a str),
    Variable {
        name: &'a str,
        default: Option<&'a str>,
    },
}

/// Variables that editors replace themselves.
const EDITOR_WORDS: [&str; 4] = [
    "workspaceFolder",
    "workspaceFolderBasename",
    "userHome",
    "pathSeparator",
];

/// Splits text into literals and variables in any notation.
pub(super) fn pieces(text: &str) -> Vec<StringPart<'_>> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(next) = text[at..].find(['$', '{']).map(|next| at + next) {
        let Some((variable, length)) = variable(&text[next..]) else {
            at = next + 1;
            continue;
        };
        found.extend((start < next).then(|| StringPart::Text(&text[start..next])));
        found.push(variable);
        at = next + length;
        start = at;
    }
    found.extend((start < text.len()).then(|| StringPart::Text(&text[start..])));
    found
}

fn variable(text: &str) -> Option<(StringPart<'_>, usize)> {
    let inner = match text.strip_prefix("${") {
        Some(inner) => inner.strip_prefix("env:").unwrap_or(inner),
        None => text.strip_prefix("{env:")?,
    };
    let open = text.len() - inner.len();
    let end = inner.find('}')?;
    let (name, default) = match inner[..end].split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (&inner[..end], None),
    };
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let fits =
        name.chars().all(word) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    fits.then_some((StringPart::Variable { name, default }, open + end + 1))
}

/// The text in another syntax, and its loss.
pub(super) fn spell(text: &str, syntax: VariableSyntax) -> (String, VariableLoss) {
    let mut out = String::with_capacity(text.len());
    let mut loss = VariableLoss::None;
    for piece in pieces(text) {
        let StringPart::Variable { name, default } = piece else {
            if let StringPart::Text(text) = piece {
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
        (VariableSyntax::Editor, _) if !EDITOR_WORDS.contains(&name) => {
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
