//! A parsed text and its nodes.

use agpm_diag::{SourceId, Span, Text};

use super::format::Format;
use super::kind::NodeKind;
use super::nodes::{NodeId, NodeTree};
use super::pointer::{Pointer, list_index};

/// A parsed string and its tree.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) source: SourceId,
    pub(crate) text: Text,
    pub(crate) format: Format,
    pub(crate) tree: NodeTree,
    /// Markdown: the range after the front matter; empty in other formats.
    pub(crate) body: Span,
    /// The strings that it is composed of, in order; empty if it was parsed from one.
    pub(crate) parts: Vec<TextPart>,
}

/// The start of one of several strings in a composed document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextPart {
    pub(crate) start: u32,
    pub(crate) source: SourceId,
}

impl Document {
    /// The id of the text.
    pub fn source(&self) -> SourceId {
        self.source
    }

    /// The text as read.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The format that it was parsed as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The root value; `None` if the document is empty or has only comments.
    pub fn root(&self) -> Option<NodeRef<'_>> {
        self.tree.root.map(|id| NodeRef { document: self, id })
    }

    /// Changes how a key is read; the text keeps its spelling.
    pub fn read_key_as(&mut self, key: NodeId, name: &str) {
        self.tree.respell(key, name);
    }

    /// Markdown: the bytes after the front matter.
    pub fn body(&self) -> Span {
        self.body
    }

    /// CSV: the fields of the header, in order; empty for other formats.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = NodeRef<'_>> {
        self.tree.columns.iter().map(|id| NodeRef {
            document: self,
            id: *id,
        })
    }

    /// The number of nodes; all ids are smaller.
    pub fn node_count(&self) -> usize {
        self.tree.len()
    }

    /// The node with an id of this document.
    pub fn node(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef { document: self, id }
    }

    /// The document restricted to a node. For reading only: its text is still complete.
    pub fn seen_from(&self, node: NodeRef<'_>) -> Document {
        let mut part = self.clone();
        part.tree.root = Some(node.id());
        part
    }

    /// The node at a pointer.
    pub fn at(&self, pointer: &Pointer) -> Option<NodeRef<'_>> {
        pointer
            .steps()
            .iter()
            .try_fold(self.root()?, |node, step| node.child(step))
    }
}

/// A node together with its document.
#[derive(Clone, Copy)]
pub struct NodeRef<'a> {
    pub(crate) document: &'a Document,
    pub(crate) id: NodeId,
}

impl<'a> NodeRef<'a> {
    /// The node's id within its document.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The document that holds the node.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// The kind of the node.
    pub fn kind(self) -> NodeKind {
        self.document.tree.kind(self.id)
    }

    /// The span of the node in its original text. A TOML table with headers has the span of its first header.
    pub fn span(self) -> Span {
        let span = self.document.tree.span(self.id);
        let start = self.part().map_or(0, |part| part.start);
        Span {
            start: span.start - start,
            end: span.end - start,
        }
    }

    /// The id of the node's original text.
    pub fn source(self) -> SourceId {
        self.part().map_or(self.document.source, |part| part.source)
    }

    fn part(self) -> Option<&'a TextPart> {
        let parts = &self.document.parts;
        let at = self.document.tree.span(self.id).start;
        let after = parts.partition_point(|part| part.start <= at);
        parts.get(after.checked_sub(1)?)
    }

    /// The key of this value in the value's original text: in merged maps, the key of the result may come from another
    /// text. `map_pointer` points to the object.
    pub fn key_in_same_text(self, key: NodeRef<'a>, map_pointer: &Pointer) -> NodeRef<'a> {
        let is_own = std::ptr::eq(key.document, self.document) && key.source() == self.source();
        if is_own {
            return key;
        }
        let map = self.document.at(map_pointer);
        let mut entries = map.into_iter().flat_map(NodeRef::entries);
        let entry = entries.find(|(_, value)| value.id == self.id);
        entry.map_or(key, |(key, _)| key)
    }

    /// The node as spelled in its text.
    pub(crate) fn written(self) -> &'a str {
        &self.document.text[self.document.tree.span(self.id).range()]
    }

    /// The number of items or entries.
    #[allow(clippy::len_without_is_empty)] // a scalar is neither empty nor full
    pub fn len(self) -> usize {
        self.document.tree.count(self.id)
    }

    /// The content of a scalar; empty for containers.
    pub fn content(self) -> &'a str {
        self.document.tree.content(&self.document.text, self.id)
    }

    /// The string, if it is one.
    pub fn as_str(self) -> Option<&'a str> {
        (self.kind() == NodeKind::String).then(|| self.content())
    }

    /// The boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == NodeKind::Bool).then(|| self.content() == "true")
    }

    fn with(self, id: NodeId) -> Self {
        NodeRef {
            document: self.document,
            id,
        }
    }

    /// The items of a list; empty for other nodes.
    pub fn items(self) -> impl ExactSizeIterator<Item = NodeRef<'a>> + Clone {
        let children = match self.kind() {
            NodeKind::List => self.document.tree.children(self.id),
            _ => &[],
        };
        children.iter().map(move |id| self.with(*id))
    }

    /// The keys and values of an object; empty for other nodes.
    pub fn entries(self) -> impl ExactSizeIterator<Item = (NodeRef<'a>, NodeRef<'a>)> + Clone {
        let children = match self.kind() {
            NodeKind::Map => self.document.tree.children(self.id),
            _ => &[],
        };
        children
            .chunks_exact(2)
            .map(move |pair| (self.with(pair[0]), self.with(pair[1])))
    }

    /// The index of the child that a pointer step names.
    pub(crate) fn index_of(self, step: &str) -> Option<usize> {
        match self.kind() {
            NodeKind::Map => self.entries().position(|(key, _)| key.content() == step),
            NodeKind::List => list_index(step).filter(|index| *index < self.len()),
            _ => None,
        }
    }

    /// The child that a pointer step names: a key of an object, an index of a list.
    pub fn child(self, step: &str) -> Option<NodeRef<'a>> {
        let index = self.index_of(step)?;
        match self.kind() {
            NodeKind::Map => self.entries().nth(index).map(|(_, value)| value),
            _ => self.items().nth(index),
        }
    }

    /// The value under a key of an object.
    pub fn get(self, key: &str) -> Option<NodeRef<'a>> {
        self.entries()
            .find(|(name, _)| name.content() == key)
            .map(|(_, value)| value)
    }
}

impl std::fmt::Debug for NodeRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} at {:?}", self.kind(), self.span())
    }
}
