//! Edits that fix a mistake with certainty.

use agpm_diag::{SourceId, Span, SuggestedEdit};

use crate::limits::{LONGEST_SEARCHED, MOST_SEARCHED};

use super::document::NodeRef;
use super::format::Format;
use super::kind::NodeKind;

impl NodeRef<'_> {
    /// Another spelling of this string or key, in the same quotes. `None` if more would have to change: escapes, and a
    /// bare TOML key that other headers repeat.
    pub fn respelled(self, name: &str) -> Option<SuggestedEdit> {
        let edit = self.respelled_here(name)?;
        let written = self.written();
        let is_bare_key = self.document.format() == Format::Toml && written == self.content();
        let text = self.document.text();
        // A long text is not searched for every misspelled key.
        let once = || text.len() <= LONGEST_SEARCHED && text.matches(written).nth(1).is_none();
        (!is_bare_key || once()).then_some(edit)
    }

    /// Another name for a key of this map, unless the object already has it.
    pub fn renamed_key(self, key: NodeRef<'_>, name: &str) -> Option<SuggestedEdit> {
        if self.len() > MOST_SEARCHED {
            return None;
        }
        let mut entries = self.entries();
        let (_, value) = entries.find(|(entry_key, _)| entry_key.id() == key.id())?;
        if self.get(name).is_some() {
            return None;
        }
        let opens = match value.kind() {
            NodeKind::Map => "{",
            NodeKind::List => "[",
            _ => return key.respelled_here(name),
        };
        let written = value.written();
        let is_beside_its_key = value.span().start >= key.span().end && written.starts_with(opens);
        if is_beside_its_key {
            key.respelled_here(name)
        } else {
            key.respelled(name)
        }
    }

    fn respelled_here(self, name: &str) -> Option<SuggestedEdit> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !name.chars().all(is_plain) {
            return None;
        }
        let written = self.written();
        let is_quoted_by =
            |quote: &&str| written == format!("{quote}{}{quote}", self.content()).as_str();
        let quote = ["", "\"", "'"].into_iter().find(is_quoted_by)?;
        Some(SuggestedEdit {
            source: self.source(),
            span: self.span(),
            replacement: format!("{quote}{name}{quote}"),
        })
    }
}

/// An entry of an object: the start of its key, and its value.
#[derive(Clone, Copy)]
pub(crate) struct EntrySpan {
    pub(crate) key_start: u32,
    pub(crate) value: Span,
}

/// The edit that removes a repeated entry: its line, or in brackets the part after the preceding comma.
pub(crate) fn repeated_entry(
    source: SourceId,
    text: &str,
    earlier: Span,
    again: EntrySpan,
) -> Option<SuggestedEdit> {
    let value = text.get(again.value.range())?;
    if value.is_empty() || text.get(earlier.range())? != value {
        return None;
    }
    let start = again.key_start as usize;
    let end = again.value.end as usize;
    let before = text[..start].trim_end();
    let span = if before.ends_with(',') {
        Span::new(before.len() - 1, end)
    } else {
        full_line(text, start, end)?
    };
    Some(SuggestedEdit {
        source,
        span,
        replacement: String::new(),
    })
}

/// The line that has exactly these bytes.
fn full_line(text: &str, start: usize, end: usize) -> Option<Span> {
    let before = text[..start].trim_end_matches([' ', '\t']);
    let after = text[end..].trim_start_matches([' ', '\t', '\r']);
    let is_alone = (before.is_empty() || before.ends_with('\n'))
        && (after.is_empty() || after.starts_with('\n'))
        && !text[start..end].contains('\n');
    let line_end = text.len() - after.strip_prefix('\n').unwrap_or(after).len();
    is_alone.then(|| Span::new(before.len(), line_end))
}
