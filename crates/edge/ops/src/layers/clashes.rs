//! Files that cannot be beside each other, or beside the layers themselves.

use std::collections::BTreeMap;
use std::path::Path;

use agpm_diag::{Diagnostic, codes};
use agpm_store as store;

use crate::failure::{Failure, FailureKind};
use crate::layers::snapshot::Snapshot;

/// Fails if a file of one layer is where another one has a folder, or if two paths differ only in case.
pub(super) fn refuse_clashes(snapshots: &[Snapshot<'_>]) -> Result<(), Failure> {
    let mut files: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    let mut folders: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    for (snapshot, path) in snapshots.iter().flat_map(paths) {
        let layer = snapshot.layer.name.as_str();
        match files.get(&path.to_lowercase()) {
            Some((other, known)) if *known != path => {
                return Err(clash((other, known), (layer, path), "which differ only in case"));
            }
            _ => files.insert(path.to_lowercase(), (layer, path)),
        };
        for (at, _) in path.match_indices('/') {
            folders.entry(path[..at].to_lowercase()).or_insert((layer, path));
        }
    }
    for (path, file) in &files {
        if let Some(inner) = folders.get(path) {
            return Err(clash(*file, *inner, "and one cannot be a file and a folder"));
        }
    }
    Ok(())
}

fn paths<'s, 'm>(snapshot: &'s Snapshot<'m>) -> impl Iterator<Item = (&'s Snapshot<'m>, &'s str)> {
    snapshot.files.iter().map(move |file| (snapshot, file.path.as_str()))
}

fn clash((one, first): (&str, &str), (other, second): (&str, &str), why: &str) -> Failure {
    let message = format!("layer `{one}` has `{first}` and layer `{other}` has `{second}`, {why}");
    let diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).in_layer(other);
    diagnostic.help("rename one of them, or leave it out with `include`").into()
}

/// Fails if a file would land in the folder of a layer: it would be taken for a part of it the next time.
pub(super) fn refuse_own_folders(snapshots: &[Snapshot<'_>], root: &Path) -> Result<(), Failure> {
    let root = store::real_path(root);
    for layer in snapshots {
        let Some(inner) =
            layer.folder.as_deref().map(store::real_path).and_then(|folder| {
                Some(folder.strip_prefix(&root).ok()?.to_string_lossy().replace('\\', "/"))
            })
        else {
            continue;
        };
        let is_inside = |path: &str| {
            let rest = path.strip_prefix(inner.as_str());
            inner.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
        };
        if let Some((from, path)) = snapshots.iter().flat_map(paths).find(|(_, path)| is_inside(path)) {
            let name = &layer.layer.name;
            let message = format!(
                "`{path}` of layer `{}` would be installed into the folder of layer `{name}` itself",
                from.layer.name
            );
            let diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).in_layer(name.as_str());
            let help = "keep layers in a folder of their own that nothing is installed to, such as `layers/`";
            return Err(Failure::new(FailureKind::Refused, diagnostic.at_spot(layer.layer.spot).help(help)));
        }
    }
    Ok(())
}
