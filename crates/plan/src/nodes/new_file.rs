//! Creates a file from the text of the layers: one that does not exist, or that is wholly managed.

use std::collections::{BTreeMap, HashSet};

use agpm_diag::Text;
use agpm_model::{Checksum, NodeLocation};
use agpm_text::{Edit, Format, LazyDocument, Pointer, equal};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::desired_set::WantedNode;
use super::document_index::DocumentIndex;
use super::draft::DraftDocument;
use super::error::NodeError;
use super::owned::{FileOrigin, OwnedNode, OwnedNodes};
use super::planner::NodeStep;
use super::resemblance::{fingerprint_node, is_bare};
use super::sum::NodeSum;
use super::task::FileOutcome;
use super::task::{SharedFileDecision, SharedFileTask};
use super::undecided_nodes::UndecidedNodes;
use crate::change::{ChangeAction, ChangeReason};

/// A file created by agpm.
pub(super) struct NewSharedFile {
    pub(super) text: Text,
    pub(super) owned: OwnedNodes,
}

/// The layers' text with the nodes that it lacks.
pub(super) fn build_shared_file(
    format: Format,
    base: Option<&LazyDocument>,
    wanted: &[WantedNode<'_>],
) -> Result<NewSharedFile, NodeError> {
    let (text, containers) = with_additions(format, base, wanted)?;
    let node = |node: &WantedNode<'_>| {
        fingerprint_node(&node.node.location, &node.node.value, &node.owner)
    };
    let mut nodes: Vec<OwnedNode> = wanted.iter().map(node).collect();
    nodes.sort();
    let owned = OwnedNodes {
        seen: Checksum::of(text.as_bytes()),
        file: if base.is_some() {
            FileOrigin::Whole
        } else {
            FileOrigin::Ours
        },
        containers: if base.is_some() {
            Vec::new()
        } else {
            containers
        },
        nodes,
        others: BTreeMap::new(),
        equal_user_nodes: Vec::new(),
        seams: None,
        values: None,
        conflict: None,
    };
    Ok(NewSharedFile { text, owned })
}

/// The text, and the containers that were added.
fn with_additions(
    format: Format,
    base: Option<&LazyDocument>,
    wanted: &[WantedNode<'_>],
) -> Result<(Text, Vec<Pointer>), NodeError> {
    // The values of layers are already in their text.
    let rest: Vec<&WantedNode<'_>> = wanted
        .iter()
        .filter(|node| base.is_none() || node.on_equal == OnEqualUserValue::Adopt)
        .collect();
    if let Some(base) = base.filter(|_| rest.is_empty()) {
        return Ok((base.text().clone(), Vec::new()));
    }
    let mut draft = base.map_or_else(
        || DraftDocument::empty(format),
        |base| DraftDocument::new(base.document()),
    );
    let (edits, containers) = additions(&DocumentIndex::of(&draft.document), &rest);
    draft.apply(&edits)?;
    Ok((draft.document.text().clone(), containers))
}

/// The edits that add nodes, and the containers that they need.
fn additions(
    document_index: &DocumentIndex<'_>,
    wanted: &[&WantedNode<'_>],
) -> (Vec<Edit>, Vec<Pointer>) {
    let mut claimed = HashSet::new();
    let mut edits = Vec::new();
    let mut containers = Vec::new();
    for node in wanted {
        let Some(edit) = addition(document_index, node, &mut claimed) else {
            continue;
        };
        let at = node.node.location.pointer();
        let needed = match &edit {
            Edit::Set { at, .. } if !is_bare(&node.node.value) => {
                at.split_last().map(|(parent, _)| parent)
            }
            _ => Some(at.clone()),
        };
        containers.extend(needed.iter().flat_map(|at| document_index.missing(at)));
        edits.push(edit);
    }
    containers.sort_by_key(|at| (at.steps().len(), at.clone()));
    containers.dedup();
    (edits, containers)
}

fn addition(
    document_index: &DocumentIndex<'_>,
    desired: &DesiredNode,
    claimed: &mut HashSet<(Pointer, usize)>,
) -> Option<Edit> {
    let value = &desired.node.value;
    let set = |at: &Pointer| Edit::Set {
        at: at.clone(),
        value: value.clone(),
    };
    let append = |to: &Pointer| Edit::Append {
        to: to.clone(),
        value: value.clone(),
    };
    match &desired.node.location {
        NodeLocation::Key(at) => document_index
            .at(at)
            .is_none_or(|now| !equal(now, value))
            .then(|| set(at)),
        NodeLocation::Default(at) => document_index.at(at).is_none().then(|| set(at)),
        NodeLocation::Item(list) => {
            let sums = document_index.sums(list);
            let mut positions = sums.positions(NodeSum::of(value)).iter();
            positions
                .all(|index| !claimed.insert((list.clone(), *index)))
                .then(|| append(list))
        }
        NodeLocation::Keyed { list, key, id } => {
            match document_index.with_id(list, key, id).first() {
                Some(index) if document_index.sums(list).all[*index] == NodeSum::of(value) => None,
                Some(index) => Some(set(&list.child(index.to_string()))),
                None => Some(append(list)),
            }
        }
    }
}

/// Builds the file again, and plans the differences.
pub(super) fn plan(
    task: &SharedFileTask<'_>,
    wanted: &[WantedNode<'_>],
) -> Result<SharedFileDecision, NodeError> {
    let built = build_shared_file(task.format, task.base, wanted)?;
    let old = task
        .owned
        .map(|owned| owned.nodes.as_slice())
        .unwrap_or_default();
    let (steps, unchanged) = match task.existing {
        Some(_) => compare_nodes(old, &built.owned.nodes),
        None => (created(old, wanted), 0),
    };
    let is_nothing = wanted.is_empty() && task.base.is_none();
    let outcome = match task.existing {
        Some(_) if is_nothing => FileOutcome::Remove,
        None if is_nothing => FileOutcome::Unchanged,
        Some(now) if **now.text() == *built.text => FileOutcome::Unchanged,
        _ => FileOutcome::Write(built.text.to_string()),
    };
    let owned = (!is_nothing).then_some(built.owned);
    Ok(SharedFileDecision {
        outcome,
        steps,
        refused: Vec::new(),
        owned,
        unchanged,
        edited: Vec::new(),
    })
}

fn step(node: &OwnedNode, action: ChangeAction, reason: ChangeReason) -> NodeStep {
    NodeStep {
        at: node.location.pointer().clone(),
        action,
        reason,
        owner: node.owner.clone(),
    }
}

/// The changes of a new file; those of layers are reported once.
fn created(old: &[OwnedNode], wanted: &[WantedNode<'_>]) -> Vec<NodeStep> {
    let old_locations: HashSet<&NodeLocation> = old.iter().map(|node| &node.location).collect();
    let mut reported = None;
    let is_written = |node: &&WantedNode<'_>| {
        node.on_equal == OnEqualUserValue::Adopt || reported.replace(()).is_none()
    };
    let reason = |location: &NodeLocation| {
        if old_locations.contains(location) {
            ChangeReason::WasMissing
        } else {
            ChangeReason::New
        }
    };
    let step = |node: &WantedNode<'_>| NodeStep {
        at: node.node.location.pointer().clone(),
        action: ChangeAction::Create,
        reason: reason(&node.node.location),
        owner: node.owner.clone(),
    };
    let mut steps: Vec<NodeStep> = wanted.iter().filter(is_written).map(step).collect();
    steps.sort_by(|left, right| left.at.cmp(&right.at));
    steps
}

/// The changed nodes, and the number of unchanged ones.
fn compare_nodes(old: &[OwnedNode], new: &[OwnedNode]) -> (Vec<NodeStep>, usize) {
    let mut left = UndecidedNodes::of(old);
    let rest: Vec<&OwnedNode> = new
        .iter()
        .filter(|node| left.take(&node.location, node.checksum).is_none())
        .collect();
    let unchanged = new.len() - rest.len();
    let mut steps: Vec<NodeStep> = rest
        .into_iter()
        .map(|node| node_change(node, &mut left))
        .collect();
    steps.extend(
        left.drain()
            .into_iter()
            .map(|node| step(node, ChangeAction::Remove, ChangeReason::Unasked)),
    );
    steps.sort_by(|left, right| left.at.cmp(&right.at));
    (steps, unchanged)
}

/// The change of a node that has no exact predecessor.
fn node_change(node: &OwnedNode, left: &mut UndecidedNodes<'_>) -> NodeStep {
    let before = match &node.location {
        NodeLocation::Key(at) | NodeLocation::Default(at) => left.take_key(at),
        location => left.take_sibling(location, &node.owner),
    };
    match before {
        Some(_) => step(node, ChangeAction::Update, ChangeReason::Content),
        None => step(node, ChangeAction::Create, ChangeReason::New),
    }
}
