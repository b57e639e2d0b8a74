//! Decides node by node what has to be done to a document.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use agpm_model::{NodeLocation, Owner};
use agpm_text::{
    Document, Edit, Format, NodeKind, NodeRef, NodeShape, Pointer, TreeView, Value, equal,
};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::desired_set::WantedNode;
use super::document_index::{DocumentIndex, PathLookup, above};
use super::managed_nodes::ManagedNodes;
use super::order::ItemOrder;
use super::owned::OwnedNode;
use super::resemblance::{is_bare, remember};
use super::sum::NodeSum;
use super::undecided_nodes::UndecidedNodes;
use crate::change::{Author, ChangeAction, ChangeReason, Obstacle, OverwriteRule};

/// The step for one node.
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
    pub(super) what: Obstacle,
    pub(super) owner: Owner,
}

/// The decisions.
#[derive(Default)]
pub(super) struct NodeDecisions {
    pub(super) edits: Vec<Edit>,
    /// Nodes that are managed afterwards.
    pub(super) nodes: Vec<OwnedNode>,
    /// Locations where the user's own value is just what is wanted.
    pub(super) theirs: BTreeSet<NodeLocation>,
    /// The values of edited items that stay.
    pub(super) kept: HashSet<(Pointer, NodeSum)>,
    /// Containers that become managed.
    pub(super) containers: Vec<Pointer>,
    pub(super) steps: Vec<NodeStep>,
    pub(super) refused: Vec<RefusedNode>,
    pub(super) unchanged: usize,
}

pub(super) struct NodePlanner<'a> {
    pub(super) sight: DocumentIndex<'a>,
    pub(super) ours: &'a ManagedNodes,
    pub(super) overwrite: OverwriteRule,
    /// Managed Nodes that nothing was decided about yet.
    pub(super) left: UndecidedNodes<'a>,
    /// Items that represent a managed node: the list and the index.
    pub(super) claimed: HashSet<(Pointer, usize)>,
    /// Where wanted items of lists stand, and new ones that have no place yet, by their turn.
    pub(super) order: ItemOrder,
    /// The values of managed nodes in lists, before and after.
    pub(super) known: HashSet<(Pointer, NodeSum)>,
    /// Where something was put over managed nodes.
    covered: HashSet<Pointer>,
    /// Unmodified items that are not wanted any more, from the top, by list and owner.
    pub(super) untouched: HashMap<(Pointer, Owner), VecDeque<(usize, &'a OwnedNode)>>,
    pub(super) made: NodeDecisions,
}

/// The decision about one node.
enum NodeVerdict<'a> {
    Write(ChangeAction, ChangeReason),
    /// It exists as it should be, written by this author.
    Own(Author),
    /// The user wrote just what is wanted.
    Adopt,
    /// The existing value is right, and stays the user's.
    Accept,
    /// It was edited and stays.
    Keep(&'a OwnedNode),
    /// It is the user's and blocking.
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
    /// The item, if it exists, and else the list.
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
        ours: &'a ManagedNodes,
        nodes: &'a [OwnedNode],
        overwrite: OverwriteRule,
    ) -> Self {
        let known = ours
            .nodes
            .iter()
            .map(|node| (node.place.pointer().clone(), node.checksum));
        NodePlanner {
            sight: DocumentIndex::of(document),
            ours,
            overwrite,
            left: UndecidedNodes::of(nodes),
            claimed: HashSet::new(),
            order: ItemOrder::default(),
            known: known.collect(),
            covered: HashSet::new(),
            untouched: HashMap::new(),
            made: NodeDecisions::default(),
        }
    }

    pub(super) fn decide_all(mut self, wanted: &[WantedNode<'_>]) -> NodeDecisions {
        // Items that exist already must be known before others look for one to replace.
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
        self.made
    }

    fn decide(&mut self, desired: &DesiredNode) {
        if let Some((length, kind)) = find_obstruction(&self.sight, &desired.node.place) {
            return self.stop(desired, length, kind);
        }
        if self.would_flatten(desired) {
            let at = desired.node.place.pointer().clone();
            return self.refuse(at, Obstacle::Tables, &desired.owner);
        }
        match &desired.node.place {
            NodeLocation::Key(at) | NodeLocation::Default(at) => self.decide_key(desired, at),
            NodeLocation::Item(list) => self.decide_item(desired, list),
            NodeLocation::Keyed { list, key, id } => self.decide_keyed(desired, list, key, id),
        }
    }

    /// Whether an item would make a list in brackets of the user's `[[tables]]`, which loses their layout and comments.
    fn would_flatten(&self, desired: &DesiredNode) -> bool {
        let node = match &desired.node.place {
            NodeLocation::Item(list) | NodeLocation::Keyed { list, .. } => self.sight.at(list),
            NodeLocation::Key(_) | NodeLocation::Default(_) => None,
        };
        let is_table = matches!(desired.node.value.shape(), NodeShape::Map(_));
        node.is_some_and(|list| !is_table && is_of_tables(list))
    }

    /// Something on the way to a location has no room for it: an edit where managed nodes were, or the user's.
    fn stop(&mut self, desired: &DesiredNode, length: usize, kind: NodeKind) {
        let at = above(desired.node.place.pointer(), length);
        if self.keeps_covered(&at, &desired.node.place) {
            return;
        }
        let what = match desired.on_equal {
            OnEqualUserValue::Keep if length > 0 => Obstacle::Entry,
            _ => Obstacle::Value(kind),
        };
        self.refuse(at, what, &desired.owner);
    }

    /// Whether what is at a location was put over managed nodes, which stay managed then.
    fn keeps_covered(&mut self, at: &Pointer, place: &NodeLocation) -> bool {
        let nodes = self.left.take_where(|node| is_covered(node, at, place));
        if let Some(first) = nodes.first() {
            self.record_step(at, ChangeAction::Keep, ChangeReason::Edited, &first.owner);
            self.covered.insert(at.clone());
        }
        self.made.nodes.extend(nodes.into_iter().cloned());
        self.covered.contains(at)
    }

    fn decide_key(&mut self, desired: &DesiredNode, at: &Pointer) {
        let owned = self.left.take_key(at);
        let verdict = self.judge(desired, self.sight.at(at), owned);
        self.carry_out(desired, verdict, EditPosition::Key(at.clone()));
    }

    fn decide_keyed(&mut self, desired: &DesiredNode, list: &Pointer, key: &str, id: &str) {
        let owned = self.left.take_at(&desired.node.place);
        let found = self.keyed_item(
            list,
            key,
            id,
            [
                owned.map(|owned| owned.checksum),
                Some(NodeSum::of(&desired.node.value)),
            ],
        );
        let now = found.and_then(|index| self.sight.item(list, index));
        let verdict = self.judge(desired, now, owned);
        let spot = found.map_or(EditPosition::End(list.clone()), |index| {
            EditPosition::Item(list.clone(), index)
        });
        found.iter().for_each(|index| self.claim(list, *index));
        self.carry_out(desired, verdict, spot);
    }

    /// The item that has a key: the one that says one of these if there are several.
    pub(super) fn keyed_item(
        &self,
        list: &Pointer,
        key: &str,
        id: &str,
        sums: [Option<NodeSum>; 2],
    ) -> Option<usize> {
        let all = self.sight.sums(list).clone();
        let free = |index: &usize| !self.claimed.contains(&(list.clone(), *index));
        let found: Vec<usize> = self
            .sight
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
            Some(_) if will_do(desired, now) => NodeVerdict::Accept,
            Some(_) if self.overwrite == OverwriteRule::Everything => {
                NodeVerdict::Write(ChangeAction::Update, ChangeReason::EditDropped)
            }
            Some(owned) => NodeVerdict::Keep(owned),
        }
    }

    /// The existing value is unmanaged.
    fn judge_users(&self, desired: &DesiredNode, now: NodeRef<'_>) -> NodeVerdict<'a> {
        let is_container_of_ours = || {
            is_bare(&desired.node.value)
                && self.ours.containers.contains(desired.node.place.pointer())
        };
        if will_do(desired, now) {
            return if is_container_of_ours() {
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

    /// Whether a node of the user's that says the same becomes managed.
    pub(super) fn adopts_equal(&self, desired: &DesiredNode) -> bool {
        desired.on_equal == OnEqualUserValue::Adopt || self.overwrite >= OverwriteRule::Unowned
    }

    fn carry_out(&mut self, desired: &DesiredNode, verdict: NodeVerdict<'_>, spot: EditPosition) {
        let at = desired.node.place.pointer();
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
                self.keep(owned, &spot.pointer());
            }
            NodeVerdict::Refuse => self.refuse(spot.pointer(), Obstacle::Entry, &desired.owner),
        }
    }

    fn write(&mut self, desired: &DesiredNode, spot: EditPosition) {
        let value = desired.node.value.clone();
        let edit = match spot {
            EditPosition::Key(at) => {
                let parent = at.split_last().map(|(parent, _)| parent);
                self.made
                    .containers
                    .extend(parent.iter().flat_map(|parent| self.sight.missing(parent)));
                Edit::Set { at, value }
            }
            EditPosition::Item(list, index) => Edit::Set {
                at: list.child(index.to_string()),
                value,
            },
            EditPosition::End(list) if self.sight.at(&list).is_some() => {
                self.order.add(list, value);
                return self.own(desired, Author::Agpm);
            }
            EditPosition::End(list) => {
                self.made.containers.extend(self.sight.missing(&list));
                Edit::Append { to: list, value }
            }
        };
        self.made.edits.push(edit);
        self.own(desired, Author::Agpm);
    }

    /// Puts an item in a list.
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

    /// Takes what exists for the user's own.
    pub(super) fn accept(&mut self, desired: &DesiredNode) {
        if desired.on_equal == OnEqualUserValue::Keep {
            self.made.theirs.insert(desired.node.place.clone());
        }
        self.made.unchanged += 1;
    }

    /// The node exists as it should be.
    pub(super) fn leave(&mut self, desired: &DesiredNode, author: Author) {
        self.own(desired, author);
        self.made.unchanged += 1;
    }

    /// The user's own node is managed from now on.
    pub(super) fn adopt(&mut self, desired: &DesiredNode) {
        self.own(desired, Author::User);
        let at = desired.node.place.pointer();
        self.record_step(
            at,
            ChangeAction::Adopt,
            ChangeReason::Identical,
            &desired.owner,
        );
    }

    /// The node was edited and stays.
    pub(super) fn keep(&mut self, owned: &OwnedNode, at: &Pointer) {
        self.record_step(at, ChangeAction::Keep, ChangeReason::Edited, &owned.owner);
        self.made.nodes.push(owned.clone());
    }

    fn own(&mut self, desired: &DesiredNode, author: Author) {
        let node = OwnedNode {
            author,
            ..remember(&desired.node.place, &desired.node.value, &desired.owner)
        };
        match &node.place {
            NodeLocation::Default(at) if is_bare(&desired.node.value) => {
                self.made.containers.push(at.clone())
            }
            NodeLocation::Item(list) | NodeLocation::Keyed { list, .. } => {
                self.known.insert((list.clone(), node.checksum));
            }
            _ => {}
        }
        self.made.nodes.push(node);
    }

    pub(super) fn record_step(
        &mut self,
        at: &Pointer,
        action: ChangeAction,
        reason: ChangeReason,
        owner: &Owner,
    ) {
        self.made.steps.push(NodeStep {
            at: at.clone(),
            action,
            reason,
            owner: owner.clone(),
        });
    }

    fn refuse(&mut self, at: Pointer, what: Obstacle, owner: &Owner) {
        self.made.refused.push(RefusedNode {
            at,
            what,
            owner: owner.clone(),
        });
    }
}

/// Whether a list of TOML is written as `[[tables]]`.
fn is_of_tables(list: NodeRef<'_>) -> bool {
    let document = list.document();
    let first = (list.len() > 0)
        .then(|| list.item(0))
        .filter(|first| first.kind() == NodeKind::Map);
    let in_braces = |first: NodeRef<'_>| document.text()[first.span().range()].starts_with('{');
    document.format() == Format::Toml && first.is_some_and(|first| !in_braces(first))
}

/// A default that was edited is the user's, unless it was a bare container and is none of its kind any more.
fn is_users(owned: &OwnedNode, now: NodeRef<'_>) -> bool {
    let is_bare = |value: Value| NodeSum::of(&value) == owned.checksum;
    let was_other = match now.kind() {
        NodeKind::Map => is_bare(Value::List(Vec::new())),
        NodeKind::List => is_bare(Value::Map(Vec::new())),
        _ => is_bare(Value::List(Vec::new())) || is_bare(Value::Map(Vec::new())),
    };
    matches!(owned.place, NodeLocation::Default(_)) && !was_other
}

/// Whether a managed node was where something is that has no room for a location.
pub(super) fn is_covered(node: &OwnedNode, at: &Pointer, place: &NodeLocation) -> bool {
    let own = node.place.pointer();
    let was_list = match node.place {
        NodeLocation::Item(_) | NodeLocation::Keyed { .. } => true,
        NodeLocation::Key(_) => place.pointer() == at,
        NodeLocation::Default(_) => false,
    };
    own.is_within(at) && (own != at || was_list)
}

/// Of a default any value of the user's will do; of a bare container any of its kind.
fn will_do(desired: &DesiredNode, now: NodeRef<'_>) -> bool {
    let is_default = matches!(desired.node.place, NodeLocation::Default(_));
    let kind = agpm_text::TreeView::shape(&desired.node.value).kind();
    is_default && (!is_bare(&desired.node.value) || kind == now.kind())
}

/// After how many steps on the way to a location is something that has no room for it, and what.
pub(super) fn find_obstruction(
    sight: &DocumentIndex<'_>,
    place: &NodeLocation,
) -> Option<(usize, NodeKind)> {
    let length = place.pointer().steps().len();
    match (sight.look_up(place.pointer()), place) {
        (PathLookup::Blocked(length, kind), _) => Some((length, kind)),
        (PathLookup::There(node), NodeLocation::Item(_) | NodeLocation::Keyed { .. })
            if node.kind() != NodeKind::List =>
        {
            Some((length, node.kind()))
        }
        _ => None,
    }
}
