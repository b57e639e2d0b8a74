//! Files that cannot be next to each other, or next to the layers themselves.

use std::collections::BTreeMap;
use std::path::Path;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_model::{Layer, MachineFiles, RelativePath};
use agpm_resolve::clashes;

use crate::snapshot::LayerSnapshot;

struct LayerPath<'s> {
    path: &'s RelativePath,
    layer: &'s Layer,
}

/// Fails if a file of one layer is where another one has a directory, or if two paths differ only in case.
pub fn refuse_clashes(snapshots: &[LayerSnapshot<'_>]) -> Result<(), Failure> {
    let all = snapshots.iter().flat_map(|first| {
        first
            .files
            .iter()
            .map(move |file| (&file.path, first.layer))
    });
    let distinct: BTreeMap<&RelativePath, &Layer> = all.collect();
    let distinct = distinct.into_iter();
    let distinct: Vec<LayerPath<'_>> = distinct
        .map(|(path, layer)| LayerPath { path, layer })
        .collect();
    let paths = distinct.iter().map(|first| first.path).enumerate();
    match clashes(paths).first() {
        Some(found) => Err(clash(&distinct[found.first], &distinct[found.second])),
        None => Ok(()),
    }
}

fn paths<'s, 'm>(
    snapshot: &'s LayerSnapshot<'m>,
) -> impl Iterator<Item = (&'s LayerSnapshot<'m>, &'s str)> {
    snapshot
        .files
        .iter()
        .map(move |file| (snapshot, file.path.as_str()))
}

fn clash(first: &LayerPath<'_>, second: &LayerPath<'_>) -> Failure {
    let why = if first.path.as_str().len() == second.path.as_str().len() {
        "paths that differ only in case"
    } else {
        "one path as a file and as a directory"
    };
    let message = format!(
        "layers `{}` and `{}` have {why}",
        first.layer.name, second.layer.name
    );
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).in_layer(second.layer.name.as_str());
    diagnostic
        .detail(format!("`{}` and `{}`", first.path, second.path))
        .at_spot(second.layer.spot)
        .help("rename one of them, or leave it out with `include`")
        .into()
}

/// Fails if a file would land in the directory of a layer: it would be treated as a part of it the next time.
pub fn refuse_own_directories(
    files: &dyn MachineFiles,
    snapshots: &[LayerSnapshot<'_>],
    root: &Path,
) -> Result<(), Failure> {
    let root = files.real_path(root);
    for layer in snapshots {
        let Some(inner) = layer
            .directory
            .as_deref()
            .map(|directory| files.real_path(directory))
            .and_then(|directory| {
                Some(
                    directory
                        .strip_prefix(&root)
                        .ok()?
                        .to_string_lossy()
                        .replace('\\', "/"),
                )
            })
        else {
            continue;
        };
        let is_inside = |path: &str| {
            let rest = path.strip_prefix(inner.as_str());
            inner.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
        };
        if let Some((from, path)) = snapshots
            .iter()
            .flat_map(paths)
            .find(|(_, path)| is_inside(path))
        {
            let name = &layer.layer.name;
            let message = format!(
                "`{path}` of layer `{}` would be written into layer `{name}`",
                from.layer.name
            );
            let diagnostic =
                Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).in_layer(name.as_str());
            let help = "keep layers in a separate directory such as `layers/`";
            return Err(Failure::new(
                FailureKind::Refused,
                diagnostic.at_spot(layer.layer.spot).help(help),
            ));
        }
    }
    Ok(())
}
