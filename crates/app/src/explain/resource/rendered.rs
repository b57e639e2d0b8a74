//! The values of what is rendered of a resource, next to what is stated of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use agpm_compose::{OutputEntries, OutputFile, RenderedResource};
use agpm_diag::{Diagnostic, Notes, SourceMap, codes, has_errors};
use agpm_merge::{
    Contribution, ExplainedDeletion, ExplainedLeaf, MergePolicy, Provenance, Resolution, fold,
    nearest_key,
};
use agpm_model::{EntryNode, LayerName, LockEntry, NodeLocation, Owner, RelativePath, Strategy};
use agpm_plan::{DesiredNode, OnEqualUserValue, recognise_nodes, shared_format};
use agpm_render::{FieldOutcome, FieldOutcomeKind};
use agpm_resolve::lockfile_note;
use agpm_text::{Document, Format, Pointer, Value, parse_bytes, to_value};

use super::pairing::PairFinder;
use super::stated::layer_of;

/// The values of a rendered file, or of nodes in a file that others write too.
pub(super) struct RenderedValues {
    document: Arc<Document>,
    /// The pointers of the resource in the document.
    pointers: Vec<Pointer>,
    /// The step that changed the author's values.
    change: ValueChange,
    /// Fields that the tool does not support.
    lost: BTreeSet<String>,
}

/// A step that changes the author's values.
struct ValueChange {
    operation: &'static str,
    /// The layer that is shown for a value that is not stated anywhere.
    layer: String,
}

/// Whether a rendered resource is what is locked, for one of its tools.
pub fn is_copy_of(resource: &RenderedResource, locked: &LockEntry) -> bool {
    let one = &resource.resolved;
    let is_tool = locked.tools().any(|tool| *tool == one.entry.tool);
    let is_unit = !one.part_of.is_empty() || one.entry.unit == locked.unit;
    one.label() == locked.label() && is_unit && is_tool
}

/// The file on the disk that has the values of a rendered resource.
pub fn disk_path(content: &RenderedResource) -> Option<&RelativePath> {
    let output = &content.output;
    let shared = output.entries.as_ref().map(|entries| &entries.file);
    shared.or_else(|| output.files.first().map(|file| &file.path))
}

impl RenderedValues {
    /// `None` if it has no fields, or is not written. `disk` is the content at its [`disk_path`].
    pub(super) fn of(
        content: &RenderedResource,
        disk: Option<Vec<u8>>,
        notes: &mut Notes,
    ) -> Option<Self> {
        let output = &content.output;
        let (document, pointers) = match (&output.entries, output.files.first()) {
            (Some(entries), _) => {
                in_shared_file(entries, &content.resolved.id().into(), disk, notes)?
            }
            (None, Some(file)) => (in_own_file(file, disk, notes)?, vec![Pointer::root()]),
            (None, None) => return None,
        };
        let is_lost = |outcome: &&FieldOutcome| {
            matches!(
                outcome.kind,
                FieldOutcomeKind::Dropped | FieldOutcomeKind::Widened
            )
        };
        let key = |outcome: &FieldOutcome| {
            outcome
                .field
                .rsplit('.')
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        Some(RenderedValues {
            document,
            pointers,
            change: ValueChange::of(content),
            lost: output.outcomes.iter().filter(is_lost).map(key).collect(),
        })
    }

    pub(super) fn value(&self) -> Option<Value> {
        self.document.root().map(to_value)
    }

    /// The origin of all installed values, and the stated values that are not installed.
    pub(super) fn explain(
        &self,
        resolution: &Resolution,
        stated: Vec<ExplainedLeaf>,
        sources: &SourceMap,
    ) -> Provenance {
        let mut leaves = self.leaves(sources);
        let pairing = PairFinder {
            document: &self.document,
            pointers: &self.pointers,
            resolution,
            stated: &stated,
        };
        let pairs = pairing.pairs(&leaves);
        for (leaf, pair) in leaves.iter_mut().zip(&pairs) {
            match pair.map(|pair| (&stated[pair.stated], pair.likeness)) {
                Some((twin, likeness)) if likeness.is_same() => {
                    *leaf = ExplainedLeaf {
                        pointer: leaf.pointer.clone(),
                        ..twin.clone()
                    };
                }
                Some((twin, _)) => *leaf = changed(leaf, twin, self.change.operation),
                None => leaf.operation = self.change.operation,
            }
        }
        let used: BTreeSet<usize> = pairs.iter().flatten().map(|pair| pair.stated).collect();
        let unused = stated.into_iter().enumerate();
        let unused = unused.filter(|(at, leaf)| !used.contains(at) && self.is_lost(&leaf.pointer));
        Provenance {
            leaves,
            deletions: unused.map(|(_, leaf)| deleted(leaf)).collect(),
            body: Vec::new(),
        }
    }

    fn leaves(&self, sources: &SourceMap) -> Vec<ExplainedLeaf> {
        let layer = LayerName::new(&self.change.layer)
            .expect("the name of a source or a tool is one of a layer");
        let contributions = vec![Contribution {
            layer,
            document: Arc::clone(&self.document),
        }];
        let resolution = fold(
            contributions,
            &MergePolicy::merge(Strategy::default()),
            None,
        );
        let mut all = Provenance::default();
        self.pointers
            .iter()
            .for_each(|pointer| all.add_values(&resolution, pointer, sources));
        all.leaves
    }

    fn is_lost(&self, pointer: &Pointer) -> bool {
        let keys = [
            pointer.steps().first().map(String::as_str),
            nearest_key(pointer),
        ];
        keys.into_iter()
            .flatten()
            .any(|key| self.lost.contains(key))
    }
}

impl ValueChange {
    fn of(content: &RenderedResource) -> Self {
        let entry = &content.resolved.entry;
        let filled = content
            .output
            .files
            .first()
            .is_some_and(OutputFile::is_filled);
        if filled && content.output.outcomes.is_empty() {
            ValueChange {
                operation: "filled",
                layer: layer_of(&entry.unit.origin).to_owned(),
            }
        } else {
            ValueChange {
                operation: "converted",
                layer: entry.tool.to_string(),
            }
        }
    }
}

/// The file as it is rendered; that there is another one on the disk is reported.
fn in_own_file(
    file: &OutputFile,
    disk: Option<Vec<u8>>,
    notes: &mut Notes,
) -> Option<Arc<Document>> {
    match disk {
        Some(now) if now == *file.bytes => {}
        Some(_) => notes.diagnostics.push(edited(&file.path)),
        None => notes.diagnostics.push(missing(&file.path)),
    }
    let format = Format::of_file(file.path.file_name()).filter(|format| *format != Format::Csv)?;
    readable(&file.path, file.bytes.to_vec(), format, notes)
}

/// The nodes in the file as it is on the disk; that some are not as they were written is reported.
fn in_shared_file(
    entries: &OutputEntries,
    owner: &Owner,
    disk: Option<Vec<u8>>,
    notes: &mut Notes,
) -> Option<(Arc<Document>, Vec<Pointer>)> {
    let path = &entries.file;
    let Some(bytes) = disk else {
        notes.diagnostics.push(missing(path));
        return None;
    };
    let document = readable(path, bytes, shared_format(path), notes);
    let pointers = document.as_ref();
    let pointers = pointers.map_or(Vec::new(), |document| pointers_in(document, entries, owner));
    let is_required = |node: &&EntryNode| !matches!(node.location, NodeLocation::Default(_));
    if pointers.len() < entries.nodes.iter().filter(is_required).count() {
        notes.diagnostics.push(edited(path));
    }
    Some((document.filter(|_| !pointers.is_empty())?, pointers))
}

/// The pointers of nodes that equal the rendered ones; a fresh clone has no ledger.
fn pointers_in(document: &Document, entries: &OutputEntries, owner: &Owner) -> Vec<Pointer> {
    let desired = |node: &EntryNode| DesiredNode {
        node: node.clone(),
        owner: owner.clone(),
        on_equal: OnEqualUserValue::Adopt,
    };
    let written: Vec<DesiredNode> = entries.nodes.iter().map(desired).collect();
    let owned = recognise_nodes(document, &written, None);
    let pointers = owned.iter().flat_map(|owned| owned.owners_in(document));
    pointers.map(|(pointer, _)| pointer).collect()
}

fn readable(
    path: &RelativePath,
    bytes: Vec<u8>,
    format: Format,
    notes: &mut Notes,
) -> Option<Arc<Document>> {
    let parsed = parse_bytes(path.to_string(), bytes, format, notes).ok()?;
    (!has_errors(&parsed.diagnostics)).then(|| Arc::new(parsed.document))
}

fn missing(path: &RelativePath) -> Diagnostic {
    lockfile_note(format!("`{path}` does not exist"))
}

fn edited(path: &RelativePath) -> Diagnostic {
    let message = format!("`{path}` was edited; agpm explains what an install writes");
    let found = Diagnostic::new(&codes::INSTALL_EDITED, message).in_file(path.as_str());
    found.help("`agpm install --dry-run` shows what would change")
}

/// A value that is not as it is stated.
fn changed(leaf: &ExplainedLeaf, twin: &ExplainedLeaf, operation: &'static str) -> ExplainedLeaf {
    let stated = twin.clone();
    ExplainedLeaf {
        layer: stated.layer.clone(),
        file: stated.file.clone(),
        line: stated.line,
        operation,
        shadows: stated.into_shadows(),
        ..leaf.clone()
    }
}

/// A value that is stated and not installed.
fn deleted(leaf: ExplainedLeaf) -> ExplainedDeletion {
    ExplainedDeletion {
        pointer: leaf.pointer.clone(),
        shadows: leaf.into_shadows(),
    }
}
