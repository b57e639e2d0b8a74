//! What the changelogs of sources say about pins that moved.

use std::collections::BTreeMap;

use agpm_git::{EntryKind, GitError, Remote};
use agpm_model::{ObjectId, SourceName, Tag, changelog_between};

use crate::install::Moved;
use crate::packages::{Opened, Sources};

const CHANGELOG: &str = "CHANGELOG.md";
/// A longer changelog is not read.
const MOST_BYTES: u64 = 4 << 20;

/// Adds what changed between the old and the new version. A changelog that cannot be read stops nothing.
pub(super) fn add(sources: &Sources, moved: &mut [Moved]) {
    let mut texts: BTreeMap<(String, ObjectId), Option<String>> = BTreeMap::new();
    for one in moved {
        let (old, new) = (Tag::new(&one.old.version), Tag::new(&one.new.version));
        let Some(source) = one.source.clone() else {
            continue;
        };
        // Only versions can be found in a changelog.
        if new.prefix().is_none() || old.prefix().is_none() {
            continue;
        }
        let text = texts
            .entry((source.clone(), one.new.commit.clone()))
            .or_insert_with(|| read(sources, &source, &one.new.commit));
        let lines = text
            .iter()
            .flat_map(|text| changelog_between(text, &old, &new));
        one.changelog = lines.map(str::to_owned).collect();
    }
}

fn read(sources: &Sources, source: &str, commit: &ObjectId) -> Option<String> {
    match sources.get(&SourceName::new(source).ok()?)? {
        Opened::Git(remote) => read_at(remote, commit).ok().flatten(),
        Opened::Folder(_) => None,
    }
}

fn read_at(remote: &Remote, commit: &ObjectId) -> Result<Option<String>, GitError> {
    let is_file = |kind| matches!(kind, EntryKind::File | EntryKind::Executable);
    let entry = remote.entry(commit, CHANGELOG)?;
    let Some(entry) = entry.filter(|entry| is_file(entry.kind)) else {
        return Ok(None);
    };
    let id = [entry.id];
    if remote.measure_blobs(&id)? > MOST_BYTES {
        return Ok(None);
    }
    let bytes = remote.read_blobs(&id, &|_| {})?.pop();
    Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
}
