//! Plans one shared file: managed and user content before and after.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use agpm_model::{Checksum, NodeLocation};
use agpm_text::Pointer;

use super::desired::DesiredNode;
use super::desired_set::{WantedNode, normalize_desired};
use super::document_index::{DocumentIndex, ancestor_at};
use super::draft::DraftDocument;
use super::error::NodeError;
use super::managed_nodes::ManagedNodes;
use super::owned::{FileOrigin, OwnedNode, OwnedNodes};
use super::planner::{NodeDecisions, NodePlanner};
use super::removal_whitespace::RemovalWhitespace;
use super::resemblance::is_bare;
use super::sum::NodeSum;
use super::task::{FileOutcome, SharedFileDecision, SharedFileTask};
use super::{desired_index, lists, new_file};
use crate::change::Author;

impl SharedFileTask<'_> {
    pub(super) fn plan(&self, desired: &[DesiredNode]) -> Result<SharedFileDecision, NodeError> {
        let wanted = normalize_desired(desired)?;
        if self.is_fresh() {
            new_file::plan(self, &wanted)
        } else {
            self.plan_keys(wanted)
        }
    }

    /// Whether the file has no content of the user.
    fn is_fresh(&self) -> bool {
        match (self.existing, self.owned) {
            (None, _) => self.base.is_some(),
            (Some(_), None) => false,
            (Some(document), Some(owned)) => {
                // If the file is unchanged since agpm wrote all of it, it is rendered again as a new file and keeps no
                // traces of earlier edits.
                owned.file == FileOrigin::Whole
                    && owned.seen == Checksum::of(document.text().as_bytes())
            }
        }
    }

    /// Plans key by key and preserves the user's bytes.
    pub(super) fn plan_keys(
        &self,
        all: Vec<WantedNode<'_>>,
    ) -> Result<SharedFileDecision, NodeError> {
        let mut draft = self
            .existing
            .map_or_else(|| DraftDocument::empty(self.format), DraftDocument::new);
        let mut managed = ManagedNodes::of(self.owned, self.format);
        // Before anything is compared: a list that was managed as a whole and is now desired item by item would look
        // like a removal and an addition of everything.
        let wanted = lists::reconcile(&draft.document, all.clone(), &mut managed, self.overwrite);
        let mut decisions =
            desired_index::remove_obstructions(&mut draft, &wanted, &mut managed, self.overwrite)?;
        let mut engine =
            NodePlanner::new(&draft.document, &managed, &managed.nodes, self.overwrite);
        engine.merged = self.merged;
        decisions.join(engine.decide_all(&wanted));
        draft.apply(&decisions.edits)?;
        let mut containers = managed.containers;
        containers.extend(std::mem::take(&mut decisions.containers));
        let keys = key_pointers(&decisions.nodes);
        containers.retain(|at| {
            !(0..=at.steps().len()).any(|length| keys.contains(&ancestor_at(at, length)))
        });
        let bare = bare_locations(&wanted);
        // Only containers that agpm created are removed when they become empty. An empty object of the user may mean
        // something to a tool.
        draft.prune(containers.iter().filter(|at| !bare.contains(at)))?;
        let document_index = DocumentIndex::of(&draft.document);
        containers.retain(|at| document_index.at(at).is_some());
        decisions.sort();
        EditedFile {
            task: self,
            draft,
            decisions,
            containers: by_depth(containers),
        }
        .finish(&all)
    }
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

/// Keys that are managed as a whole: nothing in them is a separate container.
fn key_pointers(nodes: &[OwnedNode]) -> HashSet<Pointer> {
    let mut keys = HashSet::new();
    for node in nodes {
        if matches!(node.location, NodeLocation::Key(_)) {
            keys.insert(node.location.pointer().clone());
        }
    }
    keys
}

fn is_in_list(location: &NodeLocation) -> bool {
    matches!(location, NodeLocation::Item(_) | NodeLocation::Keyed { .. })
}

/// Containers that are desired even if they are empty.
fn bare_locations<'w>(wanted: &'w [WantedNode<'_>]) -> HashSet<&'w Pointer> {
    let mut bare = HashSet::new();
    for wanted in wanted {
        let node = &wanted.node;
        if matches!(node.location, NodeLocation::Default(_)) && is_bare(&node.value) {
            bare.insert(node.location.pointer());
        }
    }
    bare
}

fn by_depth(containers: BTreeSet<Pointer>) -> Vec<Pointer> {
    let mut containers: Vec<Pointer> = containers.into_iter().collect();
    containers.sort_by_key(|at| at.steps().len());
    containers
}

impl NodeDecisions {
    /// Replaces decisions about obstacles by all decisions. Of the former only what users see remains: their edits are made
    /// already, and nothing that was removed is managed.
    fn join(&mut self, mut later: NodeDecisions) {
        later.steps.append(&mut self.steps);
        later.refused.append(&mut self.refused);
        *self = later;
    }

    fn sort(&mut self) {
        self.steps.sort_by(|left, right| left.at.cmp(&right.at));
        self.refused.sort_by(|left, right| left.at.cmp(&right.at));
        self.nodes.sort();
    }
}

/// A file after all edits.
struct EditedFile<'a> {
    task: &'a SharedFileTask<'a>,
    draft: DraftDocument,
    decisions: NodeDecisions,
    containers: Vec<Pointer>,
}

impl EditedFile<'_> {
    fn finish(mut self, wanted: &[WantedNode<'_>]) -> Result<SharedFileDecision, NodeError> {
        let owned = if self.decisions.nodes.is_empty() {
            self.restore_blanks();
            (!self.decisions.equal_user_nodes.is_empty()).then(|| self.owned(None))
        } else {
            Some(self.owned_after(wanted)?)
        };
        Ok(SharedFileDecision {
            outcome: self.outcome(),
            steps: self.decisions.steps,
            refused: self.decisions.refused,
            owned,
            unchanged: self.decisions.unchanged,
            edited: self.decisions.edited,
        })
    }

    /// With the last managed node removed, restores the user's original whitespace.
    fn restore_blanks(&mut self) {
        if let Ok(base) = self.users_text()
            && RemovalWhitespace::between(self.draft.text(), &base).is_some()
        {
            self.draft.read(base);
        }
    }

    fn owned_after(&mut self, wanted: &[WantedNode<'_>]) -> Result<OwnedNodes, NodeError> {
        if let Some(rebuilt) = self.rebuild(wanted)? {
            self.draft.read(rebuilt.text.to_string());
            return Ok(rebuilt.owned);
        }
        // An unchanged file keeps its record: the whitespace in it was found when the user's text was still alone, and could
        // not be found again.
        if let Some(owned) = self.task.owned.filter(|owned| self.is_settled(owned)) {
            return Ok(owned.clone());
        }
        let seams = match self.users_text() {
            Ok(base) => self.seams(&base),
            // Without recorded whitespace only blanks are lost.
            Err(_) => None,
        };
        Ok(self.owned(seams))
    }

    /// Whether a record describes the file as it is after the edits.
    fn is_settled(&self, owned: &OwnedNodes) -> bool {
        let decided = &self.decisions;
        self.is_same_text()
            && owned.seen == Checksum::of(self.draft.text().as_bytes())
            && owned.nodes == decided.nodes
            && owned.equal_user_nodes.iter().eq(&decided.equal_user_nodes)
    }

    /// Builds the file from scratch if it does not exist or has only managed content.
    fn rebuild(
        &self,
        wanted: &[WantedNode<'_>],
    ) -> Result<Option<new_file::NewSharedFile>, NodeError> {
        let is_managed = self.origin() != FileOrigin::Users
            && self.decisions.equal_user_nodes.is_empty()
            && self.decisions.refused.is_empty();
        let Some(base) = self.task.base.filter(|_| is_managed) else {
            return Ok(None);
        };
        let built = new_file::build_shared_file(self.task.format, Some(base), wanted)?;
        Ok(Some(built).filter(|built| *built.text == *self.draft.text() || self.is_nothing_else()))
    }

    fn is_nothing_else(&self) -> bool {
        let mut bare = DraftDocument::new(&self.draft.document);
        bare.strip(&self.decisions.nodes, &self.containers).is_ok() && is_blank(bare.text())
    }

    fn owned(&self, seams: Option<RemovalWhitespace>) -> OwnedNodes {
        OwnedNodes {
            seen: Checksum::of(self.draft.text().as_bytes()),
            file: self.origin(),
            containers: self.containers.clone(),
            nodes: self.decisions.nodes.clone(),
            others: self.user_items(),
            equal_user_nodes: self.decisions.equal_user_nodes.iter().cloned().collect(),
            seams,
            values: None,
            conflict: None,
        }
    }

    /// The unmanaged items of lists that hold managed or desired nodes.
    fn user_items(&self) -> BTreeMap<Pointer, Vec<NodeSum>> {
        let mut lists = BTreeSet::new();
        let mut managed = HashSet::new();
        for node in &self.decisions.nodes {
            if is_in_list(&node.location) {
                lists.insert(node.location.pointer());
                managed.insert((node.location.pointer(), node.checksum));
            }
        }
        for location in &self.decisions.equal_user_nodes {
            if is_in_list(location) {
                lists.insert(location.pointer());
            }
        }
        let document_index = DocumentIndex::of(&self.draft.document);
        let mut users = BTreeMap::new();
        for list in lists {
            let mut items = document_index.sums(list).all.clone();
            items.retain(|item| {
                let is_kept = self.decisions.kept_values.contains(&(list.clone(), *item));
                !is_kept && !managed.contains(&(list, *item))
            });
            if !items.is_empty() {
                users.insert(list.clone(), items);
            }
        }
        users
    }

    fn is_same_text(&self) -> bool {
        self.task
            .existing
            .is_some_and(|document| **document.text() == *self.draft.text())
    }

    /// A file with content of the user is no longer wholly managed.
    fn origin(&self) -> FileOrigin {
        match (self.task.existing, self.task.owned.map(|owned| owned.file)) {
            (None, _) | (_, Some(FileOrigin::Whole | FileOrigin::Ours)) => FileOrigin::Ours,
            _ => FileOrigin::Users,
        }
    }

    fn outcome(&self) -> FileOutcome {
        let text = self.draft.text();
        let nothing = self.decisions.nodes.is_empty();
        match self.task.existing {
            None if nothing => FileOutcome::Unchanged,
            // A file that agpm created is removed with its last node. One that the user created stays, even if it is
            // empty now.
            Some(_) if nothing && is_blank(text) && self.origin() == FileOrigin::Ours => {
                FileOutcome::Remove
            }
            Some(_) if self.is_same_text() => FileOutcome::Unchanged,
            _ => FileOutcome::Write(text.to_owned()),
        }
    }

    /// The user's own text: the existing text without managed nodes, old or new.
    fn users_text(&self) -> Result<String, NodeError> {
        let Some(document) = self.task.existing else {
            return Ok(String::new());
        };
        let mut draft = DraftDocument::new(document);
        if let Some(owned) = self.task.owned {
            let containers = ManagedNodes::of(Some(owned), self.task.format).containers;
            draft.strip(&owned.nodes, &by_depth(containers))?;
            // Recorded whitespace is applied only to the bytes it was recorded for; in an edited file it could land
            // anywhere.
            let is_unmodified = owned.seen == Checksum::of(document.text().as_bytes());
            let seams = owned.seams.as_ref().filter(|_| is_unmodified);
            if let Some(text) = seams.and_then(|seams| seams.apply(draft.text())) {
                draft.read(text);
            }
        }
        let document_index = DocumentIndex::of(&self.draft.document);
        let is_written =
            |node: &&OwnedNode| node.author == Author::Agpm && document_index.holds(node);
        let written: Vec<&OwnedNode> = self.decisions.nodes.iter().filter(is_written).collect();
        draft.clear(&written)?;
        Ok(draft.text().to_owned())
    }

    /// Whitespace that removing all managed nodes would not restore.
    fn seams(&self, base: &str) -> Option<RemovalWhitespace> {
        let mut bare = DraftDocument::new(&self.draft.document);
        bare.strip(&self.decisions.nodes, &self.containers).ok()?;
        RemovalWhitespace::between(bare.text(), base).filter(|seams| !seams.hunks.is_empty())
    }
}
