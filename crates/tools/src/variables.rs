//! References to environment variables in the settings of tools, in any tool's notation.

use crate::vocabulary::REFERENCE_VARIABLES;

/// A part of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringPart<'a> {
    /// Literal text.
    Text(&'a str),
    /// An environment variable.
    Variable {
        /// Its name.
        name: &'a str,
        /// The value if it is not set.
        default: Option<&'a str>,
    },
}

/// Variables that editors replace themselves.
pub const EDITOR_VARIABLES: [&str; 4] = [
    "workspaceFolder",
    "workspaceFolderBasename",
    "userHome",
    "pathSeparator",
];

/// Whether a tool sets the variable itself, for its plugins or its workspace.
pub fn is_tool_variable(name: &str) -> bool {
    EDITOR_VARIABLES.contains(&name)
        || [REFERENCE_VARIABLES, "PLUGIN_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// Splits text into literals and variables in any notation.
pub fn string_parts(text: &str) -> Vec<StringPart<'_>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_of_a_variable_is_found() {
        let variable = |name, default| StringPart::Variable { name, default };
        for (text, expected) in [
            ("${A}", vec![variable("A", None)]),
            ("${env:A}", vec![variable("A", None)]),
            ("{env:A}", vec![variable("A", None)]),
            ("${A:-b}", vec![variable("A", Some("b"))]),
            (
                "x ${A} y",
                vec![
                    StringPart::Text("x "),
                    variable("A", None),
                    StringPart::Text(" y"),
                ],
            ),
            (
                "$A ${1} ${input:a} {",
                vec![StringPart::Text("$A ${1} ${input:a} {")],
            ),
            ("", vec![]),
        ] {
            assert_eq!(string_parts(text), expected, "{text}");
        }
    }
}
