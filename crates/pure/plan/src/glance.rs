//! The ledger at a glance: enough to see whether there is anything to do.

use std::collections::BTreeMap;

use agpm_model::{Checksum, FileMode, RelativePath};
use agpm_text::{Document, NodeRef};

use crate::ledger::{
    Watched, entries, read_checksum, read_mode, read_reads, read_theirs, read_watched, root_of,
};

/// What the ledger says of files, without the nodes in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// What the last install was made from; nothing if it did not come to its end.
    pub inputs: Option<Checksum>,
    /// Files on this machine that were read for it, and what they held.
    pub reads: BTreeMap<String, Checksum>,
    /// Folders on this machine that layers were taken from.
    pub watched: Vec<Watched>,
    /// Files of ours, and what we wrote.
    pub files: Vec<(RelativePath, Checksum, FileMode)>,
    /// Files that others write too, as we left them, and files of the user's that are just what is wanted.
    pub shared: Vec<(RelativePath, Checksum)>,
    /// How many files and nodes inside shared files are ours.
    pub count: usize,
}

impl Glance {
    /// Reads a ledger; nothing if it cannot be understood.
    pub fn read(document: &Document) -> Option<Self> {
        let root = root_of(document)?;
        let file = |(path, file): (Option<RelativePath>, NodeRef<'_>)| {
            Some((
                path?,
                read_checksum(file.get("checksum")?)?,
                read_mode(file),
            ))
        };
        let files: Vec<_> = entries(root, "files").map(file).collect::<Option<_>>()?;
        let mut count = files.len();
        let mut shared: Vec<_> = read_theirs(root)?.into_iter().collect();
        count += shared.len();
        for (path, entry) in entries(root, "shared") {
            shared.push((path?, read_checksum(entry.get("seen")?)?));
            count += entry.get("count")?.content().parse::<usize>().ok()?;
        }
        let inputs = root.get("inputs").and_then(read_checksum);
        Some(Glance {
            inputs,
            reads: read_reads(root)?,
            watched: read_watched(root)?,
            files,
            shared,
            count,
        })
    }
}
