//! Solve, read what is still needed, solve again; then entries with their bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes};
use agpm_git::Refs;
use agpm_model::{
    DEFAULT_VERSION, Declared, Dependency, Destination, Install, Locked, Lockfile, Manifest, ObjectId,
    Origin, Selector, SourceName, Unit, Variant,
};
use agpm_plan::{Clash, Entry, EntryError, Graph, clashes, entries};
use agpm_solve::{Answer, Choice, Conflict, Effort, Facts, Probe, Root, Solution, Suggestion, probe, solve};

use crate::failure::{Failure, FailureKind, Notes};
use crate::packages::conflict;
use crate::packages::facts::{Found, Known, Need, Needs, Pin, Resource, Version};
use crate::packages::fetch::Fetcher;
use crate::packages::sources::{Opened, Sources};
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
    pins: BTreeMap<Unit, Pin>,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let fetcher = Fetcher::new(world, sources, manifest);
    let mut known = fetcher.known(pins);
    let roots = roots(manifest);
    let solution = loop {
        match solve(&known, &roots) {
            Answer::Solved(solution) => {
                if known.let_go(&solution) == 0 {
                    break solution;
                }
            }
            Answer::Need(needs) => fetcher.fulfil(&needs, &mut known, notes)?,
            // With more versions than the pins to choose from there may be a way.
            Answer::Conflict(conflict) => match unlisted(&known, sources) {
                needs if needs.is_empty() => {
                    let change = suggestion(&fetcher, &mut known, &roots, &conflict);
                    return Err(conflict::report(manifest, &known, sources, &conflict, change, notes));
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
    entries_of(manifest, sources, &known, &solution, notes)
}

/// Sources without versions.
pub(crate) fn plain_sources(sources: &Sources) -> Vec<SourceName> {
    let plain = sources.iter().filter(|(_, opened)| matches!(opened, Opened::Folder(_)));
    plain.map(|(name, _)| name.clone()).collect()
}

fn roots(manifest: &Manifest) -> Vec<Root<Unit, Selector>> {
    let root =
        |dependency: &Dependency| Root { unit: dependency.unit.clone(), wish: dependency.selector.clone() };
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
    if let Some(found) = conflict.suggestions.iter().min_by_key(|found| order(&found.root)) {
        return Some(found.clone());
    }
    // By what they ask for, so that the order of the manifest has no say in the advice.
    let mut involved = conflict.roots.clone();
    involved.sort_by_key(order);
    // All tries together: each may be as hard as the question itself.
    let mut effort = Effort::of_one_answer();
    for root in &involved {
        let mut changed = roots.to_vec();
        let tags: Vec<Selector> =
            known.all(&roots[*root].unit).into_iter().take(MOST_TRIED).map(|(_, wish)| wish).collect();
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
    let git = sources.iter().filter(|(_, opened)| matches!(opened, Opened::Git(_))).map(|(name, _)| name);
    git.filter(|name| !known.is_listed(name)).map(|name| Need::Refs(name.clone())).collect()
}

/// Tags that point elsewhere than when they were locked; the locked commits count.
fn moved_tags(known: &Known, solution: &Solution<Unit, Selector>, notes: &mut Notes) {
    let mut told = BTreeSet::new();
    for unit in solution.units.keys() {
        let (Some(pin), Origin::Source(source)) = (known.pins.get(unit), &unit.origin) else { continue };
        let Some(refs) = known.refs(source) else { continue };
        let commit = pin.version.commit.as_ref();
        if told.insert((source, &pin.version.label)) {
            notes.diagnostics.extend(moved_tag(source, refs, &pin.version.label, commit));
        }
    }
}

/// The same for everything that a lockfile has of a source.
pub(crate) fn report_moved_tags(lock: &Lockfile, source: &SourceName, refs: &Refs, notes: &mut Notes) {
    let of_source = |locked: &&Locked| matches!(&locked.unit.origin, Origin::Source(name) if name == source);
    let locked = lock.entries.iter().filter(of_source);
    let pins = lock.layers.iter().filter_map(|layer| layer.pin.as_ref()).filter(|pin| pin.source == *source);
    let layers = pins.map(|pin| (&pin.version, Some(&pin.commit)));
    let remotes = lock.catalog.iter().filter(|pin| pin.remote().source() == Some(source));
    let remotes = remotes.map(|pin| (&pin.version, Some(&pin.commit)));
    let tags = locked.filter_map(|locked| Some((locked.version.as_ref()?, locked.commit.as_ref())));
    let tags: BTreeMap<&String, Option<&ObjectId>> = tags.chain(layers).chain(remotes).collect();
    let moved = tags.into_iter().filter_map(|(label, commit)| moved_tag(source, refs, label, commit));
    notes.diagnostics.extend(moved);
}

pub(crate) fn moved_tag(
    source: &SourceName,
    refs: &Refs,
    label: &str,
    locked: Option<&ObjectId>,
) -> Option<Diagnostic> {
    let now = refs.tags.get(label).filter(|now| locked != Some(*now))?;
    let message = format!(
        "tag `{label}` of source `{source}` was {} when it was locked and is {} now",
        locked.map(ObjectId::short).unwrap_or_default(),
        now.short()
    );
    let help = "the locked commit is used; `agpm update` takes the new one";
    Some(Diagnostic::new(&codes::LOCK_MOVED_TAG, message).help(help))
}

/// A version that is asked of a folder without versions.
fn report_ignored_versions(manifest: &Manifest, known: &Known, notes: &mut Notes) {
    for dependency in &manifest.dependencies {
        let Unit { origin: Origin::Source(name), .. } = &dependency.unit else { continue };
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
        let chosen = solution.units.get(unit).map(|choice| known.version(unit, choice.candidate).label);
        let message = format!(
            "`{unit}` is not in {}, so {} is used",
            known.version(unit, *best).label,
            chosen.unwrap_or_default()
        );
        let help = "see whether it was renamed or dropped, or ask for the older version";
        notes.diagnostics.push(Diagnostic::new(&codes::PACKAGE_PASSED_OVER, message).help(help));
    }
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
        self.choice(unit).map(|choice| self.known.version(unit, choice.candidate))
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
        let Some(Found::Resource(_, needs)) = self.found(unit) else { return Vec::new() };
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
    report_clashes(manifest, &made)?;
    let patterns = solution.units.iter().filter(|(unit, _)| unit.path.is_pattern());
    let matched: BTreeSet<&Unit> = patterns.flat_map(|(_, pattern)| &pattern.children).collect();
    let resolved = |entry: Entry| {
        let choice = chosen.choice(&entry.unit)?;
        let Some(Found::Resource(resource, needs)) = chosen.found(&entry.unit) else { return None };
        let version = chosen.version(&entry.unit)?;
        let matched_pattern = matched.contains(&entry.unit);
        let wishes = choice.wishes.clone();
        let (resource, needs) = (Arc::clone(resource), Arc::clone(needs));
        let file = sources.file_of(&entry.unit);
        Some(ResolvedEntry { version, wishes, matched_pattern, resource, needs, file, entry })
    };
    Ok(made.into_iter().filter_map(resolved).collect())
}

fn report_entry_errors(manifest: &Manifest, errors: &[EntryError], notes: &mut Notes) -> Failure {
    let mut kind = FailureKind::Errors;
    for error in errors {
        let diagnostic = match error {
            EntryError::Tool { parent, declared } => {
                let tool = declared.tool.as_ref().map(ToString::to_string).unwrap_or_default();
                let message = format!(
                    "`{parent}` asks for the tool `{tool}`, which has no place for {}",
                    declared.kind
                );
                let able = manifest.tools.iter().filter(|tool| tool.destination(declared.kind).is_some());
                let able: Vec<&str> = able.map(|tool| tool.name.as_str()).collect();
                Diagnostic::new(&codes::MANIFEST_UNKNOWN_TOOL, message).at_spot(declared.spot).help(format!(
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
    Failure { kind, diagnostic: None }
}

/// Two entries at one place.
fn report_clashes(manifest: &Manifest, made: &[Entry]) -> Result<(), Failure> {
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
    let Some(clash) = clashes(files).into_iter().find(|clash| !twins(clash)) else { return Ok(()) };
    let (first, second) = (&made[clash.first], &made[clash.second]);
    let name = |entry: &Entry| {
        let root = entry.root.and_then(|number| manifest.dependencies.get(number));
        let name = root.map_or(&entry.name, |root| &root.name);
        format!("{}/{name} ({})", entry.kind, entry.unit)
    };
    let message = format!("{} and {} would both be at `{}`", name(first), name(second), clash.path);
    let mut diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
        .help("give one of them another `filename` or `target` in the manifest; `flatten = false` keeps folders apart");
    for entry in [second, first] {
        if let Some(root) = entry.root.and_then(|number| manifest.dependencies.get(number)) {
            diagnostic = diagnostic.at_spot(root.spot);
        }
    }
    Err(diagnostic.into())
}
