//! Removes obstructions: managed nodes that are no longer requested must not block new ones.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{EntryNode, NodeLocation};
use agpm_text::{Edit, NodeKind, Pointer, TreeView, Value};

use super::desired::OnEqualUserValue;
use super::desired_set::WantedNode;
use super::document_index::{DocumentIndex, above};
use super::draft::DraftDocument;
use super::error::NodeError;
use super::managed_nodes::ManagedNodes;
use super::owned::OwnedNode;
use super::planner::{NodeDecisions, NodePlanner, NodeStep, find_obstruction, is_covered};
use super::resemblance::is_bare;
use crate::change::{ChangeAction, ChangeReason, OverwriteRule};

/// Removes obstacles where that is allowed, and returns them.
pub(super) fn clear(
    draft: &mut DraftDocument,
    wanted: &[WantedNode<'_>],
    ours: &mut ManagedNodes,
    overwrite: OverwriteRule,
) -> Result<NodeDecisions, NodeError> {
    let room = DesiredIndex::of(wanted);
    let sight = DocumentIndex::of(&draft.document);
    let doomed: Vec<OwnedNode> = ours
        .nodes
        .extract_if(.., |node| room.is_narrowed_by(node, &sight, overwrite))
        .collect();
    let mut made = NodeDecisions::default();
    if !doomed.is_empty() {
        made = NodePlanner::new(&draft.document, ours, &doomed, overwrite).retire_all();
        // Empty containers are removed only where a new node needs the path. Others may be removed later, when it
        // is known that nothing else goes in.
        let needed: Vec<&Pointer> = ours
            .containers
            .iter()
            .filter(|at| room.may_need(at, &sight))
            .collect();
        draft.apply(&std::mem::take(&mut made.edits))?;
        draft.prune(needed)?;
    }
    if overwrite >= OverwriteRule::Unowned {
        let edits = take_over(draft, wanted, ours, overwrite, &mut made);
        draft.apply(&edits)?;
        ours.containers.extend(edits.iter().filter_map(place));
    }
    Ok(made)
}

/// The desired nodes, by location.
struct DesiredIndex<'w> {
    places: BTreeMap<&'w Pointer, Vec<&'w WantedNode<'w>>>,
}

impl<'w> DesiredIndex<'w> {
    fn of(wanted: &'w [WantedNode<'w>]) -> Self {
        let mut places: BTreeMap<&Pointer, Vec<&WantedNode<'_>>> = BTreeMap::new();
        for node in wanted {
            let here = places.entry(node.node.place.pointer()).or_default();
            // One item of a list says as much as all of them.
            if !here
                .iter()
                .any(|other| is_item(&other.node.place) && is_item(&node.node.place))
            {
                here.push(node);
            }
        }
        DesiredIndex { places }
    }

    /// Whether a managed node is where a wanted one is to be, and is none itself.
    fn is_narrowed_by(
        &self,
        node: &OwnedNode,
        sight: &DocumentIndex<'_>,
        overwrite: OverwriteRule,
    ) -> bool {
        let at = node.place.pointer();
        if let Some(here) = self.places.get(at) {
            // Edited nodes stay for now.
            let is_key = matches!(node.place, NodeLocation::Key(_));
            // An edited key is a decision of the user. It blocks the new node, which is reported, instead of
            // disappearing with the old one.
            let may_go = || !is_key || overwrite == OverwriteRule::Everything || sight.holds(node);
            return here
                .iter()
                .any(|wanted| excludes(&wanted.node, node, sight))
                && may_go();
        }
        let is_map = || sight.at(at).is_some_and(|now| now.kind() == NodeKind::Map);
        let has_room = || matches!(node.place, NodeLocation::Default(_)) && is_map();
        self.is_below_solid(at) || self.is_above_wanted(at) && !has_room()
    }

    /// Whether something is wanted at a location that has no room for keys.
    fn is_solid(&self, at: &Pointer) -> bool {
        let is_solid = |wanted: &&WantedNode<'_>| {
            let is_bare_map =
                is_bare(&wanted.node.value) && wanted.node.value.shape().kind() == NodeKind::Map;
            !(is_bare_map && matches!(wanted.node.place, NodeLocation::Default(_)))
        };
        self.places
            .get(at)
            .is_some_and(|here| here.iter().any(is_solid))
    }

    /// Whether a container may have to go for something to come.
    fn may_need(&self, at: &Pointer, sight: &DocumentIndex<'_>) -> bool {
        let is_list = || sight.at(at).is_some_and(|now| now.kind() == NodeKind::List);
        self.places.contains_key(at)
            || self.is_below_solid(at)
            || self.is_above_wanted(at) && is_list()
    }

    fn is_below_solid(&self, at: &Pointer) -> bool {
        (0..at.steps().len()).any(|length| self.is_solid(&above(at, length)))
    }

    fn is_above_wanted(&self, at: &Pointer) -> bool {
        // Everything inside a pointer sorts directly after it; one lookup replaces a scan over thousands of nodes.
        let next = self.places.range::<&Pointer, _>(at..).next();
        next.is_some_and(|(below, _)| below.is_within(at))
    }
}

fn is_item(place: &NodeLocation) -> bool {
    matches!(place, NodeLocation::Item(_) | NodeLocation::Keyed { .. })
}

/// Whether two nodes at one place cannot be there both.
fn excludes(wanted: &EntryNode, node: &OwnedNode, sight: &DocumentIndex<'_>) -> bool {
    let EntryNode { place, value } = wanted;
    let is_list = || {
        sight
            .at(place.pointer())
            .is_some_and(|now| now.kind() == NodeKind::List)
    };
    match (place, &node.place) {
        (
            NodeLocation::Key(_) | NodeLocation::Default(_),
            NodeLocation::Item(_) | NodeLocation::Keyed { .. },
        ) => value.shape().kind() != NodeKind::List,
        (
            NodeLocation::Item(_) | NodeLocation::Keyed { .. },
            NodeLocation::Key(_) | NodeLocation::Default(_),
        ) => !is_list(),
        _ => false,
    }
}

/// Bare containers that replace values without room for managed nodes: the user's values that block layers, and edits.
fn take_over(
    draft: &DraftDocument,
    wanted: &[WantedNode<'_>],
    ours: &ManagedNodes,
    overwrite: OverwriteRule,
    made: &mut NodeDecisions,
) -> Vec<Edit> {
    let sight = DocumentIndex::of(&draft.document);
    let mut taken: BTreeSet<Pointer> = BTreeSet::new();
    let mut edits = Vec::new();
    for node in wanted {
        let place = &node.node.place;
        let Some((length, _)) = find_obstruction(&sight, place).filter(|(length, _)| *length > 0)
        else {
            continue;
        };
        let at = above(place.pointer(), length);
        if taken.contains(&at) {
            continue;
        }
        let is_edit = ours.nodes.iter().any(|own| is_covered(own, &at, place));
        let reason = match (is_edit, overwrite, node.on_equal) {
            (true, OverwriteRule::Everything, _) => ChangeReason::EditDropped,
            // Only layers may replace a container of the user, and only with `--adopt`: a resource would take over
            // all sibling keys with it.
            (false, _, OnEqualUserValue::Keep) => ChangeReason::TakenOver,
            _ => continue,
        };
        taken.insert(at.clone());
        let is_list = length == place.pointer().steps().len();
        let value = if is_list {
            Value::List(Vec::new())
        } else {
            Value::Map(Vec::new())
        };
        made.steps.push(NodeStep {
            at: at.clone(),
            action: ChangeAction::Update,
            reason,
            owner: node.owner.clone(),
        });
        edits.push(Edit::Set { at, value });
    }
    edits
}

fn place(edit: &Edit) -> Option<Pointer> {
    match edit {
        Edit::Set { at, .. } => Some(at.clone()),
        _ => None,
    }
}
