//! Lookups by users: one entry by name, or all that match.

use std::cmp::Ordering;
use std::ops::Range;

use crate::catalog::Catalog;
use crate::kind::EntryKind;
use crate::row::RowRef;
use crate::select::CatalogEntry;

/// An entry as users name it: `[MODULE/]NAME`, and optionally its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryReference<'t> {
    /// The kind.
    pub kind: Option<EntryKind>,
    /// The module and the name, or the name alone.
    pub text: &'t str,
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceMatch<'c> {
    /// This one.
    One(&'c CatalogEntry),
    /// It could mean each of these.
    Several(Vec<&'c CatalogEntry>),
    /// No entry.
    Nothing,
}

/// A filter of entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Only entries of this kind.
    pub kind: Option<EntryKind>,
    /// Only entries of this module.
    pub module: Option<String>,
}

impl<'t> EntryReference<'t> {
    /// `[KIND/][MODULE/]NAME`; a kind is one only before a module and a name.
    pub fn read(text: &'t str) -> Self {
        let kind = text.split_once('/').filter(|(_, rest)| rest.contains('/'));
        match kind.and_then(|(word, rest)| Some((EntryKind::read(word)?, rest))) {
            Some((kind, text)) => EntryReference {
                kind: Some(kind),
                text,
            },
            None => EntryReference { kind: None, text },
        }
    }

    fn means(self, row: RowRef<'_>) -> bool {
        let rest = |module: &str| {
            self.text
                .strip_prefix(module)
                .and_then(|rest| rest.strip_prefix('/'))
        };
        let named = self.text == row.name()
            || (!row.module().is_empty()
                && rest(row.module()).is_some_and(|name| name == row.name()));
        named && self.kind.is_none_or(|kind| kind == row.kind())
    }
}

impl Catalog {
    /// The entry that a reference means.
    pub fn find(&self, reference: EntryReference<'_>) -> ReferenceMatch<'_> {
        let mut found: Vec<&CatalogEntry> = self
            .entries()
            .iter()
            .filter(|entry| reference.means(self.winner(entry)))
            .collect();
        // A qualified name is more precise than a name that happens to contain a slash.
        if found.len() > 1 {
            let is_full_label =
                |entry: &&CatalogEntry| self.winner(entry).label() == reference.text;
            let qualified: Vec<&CatalogEntry> =
                found.iter().copied().filter(is_full_label).collect();
            if !qualified.is_empty() {
                found = qualified;
            }
        }
        match found.as_slice() {
            [] => ReferenceMatch::Nothing,
            [one] => ReferenceMatch::One(one),
            _ => ReferenceMatch::Several(found),
        }
    }

    /// The entries that fit, in order, each with its location among all.
    pub fn filtered<'c>(
        &'c self,
        filter: &'c EntryFilter,
    ) -> impl Iterator<Item = (usize, &'c CatalogEntry)> {
        let reach = self.reach_of(filter);
        reach
            .clone()
            .zip(&self.entries()[reach])
            .filter(move |(_, entry)| {
                let row = self.winner(entry);
                filter.kind.is_none_or(|kind| kind == row.kind())
                    && filter
                        .module
                        .as_ref()
                        .is_none_or(|module| module == row.module())
            })
    }

    /// The range of the entries that can match: they are ordered by kind, then by module.
    fn reach_of(&self, filter: &EntryFilter) -> Range<usize> {
        let Some(kind) = filter.kind else {
            return 0..self.entries().len();
        };
        let module = filter.module.as_deref();
        let origin = |entry: &CatalogEntry| {
            let row = self.winner(entry);
            let by_module = || module.map_or(Ordering::Equal, |module| row.module().cmp(module));
            row.kind().cmp(&kind).then_with(by_module)
        };
        let start = self
            .entries()
            .partition_point(|entry| origin(entry) == Ordering::Less);
        let end = self
            .entries()
            .partition_point(|entry| origin(entry) != Ordering::Greater);
        start..end
    }
}
