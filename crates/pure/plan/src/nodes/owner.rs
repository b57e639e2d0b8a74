//! Whose a value of a shared file is.

use agpm_text::{Document, Pointer};

use super::OwnedNodes;
use super::look::locate;

impl OwnedNodes {
    /// The resource that a value belongs to, as `TYPE/NAME`; nothing for the user's own, and for what was edited.
    pub fn owner_of(&self, document: &Document, place: &Pointer) -> Option<&str> {
        let holds = |at: Pointer| place.is_within(&at);
        let node = self.nodes.iter().find(|node| locate(document, node).is_some_and(holds));
        node.map(|node| node.owner.as_str())
    }
}
