use super::pointer::list_index;
use super::view::{NodeShape, TreeView, equal};

/// A number in JSON's notation, or `inf`, `-inf`, `nan`; large ones keep every digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(String);

impl Number {
    /// The spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_finite(&self) -> bool {
        !self.0.ends_with(['f', 'n'])
    }

    fn shape(&self) -> NodeShape<'_> {
        if self.0.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
            NodeShape::Integer(&self.0)
        } else {
            NodeShape::Float(&self.0)
        }
    }
}

/// An owned tree of values, for output of the program itself.
#[derive(Clone, Debug)]
pub enum Value {
    /// An explicit null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    String(String),
    /// A TOML date, time or both.
    DateTime(String),
    /// Ordered items.
    List(Vec<Value>),
    /// Ordered entries; keys are unique.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// An object from pairs.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Value)>) -> Self {
        Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// A list from items.
    pub fn list<V: Into<Value>>(items: impl IntoIterator<Item = V>) -> Self {
        Value::List(items.into_iter().map(Into::into).collect())
    }

    /// The value under a key of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(entries) => entries
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The child that a pointer step names: a key of an object, an index of a list.
    pub fn child(&self, step: &str) -> Option<&Value> {
        match self {
            Value::List(items) => items.get(list_index(step)?),
            _ => self.get(step),
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        equal(self, other)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Value::Number(Number(number.to_string()))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Number(Number(number.to_string()))
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl<'a> TreeView<'a> for &'a Value {
    fn shape(self) -> NodeShape<'a> {
        match self {
            Value::Null => NodeShape::Null,
            Value::Bool(value) => NodeShape::Bool(*value),
            Value::Number(number) => number.shape(),
            Value::String(text) => NodeShape::String(text),
            Value::DateTime(text) => NodeShape::DateTime(text),
            Value::List(items) => NodeShape::List(items.len()),
            Value::Map(entries) => NodeShape::Map(entries.len()),
        }
    }

    fn item(self, index: usize) -> Self {
        match self {
            Value::List(items) => &items[index],
            _ => self,
        }
    }

    fn entry(self, index: usize) -> (&'a str, Self) {
        match self {
            Value::Map(entries) => (&entries[index].0, &entries[index].1),
            _ => ("", self),
        }
    }
}

/// An owned copy.
pub fn to_value<'a>(view: impl TreeView<'a>) -> Value {
    match view.shape() {
        NodeShape::Null => Value::Null,
        NodeShape::Bool(value) => Value::Bool(value),
        NodeShape::Integer(text) | NodeShape::Float(text) => Value::Number(Number(text.to_owned())),
        NodeShape::String(text) => Value::String(text.to_owned()),
        NodeShape::DateTime(text) => Value::DateTime(text.to_owned()),
        NodeShape::List(count) => {
            Value::List((0..count).map(|at| to_value(view.item(at))).collect())
        }
        NodeShape::Map(count) => Value::Map(
            (0..count)
                .map(|at| {
                    let (key, value) = view.entry(at);
                    (key.to_owned(), to_value(value))
                })
                .collect(),
        ),
    }
}
