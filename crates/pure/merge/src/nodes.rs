//! The arena of a result. Every number in it is four bytes: results are as large as their sources.

use agpm_text::NodeId;

use crate::contribution::Contribution;
use crate::origin::{LeafOperation, Origin, Shadow, ShadowKind};

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

    pub(crate) fn unpack(&self, packed: Packed) -> Origin {
        let layer = self.0.partition_point(|start| *start <= packed.0) - 1;
        Origin {
            layer: layer as u32,
            node: NodeId::from_index(packed.0 - self.0[layer]),
        }
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
pub(crate) struct Resolved {
    pub(crate) origin: Packed,
    /// Whole nodes: start and count in `shadows`. Others: start and count in `children`.
    start: u32,
    pub(crate) count: u32,
    pub(crate) body: Body,
    pub(crate) operation: LeafOperation,
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

    pub(crate) fn get(&self, node: u32) -> &Resolved {
        &self.list[node as usize]
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
        self.push(Resolved {
            origin,
            start,
            count,
            body: Body::Whole,
            operation,
        })
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
        let node = self.push(Resolved {
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

    /// Marks an item that nothing else was said about with how it joined its list.
    pub(crate) fn joined(&mut self, node: u32, operation: LeafOperation, duplicates: &[Shadow]) {
        if self.list[node as usize].operation == LeafOperation::Only {
            let (start, count) = self.keep(duplicates.iter().copied());
            let resolved = &mut self.list[node as usize];
            *resolved = Resolved {
                operation,
                start,
                count,
                ..*resolved
            };
        } else if !duplicates.is_empty() {
            self.shadow_also(node, duplicates);
        }
    }

    /// Adds shadows to the node that was made last.
    pub(crate) fn shadow_also(&mut self, node: u32, more: &[Shadow]) {
        let mut all = self.shadows_of(node);
        all.extend_from_slice(more);
        let (start, count) = self.keep(all.into_iter());
        let resolved = &mut self.list[node as usize];
        if resolved.body == Body::Whole {
            *resolved = Resolved {
                start,
                count,
                ..*resolved
            };
            return;
        }
        match self
            .folded_shadows
            .binary_search_by_key(&node, |(known, _, _)| *known)
        {
            Ok(at) => self.folded_shadows[at] = (node, start, count),
            Err(at) => self.folded_shadows.insert(at, (node, start, count)),
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
            let flag = if shadow.kind == ShadowKind::Duplicate {
                DUPLICATE
            } else {
                0
            };
            PackedShadow(numbering.pack(shadow.origin).0 | flag)
        }));
        (narrow(start), narrow(self.shadows.len() - start))
    }

    pub(crate) fn children_of(&self, node: u32) -> &[Child] {
        let resolved = &self.list[node as usize];
        match resolved.body {
            Body::Whole => &[],
            _ => {
                &self.children[resolved.start as usize..(resolved.start + resolved.count) as usize]
            }
        }
    }

    pub(crate) fn shadows_of(&self, node: u32) -> Vec<Shadow> {
        let resolved = &self.list[node as usize];
        let (start, count) = match resolved.body {
            Body::Whole => (resolved.start, resolved.count),
            _ => match self
                .folded_shadows
                .binary_search_by_key(&node, |(known, _, _)| *known)
            {
                Ok(at) => (self.folded_shadows[at].1, self.folded_shadows[at].2),
                Err(_) => (0, 0),
            },
        };
        let unpack = |shadow: &PackedShadow| Shadow {
            origin: self.numbering.unpack(Packed(shadow.0 & !DUPLICATE)),
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
