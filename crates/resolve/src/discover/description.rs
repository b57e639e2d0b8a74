use agpm_diag::is_invisible;

use crate::discover::limits::LONGEST_DESCRIPTION;

/// Text from elsewhere on one line, without anything that acts on a terminal or cannot be seen.
pub fn plain_line(text: &str) -> String {
    let mut line = String::new();
    let mut chars = text.chars().peekable();
    let mut count = 0;
    while let Some(c) = chars.next() {
        if count == LONGEST_DESCRIPTION {
            break;
        }
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            // The one-character form of `ESC [`.
            '\u{9b}' => skip_control_sequence(&mut chars),
            c if c.is_whitespace() => {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                    count += 1;
                }
            }
            c if c.is_control() || is_invisible(c) => {}
            c => {
                line.push(c);
                count += 1;
            }
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// The beginning of a description, as a comment after a command that people paste into a shell.
///
/// Not every shell reads `#` as a comment, so nothing is left that one acts on: no quotes, separators or expansions.
pub fn shell_comment(text: &str, most: usize) -> String {
    let plain: String = text.chars().map(without_shell_meaning).collect();
    let plain = plain_line(&plain);
    match plain.char_indices().nth(most) {
        Some((at, _)) => format!("# {}…", plain[..at].trim_end()),
        None => format!("# {plain}"),
    }
}

/// A character that looks alike and that no shell acts on.
fn without_shell_meaning(c: char) -> char {
    match c {
        '\'' | '`' => '’',
        '"' => '”',
        ';' => ',',
        '|' | '\\' => '/',
        '&' => '+',
        '(' | '{' | '[' | '<' => '‹',
        ')' | '}' | ']' | '>' => '›',
        '$' | '*' | '?' | '!' | '~' | '^' | '#' | '=' | '%' => ' ',
        c => c,
    }
}

type Characters<'t> = std::iter::Peekable<std::str::Chars<'t>>;

/// Skips what follows an escape character: a control sequence, a string for the terminal, or one character.
fn skip_escape(chars: &mut Characters<'_>) {
    match chars.next() {
        Some('[') => skip_control_sequence(chars),
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(c) = chars.next() {
                let ends = c == '\u{7}' || c == '\u{9c}';
                if ends || c == '\u{1b}' && chars.next_if_eq(&'\\').is_some() {
                    break;
                }
            }
        }
        _ => {}
    }
}

fn skip_control_sequence(chars: &mut Characters<'_>) {
    let is_parameter = |c: &char| ('\u{20}'..='\u{3f}').contains(c);
    while chars.next_if(is_parameter).is_some() {}
    chars.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_leave_nothing_behind() {
        for (text, expected) in [
            ("Reads\n  PDF\tfiles ", "Reads PDF files"),
            ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            ("a\u{1b}]8;;http://x\u{1b}\\link", "alink"),
            ("a\u{9b}2Kb", "ab"),
            ("zero\u{200b}width\u{202e}", "zerowidth"),
            ("\u{1b}", ""),
            ("ünï", "ünï"),
        ] {
            assert_eq!(plain_line(text), expected);
        }
    }

    #[test]
    fn a_comment_is_short_and_a_shell_does_nothing_with_it() {
        assert_eq!(
            shell_comment("Draws; touch pwned $(touch pwned2)", 60),
            "# Draws, touch pwned ‹touch pwned2›"
        );
        assert_eq!(
            shell_comment("Don't \"x\" `id` a|b && c > d", 60),
            "# Don’t ”x” ’id’ a/b ++ c › d"
        );
        assert_eq!(shell_comment("one two three", 7), "# one two…");
    }

    proptest! {
        #[test]
        fn a_comment_holds_nothing_that_a_shell_acts_on(text in "\\PC{0,200}") {
            let comment = shell_comment(&text, 100);
            let special = "'\"`;|&$<>(){}[]\\*?!~#\n";
            let is_plain = !comment[1..].contains(|c: char| special.contains(c));
            prop_assert!(is_plain, "{}", comment);
            prop_assert!(comment.chars().count() <= 103);
        }

        #[test]
        fn a_line_is_short_and_holds_nothing_that_acts(text in "[\\x00-\\x{a0}\\PC]{0,1200}") {
            let line = plain_line(&text);
            prop_assert!(line.chars().count() <= LONGEST_DESCRIPTION);
            prop_assert!(!line.chars().any(|c| c.is_control() || is_invisible(c)));
        }
    }
}
