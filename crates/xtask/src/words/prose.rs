//! Splits text into words, without code, URLs and comments.

/// A word, or a mark that ends a phrase.
pub(super) struct ProseWord {
    pub(super) text: String,
    /// The number of the line, from one.
    pub(super) line: usize,
}

impl ProseWord {
    /// Marks between words: punctuation, code, the end of a paragraph.
    pub(super) fn is_mark(&self) -> bool {
        !self.text.chars().any(char::is_alphanumeric)
    }

    pub(super) fn ends_sentence(&self) -> bool {
        [".", "!", "?", PARAGRAPH, "|"].contains(&self.text.as_str())
    }
}

/// Between paragraphs, list items and headings.
const PARAGRAPH: &str = "¶";
/// Where code was.
const CODE: &str = "`";

/// The words of a Markdown document. Fences and HTML comments are not prose.
pub(super) fn markdown(text: &str) -> Vec<ProseWord> {
    let mut words = Vec::new();
    let mut paragraph = String::new();
    let mut start = 1;
    let mut skipped: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if let Some(end) = skipped {
            skipped = (!closes(trimmed, end)).then_some(end);
            paragraph.push('\n');
            continue;
        }
        let begins = ["#", "- ", "* ", "> ", "```", "<!--", "|"]
            .iter()
            .any(|mark| trimmed.starts_with(mark));
        if begins || trimmed.is_empty() {
            words.extend(sentence_words(&paragraph, start));
            words.push(mark(PARAGRAPH, at + 1));
            paragraph.clear();
            start = at + 1;
        }
        if trimmed.starts_with("```") {
            skipped = Some("```");
            paragraph.push('\n');
        } else if trimmed.starts_with("<!--") {
            skipped = (!trimmed.contains("-->")).then_some("-->");
            paragraph.push('\n');
        } else {
            paragraph.push_str(line);
            paragraph.push('\n');
        }
    }
    words.extend(sentence_words(&paragraph, start));
    words
}

fn closes(line: &str, end: &str) -> bool {
    if end == "```" {
        line.trim_end() == end
    } else {
        line.contains(end)
    }
}

/// Returns the words of a string literal, as written between its quotes.
pub(super) fn literal(text: &str, line: usize) -> Vec<ProseWord> {
    let joined = text.replace("\\n", " ¶ ").replace("\\\"", "\"");
    sentence_words(&without_placeholders(&joined), line)
}

/// A literal whose placeholders are code, since the program fills them in.
fn without_placeholders(text: &str) -> String {
    let mut out = String::new();
    let mut in_code = false;
    let mut rest = text;
    while let Some(at) = rest.find(['`', '{']) {
        out.push_str(&rest[..at]);
        if rest[at..].starts_with('`') {
            in_code = !in_code;
            out.push('`');
            rest = &rest[at + 1..];
        } else {
            out.push_str(if in_code { "_" } else { "`_`" });
            let end = rest[at..]
                .find('}')
                .map_or(rest.len(), |length| at + length + 1);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}

fn mark(text: &str, line: usize) -> ProseWord {
    ProseWord {
        text: text.to_owned(),
        line,
    }
}

/// Splits running text; code and the targets of links become marks.
fn sentence_words(text: &str, first_line: usize) -> Vec<ProseWord> {
    let mut words = Vec::new();
    let mut line = first_line;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = token_length(rest);
        let (token, after) = rest.split_at(length);
        if next == '`' {
            words.push(mark(CODE, line));
        } else if next == ']' && length > 1 {
            // The target of a link does not end the sentence.
        } else if !matches!(next, '*' | '_' | '[' | '\\') && !next.is_whitespace() {
            words.push(mark(token, line));
        }
        line += token.matches('\n').count();
        rest = after;
    }
    words
}

/// How many bytes the token at the start of a text has.
fn token_length(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    if text.starts_with('`') {
        return text[first..].find('`').map_or(first, |at| at + 2 * first);
    }
    if text.starts_with("](") {
        return text.find(')').map_or(first, |at| at + 1);
    }
    let is_inside = |c: char| c.is_alphanumeric() || c == '\'' || c == '’' || c == '-';
    let length = text.find(|c: char| !is_inside(c)).unwrap_or(text.len());
    length.max(first)
}

/// Between the quotes of a string literal, if it has several words: one word is a key or a name.
pub(super) fn literal_text(token: &str) -> Option<&str> {
    let text = token.trim_start_matches('r').trim_matches('#');
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    text.contains(' ').then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[ProseWord]) -> String {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        texts.join(" ")
    }

    #[test]
    fn code_comments_and_targets_are_not_prose() {
        let document = "# A `b` title\n\nSee [the\nguide](a/told.md), told\n\n```sh\ntold\n```\n<!-- told\n-->\nend\n";
        let words = markdown(document);
        assert_eq!(
            texts(&words),
            "¶ # A ` title ¶ See the guide , told ¶ ¶ ¶ end"
        );
        let word = words.iter().find(|word| word.text == "told");
        assert_eq!(word.map(|word| word.line), Some(4));
        assert_eq!(words.last().map(|word| word.line), Some(11));
    }

    #[test]
    fn placeholders_of_a_literal_are_not_prose() {
        assert_eq!(texts(&literal("{name} isn't\\nhere", 7)), "` isn't ¶ here");
        assert_eq!(texts(&literal("`{folder}` is `x {y}`", 7)), "` is `");
    }
}
