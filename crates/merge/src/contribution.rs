//! The contributions of layers.

use std::sync::Arc;

use agpm_model::LayerName;
use agpm_text::{Document, NodeRef};

use crate::origin::NodeOrigin;

/// One layer's document. Contributions are ranked by their order, lowest first.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The layer.
    pub layer: LayerName,
    /// The document of the layer.
    pub document: Arc<Document>,
}

/// The node of one layer at a pointer. Nodes under a replaced object do not contribute, but a rule for a pointer inside
/// it may still use them.
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
