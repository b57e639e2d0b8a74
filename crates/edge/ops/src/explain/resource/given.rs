//! What is installed of a resource, value by value, beside what is said of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_compose::{OutputEntries, OutputFile, RenderedResource};
use agpm_diag::{Diagnostic, Notes, SourceMap, codes, has_errors};
use agpm_merge::{Contribution, MergePolicy, fold};
use agpm_model::{EntryNode, LayerName, NodeLocation, Owner, RelativePath, Strategy};
use agpm_plan::{DesiredNode, OnEqualUserValue, recognise_nodes};
use agpm_render::{FieldOutcome, FieldOutcomeKind};
use agpm_resolve::lockfile_note;
use agpm_store::ProjectStore;
use agpm_text::{Document, Format, Pointer, Value, equal, to_value};

use crate::documents::parsed;
use crate::explain::resource::said::{Said, layer_of};
use crate::reading::limit;
use agpm_merge::{ExplainedDeletion, ExplainedLeaf, Provenance, nearest_key};

/// What is installed: a file, or nodes of a file that others write too.
pub(super) struct Given {
    seen: Seen,
    /// What made values other ones than the author wrote.
    change: PlannedChange,
    /// Fields that have no place there.
    lost: BTreeSet<String>,
}

/// A document, and where in it the resource is.
struct Seen {
    document: Arc<Document>,
    places: Vec<Pointer>,
}

/// What makes values other ones than the author wrote.
struct PlannedChange {
    word: &'static str,
    /// Whose word a value is that nobody said.
    layer: String,
}

impl Given {
    /// Nothing if it has no fields, or is not written.
    pub(super) fn of(
        content: &RenderedResource,
        store: &ProjectStore,
        notes: &mut Notes,
    ) -> Option<Self> {
        let made = &content.output;
        let seen = match (&made.entries, made.files.first()) {
            (Some(entries), _) => {
                in_shared_file(entries, &content.resolved.id().into(), store, notes)
            }
            (None, Some(file)) => in_own_file(file, store, notes),
            (None, None) => None,
        };
        let is_lost = |fate: &&FieldOutcome| {
            matches!(
                fate.kind,
                FieldOutcomeKind::Dropped | FieldOutcomeKind::Widened
            )
        };
        let key =
            |fate: &FieldOutcome| fate.field.rsplit('.').next().unwrap_or_default().to_owned();
        let lost = made.fates.iter().filter(is_lost).map(key).collect();
        seen.map(|seen| Given {
            seen,
            change: PlannedChange::of(content),
            lost,
        })
    }

    pub(super) fn value(&self) -> Option<Value> {
        self.seen.document.root().map(to_value)
    }

    /// Where everything comes from that is installed, and what is not although it was said.
    pub(super) fn explain(
        &self,
        said: &Said,
        there: Vec<ExplainedLeaf>,
        sources: &SourceMap,
    ) -> Provenance {
        let mut here = self.leaves(sources);
        let pairs = Pairing {
            given: self,
            said,
            there: &there,
        }
        .pairs(&here);
        for (leaf, pair) in here.iter_mut().zip(&pairs) {
            match pair.map(|(at, likeness)| (&there[at], likeness)) {
                Some((twin, likeness)) if likeness.is_same() => {
                    *leaf = ExplainedLeaf {
                        pointer: leaf.pointer.clone(),
                        ..twin.clone()
                    };
                }
                Some((twin, _)) => changed(leaf, twin, self.change.word),
                None => leaf.operation = self.change.word,
            }
        }
        let used: BTreeSet<usize> = pairs.iter().flatten().map(|(at, _)| *at).collect();
        let unused = there
            .into_iter()
            .enumerate()
            .filter(|(at, _)| !used.contains(at))
            .map(|(_, leaf)| leaf);
        let deletions = unused
            .filter(|leaf| self.is_lost(&leaf.pointer))
            .map(deleted)
            .collect();
        Provenance {
            leaves: here,
            deletions,
            body: Vec::new(),
        }
    }

    fn leaves(&self, sources: &SourceMap) -> Vec<ExplainedLeaf> {
        let layer = LayerName::new(&self.change.layer).expect("a good name");
        let own = vec![Contribution {
            layer,
            document: Arc::clone(&self.seen.document),
        }];
        let resolution = fold(own, &MergePolicy::merge(Strategy::default()), None);
        let mut all = Provenance::default();
        self.seen
            .places
            .iter()
            .for_each(|place| all.add_values(&resolution, place, sources));
        all.leaves
    }

    fn is_lost(&self, pointer: &Pointer) -> bool {
        let keys = [
            pointer.steps().first().map(String::as_str),
            nearest_key(pointer),
        ];
        keys.into_iter()
            .flatten()
            .any(|key| self.lost.contains(key))
    }

    /// The pointer from where the resource is in the document.
    fn relative(&self, pointer: &Pointer) -> Pointer {
        let place = self
            .seen
            .places
            .iter()
            .find(|place| pointer.is_within(place));
        let depth = place.map_or(0, |place| place.steps().len());
        pointer.steps()[depth..]
            .iter()
            .fold(Pointer::root(), |pointer, step| pointer.child(step))
    }
}

impl PlannedChange {
    fn of(content: &RenderedResource) -> Self {
        let entry = &content.resolved.entry;
        let filled = content
            .output
            .files
            .first()
            .is_some_and(OutputFile::is_filled);
        if filled && content.output.fates.is_empty() {
            PlannedChange {
                word: "filled",
                layer: layer_of(&entry.unit.origin).to_owned(),
            }
        } else {
            PlannedChange {
                word: "converted",
                layer: entry.tool.to_string(),
            }
        }
    }
}

/// The file as it is made; that there is another one on the disk is told.
fn in_own_file(file: &OutputFile, store: &ProjectStore, notes: &mut Notes) -> Option<Seen> {
    match store.read(&file.path, limit()) {
        Ok(now) if now == file.bytes.get() => {}
        Ok(_) => notes.diagnostics.push(edited(&file.path)),
        Err(_) => notes.diagnostics.push(gone(&file.path)),
    }
    let format = Format::of_file(file.path.file_name()).filter(|format| *format != Format::Csv)?;
    let document = readable(&file.path, file.bytes.get().to_vec(), format, notes)?;
    Some(Seen {
        document,
        places: vec![Pointer::root()],
    })
}

/// The nodes in the file as it is on the disk; that some are not as they were written is told.
fn in_shared_file(
    entries: &OutputEntries,
    owner: &Owner,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Option<Seen> {
    let path = &entries.file;
    let Ok(bytes) = store.read(path, limit()) else {
        notes.diagnostics.push(gone(path));
        return None;
    };
    let document = readable(path, bytes, agpm_plan::shared_format(path), notes);
    let places = document
        .as_ref()
        .map(|document| places_in(document, entries, owner))
        .unwrap_or_default();
    let must_be = entries
        .nodes
        .iter()
        .filter(|node| !matches!(node.place, NodeLocation::Default(_)));
    if places.len() < must_be.count() {
        notes.diagnostics.push(edited(path));
    }
    document
        .filter(|_| !places.is_empty())
        .map(|document| Seen { document, places })
}

/// Where the nodes are that are as they are made; a fresh clone has no ledger that would know.
fn places_in(document: &Document, entries: &OutputEntries, owner: &Owner) -> Vec<Pointer> {
    let desired = |node: &EntryNode| DesiredNode {
        node: node.clone(),
        owner: owner.clone(),
        on_equal: OnEqualUserValue::Adopt,
    };
    let written: Vec<DesiredNode> = entries.nodes.iter().map(desired).collect();
    let owned = recognise_nodes(document, &written, None);
    let places = owned.iter().flat_map(|owned| owned.owners_in(document));
    places.map(|(place, _)| place).collect()
}

fn readable(
    path: &RelativePath,
    bytes: Vec<u8>,
    format: Format,
    notes: &mut Notes,
) -> Option<Arc<Document>> {
    let parsed = parsed(path.to_string(), bytes, format, notes).ok()?;
    (!has_errors(&parsed.diagnostics)).then(|| Arc::new(parsed.document))
}

fn gone(path: &RelativePath) -> Diagnostic {
    lockfile_note(format!("`{path}` is not there"))
}

fn edited(path: &RelativePath) -> Diagnostic {
    let message = format!("`{path}` is not what an install gives; this is about what it does give");
    let found = Diagnostic::new(&codes::INSTALL_EDITED, message).in_file(path.as_str());
    found.help("`agpm install --dry-run` shows what would change")
}

/// How a value that is installed and one that is said belong together, the surest first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// The same value at the same place.
    Same,
    /// The same value under the same key, elsewhere.
    Moved,
    /// The same text under another key.
    Renamed,
    /// Another value at the same place.
    Changed,
    /// Another value under the same key, elsewhere.
    Rewritten,
}

impl Likeness {
    const ALL: [Likeness; 5] = [
        Likeness::Same,
        Likeness::Moved,
        Likeness::Renamed,
        Likeness::Changed,
        Likeness::Rewritten,
    ];

    fn is_same(self) -> bool {
        matches!(self, Likeness::Same | Likeness::Moved | Likeness::Renamed)
    }
}

/// Finds for values that are installed the ones that were said.
struct Pairing<'a> {
    given: &'a Given,
    said: &'a Said,
    there: &'a [ExplainedLeaf],
}

impl Pairing<'_> {
    /// For each leaf the number of the one that was said.
    fn pairs(&self, here: &[ExplainedLeaf]) -> Vec<Option<(usize, Likeness)>> {
        let by_place: BTreeMap<&Pointer, usize> = self
            .there
            .iter()
            .enumerate()
            .map(|(at, leaf)| (&leaf.pointer, at))
            .collect();
        let mut free: BTreeSet<usize> = (0..self.there.len()).collect();
        let mut pairs = vec![None; here.len()];
        for likeness in Likeness::ALL {
            let unpaired = here
                .iter()
                .zip(&mut pairs)
                .filter(|(_, pair)| pair.is_none());
            for (leaf, pair) in unpaired {
                let pointer = &leaf.pointer;
                let places = [&self.given.relative(pointer), pointer];
                let at_place = || places.iter().find_map(|place| by_place.get(place)).copied();
                let found = |at: &usize| self.fits(likeness, pointer, *at);
                let at = match likeness {
                    Likeness::Same | Likeness::Changed => {
                        at_place().filter(|at| free.contains(at) && found(at))
                    }
                    Likeness::Renamed | Likeness::Rewritten => free.iter().copied().find(found),
                    // A hook for two events is said once, and stands in the file twice.
                    Likeness::Moved => {
                        let free = free.iter().copied().find(found);
                        free.or_else(|| (0..self.there.len()).find(found))
                    }
                };
                if let Some(at) = at {
                    free.remove(&at);
                    *pair = Some((at, likeness));
                }
            }
        }
        pairs
    }

    fn fits(&self, likeness: Likeness, here: &Pointer, at: usize) -> bool {
        let there = &self.there[at].pointer;
        let (Some(given), Some(said)) = (
            self.given.seen.document.at(here),
            self.said.resolution.at(there),
        ) else {
            return false;
        };
        let same_key = nearest_key(here) == nearest_key(there);
        let text = given.as_str().filter(|text| !text.is_empty());
        match likeness {
            Likeness::Same => equal(given, said),
            Likeness::Moved => same_key && equal(given, said),
            Likeness::Renamed => text.is_some() && equal(given, said),
            Likeness::Changed => true,
            Likeness::Rewritten => same_key,
        }
    }
}

/// A value that is not as it was said.
fn changed(leaf: &mut ExplainedLeaf, twin: &ExplainedLeaf, word: &'static str) {
    let ExplainedLeaf {
        layer, file, line, ..
    } = twin.clone();
    *leaf = ExplainedLeaf {
        layer,
        file,
        line,
        operation: word,
        shadows: twin.clone().into_shadows(),
        ..leaf.clone()
    };
}

/// A value that was said and is not installed.
fn deleted(leaf: ExplainedLeaf) -> ExplainedDeletion {
    ExplainedDeletion {
        pointer: leaf.pointer.clone(),
        shadows: leaf.into_shadows(),
    }
}
