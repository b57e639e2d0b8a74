//! Where a value came from, and what it hides.

use agpm_text::NodeId;

/// A node of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeOrigin {
    /// Which contribution, counted from the lowest.
    pub layer: u32,
    /// Which node of its document.
    pub node: NodeId,
}

/// The operation that brought a leaf into the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafOperation {
    /// Only one layer has the value.
    Only,
    /// The highest replaced the others.
    Replace,
    /// An item joined a list that did not hold it.
    Extend,
    /// An item joined the end of a list.
    Append,
    /// An item joined the beginning of a list.
    Prepend,
    /// An item of a set.
    Union,
    /// An item with a key.
    ByKey,
    /// The highest that was not blank.
    NonEmpty,
    /// The lowest stayed.
    KeepLower,
    /// An embedder's own strategy chose it.
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

/// Something a layer said that is not in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowedValue {
    /// The shadowed value.
    pub origin: NodeOrigin,
    /// The reason why it is not in the result.
    pub kind: ShadowKind,
}

/// Why something is not in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadowKind {
    /// Another value replaced it.
    Replaced,
    /// The same value exists already.
    Duplicate,
}
