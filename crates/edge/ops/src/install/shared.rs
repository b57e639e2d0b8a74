//! Entries of files that users write too: desired against what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes};
use agpm_model::RelativePath;
use agpm_plan::{
    DesiredNode, FileOutcome, Ledger, NodeError, Observed, Obstacle, Overwrite, Plan, Refusal, SharedFile,
    Twin, plan_nodes,
};
use agpm_store::ProjectStore;
use agpm_text::{Document, Format};

use crate::failure::{Failure, Notes};
use crate::gather::{document_of, limit};
use crate::install::planning::{SharedChange, observe};
use crate::packages::{Made, ResolvedEntry};

/// The entries of all resources, by file.
pub(super) fn desired_nodes(
    entries: &[ResolvedEntry],
    made: &[Made],
) -> BTreeMap<RelativePath, Vec<DesiredNode>> {
    let mut files: BTreeMap<RelativePath, Vec<DesiredNode>> = BTreeMap::new();
    for (resolved, made) in entries.iter().zip(made) {
        let Some(entries) = &made.entries else { continue };
        let node = |node| DesiredNode { node, owner: resolved.label(), twin: Twin::Taken };
        files.entry(entries.file.clone()).or_default().extend(entries.nodes.iter().cloned().map(node));
    }
    files
}

/// Plans every file that holds or is to hold entries of ours.
pub(super) fn plan_shared(
    store: &ProjectStore,
    wanted: &BTreeMap<RelativePath, Vec<DesiredNode>>,
    (ledger, overwrite): (&Ledger, Overwrite),
    plan: &mut Plan,
    notes: &mut Notes,
) -> Result<Vec<SharedChange>, Failure> {
    let paths: BTreeSet<&RelativePath> = wanted.keys().chain(ledger.shared.keys()).collect();
    let mut changes = Vec::new();
    for path in paths {
        let before = observe(store, path).map_err(|error| error.seen_from(store.path()))?;
        let desired = wanted.get(path).map(Vec::as_slice).unwrap_or_default();
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
            base: None,
            overwrite,
        };
        let planned = plan_nodes(&file).map_err(|error| failed(path, &error))?;
        plan.changes.extend(planned.changes);
        plan.refusals.extend(planned.refusals);
        plan.unchanged += planned.unchanged;
        plan.ledger.shared.extend(planned.owned.map(|owned| (path.clone(), owned)));
        if planned.outcome != FileOutcome::Unchanged {
            changes.push(SharedChange { path: path.clone(), outcome: planned.outcome, before });
        }
    }
    Ok(changes)
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
