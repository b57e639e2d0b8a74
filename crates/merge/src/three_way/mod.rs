//! Merges the changes of two sides of one file since their common base.
//!
//! `lines` merges text by line, `values` merges structured values by key, and this module decides which result is
//! written: the lines where they are clean and hold what the keys say, else your side edited to hold the merged values.

mod lines;
mod lists;
mod values;

use agpm_diag::has_errors;
use agpm_text::{Document, Format, Pointer, equal, parse_alone};

use self::lines::{LineConflict, merge_lines};
use self::values::merge_values;

pub use self::lists::ListRules;

/// The result of a merge of two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreeWayMerge {
    /// The changes of both sides.
    Merged(Vec<u8>),
    /// Both sides changed the same thing differently; at least one conflict.
    Conflict(Vec<MergeConflict>),
}

/// Something that both sides changed differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeConflict {
    /// A file that is not text.
    Binary,
    /// A value of a structured file or of the front matter.
    Key(Pointer),
    /// Lines of your side: the first, counted from one, and their number.
    Lines {
        /// The first line.
        first: usize,
        /// The number of lines; zero where your side removed them.
        count: usize,
    },
}

/// Merges what `yours` and `new` changed since `base`. A format that is not known is merged by line, and lists are
/// merged as values.
pub fn merge_three(base: &[u8], yours: &[u8], new: &[u8], format: Option<Format>) -> ThreeWayMerge {
    merge_three_by([base, yours, new], format, &ListRules::default())
}

/// The same for `[base, yours, new]`, with lists merged by item where rules say so.
pub fn merge_three_by(
    sides: [&[u8]; 3],
    format: Option<Format>,
    rules: &ListRules<'_>,
) -> ThreeWayMerge {
    let [base, yours, new] = sides;
    if yours == new || base == new {
        return ThreeWayMerge::Merged(yours.to_vec());
    }
    if base == yours {
        return ThreeWayMerge::Merged(new.to_vec());
    }
    let (Some(base), Some(yours), Some(new)) = (text_of(base), text_of(yours), text_of(new)) else {
        return ThreeWayMerge::Conflict(vec![MergeConflict::Binary]);
    };
    let by_line = merge_lines(base, yours, new);
    let structured = format.filter(|format| *format != Format::Csv);
    let sides = structured.and_then(|format| StructuredSides::read([base, yours, new], format));
    let Some(sides) = sides else {
        return of_lines(by_line);
    };
    match sides.merge(by_line.as_deref().ok(), rules) {
        Ok(merged) => ThreeWayMerge::Merged(merged.into_bytes()),
        Err(conflicts) => ThreeWayMerge::Conflict(conflicts),
    }
}

/// Whether bytes are text, of which a base is worth keeping.
pub fn is_mergeable(bytes: &[u8]) -> bool {
    text_of(bytes).is_some()
}

fn text_of(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}

fn of_lines(merged: Result<String, Vec<LineConflict>>) -> ThreeWayMerge {
    match merged {
        Ok(merged) => ThreeWayMerge::Merged(merged.into_bytes()),
        Err(conflicts) => ThreeWayMerge::Conflict(line_conflicts(conflicts, 0)),
    }
}

fn line_conflicts(conflicts: Vec<LineConflict>, lines_before: usize) -> Vec<MergeConflict> {
    let conflicts = conflicts.into_iter();
    let conflicts = conflicts.map(|lines| MergeConflict::Lines {
        first: lines_before + lines.start + 1,
        count: lines.len(),
    });
    conflicts.collect()
}

/// The three versions of a structured file, all valid.
struct StructuredSides {
    base: Document,
    yours: Document,
    new: Document,
    format: Format,
}

impl StructuredSides {
    /// `None` if one of them cannot be merged by key: it is invalid, or it is Markdown without front matter.
    fn read(texts: [&str; 3], format: Format) -> Option<Self> {
        let [base, yours, new] = texts.map(|text| read_valid(text, format));
        Some(StructuredSides {
            base: base?,
            yours: yours?,
            new: new?,
            format,
        })
    }

    /// Merges by key, and Markdown bodies by line. `by_line` is the clean merge of the whole text.
    fn merge(
        &self,
        by_line: Option<&str>,
        rules: &ListRules<'_>,
    ) -> Result<String, Vec<MergeConflict>> {
        let read_back = by_line.and_then(|text| read_valid(text, self.format));
        let merged = merge_values(self.base.root(), self.yours.root(), self.new.root(), rules);
        let body = self.merge_bodies();
        let (merged, body) = match (merged, body) {
            (Ok(merged), Ok(body)) => (merged, body),
            // Both sides changed different lines of one value, such as items of a list: the lines decide, as long as
            // the result is still valid.
            (keys, body) => {
                return match (by_line, read_back) {
                    (Some(text), Some(_)) => Ok(text.to_owned()),
                    _ => {
                        let mut conflicts: Vec<MergeConflict> = Vec::new();
                        let pointers = keys.err().unwrap_or_default();
                        conflicts.extend(pointers.into_iter().map(MergeConflict::Key));
                        conflicts.extend(body.err().unwrap_or_default());
                        Err(conflicts)
                    }
                };
            }
        };
        if let (Some(text), Some(read_back)) = (by_line, read_back) {
            let holds_merged = match (read_back.root(), &merged) {
                (Some(root), Some(merged)) => equal(root, merged),
                (None, None) => true,
                _ => false,
            };
            if holds_merged {
                return Ok(text.to_owned());
            }
        }
        self.edit_yours(merged.as_ref(), &body)
    }

    /// Your text with the merged values, and with the merged body of Markdown.
    fn edit_yours(
        &self,
        merged: Option<&agpm_text::Value>,
        body: &str,
    ) -> Result<String, Vec<MergeConflict>> {
        let at_root = || vec![MergeConflict::Key(Pointer::root())];
        let text = match merged {
            // A document without values cannot be rewritten to, and has no place for them.
            None => self.yours.text().to_string(),
            Some(merged) => {
                let rewritten = self.yours.rewrite(merged);
                rewritten.map_err(|_| at_root())?.to_string()
            }
        };
        let old_body = body_of(&self.yours);
        let front = text.strip_suffix(old_body).ok_or_else(at_root)?;
        let text = format!("{front}{body}");
        // The last check: a file that tools cannot read is worse than a conflict.
        read_valid(&text, self.format).ok_or_else(at_root)?;
        Ok(text)
    }

    fn merge_bodies(&self) -> Result<String, Vec<MergeConflict>> {
        let (base, yours, new) = (
            body_of(&self.base),
            body_of(&self.yours),
            body_of(&self.new),
        );
        let text: &str = self.yours.text();
        let front = &text[..text.len() - yours.len()];
        merge_lines(base, yours, new)
            .map_err(|conflicts| line_conflicts(conflicts, front.lines().count()))
    }
}

/// Parses a string; `None` if it has errors, or if it is Markdown without front matter.
fn read_valid(text: &str, format: Format) -> Option<Document> {
    let parsed = parse_alone(text, format);
    let document = parsed.document;
    let has_keys = format != Format::Markdown || body_of(&document).len() < text.len();
    (!has_errors(&parsed.diagnostics) && has_keys).then_some(document)
}

/// The body of Markdown; empty in other formats.
fn body_of(document: &Document) -> &str {
    let text: &str = document.text();
    &text[document.body().range()]
}
