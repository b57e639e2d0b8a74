//! Desired nodes.

use agpm_model::{EntryNode, Owner};

/// A desired node in a file that users write too.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredNode {
    /// The location and the value.
    pub node: EntryNode,
    /// The owner.
    pub owner: Owner,
    /// The treatment of a user's node with the same value.
    pub on_equal: OnEqualUserValue,
}

/// The treatment of an existing node of the user with the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEqualUserValue {
    /// The node is adopted: it becomes managed, and stays when it is no longer desired.
    Adopt,
    /// The node stays unmanaged.
    Keep,
}
