//! Recovers ownership that the ledger does not record: a fresh clone has no ledger, and after a pull the ledger is
//! outdated. Files that still equal what the lockfile records are managed.

use agpm_model::{
    FileMode, InstallMode, LockEntry, LockWriter, Lockfile, ObservedPath, Owner, RelativePath,
};

use crate::blocks::{OwnedBlocks, recognize_blocks};
use crate::change::{Author, ChangeAction, OverwriteRule};
use crate::desired::{DesiredFile, DesiredShared, DesiredState};
use crate::ledger::{Ledger, OwnedFile};
use crate::nodes::{OnEqualUserValue, OwnedNodes, recognise_file, recognise_nodes};
use crate::observation::Observation;
use crate::plan::Plan;

/// Whether a lockfile has resources whose written bytes it does not determine by itself.
pub fn hides_written_bytes(lock: &Lockfile) -> bool {
    // The lockfile has the checksum of the source. With a patch or in a shared file the written bytes differ, and
    // only rendering the locked state again shows what agpm wrote.
    let hides = |locked: &LockEntry| !locked.kind.is_file() || !locked.patches.is_empty();
    !lock.layers.is_empty() || lock.entries.iter().any(hides)
}

/// Whether the lockfile may explain files that the plan does not recognize.
pub fn may_explain(
    lock: &Lockfile,
    plan: &Plan,
    ledger: &Ledger,
    observation: &Observation,
) -> bool {
    let recorded_owners = ledger.owners();
    let is_unknown = |locked: &LockEntry| {
        !locked.paths().is_empty() && !recorded_owners.contains(&Owner::from(locked.id()))
    };
    let is_changed = |path: &RelativePath, owned: &OwnedNodes| {
        observation
            .checksum(path)
            .is_some_and(|now| now != owned.seen)
    };
    let is_edited_file = |path: &RelativePath, owned: &OwnedBlocks| {
        let now = observation.checksum(path);
        now.is_some_and(|now| now != owned.seen)
    };
    let is_new_twin = |path: &RelativePath| !ledger.equal_user_files.contains_key(path);
    let is_kept = |action: ChangeAction| action == ChangeAction::Keep;
    // Rendering the locked state costs a second resolution, so it is done only where it could change the plan.
    lock.entries.iter().any(is_unknown)
        || !lock.layers.is_empty() && plan.ledger.equal_user_files.keys().any(is_new_twin)
        || !plan.refusals.is_empty()
        || plan.changes.iter().any(|change| is_kept(change.action))
        || ledger
            .shared
            .iter()
            .any(|(path, owned)| is_changed(path, owned))
        || ledger
            .blocks
            .iter()
            .any(|(path, owned)| is_edited_file(path, owned))
}

/// The ledger with everything on disk that equals the locked state.
pub fn recover_ownership(
    locked: &DesiredState<'_>,
    observation: &Observation,
    ledger: &Ledger,
) -> Ledger {
    // The ledger is not committed. Bytes that are exactly those of the locked state were written by agpm on another
    // machine; anything else may be the user's and stays unmanaged.
    let mut recovered = ledger.clone();
    for file in &locked.files {
        if let Some(owned) = recover_file(file, observation, ledger) {
            recovered.files.insert(file.path.clone(), owned);
        }
    }
    for (path, shared) in &locked.shared {
        let recorded = recovered.shared.get(path);
        if let Some(owned) = recover_nodes(path, shared, observation, recorded) {
            recovered.shared.insert(path.clone(), owned);
        }
    }
    for (path, blocks) in &locked
        .with_blocks_beside_user(observation, ledger, OverwriteRule::Nothing)
        .blocks
    {
        let recorded = ledger.blocks.get(path);
        let found = observation
            .block_document(path)
            .zip(observation.checksum(path))
            .and_then(|(document, seen)| recognize_blocks(document, seen, blocks, recorded));
        recovered
            .blocks
            .extend(found.map(|found| (path.clone(), found)));
    }
    recovered
}

/// The record of a file with exactly the locked bytes; `None` if the ledger already has it.
fn recover_file(
    file: &DesiredFile,
    observation: &Observation,
    ledger: &Ledger,
) -> Option<OwnedFile> {
    let ObservedPath::File(now) = observation.get(&file.path) else {
        return None;
    };
    let is_recorded = ledger
        .files
        .get(&file.path)
        .is_some_and(|owned| owned.checksum == file.checksum);
    // A user's file that equals the layers' stays unmanaged.
    let is_users =
        file.on_equal == OnEqualUserValue::Keep && ledger.equal_user_files.contains_key(&file.path);
    // Only equal bytes are claimed. A file that differs may be the user's work, and a wrong claim would delete it with
    // the next removal.
    (now.checksum == file.checksum && !is_recorded && !is_users).then(|| OwnedFile {
        mode: now.mode,
        ..OwnedFile::of(file, Author::Agpm)
    })
}

fn recover_nodes(
    path: &RelativePath,
    shared: &DesiredShared<'_>,
    observation: &Observation,
    recorded: Option<&OwnedNodes>,
) -> Option<OwnedNodes> {
    let document = observation.document(path)?;
    let whole_file = shared
        .base
        .and_then(|base| recognise_file(document, base, &shared.nodes));
    // A file that agpm would write as a whole is recognized first: node by node, its comments would look like the
    // user's.
    whole_file.or_else(|| recognise_nodes(document, &shared.nodes, recorded))
}

/// The plain files that a lockfile records, for use without a ledger. Of an older program, those whose path `is_older`
/// accepts.
pub fn ledger_of_lock(lock: &Lockfile, is_older: impl Fn(&RelativePath) -> bool) -> Ledger {
    let owned = lock.entries.iter().flat_map(|locked| {
        let mut files = owned_by_lock(locked);
        files.retain(|(path, _)| locked.writer == LockWriter::Agpm || is_older(path));
        files
    });
    Ledger {
        files: owned.collect(),
        ..Ledger::default()
    }
}

fn owned_by_lock(locked: &LockEntry) -> Vec<(RelativePath, OwnedFile)> {
    // Entries and files of skills have no checksum in the lockfile.
    let is_written = locked.kind.is_file() && locked.install == InstallMode::Write;
    let checksum = locked.checksum.filter(|_| is_written);
    let owned = checksum.map(|checksum| OwnedFile {
        checksum,
        source: None,
        mode: FileMode::Plain,
        owner: locked.id().into(),
        author: Author::Agpm,
        base: None,
        conflict: None,
    });
    let paths = locked.paths().into_iter().cloned();
    paths
        .filter_map(|path| Some((path, owned.clone()?)))
        .collect()
}
