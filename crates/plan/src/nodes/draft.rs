//! The text of a shared file while it is edited.

use std::collections::BTreeMap;

use agpm_model::NodeLocation;
use agpm_text::{
    Document, Edit, Format, Limits, NodeKind, NodeRef, Pointer, Value, parse, parse_alone, to_value,
};

use super::document_index::DocumentIndex;
use super::error::NodeError;
use super::owned::OwnedNode;
use super::target;
use crate::change::Author;
use crate::limits::MOST_READ_AGAIN;

pub(super) struct DraftDocument {
    pub(super) document: Document,
}

impl DraftDocument {
    pub(super) fn new(document: &Document) -> Self {
        DraftDocument {
            document: document.clone(),
        }
    }

    /// The draft of a file that does not exist yet.
    pub(super) fn empty(format: Format) -> Self {
        DraftDocument {
            document: parse_alone("", format).document,
        }
    }

    pub(super) fn text(&self) -> &str {
        self.document.text()
    }

    /// Makes all edits; their pointers refer to the document before any of them.
    pub(super) fn apply(&mut self, edits: &[Edit]) -> Result<(), NodeError> {
        // Each edit parses the file again. Many edits in a large file are made as one rewrite; without a rewrite
        // that keeps the layout, one by one.
        if edits.len() > 1
            && edits.len() * self.text().len().max(edits.len() * 16) > MOST_READ_AGAIN
        {
            let target = target::after(self.document.root().map(to_value), edits);
            let rewritten = target
                .as_ref()
                .and_then(|target| self.document.rewrite(target).ok());
            if let Some(rewritten) = rewritten {
                self.read(rewritten.to_string());
                return Ok(());
            }
        }
        edits.iter().try_for_each(|edit| self.apply_one(edit))
    }

    fn apply_one(&mut self, edit: &Edit) -> Result<(), NodeError> {
        match edit {
            // The list may have been removed as empty by an edit before this one.
            Edit::Append { to, value } if self.document.at(to).is_none() => {
                let value = Value::List(vec![value.clone()]);
                self.edit(
                    to,
                    &Edit::Set {
                        at: to.clone(),
                        value,
                    },
                )
            }
            // The root has no parent to remove it from, and comments around it stay.
            Edit::Remove { at } if at.steps().is_empty() => {
                self.cut_root();
                Ok(())
            }
            Edit::Insert { at, value } => self.edit(at, edit).or_else(|error| {
                // Not every position between two items can be written to.
                let Some((to, _)) = at.split_last() else {
                    return Err(error);
                };
                self.apply_one(&Edit::Append {
                    to,
                    value: value.clone(),
                })
            }),
            Edit::Set { at, .. } | Edit::Remove { at } => self.edit(at, edit),
            Edit::Append { to, .. } => self.edit(to, edit),
        }
    }

    fn edit(&mut self, at: &Pointer, edit: &Edit) -> Result<(), NodeError> {
        let text = self.document.edit(edit).map_err(|why| NodeError::Edit {
            at: at.clone(),
            why,
        })?;
        self.read(text);
        Ok(())
    }

    fn cut_root(&mut self) {
        let Some(range) = self.document.root().map(|root| root.span().range()) else {
            return;
        };
        let text = self.text();
        self.read([&text[..range.start], &text[range.end..]].concat());
    }

    /// Removes unmodified nodes, then containers that this leaves empty. Adopted nodes are the user's and stay.
    pub(super) fn strip(
        &mut self,
        nodes: &[OwnedNode],
        containers: &[Pointer],
    ) -> Result<(), NodeError> {
        // Adopted nodes stay in the file when agpm stops managing them.
        let written = nodes.iter().filter(|node| node.author == Author::Agpm);
        let spots = DocumentIndex::of(&self.document).spots(written);
        self.remove(spots)?;
        self.prune(containers)
    }

    /// Removes keys whatever their value, and unmodified items.
    pub(super) fn clear(&mut self, nodes: &[&OwnedNode]) -> Result<(), NodeError> {
        let document_index = DocumentIndex::of(&self.document);
        let (keys, items): (Vec<&OwnedNode>, Vec<&OwnedNode>) = nodes
            .iter()
            .copied()
            .partition(|node| matches!(node.location, NodeLocation::Key(_)));
        let held = |node: &OwnedNode| document_index.at(node.location.pointer()).is_some();
        let keys = keys
            .into_iter()
            .filter(|node| held(node))
            .map(|node| (0, node.location.pointer().clone()));
        let mut spots: Vec<(usize, Pointer)> = keys.collect();
        spots.extend(document_index.spots(items));
        self.remove(spots)
    }

    fn remove(&mut self, spots: Vec<(usize, Pointer)>) -> Result<(), NodeError> {
        self.apply(&removals(spots))
    }

    /// Removes the empty containers among these, innermost first.
    pub(super) fn prune<'p>(
        &mut self,
        containers: impl IntoIterator<Item = &'p Pointer>,
    ) -> Result<(), NodeError> {
        let mut levels: BTreeMap<usize, Vec<&Pointer>> = BTreeMap::new();
        for at in containers {
            levels.entry(at.steps().len()).or_default().push(at);
        }
        for level in levels.into_values().rev() {
            let document_index = DocumentIndex::of(&self.document);
            let is_empty = |at: &&Pointer| {
                document_index
                    .at(at)
                    .is_some_and(|node| self.is_empty(node))
            };
            let empty = level.into_iter().filter(is_empty);
            let edits: Vec<Edit> = empty.map(|at| Edit::Remove { at: at.clone() }).collect();
            self.apply(&edits)?;
        }
        Ok(())
    }

    /// Whether a container has no content, not even a comment.
    fn is_empty(&self, node: NodeRef<'_>) -> bool {
        let only_brackets = || {
            let written = &self.text()[node.span().range()];
            written
                .chars()
                .all(|c| c.is_whitespace() || "{}[]".contains(c))
        };
        let container = matches!(node.kind(), NodeKind::Map | NodeKind::List);
        // A comment in an otherwise empty object is the user's text, and would be removed with the brackets. In TOML,
        // comments are outside the table's span.
        container && node.len() == 0 && (self.document.format() == Format::Toml || only_brackets())
    }

    pub(super) fn read(&mut self, text: String) {
        let (source, format) = (self.document.source(), self.document.format());
        self.document = parse(source, text, format, Limits::default()).document;
    }
}

/// Removals from the end, so earlier indices stay valid.
fn removals(spots: Vec<(usize, Pointer)>) -> Vec<Edit> {
    shifts(Vec::new(), spots)
}

/// Insertions and removals from the end, so earlier indices stay valid; of several insertions at one index, the last
/// one comes first.
pub(super) fn shifts(
    new: Vec<(Option<usize>, Edit)>,
    mut spots: Vec<(usize, Pointer)>,
) -> Vec<Edit> {
    spots.sort();
    spots.dedup();
    let (within, at_end): (Vec<_>, Vec<_>) =
        new.into_iter().partition(|(index, _)| index.is_some());
    let mut edits: Vec<(Option<usize>, Edit)> = within;
    edits.extend(
        spots
            .into_iter()
            .map(|(index, at)| (Some(index), Edit::Remove { at })),
    );
    edits.sort_by_key(|(index, _)| *index);
    let ordered = at_end.into_iter().chain(edits.into_iter().rev());
    ordered.map(|(_, edit)| edit).collect()
}
