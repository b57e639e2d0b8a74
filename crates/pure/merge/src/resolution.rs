//! The result: an arena of references into the layers' documents.

use agpm_diag::Diagnostic;
use agpm_text::{Kind, NodeId, NodeRef, Pointer, Shape, View};

use crate::fold::Contribution;

/// A node of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Which contribution, counted from the lowest.
    pub layer: u32,
    /// Which node of its document.
    pub node: NodeId,
}

/// What brought a leaf into the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafOperation {
    /// Only one layer has a say.
    Only,
    /// The highest replaced the others.
    Replace,
    /// An item joined a list that did not hold it.
    Extend,
    /// An item joined the end of a list.
    Append,
    /// An item joined the beginning of a list.
    Prepend,
    /// An item of a set.
    Union,
    /// An item with a key.
    ByKey,
    /// The highest that was not blank.
    NonEmpty,
    /// The lowest stayed.
    KeepLower,
    /// An embedder's own strategy chose it.
    Own,
}

impl LeafOperation {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            LeafOperation::Only => "only",
            LeafOperation::Replace => "replace",
            LeafOperation::Extend => "extend",
            LeafOperation::Append => "append",
            LeafOperation::Prepend => "prepend",
            LeafOperation::Union => "union",
            LeafOperation::ByKey => "by-key",
            LeafOperation::NonEmpty => "non-empty",
            LeafOperation::KeepLower => "keep-lower",
            LeafOperation::Own => "own",
        }
    }
}

/// Something a layer said that is not in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// What was said.
    pub origin: Origin,
    /// Why it is not there.
    pub kind: ShadowKind,
}

/// Why something is not in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadowKind {
    /// Another value counts.
    Replaced,
    /// The same value is there already.
    Duplicate,
}

/// A place that the strategy deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The place.
    pub pointer: Pointer,
    /// What the layers said there, highest first.
    pub shadows: Vec<Shadow>,
}

/// A value of the result that has no children, with its provenance.
#[derive(Clone, Debug)]
pub struct Leaf<'r> {
    /// Where it is in the result.
    pub pointer: Pointer,
    /// The value, in the document it came from.
    pub value: NodeRef<'r>,
    /// Which contribution it came from.
    pub layer: u32,
    /// How it got there.
    pub operation: LeafOperation,
    /// What it shadows, highest first.
    pub shadows: Vec<Shadow>,
}

/// An origin in four bytes: the nodes of all contributions are numbered through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed(u32);

/// A shadow in four bytes: the highest bit says that it is a duplicate.
#[derive(Clone, Copy, Debug)]
struct PackedShadow(u32);

const DUPLICATE: u32 = 1 << 31;

/// Where each contribution's numbers start.
#[derive(Clone, Debug)]
pub(crate) struct Numbering(Vec<u32>);

impl Numbering {
    pub(crate) fn new(contributions: &[Contribution]) -> Self {
        let mut next = 0usize;
        let start = |contribution: &Contribution| {
            let start = next;
            next += contribution.document.node_count();
            u32::try_from(start)
                .ok()
                .filter(|start| *start < DUPLICATE)
                .expect("documents have fewer nodes than bytes")
        };
        Numbering(contributions.iter().map(start).collect())
    }

    pub(crate) fn pack(&self, origin: Origin) -> Packed {
        Packed(self.0[origin.layer as usize] + origin.node.index())
    }

    fn unpack(&self, packed: Packed) -> Origin {
        let layer = self.0.partition_point(|start| *start <= packed.0) - 1;
        Origin { layer: layer as u32, node: NodeId::from_index(packed.0 - self.0[layer]) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// The node of a layer as it is.
    Whole,
    /// A map of entries, each resolved.
    Map,
    /// A list of items, each resolved.
    List,
}

/// Sixteen bytes: there is one for every place that is not a layer's own through and through.
#[derive(Clone, Copy, Debug)]
struct Resolved {
    origin: Packed,
    /// Whole nodes: start and count in `shadows`. Others: start and count in `children`.
    start: u32,
    count: u32,
    body: Body,
    operation: LeafOperation,
}

/// A child of a merged node; in lists the key is not looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub(crate) key: Packed,
    pub(crate) node: u32,
}

/// The nodes of a result, while they are made and afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    pub(crate) numbering: Numbering,
    list: Vec<Resolved>,
    children: Vec<Child>,
    shadows: Vec<PackedShadow>,
    /// What maps and lists that were folded shadow, rarely anything: node, start and count in `shadows`, ascending.
    folded_shadows: Vec<(u32, u32, u32)>,
}

impl Nodes {
    pub(crate) fn new(contributions: &[Contribution]) -> Self {
        Nodes {
            numbering: Numbering::new(contributions),
            list: Vec::new(),
            children: Vec::new(),
            shadows: Vec::new(),
            folded_shadows: Vec::new(),
        }
    }

    /// A layer's node as it is.
    pub(crate) fn whole(
        &mut self,
        origin: Origin,
        operation: LeafOperation,
        shadows: impl Iterator<Item = Shadow>,
    ) -> u32 {
        let (start, count) = self.keep(shadows);
        let origin = self.numbering.pack(origin);
        self.push(Resolved { origin, start, count, body: Body::Whole, operation })
    }

    /// A map or list of children.
    pub(crate) fn folded(
        &mut self,
        body: Body,
        origin: Origin,
        children: &[Child],
        shadows: &[Shadow],
    ) -> u32 {
        let start = narrow(self.children.len());
        self.children.extend_from_slice(children);
        let origin = self.numbering.pack(origin);
        let count = narrow(children.len());
        let node = self.push(Resolved { origin, start, count, body, operation: LeafOperation::Replace });
        if !shadows.is_empty() {
            let (start, count) = self.keep(shadows.iter().copied());
            self.folded_shadows.push((node, start, count));
        }
        node
    }

    /// Marks an item that nothing else was said about with how it joined its list.
    pub(crate) fn joined(&mut self, node: u32, operation: LeafOperation, duplicates: &[Shadow]) {
        if self.list[node as usize].operation == LeafOperation::Only {
            let (start, count) = self.keep(duplicates.iter().copied());
            let resolved = &mut self.list[node as usize];
            *resolved = Resolved { operation, start, count, ..*resolved };
        }
    }

    fn push(&mut self, resolved: Resolved) -> u32 {
        self.list.push(resolved);
        narrow(self.list.len() - 1)
    }

    fn keep(&mut self, shadows: impl Iterator<Item = Shadow>) -> (u32, u32) {
        let start = self.shadows.len();
        let numbering = &self.numbering;
        self.shadows.extend(shadows.map(|shadow| {
            let flag = if shadow.kind == ShadowKind::Duplicate { DUPLICATE } else { 0 };
            PackedShadow(numbering.pack(shadow.origin).0 | flag)
        }));
        (narrow(start), narrow(self.shadows.len() - start))
    }

    fn children_of(&self, node: u32) -> &[Child] {
        let resolved = &self.list[node as usize];
        match resolved.body {
            Body::Whole => &[],
            _ => &self.children[resolved.start as usize..(resolved.start + resolved.count) as usize],
        }
    }

    fn shadows_of(&self, node: u32) -> Vec<Shadow> {
        let resolved = &self.list[node as usize];
        let (start, count) = match resolved.body {
            Body::Whole => (resolved.start, resolved.count),
            _ => match self.folded_shadows.binary_search_by_key(&node, |(known, _, _)| *known) {
                Ok(at) => (self.folded_shadows[at].1, self.folded_shadows[at].2),
                Err(_) => (0, 0),
            },
        };
        let unpack = |shadow: &PackedShadow| Shadow {
            origin: self.numbering.unpack(Packed(shadow.0 & !DUPLICATE)),
            kind: if shadow.0 & DUPLICATE == 0 { ShadowKind::Replaced } else { ShadowKind::Duplicate },
        };
        self.shadows[start as usize..(start + count) as usize].iter().map(unpack).collect()
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("a result has no more nodes than its sources have bytes")
}

/// One value out of many layers, and where all of it came from.
#[derive(Clone, Debug)]
pub struct Resolution {
    pub(crate) contributions: Vec<Contribution>,
    pub(crate) nodes: Nodes,
    pub(crate) root: Option<u32>,
    pub(crate) deletions: Vec<Deletion>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A node of a result.
#[derive(Clone, Copy, Debug)]
pub enum ResolvedRef<'r> {
    /// A node that was folded.
    Folded(&'r Resolution, u32),
    /// A node inside a layer's own.
    Inside(NodeRef<'r>),
}

impl Resolution {
    /// The value of the whole; nothing if no layer says anything.
    pub fn root(&self) -> Option<ResolvedRef<'_>> {
        self.root.map(|root| ResolvedRef::Folded(self, root))
    }

    /// What was folded, lowest first.
    pub fn contributions(&self) -> &[Contribution] {
        &self.contributions
    }

    /// What was found on the way.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// What the strategy deleted.
    pub fn deletions(&self) -> &[Deletion] {
        &self.deletions
    }

    /// The value at a place.
    pub fn at(&self, pointer: &Pointer) -> Option<ResolvedRef<'_>> {
        pointer.steps().iter().try_fold(self.root()?, |view, step| match view.shape() {
            Shape::Map(count) => {
                (0..count).map(|at| view.entry(at)).find(|(key, _)| key == step).map(|(_, v)| v)
            }
            Shape::List(count) => step.parse().ok().filter(|at| *at < count).map(|at| view.item(at)),
            _ => None,
        })
    }

    /// The node that a layer said.
    pub fn node(&self, origin: Origin) -> NodeRef<'_> {
        self.contributions[origin.layer as usize].document.node(origin.node)
    }

    /// Calls `visit` with every leaf at `under` or below, in order. Empty maps and lists are leaves.
    pub fn each_leaf<'r>(&'r self, under: &Pointer, visit: &mut dyn FnMut(Leaf<'r>)) {
        if let Some(root) = self.root {
            let mut walk = Walk { resolution: self, under, pointer: Pointer::root(), visit };
            walk.folded(root);
        }
    }

    fn resolved(&self, node: u32) -> &Resolved {
        &self.nodes.list[node as usize]
    }

    /// The layer's node behind a packed origin.
    fn packed(&self, packed: Packed) -> NodeRef<'_> {
        self.node(self.nodes.numbering.unpack(packed))
    }
}

/// A leaf's layer, operation and shadows, on the way down inside a layer's own node.
#[derive(Clone)]
struct Lot {
    layer: u32,
    operation: LeafOperation,
    shadows: Vec<Shadow>,
}

struct Walk<'w, 'r> {
    resolution: &'r Resolution,
    under: &'w Pointer,
    pointer: Pointer,
    visit: &'w mut dyn FnMut(Leaf<'r>),
}

impl<'r> Walk<'_, 'r> {
    /// Whether the place is on the way to, at or below the one asked for.
    fn concerned(&self) -> bool {
        self.pointer.is_within(self.under) || self.under.is_within(&self.pointer)
    }

    fn folded(&mut self, node: u32) {
        let resolution = self.resolution;
        let resolved = resolution.resolved(node);
        let origin = resolution.nodes.numbering.unpack(resolved.origin);
        let shadows = resolution.nodes.shadows_of(node);
        let lot = Lot { layer: origin.layer, operation: resolved.operation, shadows };
        let children = resolution.nodes.children_of(node);
        if children.is_empty() {
            return self.inside(resolution.node(origin), lot);
        }
        for (index, child) in children.iter().enumerate() {
            let step = match resolved.body {
                Body::Map => resolution.packed(child.key).content().to_owned(),
                _ => index.to_string(),
            };
            self.pointer.push(step);
            if self.concerned() {
                self.folded(child.node);
            }
            self.pointer.pop();
        }
    }

    fn inside(&mut self, node: NodeRef<'r>, lot: Lot) {
        let count = node.len();
        if count == 0 {
            if self.pointer.is_within(self.under) {
                let Lot { layer, operation, shadows } = lot;
                (self.visit)(Leaf { pointer: self.pointer.clone(), value: node, layer, operation, shadows });
            }
            return;
        }
        for at in 0..count {
            let (step, child) = match node.kind() {
                Kind::Map => {
                    let (key, value) = node.entry(at);
                    (key.to_owned(), value)
                }
                _ => (at.to_string(), node.item(at)),
            };
            let below = self.lot_below(&lot, node.kind(), &step);
            self.pointer.push(step);
            if self.concerned() {
                self.inside(child, below);
            }
            self.pointer.pop();
        }
    }

    /// What was shadowed as a whole is shadowed part by part.
    fn lot_below(&self, lot: &Lot, kind: Kind, step: &str) -> Lot {
        let follow = |shadow: &Shadow| {
            let node = self.resolution.node(shadow.origin);
            if node.kind() != kind {
                return Some(*shadow);
            }
            let child = match kind {
                Kind::Map => node.get(step)?,
                _ => node.items().nth(step.parse().ok()?)?,
            };
            Some(Shadow { origin: Origin { node: child.id(), ..shadow.origin }, ..*shadow })
        };
        Lot { shadows: lot.shadows.iter().filter_map(follow).collect(), ..*lot }
    }
}

impl<'r> View<'r> for ResolvedRef<'r> {
    fn shape(self) -> Shape<'r> {
        match self {
            ResolvedRef::Inside(node) => node.shape(),
            ResolvedRef::Folded(resolution, id) => {
                let resolved = resolution.resolved(id);
                match resolved.body {
                    Body::Whole => resolution.packed(resolved.origin).shape(),
                    Body::Map => Shape::Map(resolved.count as usize),
                    Body::List => Shape::List(resolved.count as usize),
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
                (resolution.packed(child.key).content(), ResolvedRef::Folded(resolution, child.node))
            }
            (inside, None) => ("", inside),
        }
    }

    fn node(self) -> Option<NodeRef<'r>> {
        match self {
            ResolvedRef::Inside(node) => Some(node),
            ResolvedRef::Folded(resolution, id) => {
                let resolved = resolution.resolved(id);
                (resolved.body == Body::Whole).then(|| resolution.packed(resolved.origin))
            }
        }
    }
}
