//! Decides the change to each node of a document.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use agpm_model::{NodeLocation, Owner};
use agpm_text::{
    Document, Edit, Format, NodeKind, NodeRef, NodeShape, Pointer, TreeView, Value, equal,
};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::desired_set::WantedNode;
use super::document_index::{DocumentIndex, PathLookup, ancestor_at};
use super::edited::{EditedNode, edits_between};
use super::managed_nodes::ManagedNodes;
use super::order::ItemOrder;
use super::owned::OwnedNode;
use super::resemblance::{fingerprint_node, is_bare};
use super::sum::NodeSum;
use super::undecided_nodes::UndecidedNodes;
use crate::change::{Author, ChangeAction, ChangeReason, Obstacle, OverwriteRule};

/// The change to one node.
#[derive(Debug)]
pub(super) struct NodeStep {
    pub(super) at: Pointer,
    pub(super) action: ChangeAction,
    pub(super) reason: ChangeReason,
    pub(super) owner: Owner,
}

/// The obstacle for one node.
pub(super) struct RefusedNode {
    pub(super) at: Pointer,
    pub(super) obstacle: Obstacle,
    pub(super) owner: Owner,
}

/// The decisions.
#[derive(Default)]
pub(super) struct NodeDecisions {
    pub(super) edits: Vec<Edit>,
    /// Nodes that are managed afterwards.
    pub(super) nodes: Vec<OwnedNode>,
    /// Locations where the user's value equals the desired one.
    pub(super) equal_user_nodes: BTreeSet<NodeLocation>,
    /// The values of edited items that agpm keeps.
    pub(super) kept_values: HashSet<(Pointer, NodeSum)>,
    /// Containers that become managed.
    pub(super) containers: Vec<Pointer>,
    pub(super) steps: Vec<NodeStep>,
    pub(super) refused: Vec<RefusedNode>,
    pub(super) unchanged: usize,
    /// Edited nodes of which a new version exists.
    pub(super) edited: Vec<EditedNode>,
}

pub(super) struct NodePlanner<'a> {
    pub(super) document_index: DocumentIndex<'a>,
    pub(super) managed: &'a ManagedNodes,
    pub(super) overwrite: OverwriteRule,
    /// Values to write in place of edited ones, by their position.
    pub(super) merged: Option<&'a BTreeMap<Pointer, Value>>,
    /// Managed nodes without a decision yet.
    pub(super) left: UndecidedNodes<'a>,
    /// Items that represent a managed node, by list and index.
    pub(super) claimed: HashSet<(Pointer, usize)>,
    /// The positions of desired items, and new items without a position yet.
    pub(super) order: ItemOrder,
    /// The values of managed nodes in lists, before and after.
    pub(super) managed_values: HashSet<(Pointer, NodeSum)>,
    /// Pointers of values that replaced managed nodes.
    covered: HashSet<Pointer>,
    /// Unmodified items that are no longer desired, in order, by list and owner.
    pub(super) untouched: HashMap<(Pointer, Owner), VecDeque<(usize, &'a OwnedNode)>>,
    pub(super) decisions: NodeDecisions,
}

/// The decision about one node.
enum NodeVerdict<'a> {
    Write(ChangeAction, ChangeReason),
    /// The node exists with the desired value, written by this author.
    Own(Author),
    /// The user wrote exactly the desired value.
    Adopt,
    /// The existing value is acceptable, and stays unmanaged.
    Accept,
    /// The node was edited and is kept.
    Keep(&'a OwnedNode),
    /// A value of the user blocks the node.
    Refuse,
}

/// The position of a node.
#[derive(Clone)]
enum EditPosition {
    /// Under a key.
    Key(Pointer),
    /// In a list, at this index.
    Item(Pointer, usize),
    /// At the end of a list.
    End(Pointer),
}

impl EditPosition {
    /// The pointer of the item if it exists, else of the list.
    fn pointer(&self) -> Pointer {
        match self {
            EditPosition::Key(at) | EditPosition::End(at) => at.clone(),
            EditPosition::Item(list, index) => list.child(index.to_string()),
        }
    }
}

impl<'a> NodePlanner<'a> {
    pub(super) fn new(
        document: &'a Document,
        managed: &'a ManagedNodes,
        nodes: &'a [OwnedNode],
        overwrite: OverwriteRule,
    ) -> Self {
        let managed_values = managed
            .nodes
            .iter()
            .map(|node| (node.location.pointer().clone(), node.checksum));
        NodePlanner {
            document_index: DocumentIndex::of(document),
            managed,
            overwrite,
            merged: None,
            left: UndecidedNodes::of(nodes),
            claimed: HashSet::new(),
            order: ItemOrder::default(),
            managed_values: managed_values.collect(),
            covered: HashSet::new(),
            untouched: HashMap::new(),
            decisions: NodeDecisions::default(),
        }
    }

    pub(super) fn decide_all(mut self, wanted: &[WantedNode<'_>]) -> NodeDecisions {
        // Existing items are claimed first, before other nodes look for one to replace.
        let mut rest = Vec::new();
        for (turn, node) in wanted.iter().enumerate() {
            self.order.turn = turn;
            match self.equal_item(node) {
                Some((list, index)) => self.find_item(node, list, index),
                None => rest.push((turn, node)),
            }
        }
        for (turn, node) in rest {
            self.order.turn = turn;
            self.decide(node);
        }
        self.retire();
        self.decisions
    }

    fn decide(&mut self, desired: &DesiredNode) {
        if let Some((length, kind)) = find_obstruction(&self.document_index, &desired.node.location)
        {
            return self.refuse_obstructed(desired, length, kind);
        }
        if self.would_flatten(desired) {
            let at = desired.node.location.pointer().clone();
            return self.refuse(at, Obstacle::Tables, &desired.owner);
        }
        match &desired.node.location {
            NodeLocation::Key(at) | NodeLocation::Default(at) => self.decide_key(desired, at),
            NodeLocation::Item(list) => self.decide_item(desired, list),
            NodeLocation::Keyed { list, key, id } => self.decide_keyed(desired, list, key, id),
        }
    }

    /// Whether adding an item would turn the user's `[[tables]]` into an inline list, which loses their layout and
    /// comments.
    fn would_flatten(&self, desired: &DesiredNode) -> bool {
        let node = match &desired.node.location {
            NodeLocation::Item(list) | NodeLocation::Keyed { list, .. } => {
                self.document_index.at(list)
            }
            NodeLocation::Key(_) | NodeLocation::Default(_) => None,
        };
        let is_table = matches!(desired.node.value.shape(), NodeShape::Map(_));
        node.is_some_and(|list| !is_table && is_of_tables(list))
    }

    /// Handles a value on the way to a location that cannot hold it: an edit over managed nodes, or a value of the
    /// user.
    fn refuse_obstructed(&mut self, desired: &DesiredNode, length: usize, kind: NodeKind) {
        let at = ancestor_at(desired.node.location.pointer(), length);
        if self.keeps_covered(&at, &desired.node.location) {
            return;
        }
        let obstacle = match desired.on_equal {
            OnEqualUserValue::Keep if length > 0 => Obstacle::Entry,
            _ => Obstacle::Value(kind),
        };
        self.refuse(at, obstacle, &desired.owner);
    }

    /// Whether a value replaced managed nodes; if so, they stay managed.
    fn keeps_covered(&mut self, at: &Pointer, location: &NodeLocation) -> bool {
        let nodes = self.left.take_where(|node| is_covered(node, at, location));
        if let Some(first) = nodes.first() {
            self.record_step(at, ChangeAction::Keep, ChangeReason::Edited, &first.owner);
            self.covered.insert(at.clone());
        }
        self.decisions.nodes.extend(nodes.into_iter().cloned());
        self.covered.contains(at)
    }

    fn decide_key(&mut self, desired: &DesiredNode, at: &Pointer) {
        let owned = self.left.take_key(at);
        let verdict = self.judge(desired, self.document_index.at(at), owned);
        self.carry_out(desired, verdict, EditPosition::Key(at.clone()));
    }

    fn decide_keyed(&mut self, desired: &DesiredNode, list: &Pointer, key: &str, id: &str) {
        let owned = self.left.take_at(&desired.node.location);
        let found = self.keyed_item(
            list,
            key,
            id,
            [
                owned.map(|owned| owned.checksum),
                Some(NodeSum::of(&desired.node.value)),
            ],
        );
        let now = found.and_then(|index| self.document_index.item(list, index));
        let verdict = self.judge(desired, now, owned);
        let spot = found.map_or(EditPosition::End(list.clone()), |index| {
            EditPosition::Item(list.clone(), index)
        });
        found.iter().for_each(|index| self.claim(list, *index));
        self.carry_out(desired, verdict, spot);
    }

    /// The item with a key; of several, one with one of these values.
    pub(super) fn keyed_item(
        &self,
        list: &Pointer,
        key: &str,
        id: &str,
        sums: [Option<NodeSum>; 2],
    ) -> Option<usize> {
        let all = self.document_index.sums(list).clone();
        let free = |index: &usize| !self.claimed.contains(&(list.clone(), *index));
        let found: Vec<usize> = self
            .document_index
            .with_id(list, key, id)
            .into_iter()
            .filter(free)
            .collect();
        let saying = |sum: NodeSum| found.iter().find(|index| all.all[**index] == sum);
        sums.into_iter()
            .flatten()
            .find_map(saying)
            .or(found.first())
            .copied()
    }

    fn judge(
        &self,
        desired: &DesiredNode,
        now: Option<NodeRef<'_>>,
        owned: Option<&'a OwnedNode>,
    ) -> NodeVerdict<'a> {
        let Some(now) = now else {
            let reason = if owned.is_some() {
                ChangeReason::WasMissing
            } else {
                ChangeReason::New
            };
            return NodeVerdict::Write(ChangeAction::Create, reason);
        };
        let untouched = |owned: &OwnedNode| NodeSum::of(now) == owned.checksum;
        match owned.filter(|owned| untouched(owned) || !is_users(owned, now)) {
            None => self.judge_users(desired, now),
            Some(owned) if equal(now, &desired.node.value) => NodeVerdict::Own(owned.author),
            Some(owned) if untouched(owned) => {
                NodeVerdict::Write(ChangeAction::Update, ChangeReason::Content)
            }
            Some(_) if satisfies_default(desired, now) => NodeVerdict::Accept,
            Some(_) if self.overwrite == OverwriteRule::Everything => {
                NodeVerdict::Write(ChangeAction::Update, ChangeReason::EditDropped)
            }
            Some(owned) => NodeVerdict::Keep(owned),
        }
    }

    /// Decides about a value that is unmanaged.
    fn judge_users(&self, desired: &DesiredNode, now: NodeRef<'_>) -> NodeVerdict<'a> {
        let holds_managed_nodes = || {
            is_bare(&desired.node.value)
                && self
                    .managed
                    .containers
                    .contains(desired.node.location.pointer())
        };
        if satisfies_default(desired, now) {
            return if holds_managed_nodes() {
                NodeVerdict::Own(Author::Agpm)
            } else {
                NodeVerdict::Accept
            };
        }
        if equal(now, &desired.node.value) {
            return if desired.on_equal == OnEqualUserValue::Adopt {
                NodeVerdict::Adopt
            } else if self.adopts_equal(desired) {
                NodeVerdict::Own(Author::Agpm)
            } else {
                NodeVerdict::Accept
            };
        }
        if self.overwrite >= OverwriteRule::Unowned {
            NodeVerdict::Write(ChangeAction::Update, ChangeReason::TakenOver)
        } else {
            NodeVerdict::Refuse
        }
    }

    /// Whether an equal node of the user becomes managed.
    pub(super) fn adopts_equal(&self, desired: &DesiredNode) -> bool {
        desired.on_equal == OnEqualUserValue::Adopt || self.overwrite >= OverwriteRule::Unowned
    }

    fn carry_out(&mut self, desired: &DesiredNode, verdict: NodeVerdict<'_>, spot: EditPosition) {
        let at = desired.node.location.pointer();
        match verdict {
            NodeVerdict::Write(action, reason) => {
                self.write(desired, spot);
                self.record_step(at, action, reason, &desired.owner);
            }
            NodeVerdict::Own(author) => self.leave(desired, author),
            NodeVerdict::Adopt => self.adopt(desired),
            NodeVerdict::Accept => self.accept(desired),
            NodeVerdict::Keep(owned) => {
                if let EditPosition::Item(list, index) = &spot {
                    self.keep_item(list, *index);
                }
                self.keep(owned, &spot.pointer(), desired);
            }
            NodeVerdict::Refuse => self.refuse(spot.pointer(), Obstacle::Entry, &desired.owner),
        }
    }

    fn write(&mut self, desired: &DesiredNode, spot: EditPosition) {
        let value = desired.node.value.clone();
        let edit = match spot {
            EditPosition::Key(at) => {
                let parent = at.split_last().map(|(parent, _)| parent);
                self.decisions.containers.extend(
                    parent
                        .iter()
                        .flat_map(|parent| self.document_index.missing(parent)),
                );
                Edit::Set { at, value }
            }
            EditPosition::Item(list, index) => Edit::Set {
                at: list.child(index.to_string()),
                value,
            },
            EditPosition::End(list) if self.document_index.at(&list).is_some() => {
                self.order.add(list, value);
                return self.record_owned(desired, Author::Agpm);
            }
            EditPosition::End(list) => {
                self.decisions
                    .containers
                    .extend(self.document_index.missing(&list));
                Edit::Append { to: list, value }
            }
        };
        self.decisions.edits.push(edit);
        self.record_owned(desired, Author::Agpm);
    }

    /// Inserts an item into a list.
    pub(super) fn write_item(
        &mut self,
        desired: &DesiredNode,
        list: &Pointer,
        index: Option<usize>,
    ) {
        let spot = match index {
            Some(index) => EditPosition::Item(list.clone(), index),
            None => EditPosition::End(list.clone()),
        };
        index.iter().for_each(|index| self.claim(list, *index));
        self.write(desired, spot);
    }

    /// Accepts an existing value as the user's.
    pub(super) fn accept(&mut self, desired: &DesiredNode) {
        if desired.on_equal == OnEqualUserValue::Keep {
            self.decisions
                .equal_user_nodes
                .insert(desired.node.location.clone());
        }
        self.decisions.unchanged += 1;
    }

    /// Leaves a node that has the desired value.
    pub(super) fn leave(&mut self, desired: &DesiredNode, author: Author) {
        self.record_owned(desired, author);
        self.decisions.unchanged += 1;
    }

    /// Adopts a node of the user.
    pub(super) fn adopt(&mut self, desired: &DesiredNode) {
        self.record_owned(desired, Author::User);
        let at = desired.node.location.pointer();
        self.record_step(
            at,
            ChangeAction::Adopt,
            ChangeReason::Identical,
            &desired.owner,
        );
    }

    /// Keeps an edited node.
    pub(super) fn keep(&mut self, owned: &OwnedNode, at: &Pointer, desired: &DesiredNode) {
        let reason = ChangeReason::of_edit(owned.checksum, NodeSum::of(&desired.node.value));
        let merged = self.merged.and_then(|merged| merged.get(at));
        if let Some((value, now)) = merged.zip(self.document_index.at(at)) {
            self.decisions.edits.extend(edits_between(at, now, value));
            if let NodeLocation::Item(list) | NodeLocation::Keyed { list, .. } = &owned.location {
                let kept = (list.clone(), NodeSum::of(value));
                self.decisions.kept_values.insert(kept);
            }
            // The new version is the base from now on; what differs from it is the user's edit.
            self.record_owned(desired, owned.author);
            return self.record_step(
                at,
                ChangeAction::Merge,
                ChangeReason::Merged,
                &desired.owner,
            );
        }
        if reason == ChangeReason::Conflict {
            self.decisions.edited.push(EditedNode {
                at: at.clone(),
                location: owned.location.clone(),
                base: owned.checksum,
                new: desired.node.value.clone(),
                owner: owned.owner.clone(),
            });
        }
        self.record_step(at, ChangeAction::Keep, reason, &owned.owner);
        self.decisions.nodes.push(owned.clone());
    }

    fn record_owned(&mut self, desired: &DesiredNode, author: Author) {
        let node = OwnedNode {
            author,
            ..fingerprint_node(&desired.node.location, &desired.node.value, &desired.owner)
        };
        match &node.location {
            NodeLocation::Default(at) if is_bare(&desired.node.value) => {
                self.decisions.containers.push(at.clone())
            }
            NodeLocation::Item(list) | NodeLocation::Keyed { list, .. } => {
                self.managed_values.insert((list.clone(), node.checksum));
            }
            _ => {}
        }
        self.decisions.nodes.push(node);
    }

    pub(super) fn record_step(
        &mut self,
        at: &Pointer,
        action: ChangeAction,
        reason: ChangeReason,
        owner: &Owner,
    ) {
        self.decisions.steps.push(NodeStep {
            at: at.clone(),
            action,
            reason,
            owner: owner.clone(),
        });
    }

    fn refuse(&mut self, at: Pointer, obstacle: Obstacle, owner: &Owner) {
        self.decisions.refused.push(RefusedNode {
            at,
            obstacle,
            owner: owner.clone(),
        });
    }
}

/// Whether a TOML list is written as `[[tables]]`.
fn is_of_tables(list: NodeRef<'_>) -> bool {
    let document = list.document();
    let first = (list.len() > 0)
        .then(|| list.item(0))
        .filter(|first| first.kind() == NodeKind::Map);
    let in_braces = |first: NodeRef<'_>| document.text()[first.span().range()].starts_with('{');
    document.format() == Format::Toml && first.is_some_and(|first| !in_braces(first))
}

/// An edited default belongs to the user, unless it was an empty container and is now of another kind.
fn is_users(owned: &OwnedNode, now: NodeRef<'_>) -> bool {
    let is_bare = |value: Value| NodeSum::of(&value) == owned.checksum;
    let was_other = match now.kind() {
        NodeKind::Map => is_bare(Value::List(Vec::new())),
        NodeKind::List => is_bare(Value::Map(Vec::new())),
        _ => is_bare(Value::List(Vec::new())) || is_bare(Value::Map(Vec::new())),
    };
    matches!(owned.location, NodeLocation::Default(_)) && !was_other
}

/// Whether the value at `at`, which cannot hold `location`, replaced a managed node.
pub(super) fn is_covered(node: &OwnedNode, at: &Pointer, location: &NodeLocation) -> bool {
    let node_pointer = node.location.pointer();
    let was_list = match node.location {
        NodeLocation::Item(_) | NodeLocation::Keyed { .. } => true,
        NodeLocation::Key(_) => location.pointer() == at,
        NodeLocation::Default(_) => false,
    };
    node_pointer.is_within(at) && (node_pointer != at || was_list)
}

/// Any value satisfies a default; an empty container requires one of its kind.
fn satisfies_default(desired: &DesiredNode, now: NodeRef<'_>) -> bool {
    let is_default = matches!(desired.node.location, NodeLocation::Default(_));
    let kind = agpm_text::TreeView::shape(&desired.node.value).kind();
    is_default && (!is_bare(&desired.node.value) || kind == now.kind())
}

/// The value on the way to a location that cannot hold it: the number of steps to it, and its kind.
pub(super) fn find_obstruction(
    document_index: &DocumentIndex<'_>,
    location: &NodeLocation,
) -> Option<(usize, NodeKind)> {
    let length = location.pointer().steps().len();
    match (document_index.look_up(location.pointer()), location) {
        (PathLookup::Blocked(length, kind), _) => Some((length, kind)),
        (PathLookup::There(node), NodeLocation::Item(_) | NodeLocation::Keyed { .. })
            if node.kind() != NodeKind::List =>
        {
            Some((length, node.kind()))
        }
        _ => None,
    }
}
