//! Finds the stated value that an installed one comes from.

use std::collections::{BTreeMap, BTreeSet};

use agpm_merge::{ExplainedLeaf, Resolution, nearest_key};
use agpm_text::{Document, Pointer, equal};

/// How an installed and a stated value are related, the surest first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PairLikeness {
    /// The same value at the same location.
    Same,
    /// The same value under the same key, elsewhere.
    Moved,
    /// The same text under another key.
    Renamed,
    /// Another value at the same location.
    Changed,
    /// Another value under the same key, elsewhere.
    Rewritten,
}

impl PairLikeness {
    const ALL: [PairLikeness; 5] = [
        PairLikeness::Same,
        PairLikeness::Moved,
        PairLikeness::Renamed,
        PairLikeness::Changed,
        PairLikeness::Rewritten,
    ];

    pub(super) fn is_same(self) -> bool {
        matches!(
            self,
            PairLikeness::Same | PairLikeness::Moved | PairLikeness::Renamed
        )
    }
}

/// Finds for values that are installed the ones that are stated.
pub(super) struct PairFinder<'a> {
    pub(super) document: &'a Document,
    /// The pointers of the resource in the document.
    pub(super) pointers: &'a [Pointer],
    pub(super) resolution: &'a Resolution,
    pub(super) stated: &'a [ExplainedLeaf],
}

/// The stated value that an installed one belongs to.
#[derive(Clone, Copy)]
pub(super) struct StatedPair {
    /// The number of the stated leaf.
    pub(super) stated: usize,
    pub(super) likeness: PairLikeness,
}

impl PairFinder<'_> {
    /// For each leaf the one that is stated.
    pub(super) fn pairs(&self, leaves: &[ExplainedLeaf]) -> Vec<Option<StatedPair>> {
        let by_pointer: BTreeMap<&Pointer, usize> = self
            .stated
            .iter()
            .enumerate()
            .map(|(at, leaf)| (&leaf.pointer, at))
            .collect();
        let mut free: BTreeSet<usize> = (0..self.stated.len()).collect();
        let mut pairs = vec![None; leaves.len()];
        for likeness in PairLikeness::ALL {
            let unpaired = leaves
                .iter()
                .zip(&mut pairs)
                .filter(|(_, pair)| pair.is_none());
            for (leaf, pair) in unpaired {
                let pointer = &leaf.pointer;
                let candidates = [&self.relative(pointer), pointer];
                let same_pointer = || {
                    candidates
                        .iter()
                        .find_map(|candidate| by_pointer.get(candidate))
                        .copied()
                };
                let found = |at: &usize| self.fits(likeness, pointer, *at);
                let at = match likeness {
                    PairLikeness::Same | PairLikeness::Changed => {
                        same_pointer().filter(|at| free.contains(at) && found(at))
                    }
                    PairLikeness::Renamed | PairLikeness::Rewritten => {
                        free.iter().copied().find(found)
                    }
                    // A hook for two events is stated once, and is in the file twice.
                    PairLikeness::Moved => {
                        let free = free.iter().copied().find(found);
                        free.or_else(|| (0..self.stated.len()).find(found))
                    }
                };
                if let Some(at) = at {
                    free.remove(&at);
                    *pair = Some(StatedPair {
                        stated: at,
                        likeness,
                    });
                }
            }
        }
        pairs
    }

    /// The pointer from where the resource is in the document.
    fn relative(&self, pointer: &Pointer) -> Pointer {
        let mut pointers = self.pointers.iter();
        let outer = pointers.find(|outer| pointer.is_within(outer));
        let depth = outer.map_or(0, |outer| outer.steps().len());
        let steps = pointer.steps()[depth..].iter();
        steps.fold(Pointer::root(), |pointer, step| pointer.child(step))
    }

    fn fits(&self, likeness: PairLikeness, installed_pointer: &Pointer, at: usize) -> bool {
        let stated_pointer = &self.stated[at].pointer;
        let (Some(installed), Some(stated)) = (
            self.document.at(installed_pointer),
            self.resolution.at(stated_pointer),
        ) else {
            return false;
        };
        let same_key = nearest_key(installed_pointer) == nearest_key(stated_pointer);
        let text = installed.as_str().filter(|text| !text.is_empty());
        match likeness {
            PairLikeness::Same => equal(installed, stated),
            PairLikeness::Moved => same_key && equal(installed, stated),
            PairLikeness::Renamed => text.is_some() && equal(installed, stated),
            PairLikeness::Changed => true,
            PairLikeness::Rewritten => same_key,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agpm_diag::SourceMap;
    use agpm_merge::{Contribution, MergePolicy, Provenance, fold};
    use agpm_model::{LayerName, Strategy};
    use agpm_text::{Format, Limits, parse};

    use super::*;

    struct FoldedText {
        document: Arc<Document>,
        resolution: Resolution,
        leaves: Vec<ExplainedLeaf>,
    }

    fn folded(text: &str) -> FoldedText {
        let mut sources = SourceMap::default();
        let source = sources.add("x.json", text);
        let document = parse(source, text, Format::Json, Limits::default()).document;
        let document = Arc::new(document);
        let contribution = Contribution {
            layer: LayerName::new("shared").expect("a good name"),
            document: Arc::clone(&document),
        };
        let policy = MergePolicy::merge(Strategy::default());
        let resolution = fold(vec![contribution], &policy, None);
        let mut provenance = Provenance::default();
        provenance.add_values(&resolution, &Pointer::root(), &sources);
        FoldedText {
            document,
            resolution,
            leaves: provenance.leaves,
        }
    }

    /// For each installed leaf, the pointer of the stated one and whether its value is the same.
    fn paired(installed: &str, outer: &str, stated: &str) -> Vec<Option<(String, bool)>> {
        let (installed, stated) = (folded(installed), folded(stated));
        let pairing = PairFinder {
            document: &installed.document,
            pointers: &[outer.parse().expect("a good pointer")],
            resolution: &stated.resolution,
            stated: &stated.leaves,
        };
        let described = |pair: StatedPair| {
            let twin = &stated.leaves[pair.stated];
            (twin.pointer.to_string(), pair.likeness.is_same())
        };
        let pairs = pairing.pairs(&installed.leaves).into_iter();
        pairs.map(|pair| pair.map(described)).collect()
    }

    fn same(pointer: &str) -> Option<(String, bool)> {
        Some((pointer.to_owned(), true))
    }

    fn changed_pair(pointer: &str) -> Option<(String, bool)> {
        Some((pointer.to_owned(), false))
    }

    #[test]
    fn a_value_is_found_at_its_place_under_its_key_or_by_its_text() {
        let stated = r#"{"command": "db", "about": "a store", "port": 1}"#;
        let same_pointer = paired(
            r#"{"servers": {"db": {"command": "db"}}}"#,
            "/servers/db",
            stated,
        );
        assert_eq!(same_pointer, [same("/command")]);
        let renamed = paired(r#"{"description": "a store"}"#, "", stated);
        assert_eq!(renamed, [same("/about")]);
        let changed = paired(r#"{"port": 2, "extra": true}"#, "", stated);
        assert_eq!(changed, [changed_pair("/port"), None]);
    }

    #[test]
    fn a_value_that_is_stated_once_may_be_installed_twice() {
        let installed = r#"{"start": {"command": "x"}, "stop": {"command": "x"}}"#;
        let pairs = paired(installed, "", r#"{"command": "x"}"#);
        assert_eq!(pairs, [same("/command"), same("/command")]);
    }
}
