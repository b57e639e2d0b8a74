//! What `doctor` says of a catalog: rows without a file, and files without a row.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agpm_catalog::{EntryKind, ROOTS, RowRef};
use agpm_diag::{Diagnostic, Failure, Notes, Severity, at_most, codes};
use agpm_store as store;

use crate::catalog::ground::{CatalogLayer, ManifestFile};
use crate::catalog::lookup::{FolderListings, NoFile, SKILL_FILE};
use crate::catalog::open::{OpenCatalog, open_kept};
use crate::world::{Environment, World};

/// A layer that is wrong all over is told of up to here.
const MOST_TOLD: usize = 100;

/// Checks every layer; gives how many entries count.
pub(crate) fn lint_catalog(world: &World, notes: &mut Notes) -> Result<usize, Failure> {
    let open = open_kept(world, notes)?;
    for (at, layer) in open.layers.iter().enumerate() {
        let listed = check_rows(&open, at, notes);
        let unlisted = unlisted(&world.environment, &open, (at, layer), &listed);
        notes.diagnostics.extend(at_most(unlisted, MOST_TOLD));
    }
    Ok(open.catalog.entries().len())
}

/// Every row of a layer must have its file; gives the files.
fn check_rows(open: &OpenCatalog, layer: usize, notes: &mut Notes) -> BTreeSet<PathBuf> {
    let (mut listed, mut without) = (BTreeSet::new(), Vec::new());
    let listings = FolderListings::default();
    let mut finder = listings.finder();
    let manifests = (0..open.files.len()).filter(|at| open.files[*at].layer == layer);
    for row in manifests.flat_map(|at| open.catalog.rows_of(at)) {
        match open.listed_place_of(row, &mut finder) {
            Ok(place) => {
                listed.insert(store::real_path(&open.layers[layer].folder.join(place)));
            }
            Err(fault) => without.extend(without_file(open, row, fault)),
        }
    }
    notes.diagnostics.extend(at_most(without, MOST_TOLD));
    listed
}

fn without_file(open: &OpenCatalog, row: RowRef<'_>, fault: NoFile) -> Option<Diagnostic> {
    let told = open.no_file(row, fault).diagnostic?;
    let node = row.node();
    let place = row
        .node()
        .get("path")
        .map_or(node.span(), |path| path.span());
    let told = Diagnostic {
        severity: Severity::Warning,
        file: None,
        ..told
    };
    Some(told.at(node.document().source(), place, ""))
}

/// Files that look like entries and that no row of their layer names.
fn unlisted(
    environment: &Environment,
    open: &OpenCatalog,
    (at, layer): (usize, &CatalogLayer),
    listed: &BTreeSet<PathBuf>,
) -> Vec<Diagnostic> {
    let kinds = |files: &[ManifestFile]| -> BTreeSet<EntryKind> {
        files
            .iter()
            .filter(|file| file.layer == at)
            .map(|file| file.kind)
            .collect()
    };
    // What a manifest lists that cannot be read, nobody knows.
    let kinds: Vec<EntryKind> = kinds(&open.files)
        .difference(&kinds(&open.left_out))
        .copied()
        .collect();
    let mut roots: Vec<&str> = ROOTS.iter().map(|root| root.folder).collect();
    roots.dedup();
    // The folder of a listed skill is its own: a workflow in it is a part of that skill, not an entry.
    let skill_files = listed.iter().filter(|file| file.ends_with(SKILL_FILE));
    let skills: BTreeSet<&Path> = skill_files.filter_map(|file| file.parent()).collect();
    let is_known = |file: &Path| {
        listed.contains(file)
            || file
                .ancestors()
                .skip(1)
                .any(|folder| skills.contains(folder))
    };
    let mut found = Vec::new();
    for root in roots {
        for module in store::names_in(&layer.folder.join(root)) {
            for kind in &kinds {
                let inner = format!("{root}/{module}/{}", kind.habitat().folder);
                let files = entries_in(&layer.folder, &inner, *kind).into_iter();
                let unknown =
                    files.filter(|path| !is_known(&store::real_path(&layer.folder.join(path))));
                found.extend(unknown.map(|path| told(environment, layer, *kind, &path)));
            }
        }
    }
    found
}

/// The files of a kind below a folder, from the layer's.
fn entries_in(layer: &Path, folder: &str, kind: EntryKind) -> Vec<String> {
    let habitat = kind.habitat();
    let files = store::files_below(&layer.join(folder), habitat.depth).unwrap_or_default();
    let is_entry = |path: &String| habitat.is_home_of(path.rsplit('/').next().unwrap_or(path));
    files
        .into_iter()
        .filter(is_entry)
        .map(|path| format!("{folder}/{path}"))
        .collect()
}

fn told(
    environment: &Environment,
    layer: &CatalogLayer,
    kind: EntryKind,
    path: &str,
) -> Diagnostic {
    let message = format!("no row of `{}` names this {kind}", kind.manifest_name());
    let diagnostic =
        Diagnostic::new(&codes::CATALOG_UNLISTED, message).in_file(layer.shown(environment, path));
    diagnostic
        .in_layer(layer.label())
        .help("add a row for it, or take it away")
}
