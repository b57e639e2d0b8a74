//! Decides node by node, and edits as it goes.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{Checksum, Place};
use agpm_text::{Document, Format, NodeRef, Pointer, equal};

use super::draft::Draft;
use super::look::{checksum_of, items_at, locate, remember};
use super::room::{in_the_way, without_repeats};
use super::seams::Seams;
use super::{DesiredNode, FileOrigin, FileOutcome, NodeError, OwnedNode, OwnedNodes};
use crate::plan::{Action, Obstacle, Overwrite, Reason};

/// What happens to one node.
pub(super) struct Step {
    pub(super) at: Pointer,
    pub(super) action: Action,
    pub(super) reason: Reason,
    pub(super) owner: String,
}

/// What is in the way of one node.
pub(super) struct Refused {
    pub(super) at: Pointer,
    pub(super) what: Obstacle,
    pub(super) owner: String,
}

/// All that was decided.
pub(super) struct Done {
    pub(super) outcome: FileOutcome,
    pub(super) steps: Vec<Step>,
    pub(super) refused: Vec<Refused>,
    pub(super) owned: Option<OwnedNodes>,
    pub(super) unchanged: usize,
}

pub(super) struct Engine<'a> {
    existing: Option<&'a Document>,
    owned: Option<&'a OwnedNodes>,
    pub(super) overwrite: Overwrite,
    pub(super) draft: Draft,
    /// Nodes of ours that nothing was decided about yet.
    pub(super) left: Vec<&'a OwnedNode>,
    /// Nodes that are ours afterwards.
    pub(super) nodes: Vec<OwnedNode>,
    /// Items that stand for a node of ours: the list and the index.
    pub(super) claimed: BTreeSet<(Pointer, usize)>,
    /// What edited items say that stay.
    pub(super) kept: Vec<(Pointer, Checksum)>,
    containers: Vec<Pointer>,
    steps: Vec<Step>,
    refused: Vec<Refused>,
    unchanged: usize,
}

impl<'a> Engine<'a> {
    pub(super) fn new(
        format: Format,
        existing: Option<&'a Document>,
        owned: Option<&'a OwnedNodes>,
        overwrite: Overwrite,
    ) -> Self {
        Engine {
            existing,
            owned,
            overwrite,
            draft: existing.map_or_else(|| Draft::empty(format), Draft::new),
            left: owned.into_iter().flat_map(|owned| &owned.nodes).collect(),
            nodes: Vec::new(),
            claimed: BTreeSet::new(),
            kept: Vec::new(),
            containers: owned.map(|owned| owned.containers.clone()).unwrap_or_default(),
            steps: Vec::new(),
            refused: Vec::new(),
            unchanged: 0,
        }
    }

    pub(super) fn run(mut self, desired: &[DesiredNode]) -> Result<Done, NodeError> {
        let desired = without_repeats(desired)?;
        // Items that are there already must be known before others look for one to replace.
        let mut rest = Vec::new();
        for node in desired {
            match self.equal_item(node) {
                Some((list, index)) => self.adopt_item(node, list, index)?,
                None => rest.push(node),
            }
        }
        rest.into_iter().try_for_each(|node| self.decide(node))?;
        self.retire()?;
        self.draft.prune(&self.containers)?;
        self.finish()
    }

    fn decide(&mut self, desired: &DesiredNode) -> Result<(), NodeError> {
        if let Some((at, kind)) = in_the_way(&self.draft.document, &desired.node.place) {
            self.refuse(at, Obstacle::Other(kind.word()), &desired.owner);
            return Ok(());
        }
        match &desired.node.place {
            Place::Key(at) | Place::Default(at) => self.decide_key(desired, at),
            Place::Item(list) => self.decide_item(desired, list),
            Place::Keyed { .. } => Ok(()),
        }
    }

    /// One place; of a default, any value of the user's will do, and only one that we wrote follows ours.
    fn decide_key(&mut self, desired: &DesiredNode, at: &Pointer) -> Result<(), NodeError> {
        let is_default = matches!(desired.node.place, Place::Default(_));
        let owned = self.take_left(|node| is_under_key(node, at));
        let now = self.draft.document.at(at);
        let same = now.is_some_and(|now| equal(now, &desired.node.value));
        let (action, reason) = match (now.map(checksum_of), owned) {
            (None, None) => (Action::Create, Reason::New),
            (None, Some(_)) => (Action::Create, Reason::WasMissing),
            (Some(_), None) if is_default => return self.accept(),
            (Some(_), _) if same => return self.leave(desired),
            (Some(now), Some(owned)) if now == owned.checksum => (Action::Update, Reason::Content),
            (Some(_), Some(_)) if is_default => return self.accept(),
            (Some(_), Some(_)) if self.overwrite == Overwrite::Everything => {
                (Action::Update, Reason::EditDropped)
            }
            (Some(_), Some(owned)) => return self.keep(owned),
            (Some(_), None) if self.overwrite >= Overwrite::Unowned => (Action::Update, Reason::TakenOver),
            (Some(_), None) => {
                self.refuse(at.clone(), Obstacle::Entry, &desired.owner);
                return Ok(());
            }
        };
        self.write_key(desired, at, action, reason)
    }

    fn write_key(
        &mut self,
        desired: &DesiredNode,
        at: &Pointer,
        action: Action,
        reason: Reason,
    ) -> Result<(), NodeError> {
        let made = self.draft.set(at, &desired.node.value)?;
        self.own(desired, made);
        self.tell(at, action, reason, &desired.owner);
        Ok(())
    }

    /// Removes what is ours and no longer asked for.
    fn retire(&mut self) -> Result<(), NodeError> {
        let mut doomed: Vec<(usize, Pointer)> = Vec::new();
        for node in std::mem::take(&mut self.left) {
            let untouched = self.spot(node);
            let Some(spot) = untouched.clone().or_else(|| self.edited_spot(node)) else { continue };
            let (action, reason) = match untouched {
                Some(_) => (Action::Remove, Reason::Unasked),
                None if self.may_drop_spot(node, spot.0) => (Action::Remove, Reason::UnaskedEditDropped),
                None => (Action::Keep, Reason::UnaskedEdited),
            };
            self.tell(node.place.pointer(), action, reason, &node.owner);
            if let Place::Item(list) = &node.place {
                self.claimed.insert((list.clone(), spot.0));
            }
            doomed.extend(Some(spot).filter(|_| action == Action::Remove));
        }
        // From the end, so that the indices before stay right.
        doomed.sort_by(|left, right| right.cmp(left));
        doomed.iter().try_for_each(|(_, at)| self.draft.remove(at))
    }

    fn may_drop_spot(&self, node: &OwnedNode, index: usize) -> bool {
        match &node.place {
            Place::Item(list) => self.may_drop(node, list, index),
            _ => self.overwrite == Overwrite::Everything,
        }
    }

    /// Where a node is that is as we wrote it, with its index in a list.
    fn spot(&self, node: &OwnedNode) -> Option<(usize, Pointer)> {
        match &node.place {
            Place::Item(list) => self.untouched_item(node, list).map(|at| (at, list.child(at.to_string()))),
            _ => locate(&self.draft.document, node).map(|at| (0, at)),
        }
    }

    /// Where a node is that was edited. A default that was edited is the user's.
    fn edited_spot(&self, node: &OwnedNode) -> Option<(usize, Pointer)> {
        match &node.place {
            Place::Item(list) => self.edited_item(node, list).map(|at| (at, list.child(at.to_string()))),
            Place::Key(at) => self.draft.document.at(at).map(|_| (0, at.clone())),
            Place::Default(_) | Place::Keyed { .. } => None,
        }
    }

    pub(super) fn take_left(&mut self, wanted: impl Fn(&OwnedNode) -> bool) -> Option<&'a OwnedNode> {
        self.left.iter().position(|node| wanted(node)).map(|at| self.left.remove(at))
    }

    /// What is there will do, and is the user's.
    fn accept(&mut self) -> Result<(), NodeError> {
        self.unchanged += 1;
        Ok(())
    }

    /// The node is there as it should be.
    pub(super) fn leave(&mut self, desired: &DesiredNode) -> Result<(), NodeError> {
        self.own(desired, Vec::new());
        self.accept()
    }

    /// The node was edited and stays.
    pub(super) fn keep(&mut self, owned: &OwnedNode) -> Result<(), NodeError> {
        self.tell(owned.place.pointer(), Action::Keep, Reason::Edited, &owned.owner);
        self.nodes.push(owned.clone());
        Ok(())
    }

    pub(super) fn own(&mut self, desired: &DesiredNode, made: Vec<Pointer>) {
        self.containers.extend(made);
        self.nodes.push(remember(&desired.node.place, &desired.node.value, &desired.owner));
    }

    pub(super) fn tell(&mut self, at: &Pointer, action: Action, reason: Reason, owner: &str) {
        self.steps.push(Step { at: at.clone(), action, reason, owner: owner.to_owned() });
    }

    fn refuse(&mut self, at: Pointer, what: Obstacle, owner: &str) {
        self.refused.push(Refused { at, what, owner: owner.to_owned() });
    }

    fn finish(mut self) -> Result<Done, NodeError> {
        self.steps.sort_by(|left, right| left.at.cmp(&right.at));
        self.refused.sort_by(|left, right| left.at.cmp(&right.at));
        self.nodes.sort();
        self.containers.retain(|at| self.draft.document.at(at).is_some());
        self.containers.sort_by_key(|at| (at.steps().len(), at.clone()));
        self.containers.dedup();
        let owned = if self.nodes.is_empty() {
            self.restore_blanks();
            None
        } else {
            Some(self.owned_after())
        };
        Ok(Done {
            outcome: self.outcome(),
            steps: self.steps,
            refused: self.refused,
            owned,
            unchanged: self.unchanged,
        })
    }

    /// With the last node of ours gone the text is the user's own again.
    fn restore_blanks(&mut self) {
        if let Ok(base) = self.base()
            && Seams::between(self.draft.text(), &base).is_some()
        {
            self.draft.read(base);
        }
    }

    fn owned_after(&self) -> OwnedNodes {
        let seen = Checksum::of(self.draft.text().as_bytes());
        let settled = |owned: &&OwnedNodes| owned.seen == seen && owned.nodes == self.nodes;
        if let Some(owned) = self.owned.filter(settled).filter(|_| self.is_same_text()) {
            return owned.clone();
        }
        OwnedNodes {
            seen,
            file: self.origin(),
            containers: self.containers.clone(),
            nodes: self.nodes.clone(),
            others: self.others(),
            theirs: Vec::new(),
            // Without them only blanks are lost.
            seams: self.base().ok().and_then(|base| self.seams(&base)),
        }
    }

    /// The items that are not ours, in lists that hold nodes of ours.
    fn others(&self) -> BTreeMap<Pointer, Vec<Checksum>> {
        let lists = self.nodes.iter().filter_map(|node| match &node.place {
            Place::Item(list) => Some(list),
            _ => None,
        });
        let is_ours = |list: &Pointer, sum: Checksum| {
            let own = |node: &OwnedNode| node.checksum == sum && node.place.pointer() == list;
            self.nodes.iter().any(own) || self.kept.contains(&(list.clone(), sum))
        };
        let of_list = |list: &Pointer| {
            let sums = items_at(&self.draft.document, list).into_iter().map(checksum_of);
            (list.clone(), sums.filter(|sum| !is_ours(list, *sum)).collect::<Vec<_>>())
        };
        lists.map(of_list).filter(|(_, sums)| !sums.is_empty()).collect()
    }

    /// Whether an item is one of the user's that was there when we last looked.
    pub(super) fn is_users(&self, list: &Pointer, item: NodeRef<'_>) -> bool {
        self.owned.is_some_and(|owned| owned.is_others(list, checksum_of(item)))
    }

    fn is_same_text(&self) -> bool {
        self.existing.is_some_and(|document| **document.text() == *self.draft.text())
    }

    fn origin(&self) -> FileOrigin {
        match (self.existing, self.owned) {
            (None, _) => FileOrigin::Ours,
            (Some(_), owned) => owned.map_or(FileOrigin::Users, |owned| owned.file),
        }
    }

    fn outcome(&self) -> FileOutcome {
        let text = self.draft.text();
        let blank = text.trim_start_matches('\u{feff}').trim().is_empty();
        match self.existing {
            None if self.nodes.is_empty() => FileOutcome::Unchanged,
            Some(_) if self.nodes.is_empty() && blank && self.origin() == FileOrigin::Ours => {
                FileOutcome::Remove
            }
            Some(_) if self.is_same_text() => FileOutcome::Unchanged,
            _ => FileOutcome::Write(text.to_owned()),
        }
    }

    /// The user's own text: what was there, without our nodes of then and of now.
    fn base(&self) -> Result<String, NodeError> {
        let Some(document) = self.existing else { return Ok(String::new()) };
        let mut draft = Draft::new(document);
        if let Some(owned) = self.owned {
            draft.strip(&owned.nodes, &owned.containers)?;
            let as_we_left_it = owned.seen == Checksum::of(document.text().as_bytes());
            let seams = owned.seams.as_ref().filter(|_| as_we_left_it);
            if let Some(text) = seams.and_then(|seams| seams.apply(draft.text())) {
                draft.read(text);
            }
        }
        let written = |node: &&OwnedNode| locate(&self.draft.document, node).is_some();
        let ours: Vec<OwnedNode> = self.nodes.iter().filter(written).cloned().collect();
        draft.clear(&ours)?;
        Ok(draft.text().to_owned())
    }

    /// What removing everything would not bring back.
    fn seams(&self, base: &str) -> Option<Seams> {
        let mut bare = Draft::new(&self.draft.document);
        bare.strip(&self.nodes, &self.containers).ok()?;
        Seams::between(bare.text(), base).filter(|seams| !seams.hunks.is_empty())
    }
}

fn is_under_key(node: &OwnedNode, at: &Pointer) -> bool {
    matches!(&node.place, Place::Key(own) | Place::Default(own) if own == at)
}
