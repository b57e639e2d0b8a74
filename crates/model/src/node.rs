//! Managed nodes in files that users write too.

use agpm_text::{Pointer, Value};

/// The location of a managed node in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeLocation {
    /// Under this key.
    Key(Pointer),
    /// An item of this list: items have no names, so they are identified by their value.
    Item(Pointer),
    /// Under this key, where any value of the user is acceptable.
    Default(Pointer),
    /// The item of this list whose key has this value.
    Keyed {
        /// The list.
        list: Pointer,
        /// The key.
        key: String,
        /// Its value as JSON, `"fs"` or `1`.
        id: String,
    },
}

impl NodeLocation {
    /// The location of a list item whose key has this value.
    pub fn keyed(list: Pointer, key: &str, id: &Value) -> Self {
        NodeLocation::Keyed {
            list,
            key: key.to_owned(),
            id: id.to_json().trim_end().to_owned(),
        }
    }

    /// The pointer of the key or the list.
    pub fn pointer(&self) -> &Pointer {
        match self {
            NodeLocation::Key(pointer)
            | NodeLocation::Item(pointer)
            | NodeLocation::Default(pointer) => pointer,
            NodeLocation::Keyed { list, .. } => list,
        }
    }
}

/// A desired node.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryNode {
    /// The location of the node.
    pub location: NodeLocation,
    /// The desired value.
    pub value: Value,
}
