//! Containers under construction.

use crate::tree::{NodeId, NodeKind};

/// The style of a container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContainerStyle {
    Block,
    Flow,
    /// `[key: value]`: an object of one entry without brackets.
    Pair,
}

/// The kind of the next node in an open container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedNode {
    Item,
    Key,
    Value,
    /// The value of this `<<`.
    Merge(NodeId),
    /// The value of a refused key.
    Nothing,
}

/// A container that is not closed yet.
pub(crate) struct YamlFrame {
    pub(crate) style: ContainerStyle,
    pub(crate) expected: ExpectedNode,
    pub(crate) start: usize,
    /// The index of its first child on the stack.
    pub(crate) base: usize,
    pub(crate) anchor: usize,
    pub(crate) merges: Vec<(NodeId, NodeId)>,
    /// The stack index of its first `<<`.
    pub(crate) merge_at: usize,
    pub(crate) weight: usize,
    pub(crate) height: usize,
}

impl YamlFrame {
    /// A container without children, at the beginning of the text.
    pub(crate) fn of(kind: NodeKind) -> Self {
        let expected = if kind == NodeKind::List {
            ExpectedNode::Item
        } else {
            ExpectedNode::Key
        };
        YamlFrame {
            style: ContainerStyle::Block,
            expected,
            start: 0,
            base: 0,
            anchor: 0,
            merges: Vec::new(),
            merge_at: 0,
            weight: 1,
            height: 0,
        }
    }
}
