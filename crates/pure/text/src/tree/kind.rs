/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// No value, said explicitly.
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

impl Kind {
    /// The word that messages use.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Integer | Kind::Float => "a number",
            Kind::String => "a string",
            Kind::DateTime => "a date",
            Kind::List => "a list",
            Kind::Map => "a map",
        }
    }
}
