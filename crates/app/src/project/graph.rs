//! Related resources of a lockfile, and the owners of a path.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_model::{LockEntry, Owner, RelativePath, VersionLabel};
use agpm_plan::Ledger;
use agpm_resolve::LockView;

/// The entry itself and everything it needs.
pub(crate) fn needs_of(view: &LockView, number: usize) -> BTreeSet<usize> {
    reachable_from(BTreeSet::from([number]), &view.needs)
}

/// The entry, everything that needs it, and everything those need.
pub(crate) fn family_of(view: &LockView, number: usize) -> BTreeSet<usize> {
    let above = reachable_from(BTreeSet::from([number]), &view.needed_by());
    reachable_from(above, &view.needs)
}

fn reachable_from(mut found: BTreeSet<usize>, edges: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut waiting: Vec<usize> = found.iter().copied().collect();
    while let Some(at) = waiting.pop() {
        waiting.extend(edges[at].iter().copied().filter(|next| found.insert(*next)));
    }
    found
}

/// Everyone who owns the file at a path that is seen from `here`, or something in it.
pub(crate) fn owners_at<'l>(
    view: &LockView,
    working_directory: &Path,
    ledger: &'l Ledger,
    word: &str,
) -> BTreeSet<&'l Owner> {
    let paths = view.paths_of(working_directory, word);
    let paths = paths.iter().filter_map(|path| RelativePath::new(path).ok());
    paths.flat_map(|path| ledger.owners_at(&path)).collect()
}

/// `TYPE/NAME (VERSION)`.
pub(crate) fn entry_title(entry: &LockEntry) -> String {
    title(&entry.label(), entry.version())
}

/// `TYPE/NAME (VERSION)` of anything locked.
pub(crate) fn title(label: &str, version: Option<&VersionLabel>) -> String {
    format!(
        "{label} ({})",
        version.map_or("local", VersionLabel::as_str)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{entry, view_of};

    #[test]
    fn a_family_is_everything_above_with_all_it_needs() {
        let view = view_of(vec![
            entry("agents/top", &["agents/middle", "agents/side"]),
            entry("agents/middle", &["agents/bottom"]),
            entry("agents/side", &[]),
            entry("agents/bottom", &[]),
            entry("agents/stranger", &[]),
        ]);
        assert_eq!(needs_of(&view, 1), BTreeSet::from([1, 3]));
        assert_eq!(family_of(&view, 1), BTreeSet::from([0, 1, 2, 3]));
    }
}
