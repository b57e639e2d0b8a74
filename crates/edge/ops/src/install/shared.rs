//! Entries of files that users write too: desired against what is in them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::{FileMode, LayerName, RelativePath};
use agpm_plan::{
    Action, Change, DesiredNode, FileOrigin, FileOutcome, Ledger, NodeError, Observed, Obstacle,
    Overwrite, OwnedNodes, Plan, Reason, Refusal, SharedFile, Twin, plan_nodes,
};
use agpm_store::ProjectStore;
use agpm_text::{Document, Format, Pointer, Unread};

use crate::gather::{document_of, limit};
use crate::install::planning::{SharedChange, Wanted, observe};
use agpm_store::parallel;

/// What is to be in a file that others write too.
#[derive(Clone, Debug)]
pub(super) struct Shared<'w> {
    /// The text that the layers give.
    pub(super) base: Option<&'w Unread>,
    /// The layers that give it, as `layers/NAME+NAME`.
    layers: &'w str,
    /// The mode of a file that is new.
    mode: FileMode,
    pub(super) nodes: Cow<'w, [DesiredNode]>,
}

/// The same by file.
pub(super) type SharedFiles<'w> = BTreeMap<RelativePath, Shared<'w>>;

impl Default for Shared<'_> {
    fn default() -> Self {
        Shared {
            base: None,
            layers: "",
            mode: FileMode::Plain,
            nodes: Cow::default(),
        }
    }
}

/// The entries of all resources and the keys of all layers, by file.
pub(super) fn shared_files<'w>(wanted: &Wanted<'w>) -> SharedFiles<'w> {
    let mut files: SharedFiles<'w> = BTreeMap::new();
    for (resolved, made) in wanted.entries.iter().zip(wanted.made) {
        let Some(entries) = &made.entries else {
            continue;
        };
        let node = |node| DesiredNode {
            node,
            owner: resolved.label(),
            twin: Twin::Taken,
        };
        let shared = files.entry(entries.file.clone()).or_default();
        shared
            .nodes
            .to_mut()
            .extend(entries.nodes.iter().cloned().map(node));
    }
    for file in wanted.layers {
        let Some(keys) = &file.keys else { continue };
        match files.get_mut(&file.path) {
            Some(shared) => {
                (shared.base, shared.mode, shared.layers) =
                    (Some(&keys.text), file.mode, &file.owner);
                shared.nodes.to_mut().extend(keys.nodes.iter().cloned());
            }
            None if !keys.nodes.is_empty() => {
                let nodes = Cow::Borrowed(keys.nodes.as_slice());
                let (base, layers, mode) = (Some(&keys.text), file.owner.as_str(), file.mode);
                let shared = Shared {
                    base,
                    layers,
                    mode,
                    nodes,
                };
                files.insert(file.path.clone(), shared);
            }
            None => {}
        }
    }
    files
}

/// Plans every file that holds or is to hold entries of ours.
pub(super) fn plan_shared(
    store: &ProjectStore,
    wanted: &SharedFiles<'_>,
    (ledger, overwrite): (&Ledger, Overwrite),
    plan: &mut Plan,
    notes: &mut Notes,
) -> Result<Vec<SharedChange>, Failure> {
    let paths: BTreeSet<&RelativePath> = wanted.keys().chain(ledger.shared.keys()).collect();
    let one = |path: &RelativePath, notes: &mut Notes| {
        plan_one(
            store,
            path,
            wanted.get(path),
            (ledger.shared.get(path), overwrite),
            notes,
        )
    };
    let planned = parallel::map(paths.into_iter().collect(), |path| {
        (path, one(path, &mut Notes::default()))
    });
    let mut changes = Vec::new();
    for (path, result) in planned {
        let done = match result {
            Ok(done) => done,
            // Once more, so that what is wrong is told with its place.
            Err(_) => one(path, notes)?,
        };
        plan.changes.extend(done.changes);
        plan.refusals.extend(done.refusals);
        plan.unchanged += done.unchanged;
        plan.ledger
            .shared
            .extend(done.owned.map(|owned| (path.clone(), owned)));
        changes.extend(done.change);
    }
    Ok(changes)
}

/// What is to be done to one shared file.
#[derive(Default)]
struct OnePlan {
    changes: Vec<Change>,
    refusals: Vec<Refusal>,
    unchanged: usize,
    owned: Option<OwnedNodes>,
    change: Option<SharedChange>,
}

fn plan_one(
    store: &ProjectStore,
    path: &RelativePath,
    shared: Option<&Shared<'_>>,
    (owned, overwrite): (Option<&OwnedNodes>, Overwrite),
    notes: &mut Notes,
) -> Result<OnePlan, Failure> {
    let before = observe(store, path).map_err(|error| error.seen_from(store.path()))?;
    let desired = shared.map(|shared| &*shared.nodes).unwrap_or_default();
    let format = format_of(path);
    let document = match before {
        Observed::Missing => None,
        Observed::File(..) => Some(read(store, path, format, notes)?),
        Observed::Other(what) => {
            let owner = desired
                .first()
                .map_or("an entry".to_owned(), |node| node.owner.clone());
            let refusal = Refusal {
                path: path.clone(),
                place: None,
                what: Obstacle::Other(what),
                owner,
            };
            return Ok(OnePlan {
                refusals: vec![refusal],
                ..OnePlan::default()
            });
        }
    };
    let base = shared.and_then(|shared| shared.base);
    let file = SharedFile {
        path,
        format,
        document: document.as_deref(),
        desired,
        owned,
        base,
        overwrite,
    };
    let mut planned = match plan_nodes(&file) {
        Err(NodeError::Edit { at, .. }) => {
            let owner = desired
                .first()
                .map_or("an entry".to_owned(), |node| node.owner.clone());
            let what = Obstacle::Other("a value that cannot be changed alone");
            let refusal = Refusal {
                path: path.clone(),
                place: Some(at),
                what,
                owner,
            };
            return Ok(OnePlan {
                refusals: vec![refusal],
                ..OnePlan::default()
            });
        }
        planned => planned.map_err(|error| failed(path, &error))?,
    };
    planned.refusals.dedup();
    let mode = shared.map_or(FileMode::Plain, |shared| shared.mode);
    let comes = before == Observed::Missing && base.is_some();
    let mut changes = match (comes, &planned.outcome) {
        (true, _) => as_a_whole(planned.changes, shared.map(|shared| shared.layers)),
        (_, FileOutcome::Remove) => as_a_whole(planned.changes, None),
        _ => planned.changes,
    };
    if changes.is_empty() && matches!(planned.outcome, FileOutcome::Write(_)) {
        changes.extend(shared.map(|shared| only_text(path, before, shared.layers)));
    }
    let is_whole = planned
        .owned
        .as_ref()
        .is_some_and(|owned| owned.file == FileOrigin::Whole);
    let mut outcome = Some(planned.outcome).filter(|outcome| *outcome != FileOutcome::Unchanged);
    if let (Observed::File(_, now), Some(document), None, true) =
        (before, &document, &outcome, is_whole)
        && now != mode
    {
        changes.push(Change {
            reason: Reason::Mode,
            ..only_text(path, before, shared.map_or("", |one| one.layers))
        });
        outcome = Some(FileOutcome::Write(document.text().to_string()));
    }
    // A file that is wholly ours is one thing.
    let unchanged = if is_whole {
        usize::from(changes.is_empty())
    } else {
        planned.unchanged
    };
    Ok(OnePlan {
        changes,
        refusals: planned.refusals,
        unchanged,
        owned: planned.owned,
        change: outcome.map(|outcome| SharedChange {
            path: path.clone(),
            outcome,
            mode,
            before,
        }),
    })
}

/// Comments or the order of things changed, and nothing else.
fn only_text(path: &RelativePath, before: Observed, owner: &str) -> Change {
    let (action, reason) = (Action::Update, Reason::Content);
    let place = Some(Pointer::root());
    Change {
        path: path.clone(),
        place,
        action,
        before,
        reason,
        owner: owner.to_owned(),
    }
}

/// A file that comes or goes with the layers is told as a whole.
fn as_a_whole(changes: Vec<Change>, owner: Option<&str>) -> Vec<Change> {
    let (layers, mut others): (Vec<Change>, Vec<Change>) = changes
        .into_iter()
        .partition(|change| LayerName::in_label(&change.owner).is_some());
    let mut names: Vec<LayerName> = layers
        .iter()
        .filter_map(|change| LayerName::new(LayerName::in_label(&change.owner)?).ok())
        .collect();
    names.sort_unstable();
    names.dedup();
    let owner = owner.map_or_else(|| LayerName::label_of(&names), str::to_owned);
    let whole = layers.first().map(|first| Change {
        place: Some(Pointer::root()),
        owner,
        ..first.clone()
    });
    others.splice(0..0, whole);
    others
}

/// What a file is written in; JSON may have comments, whatever the file is called.
pub(crate) fn format_of(path: &RelativePath) -> Format {
    let known = Format::of_file(path.file_name());
    known
        .filter(|format| matches!(format, Format::Toml | Format::Yaml))
        .unwrap_or(Format::Jsonc)
}

/// A file that cannot be understood is never taken for an empty one.
pub(crate) fn read(
    store: &ProjectStore,
    path: &RelativePath,
    format: Format,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let bytes = store
        .read(path, limit())
        .map_err(|error| error.seen_from(store.path()))?;
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
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, error.to_string()).in_file(path.as_str());
    let help = "give one of them another name, or leave the file out of the layer with `include`";
    diagnostic.help(help).into()
}
