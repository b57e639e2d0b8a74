//! Manifests as they are on disk: what can be read of them, and why the others cannot.

use std::path::Path;

use agpm_catalog::{Manifest, left_out, read_manifest};
use agpm_diag::{Diagnostic, Notes, SourceId, Text, codes};
use agpm_store::{self as store, Problem};
use agpm_text::{Format, Limits, decode, parse};

use crate::catalog::ground::{CatalogLayer, ManifestFile};
use crate::reading::limit;
use agpm_store::parallel;

/// Reads manifests side by side; what is malformed is told and left out.
pub(super) fn read_all(
    layers: &[CatalogLayer],
    files: Vec<ManifestFile>,
    left_out: &mut Vec<ManifestFile>,
    notes: &mut Notes,
) -> Vec<(ManifestFile, Manifest)> {
    let read = |file: &ManifestFile| read_inside(&layers[file.layer].folder, &file.path, limit());
    let bytes = parallel::map(files.iter().collect(), read);
    let mut texts = Vec::new();
    for (file, bytes) in files.into_iter().zip(bytes) {
        let text = match bytes {
            Ok(bytes) => texts_of(&file, bytes, &layers[file.layer], notes),
            Err(error) => {
                let layer = layers[file.layer].label();
                notes
                    .diagnostics
                    .push(unreadable(&file, &error.problem).in_layer(layer));
                notes
                    .log
                    .push(format!("skipped {}: it {}", file.shown, error.problem));
                None
            }
        };
        match text {
            Some(text) => texts.push((file, text)),
            None => left_out.push(file),
        }
    }
    let parsed = parallel::map(texts, |(file, (source, text))| {
        let parsed = parse(source, text, Format::Csv, Limits::default());
        let module = file.standing.module.clone().unwrap_or_default();
        let (manifest, found) = read_manifest(parsed, file.kind, &module);
        (file, manifest, found)
    });
    let mut good = Vec::new();
    for (file, manifest, found) in parsed {
        let layer = layers[file.layer].label();
        notes
            .diagnostics
            .extend(found.into_iter().map(|one| one.in_layer(layer.as_str())));
        match manifest {
            Some(manifest) => good.push((file, manifest)),
            None => {
                notes
                    .log
                    .push(format!("skipped {}: it is malformed", file.shown));
                left_out.push(file);
            }
        }
    }
    good
}

/// Reads a file that is inside of a folder, by way of whatever links.
pub(super) fn read_inside(
    folder: &Path,
    place: &str,
    largest: u64,
) -> Result<Vec<u8>, store::StoreError> {
    let (root, file) = (
        store::real_path(folder),
        store::real_path(&folder.join(place)),
    );
    let inner = file.strip_prefix(&root).ok().and_then(Path::to_str);
    // Read by its own name, so that a link that names the whole way is followed like any other.
    let (folder, place) = inner.map_or((folder, place), |inner| (root.as_path(), inner));
    store::read_below(folder, place, largest).map(|(bytes, _)| bytes)
}

/// The text of a manifest, known to the notes; nothing if it is none.
fn texts_of(
    file: &ManifestFile,
    bytes: Vec<u8>,
    layer: &CatalogLayer,
    notes: &mut Notes,
) -> Option<(SourceId, agpm_diag::Text)> {
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text = Text::from(text);
            Some((notes.sources.add(file.shown.clone(), text.clone()), text))
        }
        Err(error) => {
            let bytes = error.into_bytes();
            let source = notes.sources.add(
                file.shown.clone(),
                String::from_utf8_lossy(&bytes).into_owned(),
            );
            let cause = decode(source, bytes).err()?;
            notes
                .diagnostics
                .push(left_out(cause).in_layer(layer.label()));
            notes
                .log
                .push(format!("skipped {}: it is not UTF-8", file.shown));
            None
        }
    }
}

fn unreadable(file: &ManifestFile, problem: &Problem) -> Diagnostic {
    let cause = Diagnostic::new(&codes::IO_UNREADABLE, format!("it {problem}"));
    let help = match problem {
        Problem::Escapes => "links that lead out of their folder are not followed",
        Problem::NotFound => "it is a link that leads nowhere; mend it, or take it away",
        _ => "check what it is, and its permissions",
    };
    left_out(cause.in_file(file.shown.as_str()).help(help))
}
