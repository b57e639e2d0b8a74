//! Nodes as they are to be.

use agpm_model::{EntryNode, Owner};

/// A node as it is to be in a file that others write too.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredNode {
    /// The position and the value.
    pub node: EntryNode,
    /// The owner.
    pub owner: Owner,
    /// The treatment of a user's node with the same value.
    pub on_equal: OnEqualUserValue,
}

/// The treatment of an existing node of the user with the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEqualUserValue {
    /// It is adopted: managed from now on, and left in place when it is no longer wanted.
    Adopt,
    /// It stays the user's.
    Keep,
}
