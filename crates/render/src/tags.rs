//! Finds the tags of a template as the engine does: a closing mark inside a string or brackets does not close a tag.

use std::ops::Range;

/// The `{{ … }}` and `{% … %}` of a template, without comments and `{% raw %}` content; the last may be unclosed.
pub(crate) fn tags(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find('{')?;
            at = match text.as_bytes().get(start + 1) {
                Some(b'{') => end_of_tag(text, start, "}}"),
                Some(b'%') => end_of_tag(text, start, "%}"),
                Some(b'#') => {
                    at = start + 2 + text[start + 2..].find("#}")? + 2;
                    continue;
                }
                _ => {
                    at = start + 1;
                    continue;
                }
            };
            let tag = start..at;
            if is_only(&text[tag.clone()], "raw") {
                at = end_of_raw(text, at);
            }
            return Some(tag);
        }
    })
}

/// The position after the closing mark.
fn end_of_tag(text: &str, start: usize, close: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0i64;
    let mut at = start + 2;
    while at < bytes.len() {
        if depth == 0 && bytes[at..].starts_with(close.as_bytes()) {
            return at + close.len();
        }
        match bytes[at] {
            quote @ (b'"' | b'\'') => at = end_of_string(bytes, at + 1, quote),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The position of the closing quote.
fn end_of_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// The position before the tag that ends a raw part.
fn end_of_raw(text: &str, start: usize) -> usize {
    let opens = text[start..].match_indices("{%").map(|(at, _)| start + at);
    let ends = |at: &usize| {
        text[*at..]
            .find("%}")
            .is_some_and(|end| is_only(&text[*at..*at + end + 2], "endraw"))
    };
    opens.into_iter().find(ends).unwrap_or(text.len())
}

/// Whether a tag is a statement of this one word.
fn is_only(tag: &str, word: &str) -> bool {
    let inside = tag
        .strip_prefix("{%")
        .and_then(|tag| tag.strip_suffix("%}"));
    let bare = |inside: &str| {
        let inside = inside.strip_prefix(['-', '+']).unwrap_or(inside);
        inside
            .strip_suffix(['-', '+'])
            .unwrap_or(inside)
            .trim_matches(|c: char| c.is_ascii_whitespace())
            == word
    };
    inside.is_some_and(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_as_the_engine_finds_them() {
        let table: &[(&str, &[&str])] = &[
            ("a {{ b }} c {% if d %}", &["{{ b }}", "{% if d %}"]),
            ("{{ '}}' * 3 }}x", &["{{ '}}' * 3 }}"]),
            ("{{ \"\\\"}}\" * 3 }}x", &["{{ \"\\\"}}\" * 3 }}"]),
            ("{{ {'a': {'b': 1}} * 2 }}", &["{{ {'a': {'b': 1}} * 2 }}"]),
            ("{# {{ ' #}{{ 'x' }}", &["{{ 'x' }}"]),
            (
                "{%- raw -%}{{ ' {% endraw x %}{%- endraw %}{{ 'x' }}",
                &["{%- raw -%}", "{%- endraw %}", "{{ 'x' }}"],
            ),
            ("{ {a {{ b", &["{{ b"]),
            ("{{ 'é\\", &["{{ 'é\\"]),
            ("{# {{ a }}", &[]),
        ];
        for (text, expected) in table {
            let found: Vec<&str> = tags(text).map(|range| &text[range]).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }
}
