//! Removes obstructions: managed nodes that are no longer desired must not block new ones.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{EntryNode, NodeLocation};
use agpm_text::{Edit, NodeKind, Pointer, TreeView, Value};

use super::desired::OnEqualUserValue;
use super::desired_set::WantedNode;
use super::document_index::{DocumentIndex, ancestor_at};
use super::draft::DraftDocument;
use super::error::NodeError;
use super::managed_nodes::ManagedNodes;
use super::owned::OwnedNode;
use super::planner::{NodeDecisions, NodePlanner, NodeStep, find_obstruction, is_covered};
use super::resemblance::is_bare;
use crate::change::{ChangeAction, ChangeReason, OverwriteRule};

/// Removes obstructions where that is allowed, and returns the decisions.
pub(super) fn remove_obstructions(
    draft: &mut DraftDocument,
    wanted: &[WantedNode<'_>],
    managed: &mut ManagedNodes,
    overwrite: OverwriteRule,
) -> Result<NodeDecisions, NodeError> {
    let desired_index = DesiredIndex::of(wanted);
    let document_index = DocumentIndex::of(&draft.document);
    let obstructions: Vec<OwnedNode> = managed
        .nodes
        .extract_if(.., |node| {
            desired_index.is_narrowed_by(node, &document_index, overwrite)
        })
        .collect();
    let mut decisions = NodeDecisions::default();
    if !obstructions.is_empty() {
        decisions =
            NodePlanner::new(&draft.document, managed, &obstructions, overwrite).retire_all();
        // Empty containers are removed only where a new node needs the path. Others may be removed later, when it
        // is known that nothing else goes in.
        let needed: Vec<&Pointer> = managed
            .containers
            .iter()
            .filter(|at| desired_index.may_need(at, &document_index))
            .collect();
        draft.apply(&std::mem::take(&mut decisions.edits))?;
        draft.prune(needed)?;
    }
    if overwrite >= OverwriteRule::Unowned {
        let edits = replace_blocking_values(draft, wanted, managed, overwrite, &mut decisions);
        draft.apply(&edits)?;
        managed
            .containers
            .extend(edits.iter().filter_map(pointer_of_set));
    }
    Ok(decisions)
}

/// The desired nodes, by pointer.
struct DesiredIndex<'w> {
    by_pointer: BTreeMap<&'w Pointer, Vec<&'w WantedNode<'w>>>,
}

impl<'w> DesiredIndex<'w> {
    fn of(wanted: &'w [WantedNode<'w>]) -> Self {
        let mut by_pointer: BTreeMap<&Pointer, Vec<&WantedNode<'_>>> = BTreeMap::new();
        for node in wanted {
            let nodes = by_pointer.entry(node.node.location.pointer()).or_default();
            // One item of a list is enough to represent all of them.
            if !nodes
                .iter()
                .any(|other| is_item(&other.node.location) && is_item(&node.node.location))
            {
                nodes.push(node);
            }
        }
        DesiredIndex { by_pointer }
    }

    /// Whether a desired node takes the location of a managed one that is not desired itself.
    fn is_narrowed_by(
        &self,
        node: &OwnedNode,
        document_index: &DocumentIndex<'_>,
        overwrite: OverwriteRule,
    ) -> bool {
        let at = node.location.pointer();
        if let Some(nodes) = self.by_pointer.get(at) {
            // Edited nodes stay for now.
            let is_key = matches!(node.location, NodeLocation::Key(_));
            // An edited key is a decision of the user. It blocks the new node, which is reported, instead of
            // disappearing with the old one.
            let may_go =
                || !is_key || overwrite == OverwriteRule::Everything || document_index.holds(node);
            return nodes
                .iter()
                .any(|wanted| excludes(&wanted.node, node, document_index))
                && may_go();
        }
        let is_map = || {
            document_index
                .at(at)
                .is_some_and(|now| now.kind() == NodeKind::Map)
        };
        let has_room = || matches!(node.location, NodeLocation::Default(_)) && is_map();
        self.is_below_solid(at) || self.is_above_wanted(at) && !has_room()
    }

    /// Whether a desired node at a location cannot hold keys.
    fn cannot_hold_keys(&self, at: &Pointer) -> bool {
        let is_solid = |wanted: &&WantedNode<'_>| {
            let is_bare_map =
                is_bare(&wanted.node.value) && wanted.node.value.shape().kind() == NodeKind::Map;
            !(is_bare_map && matches!(wanted.node.location, NodeLocation::Default(_)))
        };
        self.by_pointer
            .get(at)
            .is_some_and(|nodes| nodes.iter().any(is_solid))
    }

    /// Whether a container may have to be removed for a desired node.
    fn may_need(&self, at: &Pointer, document_index: &DocumentIndex<'_>) -> bool {
        let is_list = || {
            document_index
                .at(at)
                .is_some_and(|now| now.kind() == NodeKind::List)
        };
        self.by_pointer.contains_key(at)
            || self.is_below_solid(at)
            || self.is_above_wanted(at) && is_list()
    }

    fn is_below_solid(&self, at: &Pointer) -> bool {
        (0..at.steps().len()).any(|length| self.cannot_hold_keys(&ancestor_at(at, length)))
    }

    fn is_above_wanted(&self, at: &Pointer) -> bool {
        // Everything inside a pointer sorts directly after it; one lookup replaces a scan over thousands of nodes.
        let next = self.by_pointer.range::<&Pointer, _>(at..).next();
        next.is_some_and(|(below, _)| below.is_within(at))
    }
}

fn is_item(location: &NodeLocation) -> bool {
    matches!(location, NodeLocation::Item(_) | NodeLocation::Keyed { .. })
}

/// Whether two nodes at one location exclude each other.
fn excludes(wanted: &EntryNode, node: &OwnedNode, document_index: &DocumentIndex<'_>) -> bool {
    let EntryNode { location, value } = wanted;
    let is_list = || {
        document_index
            .at(location.pointer())
            .is_some_and(|now| now.kind() == NodeKind::List)
    };
    match (location, &node.location) {
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

/// Empty containers that replace values which cannot hold managed nodes: user values that block layers, and edits.
fn replace_blocking_values(
    draft: &DraftDocument,
    wanted: &[WantedNode<'_>],
    managed: &ManagedNodes,
    overwrite: OverwriteRule,
    decisions: &mut NodeDecisions,
) -> Vec<Edit> {
    let document_index = DocumentIndex::of(&draft.document);
    let mut taken: BTreeSet<Pointer> = BTreeSet::new();
    let mut edits = Vec::new();
    for node in wanted {
        let location = &node.node.location;
        let Some((length, _)) =
            find_obstruction(&document_index, location).filter(|(length, _)| *length > 0)
        else {
            continue;
        };
        let at = ancestor_at(location.pointer(), length);
        if taken.contains(&at) {
            continue;
        }
        let is_edit = managed
            .nodes
            .iter()
            .any(|owned| is_covered(owned, &at, location));
        let reason = match (is_edit, overwrite, node.on_equal) {
            (true, OverwriteRule::Everything, _) => ChangeReason::EditDropped,
            // Only layers may replace a container of the user, and only with `--adopt`: a resource would take over
            // all sibling keys with it.
            (false, _, OnEqualUserValue::Keep) => ChangeReason::TakenOver,
            _ => continue,
        };
        taken.insert(at.clone());
        let is_list = length == location.pointer().steps().len();
        let value = if is_list {
            Value::List(Vec::new())
        } else {
            Value::Map(Vec::new())
        };
        decisions.steps.push(NodeStep {
            at: at.clone(),
            action: ChangeAction::Update,
            reason,
            owner: node.owner.clone(),
        });
        edits.push(Edit::Set { at, value });
    }
    edits
}

fn pointer_of_set(edit: &Edit) -> Option<Pointer> {
    match edit {
        Edit::Set { at, .. } => Some(at.clone()),
        _ => None,
    }
}
