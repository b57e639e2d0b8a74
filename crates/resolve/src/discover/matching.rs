//! Scores how well a resource matches a query.

use std::fmt;

use memchr::memchr2_iter;

/// The score of a match; higher is better.
pub type Score = u32;

const WHOLE: Score = 1000;
const BEGINNING: Score = 800;
const WORD: Score = 600;
const INSIDE: Score = 500;
const MISTYPED: Score = 250;
const DESCRIPTION_WORD: Score = 120;
const DESCRIPTION: Score = 60;
/// Letters spread over a name score less than a whole word in the description.
const LETTERS: Score = 50;
/// Strings shorter than this are not treated as mistyped names: nearly all of them would fit.
const SHORTEST_MISTYPED: usize = 4;

/// A search query: words that all have to match, in names or descriptions.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    words: Vec<String>,
}

impl fmt::Display for SearchQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

impl SearchQuery {
    /// Reads words that are separated by spaces.
    pub fn parse(text: &str) -> Self {
        let words = text.split_whitespace().map(str::to_ascii_lowercase);
        SearchQuery {
            words: words.collect(),
        }
    }

    /// Whether nothing is requested, which everything fits.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The score of a name with a description; `None` if one of the words does not match.
    pub fn score(&self, name: &str, description: &str) -> Option<Score> {
        let mut sum = 0;
        for word in &self.words {
            let by_name = score_name(word, name);
            let best = by_name.or_else(|| score_description(word, description));
            sum += best.or_else(|| score_letters(word, name))?;
        }
        // Of two that fit alike the shorter name is nearer.
        let length = Score::try_from(name.len().min(50)).unwrap_or(50);
        Some((sum * 100).saturating_sub(length))
    }
}

fn score_name(word: &str, name: &str) -> Option<Score> {
    if name.eq_ignore_ascii_case(word) {
        return Some(WHOLE);
    }
    match find(name.as_bytes(), word.as_bytes())? {
        WordMatch::At(0) => Some(BEGINNING),
        WordMatch::AtWord => Some(WORD),
        WordMatch::At(_) => Some(INSIDE),
    }
}

fn score_description(word: &str, description: &str) -> Option<Score> {
    match find(description.as_bytes(), word.as_bytes())? {
        WordMatch::At(0) | WordMatch::AtWord => Some(DESCRIPTION_WORD),
        WordMatch::At(_) => Some(DESCRIPTION),
    }
}

/// A name that has the letters in their order, or nearly all of them.
fn score_letters(word: &str, name: &str) -> Option<Score> {
    let mut letters = name.bytes().map(|byte| byte.to_ascii_lowercase());
    let has_all = word
        .bytes()
        .all(|letter| letters.any(|byte| byte == letter));
    // Two letters are in nearly every name.
    if has_all && word.len() > 2 {
        return Some(LETTERS);
    }
    let is_near = word.len() >= SHORTEST_MISTYPED
        && name.len().abs_diff(word.len()) <= 2
        && agpm_diag::nearest(word, [name]).is_some();
    is_near.then_some(MISTYPED)
}

enum WordMatch {
    At(usize),
    AtWord,
}

/// The position of a lower-case word, preferably at the beginning of another word.
fn find(text: &[u8], word: &[u8]) -> Option<WordMatch> {
    let first = *word.first()?;
    let mut inside = None;
    for at in memchr2_iter(first, first.to_ascii_uppercase(), text) {
        let Some(candidate) = text.get(at..at + word.len()) else {
            break;
        };
        if !candidate.eq_ignore_ascii_case(word) {
            continue;
        }
        match at {
            0 => return Some(WordMatch::At(0)),
            at if !text[at - 1].is_ascii_alphanumeric() => return Some(WordMatch::AtWord),
            at => inside = inside.or(Some(WordMatch::At(at))),
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best_first(query: &str, rows: &[(&'static str, &str)]) -> Vec<&'static str> {
        let query = SearchQuery::parse(query);
        let scored = rows
            .iter()
            .filter_map(|(name, about)| Some((query.score(name, about)?, *name)));
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(right.1)));
        scored.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn the_best_come_first() {
        let rows = [
            ("pdf", "Reads"),
            ("pdf-form-filler", "Fills"),
            ("my-pdf", "x"),
            ("mypdftool", "x"),
            ("reader", "Opens PDF files"),
            ("paddle-float", "x"),
            ("docx", "Word"),
        ];
        assert_eq!(
            best_first("PDF", &rows),
            [
                "pdf",
                "pdf-form-filler",
                "my-pdf",
                "mypdftool",
                "reader",
                "paddle-float"
            ]
        );
        assert_eq!(best_first("pdf fill", &rows), ["pdf-form-filler"]);
        assert_eq!(best_first("files reader", &rows), ["reader"]);
        assert_eq!(best_first("raeder", &rows), ["reader"]);
        assert_eq!(best_first("zzzz", &rows), Vec::<&str>::new());
        assert_eq!(best_first("", &rows).len(), rows.len());
    }
}
