//! Finds the owners of the values in a shared file.

use agpm_model::Owner;
use agpm_text::{Document, Pointer};

use super::document_index::DocumentIndex;
use super::owned::OwnedNodes;

impl OwnedNodes {
    /// The locations of unmodified managed nodes, with their owners.
    pub fn owners_in(&self, document: &Document) -> Vec<(Pointer, &Owner)> {
        let document_index = DocumentIndex::of(document);
        let spot = |node| Some(document_index.spot(node, |_| true)?.1);
        self.nodes
            .iter()
            .filter_map(|node| Some((spot(node)?, &node.owner)))
            .collect()
    }
}
