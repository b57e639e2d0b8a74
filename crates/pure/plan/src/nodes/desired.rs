//! Nodes as they are to be.

use agpm_model::{EntryNode, Owner};

/// A node as it is to be in a file that others write too.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredNode {
    /// Where and what.
    pub node: EntryNode,
    /// Whose it is.
    pub owner: Owner,
    /// What becomes of a node of the user's that says the same.
    pub on_equal: OnEqualUserValue,
}

/// What becomes of a node of the user's that is there already and says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEqualUserValue {
    /// It is adopted: managed from now on, and left in place when it is no longer wanted.
    Adopt,
    /// It stays the user's.
    Keep,
}
