//! The catalog checks of `doctor`: rows without a file, and files without a row.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Notes, Severity, at_most, codes};
use agpm_model::FoundKind;

use crate::content::CatalogContent;
use crate::kind::EntryKind;
use crate::layer::{CatalogLayer, ManifestFile};
use crate::location::ROOTS;
use crate::lookup::{FolderListings, NoFile, SKILL_FILE};
use crate::row::RowRef;

/// A layer that is wrong all over is reported of up to here.
const MOST_TOLD: usize = 100;

impl CatalogContent<'_> {
    /// Checks every layer; gives how many entries apply.
    pub fn lint(&self, notes: &mut Notes) -> usize {
        for at in 0..self.layers.len() {
            let listed = check_rows(self, at, notes);
            let unlisted = unlisted(self, at, &listed);
            notes.diagnostics.extend(at_most(unlisted, MOST_TOLD));
        }
        self.catalog.entries().len()
    }
}

/// Every row of a layer must have its file; gives the files.
fn check_rows(content: &CatalogContent<'_>, layer: usize, notes: &mut Notes) -> BTreeSet<PathBuf> {
    let (mut listed, mut without) = (BTreeSet::new(), Vec::new());
    let listings = FolderListings::new(content.machine);
    let mut finder = listings.finder();
    let manifests = (0..content.files.len()).filter(|at| content.files[*at].layer == layer);
    for row in manifests.flat_map(|at| content.catalog.rows_of(at)) {
        match content.listed_path_of(row, &mut finder) {
            Ok(path) => {
                listed.insert(
                    content
                        .machine
                        .real_path(&content.layers[layer].directory.join(path)),
                );
            }
            Err(fault) => without.extend(without_file(content, row, fault)),
        }
    }
    notes.diagnostics.extend(at_most(without, MOST_TOLD));
    listed
}

fn without_file(
    content: &CatalogContent<'_>,
    row: RowRef<'_>,
    fault: NoFile,
) -> Option<Diagnostic> {
    let finding = content.no_file(row, fault).diagnostic?;
    let node = row.node();
    let span = row
        .node()
        .get("path")
        .map_or(node.span(), |path| path.span());
    let finding = Diagnostic {
        severity: Severity::Warning,
        file: None,
        ..finding
    };
    Some(finding.at(node.source(), span, ""))
}

/// Files that look like entries and that no row of their layer names.
fn unlisted(
    content: &CatalogContent<'_>,
    at: usize,
    listed: &BTreeSet<PathBuf>,
) -> Vec<Diagnostic> {
    let layer = &content.layers[at];
    let kinds = |files: &[ManifestFile]| -> BTreeSet<EntryKind> {
        files
            .iter()
            .filter(|file| file.layer == at)
            .map(|file| file.kind)
            .collect()
    };
    // The rows of an unreadable manifest are unknown.
    let kinds: Vec<EntryKind> = kinds(&content.files)
        .difference(&kinds(&content.left_out))
        .copied()
        .collect();
    let mut roots: Vec<&str> = ROOTS.iter().map(|root| root.directory).collect();
    roots.dedup();
    // The directory of a listed skill is its own: a workflow in it is a part of that skill, not an entry.
    let skill_files = listed.iter().filter(|file| file.ends_with(SKILL_FILE));
    let skills: BTreeSet<&Path> = skill_files.filter_map(|file| file.parent()).collect();
    let is_known = |file: &Path| {
        listed.contains(file)
            || file
                .ancestors()
                .skip(1)
                .any(|directory| skills.contains(directory))
    };
    let mut found = Vec::new();
    for root in roots {
        let modules = content.machine.names(&layer.directory.join(root));
        for module in modules.unwrap_or_default() {
            for kind in &kinds {
                let inner = format!("{root}/{module}/{}", kind.file_convention().directory);
                let files = entries_in(content, layer, &inner, *kind).into_iter();
                let unknown = files.filter(|path| {
                    !is_known(&content.machine.real_path(&layer.directory.join(path)))
                });
                found
                    .extend(unknown.map(|path| {
                        unlisted_file(layer, *kind, layer.shown(&content.here, &path))
                    }));
            }
        }
    }
    found
}

/// The files of a kind in a directory of a layer, from the layer's.
fn entries_in(
    content: &CatalogContent<'_>,
    layer: &CatalogLayer,
    directory: &str,
    kind: EntryKind,
) -> Vec<String> {
    let convention = kind.file_convention();
    let found = content
        .machine
        .below(&layer.directory.join(directory), convention.depth);
    let files = found.unwrap_or_default().into_iter();
    let files = files.filter(|found| found.kind == FoundKind::File);
    let is_entry =
        |path: &String| convention.includes_file_name(path.rsplit('/').next().unwrap_or(path));
    files
        .map(|found| found.path)
        .filter(is_entry)
        .map(|path| format!("{directory}/{path}"))
        .collect()
}

fn unlisted_file(layer: &CatalogLayer, kind: EntryKind, display_path: String) -> Diagnostic {
    let message = format!("this {kind} has no row in `{}`", kind.manifest_name());
    Diagnostic::new(&codes::CATALOG_UNLISTED, message)
        .in_file(display_path)
        .in_layer(layer.label())
        .help("add a row for it, or remove it")
}
