//! Reads the files of a layer from a directory or from a version of a source.

use agpm_model::{FileMode, Layer, RelativePath, Revision};
use agpm_plan::WatchedDirectory;
use agpm_source::limits::MOST_LAYER_BYTES;
use agpm_source::{Source, SourceEntry, SourceEntryKind, SourceError};

use agpm_layers::{SkipReason, SkippedItem, enters, included_file};

/// A file of a layer.
#[derive(Debug)]
pub(super) struct LayerFile {
    pub(super) path: RelativePath,
    pub(super) bytes: Vec<u8>,
    pub(super) mode: FileMode,
}

/// The content of a layer.
pub(super) struct LayerContents {
    /// The files, sorted by path.
    pub(super) files: Vec<LayerFile>,
    pub(super) skipped: Vec<SkippedItem>,
    /// The stamp by which a later run detects changes in the directory.
    pub(super) watched: Option<WatchedDirectory>,
}

/// The reason why a layer could not be read.
pub(super) enum ReadError {
    /// The source failed.
    Source(SourceError),
    /// The layer's `root` is not a directory of the source.
    NoRoot,
    /// The layer has too many directories or bytes.
    TooMuch,
}

impl From<SourceError> for ReadError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::TooManyDirectories => ReadError::TooMuch,
            error => ReadError::Source(error),
        }
    }
}

/// The files of a layer before they are read.
pub(super) struct ListedLayer {
    wanted: Vec<(RelativePath, FileMode, SourceEntry)>,
    skipped: Vec<SkippedItem>,
    watched: Option<WatchedDirectory>,
}

impl ListedLayer {
    /// The files to fetch.
    pub(super) fn into_entries(self) -> impl Iterator<Item = SourceEntry> {
        self.wanted.into_iter().map(|(_, _, entry)| entry)
    }
}

/// Reads the files of a layer in `root`, a directory of the source.
pub(super) fn read(
    source: &dyn Source,
    revision: Option<&Revision>,
    layer: &Layer,
    root: &str,
) -> Result<LayerContents, ReadError> {
    let listed = list(source, revision, layer, root)?;
    let entries: Vec<&SourceEntry> = listed.wanted.iter().map(|(_, _, entry)| entry).collect();
    source.fetch_files(&entries)?;
    if source.size(&entries)? > MOST_LAYER_BYTES {
        return Err(ReadError::TooMuch);
    }
    let bytes = source.read(&entries)?;
    let files = listed.wanted.into_iter().zip(bytes);
    Ok(LayerContents {
        files: files
            .map(|((path, mode, _), bytes)| LayerFile { path, bytes, mode })
            .collect(),
        skipped: listed.skipped,
        watched: listed.watched,
    })
}

/// Lists the files of a layer in `root`.
pub(super) fn list(
    source: &dyn Source,
    revision: Option<&Revision>,
    layer: &Layer,
    root: &str,
) -> Result<ListedLayer, ReadError> {
    if !root.is_empty() {
        let found = source.entry(revision, root)?;
        let is_directory = |entry: &SourceEntry| entry.kind == SourceEntryKind::Directory;
        if !found.as_ref().is_some_and(is_directory) {
            return Err(ReadError::NoRoot);
        }
    }
    let in_layer = |path: &str| match root {
        "" => path.to_owned(),
        root => path[root.len()..].trim_start_matches('/').to_owned(),
    };
    // Directories that no pattern can match are not listed, so a `node_modules` in a layer costs nothing.
    let is_entered = |path: &str| enters(layer, &in_layer(path)).is_ok();
    let tree = source.walk(revision, root, &is_entered)?;
    let mut wanted = Vec::new();
    let mut skipped = Vec::new();
    for entry in tree.entries {
        let path = in_layer(&entry.path);
        match file_of(layer, entry.kind, &path) {
            Ok((path, mode)) => wanted.push((path, mode, entry)),
            Err(why) => skipped.push(SkippedItem {
                path: path
                    + if entry.kind == SourceEntryKind::Directory {
                        "/"
                    } else {
                        ""
                    },
                why,
            }),
        }
    }
    let watched = tree.watch.map(|watch| WatchedDirectory {
        folder: watch.directory,
        folders: watch.directories,
        stamp: watch.stamp,
    });
    Ok(ListedLayer {
        wanted,
        skipped,
        watched,
    })
}

/// Returns the path and mode of a file that the layer includes, or the reason why an entry is skipped.
fn file_of(
    layer: &Layer,
    kind: SourceEntryKind,
    path: &str,
) -> Result<(RelativePath, FileMode), SkipReason> {
    match kind {
        SourceEntryKind::File(mode) => included_file(layer, path).map(|path| (path, mode)),
        SourceEntryKind::Directory => {
            Err(enters(layer, path).err().unwrap_or(SkipReason::NotIncluded))
        }
        SourceEntryKind::Submodule => enters(layer, path).and(Err(SkipReason::Repository)),
        SourceEntryKind::Symlink => included_file(layer, path).and(Err(SkipReason::Link)),
        SourceEntryKind::Special => included_file(layer, path).and(Err(SkipReason::NoFile)),
    }
}
