//! The managed nodes of a file at the start of a run.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::NodeLocation;
use agpm_text::{Format, Pointer};

use super::document_index::ancestor_at;
use super::owned::{FileOrigin, OwnedNode, OwnedNodes};
use super::sum::NodeSum;

#[derive(Default)]
pub(super) struct ManagedNodes {
    pub(super) nodes: Vec<OwnedNode>,
    pub(super) containers: BTreeSet<Pointer>,
    others: BTreeMap<Pointer, BTreeSet<NodeSum>>,
}

impl ManagedNodes {
    pub(super) fn of(owned: Option<&OwnedNodes>, format: Format) -> Self {
        let Some(owned) = owned else {
            return ManagedNodes::default();
        };
        let others = owned
            .others
            .iter()
            .map(|(list, sums)| (list.clone(), sums.iter().copied().collect()));
        let mut managed = ManagedNodes {
            nodes: owned.nodes.clone(),
            others: others.collect(),
            ..ManagedNodes::default()
        };
        managed.containers = owned.containers.iter().cloned().collect();
        if owned.file == FileOrigin::Whole {
            managed.containers.extend(containers(&owned.nodes, format));
        }
        managed
    }

    /// Whether an item of a list was the user's at the last observation.
    pub(super) fn is_others(&self, list: &Pointer, sum: NodeSum) -> bool {
        self.others
            .get(list)
            .is_some_and(|others| others.contains(&sum))
    }
}

/// All maps and lists that contain a node, directly or indirectly.
pub(super) fn containers(nodes: &[OwnedNode], format: Format) -> BTreeSet<Pointer> {
    let first = usize::from(format == Format::Toml);
    let of_node = |node: &OwnedNode| {
        let at = node.location.pointer();
        // A default of a layer is an empty container.
        let length = at.steps().len() + usize::from(!matches!(node.location, NodeLocation::Key(_)));
        (first..length)
            .map(|length| ancestor_at(at, length))
            .collect::<Vec<_>>()
    };
    nodes.iter().flat_map(of_node).collect()
}
