use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::document::NodeRef;
use super::format::Format;
use super::kind::Kind;

/// One node's content, or its count of children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape<'a> {
    /// No value, said explicitly.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number in JSON's spelling.
    Integer(&'a str),
    /// Any other number: JSON's spelling, or `inf`, `-inf`, `nan`.
    Float(&'a str),
    /// Text.
    String(&'a str),
    /// A TOML date, time or both, as written there.
    DateTime(&'a str),
    /// A list of so many items.
    List(usize),
    /// A map of so many entries.
    Map(usize),
}

impl Shape<'_> {
    /// What kind of node has this shape.
    pub fn kind(self) -> Kind {
        match self {
            Shape::Null => Kind::Null,
            Shape::Bool(_) => Kind::Bool,
            Shape::Integer(_) => Kind::Integer,
            Shape::Float(_) => Kind::Float,
            Shape::String(_) => Kind::String,
            Shape::DateTime(_) => Kind::DateTime,
            Shape::List(_) => Kind::List,
            Shape::Map(_) => Kind::Map,
        }
    }
}

/// Anything that can be walked as a tree of values: a node of a document, an owned value, a merged result.
pub trait View<'a>: Copy {
    /// This node.
    fn shape(self) -> Shape<'a>;
    /// The item at `index`, which is in range of a [`Shape::List`].
    fn item(self, index: usize) -> Self;
    /// The entry at `index`, which is in range of a [`Shape::Map`].
    fn entry(self, index: usize) -> (&'a str, Self);
    /// The document node that this is, whole and unchanged, if it is one.
    fn node(self) -> Option<NodeRef<'a>> {
        None
    }
}

impl<'a> View<'a> for NodeRef<'a> {
    fn shape(self) -> Shape<'a> {
        let content = self.content();
        match self.kind() {
            Kind::Null => Shape::Null,
            Kind::Bool => Shape::Bool(content == "true"),
            Kind::Integer => Shape::Integer(content),
            Kind::Float => Shape::Float(content),
            Kind::String => Shape::String(content),
            Kind::DateTime => Shape::DateTime(content),
            Kind::List => Shape::List(self.len()),
            Kind::Map => Shape::Map(self.len()),
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

/// A number as a document of one of these formats spells it: `0o644` says more than `420`.
pub(crate) fn number_as_written<'a>(view: impl View<'a>, formats: &[Format]) -> Option<&'a str> {
    let node = view
        .node()
        .filter(|node| matches!(node.kind(), Kind::Integer | Kind::Float))?;
    let document = node.document();
    let written = document.text().get(node.span().range())?;
    let bare = written
        .starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c) || c.is_ascii_alphabetic())
        && written
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-._".contains(&b));
    (bare && formats.contains(&document.format())).then_some(written)
}

/// Deep equality: maps in any order, numbers by value, dates as the text that formats without dates hold.
pub fn equal<'a, 'b>(left: impl View<'a>, right: impl View<'b>) -> bool {
    match (left.shape(), right.shape()) {
        (Shape::Integer(l), Shape::Integer(r)) => l == r || (is_zero(l) && is_zero(r)),
        (Shape::Integer(l) | Shape::Float(l), Shape::Integer(r) | Shape::Float(r)) => {
            l == r || matches!((l.parse::<f64>(), r.parse::<f64>()), (Ok(l), Ok(r)) if l == r)
        }
        (Shape::String(l) | Shape::DateTime(l), Shape::String(r) | Shape::DateTime(r)) => l == r,
        (Shape::List(l), Shape::List(r)) => {
            l == r && (0..l).all(|at| equal(left.item(at), right.item(at)))
        }
        (Shape::Map(l), Shape::Map(r)) => l == r && maps_equal(left, right, l),
        (l, r) => l == r,
    }
}

/// Whether a whole number is zero, which may have a sign.
fn is_zero(integer: &str) -> bool {
    matches!(integer, "0" | "-0")
}

fn maps_equal<'a, 'b>(left: impl View<'a>, right: impl View<'b>, count: usize) -> bool {
    let mut keys: Option<hashbrown::HashMap<&str, usize, FixedState>> = None;
    (0..count).all(|at| {
        let (key, value) = left.entry(at);
        let (same_place, other) = right.entry(at);
        if same_place == key {
            return equal(value, other);
        }
        let keys =
            keys.get_or_insert_with(|| (0..count).map(|at| (right.entry(at).0, at)).collect());
        keys.get(key)
            .is_some_and(|at| equal(value, right.entry(*at).1))
    })
}

/// A number that is the same for equal trees.
pub fn fingerprint<'a>(view: impl View<'a>) -> u64 {
    let hasher = FixedState::default();
    match view.shape() {
        Shape::Null => 1,
        Shape::Bool(value) => 2 + u64::from(value),
        Shape::Integer(text) | Shape::Float(text) => {
            hasher.hash_one((4u8, text.parse::<f64>().map_or(0, |n| (n + 0.0).to_bits())))
        }
        Shape::String(text) | Shape::DateTime(text) => hasher.hash_one((5u8, text)),
        Shape::List(count) => (0..count).fold(7, |hash, at| {
            hasher.hash_one((hash, fingerprint(view.item(at))))
        }),
        Shape::Map(count) => (0..count).fold(8u64, |hash, at| {
            let (key, value) = view.entry(at);
            hash.wrapping_add(hasher.hash_one((key, fingerprint(value))))
        }),
    }
}
