//! Whose the values of a shared file are.

use agpm_model::Owner;
use agpm_text::{Document, Pointer};

use super::document_index::DocumentIndex;
use super::owned::OwnedNodes;

impl OwnedNodes {
    /// Where managed nodes are that are unmodified, each with its owner.
    pub fn owners_in(&self, document: &Document) -> Vec<(Pointer, &Owner)> {
        let sight = DocumentIndex::of(document);
        let spot = |node| Some(sight.spot(node, |_| true)?.1);
        self.nodes
            .iter()
            .filter_map(|node| Some((spot(node)?, &node.owner)))
            .collect()
    }
}
