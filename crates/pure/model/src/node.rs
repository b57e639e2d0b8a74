//! Managed parts of a file that others write too.

use agpm_text::{Pointer, Value};

/// Where a managed node is in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeLocation {
    /// Under this key.
    Key(Pointer),
    /// In this list, wherever: items have no names, so they are known by what they say.
    Item(Pointer),
    /// Under this key, where any value of the user's will do.
    Default(Pointer),
    /// In this list, the item that has this key with this value.
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
    /// The item of a list that has a key with this value.
    pub fn keyed(list: Pointer, key: &str, id: &Value) -> Self {
        NodeLocation::Keyed {
            list,
            key: key.to_owned(),
            id: id.to_json().trim_end().to_owned(),
        }
    }

    /// The key, or the list.
    pub fn pointer(&self) -> &Pointer {
        match self {
            NodeLocation::Key(pointer)
            | NodeLocation::Item(pointer)
            | NodeLocation::Default(pointer) => pointer,
            NodeLocation::Keyed { list, .. } => list,
        }
    }
}

/// A node as it is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryNode {
    /// The position.
    pub location: NodeLocation,
    /// The value of the entry node.
    pub value: Value,
}
