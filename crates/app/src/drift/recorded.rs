//! Files and entries compared with the checksums in lockfile and ledger, for when their sources cannot be read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_model::{InstallMode, LockEntry, ObservedPath, Owner, RelativePath};
use agpm_plan::{
    BlockFinding, BlockState, Ledger, NodeState, Obstacle, OwnedBlocks, OwnedFile, OwnedNodes,
    check_blocks, check_nodes,
};
use agpm_text::{BlockDocument, Document};

use super::findings::{
    ABSENT, NEVER_INSTALLED, OTHER_BYTES, OTHER_MODE, UNREADABLE, has_other_block, has_other_entry,
    lacks_block, lacks_entry, not_as_locked, not_locked,
};
use super::report::{DriftFinding, VerifyReport};

/// The locked and installed state, to be compared with the disk.
pub struct RecordedState<'a> {
    entries: Vec<&'a LockEntry>,
    ledger: &'a Ledger,
}

/// The disk, at the paths of a [`RecordedState`].
#[derive(Default)]
pub struct DiskRecord {
    /// Each of [`RecordedState::paths`].
    pub files: BTreeMap<RelativePath, ObservedPath>,
    /// The files in which the ledger has keys.
    pub shared: BTreeMap<RelativePath, SharedContent<Arc<Document>>>,
    /// The files in which the ledger has blocks.
    pub blocks: BTreeMap<RelativePath, SharedContent<BlockDocument>>,
}

/// A file that others write too.
pub enum SharedContent<D> {
    /// No file exists.
    Missing,
    /// Its content.
    Document(D),
    /// It cannot be understood, with the reason if there is one to show.
    Unreadable(Option<String>),
}

impl<'a> RecordedState<'a> {
    /// The state that lockfile entries and the ledger of the last install describe.
    pub fn new(entries: Vec<&'a LockEntry>, ledger: &'a Ledger) -> Self {
        RecordedState { entries, ledger }
    }

    /// Without what no record has anything about: in a clone, resources whose bytes are not in the lockfile.
    pub fn without_unknown(self) -> Self {
        let owners = self.ledger.owners();
        let is_known =
            |entry: &&LockEntry| entry.kind.is_file() || owners.contains(&Owner::from(entry.id()));
        let entries = self.entries.into_iter().filter(is_known).collect();
        RecordedState { entries, ..self }
    }

    /// Every file that has to be observed.
    pub fn paths(&self) -> BTreeSet<&'a RelativePath> {
        let in_place = self.in_place().flat_map(LockEntry::paths);
        let locked = self.locked_files().into_keys();
        let recorded = self.ledger.files.keys();
        locked.chain(recorded).chain(in_place).collect()
    }

    /// Resources whose source is the installed file itself. The bytes of a directory are compared with the source only.
    fn in_place(&self) -> impl Iterator<Item = &'a LockEntry> {
        let entries = self.entries.iter().copied();
        entries.filter(|entry| entry.install == InstallMode::InPlace && entry.kind.is_file())
    }

    fn written(&self) -> impl Iterator<Item = &'a LockEntry> {
        let entries = self.entries.iter().copied();
        entries.filter(|entry| entry.install != InstallMode::InPlace)
    }

    fn locked_files(&self) -> BTreeMap<&'a RelativePath, &'a LockEntry> {
        let files = self.written().filter(|entry| entry.kind.is_file());
        files
            .flat_map(|entry| entry.paths().into_iter().map(move |path| (path, entry)))
            .collect()
    }

    /// Skills, hooks, servers and the like, which have no checksum in the lockfile.
    fn composed(&self) -> Vec<&'a LockEntry> {
        self.written()
            .filter(|entry| !entry.kind.is_file())
            .collect()
    }

    /// The differences from the records.
    pub fn compare(&self, disk: &DiskRecord) -> VerifyReport {
        let ledger = self.ledger;
        let locked = self.locked_files();
        let composed = self.composed();
        let owners: BTreeSet<Owner> = composed.iter().map(|entry| entry.id().into()).collect();
        let comparison = FileComparison {
            locked: &locked,
            composed: &owners,
            ledger,
        };
        let paths: BTreeSet<&RelativePath> =
            locked.keys().copied().chain(ledger.files.keys()).collect();
        let mut findings: Vec<DriftFinding> = paths
            .iter()
            .filter_map(|path| comparison.compare(path, observed(&disk.files, path)))
            .collect();
        for (path, owned) in &ledger.shared {
            findings.extend(entry_findings(path, owned, disk.shared.get(path)));
        }
        for (path, owned) in &ledger.blocks {
            findings.extend(block_findings(path, owned, disk.blocks.get(path)));
        }
        let missing = never_installed(&composed, ledger);
        let nodes: usize = ledger.shared.values().map(|owned| owned.nodes.len()).sum();
        let in_place = self
            .entries
            .iter()
            .filter(|one| one.install == InstallMode::InPlace);
        let checked = paths.len() + nodes + ledger.block_count() + missing.len() + in_place.count();
        findings.extend(missing);
        for locked in self.in_place() {
            findings.extend(drift_in_place(locked, &disk.files));
        }
        VerifyReport { checked, findings }
    }
}

fn observed(disk: &BTreeMap<RelativePath, ObservedPath>, path: &RelativePath) -> ObservedPath {
    disk.get(path).copied().unwrap_or(ObservedPath::Missing)
}

/// The difference between a resource in place and its locked state.
pub(super) fn drift_in_place(
    locked: &LockEntry,
    disk: &BTreeMap<RelativePath, ObservedPath>,
) -> Vec<DriftFinding> {
    let finding = |path: &&RelativePath| match observed(disk, path) {
        ObservedPath::Missing => Some(DriftFinding::missing(path, locked.id().into(), ABSENT)),
        ObservedPath::File(file) if locked.checksum == Some(file.checksum) => None,
        _ => Some(DriftFinding::changed(
            path,
            locked.id().into(),
            not_as_locked(),
        )),
    };
    locked.paths().iter().filter_map(finding).collect()
}

/// Skills, hooks and servers that are locked and unknown here. Equal values of two resources are written once, for one
/// of them.
fn never_installed(composed: &[&LockEntry], ledger: &Ledger) -> Vec<DriftFinding> {
    let owners = ledger.owners();
    let mut findings = Vec::new();
    for entry in composed {
        let owner = Owner::from(entry.id());
        if owners.contains(&owner) {
            continue;
        }
        let is_shared = |path: &&RelativePath| {
            ledger.shared.contains_key(*path) || ledger.blocks.contains_key(*path)
        };
        let missing = entry.paths().into_iter().filter(|path| !is_shared(path));
        findings.extend(
            missing.map(|path| DriftFinding::missing(path, owner.clone(), NEVER_INSTALLED)),
        );
    }
    findings
}

/// Managed entries in a file that others write too.
fn entry_findings(
    path: &RelativePath,
    owned: &OwnedNodes,
    content: Option<&SharedContent<Arc<Document>>>,
) -> Vec<DriftFinding> {
    let document = match content {
        None | Some(SharedContent::Missing) => None,
        Some(SharedContent::Document(document)) => Some(&**document),
        Some(SharedContent::Unreadable(_)) => {
            let owner = owned.nodes.first().map(|node| node.owner.clone());
            let owner = owner.unwrap_or_default();
            return vec![DriftFinding::changed(path, owner, UNREADABLE)];
        }
    };
    let found = check_nodes(document, owned).into_iter();
    found
        .map(|found| {
            let pointer = found.location.pointer();
            match found.state {
                NodeState::Missing => {
                    DriftFinding::missing(path, found.owner, lacks_entry(pointer))
                }
                NodeState::Edited => {
                    DriftFinding::edited(path, found.owner, has_other_entry(pointer))
                }
            }
        })
        .collect()
}

/// Managed blocks in a file that others write too.
fn block_findings(
    path: &RelativePath,
    owned: &OwnedBlocks,
    content: Option<&SharedContent<BlockDocument>>,
) -> Vec<DriftFinding> {
    let document = match content {
        None | Some(SharedContent::Missing) => None,
        Some(SharedContent::Document(document)) => Some(document),
        Some(SharedContent::Unreadable(why)) => {
            let owner = owned.blocks.first().map(|block| block.owner.clone());
            let message = why.as_deref().unwrap_or(UNREADABLE);
            return vec![DriftFinding::changed(
                path,
                owner.unwrap_or_default(),
                message,
            )];
        }
    };
    let found = check_blocks(document, owned).into_iter();
    found
        .map(|BlockFinding { name, owner, state }| match state {
            BlockState::Missing => DriftFinding::missing(path, owner, lacks_block(&name)),
            BlockState::Edited => DriftFinding::edited(path, owner, has_other_block(&name)),
        })
        .collect()
}

/// Whole files against their records.
struct FileComparison<'a> {
    locked: &'a BTreeMap<&'a RelativePath, &'a LockEntry>,
    composed: &'a BTreeSet<Owner>,
    ledger: &'a Ledger,
}

impl FileComparison<'_> {
    fn compare(&self, path: &RelativePath, now: ObservedPath) -> Option<DriftFinding> {
        let owned = self.ledger.files.get(path);
        // A file of a skill or of the layers has no checksum in the lockfile.
        let part = owned
            .filter(|owned| self.composed.contains(&owned.owner) || owned.owner.layers().is_some());
        if part.is_some_and(|owned| now == ObservedPath::file(owned.checksum, owned.mode)) {
            return None;
        }
        let locked = self.locked.get(path).copied().filter(|_| part.is_none());
        let owner = owned.map(|owned| owned.owner.clone());
        let owner = owner.or_else(|| locked.map(|locked| locked.id().into()));
        let owner = owner.unwrap_or_default();
        match (now, owned) {
            (ObservedPath::Missing, Some(_)) => Some(DriftFinding::missing(path, owner, ABSENT)),
            (ObservedPath::Missing, None) => {
                Some(DriftFinding::missing(path, owner, NEVER_INSTALLED))
            }
            _ => Some(match change_of(now, owned, locked)? {
                message if message == OTHER_BYTES => DriftFinding::edited(path, owner, message),
                message => DriftFinding::changed(path, owner, message),
            }),
        }
    }
}

/// The difference between existing content and its records.
fn change_of(
    now: ObservedPath,
    owned: Option<&OwnedFile>,
    locked: Option<&LockEntry>,
) -> Option<String> {
    let ObservedPath::File(file) = now else {
        return Some(format!("is {} now", Obstacle::of(now)?.words()));
    };
    let Some(owned) = owned else {
        let is_locked = locked.is_some_and(|locked| locked.checksum == Some(file.checksum));
        let message = "is locked, but its content is not from agpm";
        return (!is_locked).then(|| message.to_owned());
    };
    let source = owned.source.unwrap_or(owned.checksum);
    if file.checksum != owned.checksum {
        Some(OTHER_BYTES.to_owned())
    } else if file.mode != owned.mode {
        Some(OTHER_MODE.to_owned())
    } else if locked.is_none() {
        Some(not_locked())
    } else if locked.is_some_and(|locked| locked.checksum != Some(source)) {
        Some(not_as_locked())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use agpm_model::{Checksum, FileMode};
    use agpm_plan::Author;

    use super::*;
    use crate::testing::{entry, lock_of};

    const AGENT: &str = ".claude/agents/reviewer.md";

    fn agent_path() -> RelativePath {
        RelativePath::new(AGENT).expect("a good path")
    }

    fn ledger_with(content: &str, owner: &str) -> Ledger {
        let mut ledger = Ledger::default();
        let owned = OwnedFile {
            checksum: Checksum::of(content.as_bytes()),
            source: None,
            mode: FileMode::Plain,
            author: Author::Agpm,
            owner: Owner::from(owner),
            base: None,
            conflict: None,
        };
        ledger.files.insert(agent_path(), owned);
        ledger
    }

    fn file(content: &str) -> ObservedPath {
        ObservedPath::file(Checksum::of(content.as_bytes()), FileMode::Plain)
    }

    fn messages(entries: &[String], ledger: &Ledger, now: ObservedPath) -> Vec<String> {
        let lock = lock_of(entries);
        let recorded = RecordedState::new(lock.entries.iter().collect(), ledger);
        assert!(recorded.paths().contains(&agent_path()));
        let disk = DiskRecord {
            files: BTreeMap::from([(agent_path(), now)]),
            ..DiskRecord::default()
        };
        let report = recorded.compare(&disk);
        assert_eq!(report.checked, 1);
        let findings = report.findings.into_iter();
        findings.map(|one| one.message).collect()
    }

    #[test]
    fn a_locked_file_is_judged_by_its_record() {
        let locked = [entry("agents/reviewer", &[])];
        let ledger = ledger_with("agents/reviewer", "agents/reviewer");
        let executable = ObservedPath::file(Checksum::of(b"agents/reviewer"), FileMode::Executable);
        for (now, expected) in [
            (file("agents/reviewer"), None),
            (file("edited"), Some("was modified since install")),
            (executable, Some("has another file mode")),
            (ObservedPath::Missing, Some("is missing")),
            (ObservedPath::Symlink, Some("is a symlink now")),
        ] {
            let found = messages(&locked, &ledger, now);
            assert_eq!(found.first().map(String::as_str), expected);
        }
    }

    #[test]
    fn without_a_record_only_the_locked_bytes_are_right() {
        let locked = [entry("agents/reviewer", &[])];
        let none = Ledger::default();
        assert!(messages(&locked, &none, file("agents/reviewer")).is_empty());
        let other = messages(&locked, &none, file("other"));
        assert_eq!(other, ["is locked, but its content is not from agpm"]);
        let missing = messages(&locked, &none, ObservedPath::Missing);
        assert_eq!(missing, ["is locked but was never installed"]);
    }

    #[test]
    fn a_record_without_a_locked_entry_is_reported_and_a_part_of_the_layers_is_not() {
        let gone = ledger_with("agents/reviewer", "agents/reviewer");
        assert_eq!(
            messages(&[], &gone, file("agents/reviewer")),
            ["is installed but not in `agpm.lock`"]
        );
        let of_layer = ledger_with("agents/reviewer", "layers/org");
        assert!(messages(&[], &of_layer, file("agents/reviewer")).is_empty());
    }
}
