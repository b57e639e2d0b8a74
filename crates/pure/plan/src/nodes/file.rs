//! One shared file: what is managed and what is the user's in it, before and after.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use agpm_model::{Checksum, NodeLocation};
use agpm_text::Pointer;

use super::desired::DesiredNode;
use super::desired_set::{WantedNode, normalize_desired};
use super::document_index::{DocumentIndex, above};
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

    /// Whether nothing of the user's exists.
    fn is_fresh(&self) -> bool {
        match (self.existing, self.owned) {
            (None, _) => self.base.is_some(),
            (Some(_), None) => false,
            (Some(document), Some(owned)) => {
                // Unchanged since agpm wrote all of it: then it is rendered again as a new file, and keeps no
                // traces of earlier edits.
                owned.file == FileOrigin::Whole
                    && owned.seen == Checksum::of(document.text().as_bytes())
            }
        }
    }

    /// Key by key: the user's bytes stay.
    pub(super) fn plan_keys(
        &self,
        all: Vec<WantedNode<'_>>,
    ) -> Result<SharedFileDecision, NodeError> {
        let mut draft = self
            .existing
            .map_or_else(|| DraftDocument::empty(self.format), DraftDocument::new);
        let mut ours = ManagedNodes::of(self.owned, self.format);
        // Before anything is compared: a list that was managed whole and is now wanted item by item would look like
        // a removal and an addition of everything.
        let wanted = lists::reconcile(&draft.document, all.clone(), &mut ours, self.overwrite);
        let mut made = desired_index::clear(&mut draft, &wanted, &mut ours, self.overwrite)?;
        let engine = NodePlanner::new(&draft.document, &ours, &ours.nodes, self.overwrite);
        made.join(engine.decide_all(&wanted));
        draft.apply(&made.edits)?;
        let mut containers = ours.containers;
        containers.extend(std::mem::take(&mut made.containers));
        let keys = key_places(&made.nodes);
        containers
            .retain(|at| !(0..=at.steps().len()).any(|length| keys.contains(&above(at, length))));
        let bare = bare_locations(&wanted);
        // Only containers that agpm created are removed when they become empty. An empty object of the user may
        // mean something to a tool.
        draft.prune(containers.iter().filter(|at| !bare.contains(at)))?;
        let sight = DocumentIndex::of(&draft.document);
        containers.retain(|at| sight.at(at).is_some());
        made.sort();
        EditedFile {
            task: self,
            draft,
            made,
            containers: by_depth(containers),
        }
        .finish(&all)
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

/// Keys that are managed as one: nothing in them is a container by itself.
fn key_places(nodes: &[OwnedNode]) -> HashSet<Pointer> {
    let keys = nodes
        .iter()
        .filter(|node| matches!(node.place, NodeLocation::Key(_)));
    keys.map(|node| node.place.pointer().clone()).collect()
}

/// Containers that are wanted even if nothing is in them.
fn bare_locations<'w>(wanted: &'w [WantedNode<'_>]) -> HashSet<&'w Pointer> {
    let is_container = |node: &&WantedNode<'_>| {
        matches!(node.node.place, NodeLocation::Default(_)) && is_bare(&node.node.value)
    };
    wanted
        .iter()
        .filter(is_container)
        .map(|node| node.node.place.pointer())
        .collect()
}

fn by_depth(containers: BTreeSet<Pointer>) -> Vec<Pointer> {
    let mut containers: Vec<Pointer> = containers.into_iter().collect();
    containers.sort_by_key(|at| at.steps().len());
    containers
}

impl NodeDecisions {
    fn join(&mut self, later: NodeDecisions) {
        let (steps, refused) = (
            std::mem::take(&mut self.steps),
            std::mem::take(&mut self.refused),
        );
        *self = later;
        self.steps.extend(steps);
        self.refused.extend(refused);
    }

    fn sort(&mut self) {
        self.steps.sort_by(|left, right| left.at.cmp(&right.at));
        self.refused.sort_by(|left, right| left.at.cmp(&right.at));
        self.nodes.sort();
    }
}

/// A file with all edits made.
struct EditedFile<'a> {
    task: &'a SharedFileTask<'a>,
    draft: DraftDocument,
    made: NodeDecisions,
    containers: Vec<Pointer>,
}

impl EditedFile<'_> {
    fn finish(mut self, wanted: &[WantedNode<'_>]) -> Result<SharedFileDecision, NodeError> {
        let owned = if self.made.nodes.is_empty() {
            self.restore_blanks();
            (!self.made.theirs.is_empty()).then(|| self.owned(None))
        } else {
            Some(self.owned_after(wanted)?)
        };
        Ok(SharedFileDecision {
            outcome: self.outcome(),
            steps: self.made.steps,
            refused: self.made.refused,
            owned,
            unchanged: self.made.unchanged,
        })
    }

    /// With the last managed node gone the text is the user's own again.
    fn restore_blanks(&mut self) {
        if let Ok(base) = self.users_text()
            && RemovalWhitespace::between(self.draft.text(), &base).is_some()
        {
            self.draft.read(base);
        }
    }

    fn owned_after(&mut self, wanted: &[WantedNode<'_>]) -> Result<OwnedNodes, NodeError> {
        if let Some(whole) = self.whole(wanted)? {
            self.draft.read(whole.text.to_string());
            return Ok(whole.owned);
        }
        let seen = Checksum::of(self.draft.text().as_bytes());
        let is_settled = |owned: &&OwnedNodes| {
            owned.seen == seen
                && owned.nodes == self.made.nodes
                && owned.theirs.iter().eq(&self.made.theirs)
        };
        Ok(
            match self
                .task
                .owned
                .filter(is_settled)
                .filter(|_| self.is_same_text())
            {
                Some(owned) => owned.clone(),
                // Without seams only blanks are lost.
                None => self.owned(self.users_text().ok().and_then(|base| self.seams(&base))),
            },
        )
    }

    /// The file as a new one would be, if there is none or it has only managed content.
    fn whole(
        &self,
        wanted: &[WantedNode<'_>],
    ) -> Result<Option<new_file::NewSharedFile>, NodeError> {
        let is_ours = self.origin() != FileOrigin::Users
            && self.made.theirs.is_empty()
            && self.made.refused.is_empty();
        let Some(base) = self.task.base.filter(|_| is_ours) else {
            return Ok(None);
        };
        let made = new_file::build_shared_file(self.task.format, Some(base), wanted)?;
        Ok(Some(made).filter(|made| *made.text == *self.draft.text() || self.is_nothing_else()))
    }

    fn is_nothing_else(&self) -> bool {
        let mut bare = DraftDocument::new(&self.draft.document);
        bare.strip(&self.made.nodes, &self.containers).is_ok() && is_blank(bare.text())
    }

    fn owned(&self, seams: Option<RemovalWhitespace>) -> OwnedNodes {
        OwnedNodes {
            seen: Checksum::of(self.draft.text().as_bytes()),
            file: self.origin(),
            containers: self.containers.clone(),
            nodes: self.made.nodes.clone(),
            others: self.others(),
            theirs: self.made.theirs.iter().cloned().collect(),
            seams,
        }
    }

    /// The items that are unmanaged, in lists that hold managed nodes or what is wanted there.
    fn others(&self) -> BTreeMap<Pointer, Vec<NodeSum>> {
        let sight = DocumentIndex::of(&self.draft.document);
        let in_list = |place: &NodeLocation| {
            matches!(place, NodeLocation::Item(_) | NodeLocation::Keyed { .. })
        };
        let nodes = self.made.nodes.iter().filter(|node| in_list(&node.place));
        let ours: HashSet<(&Pointer, NodeSum)> = nodes
            .clone()
            .map(|node| (node.place.pointer(), node.checksum))
            .collect();
        let theirs = self.made.theirs.iter().filter(|place| in_list(place));
        let lists: BTreeSet<&Pointer> = nodes
            .map(|node| &node.place)
            .chain(theirs)
            .map(NodeLocation::pointer)
            .collect();
        let is_ours = |list: &Pointer, sum: NodeSum| {
            ours.contains(&(list, sum)) || self.made.kept.contains(&(list.clone(), sum))
        };
        let of_list = |list: &Pointer| {
            let sums = sight.sums(list).all.clone().into_iter();
            (
                list.clone(),
                sums.filter(|sum| !is_ours(list, *sum)).collect::<Vec<_>>(),
            )
        };
        lists
            .into_iter()
            .map(of_list)
            .filter(|(_, sums)| !sums.is_empty())
            .collect()
    }

    fn is_same_text(&self) -> bool {
        self.task
            .existing
            .is_some_and(|document| **document.text() == *self.draft.text())
    }

    /// With something of the user's in it, a file is no longer wholly managed.
    fn origin(&self) -> FileOrigin {
        match (self.task.existing, self.task.owned.map(|owned| owned.file)) {
            (None, _) | (_, Some(FileOrigin::Whole | FileOrigin::Ours)) => FileOrigin::Ours,
            _ => FileOrigin::Users,
        }
    }

    fn outcome(&self) -> FileOutcome {
        let text = self.draft.text();
        let nothing = self.made.nodes.is_empty();
        match self.task.existing {
            None if nothing => FileOutcome::Unchanged,
            // A file that agpm created goes with its last node. One that the user created stays, also if it is
            // empty now.
            Some(_) if nothing && is_blank(text) && self.origin() == FileOrigin::Ours => {
                FileOutcome::Remove
            }
            Some(_) if self.is_same_text() => FileOutcome::Unchanged,
            _ => FileOutcome::Write(text.to_owned()),
        }
    }

    /// The user's own text: the existing one, without managed nodes of before and after.
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
            let as_we_left_it = owned.seen == Checksum::of(document.text().as_bytes());
            let seams = owned.seams.as_ref().filter(|_| as_we_left_it);
            if let Some(text) = seams.and_then(|seams| seams.apply(draft.text())) {
                draft.read(text);
            }
        }
        let sight = DocumentIndex::of(&self.draft.document);
        let is_written = |node: &&OwnedNode| node.author == Author::Agpm && sight.holds(node);
        let written: Vec<&OwnedNode> = self.made.nodes.iter().filter(is_written).collect();
        draft.clear(&written)?;
        Ok(draft.text().to_owned())
    }

    /// Whitespace that removing everything would not restore.
    fn seams(&self, base: &str) -> Option<RemovalWhitespace> {
        let mut bare = DraftDocument::new(&self.draft.document);
        bare.strip(&self.made.nodes, &self.containers).ok()?;
        RemovalWhitespace::between(bare.text(), base).filter(|seams| !seams.hunks.is_empty())
    }
}
