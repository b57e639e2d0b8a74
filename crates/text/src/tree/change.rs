//! Changes to the nodes of a document, independent of its format.

use super::document::NodeRef;
use super::kind::NodeKind;
use super::nodes::NodeId;
use super::view::{NodeShape, TreeView, equal};

/// Changes to one document, none inside another.
pub(crate) struct DocumentChanges<'v, V> {
    /// The root of a document that has no value yet.
    pub(crate) root: Option<V>,
    /// Nodes with new values.
    pub(crate) replaced: Vec<(NodeId, V)>,
    /// Containers that lose or gain children, each at most once.
    pub(crate) containers: Vec<ContainerChange<'v, V>>,
}

/// Children that one container loses and gains. Indices refer to the original children.
pub(crate) struct ContainerChange<'v, V> {
    pub(crate) container: NodeId,
    /// Removed children, ascending.
    pub(crate) removed: Vec<usize>,
    /// Inserted children, ascending by `before`.
    pub(crate) inserted: Vec<ChildInsertion<'v, V>>,
}

/// A new child.
pub(crate) struct ChildInsertion<'v, V> {
    /// The child to insert before, or the number of children for the end. In maps always the end.
    pub(crate) before: usize,
    /// The key, in maps.
    pub(crate) key: Option<&'v str>,
    pub(crate) value: V,
}

impl<'v, V: TreeView<'v>> DocumentChanges<'v, V> {
    pub(crate) fn none() -> Self {
        DocumentChanges {
            root: None,
            replaced: Vec::new(),
            containers: Vec::new(),
        }
    }

    /// The changes that turn `node` into `target`, as deep as possible.
    pub(crate) fn between(node: NodeRef<'_>, target: V) -> Self {
        let mut changes = DocumentChanges::none();
        changes.compare(node, target);
        changes
    }

    /// The insertion of one child.
    pub(crate) fn insertion(container: NodeRef<'_>, insertion: ChildInsertion<'v, V>) -> Self {
        let change = ContainerChange {
            container: container.id(),
            removed: Vec::new(),
            inserted: vec![insertion],
        };
        DocumentChanges {
            containers: vec![change],
            ..DocumentChanges::none()
        }
    }

    /// The removal of one child.
    pub(crate) fn removal(container: NodeRef<'_>, index: usize) -> Self {
        let change = ContainerChange {
            container: container.id(),
            removed: vec![index],
            inserted: Vec::new(),
        };
        DocumentChanges {
            containers: vec![change],
            ..DocumentChanges::none()
        }
    }

    /// All inserted values.
    pub(crate) fn new_values(&self) -> impl Iterator<Item = V> {
        let inserted = self
            .containers
            .iter()
            .flat_map(|change| change.inserted.iter().map(|insertion| insertion.value));
        self.root
            .into_iter()
            .chain(self.replaced.iter().map(|(_, value)| *value))
            .chain(inserted)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_none() && self.replaced.is_empty() && self.containers.is_empty()
    }

    fn compare(&mut self, node: NodeRef<'_>, target: V) {
        if target
            .node()
            .is_some_and(|t| t.id() == node.id() && std::ptr::eq(t.document(), node.document()))
        {
            return;
        }
        match (node.kind(), target.shape()) {
            (NodeKind::Map, NodeShape::Map(count)) => self.compare_maps(node, target, count),
            (NodeKind::List, NodeShape::List(count)) => self.compare_lists(node, target, count),
            (_, shape) if shape == node.shape() => {}
            _ => self.replaced.push((node.id(), target)),
        }
    }

    fn compare_maps(&mut self, node: NodeRef<'_>, target: V, count: usize) {
        let mut change = ContainerChange {
            container: node.id(),
            removed: Vec::new(),
            inserted: Vec::new(),
        };
        // Merged maps keep the lower order, so the next key is nearly always the right one.
        let mut index: Option<hashbrown::HashMap<&str, usize, foldhash::fast::FixedState>> = None;
        let mut next = 0;
        let mut cursor = 0;
        for (at, (key, value)) in node.entries().enumerate() {
            let key = key.content();
            let found = if cursor < count && target.entry(cursor).0 == key {
                Some(cursor)
            } else {
                let index = index
                    .get_or_insert_with(|| (0..count).map(|at| (target.entry(at).0, at)).collect());
                index.get(key).copied()
            };
            match found {
                Some(position) => {
                    next += 1;
                    cursor = position + 1;
                    self.compare(value, target.entry(position).1);
                }
                None => change.removed.push(at),
            }
        }
        if next < count {
            let existing_keys: hashbrown::HashSet<&str, foldhash::fast::FixedState> =
                node.entries().map(|(key, _)| key.content()).collect();
            let new = (0..count)
                .map(|at| target.entry(at))
                .filter(|(key, _)| !existing_keys.contains(key));
            change
                .inserted
                .extend(new.map(|(key, value)| ChildInsertion {
                    before: node.len(),
                    key: Some(key),
                    value,
                }));
        }
        self.push(change);
    }

    /// Equal items at both ends stay. Between them, items that are versions of each other are changed in place; all
    /// others are removed or inserted, so no comment ends up next to an item that it does not describe.
    fn compare_lists(&mut self, node: NodeRef<'_>, target: V, count: usize) {
        let old = node.len();
        let most = old.min(count);
        let prefix = (0..most)
            .take_while(|at| same(node.item(*at), target.item(*at)))
            .count();
        let suffix = (0..most - prefix)
            .take_while(|at| same(node.item(old - 1 - at), target.item(count - 1 - at)))
            .count();
        let mut change = ContainerChange {
            container: node.id(),
            removed: Vec::new(),
            inserted: Vec::new(),
        };
        let (old_end, new_end) = (old - suffix, count - suffix);
        // Insertions are collected until the next remaining item: several at one position must be written together, or
        // their separators would be wrong.
        let mut waiting: Vec<V> = Vec::new();
        let mut flush = |before: usize, waiting: &mut Vec<V>| {
            change
                .inserted
                .extend(waiting.drain(..).map(|value| ChildInsertion {
                    before,
                    key: None,
                    value,
                }));
        };
        for at in prefix..old_end.max(new_end) {
            if at < old_end && at < new_end && are_kin(node.item(at), target.item(at)) {
                flush(at, &mut waiting);
                self.compare(node.item(at), target.item(at));
                continue;
            }
            if at < old_end {
                change.removed.push(at);
            }
            if at < new_end {
                waiting.push(target.item(at));
            }
        }
        flush(old_end, &mut waiting);
        self.push(change);
    }

    fn push(&mut self, change: ContainerChange<'v, V>) {
        if !(change.removed.is_empty() && change.inserted.is_empty()) {
            self.containers.push(change);
        }
    }
}

/// Whether one is a version of the other: two lists, or two maps with a common entry.
fn are_kin<'v>(node: NodeRef<'_>, target: impl TreeView<'v>) -> bool {
    match (node.kind(), target.shape()) {
        (NodeKind::List, NodeShape::List(_)) => true,
        (NodeKind::Map, NodeShape::Map(count)) => {
            let agrees = |(key, value)| {
                node.get(key)
                    .is_some_and(|old_value| equal(old_value, value))
            };
            (0..count).map(|at| target.entry(at)).any(agrees)
        }
        _ => false,
    }
}

/// Whether the values are equal and nothing is lost by keeping the old spelling.
fn same<'v>(node: NodeRef<'_>, target: impl TreeView<'v>) -> bool {
    let mut changes = DocumentChanges::none();
    equal(node, target) && {
        changes.compare(node, target);
        changes.is_empty()
    }
}
