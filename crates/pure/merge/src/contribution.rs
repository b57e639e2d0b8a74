//! The contributions of layers.

use std::sync::Arc;

use agpm_model::LayerName;
use agpm_text::{Document, NodeRef};

use crate::origin::NodeOrigin;

/// One layer's document. Contributions are ranked by their order, lowest first.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The layer that says it.
    pub layer: LayerName,
    /// The content of the contribution.
    pub document: Arc<Document>,
}

/// The node of one layer at a location. Where an object was replaced, the lower ones exist no longer, but a rule for a
/// location inside may still call on them.
#[derive(Clone, Copy)]
pub(crate) struct LayerNode<'a> {
    pub(crate) layer: u32,
    pub(crate) node: NodeRef<'a>,
    pub(crate) live: bool,
}

impl LayerNode<'_> {
    pub(crate) fn origin(self) -> NodeOrigin {
        NodeOrigin {
            layer: self.layer,
            node: self.node.id(),
        }
    }
}
