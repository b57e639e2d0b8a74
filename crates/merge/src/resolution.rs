//! The result: an arena of references into the layers' documents.

use agpm_diag::Diagnostic;
use agpm_text::{NodeKind, NodeRef, NodeShape, Pointer, TreeView};

use crate::contribution::Contribution;
use crate::nodes::{NodeBody, PackedOrigin, ResolvedNodes};
use crate::origin::{LeafOperation, NodeOrigin, ShadowKind, ShadowedValue};

/// A value that the strategy deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The pointer.
    pub pointer: Pointer,
    /// The deleted values of the layers, highest first.
    pub shadows: Vec<ShadowedValue>,
}

/// A leaf of the result, with its provenance.
#[derive(Clone, Debug)]
pub struct MergedLeaf<'r> {
    /// The pointer in the result.
    pub pointer: Pointer,
    /// The value, in its original document.
    pub value: NodeRef<'r>,
    /// The index of its contribution.
    pub layer: u32,
    /// The operation that produced it.
    pub operation: LeafOperation,
    /// The values that it shadows, highest first.
    pub shadows: Vec<ShadowedValue>,
}

/// One value merged from many layers, with its provenance.
#[derive(Clone, Debug)]
pub struct Resolution {
    pub(crate) contributions: Vec<Contribution>,
    pub(crate) nodes: ResolvedNodes,
    pub(crate) root: Option<u32>,
    pub(crate) deletions: Vec<Deletion>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A node of a result.
#[derive(Clone, Copy, Debug)]
pub enum ResolvedRef<'r> {
    /// A merged node.
    Folded(&'r Resolution, u32),
    /// A node inside an unchanged node of a layer.
    Inside(NodeRef<'r>),
}

impl Resolution {
    /// The root value; `None` if no layer has one.
    pub fn root(&self) -> Option<ResolvedRef<'_>> {
        self.root.map(|root| ResolvedRef::Folded(self, root))
    }

    /// The merged contributions, lowest first.
    pub fn contributions(&self) -> &[Contribution] {
        &self.contributions
    }

    /// The findings.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The values that the strategy deleted.
    pub fn deletions(&self) -> &[Deletion] {
        &self.deletions
    }

    /// The value at a pointer.
    pub fn at(&self, pointer: &Pointer) -> Option<ResolvedRef<'_>> {
        pointer
            .steps()
            .iter()
            .try_fold(self.root()?, |view, step| match view.shape() {
                NodeShape::Map(count) => (0..count)
                    .map(|at| view.entry(at))
                    .find(|(key, _)| key == step)
                    .map(|(_, v)| v),
                NodeShape::List(count) => step
                    .parse()
                    .ok()
                    .filter(|at| *at < count)
                    .map(|at| view.item(at)),
                _ => None,
            })
    }

    /// The node of an origin.
    pub fn node(&self, origin: NodeOrigin) -> NodeRef<'_> {
        self.contributions[origin.layer as usize]
            .document
            .node(origin.node)
    }

    /// Calls `visit` with every leaf at `under` or below, in order. Empty maps and lists are leaves.
    pub fn each_leaf<'r>(&'r self, under: &Pointer, visit: &mut dyn FnMut(MergedLeaf<'r>)) {
        if let Some(root) = self.root {
            let mut walk = LeafWalk {
                resolution: self,
                under,
                pointer: Pointer::root(),
                visit,
            };
            walk.folded(root, &[]);
        }
    }

    /// The contribution of a merged node; nodes inside a layer's node belong to that layer.
    pub(crate) fn layer_of(&self, view: ResolvedRef<'_>) -> Option<u32> {
        match view {
            ResolvedRef::Folded(_, id) => {
                Some(self.nodes.numbering.unpack(self.nodes.get(id).origin).layer)
            }
            ResolvedRef::Inside(_) => None,
        }
    }

    /// The node of the highest contributing layer of a merged node.
    pub(crate) fn highest_node(&self, id: u32) -> NodeRef<'_> {
        self.unpack_node(self.nodes.get(id).origin)
    }

    /// The layer's node of a packed origin.
    fn unpack_node(&self, packed: PackedOrigin) -> NodeRef<'_> {
        self.node(self.nodes.numbering.unpack(packed))
    }
}

/// A leaf's layer, operation and shadows, while descending into a layer's node.
#[derive(Clone)]
struct LeafOrigin {
    layer: u32,
    operation: LeafOperation,
    shadows: Vec<ShadowedValue>,
}

struct LeafWalk<'w, 'r> {
    resolution: &'r Resolution,
    under: &'w Pointer,
    pointer: Pointer,
    visit: &'w mut dyn FnMut(MergedLeaf<'r>),
}

impl<'r> LeafWalk<'_, 'r> {
    /// Whether the pointer leads to, is at, or is under the requested one.
    fn is_on_path(&self) -> bool {
        self.pointer.is_within(self.under) || self.under.is_within(&self.pointer)
    }

    /// `above` are the values that the container shadows as a whole.
    fn folded(&mut self, node: u32, above: &[ShadowedValue]) {
        let resolution = self.resolution;
        let resolved = resolution.nodes.get(node);
        let origin = resolution.nodes.numbering.unpack(resolved.origin);
        let mut shadows = resolution.nodes.shadows_of(node);
        shadows.extend_from_slice(above);
        let children = resolution.nodes.children_of(node);
        if children.is_empty() {
            let lot = LeafOrigin {
                layer: origin.layer,
                operation: resolved.operation,
                shadows,
            };
            return match resolved.body {
                NodeBody::Whole => self.inside(resolution.node(origin), lot),
                // Everything in it was removed.
                _ => self.leaf(resolution.node(origin), lot),
            };
        }
        for (index, child) in children.iter().enumerate() {
            let (kind, step) = match resolved.body {
                NodeBody::Map => (
                    NodeKind::Map,
                    resolution.unpack_node(child.key).content().to_owned(),
                ),
                _ => (NodeKind::List, index.to_string()),
            };
            let mut below = self.shadows_below(&shadows, kind, index, &step);
            if index == 0 && kind == NodeKind::Map {
                let has = |key: &str| {
                    children
                        .iter()
                        .any(|c| resolution.unpack_node(c.key).content() == key)
                };
                below.extend(self.lost_parts(&shadows, kind, has));
            }
            self.pointer.push(step);
            if self.is_on_path() {
                self.folded(child.node, &below);
            }
            self.pointer.pop();
        }
    }

    fn inside(&mut self, node: NodeRef<'r>, lot: LeafOrigin) {
        let count = node.len();
        if count == 0 {
            return self.leaf(node, lot);
        }
        for at in 0..count {
            let (step, child) = match node.kind() {
                NodeKind::Map => {
                    let (key, value) = node.entry(at);
                    (key.to_owned(), value)
                }
                _ => (at.to_string(), node.item(at)),
            };
            let mut below = LeafOrigin {
                shadows: self.shadows_below(&lot.shadows, node.kind(), at, &step),
                ..lot
            };
            if at == 0 {
                let lost =
                    self.lost_parts(&lot.shadows, node.kind(), |step| node.child(step).is_some());
                below.shadows.extend(lost);
            }
            self.pointer.push(step);
            if self.is_on_path() {
                self.inside(child, below);
            }
            self.pointer.pop();
        }
    }

    fn leaf(&mut self, value: NodeRef<'r>, lot: LeafOrigin) {
        if self.pointer.is_within(self.under) {
            let LeafOrigin {
                layer,
                mut operation,
                shadows,
            } = lot;
            // It is the only value because others were cleared.
            if operation == LeafOperation::Only
                && shadows.iter().any(|s| s.kind == ShadowKind::Replaced)
            {
                operation = LeafOperation::Replace;
            }
            (self.visit)(MergedLeaf {
                pointer: self.pointer.clone(),
                value,
                layer,
                operation,
                shadows,
            });
        }
    }

    /// Values that were shadowed as a whole are shadowed part by part.
    fn shadows_below(
        &self,
        shadows: &[ShadowedValue],
        kind: NodeKind,
        index: usize,
        step: &str,
    ) -> Vec<ShadowedValue> {
        let follow = |shadow: &ShadowedValue| {
            let node = self.resolution.node(shadow.origin);
            if node.kind() != kind {
                // Text that equals an object is reported once, not at every leaf.
                return Some(*shadow)
                    .filter(|shadow| shadow.kind == ShadowKind::Replaced || index == 0);
            }
            let child = node.child(step)?;
            Some(ShadowedValue {
                origin: NodeOrigin {
                    node: child.id(),
                    ..shadow.origin
                },
                ..*shadow
            })
        };
        shadows.iter().filter_map(follow).collect()
    }

    /// Maps and lists with parts that have no counterpart in the result: they are reported as a whole, next to the
    /// first leaf.
    fn lost_parts(
        &self,
        shadows: &[ShadowedValue],
        kind: NodeKind,
        has: impl Fn(&str) -> bool,
    ) -> Vec<ShadowedValue> {
        let is_lost = |shadow: &&ShadowedValue| {
            let node = self.resolution.node(shadow.origin);
            let replaced = shadow.kind == ShadowKind::Replaced && node.kind() == kind;
            replaced
                && match kind {
                    NodeKind::Map => node.entries().any(|(key, _)| !has(key.content())),
                    _ => (0..node.len()).any(|at| !has(&at.to_string())),
                }
        };
        shadows.iter().filter(is_lost).copied().collect()
    }
}

impl<'r> ResolvedRef<'r> {
    /// The keys of an object in the order of its entries, as spelled in their layers.
    pub fn keys(self) -> Vec<NodeRef<'r>> {
        match (self, self.node()) {
            (_, Some(node)) => node.entries().map(|(key, _)| key).collect(),
            (ResolvedRef::Folded(resolution, id), None) => {
                let children = resolution.nodes.children_of(id);
                children
                    .iter()
                    .map(|child| resolution.unpack_node(child.key))
                    .collect()
            }
            (_, None) => Vec::new(),
        }
    }
}

impl<'r> TreeView<'r> for ResolvedRef<'r> {
    fn shape(self) -> NodeShape<'r> {
        match self {
            ResolvedRef::Inside(node) => node.shape(),
            ResolvedRef::Folded(resolution, id) => {
                let resolved = resolution.nodes.get(id);
                match resolved.body {
                    NodeBody::Whole => resolution.unpack_node(resolved.origin).shape(),
                    NodeBody::Map => NodeShape::Map(resolved.count as usize),
                    NodeBody::List => NodeShape::List(resolved.count as usize),
                }
            }
        }
    }

    fn item(self, index: usize) -> Self {
        match (self, self.node()) {
            (_, Some(node)) => ResolvedRef::Inside(node.item(index)),
            (ResolvedRef::Folded(resolution, id), None) => {
                ResolvedRef::Folded(resolution, resolution.nodes.children_of(id)[index].node)
            }
            (inside, None) => inside,
        }
    }

    fn entry(self, index: usize) -> (&'r str, Self) {
        match (self, self.node()) {
            (_, Some(node)) => {
                let (key, value) = node.entry(index);
                (key, ResolvedRef::Inside(value))
            }
            (ResolvedRef::Folded(resolution, id), None) => {
                let child = resolution.nodes.children_of(id)[index];
                (
                    resolution.unpack_node(child.key).content(),
                    ResolvedRef::Folded(resolution, child.node),
                )
            }
            (inside, None) => ("", inside),
        }
    }

    fn node(self) -> Option<NodeRef<'r>> {
        match self {
            ResolvedRef::Inside(node) => Some(node),
            ResolvedRef::Folded(resolution, id) => {
                let resolved = resolution.nodes.get(id);
                (resolved.body == NodeBody::Whole).then(|| resolution.unpack_node(resolved.origin))
            }
        }
    }
}
