//! What users ask for: one entry by name, or those that fit.

use memchr::memmem;

use crate::catalog::{Catalog, Entry, RowRef};
use crate::kind::EntryKind;

/// An entry as users name it: `[MODULE/]NAME`, and its kind if they say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'t> {
    /// The kind.
    pub kind: Option<EntryKind>,
    /// The module and the name, or the name alone.
    pub text: &'t str,
}

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'c> {
    /// This one.
    One(&'c Entry),
    /// It could mean each of these.
    Several(Vec<&'c Entry>),
    /// Nothing.
    Nothing,
}

/// Which entries are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this kind.
    pub kind: Option<EntryKind>,
    /// Of this module.
    pub module: Option<String>,
    /// With this in one of their fields, in whatever letters.
    pub query: Option<String>,
}

impl<'t> Reference<'t> {
    /// `[KIND/][MODULE/]NAME`; a kind is one only before a module and a name.
    pub fn read(text: &'t str) -> Self {
        let kind = text.split_once('/').filter(|(_, rest)| rest.contains('/'));
        match kind.and_then(|(word, rest)| Some((EntryKind::read(word)?, rest))) {
            Some((kind, text)) => Reference { kind: Some(kind), text },
            None => Reference { kind: None, text },
        }
    }

    fn means(self, row: RowRef<'_>) -> bool {
        let rest = |module: &str| self.text.strip_prefix(module).and_then(|rest| rest.strip_prefix('/'));
        let named = self.text == row.name()
            || (!row.module().is_empty() && rest(row.module()).is_some_and(|name| name == row.name()));
        named && self.kind.is_none_or(|kind| kind == row.kind())
    }
}

impl Catalog {
    /// The entry that a reference means.
    pub fn find(&self, reference: Reference<'_>) -> Found<'_> {
        let mut found: Vec<&Entry> =
            self.entries().iter().filter(|entry| reference.means(self.winner(entry))).collect();
        // A qualified name says more than a name that happens to hold a slash.
        if found.len() > 1 {
            let whole = |entry: &&Entry| self.winner(entry).label() == reference.text;
            let qualified: Vec<&Entry> = found.iter().copied().filter(whole).collect();
            if !qualified.is_empty() {
                found = qualified;
            }
        }
        match found.as_slice() {
            [] => Found::Nothing,
            [one] => Found::One(one),
            _ => Found::Several(found),
        }
    }

    /// The entries that fit, in order.
    pub fn filtered<'c>(&'c self, filter: &'c Filter) -> impl Iterator<Item = &'c Entry> {
        let needle =
            filter.query.as_ref().map(|query| query.to_lowercase()).filter(|query| !query.is_empty());
        self.entries().iter().filter(move |entry| {
            let row = self.winner(entry);
            filter.kind.is_none_or(|kind| kind == row.kind())
                && filter.module.as_ref().is_none_or(|module| module == row.module())
                && needle.as_ref().is_none_or(|needle| holds(row, needle))
        })
    }
}

/// Whether a field holds a text that is in small letters.
fn holds(row: RowRef<'_>, needle: &str) -> bool {
    let finder = memmem::Finder::new(needle);
    let mut lower = String::new();
    row.module().to_lowercase().contains(needle)
        || row.fields().any(|(_, value)| {
            lower.clear();
            match value.is_ascii() {
                true => lower.push_str(value),
                false => lower.push_str(&value.to_lowercase()),
            }
            lower.make_ascii_lowercase();
            finder.find(lower.as_bytes()).is_some()
        })
}
