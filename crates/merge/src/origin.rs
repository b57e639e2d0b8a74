//! The origin of a value, and the values that it shadows.

use agpm_text::NodeId;

/// A node of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeOrigin {
    /// The index of the contribution, from the lowest.
    pub layer: u32,
    /// The node of its document.
    pub node: NodeId,
}

/// The operation that produced a leaf of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafOperation {
    /// Only one layer has the value.
    Only,
    /// The highest value replaced the others.
    Replace,
    /// A new item was added to a list.
    Extend,
    /// An item was appended to a list.
    Append,
    /// An item was prepended to a list.
    Prepend,
    /// An item of a set.
    Union,
    /// An item with a key.
    ByKey,
    /// The highest value that is not blank.
    NonEmpty,
    /// The lowest value was kept.
    KeepLower,
    /// A custom strategy chose it.
    Own,
}

impl LeafOperation {
    /// The operation as users see it.
    pub fn word(self) -> &'static str {
        match self {
            LeafOperation::Only => "only",
            LeafOperation::Replace => "replace",
            LeafOperation::Extend => "extend",
            LeafOperation::Append => "append",
            LeafOperation::Prepend => "prepend",
            LeafOperation::Union => "union",
            LeafOperation::ByKey => "by-key",
            LeafOperation::NonEmpty => "non-empty",
            LeafOperation::KeepLower => "keep-lower",
            LeafOperation::Own => "own",
        }
    }
}

/// A value of a layer that is not in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowedValue {
    /// The shadowed value.
    pub origin: NodeOrigin,
    /// The reason why it is not in the result.
    pub kind: ShadowKind,
}

/// The reason why a value is not in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadowKind {
    /// Another value replaced it.
    Replaced,
    /// An equal value already exists.
    Duplicate,
}
