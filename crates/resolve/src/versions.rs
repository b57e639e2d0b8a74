//! Reports versions that were chosen, moved or skipped.

use std::collections::{BTreeMap, BTreeSet};

use crate::solve::Solution;
use agpm_diag::{Diagnostic, Notes, codes};
use agpm_model::{
    DEFAULT_VERSION, Lockfile, Manifest, Requirement, ResourceOrigin, Revision, SourceName,
    SourceVersions, Unit, VersionLabel,
};

use crate::entries::ResolvedEntry;
use crate::index::{PinState, SolverPin, SourceIndex};

/// All warnings about a solution.
pub fn report_versions(
    manifest: &Manifest,
    index: &SourceIndex,
    solution: &Solution<Unit, Requirement>,
    notes: &mut Notes,
) {
    moved_tags(index, solution, notes);
    report_ignored_versions(manifest, index, notes);
    report_passed_over(index, solution, notes);
    report_default_branches(manifest, index, solution, notes);
}

/// Versions that a range allows but a policy considers too young, if they would have been chosen.
pub fn report_skipped(index: &SourceIndex, entries: &[ResolvedEntry], notes: &mut Notes) {
    let mut reported = BTreeSet::new();
    for resolved in entries {
        let Some(source) = resolved.entry.unit.origin.source() else {
            continue;
        };
        let chosen = &resolved.version.label;
        let mut skipped = resolved
            .requirements
            .iter()
            .flat_map(|requirement| index.skipped(source, requirement));
        let newest = skipped.find(|(tag, _)| tag > chosen);
        let Some((tag, age)) = newest.filter(|_| reported.insert(resolved.label())) else {
            continue;
        };
        let label = resolved.label();
        let problem = age.too_young(&tag);
        let message = format!("{label} stays at {chosen}: {tag} is too young");
        let help = "a policy requires a minimum release age; `agpm policy show` names it";
        let diagnostic = Diagnostic::new(&codes::POLICY_RELEASE_AGE, message)
            .detail(problem)
            .help(help);
        notes.diagnostics.push(diagnostic.in_unit(label));
    }
}

/// Tags that moved since they were locked. The locked commits stay, unless a pin was released.
fn moved_tags(index: &SourceIndex, solution: &Solution<Unit, Requirement>, notes: &mut Notes) {
    let mut reported = BTreeSet::new();
    for unit in solution.units.keys() {
        let (Some(pin), ResourceOrigin::Source(source)) = (index.pins.get(unit), &unit.origin)
        else {
            continue;
        };
        let Some(refs) = index.versions(source) else {
            continue;
        };
        if reported.insert((source, &pin.version.label)) {
            let mut moved = moved_tag(
                source,
                refs,
                &pin.version.label,
                pin.version.commit.as_ref(),
            );
            if let Some(found) = moved.as_mut().filter(|_| pin.state == PinState::Released) {
                found.help =
                    Some("the new commit is locked now; compare it before you commit".to_owned());
            }
            notes.diagnostics.extend(moved);
        }
    }
}

/// One note for each source whose URL differs from the locked one.
pub fn report_relocated(pins: &BTreeMap<Unit, SolverPin>, notes: &mut Notes) {
    let relocated = pins
        .iter()
        .filter(|(_, pin)| pin.state == PinState::Relocated);
    let sources: BTreeSet<&SourceName> = relocated
        .filter_map(|(unit, _)| unit.origin.source())
        .collect();
    notes
        .diagnostics
        .extend(sources.into_iter().map(source_relocated));
}

/// The note about a source whose URL differs from the locked one.
pub fn source_relocated(source: &SourceName) -> Diagnostic {
    let message = format!("the URL of source `{source}` changed; its pins were resolved again");
    let help = "compare `agpm.lock` before you commit it";
    Diagnostic::new(&codes::LOCK_SOURCE_URL, message).help(help)
}

/// One note for each source without the default branch of dependencies.
fn report_default_branches(
    manifest: &Manifest,
    index: &SourceIndex,
    solution: &Solution<Unit, Requirement>,
    notes: &mut Notes,
) {
    let mut reported = BTreeSet::new();
    for dependency in manifest
        .dependencies
        .iter()
        .filter(|one| one.requirement.as_str() == DEFAULT_VERSION)
    {
        let Some(source) = dependency.unit.origin.source() else {
            continue;
        };
        let chosen = solution.units.get(&dependency.unit);
        let Some(label) =
            chosen.map(|choice| index.version(&dependency.unit, choice.candidate).label)
        else {
            continue;
        };
        let default_branch = index
            .versions(source)
            .and_then(|refs| refs.default_branch.as_deref());
        if default_branch == Some(label.as_str())
            && label.as_str() != DEFAULT_VERSION
            && reported.insert(source)
        {
            let message =
                format!("source `{source}` has no branch `{DEFAULT_VERSION}`; agpm uses `{label}`");
            let diagnostic = Diagnostic::new(&codes::PACKAGE_DEFAULT_BRANCH, message);
            let help = format!("write `branch = \"{label}\"`, or require a version");
            notes
                .diagnostics
                .push(diagnostic.at_spot(dependency.spot).help(help));
        }
    }
}

/// Combines the notes about files whose `dependencies` belong to another program: a source may have hundreds.
pub fn fold_foreign_dependencies(notes: &mut Notes) {
    let is_foreign = |found: &Diagnostic| *found.code == codes::RESOURCE_FOREIGN_DEPENDENCIES;
    let count = notes
        .diagnostics
        .iter()
        .filter(|found| is_foreign(found))
        .count();
    let first = notes.diagnostics.iter().position(is_foreign);
    let mut at = 0;
    notes.diagnostics.retain_mut(|found| {
        at += 1;
        let stays = !is_foreign(found) || first == Some(at - 1);
        if is_foreign(found) && stays && count > 1 {
            found.message = format!(
                "{count} files have `dependencies` without a resource type; they are ignored"
            );
        }
        stays
    });
}

/// Reports the moved tags of everything that a lockfile has of a source.
pub fn report_moved_tags(
    lock: &Lockfile,
    source: &SourceName,
    refs: &SourceVersions,
    notes: &mut Notes,
) {
    // One tag may be locked at two commits, if it moved between two runs.
    let tags: BTreeSet<(&VersionLabel, &Revision)> = lock
        .pins()
        .filter(|one| one.pin.source.name() == Some(source))
        .map(|one| (&one.pin.version, &one.pin.commit))
        .collect();
    let moved = tags
        .into_iter()
        .filter_map(|(label, commit)| moved_tag(source, refs, label, Some(commit)));
    notes.diagnostics.extend(moved);
}

/// A warning if a tag moved since it was locked.
pub fn moved_tag(
    source: &SourceName,
    refs: &SourceVersions,
    label: &VersionLabel,
    locked: Option<&Revision>,
) -> Option<Diagnostic> {
    let now = refs
        .tags
        .get_answered(label.as_str())
        .filter(|now| locked != Some(*now))?;
    let message = format!(
        "tag {label} of {source} moved: {} -> {}",
        locked.map(Revision::short).unwrap_or_default(),
        now.short()
    );
    let help = "agpm uses the locked commit; run `agpm update` to use the new one";
    Some(Diagnostic::new(&codes::LOCK_MOVED_TAG, message).help(help))
}

/// Reports versions required of a directory without versions.
fn report_ignored_versions(manifest: &Manifest, index: &SourceIndex, notes: &mut Notes) {
    for dependency in &manifest.dependencies {
        let Unit {
            origin: ResourceOrigin::Source(name),
            ..
        } = &dependency.unit
        else {
            continue;
        };
        if index.is_plain(name) && dependency.requirement.as_str() != DEFAULT_VERSION {
            let message = format!(
                "source `{name}` has no versions, so `{}` has no effect",
                dependency.requirement
            );
            notes.diagnostics.push(
                Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message)
                    .at_spot(dependency.spot)
                    .help("remove the version, or turn the directory into a git repository"),
            );
        }
    }
}

fn report_passed_over(
    index: &SourceIndex,
    solution: &Solution<Unit, Requirement>,
    notes: &mut Notes,
) {
    for (unit, better) in &solution.passed_over {
        let Some(best) = better.first() else { continue };
        let Some(chosen) = solution.units.get(unit) else {
            continue;
        };
        let used = index.version(unit, chosen.candidate).label;
        let dropped = index.version(unit, *best).label;
        let warning = passed_over(unit, dropped.as_str(), used.as_str());
        notes.diagnostics.push(warning);
    }
}

/// A warning that the newest matching version lacks a resource.
pub fn passed_over(unit: &Unit, dropped: &str, used: &str) -> Diagnostic {
    let message = format!("`{unit}` is not in {dropped}, so {used} is used");
    let help = "check whether it was renamed or removed, or require the older version";
    Diagnostic::new(&codes::PACKAGE_PASSED_OVER, message).help(help)
}
