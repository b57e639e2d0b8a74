//! Nodes that aliases can refer to.

use crate::tree::NodeId;

/// A finished node, and its size when an alias refers to it.
#[derive(Clone, Copy)]
pub(crate) struct FinishedNode {
    pub(crate) id: NodeId,
    /// The number of nodes, with aliases followed.
    pub(crate) weight: usize,
    /// The number of container levels, with aliases followed.
    pub(crate) height: usize,
}

impl FinishedNode {
    pub(crate) fn scalar(id: NodeId) -> Self {
        FinishedNode {
            id,
            weight: 1,
            height: 0,
        }
    }
}

/// Nodes by the parser's anchor number, which is zero for nodes without an anchor; `None` while the node is open.
#[derive(Default)]
pub(crate) struct AnchorTable(Vec<Option<FinishedNode>>);

impl AnchorTable {
    pub(crate) fn set(&mut self, anchor: usize, node: FinishedNode) {
        if anchor == 0 {
            return;
        }
        if self.0.len() <= anchor {
            self.0.resize(anchor + 1, None);
        }
        self.0[anchor] = Some(node);
    }

    pub(crate) fn get(&self, anchor: usize) -> Option<FinishedNode> {
        self.0.get(anchor).copied().flatten()
    }
}
