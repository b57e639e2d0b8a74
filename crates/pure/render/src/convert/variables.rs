//! Environment variables inside texts: `${NAME}` and what others write for it.

use agpm_tools::VariableSyntax;

/// What a text lost on the way, from nothing to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    /// Nothing.
    None,
    /// A default that older versions do not know.
    OldVersions,
    /// The default of a variable.
    Default,
    /// A variable, which stays as text.
    Variable,
}

impl Loss {
    /// What is to be said of it.
    pub(super) fn note(self) -> &'static str {
        match self {
            Loss::None => "",
            Loss::OldVersions => "older versions do not know defaults of variables",
            Loss::Default => "the default of a variable cannot be said there",
            Loss::Variable => "variables are not replaced there",
        }
    }
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Variable {
        name: &'a str,
        default: Option<&'a str>,
    },
}

/// Words that editors replace themselves.
const EDITOR_WORDS: [&str; 4] = [
    "workspaceFolder",
    "workspaceFolderBasename",
    "userHome",
    "pathSeparator",
];

/// A text as it comes: texts, and variables in any of the ways to write them.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(next) = text[at..].find(['$', '{']).map(|next| at + next) {
        let Some((variable, length)) = variable(&text[next..]) else {
            at = next + 1;
            continue;
        };
        found.extend((start < next).then(|| Piece::Text(&text[start..next])));
        found.push(variable);
        at = next + length;
        start = at;
    }
    found.extend((start < text.len()).then(|| Piece::Text(&text[start..])));
    found
}

fn variable(text: &str) -> Option<(Piece<'_>, usize)> {
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
    fits.then_some((Piece::Variable { name, default }, open + end + 1))
}

/// The text in another syntax, and what it lost.
pub(super) fn spell(text: &str, syntax: VariableSyntax) -> (String, Loss) {
    let mut out = String::with_capacity(text.len());
    let mut loss = Loss::None;
    for piece in pieces(text) {
        let Piece::Variable { name, default } = piece else {
            if let Piece::Text(text) = piece {
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

fn variable_in(name: &str, default: Option<&str>, syntax: VariableSyntax) -> (String, Loss) {
    let lost = if default.is_some() {
        Loss::Default
    } else {
        Loss::None
    };
    match (syntax, default) {
        (VariableSyntax::Shell, Some(default)) => (format!("${{{name}:-{default}}}"), Loss::None),
        (VariableSyntax::ShellNewDefaults, Some(default)) => {
            (format!("${{{name}:-{default}}}"), Loss::OldVersions)
        }
        (VariableSyntax::None, Some(default)) => (default.to_owned(), Loss::Variable),
        (VariableSyntax::None, None) => (format!("${{{name}}}"), Loss::Variable),
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
    fn variables_are_found_and_spelled_anew() {
        for (text, syntax, expected, loss) in [
            (
                "a ${B} c",
                VariableSyntax::Braces,
                "a {env:B} c",
                Loss::None,
            ),
            (
                "${B:-x}/y",
                VariableSyntax::Braces,
                "{env:B}/y",
                Loss::Default,
            ),
            ("{env:B}", VariableSyntax::Shell, "${B}", Loss::None),
            ("${env:B}", VariableSyntax::Shell, "${B}", Loss::None),
            ("${B:-x}", VariableSyntax::Shell, "${B:-x}", Loss::None),
            (
                "${B:-x}",
                VariableSyntax::ShellNewDefaults,
                "${B:-x}",
                Loss::OldVersions,
            ),
            (
                "${B}${workspaceFolder}",
                VariableSyntax::Editor,
                "${env:B}${workspaceFolder}",
                Loss::None,
            ),
            (
                "${B:-x} ${C}",
                VariableSyntax::None,
                "x ${C}",
                Loss::Variable,
            ),
            (
                "${input:key} $HOME { ${ {env:",
                VariableSyntax::None,
                "${input:key} $HOME { ${ {env:",
                Loss::None,
            ),
        ] {
            assert_eq!(spell(text, syntax), (expected.to_owned(), loss), "{text}");
        }
    }
}
