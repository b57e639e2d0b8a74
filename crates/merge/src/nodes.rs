//! The arena of a result. Every number in it has four bytes: results are as large as their sources.

use agpm_text::NodeId;

use crate::contribution::Contribution;
use crate::origin::{LeafOperation, NodeOrigin, ShadowKind, ShadowedValue};

/// An origin in four bytes: the nodes of all contributions are numbered consecutively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedOrigin(u32);

/// A shadow in four bytes: the highest bit marks a duplicate.
#[derive(Clone, Copy, Debug)]
struct PackedShadow(u32);

// A flag in the top bit keeps a node at 16 bytes; three files of 11 MB have millions of nodes.
const DUPLICATE: u32 = 1 << 31;

/// The first number of each contribution.
#[derive(Clone, Debug)]
pub(crate) struct NodeNumbering(Vec<u32>);

impl NodeNumbering {
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
        NodeNumbering(contributions.iter().map(start).collect())
    }

    pub(crate) fn pack(&self, origin: NodeOrigin) -> PackedOrigin {
        PackedOrigin(self.0[origin.layer as usize] + origin.node.index())
    }

    pub(crate) fn unpack(&self, packed: PackedOrigin) -> NodeOrigin {
        let layer = self.0.partition_point(|start| *start <= packed.0) - 1;
        NodeOrigin {
            layer: layer as u32,
            node: NodeId::from_index(packed.0 - self.0[layer]),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeBody {
    /// The unchanged node of a layer.
    Whole,
    /// An object of resolved entries.
    Map,
    /// A list of resolved items.
    List,
}

/// Sixteen bytes: one exists for every node that is not entirely from one layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedNode {
    pub(crate) origin: PackedOrigin,
    /// Whole nodes: start and count in `shadows`. Others: start and count in `children`.
    start: u32,
    pub(crate) count: u32,
    pub(crate) body: NodeBody,
    pub(crate) operation: LeafOperation,
}

/// A child of a merged node; in lists the key is ignored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedChild {
    pub(crate) key: PackedOrigin,
    pub(crate) node: u32,
}

/// The nodes of a result, while they are made and afterwards.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedNodes {
    pub(crate) numbering: NodeNumbering,
    list: Vec<ResolvedNode>,
    children: Vec<ResolvedChild>,
    shadows: Vec<PackedShadow>,
    /// The shadows of merged maps and lists, which are rare: node, start and count in `shadows`, ascending.
    folded_shadows: Vec<(u32, u32, u32)>,
}

impl ResolvedNodes {
    pub(crate) fn new(contributions: &[Contribution]) -> Self {
        ResolvedNodes {
            numbering: NodeNumbering::new(contributions),
            list: Vec::new(),
            children: Vec::new(),
            shadows: Vec::new(),
            folded_shadows: Vec::new(),
        }
    }

    pub(crate) fn get(&self, node: u32) -> &ResolvedNode {
        &self.list[node as usize]
    }

    /// Adds an unchanged node of a layer.
    pub(crate) fn use_whole(
        &mut self,
        origin: NodeOrigin,
        operation: LeafOperation,
        shadows: impl Iterator<Item = ShadowedValue>,
    ) -> u32 {
        let (start, count) = self.keep(shadows);
        let origin = self.numbering.pack(origin);
        self.push(ResolvedNode {
            origin,
            start,
            count,
            body: NodeBody::Whole,
            operation,
        })
    }

    /// Adds an object or list of children.
    pub(crate) fn folded(
        &mut self,
        body: NodeBody,
        origin: NodeOrigin,
        children: &[ResolvedChild],
        shadows: &[ShadowedValue],
    ) -> u32 {
        let start = narrow(self.children.len());
        self.children.extend_from_slice(children);
        let origin = self.numbering.pack(origin);
        let count = narrow(children.len());
        let node = self.push(ResolvedNode {
            origin,
            start,
            count,
            body,
            operation: LeafOperation::Replace,
        });
        if !shadows.is_empty() {
            let (start, count) = self.keep(shadows.iter().copied());
            self.folded_shadows.push((node, start, count));
        }
        node
    }

    /// Records how an item without other nodes joined its list.
    pub(crate) fn joined(
        &mut self,
        node: u32,
        operation: LeafOperation,
        duplicates: &[ShadowedValue],
    ) {
        if self.list[node as usize].operation == LeafOperation::Only {
            let (start, count) = self.keep(duplicates.iter().copied());
            let resolved = &mut self.list[node as usize];
            *resolved = ResolvedNode {
                operation,
                start,
                count,
                ..*resolved
            };
        } else if !duplicates.is_empty() {
            self.shadow_also(node, duplicates);
        }
    }

    /// Adds shadows to the most recent node.
    pub(crate) fn shadow_also(&mut self, node: u32, more: &[ShadowedValue]) {
        let mut all = self.shadows_of(node);
        all.extend_from_slice(more);
        let (start, count) = self.keep(all.into_iter());
        let resolved = &mut self.list[node as usize];
        if resolved.body == NodeBody::Whole {
            *resolved = ResolvedNode {
                start,
                count,
                ..*resolved
            };
            return;
        }
        match self
            .folded_shadows
            .binary_search_by_key(&node, |(folded, _, _)| *folded)
        {
            Ok(at) => self.folded_shadows[at] = (node, start, count),
            Err(at) => self.folded_shadows.insert(at, (node, start, count)),
        }
    }

    fn push(&mut self, resolved: ResolvedNode) -> u32 {
        self.list.push(resolved);
        narrow(self.list.len() - 1)
    }

    fn keep(&mut self, shadows: impl Iterator<Item = ShadowedValue>) -> (u32, u32) {
        let start = self.shadows.len();
        let numbering = &self.numbering;
        self.shadows.extend(shadows.map(|shadow| {
            let flag = if shadow.kind == ShadowKind::Duplicate {
                DUPLICATE
            } else {
                0
            };
            PackedShadow(numbering.pack(shadow.origin).0 | flag)
        }));
        (narrow(start), narrow(self.shadows.len() - start))
    }

    pub(crate) fn children_of(&self, node: u32) -> &[ResolvedChild] {
        let resolved = &self.list[node as usize];
        match resolved.body {
            NodeBody::Whole => &[],
            _ => {
                &self.children[resolved.start as usize..(resolved.start + resolved.count) as usize]
            }
        }
    }

    pub(crate) fn shadows_of(&self, node: u32) -> Vec<ShadowedValue> {
        let resolved = &self.list[node as usize];
        let (start, count) = match resolved.body {
            NodeBody::Whole => (resolved.start, resolved.count),
            _ => match self
                .folded_shadows
                .binary_search_by_key(&node, |(folded, _, _)| *folded)
            {
                Ok(at) => (self.folded_shadows[at].1, self.folded_shadows[at].2),
                Err(_) => (0, 0),
            },
        };
        let unpack = |shadow: &PackedShadow| ShadowedValue {
            origin: self.numbering.unpack(PackedOrigin(shadow.0 & !DUPLICATE)),
            kind: if shadow.0 & DUPLICATE == 0 {
                ShadowKind::Replaced
            } else {
                ShadowKind::Duplicate
            },
        };
        self.shadows[start as usize..(start + count) as usize]
            .iter()
            .map(unpack)
            .collect()
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("a result has no more nodes than its sources have bytes")
}
