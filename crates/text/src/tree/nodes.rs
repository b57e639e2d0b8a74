//! The nodes that all parsers create: flat arrays, sixteen bytes per node, strings left in the source.

use agpm_diag::Span;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use super::kind::NodeKind;

/// Identifies a node within its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The index of the node, less than its document's node count.
    pub fn index(self) -> u32 {
        self.0
    }

    /// The node with an index.
    pub fn from_index(index: u32) -> Self {
        NodeId(index)
    }
}

/// Sixteen bytes: large documents have a node for every few bytes.
#[derive(Clone, Copy, Debug)]
struct NodeRecord {
    span: Span,
    /// Lists and maps: the index of their children. Scalars with a [`ScalarContent::Range`]: its index.
    at: u32,
    kind: NodeKind,
    content: ScalarContent,
}

/// The position of a scalar's content.
#[derive(Clone, Copy, Debug)]
enum ScalarContent {
    /// In the source: the span without so many bytes at its beginning and end.
    Trimmed(u8, u8),
    /// In the source, in a separate range.
    Range,
    /// Not in the source: spelled differently there.
    Decoded,
}

const BARE: ScalarContent = ScalarContent::Trimmed(0, 0);

/// Nodes of one document.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeTree {
    nodes: Vec<NodeRecord>,
    /// For each container the number of its children, then the children: for maps alternating between key and value.
    children: Vec<NodeId>,
    ranges: Vec<Span>,
    decoded: String,
    pub(crate) root: Option<NodeId>,
    /// CSV: the names of the fields.
    pub(crate) columns: Vec<NodeId>,
    pub(crate) sharing: SharedNodes,
}

/// Dependencies between nodes of one document: aliases and merge keys of YAML.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedNodes {
    /// Aliases and their targets, ascending.
    pub(crate) aliases: Vec<(NodeId, NodeId)>,
    /// Values that an object gets from a merge key, ascending.
    pub(crate) inherited: Vec<NodeId>,
    /// Merge keys, ascending by map.
    pub(crate) merges: Vec<MergeKey>,
}

/// A merge key, which is not an entry of its map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MergeKey {
    pub(crate) map: NodeId,
    pub(crate) key: NodeId,
    pub(crate) value: NodeId,
}

impl NodeTree {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        // Configuration averages about twenty bytes per node; growing once costs little, wasted memory more.
        let nodes = bytes / 24;
        NodeTree {
            nodes: Vec::with_capacity(nodes),
            children: Vec::with_capacity(nodes),
            ..NodeTree::default()
        }
    }

    fn push(&mut self, kind: NodeKind, span: Span, at: u32, content: ScalarContent) -> NodeId {
        let id = NodeId(narrow(self.nodes.len()));
        self.nodes.push(NodeRecord {
            span,
            at,
            kind,
            content,
        });
        id
    }

    pub(crate) fn null(&mut self, span: Span) -> NodeId {
        self.push(NodeKind::Null, span, 0, BARE)
    }

    pub(crate) fn bool(&mut self, span: Span, value: bool) -> NodeId {
        self.push(NodeKind::Bool, span, u32::from(value), BARE)
    }

    /// A scalar whose content is in the source verbatim.
    pub(crate) fn verbatim(&mut self, kind: NodeKind, span: Span, content: Span) -> NodeId {
        let before = u8::try_from(content.start.wrapping_sub(span.start));
        let after = u8::try_from(span.end.wrapping_sub(content.end));
        if let (Ok(before), Ok(after)) = (before, after) {
            return self.push(kind, span, 0, ScalarContent::Trimmed(before, after));
        }
        self.ranges.push(content);
        self.push(
            kind,
            span,
            narrow(self.ranges.len() - 1),
            ScalarContent::Range,
        )
    }

    /// A scalar whose content differs from its spelling (escapes, folding, `1_000`).
    pub(crate) fn decoded(&mut self, kind: NodeKind, span: Span, content: &str) -> NodeId {
        self.ranges.push(Span::new(
            self.decoded.len(),
            self.decoded.len() + content.len(),
        ));
        self.decoded.push_str(content);
        self.push(
            kind,
            span,
            narrow(self.ranges.len() - 1),
            ScalarContent::Decoded,
        )
    }

    /// Changes the content of a scalar, but not its span.
    pub(crate) fn respell(&mut self, id: NodeId, content: &str) {
        let node = self.nodes[id.0 as usize];
        let spelled = self.decoded(node.kind, node.span, content);
        self.nodes[id.0 as usize] = self.nodes[spelled.0 as usize];
        self.nodes.pop();
    }

    pub(crate) fn list(&mut self, span: Span, items: &[NodeId]) -> NodeId {
        self.container(NodeKind::List, span, items, items.len())
    }

    /// `entries` alternates between key and value.
    pub(crate) fn map(&mut self, span: Span, entries: &[NodeId]) -> NodeId {
        self.container(NodeKind::Map, span, entries, entries.len() / 2)
    }

    fn container(
        &mut self,
        kind: NodeKind,
        span: Span,
        children: &[NodeId],
        count: usize,
    ) -> NodeId {
        let start = narrow(self.children.len());
        self.children.push(NodeId(narrow(count)));
        self.children.extend_from_slice(children);
        self.push(kind, span, start, BARE)
    }

    /// A copy of a node; its children are shared.
    pub(crate) fn copy(&mut self, of: NodeId, span: Span) -> NodeId {
        let node = self.nodes[of.0 as usize];
        let ScalarContent::Trimmed(before, after) = node.content else {
            return self.push(node.kind, span, node.at, node.content);
        };
        if matches!(
            node.kind,
            NodeKind::List | NodeKind::Map | NodeKind::Null | NodeKind::Bool
        ) {
            return self.push(node.kind, span, node.at, BARE);
        }
        let content = Span {
            start: node.span.start + u32::from(before),
            end: node.span.end - u32::from(after),
        };
        self.ranges.push(content);
        self.push(
            node.kind,
            span,
            narrow(self.ranges.len() - 1),
            ScalarContent::Range,
        )
    }

    /// Appends the nodes of another tree, whose text follows at `text_start`; returns the index of the first one.
    pub(crate) fn append(&mut self, tree: &NodeTree, text_start: usize) -> u32 {
        let first = narrow(self.nodes.len());
        let (children, ranges) = (narrow(self.children.len()), narrow(self.ranges.len()));
        let shift =
            |span: Span, by: usize| Span::new(span.start as usize + by, span.end as usize + by);
        self.children
            .extend(tree.children.iter().map(|id| NodeId(id.0 + first)));
        self.ranges.extend_from_slice(&tree.ranges);
        for node in &tree.nodes {
            let mut moved = *node;
            moved.span = shift(node.span, text_start);
            match (node.kind, node.content) {
                (NodeKind::List | NodeKind::Map, _) => {
                    moved.at += children;
                    // The first of them is a count and not a node.
                    self.children[moved.at as usize] = tree.children[node.at as usize];
                }
                (_, ScalarContent::Range) => {
                    moved.at += ranges;
                    let range = tree.ranges[node.at as usize];
                    self.ranges[moved.at as usize] = shift(range, text_start);
                }
                (_, ScalarContent::Decoded) => {
                    moved.at += ranges;
                    let range = tree.ranges[node.at as usize];
                    self.ranges[moved.at as usize] = shift(range, self.decoded.len());
                }
                (_, ScalarContent::Trimmed(..)) => {}
            }
            self.nodes.push(moved);
        }
        self.decoded.push_str(&tree.decoded);
        first
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn kind(&self, id: NodeId) -> NodeKind {
        self.nodes[id.0 as usize].kind
    }

    pub(crate) fn span(&self, id: NodeId) -> Span {
        self.nodes[id.0 as usize].span
    }

    /// The content of a scalar; empty for containers.
    pub(crate) fn content<'a>(&'a self, source: &'a str, id: NodeId) -> &'a str {
        let node = &self.nodes[id.0 as usize];
        match (node.kind, node.content) {
            (NodeKind::List | NodeKind::Map | NodeKind::Null, _) => "",
            (NodeKind::Bool, _) if node.at == 1 => "true",
            (NodeKind::Bool, _) => "false",
            (_, ScalarContent::Trimmed(before, after)) => {
                &source[node.span.start as usize + before as usize
                    ..node.span.end as usize - after as usize]
            }
            (_, ScalarContent::Range) => &source[self.ranges[node.at as usize].range()],
            (_, ScalarContent::Decoded) => &self.decoded[self.ranges[node.at as usize].range()],
        }
    }

    /// The number of items or entries; zero for scalars.
    pub(crate) fn count(&self, id: NodeId) -> usize {
        let node = &self.nodes[id.0 as usize];
        match node.kind {
            NodeKind::List | NodeKind::Map => self.children[node.at as usize].0 as usize,
            _ => 0,
        }
    }

    /// The items, or alternating keys and values.
    pub(crate) fn children(&self, id: NodeId) -> &[NodeId] {
        let node = &self.nodes[id.0 as usize];
        let per_child = match node.kind {
            NodeKind::List => 1,
            NodeKind::Map => 2,
            _ => return &[],
        };
        let start = node.at as usize + 1;
        &self.children[start..start + self.count(id) * per_child]
    }

    /// Pairs of key nodes with equal content, earlier first, among alternating `entries`.
    pub(crate) fn duplicates(&self, source: &str, entries: &[NodeId]) -> Vec<(usize, usize)> {
        const SMALL: usize = 12;
        let mut found = Vec::new();
        let key = |at: usize| self.content(source, entries[at * 2]);
        let count = entries.len() / 2;
        if count <= SMALL {
            let mut keys = [""; SMALL];
            for later in 0..count {
                keys[later] = key(later);
                if let Some(earlier) = keys[..later]
                    .iter()
                    .position(|earlier| *earlier == keys[later])
                {
                    found.push((earlier * 2, later * 2));
                }
            }
            return found;
        }
        let hasher = FixedState::default();
        let mut seen: HashTable<usize> = HashTable::with_capacity(count);
        for later in 0..count {
            let hash = hasher.hash_one(key(later));
            match seen.find(hash, |earlier| key(*earlier) == key(later)) {
                Some(earlier) => found.push((*earlier * 2, later * 2)),
                None => {
                    seen.insert_unique(hash, later, |at| hasher.hash_one(key(*at)));
                }
            }
        }
        found
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("a source of under 4 GiB has fewer nodes")
}
