//! `agpm resolve`: settles a conflict between an edit and a new version.

mod refusal;
mod report;
mod shared;

use std::borrow::Cow;
use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, Notes, Outcome, codes, unknown_name};
use agpm_model::{FileMode, ObservedPath, Owner, RelativePath};
use agpm_plan::{ConflictTake, Ledger, OpenConflict, OwnedFile, path_beside};
use agpm_resolve::{ambiguous, means};
use agpm_store::{ExpectedFile, FileChange, ProjectStore, Transaction};

use crate::install::{BaseReader, lock_project, unneeded_bases};
use crate::project::gather::ManifestFiles;
use crate::project::ledger::read_ledger;
use crate::project::world::World;
use crate::project::write_mode::WriteMode;

use refusal::refusal;
use shared::SharedConflictFile;

pub use report::{ResolveReport, ResolvedConflict, side_word};

/// The arguments of `resolve`.
#[derive(Clone, Debug)]
pub struct ResolveRequest {
    /// A name, an id or the path of a file in conflict.
    pub name: String,
    /// The side to take.
    pub take: ConflictTake,
}

/// Resolves the conflicts of one resource, or of one file.
pub fn resolve(world: &World, request: &ResolveRequest) -> Outcome<ResolveReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &ResolveRequest,
    notes: &mut Notes,
) -> Result<ResolveReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    if !store.needs_recovery() {
        // A wrong name is reported before a lock is taken, which would create the state of a project that has none.
        named_conflicts(&read_ledger(&store)?, &request.name)?;
    }
    let lock = lock_project(world, &store, WriteMode::Apply, notes)?;
    let mut ledger = read_ledger(&store)?;
    let NamedConflicts { paths, owner } = named_conflicts(&ledger, &request.name)?;
    let mut changes = Vec::new();
    let mut resolved = Vec::new();
    let mut bases = BaseReader::new(&store);
    for path in paths {
        let shared = SharedConflictFile {
            store: &store,
            path: &path,
            owner: owner.as_ref(),
            take: request.take,
        };
        resolved.extend(shared.resolve(&mut ledger, &mut changes, notes)?);
        let Some(owned) = ledger.files.get_mut(&path) else {
            continue;
        };
        let Some(conflict) = owned.conflict.take() else {
            continue;
        };
        let file = ConflictFile {
            store: &store,
            path: &path,
            owned,
            conflict: &conflict,
        };
        changes.extend(file.changes(request.take, &mut bases)?);
        resolved.push(ResolvedConflict {
            path: path.clone(),
            owner: owned.owner.clone(),
        });
        *owned = *conflict.next;
    }
    forget_bases_of(&mut ledger, &resolved);
    changes.push(FileChange::Write {
        path: store.ledger(),
        bytes: ledger.to_text().into_bytes().into(),
        mode: FileMode::Plain,
        before: ExpectedFile::Anything,
    });
    let unneeded = unneeded_bases(&store, &ledger).into_iter();
    changes.extend(unneeded.map(|path| FileChange::Remove {
        path,
        before: ExpectedFile::Anything,
    }));
    if let Some(lock) = lock {
        let transaction = Transaction {
            title: format!("resolve {} --{}", request.name, side_word(request.take)),
            changes,
        };
        let applied = store.apply(&lock, &transaction, &|_| {});
        applied.map_err(|error| error.seen_from(store.path()))?;
    }
    Ok(ResolveReport {
        take: request.take,
        resolved,
    })
}

/// The conflicts that a name, an id or a path refers to.
struct NamedConflicts {
    paths: Vec<RelativePath>,
    /// The resource, unless a path names everything in a file.
    owner: Option<Owner>,
}

fn named_conflicts(ledger: &Ledger, word: &str) -> Result<NamedConflicts, Failure> {
    let mut paths: BTreeSet<&RelativePath> = BTreeSet::new();
    let mut owners: BTreeSet<&Owner> = BTreeSet::new();
    let conflicts = ledger.conflict_owners();
    for (path, owner) in &conflicts {
        if path.as_str() == word.trim_start_matches("./") {
            return Ok(NamedConflicts {
                paths: vec![(*path).clone()],
                owner: None,
            });
        }
        let is_named = match owner.resource() {
            Some(id) => means(word, id.kind, id.name.as_str()),
            None => owner.to_string() == word,
        };
        if is_named {
            owners.insert(owner);
            paths.insert(path);
        }
    }
    if owners.len() > 1 {
        let ids: Vec<String> = owners.iter().map(ToString::to_string).collect();
        return Err(ambiguous(word, &ids));
    }
    if let Some(owner) = owners.first() {
        return Ok(NamedConflicts {
            paths: paths.into_iter().cloned().collect(),
            owner: Some((*owner).clone()),
        });
    }
    let known: BTreeSet<String> = conflicts
        .iter()
        .map(|(_, owner)| format!("`{owner}`"))
        .collect();
    let help = if known.is_empty() {
        "no resource is in conflict".to_owned()
    } else {
        let known: Vec<String> = known.into_iter().collect();
        format!("in conflict: {}", known.join(", "))
    };
    Err(unknown_name("conflict", word, Some(help)))
}

/// A file in conflict, with its record.
struct ConflictFile<'a> {
    store: &'a ProjectStore,
    path: &'a RelativePath,
    owned: &'a OwnedFile,
    conflict: &'a OpenConflict,
}

impl ConflictFile<'_> {
    /// The changes that resolve the conflict: the file, and the new version next to it.
    fn changes(
        &self,
        take: ConflictTake,
        bases: &mut BaseReader<'_>,
    ) -> Result<Vec<FileChange<'static>>, Failure> {
        let now = self.observe(self.path)?;
        let written = self.conflict.bytes_to_write(take, now);
        let written = written.map_err(|error| refusal(error, self.path, &self.owned.owner))?;
        let mut changes = Vec::new();
        if let Some(kept) = written {
            let bytes = bases.read(kept).ok_or_else(|| self.lost())?;
            changes.push(FileChange::Write {
                path: self.path.clone(),
                bytes: Cow::Owned(bytes.to_vec()),
                mode: match take {
                    ConflictTake::New => self.conflict.next.mode,
                    ConflictTake::Mine | ConflictTake::Merged => self.owned.mode,
                },
                before: match now.checksum() {
                    Some(checksum) => ExpectedFile::Checksum(checksum),
                    None => ExpectedFile::Missing,
                },
            });
        }
        if let Some(beside) = path_beside(self.path)
            && let ObservedPath::File(found) = self.observe(&beside)?
        {
            changes.push(FileChange::Remove {
                path: beside,
                before: ExpectedFile::Checksum(found.checksum),
            });
        }
        Ok(changes)
    }

    fn observe(&self, path: &RelativePath) -> Result<ObservedPath, Failure> {
        let observed = self.store.observe(path);
        Ok(observed.map_err(|error| error.seen_from(self.store.path()))?)
    }

    fn lost(&self) -> Failure {
        let message = format!("the kept bytes of `{}` are lost", self.path);
        Diagnostic::new(&codes::INSTALL_CONFLICT, message)
            .in_file(self.path.as_str())
            .help("run `agpm install`, which writes them again")
            .into()
    }
}

/// Drops the older versions that resources were based on, unless another file of them is still in conflict.
fn forget_bases_of(ledger: &mut Ledger, resolved: &[ResolvedConflict]) {
    let open: BTreeSet<Owner> = ledger
        .conflict_owners()
        .into_iter()
        .map(|(_, owner)| owner.clone())
        .collect();
    for one in resolved {
        if !open.contains(&one.owner) {
            ledger.based.remove(&one.owner);
        }
    }
}
