//! Resolves dependencies: solves, reads missing facts, and solves again until the entries are known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use agpm_diag::{Failure, Notes};
use agpm_model::{Manifest, Requirement, ResourcePattern, Revision, SKILL_FILE, SourceName, Unit};
use agpm_resolve::solve::{
    Conflict, ProbeBudget, ProbeOutcome, RootRequirement, SolverOutcome, SolverOutlook,
    SuggestedChange, UnitFacts, probe, solve,
};
use agpm_resolve::{
    ConflictReporter, FileListing, MissingFact, PathContent, ReleaseLimit, ResolvedEntries,
    SolverPin, SourceIndex, cycle, expand_plugins, fold_foreign_dependencies, forget_held_roots,
    held_roots, marketplace_entries, report_relocated, report_skipped, report_versions,
    resolved_entries, roots, too_hard,
};
use agpm_source::{Source, SourceEntry, SourceEntryKind};

use crate::project::packages::fetch::FactFetcher;
use crate::project::packages::sources::{ProjectSources, is_versioned};
use crate::project::world::World;

/// The maximum number of tags of one dependency that are tried to suggest a way out of a conflict.
const MOST_TRIED: usize = 8;

/// A resolved manifest.
pub(crate) struct Resolution {
    /// The resolved resources.
    pub entries: ResolvedEntries,
    /// The sources of the resources.
    pub sources: ProjectSources,
}

/// Restrictions on the choice of versions, in addition to requirements.
#[derive(Default)]
pub(crate) struct VersionLimits {
    /// The pins of the lockfile that are kept.
    pub pins: BTreeMap<Unit, SolverPin>,
    /// Pins that are kept even if that leaves no solution: what everyone has does not depend on what one user adds.
    pub held: BTreeMap<Unit, SolverPin>,
    /// The minimum age of a release, if a policy sets one.
    pub release: Option<ReleaseLimit>,
    /// Denied resources.
    pub denied: Vec<ResourcePattern>,
}

/// Resolves a manifest, and keeps pins where possible. Sources that only resources require are added to the manifest.
pub(crate) fn resolve(
    world: &World,
    manifest: &mut Manifest,
    root: &Path,
    limits: VersionLimits,
    notes: &mut Notes,
) -> Result<Resolution, Failure> {
    let found = notes.diagnostics.len();
    // Resources can require further sources, which are known only after the resource was read. Each new source starts
    // the resolution again; what was read is in the cache.
    loop {
        let sources = ProjectSources::open_used(world, manifest, root);
        let sources = sources.with_release_limit(limits.release);
        let resolved = solve_and_read(manifest, &sources, &limits, notes);
        let required = match resolved {
            Ok(SolveOutcome::Entries(entries)) => {
                fold_foreign_dependencies(notes);
                return Ok(Resolution { entries, sources });
            }
            Ok(SolveOutcome::Requires(required)) => required,
            Err(failure) => {
                fold_foreign_dependencies(notes);
                return Err(failure);
            }
        };
        // The next round finds the same findings again.
        notes.diagnostics.truncate(found);
        for source in required {
            manifest.required_sources.insert(source.name.clone());
            if manifest.source(&source.name).is_none() {
                manifest.sources.push(source);
            }
        }
    }
}

/// The result of solving with the sources that are open.
enum SolveOutcome {
    Entries(ResolvedEntries),
    /// Resources are in sources that must be opened first.
    Requires(Vec<agpm_model::SourceDeclaration>),
}

fn solve_and_read(
    manifest: &Manifest,
    sources: &ProjectSources,
    limits: &VersionLimits,
    notes: &mut Notes,
) -> Result<SolveOutcome, Failure> {
    let fetcher = FactFetcher::new(sources, manifest);
    report_relocated(&limits.pins, notes);
    let index = fetcher.index(limits.pins.clone());
    let index = index.with_release_limit(sources.release_limit);
    let mut index = index.with_denials(&limits.denied, &manifest.sources);
    let mut roots = roots(manifest);
    roots.extend(held_roots(&limits.held));
    let mut outlook = SolverOutlook::new(&roots);
    let solution = loop {
        let missing = outlook.missing(&index);
        let outcome = if missing.is_empty() {
            solve(&index, &roots)
        } else {
            SolverOutcome::Need(missing)
        };
        match outcome {
            SolverOutcome::Solved(solution) => break solution,
            SolverOutcome::Need(needs) => {
                fetcher.read_missing_facts(&needs, &mut index, notes)?;
                let required = index.take_required_sources();
                if !required.is_empty() {
                    return Ok(SolveOutcome::Requires(required));
                }
            }
            // The pins may be the cause of the conflict. Listing all versions gives the solver alternatives.
            SolverOutcome::Conflict(conflict) => match unlisted(&index, sources) {
                needs if needs.is_empty() => {
                    let movable = manifest.dependencies.len();
                    let change = suggestion(&fetcher, &mut index, &roots, movable, &conflict);
                    let reporter = ConflictReporter {
                        manifest,
                        index: &index,
                        files: sources,
                    };
                    return Err(reporter.report(&conflict, change.as_ref(), notes));
                }
                needs => fetcher.read_missing_facts(&needs, &mut index, notes)?,
            },
            SolverOutcome::Cycle(chain) => return Err(cycle(&chain)),
            SolverOutcome::TooHard(units) => return Err(too_hard(&units)),
        }
    };
    report_versions(manifest, &index, &solution, notes);
    let file_of = |unit: &Unit| sources.file_of(unit);
    let mut resolved = resolved_entries(manifest, &index, &solution, &file_of, notes)?;
    forget_held_roots(&mut resolved.entries, &limits.held);
    report_skipped(&index, &resolved.entries, notes);
    let entries = &mut resolved.entries;
    let expanded = marketplace_entries(manifest, sources, entries)
        .and_then(|marketplaces| expand_plugins(manifest, &marketplaces, entries, notes));
    if let Err(failure) = expanded {
        notes.diagnostics.extend(resolved.clashes);
        return Err(failure);
    }
    Ok(SolveOutcome::Entries(resolved))
}

/// Returns the smallest change that resolves a conflict: one of the `movable` dependencies at another tag. The solver knows only what was
/// read, so the highest tags are read here.
fn suggestion(
    fetcher: &FactFetcher<'_>,
    index: &mut SourceIndex,
    roots: &[RootRequirement<Unit, Requirement>],
    movable: usize,
    conflict: &Conflict<Unit, Requirement>,
) -> Option<SuggestedChange<Requirement>> {
    let order = |root: &usize| (&roots[*root].unit, &roots[*root].requirement);
    if let Some(found) = conflict
        .suggestions
        .iter()
        .filter(|found| found.root < movable)
        .min_by_key(|found| order(&found.root))
    {
        return Some(found.clone());
    }
    // Sorted by requirement, because the suggestion should not depend on the order in the manifest.
    let mut involved = conflict.roots.clone();
    involved.retain(|root| *root < movable);
    involved.sort_by_key(order);
    // The budget is shared by all attempts, because each may be as hard as the resolution itself.
    let mut effort = ProbeBudget::of_one_answer();
    for root in &involved {
        let mut changed = roots.to_vec();
        let tags: Vec<Requirement> = index
            .all(&roots[*root].unit)
            .into_iter()
            .take(MOST_TRIED)
            .map(|(_, requirement)| requirement)
            .collect();
        for requirement in tags {
            changed[*root].requirement = requirement.clone();
            if is_solvable(fetcher, index, &changed, &mut effort) {
                return Some(SuggestedChange {
                    root: *root,
                    requirement,
                });
            }
        }
    }
    None
}

fn is_solvable(
    fetcher: &FactFetcher<'_>,
    index: &mut SourceIndex,
    roots: &[RootRequirement<Unit, Requirement>],
    effort: &mut ProbeBudget,
) -> bool {
    loop {
        match probe(index, roots, effort) {
            ProbeOutcome::Need(needs)
                if fetcher
                    .read_missing_facts(&needs, index, &mut Notes::default())
                    .is_ok() => {}
            outcome => return outcome == ProbeOutcome::Solvable,
        }
    }
}

fn unlisted(index: &SourceIndex, sources: &ProjectSources) -> BTreeSet<MissingFact> {
    let git = sources
        .iter()
        .filter(|(_, source)| is_versioned(*source))
        .map(|(name, _)| name);
    git.filter(|name| !index.is_listed(name))
        .map(|name| MissingFact::Refs(name.clone()))
        .collect()
}

impl FileListing for ProjectSources {
    fn at(&self, source: &SourceName, commit: &Revision, path: &str) -> PathContent {
        let entry = |path: &str| self.get(source)?.entry(Some(commit), path).ok()?;
        let is_directory = |entry: SourceEntry| entry.kind == SourceEntryKind::Directory;
        if !entry(path).is_some_and(is_directory) {
            PathContent::Other
        } else if entry(&format!("{path}/{SKILL_FILE}")).is_some() {
            PathContent::Skill
        } else {
            PathContent::Directory
        }
    }

    fn in_directory(&self, source: &SourceName, commit: &Revision, directory: &str) -> Vec<String> {
        let walk = |source: &dyn Source| source.walk(Some(commit), directory, &|_| false).ok();
        let tree = self.get(source).and_then(walk).unwrap_or_default();
        tree.entries
            .into_iter()
            .filter(|entry| entry.kind != SourceEntryKind::Submodule)
            .map(|entry| entry.path)
            .collect()
    }
}
