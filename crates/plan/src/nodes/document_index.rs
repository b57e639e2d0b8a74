//! A document with an index of its keys and items: large documents are searched for thousands of locations.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use agpm_model::NodeLocation;
use agpm_text::{Document, Format, NodeId, NodeKind, NodeRef, Pointer, TreeView, to_value};

use super::owned::OwnedNode;
use super::sum::NodeSum;

/// Maps up to this size are searched without an index.
const SMALL: usize = 16;

pub(super) struct DocumentIndex<'d> {
    pub(super) document: &'d Document,
    keys: RefCell<HashMap<NodeId, HashMap<&'d str, NodeId>>>,
    lists: RefCell<HashMap<NodeId, Rc<ListSums>>>,
    ids: RefCell<HashMap<(NodeId, String), Rc<Ids>>>,
}

/// The items by the value of a key, as JSON.
type Ids = HashMap<String, Vec<usize>>;

/// The checksums of the items of a list.
#[derive(Default)]
pub(super) struct ListSums {
    pub(super) all: Vec<NodeSum>,
    positions: HashMap<NodeSum, Vec<usize>>,
}

impl ListSums {
    /// The indices of the items with a checksum.
    pub(super) fn positions(&self, sum: NodeSum) -> &[usize] {
        self.positions
            .get(&sum)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// The result of following a pointer.
#[derive(Clone, Copy)]
pub(super) enum PathLookup<'d> {
    /// The node exists.
    There(NodeRef<'d>),
    /// The node is missing; this many steps exist.
    Missing(usize),
    /// After this many steps comes a value that has no keys.
    Blocked(usize, NodeKind),
}

impl<'d> DocumentIndex<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let (keys, lists, ids) = Default::default();
        DocumentIndex {
            document,
            keys,
            lists,
            ids,
        }
    }

    /// Follows a pointer.
    pub(super) fn look_up(&self, at: &Pointer) -> PathLookup<'d> {
        let Some(mut node) = self.document.root() else {
            return PathLookup::Missing(0);
        };
        for (length, step) in at.steps().iter().enumerate() {
            if node.kind() != NodeKind::Map {
                return PathLookup::Blocked(length, node.kind());
            }
            match self.child(node, step) {
                Some(child) => node = child,
                None => return PathLookup::Missing(length + 1),
            }
        }
        PathLookup::There(node)
    }

    pub(super) fn at(&self, at: &Pointer) -> Option<NodeRef<'d>> {
        match self.look_up(at) {
            PathLookup::There(node) => Some(node),
            _ => None,
        }
    }

    fn child(&self, map: NodeRef<'d>, step: &str) -> Option<NodeRef<'d>> {
        // Most objects have a handful of keys, where building an index costs more than searching.
        if map.len() <= SMALL {
            return map.get(step);
        }
        let mut keys = self.keys.borrow_mut();
        let index = keys.entry(map.id()).or_insert_with(|| {
            map.entries()
                .map(|(key, value)| (key.content(), value.id()))
                .collect()
        });
        index.get(step).map(|id| self.document.node(*id))
    }

    /// The missing containers on the way to a pointer, including the last one. In TOML the root always exists.
    pub(super) fn missing(&self, at: &Pointer) -> impl Iterator<Item = Pointer> {
        let from = match self.look_up(at) {
            PathLookup::Missing(length) => length,
            _ => at.steps().len() + 1,
        };
        let first = from.max(usize::from(self.document.format() == Format::Toml));
        (first..=at.steps().len()).map(|length| ancestor_at(at, length))
    }

    /// The checksums of the items of a list; empty if it does not exist.
    pub(super) fn sums(&self, list: &Pointer) -> Rc<ListSums> {
        let Some(node) = self.at(list).filter(|node| node.kind() == NodeKind::List) else {
            return Rc::default();
        };
        let mut lists = self.lists.borrow_mut();
        let sums = lists.entry(node.id()).or_insert_with(|| {
            let mut sums = ListSums {
                all: node.items().map(NodeSum::of).collect(),
                ..ListSums::default()
            };
            for (index, sum) in sums.all.iter().enumerate() {
                sums.positions.entry(*sum).or_default().push(index);
            }
            Rc::new(sums)
        });
        Rc::clone(sums)
    }

    pub(super) fn items(&self, list: &Pointer) -> Vec<NodeRef<'d>> {
        self.at(list).into_iter().flat_map(NodeRef::items).collect()
    }

    pub(super) fn item(&self, list: &Pointer, index: usize) -> Option<NodeRef<'d>> {
        self.at(list)
            .filter(|node| index < node.len())
            .map(|node| node.item(index))
    }

    /// The items of a list that have a key with this value.
    pub(super) fn with_id(&self, list: &Pointer, key: &str, id: &str) -> Vec<usize> {
        let Some(node) = self.at(list).filter(|node| node.kind() == NodeKind::List) else {
            return Vec::new();
        };
        let mut all = self.ids.borrow_mut();
        let ids = all.entry((node.id(), key.to_owned())).or_insert_with(|| {
            let mut ids = Ids::new();
            for (index, item) in node.items().enumerate() {
                let Some(id) = item.get(key) else { continue };
                // As JSON, so the number 1 and the string "1" are different ids, as they are to the tools.
                let id = to_value(id).to_json().trim_end().to_owned();
                ids.entry(id).or_default().push(index);
            }
            Rc::new(ids)
        });
        ids.get(id).cloned().unwrap_or_default()
    }

    /// The location of a managed node if it is unmodified, with its index in a list.
    pub(super) fn spot(
        &self,
        node: &OwnedNode,
        is_free: impl Fn(usize) -> bool,
    ) -> Option<(usize, Pointer)> {
        let item = |list: &Pointer, index: usize| (index, list.child(index.to_string()));
        match &node.location {
            NodeLocation::Key(at) | NodeLocation::Default(at) => {
                let now = self.at(at)?;
                (NodeSum::of(now) == node.checksum).then(|| (0, at.clone()))
            }
            NodeLocation::Item(list) => {
                let sums = self.sums(list);
                let index = sums
                    .positions(node.checksum)
                    .iter()
                    // From the end: agpm appends, so of equal items the last one is its own and the earlier ones
                    // are the user's.
                    .rev()
                    .find(|index| is_free(**index))?;
                Some(item(list, *index))
            }
            NodeLocation::Keyed { list, key, id } => {
                let says_so = |index: &usize| self.sums(list).all[*index] == node.checksum;
                let found = self
                    .with_id(list, key, id)
                    .into_iter()
                    .filter(|index| is_free(*index));
                found
                    .into_iter()
                    .find(says_so)
                    .map(|index| item(list, index))
            }
        }
    }

    pub(super) fn holds(&self, node: &OwnedNode) -> bool {
        self.spot(node, |_| true).is_some()
    }

    /// The locations of unmodified nodes, none twice.
    pub(super) fn spots<'n>(
        &self,
        nodes: impl IntoIterator<Item = &'n OwnedNode>,
    ) -> Vec<(usize, Pointer)> {
        let mut taken: HashSet<(Pointer, usize)> = HashSet::new();
        let mut spots = Vec::new();
        for node in nodes {
            let list = node.location.pointer();
            let spot = self.spot(node, |index| !taken.contains(&(list.clone(), index)));
            if let Some((index, _)) = spot {
                taken.insert((list.clone(), index));
            }
            spots.extend(spot);
        }
        spots
    }
}

/// The first `length` steps of a pointer.
pub(super) fn ancestor_at(at: &Pointer, length: usize) -> Pointer {
    at.steps()[..length].iter().cloned().collect()
}
