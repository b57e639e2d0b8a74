//! Text from elsewhere, made safe to look at.

/// The text with every character that acts on a terminal or cannot be seen written as an escape. Text that people
/// approve by reading must not be able to hide a part of itself.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_invisible(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that change the direction of writing, or take no room.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// A command as one line that can be pasted into a shell; arguments that a shell would split or expand are quoted.
pub fn command_line<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    parts.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(part: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,~^".contains(c);
    let text = visible(part);
    if !part.is_empty() && part.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        let table = [
            ("plain, ünïcode", "plain, ünïcode"),
            ("a\u{1b}[2Kb", "a\\u{1b}[2Kb"),
            ("a\rb\nc\td", "a\\rb\\nc\\td"),
            ("c1\u{9b}31m", "c1\\u{9b}31m"),
            ("\u{202e}drawer", "\\u{202e}drawer"),
            ("zero\u{200b}width", "zero\\u{200b}width"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
        ];
        for (text, expected) in table {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn a_command_line_keeps_its_arguments_apart() {
        assert_eq!(command_line(["sort", "-u", "%base"]), "sort -u %base");
        assert_eq!(
            command_line(["sh", "-c", "a | b; echo 'x'"]),
            r"sh -c 'a | b; echo '\''x'\'''"
        );
        assert_eq!(command_line(["x", "", "a\nb"]), r"x '' 'a\nb'");
    }
}
