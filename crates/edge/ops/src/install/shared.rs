//! Entries of files that users write too: desired against what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{FileMode, RelativePath};
use agpm_plan::{
    Change, DesiredNode, FileOutcome, Ledger, NodeError, Observed, Obstacle, Overwrite, Plan, Refusal,
    SharedFile, Twin, plan_nodes,
};
use agpm_store::ProjectStore;
use agpm_text::{Document, Format, Pointer};

use crate::failure::{Failure, Notes};
use crate::gather::{document_of, limit};
use crate::install::planning::{SharedChange, Wanted, observe};

/// What is to be in a file that others write too.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The text that the layers give.
    pub(super) base: Option<Arc<Document>>,
    /// The layers that give it, as `layers/NAME+NAME`.
    layers: String,
    /// The mode of a file that is new.
    pub(super) mode: FileMode,
    pub(super) nodes: Vec<DesiredNode>,
}

impl Default for Shared {
    fn default() -> Self {
        Shared { base: None, layers: String::new(), mode: FileMode::Plain, nodes: Vec::new() }
    }
}

/// The entries of all resources and the keys of all layers, by file.
pub(super) fn shared_files(wanted: &Wanted<'_>) -> BTreeMap<RelativePath, Shared> {
    let mut files: BTreeMap<RelativePath, Shared> = BTreeMap::new();
    for (resolved, made) in wanted.entries.iter().zip(wanted.made) {
        let Some(entries) = &made.entries else { continue };
        let node = |node| DesiredNode { node, owner: resolved.label(), twin: Twin::Taken };
        let shared = files.entry(entries.file.clone()).or_default();
        shared.nodes.extend(entries.nodes.iter().cloned().map(node));
    }
    for file in wanted.layers {
        let Some(keys) =
            file.keys.as_ref().filter(|keys| !keys.nodes.is_empty() || files.contains_key(&file.path))
        else {
            continue;
        };
        let shared = files.entry(file.path.clone()).or_default();
        (shared.base, shared.mode) = (Some(Arc::clone(&keys.document)), file.mode);
        shared.layers.clone_from(&file.owner);
        shared.nodes.extend(keys.nodes.iter().cloned());
    }
    files
}

/// Plans every file that holds or is to hold entries of ours.
pub(super) fn plan_shared(
    store: &ProjectStore,
    wanted: &BTreeMap<RelativePath, Shared>,
    (ledger, overwrite): (&Ledger, Overwrite),
    plan: &mut Plan,
    notes: &mut Notes,
) -> Result<Vec<SharedChange>, Failure> {
    let paths: BTreeSet<&RelativePath> = wanted.keys().chain(ledger.shared.keys()).collect();
    let mut changes = Vec::new();
    for path in paths {
        let before = observe(store, path).map_err(|error| error.seen_from(store.path()))?;
        let shared = wanted.get(path);
        let desired = shared.map(|shared| shared.nodes.as_slice()).unwrap_or_default();
        let format = format_of(path);
        let document = match before {
            Observed::Missing => None,
            Observed::File(..) => Some(read(store, path, format, notes)?),
            Observed::Other(what) => {
                let owner = desired.first().map_or("an entry".to_owned(), |node| node.owner.clone());
                let what = Obstacle::Other(what);
                plan.refusals.push(Refusal { path: path.clone(), place: None, what, owner });
                continue;
            }
        };
        let file = SharedFile {
            path,
            format,
            document: document.as_deref(),
            desired,
            owned: ledger.shared.get(path),
            base: shared.and_then(|shared| shared.base.as_deref()),
            overwrite,
        };
        let planned = plan_nodes(&file).map_err(|error| failed(path, &error))?;
        plan.changes.extend(told(path, &before, shared, planned.changes));
        plan.refusals.extend(planned.refusals);
        plan.unchanged += planned.unchanged;
        plan.ledger.shared.extend(planned.owned.map(|owned| (path.clone(), owned)));
        if planned.outcome != FileOutcome::Unchanged {
            let mode = shared.map_or(FileMode::Plain, |shared| shared.mode);
            changes.push(SharedChange { path: path.clone(), outcome: planned.outcome, mode, before });
        }
    }
    Ok(changes)
}

/// What is told of a file: one that comes or goes with the layers is told as a whole.
fn told(
    path: &RelativePath,
    before: &Observed,
    shared: Option<&Shared>,
    changes: Vec<Change>,
) -> Vec<Change> {
    let comes = *before == Observed::Missing && shared.is_some_and(|shared| shared.base.is_some());
    let of_layers = |change: &Change| change.owner.starts_with("layers/");
    let (layers, mut others): (Vec<Change>, Vec<Change>) =
        changes.into_iter().partition(|change| comes && of_layers(change));
    let (Some(first), Some(shared)) = (layers.first(), shared) else { return others };
    let owner = shared.layers.clone();
    others.insert(0, Change { path: path.clone(), place: Some(Pointer::root()), owner, ..first.clone() });
    others
}

/// What a file is written in; JSON may have comments, whatever the file is called.
pub(crate) fn format_of(path: &RelativePath) -> Format {
    let known = Format::of_file(path.file_name());
    known.filter(|format| matches!(format, Format::Toml | Format::Yaml)).unwrap_or(Format::Jsonc)
}

/// A file that cannot be understood is never taken for an empty one.
pub(crate) fn read(
    store: &ProjectStore,
    path: &RelativePath,
    format: Format,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let bytes = store.read(path, limit()).map_err(|error| error.seen_from(store.path()))?;
    understand(path, bytes, format, notes)
}

pub(crate) fn understand(
    path: &RelativePath,
    bytes: Vec<u8>,
    format: Format,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let document = document_of(path.to_string(), bytes, format, notes)?;
    notes.check()?;
    Ok(document)
}

fn failed(path: &RelativePath, error: &NodeError) -> Failure {
    let diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, error.to_string()).in_file(path.as_str());
    diagnostic.help("give one of them another name").into()
}
