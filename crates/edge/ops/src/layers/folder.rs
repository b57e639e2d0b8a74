//! A layer that is a folder on this machine.

use std::path::Path;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{FileMode, Layer, RelativePath, is_credential_path};
use agpm_plan::Watched;
use agpm_store::{Folder, Listed, ListedKind, Problem, StoreError, is_file, list, real_path};

use crate::failure::Failure;
use crate::gather::{limit, shown};
use crate::layers::skipping::{Skipped, Why, enters, judge};
use crate::layers::snapshot::{Contents, SnapshotFile};
use crate::parallel;
use crate::world::Environment;

/// Files that one thread reads before it takes the next ones.
const CHUNK: usize = 64;

pub(super) fn read(
    environment: &Environment,
    layer: &Layer,
    place: &Path,
    project: &Path,
) -> Result<Contents, Failure> {
    let seen = |error: StoreError| -> Failure { told(environment, layer, place, error) };
    let listing = list(place, &|folder| enters(layer, folder).is_ok()).map_err(seen)?;
    let mut wanted: Vec<(RelativePath, FileMode)> = Vec::new();
    let mut skipped = Vec::new();
    for entry in &listing.entries {
        match counted(layer, entry) {
            Ok(file) => wanted.push(file),
            Err(why) => skipped.push(Skipped {
                path: named(entry),
                why,
            }),
        }
    }
    refuse_credentials(project, place, &wanted).map_err(seen)?;
    let folder = Folder::open(place).map_err(seen)?;
    let read = |chunk: &[(RelativePath, FileMode)]| -> Result<Vec<SnapshotFile>, StoreError> {
        let one = |(path, mode): &(RelativePath, FileMode)| {
            let bytes = folder.read(path, limit())?;
            let shown = shown(environment, &place.join(path.as_str()));
            Ok(SnapshotFile {
                path: path.clone(),
                shown,
                bytes,
                mode: *mode,
            })
        };
        chunk.iter().map(one).collect()
    };
    let chunks = parallel::map(wanted.chunks(CHUNK).collect(), read);
    let files = chunks
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map_err(seen)?;
    // A path that is no text cannot be written down, and is read again every time.
    let folder = place.to_str().map(str::to_owned);
    let watched = listing.stamp.zip(folder);
    let watched = watched.map(|(stamp, folder)| Watched {
        folder,
        folders: listing.folders,
        stamp,
    });
    Ok(Contents {
        files: files.into_iter().flatten().collect(),
        skipped,
        watched,
    })
}

/// Links in a layer are not followed, so that one look at where its folder really is tells where all its files are.
fn refuse_credentials(
    project: &Path,
    place: &Path,
    wanted: &[(RelativePath, FileMode)],
) -> Result<(), StoreError> {
    let real = real_path(place);
    if real.starts_with(real_path(project)) {
        return Ok(());
    }
    let is_secret =
        |path: &&RelativePath| is_credential_path(&real.join(path.as_str()).to_string_lossy());
    match wanted.iter().map(|(path, _)| path).find(is_secret) {
        Some(path) => Err(StoreError {
            path: place.join(path.as_str()),
            problem: Problem::Credentials,
        }),
        None => Ok(()),
    }
}

/// A file that counts, or why something does not.
fn counted(layer: &Layer, entry: &Listed) -> Result<(RelativePath, FileMode), Why> {
    match entry.kind {
        ListedKind::Folder => Err(enters(layer, &entry.path).err().unwrap_or(Why::NotIncluded)),
        ListedKind::File(mode) => judge(layer, &entry.path).map(|path| (path, mode)),
        ListedKind::Link => judge(layer, &entry.path).and(Err(Why::Link)),
        ListedKind::Other => judge(layer, &entry.path).and(Err(Why::NoFile)),
    }
}

fn named(entry: &Listed) -> String {
    if entry.kind == ListedKind::Folder {
        format!("{}/", entry.path)
    } else {
        entry.path.clone()
    }
}

/// What the disk says, with the layer that it is about.
fn told(environment: &Environment, layer: &Layer, place: &Path, error: StoreError) -> Failure {
    if matches!(&error.problem, Problem::NotFile) && is_file(place) {
        let place = shown(environment, place);
        let message = format!(
            "layer `{}` is to be the folder `{place}`, which is a file",
            layer.name
        );
        let diagnostic =
            Diagnostic::new(&codes::IO_UNREADABLE, message).in_layer(layer.name.as_str());
        return diagnostic
            .at_spot(layer.spot)
            .help("name the folder that the file is in")
            .into();
    }
    let mut failure = Failure::from(error.seen_from(&environment.folder));
    failure.diagnostic = failure
        .diagnostic
        .map(|diagnostic| diagnostic.in_layer(layer.name.as_str()));
    failure
}
