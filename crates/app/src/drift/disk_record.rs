//! Compares files on disk with the records of a ledger or lockfile.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::drift::{DiskRecord, RecordedState, SharedContent, VerifyReport};
use agpm_diag::{Failure, Notes};
use agpm_model::{ObservedPath, RelativePath};
use agpm_plan::{Ledger, read_block_file};
use agpm_store::{ProjectStore, parallel};
use agpm_text::{BlockDocument, Document};

use crate::project::observer::read_shared;
use crate::project::reading::limit;

/// Compares the disk with recorded checksums.
pub(crate) fn compare_with_record(
    store: &ProjectStore,
    recorded: &RecordedState<'_>,
    ledger: &Ledger,
) -> Result<VerifyReport, Failure> {
    let mut disk = DiskRecord {
        files: observe_files(store, recorded.paths().into_iter().collect())?,
        ..DiskRecord::default()
    };
    for path in ledger.shared.keys() {
        disk.shared.insert(path.clone(), shared_file(store, path)?);
    }
    for path in ledger.blocks.keys() {
        disk.blocks.insert(path.clone(), block_file(store, path)?);
    }
    Ok(recorded.compare(&disk))
}

/// Observes files in parallel.
pub(crate) fn observe_files(
    store: &ProjectStore,
    paths: Vec<&RelativePath>,
) -> Result<BTreeMap<RelativePath, ObservedPath>, Failure> {
    let observed = parallel::map(paths, |path| {
        let now = store.observe(path);
        now.map(|now| (path.clone(), now))
    });
    let all: Result<BTreeMap<_, _>, _> = observed.into_iter().collect();
    Ok(all.map_err(|error| error.seen_from(store.path()))?)
}

fn is_missing(store: &ProjectStore, path: &RelativePath) -> Result<bool, Failure> {
    let now = store.observe(path);
    let now = now.map_err(|error| error.seen_from(store.path()))?;
    Ok(now == ObservedPath::Missing)
}

fn shared_file(
    store: &ProjectStore,
    path: &RelativePath,
) -> Result<SharedContent<Arc<Document>>, Failure> {
    if is_missing(store, path)? {
        return Ok(SharedContent::Missing);
    }
    Ok(match read_shared(store, path, &mut Notes::default()) {
        Ok(document) => SharedContent::Document(document),
        Err(_) => SharedContent::Unreadable(None),
    })
}

fn block_file(
    store: &ProjectStore,
    path: &RelativePath,
) -> Result<SharedContent<BlockDocument>, Failure> {
    if is_missing(store, path)? {
        return Ok(SharedContent::Missing);
    }
    let bytes = store.read(path, limit());
    let bytes = bytes.map_err(|error| error.seen_from(store.path()))?;
    let mut notes = Notes::default();
    Ok(match read_block_file(path, bytes, &mut notes) {
        Ok(document) => SharedContent::Document(document),
        Err(failure) => {
            let found = failure.diagnostic.or(notes.diagnostics.pop());
            SharedContent::Unreadable(found.map(|found| found.message))
        }
    })
}
