//! The length of messages: the first line of a finding has at most eighty characters.
//!
//! A message with placeholders has any length when it is shown, so each placeholder is measured as a short name.

use crate::measure::source::{SourceFile, SourceToken};

const LONGEST: usize = 80;
/// The length of a typical name.
const PLACEHOLDER: usize = 8;
/// How many tokens the code of a finding has at most: `&codes::NAME`.
const CODE_TOKENS: usize = 6;

/// The messages of a file that are too long.
pub(super) fn too_long(file: &SourceFile, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in file.tokens.iter().enumerate() {
        let Some(text) = literal_text(&token.text) else {
            continue;
        };
        if measured(text) > LONGEST && is_message(&file.tokens[..at]) {
            let line = file.line_at(token.start);
            found.push(format!(
                "{place}:{line}: \"{text}\": write at most 80 characters, and the rest as a detail or in the help"
            ));
        }
    }
    found
}

/// Between the quotes of a string literal, if it has several words: one word is a key or a name.
pub(super) fn literal_text(token: &str) -> Option<&str> {
    let text = token.trim_start_matches('r').trim_matches('#');
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    text.contains(' ').then_some(text)
}

/// Returns whether the tokens before a literal make it a message: `let message = format!(` or the second argument of
/// `Diagnostic::new`.
fn is_message(before: &[SourceToken]) -> bool {
    let texts: Vec<&str> = before
        .iter()
        .rev()
        .take(16)
        .map(|token| token.text.as_str())
        .collect();
    let rest = match texts.as_slice() {
        ["(", "!", "format", rest @ ..] => rest,
        rest => rest,
    };
    match rest {
        ["=", "message", "let", ..] => true,
        [",", rest @ ..] => {
            let code = rest.iter().take(CODE_TOKENS + 1);
            let open = code.take_while(|text| **text != "(").count();
            matches!(rest.get(open..), Some(["(", "new", "::", "Diagnostic", ..]))
        }
        _ => false,
    }
}

/// Returns the length of the first line of a literal, with short names in its placeholders.
fn measured(text: &str) -> usize {
    let unescaped = text.replace("{{", "").replace("}}", "");
    let mut length = 0;
    let mut is_inside = false;
    for sign in unescaped.chars() {
        match sign {
            '{' => {
                is_inside = true;
                length += PLACEHOLDER;
            }
            '}' => is_inside = false,
            _ if is_inside => {}
            '\\' => {}
            _ => length += 1,
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn long_messages_are_found_and_other_strings_are_not() {
        let long = "x ".repeat(41);
        let text = format!(
            "fn f() {{ let message = format!(\"{long}\"); let help = \"{long}\";\nDiagnostic::new(&codes::USAGE, \"{long}\"); g(&a, \"{long}\"); let message = \"short {{a}}\"; }}"
        );
        let file = SourceFile::parse(Path::new("x.rs"), &text).expect("the text is Rust");
        let found = too_long(&file, "x.rs");
        let lines: Vec<&str> = found
            .iter()
            .filter_map(|line| line.split(':').nth(1))
            .collect();
        assert_eq!(lines, ["1", "2"]);
    }

    #[test]
    fn a_placeholder_is_as_long_as_a_short_name() {
        assert_eq!(measured("unknown source `{name}`"), 25);
        assert_eq!(measured("write `{{}}`"), 8);
    }
}
