/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// An explicit null.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer,
    /// Any other number.
    Float,
    /// Text.
    String,
    /// A date, a time or both (TOML only).
    DateTime,
    /// Ordered items.
    List,
    /// Ordered entries with unique keys.
    Map,
}

impl NodeKind {
    /// The kind as users read it.
    pub fn word(self) -> &'static str {
        match self {
            NodeKind::Null => "null",
            NodeKind::Bool => "a boolean",
            NodeKind::Integer | NodeKind::Float => "a number",
            NodeKind::String => "a string",
            NodeKind::DateTime => "a date",
            NodeKind::List => "a list",
            NodeKind::Map => "an object",
        }
    }
}
