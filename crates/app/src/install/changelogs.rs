//! Reads the changelogs of sources for pins that moved.

use std::collections::BTreeMap;

use crate::install::UpdatedPin;
use agpm_model::{Revision, SourceName, changelog_between};

use crate::project::packages::ProjectSources;

const CHANGELOG: &str = "CHANGELOG.md";
/// The maximum size of a changelog; larger ones are ignored.
const MOST_BYTES: u64 = 4 << 20;

/// Adds the changelog lines between the old and the new version. An unreadable changelog is ignored.
pub(super) fn add_changelogs(sources: &ProjectSources, moved: &mut [UpdatedPin]) {
    let mut texts: BTreeMap<(SourceName, Revision), Option<String>> = BTreeMap::new();
    for pin in moved {
        let (old, new) = (&pin.old.version, &pin.new.version);
        // Changelogs have headings for versions, not for branches and commits.
        let is_version = new.prefix().is_some() && old.prefix().is_some();
        let Some(source) = pin.new.source.name().filter(|_| is_version) else {
            continue;
        };
        let text = texts
            .entry((source.clone(), pin.new.commit.clone()))
            .or_insert_with(|| read_changelog(sources, source, &pin.new.commit));
        let lines = text
            .iter()
            .flat_map(|text| changelog_between(text, old, new));
        pin.changelog = lines.map(str::to_owned).collect();
    }
}

fn read_changelog(
    sources: &ProjectSources,
    source: &SourceName,
    commit: &Revision,
) -> Option<String> {
    let source = sources.versioned_source(source)?;
    let entry = source.entry(Some(commit), CHANGELOG).ok()??;
    entry.kind.file_mode()?;
    source.fetch_files(&[&entry]).ok()?;
    if source.size(&[&entry]).ok()? > MOST_BYTES {
        return None;
    }
    let bytes = source.read(&[&entry]).ok()?.pop()?;
    String::from_utf8(bytes).ok()
}
