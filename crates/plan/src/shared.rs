//! Plans files that users write too: desired nodes against existing ones.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{FileMode, LayerSet, ObservedPath, Owner, RelativePath};
use agpm_text::{Document, Pointer, Value};

use crate::change::{
    ChangeAction, ChangeReason, Obstacle, OverwriteRule, PlannedChange, RefusedChange,
};
use crate::desired::DesiredShared;
use crate::ledger::Ledger;
use crate::nodes::{
    DesiredNode, EditedNode, FileOrigin, FileOutcome, NodeError, NodePlan, OwnedNodes, SharedFile,
    plan_nodes,
};
use crate::observation::{Observation, SharedContent, shared_format};
use crate::plan::{PlanError, SharedChange};

/// The plan for one shared file.
#[derive(Debug)]
pub struct SharedFilePlan {
    pub(crate) path: RelativePath,
    pub(crate) changes: Vec<PlannedChange>,
    pub(crate) refusals: Vec<RefusedChange>,
    pub(crate) unchanged: usize,
    pub(crate) owned: Option<OwnedNodes>,
    pub(crate) change: Option<SharedChange>,
    pub(crate) edited: Vec<EditedNode>,
}

pub(crate) fn plan_shared_file(
    path: &RelativePath,
    desired: Option<&DesiredShared<'_>>,
    observation: &Observation,
    ledger: &Ledger,
    merged: Option<&BTreeMap<Pointer, Value>>,
    overwrite: OverwriteRule,
) -> Result<SharedFilePlan, PlanError> {
    let nodes = desired.map_or(&[][..], |desired| &desired.nodes);
    let before = observation.get(path);
    let document = match observation.shared(path) {
        SharedContent::Missing => None,
        SharedContent::Document(document) => Some(document),
        SharedContent::Obstacle(obstacle) => return Ok(refused(path, nodes, None, obstacle)),
        SharedContent::Unreadable => return Err(PlanError::Unreadable(path.clone())),
    };
    let planned = plan_nodes(&SharedFile {
        path,
        format: shared_format(path),
        before,
        document,
        desired: nodes,
        owned: ledger.shared.get(path),
        base: desired.and_then(|desired| desired.base),
        merged,
        overwrite,
    });
    match planned {
        Ok(planned) => Ok(whole_file(path, desired, before, document, planned)),
        Err(NodeError::Edit { at, .. }) => Ok(refused(path, nodes, Some(at), Obstacle::Uneditable)),
        Err(error) => Err(PlanError::Clash(Box::new(clash(path, &error)))),
    }
}

fn refused(
    path: &RelativePath,
    desired: &[DesiredNode],
    pointer: Option<Pointer>,
    obstacle: Obstacle,
) -> SharedFilePlan {
    let owner = desired
        .first()
        .map_or(Owner::from("an entry"), |node| node.owner.clone());
    SharedFilePlan {
        path: path.clone(),
        changes: Vec::new(),
        refusals: vec![RefusedChange {
            path: path.clone(),
            pointer,
            block: None,
            obstacle,
            owner,
        }],
        unchanged: 0,
        owned: None,
        change: None,
        edited: Vec::new(),
    }
}

/// The effect of the node plan on the whole file: its mode, and how it is reported.
fn whole_file(
    path: &RelativePath,
    desired: Option<&DesiredShared<'_>>,
    before: ObservedPath,
    document: Option<&Document>,
    mut planned: NodePlan,
) -> SharedFilePlan {
    planned.refusals.dedup();
    let layers = desired.and_then(|desired| desired.layers.cloned());
    let mode = desired.map_or(FileMode::Plain, |desired| desired.mode);
    let has_base = desired.is_some_and(|desired| desired.base.is_some());
    let is_new = before == ObservedPath::Missing && has_base;
    let mut changes = planned.changes;
    if is_new {
        changes = as_one_change(changes, layers.clone());
    } else if planned.outcome == FileOutcome::Remove {
        changes = as_one_change(changes, None);
    }
    let mut outcome = planned.outcome;
    if changes.is_empty() && desired.is_some() && matches!(outcome, FileOutcome::Write(_)) {
        // Only comments or the order changed.
        changes.push(text_change(
            path,
            before,
            ChangeReason::Content,
            layers.clone().unwrap_or_default(),
        ));
    }
    let is_whole = planned
        .owned
        .as_ref()
        .is_some_and(|owned| owned.file == FileOrigin::Whole);
    // The mode of a file that the user created is not changed.
    if is_whole
        && outcome == FileOutcome::Unchanged
        && let (ObservedPath::File(now), Some(document)) = (before, document)
        && now.mode != mode
    {
        changes.push(text_change(
            path,
            before,
            ChangeReason::Mode,
            layers.unwrap_or_default(),
        ));
        outcome = FileOutcome::Write(document.text().to_string());
    }
    // A wholly managed file is reported as one.
    let unchanged = if is_whole {
        usize::from(changes.is_empty())
    } else {
        planned.unchanged
    };
    let change = (outcome != FileOutcome::Unchanged).then(|| SharedChange {
        path: path.clone(),
        outcome,
        mode,
        before,
    });
    SharedFilePlan {
        path: path.clone(),
        changes,
        refusals: planned.refusals,
        unchanged,
        owned: planned.owned,
        change,
        edited: planned.edited,
    }
}

/// A change of the text that changes no node.
fn text_change(
    path: &RelativePath,
    before: ObservedPath,
    reason: ChangeReason,
    owner: Owner,
) -> PlannedChange {
    PlannedChange {
        path: path.clone(),
        pointer: Some(Pointer::root()),
        block: None,
        action: ChangeAction::Update,
        before,
        content: None,
        reason,
        owner,
    }
}

/// Reports a file that is created or removed with the layers as one change, not key by key.
fn as_one_change(changes: Vec<PlannedChange>, owner: Option<Owner>) -> Vec<PlannedChange> {
    let (layers, mut others): (Vec<PlannedChange>, Vec<PlannedChange>) = changes
        .into_iter()
        .partition(|change| change.owner.layers().is_some());
    let sets = layers.iter().filter_map(|change| change.owner.layers());
    let owner = owner.unwrap_or_else(|| Owner::Layers(LayerSet::union(sets)));
    let summary = layers.first().map(|first| PlannedChange {
        pointer: Some(Pointer::root()),
        owner,
        ..first.clone()
    });
    others.splice(0..0, summary);
    others
}

fn clash(path: &RelativePath, error: &NodeError) -> Diagnostic {
    let help = "rename one of them, or exclude the file from the layer with `include`";
    Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, error.to_string())
        .in_file(path.as_str())
        .help(help)
}
