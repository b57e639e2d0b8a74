//! Turns a solution into installable entries with their resolved versions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::solve::{ChosenCandidate, RootRequirement, Solution};
use crate::{
    EntryError, EntryGraph, ResourceEntry, TargetClash, TargetRequest, clashes, entries, target,
};
use agpm_diag::{Diagnostic, EntryRemedy, Failure, FailureKind, Notes, Remedy, codes};
use agpm_model::{
    DeclaredDependency, Dependency, Destination, InstallMode, InstructionForm, Manifest,
    RESOURCE_TYPES, Requirement, ResourceId, ResourceType, SourceName, TargetLayout, ToolName,
    Unit, Variant,
};

use crate::index::{
    DeclaredNeeds, FoundContent, ResourceFiles, SolverPin, SourceIndex, SourceVersion,
};

/// An entry with its resolved version and content.
#[derive(Debug)]
pub struct ResolvedEntry {
    /// The installed resource, and its path.
    pub entry: ResourceEntry,
    /// The chosen version.
    pub version: SourceVersion,
    /// All requirements on its version, sorted. Not a set: one of a single requirement takes a kilobyte, for each of
    /// thousands of resources.
    pub requirements: Vec<Requirement>,
    /// Whether it was found by a pattern.
    pub matched_pattern: bool,
    /// Its files in the source.
    pub resource: Arc<ResourceFiles>,
    /// The declarations of the resolved entry.
    pub needs: Arc<DeclaredNeeds>,
    /// Its path on this machine, unless it is from a repository.
    pub file: Option<PathBuf>,
    /// The plugins that it is a part of: several may have it in common.
    pub part_of: Vec<ResourceId>,
}

impl ResolvedEntry {
    /// `TYPE/NAME`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.entry.kind, self.entry.name)
    }

    /// The identity of the resolved entry.
    pub fn id(&self) -> ResourceId {
        ResourceId {
            kind: self.entry.kind,
            name: self.entry.name.clone(),
        }
    }
}

/// The manifest's requirements, for the solver.
pub fn roots(manifest: &Manifest) -> Vec<RootRequirement<Unit, Requirement>> {
    let root = |dependency: &Dependency| RootRequirement {
        unit: dependency.unit.clone(),
        requirement: dependency.requirement.clone(),
    };
    manifest.dependencies.iter().map(root).collect()
}

/// The requirement that a pin stays at its commit.
fn held_at(pin: &SolverPin) -> Option<Requirement> {
    let commit = pin.version.commit.as_ref()?;
    Some(Requirement::Rev(commit.as_str().to_owned()))
}

/// The roots for pins that the solver must keep, whatever else is required. They follow those of the manifest.
pub fn held_roots(held: &BTreeMap<Unit, SolverPin>) -> Vec<RootRequirement<Unit, Requirement>> {
    let roots = held.iter().filter_map(|(unit, pin)| {
        Some(RootRequirement {
            unit: unit.clone(),
            requirement: held_at(pin)?,
        })
    });
    roots.collect()
}

/// Removes the requirements of pins that were kept: nothing requires those versions.
pub fn forget_held_roots(entries: &mut [ResolvedEntry], held: &BTreeMap<Unit, SolverPin>) {
    for resolved in entries {
        let requirement = held.get(&resolved.entry.unit).and_then(held_at);
        if let Some(requirement) = requirement {
            resolved.requirements.retain(|one| *one != requirement);
        }
    }
}

/// The manifest's dependency of a root of the solver; `None` for a pin that is kept.
pub(crate) fn dependency_of(manifest: &Manifest, root: usize) -> Option<&Dependency> {
    manifest.dependencies.get(root)
}

/// The chosen version of a unit, and its content.
struct ChosenUnit<'a> {
    index: &'a SourceIndex,
    solution: &'a Solution<Unit, Requirement>,
}

impl<'a> ChosenUnit<'a> {
    fn choice(&self, unit: &Unit) -> Option<&'a ChosenCandidate<Unit, Requirement>> {
        self.solution.units.get(unit)
    }

    fn version(&self, unit: &Unit) -> Option<SourceVersion> {
        self.choice(unit)
            .map(|choice| self.index.version(unit, choice.candidate))
    }

    fn found(&self, unit: &Unit) -> Option<&'a FoundContent> {
        self.index.found(unit, self.version(unit)?.commit.as_ref())
    }

    fn matches(&self, unit: &Unit) -> Vec<&'a Unit> {
        match self.found(unit) {
            Some(FoundContent::Matches(matches)) => {
                matches.iter().map(|child| &child.unit).collect()
            }
            _ => Vec::new(),
        }
    }

    fn children(
        &self,
        unit: &Unit,
        variant: Variant,
    ) -> Vec<(&'a DeclaredDependency, Vec<&'a Unit>)> {
        let Some(FoundContent::Resource(_, needs)) = self.found(unit) else {
            return Vec::new();
        };
        let child = |(declared, unit): &'a (DeclaredDependency, Unit)| {
            if unit.path.is_pattern() {
                (declared, self.matches(unit))
            } else {
                (declared, vec![unit])
            }
        };
        needs.under(variant).iter().map(child).collect()
    }
}

/// Resolved entries, and those with the same target.
pub struct ResolvedEntries {
    /// The entries, in the order of the manifest.
    pub entries: Vec<ResolvedEntry>,
    /// Clashes of files. They are reported after rendering, together with clashes of servers.
    pub clashes: Vec<Diagnostic>,
}

impl From<Vec<ResolvedEntry>> for ResolvedEntries {
    /// Entries of a lockfile, which was written without clashes.
    fn from(entries: Vec<ResolvedEntry>) -> Self {
        ResolvedEntries {
            entries,
            clashes: Vec::new(),
        }
    }
}

/// The entries of a solution; `file_of` returns the path of a local unit.
pub fn resolved_entries(
    manifest: &Manifest,
    index: &SourceIndex,
    solution: &Solution<Unit, Requirement>,
    file_of: &dyn Fn(&Unit) -> Option<PathBuf>,
    notes: &mut Notes,
) -> Result<ResolvedEntries, Failure> {
    let chosen = ChosenUnit { index, solution };
    let graph = EntryGraph {
        dependencies: &manifest.dependencies,
        tools: &manifest.tools,
        children: &|unit, variant| chosen.children(unit, variant),
        matches: &|unit| chosen.matches(unit),
    };
    let entries =
        entries(&graph).map_err(|errors| report_entry_errors(manifest, &errors, notes))?;
    report_unable_defaults(manifest, notes);
    let clashes = target_clashes(manifest, &entries);
    let patterns = solution
        .units
        .iter()
        .filter(|(unit, _)| unit.path.is_pattern());
    let matched: BTreeSet<&Unit> = patterns
        .flat_map(|(_, pattern)| &pattern.children)
        .collect();
    let resolved = |entry: ResourceEntry| {
        let choice = chosen.choice(&entry.unit)?;
        let Some(FoundContent::Resource(resource, needs)) = chosen.found(&entry.unit) else {
            return None;
        };
        let version = chosen.version(&entry.unit)?;
        let matched_pattern = matched.contains(&entry.unit);
        let requirements = choice.requirements.iter().cloned().collect();
        let (resource, needs) = (Arc::clone(resource), Arc::clone(needs));
        let file = file_of(&entry.unit);
        Some(ResolvedEntry {
            version,
            requirements,
            matched_pattern,
            resource,
            needs,
            file,
            part_of: Vec::new(),
            entry,
        })
    };
    Ok(ResolvedEntries {
        entries: entries.into_iter().filter_map(resolved).collect(),
        clashes,
    })
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
                    "`{parent}` requires tool `{tool}`, which does not support {}",
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
                        "tools that support it: {}; or define it under `[tools.{tool}]`",
                        able.join(", ")
                    ))
            }
            EntryError::Target { unit, error } => {
                kind = FailureKind::Refused;
                let message = format!("`{unit}` cannot be installed: {error}");
                Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
                    .help("set a `filename` or a `target`")
            }
        };
        notes.diagnostics.push(diagnostic);
    }
    Failure::reported_as(kind)
}

/// Whether an entry is a separate file or directory on disk.
pub(crate) fn is_written_as_file(manifest: &Manifest, entry: &ResourceEntry) -> bool {
    let tool = manifest.tools.named(entry.tool.as_str());
    let destination = tool.and_then(|tool| tool.destination(entry.kind));
    let dependency = entry.root.and_then(|root| manifest.dependencies.get(root));
    let is_block = dependency.is_some_and(|one| one.form == InstructionForm::Block);
    entry.install != InstallMode::ResolveOnly
        && !is_block
        && matches!(destination, Some(Destination::Files(..)))
}

/// Default tools that do not support some dependencies, one note for each type.
fn report_unable_defaults(manifest: &Manifest, notes: &mut Notes) {
    for kind in RESOURCE_TYPES {
        let unable = manifest.tools.unable_defaults(kind);
        let uses_defaults = |one: &Dependency| one.kind == kind && one.tools.is_empty();
        if unable.is_empty() || !manifest.dependencies.iter().any(uses_defaults) {
            continue;
        }
        let names = |tools: &[ToolName]| {
            let names: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
            names.join(", ")
        };
        let (used, unable) = (names(manifest.tools.defaults_for(kind)), names(unable));
        let message = format!("{unable} cannot use {kind}; agpm installs them for {used}");
        notes
            .diagnostics
            .push(Diagnostic::new(&codes::TOOL_UNSUPPORTED, message));
    }
}

/// All entries with the same target.
fn target_clashes(manifest: &Manifest, entries: &[ResourceEntry]) -> Vec<Diagnostic> {
    let files = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| is_written_as_file(manifest, entry));
    let files = files.filter_map(|(number, entry)| Some((number, entry.target.as_ref()?)));
    // One file with two sets of variables may render to the same bytes, which is known later.
    let twins = |clash: &TargetClash| {
        let (first, second) = (&entries[clash.first], &entries[clash.second]);
        (first.kind, &first.unit, &first.target) == (second.kind, &second.unit, &second.target)
            && first.variants != second.variants
            && (first.root.is_none() || second.root.is_none())
    };
    // Two tools may read one file; whether they need the same bytes is known after rendering.
    let copies = |clash: &TargetClash| {
        let (first, second) = (&entries[clash.first], &entries[clash.second]);
        (first.kind, &first.name, &first.target) == (second.kind, &second.name, &second.target)
    };
    let found: Vec<TargetClash> = clashes(files)
        .into_iter()
        .filter(|clash| !twins(clash) && !copies(clash))
        .collect();
    let report = |clash: &TargetClash| {
        let (first, second) = (&entries[clash.first], &entries[clash.second]);
        let name =
            |entry: &ResourceEntry| format!("{}/{} ({})", entry.kind, entry.name, entry.unit);
        let message = format!("two resources would be installed at `{}`", clash.path);
        let mut diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
            .details([name(first), name(second)]);
        diagnostic.help = Some(way_out(manifest, entries, first, second));
        // The later line of the manifest is the one that was added to it.
        let later = if first.root > second.root {
            first
        } else {
            second
        };
        diagnostic
            .remedies
            .extend(other_name(manifest, entries, later));
        let roots: BTreeSet<usize> = [second.root, first.root].into_iter().flatten().collect();
        for root in roots
            .into_iter()
            .filter_map(|number| manifest.dependencies.get(number))
        {
            diagnostic = diagnostic.at_spot(root.spot);
        }
        diagnostic
    };
    found.iter().map(report).collect()
}

/// Another name for an entry of the manifest, under which it does not clash.
fn other_name(
    manifest: &Manifest,
    entries: &[ResourceEntry],
    entry: &ResourceEntry,
) -> Option<Remedy> {
    let line = manifest.dependencies.get(entry.root?)?;
    let source = line
        .unit
        .origin
        .source()
        .map_or("other", SourceName::as_str);
    let own = free_name(entry, entries).filter(|name| *name == entry.name.as_str());
    let name = own.unwrap_or_else(|| format!("{source}-{}", entry.name));
    Some(Remedy {
        entry: line.id().to_string(),
        change: EntryRemedy::Rename { name },
    })
}

/// A change of the manifest that resolves a clash.
fn way_out(
    manifest: &Manifest,
    entries: &[ResourceEntry],
    first: &ResourceEntry,
    second: &ResourceEntry,
) -> String {
    let root_of = |entry: &ResourceEntry| {
        entry
            .root
            .and_then(|number| manifest.dependencies.get(number))
    };
    let is_alone =
        |entry: &&ResourceEntry| root_of(entry).is_some_and(|root| !root.unit.path.is_pattern());
    if let Some(entry) = [second, first].into_iter().find(is_alone) {
        let id = format!("{}/{}", entry.kind, entry.name);
        return match free_name(entry, entries) {
            Some(name) => format!("add `filename = \"{name}\"` to {id}, or set a `target`"),
            None => format!("set another `filename` or `target` for {id}"),
        };
    }
    let Some((entry, root)) = [second, first]
        .into_iter()
        .find_map(|one| Some((one, root_of(one)?)))
    else {
        return format!(
            "add {}/{} to the manifest with another `filename` or `target`",
            second.kind, second.name
        );
    };
    let exclude = format!(
        "leave it out with `exclude = [\"{}\"]` on {}/{}",
        exclusion_name(entry, entries),
        root.kind,
        root.name
    );
    if first.root == second.root && differ_in_directories(manifest, root, first, second) {
        format!("{exclude}, or keep the directories with `flatten = false` there")
    } else {
        exclude
    }
}

/// The shortest name that excludes a match of a pattern. Its own is long where another pattern has the same match.
fn exclusion_name<'e>(entry: &'e ResourceEntry, entries: &[ResourceEntry]) -> &'e str {
    let stem = entry.unit.path.stem();
    let mut others = entries.iter().filter(|other| other.root == entry.root);
    let is_taken = others.any(|other| other.unit != entry.unit && other.unit.path.stem() == stem);
    if is_taken || entry.kind == ResourceType::Instructions {
        entry.name.as_str()
    } else {
        stem
    }
}

/// A free file name without an extension, to which every tool adds its own.
fn free_name(entry: &ResourceEntry, entries: &[ResourceEntry]) -> Option<String> {
    let target = entry.target.as_ref()?;
    let extension = match target.file_name().split_once('.') {
        Some((_, extension)) => format!(".{extension}"),
        None => String::new(),
    };
    let taken = |path: &str| {
        let mut targets = entries.iter().filter_map(|other| other.target.as_ref());
        targets.any(|other| other.as_str().eq_ignore_ascii_case(path))
    };
    let name = entry.name.as_str();
    let names = [name.to_owned(), format!("{name}-2")];
    names.into_iter().find(|name| {
        let directory = target.as_str().strip_suffix(target.file_name());
        let path = format!("{}{name}{extension}", directory.unwrap_or_default());
        !name.contains(['.', '/']) && !taken(&path)
    })
}

/// Whether two matches of a pattern have different targets if it keeps their directories.
fn differ_in_directories(
    manifest: &Manifest,
    root: &Dependency,
    first: &ResourceEntry,
    second: &ResourceEntry,
) -> bool {
    let target_path = |entry: &ResourceEntry| {
        let request = TargetRequest {
            layout: Some(TargetLayout::Folders),
            ..TargetRequest::of(root, &entry.unit.path, &manifest.tools)
        };
        target(manifest.tools.named(entry.tool.as_str())?, &request)
            .ok()
            .flatten()
    };
    target_path(first) != target_path(second)
}
