//! The state of every path that a plan may touch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Failure, Notes};
use agpm_model::{Checksum, ObservedPath, RelativePath};
use agpm_text::{BlockDocument, Document, Format, document_of};

use crate::change::Obstacle;

/// A single observation of the disk, before any decision.
#[derive(Debug, Default)]
pub struct Observation {
    entries: BTreeMap<RelativePath, ObservedPath>,
    documents: BTreeMap<RelativePath, Arc<Document>>,
    block_documents: BTreeMap<RelativePath, BlockDocument>,
    unreadable: BTreeSet<RelativePath>,
    /// Files at the paths of directories that desired files need.
    blockers: BTreeSet<RelativePath>,
}

/// The content at the path of a shared file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SharedContent<'o> {
    Missing,
    Document(&'o Document),
    /// Something that is not a file.
    Obstacle(Obstacle),
    Unreadable,
}

impl Observation {
    /// Records what is at a path.
    pub fn add(&mut self, path: RelativePath, now: ObservedPath) {
        self.entries.insert(path, now);
    }

    /// Records the structure of the file at a path.
    pub fn add_document(&mut self, path: RelativePath, document: Arc<Document>) {
        self.documents.insert(path, document);
    }

    /// Records the text of the file at a path that may have blocks.
    pub fn add_block_document(&mut self, path: RelativePath, document: BlockDocument) {
        self.block_documents.insert(path, document);
    }

    /// Whether a path was read as a file with blocks.
    pub fn has_block_document(&self, path: &RelativePath) -> bool {
        let is_not_file = |now: &ObservedPath| !matches!(now, ObservedPath::File(_));
        self.block_documents.contains_key(path)
            || self.unreadable.contains(path)
            || self.entries.get(path).is_some_and(is_not_file)
    }

    /// The text of a file that may have blocks.
    pub fn block_document(&self, path: &RelativePath) -> Option<&BlockDocument> {
        self.block_documents.get(path)
    }

    /// Records that a shared file exists and cannot be parsed. It is never treated as empty.
    pub fn add_unreadable(&mut self, path: RelativePath) {
        self.unreadable.insert(path);
    }

    /// Records a file at the path of a directory.
    pub fn add_blocker(&mut self, path: RelativePath) {
        self.blockers.insert(path);
    }

    /// Whether a path was observed.
    pub fn has(&self, path: &RelativePath) -> bool {
        self.entries.contains_key(path)
    }

    /// Whether a path was read as a shared file.
    pub fn has_shared(&self, path: &RelativePath) -> bool {
        let is_not_file = |now: &ObservedPath| !matches!(now, ObservedPath::File(_));
        self.documents.contains_key(path)
            || self.unreadable.contains(path)
            || self.entries.get(path).is_some_and(is_not_file)
    }

    /// The state of a path. An unobserved path is treated as missing: if something exists there after all, the
    /// transaction refuses to overwrite it.
    pub fn get(&self, path: &RelativePath) -> ObservedPath {
        self.entries
            .get(path)
            .copied()
            .unwrap_or(ObservedPath::Missing)
    }

    /// The checksum of the file at a path.
    pub fn checksum(&self, path: &RelativePath) -> Option<Checksum> {
        self.get(path).checksum()
    }

    /// The structure of a shared file.
    pub fn document(&self, path: &RelativePath) -> Option<&Document> {
        self.documents.get(path).map(|document| &**document)
    }

    /// Shared files that exist and cannot be parsed.
    pub fn unreadable(&self) -> &BTreeSet<RelativePath> {
        &self.unreadable
    }

    /// The file at the path of a parent directory.
    pub fn blocker_above(&self, path: &RelativePath) -> Option<&RelativePath> {
        let is_above = |blocker: &&RelativePath| {
            path.as_str()
                .strip_prefix(blocker.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        };
        self.blockers.iter().find(is_above)
    }

    pub(crate) fn shared(&self, path: &RelativePath) -> SharedContent<'_> {
        match (self.get(path), self.document(path)) {
            _ if self.unreadable.contains(path) => SharedContent::Unreadable,
            (ObservedPath::Missing, _) => SharedContent::Missing,
            (ObservedPath::File(_), Some(document)) => SharedContent::Document(document),
            (ObservedPath::File(_), None) => SharedContent::Unreadable,
            (now, _) => Obstacle::of(now).map_or(SharedContent::Missing, SharedContent::Obstacle),
        }
    }
}

/// The format of a shared file; JSON may have comments, whatever the file is named.
pub fn shared_format(path: &RelativePath) -> Format {
    let by_name = Format::of_file(path.file_name());
    by_name
        .filter(|format| matches!(format, Format::Toml | Format::Yaml))
        .unwrap_or(Format::Jsonc)
}

/// Parses a shared file. One that cannot be parsed is never treated as empty.
pub fn read_shared_file(
    path: &RelativePath,
    bytes: Vec<u8>,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let document = document_of(path.to_string(), bytes, shared_format(path), notes)?;
    notes.check()?;
    Ok(document)
}
