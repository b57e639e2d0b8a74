//! Edited entries and blocks of shared files of which a new version exists: merges them, or writes the whole resulting
//! file next to the user's.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_merge::{ListRules, ThreeWayMerge, merge_three, merge_three_by};
use agpm_model::{Checksum, FileMode, Manifest, ObservedPath, RelativePath};
use agpm_plan::{
    ConflictSides, DesiredState, EditMerges, EditedBlock, EditedNode, FileOutcome, KeptBytes,
    Ledger, OverwriteRule, Plan, SharedConflict, location_record, path_beside,
};
use agpm_store::{ExpectedFile, FileChange, ProjectStore};
use agpm_text::{Format, Value, to_value};

use crate::install::edits::clashes;
use crate::install::kept_bases::{BaseReader, value_of};
use crate::project::observer::PathObserver;

/// What the merges of shared files start from.
pub(super) struct SharedEdits<'a, 'd> {
    pub(super) store: &'a ProjectStore,
    pub(super) manifest: &'a Manifest,
    pub(super) desired: &'a DesiredState<'d>,
    /// The ledger that the plan was made with.
    pub(super) ledger: &'a Ledger,
    pub(super) overwrite: OverwriteRule,
}

/// A plan in which edits of shared files are settled.
pub(super) struct SettledShared {
    pub(super) plan: Plan,
    /// Resulting files next to files in conflict, written and removed.
    pub(super) beside: Vec<FileChange<'static>>,
}

impl SharedEdits<'_, '_> {
    /// Merges what can be merged, and opens conflicts for the rest.
    pub(super) fn settle(
        &self,
        disk: &mut PathObserver<'_>,
        plan: Plan,
        notes: &mut Notes,
    ) -> Result<SettledShared, Failure> {
        let mut clashed: BTreeMap<RelativePath, String> = BTreeMap::new();
        let mut merges = self.merges(disk, &plan, &mut clashed);
        let mut plan = plan;
        if !merges.is_empty() {
            let desired = self.desired.with_merges(merges.clone());
            plan = disk.plan(&desired, self.ledger, self.overwrite, notes)?;
        }
        for owned in plan.ledger.shared.values_mut() {
            owned.conflict = None;
        }
        for owned in plan.ledger.blocks.values_mut() {
            owned.conflict = None;
        }
        let mut beside = Vec::new();
        if !plan.edited_nodes.is_empty() || !plan.edited_blocks.is_empty() {
            for (path, node) in &plan.edited_nodes {
                let of_file = merges.nodes.entry(path.clone()).or_default();
                of_file.insert(node.at.clone(), node.new.clone());
            }
            for (path, block) in &plan.edited_blocks {
                let of_file = merges.blocks.entry(path.clone()).or_default();
                of_file.insert(block.name.clone(), block.new.clone());
            }
            // The file as it would be with the new version of everything in conflict.
            let desired = self.desired.with_merges(merges);
            let resulting = disk.plan(&desired, self.ledger, self.overwrite, notes)?;
            for (path, sides) in self.sides(disk, &plan) {
                let Some(text) = resulting_text(&resulting, &path) else {
                    continue;
                };
                let known = self.known_conflict(&path);
                let conflict = SharedConflict {
                    beside: Checksum::of(text.as_bytes()),
                    sides: with_first_sides(sides, known),
                };
                beside.extend(self.write_beside(&path, text, known, notes)?);
                if let Some(owned) = plan.ledger.shared.get_mut(&path) {
                    owned.conflict = Some(conflict.clone());
                }
                if let Some(owned) = plan.ledger.blocks.get_mut(&path) {
                    owned.conflict = Some(conflict);
                }
            }
        }
        plan.clashes.extend(clashed);
        for (path, known) in self.ledger.shared_conflicts() {
            if plan.ledger.shared_conflict(path).is_none() {
                beside.extend(self.remove_beside(path, known)?);
            }
        }
        Ok(SettledShared { plan, beside })
    }

    /// The merged value of every edit that can be merged.
    fn merges(
        &self,
        disk: &PathObserver<'_>,
        plan: &Plan,
        clashed: &mut BTreeMap<RelativePath, String>,
    ) -> EditMerges {
        let mut merges = EditMerges::default();
        let mut bases = BaseReader::new(self.store);
        for (path, node) in &plan.edited_nodes {
            if let Some(value) = self.merge_node(disk, path, node, &mut bases, clashed) {
                let of_file = merges.nodes.entry(path.clone()).or_default();
                of_file.insert(node.at.clone(), value);
            }
        }
        for (path, block) in &plan.edited_blocks {
            if let Some(text) = self.merge_block(disk, path, block, &mut bases, clashed) {
                let of_file = merges.blocks.entry(path.clone()).or_default();
                of_file.insert(block.name.clone(), text);
            }
        }
        merges
    }

    fn merge_node(
        &self,
        disk: &PathObserver<'_>,
        path: &RelativePath,
        node: &EditedNode,
        bases: &mut BaseReader<'_>,
        clashed: &mut BTreeMap<RelativePath, String>,
    ) -> Option<Value> {
        let document = disk.observation().document(path)?;
        let yours = to_value(document.at(&node.at)?);
        let kept = self.ledger.shared.get(path)?.values?;
        let base = bases.read_value(kept, node.base)?;
        let [base, yours, new] = [&base, &yours, &node.new].map(Value::to_json);
        let strategy = self.manifest.strategy_for(path.as_str());
        let merged = merge_three_by(
            [base.as_bytes(), yours.as_bytes(), new.as_bytes()],
            Some(Format::Json),
            &ListRules::of(strategy).within(&node.at),
        );
        match merged {
            ThreeWayMerge::Merged(bytes) => value_of(&bytes),
            ThreeWayMerge::Conflict(conflicts) => {
                let words = clashes(&conflicts, Some(&node.at));
                clashed.extend(words.map(|words| (path.clone(), words)));
                None
            }
        }
    }

    fn merge_block(
        &self,
        disk: &PathObserver<'_>,
        path: &RelativePath,
        block: &EditedBlock,
        bases: &mut BaseReader<'_>,
        clashed: &mut BTreeMap<RelativePath, String>,
    ) -> Option<String> {
        let yours = disk
            .observation()
            .block_document(path)?
            .inner(&block.name)?;
        let owned = self.ledger.blocks.get(path)?.get(&block.name)?;
        let kept = KeptBytes {
            checksum: owned.checksum,
            base: owned.base,
        };
        let base = bases.read(kept)?;
        match merge_three(base, yours.as_bytes(), block.new.as_bytes(), None) {
            ThreeWayMerge::Merged(bytes) => String::from_utf8(bytes).ok(),
            ThreeWayMerge::Conflict(conflicts) => {
                let words = clashes(&conflicts, None);
                clashed.extend(words.map(|words| (path.clone(), words)));
                None
            }
        }
    }

    /// Both sides of everything in conflict, by file.
    fn sides(
        &self,
        disk: &PathObserver<'_>,
        plan: &Plan,
    ) -> BTreeMap<RelativePath, Vec<ConflictSides>> {
        let mut sides: BTreeMap<RelativePath, Vec<ConflictSides>> = BTreeMap::new();
        for (path, node) in &plan.edited_nodes {
            let document = disk.observation().document(path);
            let now = document.and_then(|document| document.at(&node.at));
            let side = ConflictSides {
                location: location_record(&node.location),
                base: node.base.to_string(),
                owner: node.owner.clone(),
                mine: now.map_or(Value::Null, to_value).to_json(),
                next: node.new.to_json(),
            };
            sides.entry(path.clone()).or_default().push(side);
        }
        for (path, block) in &plan.edited_blocks {
            let document = disk.observation().block_document(path);
            let now = document.and_then(|document| document.inner(&block.name));
            let side = ConflictSides {
                location: block.name.as_str().to_owned(),
                base: String::new(),
                owner: block.owner.clone(),
                mine: Value::from(now.unwrap_or_default().as_str()).to_json(),
                next: Value::from(block.new.as_str()).to_json(),
            };
            sides.entry(path.clone()).or_default().push(side);
        }
        sides
    }

    fn known_conflict(&self, path: &RelativePath) -> Option<&SharedConflict> {
        self.ledger.shared_conflict(path)
    }

    /// Writes the resulting file next to the user's, unless it exists already, or the user has a file of that name.
    fn write_beside(
        &self,
        path: &RelativePath,
        text: &str,
        known: Option<&SharedConflict>,
        notes: &mut Notes,
    ) -> Result<Option<FileChange<'static>>, Failure> {
        let Some(path) = path_beside(path) else {
            return Ok(None);
        };
        let checksum = Checksum::of(text.as_bytes());
        let before = match self.observe(&path)? {
            ObservedPath::Missing => ExpectedFile::Missing,
            ObservedPath::File(now) if now.checksum == checksum => return Ok(None),
            ObservedPath::File(now) if known.is_some_and(|known| known.beside == now.checksum) => {
                ExpectedFile::Checksum(now.checksum)
            }
            _ => {
                let message =
                    format!("`{path}` is your own, so the new version is not written there");
                let mut found = Diagnostic::new(&codes::INSTALL_EDITED, message)
                    .in_file(path.as_str())
                    .help("move it, and run `agpm install`");
                found.severity = Severity::Warning;
                notes.diagnostics.push(found);
                return Ok(None);
            }
        };
        Ok(Some(FileChange::Write {
            path,
            bytes: Cow::Owned(text.as_bytes().to_vec()),
            mode: FileMode::Plain,
            before,
        }))
    }

    /// Removes the resulting file next to the user's, if it is as agpm wrote it.
    fn remove_beside(
        &self,
        path: &RelativePath,
        known: &SharedConflict,
    ) -> Result<Option<FileChange<'static>>, Failure> {
        let Some(path) = path_beside(path) else {
            return Ok(None);
        };
        if self.observe(&path)?.checksum() != Some(known.beside) {
            return Ok(None);
        }
        Ok(Some(FileChange::Remove {
            path,
            before: ExpectedFile::Checksum(known.beside),
        }))
    }

    fn observe(&self, path: &RelativePath) -> Result<ObservedPath, Failure> {
        let observed = self.store.observe(path);
        Ok(observed.map_err(|error| error.seen_from(self.store.path()))?)
    }
}

/// The user's side stays as it was when the conflict with this new version arose.
fn with_first_sides(
    sides: Vec<ConflictSides>,
    known: Option<&SharedConflict>,
) -> Vec<ConflictSides> {
    let known = known.map_or(&[][..], |known| &known.sides);
    let sides = sides.into_iter().map(|side| {
        let mut same = known.iter().filter(|known| {
            known.location == side.location && known.base == side.base && known.next == side.next
        });
        same.next().cloned().unwrap_or(side)
    });
    sides.collect()
}

fn resulting_text<'p>(plan: &'p Plan, path: &RelativePath) -> Option<&'p str> {
    let change = plan.shared.iter().find(|change| change.path == *path)?;
    match &change.outcome {
        FileOutcome::Write(text) => Some(text),
        FileOutcome::Unchanged | FileOutcome::Remove => None,
    }
}
