//! Search for text in all rows at once.

use memchr::memmem;

/// Separates fields, so no match spans two of them.
const BETWEEN: char = '\u{1}';

/// The fields of all rows in lowercase, one after the other.
pub(crate) struct SearchText {
    text: String,
    /// The end of each row in the text.
    ends: Vec<usize>,
}

impl SearchText {
    pub(crate) fn new<'r, F: Iterator<Item = &'r str>>(rows: impl Iterator<Item = F>) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for fields in rows {
            for field in fields {
                text.push_str(&field.to_lowercase());
                text.push(BETWEEN);
            }
            ends.push(text.len());
        }
        SearchText { text, ends }
    }

    /// Whether each row contains the query.
    pub(crate) fn hits(&self, query: &str) -> Vec<bool> {
        let query = query.to_lowercase();
        let finder = memmem::Finder::new(&query);
        let mut hits = vec![query.is_empty(); self.ends.len()];
        let mut start = 0;
        while !query.is_empty() && start < self.text.len() {
            let Some(found) = finder.find(&self.text.as_bytes()[start..]) else {
                break;
            };
            let row = self.ends.partition_point(|end| *end <= start + found);
            hits[row] = true;
            start = self.ends[row];
        }
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_any_field_and_not_across_two() {
        let rows = [["bmm", "Analyst"], ["core", "Ärzte"], ["", "bmm-analyst"]];
        let haystack = SearchText::new(rows.iter().map(|row| row.iter().copied()));
        let hits = |query| haystack.hits(query);
        assert_eq!(hits("ANALYST"), [true, false, true]);
        assert_eq!(hits("är"), [false, true, false]);
        assert_eq!(hits("bmm"), [true, false, true]);
        assert_eq!(hits("mmanalyst"), [false, false, false]);
        assert_eq!(hits(""), [true, true, true]);
        assert_eq!(
            SearchText::new(std::iter::empty::<std::iter::Empty<&str>>()).hits("a"),
            Vec::<bool>::new()
        );
    }
}
