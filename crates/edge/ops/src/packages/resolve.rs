//! Solve, read what is still needed, solve again; then entries with their bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes};
use agpm_model::{
    DEFAULT_VERSION, Declared, Dependency, Destination, Install, Layout, Lockfile, Manifest,
    ObjectId, Origin, Selector, SourceName, SourceVersions, Unit, Variant,
};
use agpm_plan::{Clash, Entry, EntryError, Graph, Wanted, clashes, entries, target};
use agpm_solve::{
    Answer, Choice, Conflict, Effort, Facts, Probe, Root, Solution, Suggestion, probe, solve,
};

use crate::packages::conflict;
use crate::packages::facts::{Found, Known, Need, Needs, PinState, Resource, SolverPin, Version};
use crate::packages::fetch::Fetcher;
use crate::packages::sources::{Sources, is_versioned};
use crate::world::World;

/// Tags of one dependency that are tried to find a way out of a conflict.
const MOST_TRIED: usize = 8;

/// An entry with what it was resolved to.
#[derive(Debug)]
pub(crate) struct ResolvedEntry {
    pub(crate) entry: Entry,
    pub(crate) version: Version,
    /// Everything that was asked of its version.
    pub(crate) wishes: BTreeSet<Selector>,
    /// Whether it was found by a pattern.
    pub(crate) matched_pattern: bool,
    pub(crate) resource: Arc<Resource>,
    /// What it declares.
    pub(crate) needs: Arc<Needs>,
    /// Where it is on this machine, if it is no file of a repository.
    pub(crate) file: Option<PathBuf>,
}

impl ResolvedEntry {
    /// `TYPE/NAME`.
    pub(crate) fn label(&self) -> String {
        format!("{}/{}", self.entry.kind, self.entry.name)
    }
}

/// Resolves a manifest; pins stay where they can.
pub(crate) fn resolve(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    pins: BTreeMap<Unit, SolverPin>,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let resolved = solve_and_read(world, manifest, sources, pins, notes);
    fold_foreign_dependencies(notes);
    resolved
}

fn solve_and_read(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    pins: BTreeMap<Unit, SolverPin>,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let fetcher = Fetcher::new(world, sources, manifest);
    report_relocated(&pins, notes);
    let mut known = fetcher.known(pins);
    let roots = roots(manifest);
    let solution = loop {
        match solve(&known, &roots) {
            Answer::Solved(solution) => break solution,
            Answer::Need(needs) => fetcher.fulfil(&needs, &mut known, notes)?,
            // With more versions than the pins to choose from there may be a way.
            Answer::Conflict(conflict) => match unlisted(&known, sources) {
                needs if needs.is_empty() => {
                    let change = suggestion(&fetcher, &mut known, &roots, &conflict);
                    return Err(conflict::report(
                        manifest, &known, sources, &conflict, change, notes,
                    ));
                }
                needs => fetcher.fulfil(&needs, &mut known, notes)?,
            },
            Answer::Cycle(chain) => return Err(conflict::cycle(&chain)),
            Answer::TooHard(units) => return Err(conflict::too_hard(&units)),
        }
    };
    moved_tags(&known, &solution, notes);
    report_ignored_versions(manifest, &known, notes);
    report_passed_over(&known, &solution, notes);
    report_default_branches(manifest, &known, &solution, notes);
    entries_of(manifest, sources, &known, &solution, notes)
}

/// Sources without versions.
pub(crate) fn plain_sources(sources: &Sources) -> Vec<SourceName> {
    let plain = sources.iter().filter(|(_, source)| !is_versioned(*source));
    plain.map(|(name, _)| name.clone()).collect()
}

fn roots(manifest: &Manifest) -> Vec<Root<Unit, Selector>> {
    let root = |dependency: &Dependency| Root {
        unit: dependency.unit.clone(),
        wish: dependency.selector.clone(),
    };
    manifest.dependencies.iter().map(root).collect()
}

/// The manifest's dependency behind a root of the solver.
pub(crate) fn dependency_of(manifest: &Manifest, root: usize) -> Option<&Dependency> {
    manifest.dependencies.get(root)
}

/// The smallest change that helps: one root at another tag. The solver knows only what was read; here the highest tags
/// are read too.
fn suggestion(
    fetcher: &Fetcher<'_>,
    known: &mut Known,
    roots: &[Root<Unit, Selector>],
    conflict: &Conflict<Unit, Selector>,
) -> Option<Suggestion<Selector>> {
    let order = |root: &usize| (&roots[*root].unit, &roots[*root].wish);
    if let Some(found) = conflict
        .suggestions
        .iter()
        .min_by_key(|found| order(&found.root))
    {
        return Some(found.clone());
    }
    // By what they ask for, so that the order of the manifest has no say in the advice.
    let mut involved = conflict.roots.clone();
    involved.sort_by_key(order);
    // All tries together: each may be as hard as the question itself.
    let mut effort = Effort::of_one_answer();
    for root in &involved {
        let mut changed = roots.to_vec();
        let tags: Vec<Selector> = known
            .all(&roots[*root].unit)
            .into_iter()
            .take(MOST_TRIED)
            .map(|(_, wish)| wish)
            .collect();
        for wish in tags {
            changed[*root].wish = wish.clone();
            if is_solvable(fetcher, known, &changed, &mut effort) {
                return Some(Suggestion { root: *root, wish });
            }
        }
    }
    None
}

fn is_solvable(
    fetcher: &Fetcher<'_>,
    known: &mut Known,
    roots: &[Root<Unit, Selector>],
    effort: &mut Effort,
) -> bool {
    loop {
        match probe(known, roots, effort) {
            Probe::Need(needs) if fetcher.fulfil(&needs, known, &mut Notes::default()).is_ok() => {}
            outcome => return outcome == Probe::Solvable,
        }
    }
}

fn unlisted(known: &Known, sources: &Sources) -> BTreeSet<Need> {
    let git = sources
        .iter()
        .filter(|(_, source)| is_versioned(*source))
        .map(|(name, _)| name);
    git.filter(|name| !known.is_listed(name))
        .map(|name| Need::Refs(name.clone()))
        .collect()
}

/// Tags that point elsewhere than when they were locked. The locked commits stay, except where a pin was let go.
fn moved_tags(known: &Known, solution: &Solution<Unit, Selector>, notes: &mut Notes) {
    let mut told = BTreeSet::new();
    for unit in solution.units.keys() {
        let (Some(pin), Origin::Source(source)) = (known.pins.get(unit), &unit.origin) else {
            continue;
        };
        let Some(refs) = known.versions(source) else {
            continue;
        };
        if told.insert((source, &pin.version.label)) {
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

/// One word for each source that has another URL than when it was locked.
fn report_relocated(pins: &BTreeMap<Unit, SolverPin>, notes: &mut Notes) {
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

/// What is said of a source that has another URL than when it was locked.
pub(crate) fn source_relocated(source: &SourceName) -> Diagnostic {
    let message = format!("the URL of source `{source}` changed; its pins were resolved again");
    let help = "compare `agpm.lock` before you commit it";
    Diagnostic::new(&codes::LOCK_SOURCE_URL, message).help(help)
}

/// One word for each source without the branch that is the default of dependencies.
fn report_default_branches(
    manifest: &Manifest,
    known: &Known,
    solution: &Solution<Unit, Selector>,
    notes: &mut Notes,
) {
    let mut told = BTreeSet::new();
    for dependency in manifest
        .dependencies
        .iter()
        .filter(|one| one.selector.as_str() == DEFAULT_VERSION)
    {
        let Some(source) = dependency.unit.origin.source() else {
            continue;
        };
        let chosen = solution.units.get(&dependency.unit);
        let Some(label) =
            chosen.map(|choice| known.version(&dependency.unit, choice.candidate).label)
        else {
            continue;
        };
        let head = known
            .versions(source)
            .and_then(|refs| refs.default_branch.as_deref());
        if head == Some(label.as_str()) && label != DEFAULT_VERSION && told.insert(source) {
            let message = format!(
                "source `{source}` has no branch `{DEFAULT_VERSION}`, so its default branch `{label}` is used"
            );
            let diagnostic = Diagnostic::new(&codes::PACKAGE_DEFAULT_BRANCH, message);
            let help = format!("write `branch = \"{label}\"`, or require a version");
            notes
                .diagnostics
                .push(diagnostic.at_spot(dependency.spot).help(help));
        }
    }
}

/// Makes one note of all files whose `dependencies` are another program's: a source may have hundreds.
pub(crate) fn fold_foreign_dependencies(notes: &mut Notes) {
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

/// The same for everything that a lockfile has of a source.
pub(crate) fn report_moved_tags(
    lock: &Lockfile,
    source: &SourceName,
    refs: &SourceVersions,
    notes: &mut Notes,
) {
    // One tag may be locked at two commits, if it moved between two runs.
    let tags: BTreeSet<(&str, &ObjectId)> = lock
        .pins()
        .filter(|one| one.pin.source.name() == Some(source))
        .map(|one| (one.pin.version.as_str(), &one.pin.commit))
        .collect();
    let moved = tags
        .into_iter()
        .filter_map(|(label, commit)| moved_tag(source, refs, label, Some(commit)));
    notes.diagnostics.extend(moved);
}

pub(crate) fn moved_tag(
    source: &SourceName,
    refs: &SourceVersions,
    label: &str,
    locked: Option<&ObjectId>,
) -> Option<Diagnostic> {
    let now = refs.tags.get(label).filter(|now| locked != Some(*now))?;
    let message = format!(
        "tag {label} of {source} moved: {} -> {}",
        locked.map(ObjectId::short).unwrap_or_default(),
        now.short()
    );
    let help = "the locked commit is used; `agpm update` takes the new one";
    Some(Diagnostic::new(&codes::LOCK_MOVED_TAG, message).help(help))
}

/// A version that is asked of a folder without versions.
fn report_ignored_versions(manifest: &Manifest, known: &Known, notes: &mut Notes) {
    for dependency in &manifest.dependencies {
        let Unit {
            origin: Origin::Source(name),
            ..
        } = &dependency.unit
        else {
            continue;
        };
        if known.is_plain(name) && dependency.selector.as_str() != DEFAULT_VERSION {
            let message = format!(
                "source `{name}` is a folder without versions, so `{}` says nothing",
                dependency.selector
            );
            notes.diagnostics.push(
                Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message)
                    .at_spot(dependency.spot)
                    .help("remove the version, or make the folder a git repository"),
            );
        }
    }
}

fn report_passed_over(known: &Known, solution: &Solution<Unit, Selector>, notes: &mut Notes) {
    for (unit, better) in &solution.passed_over {
        let Some(best) = better.first() else { continue };
        let chosen = solution
            .units
            .get(unit)
            .map(|choice| known.version(unit, choice.candidate).label);
        let dropped = known.version(unit, *best).label;
        notes
            .diagnostics
            .push(passed_over(unit, &dropped, &chosen.unwrap_or_default()));
    }
}

/// A warning that the newest version that fits lacks a resource.
pub(crate) fn passed_over(unit: &Unit, dropped: &str, used: &str) -> Diagnostic {
    let message = format!("`{unit}` is not in {dropped}, so {used} is used");
    let help = "see whether it was renamed or dropped, or ask for the older version";
    Diagnostic::new(&codes::PACKAGE_PASSED_OVER, message).help(help)
}

/// The chosen version of a unit and what is there.
struct Chosen<'a> {
    known: &'a Known,
    solution: &'a Solution<Unit, Selector>,
}

impl<'a> Chosen<'a> {
    fn choice(&self, unit: &Unit) -> Option<&'a Choice<Unit, Selector>> {
        self.solution.units.get(unit)
    }

    fn version(&self, unit: &Unit) -> Option<Version> {
        self.choice(unit)
            .map(|choice| self.known.version(unit, choice.candidate))
    }

    fn found(&self, unit: &Unit) -> Option<&'a Found> {
        self.known.found(unit, self.version(unit)?.commit.as_ref())
    }

    fn matches(&self, unit: &Unit) -> Vec<&'a Unit> {
        match self.found(unit) {
            Some(Found::Matches(matches)) => matches.iter().map(|child| &child.unit).collect(),
            _ => Vec::new(),
        }
    }

    fn children(&self, unit: &Unit, variant: Variant) -> Vec<(&'a Declared, Vec<&'a Unit>)> {
        let Some(Found::Resource(_, needs)) = self.found(unit) else {
            return Vec::new();
        };
        let child = |(declared, unit): &'a (Declared, Unit)| match unit.path.is_pattern() {
            true => (declared, self.matches(unit)),
            false => (declared, vec![unit]),
        };
        needs.under(variant).iter().map(child).collect()
    }
}

fn entries_of(
    manifest: &Manifest,
    sources: &Sources,
    known: &Known,
    solution: &Solution<Unit, Selector>,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let chosen = Chosen { known, solution };
    let graph = Graph {
        dependencies: &manifest.dependencies,
        tools: &manifest.tools,
        children: &|unit, variant| chosen.children(unit, variant),
        matches: &|unit| chosen.matches(unit),
    };
    let made = entries(&graph).map_err(|errors| report_entry_errors(manifest, &errors, notes))?;
    report_clashes(manifest, &made, notes)?;
    let patterns = solution
        .units
        .iter()
        .filter(|(unit, _)| unit.path.is_pattern());
    let matched: BTreeSet<&Unit> = patterns
        .flat_map(|(_, pattern)| &pattern.children)
        .collect();
    let resolved = |entry: Entry| {
        let choice = chosen.choice(&entry.unit)?;
        let Some(Found::Resource(resource, needs)) = chosen.found(&entry.unit) else {
            return None;
        };
        let version = chosen.version(&entry.unit)?;
        let matched_pattern = matched.contains(&entry.unit);
        let wishes = choice.wishes.clone();
        let (resource, needs) = (Arc::clone(resource), Arc::clone(needs));
        let file = sources.file_of(&entry.unit);
        Some(ResolvedEntry {
            version,
            wishes,
            matched_pattern,
            resource,
            needs,
            file,
            entry,
        })
    };
    Ok(made.into_iter().filter_map(resolved).collect())
}

fn report_entry_errors(manifest: &Manifest, errors: &[EntryError], notes: &mut Notes) -> Failure {
    let mut kind = FailureKind::Errors;
    for error in errors {
        let diagnostic = match error {
            EntryError::Tool { parent, declared } => {
                let tool = declared
                    .tool
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                let message = format!(
                    "`{parent}` asks for the tool `{tool}`, which has no place for {}",
                    declared.kind
                );
                let able = manifest
                    .tools
                    .iter()
                    .filter(|tool| tool.destination(declared.kind).is_some());
                let able: Vec<&str> = able.map(|tool| tool.name.as_str()).collect();
                Diagnostic::new(&codes::MANIFEST_UNKNOWN_TOOL, message)
                    .at_spot(declared.spot)
                    .help(format!(
                        "tools that have one: {}; or define it under `[tools.{tool}]`",
                        able.join(", ")
                    ))
            }
            EntryError::Target { unit, error } => {
                kind = FailureKind::Refused;
                let message = format!("`{unit}` cannot be installed: {error}");
                Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
                    .help("give it a `filename` or a `target`")
            }
        };
        notes.diagnostics.push(diagnostic);
    }
    Failure {
        kind,
        diagnostic: None,
    }
}

/// All entries that would be at one place with another.
fn report_clashes(manifest: &Manifest, made: &[Entry], notes: &mut Notes) -> Result<(), Failure> {
    let is_file = |entry: &Entry| {
        let tool = manifest.tools.named(entry.tool.as_str());
        let destination = tool.and_then(|tool| tool.destination(entry.kind));
        entry.install == Install::Write && matches!(destination, Some(Destination::Files(..)))
    };
    let files = made.iter().enumerate().filter(|(_, entry)| is_file(entry));
    let files = files.filter_map(|(number, entry)| Some((number, entry.target.as_ref()?)));
    // One file under two sets of variables may come out the same, which is seen when it is made.
    let twins = |clash: &Clash| {
        let (first, second) = (&made[clash.first], &made[clash.second]);
        (first.kind, &first.unit, &first.target) == (second.kind, &second.unit, &second.target)
            && first.variants != second.variants
            && (first.root.is_none() || second.root.is_none())
    };
    let found: Vec<Clash> = clashes(files)
        .into_iter()
        .filter(|clash| !twins(clash))
        .collect();
    for clash in &found {
        let (first, second) = (&made[clash.first], &made[clash.second]);
        let name = |entry: &Entry| format!("{}/{} ({})", entry.kind, entry.name, entry.unit);
        let message = format!(
            "{} and {} would both be at `{}`",
            name(first),
            name(second),
            clash.path
        );
        let mut diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message);
        diagnostic.help = Some(way_out(manifest, first, second));
        let roots: BTreeSet<usize> = [second.root, first.root].into_iter().flatten().collect();
        for root in roots
            .into_iter()
            .filter_map(|number| manifest.dependencies.get(number))
        {
            diagnostic = diagnostic.at_spot(root.spot);
        }
        notes.diagnostics.push(diagnostic);
    }
    if found.is_empty() {
        Ok(())
    } else {
        Err(Failure::reported())
    }
}

/// A change of the manifest that takes one of two entries out of the way.
fn way_out(manifest: &Manifest, first: &Entry, second: &Entry) -> String {
    let root_of = |entry: &Entry| {
        entry
            .root
            .and_then(|number| manifest.dependencies.get(number))
    };
    let is_alone = |entry: &&Entry| root_of(entry).is_some_and(|root| !root.unit.path.is_pattern());
    if let Some(root) = [second, first].into_iter().find(is_alone).and_then(root_of) {
        return format!(
            "give {}/{} another `filename` or `target`",
            root.kind, root.name
        );
    }
    let Some((entry, root)) = [second, first]
        .into_iter()
        .find_map(|one| Some((one, root_of(one)?)))
    else {
        return format!(
            "add {}/{} to the manifest with a `filename` of its own",
            second.kind, second.name
        );
    };
    let exclude = format!(
        "leave it out with `exclude = [\"{}\"]` on {}/{}",
        entry.name, root.kind, root.name
    );
    match first.root == second.root && differ_in_folders(manifest, root, (first, second)) {
        true => format!("{exclude}, or keep the directories with `flatten = false` there"),
        false => exclude,
    }
}

/// Whether two matches of a pattern have different places if it keeps their directories.
fn differ_in_folders(
    manifest: &Manifest,
    root: &Dependency,
    (first, second): (&Entry, &Entry),
) -> bool {
    let place = |entry: &Entry| {
        let wanted = Wanted {
            layout: Some(Layout::Folders),
            ..Wanted::of(root, &entry.unit.path)
        };
        target(manifest.tools.named(entry.tool.as_str())?, &wanted)
            .ok()
            .flatten()
    };
    place(first) != place(second)
}
