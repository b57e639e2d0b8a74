use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::document::NodeRef;
use super::format::Format;
use super::kind::NodeKind;

/// The content of a node, or its number of children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeShape<'a> {
    /// An explicit null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer in JSON's notation.
    Integer(&'a str),
    /// Any other number: JSON's notation, or `inf`, `-inf`, `nan`.
    Float(&'a str),
    /// Text.
    String(&'a str),
    /// A TOML date, time or both, as written.
    DateTime(&'a str),
    /// A list with this many items.
    List(usize),
    /// An object with this many entries.
    Map(usize),
}

impl NodeShape<'_> {
    /// The kind of nodes with this shape.
    pub fn kind(self) -> NodeKind {
        match self {
            NodeShape::Null => NodeKind::Null,
            NodeShape::Bool(_) => NodeKind::Bool,
            NodeShape::Integer(_) => NodeKind::Integer,
            NodeShape::Float(_) => NodeKind::Float,
            NodeShape::String(_) => NodeKind::String,
            NodeShape::DateTime(_) => NodeKind::DateTime,
            NodeShape::List(_) => NodeKind::List,
            NodeShape::Map(_) => NodeKind::Map,
        }
    }
}

/// Anything that can be visited as a tree of values: a node of a document, an owned value, a merged result.
pub trait TreeView<'a>: Copy {
    /// The shape of this node.
    fn shape(self) -> NodeShape<'a>;
    /// The item at `index`, which is in range of a [`NodeShape::List`].
    fn item(self, index: usize) -> Self;
    /// The entry at `index`, which is in range of a [`NodeShape::Map`].
    fn entry(self, index: usize) -> (&'a str, Self);
    /// The document node that this is, if it is complete and unchanged.
    fn node(self) -> Option<NodeRef<'a>> {
        None
    }
}

impl<'a> TreeView<'a> for NodeRef<'a> {
    fn shape(self) -> NodeShape<'a> {
        let content = self.content();
        match self.kind() {
            NodeKind::Null => NodeShape::Null,
            NodeKind::Bool => NodeShape::Bool(content == "true"),
            NodeKind::Integer => NodeShape::Integer(content),
            NodeKind::Float => NodeShape::Float(content),
            NodeKind::String => NodeShape::String(content),
            NodeKind::DateTime => NodeShape::DateTime(content),
            NodeKind::List => NodeShape::List(self.len()),
            NodeKind::Map => NodeShape::Map(self.len()),
        }
    }

    fn item(self, index: usize) -> Self {
        self.document
            .node(self.document.tree.children(self.id)[index])
    }

    fn entry(self, index: usize) -> (&'a str, Self) {
        let children = self.document.tree.children(self.id);
        (
            self.document.node(children[index * 2]).content(),
            self.document.node(children[index * 2 + 1]),
        )
    }

    fn node(self) -> Option<NodeRef<'a>> {
        Some(self)
    }
}

/// A number as a document of one of these formats spells it: `0o644` is more readable than `420`.
pub(crate) fn number_as_written<'a>(
    view: impl TreeView<'a>,
    formats: &[Format],
) -> Option<&'a str> {
    let node = view
        .node()
        .filter(|node| matches!(node.kind(), NodeKind::Integer | NodeKind::Float))?;
    let document = node.document();
    let written = document.text().get(node.span().range())?;
    let bare = written
        .starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c) || c.is_ascii_alphabetic())
        && written
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-._".contains(&b));
    (bare && formats.contains(&document.format())).then_some(written)
}

/// Deep equality: maps in any order, numbers by value, dates as strings of formats without dates.
pub fn equal<'a, 'b>(left: impl TreeView<'a>, right: impl TreeView<'b>) -> bool {
    match (left.shape(), right.shape()) {
        (NodeShape::Integer(l), NodeShape::Integer(r)) => l == r || (is_zero(l) && is_zero(r)),
        (
            NodeShape::Integer(l) | NodeShape::Float(l),
            NodeShape::Integer(r) | NodeShape::Float(r),
        ) => l == r || matches!((l.parse::<f64>(), r.parse::<f64>()), (Ok(l), Ok(r)) if l == r),
        (
            NodeShape::String(l) | NodeShape::DateTime(l),
            NodeShape::String(r) | NodeShape::DateTime(r),
        ) => l == r,
        (NodeShape::List(l), NodeShape::List(r)) => {
            l == r && (0..l).all(|at| equal(left.item(at), right.item(at)))
        }
        (NodeShape::Map(l), NodeShape::Map(r)) => l == r && maps_equal(left, right, l),
        (l, r) => l == r,
    }
}

/// Whether an integer is zero, with or without a sign.
fn is_zero(integer: &str) -> bool {
    matches!(integer, "0" | "-0")
}

fn maps_equal<'a, 'b>(left: impl TreeView<'a>, right: impl TreeView<'b>, count: usize) -> bool {
    let mut keys: Option<hashbrown::HashMap<&str, usize, FixedState>> = None;
    (0..count).all(|at| {
        let (key, value) = left.entry(at);
        let (same_key, right_value) = right.entry(at);
        if same_key == key {
            return equal(value, right_value);
        }
        let keys =
            keys.get_or_insert_with(|| (0..count).map(|at| (right.entry(at).0, at)).collect());
        keys.get(key)
            .is_some_and(|at| equal(value, right.entry(*at).1))
    })
}

/// A hash that is the same for equal trees.
pub fn fingerprint<'a>(view: impl TreeView<'a>) -> u64 {
    let hasher = FixedState::default();
    match view.shape() {
        NodeShape::Null => 1,
        NodeShape::Bool(value) => 2 + u64::from(value),
        NodeShape::Integer(text) | NodeShape::Float(text) => {
            hasher.hash_one((4u8, text.parse::<f64>().map_or(0, |n| (n + 0.0).to_bits())))
        }
        NodeShape::String(text) | NodeShape::DateTime(text) => hasher.hash_one((5u8, text)),
        NodeShape::List(count) => (0..count).fold(7, |hash, at| {
            hasher.hash_one((hash, fingerprint(view.item(at))))
        }),
        NodeShape::Map(count) => (0..count).fold(8u64, |hash, at| {
            let (key, value) = view.entry(at);
            hash.wrapping_add(hasher.hash_one((key, fingerprint(value))))
        }),
    }
}
