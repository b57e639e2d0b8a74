//! Reports fields that a tool's format cannot express, and never widens permissions silently.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, EntryRemedy, Failure, FailureKind, Notes, Remedy, Severity, codes};
use agpm_model::{Dependency, Manifest, PartNames, ResourceId, ResourceType, ToolName, Unit};
use agpm_render::{FieldOutcome, FieldOutcomeKind};
use agpm_resolve::ResolvedEntry;

use crate::folding::{counted, joined, listed};
use crate::rendered::RenderedResource;

/// The losses that conversions may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossPolicy {
    /// None: every loss is an error.
    Strict,
    /// None that would permit more than the author wrote.
    RefuseWidening,
    /// The same, for a preview.
    ShowWidening,
}

/// A conversion that permits more than the author wrote, and that the manifest does not allow.
#[derive(Clone, Debug)]
pub struct Widening<'a> {
    /// The entry of the lockfile: the resource, or the plugin that it is a part of.
    pub locked: ResourceId,
    /// Everything whose approval covers it: the resource, its plugin, and the manifest entries that require it.
    pub ids: BTreeSet<ResourceId>,
    /// The tool that it is converted for.
    pub tool: &'a ToolName,
    number: usize,
}

/// All conversions that permit more than the author wrote, except those that the manifest allows.
pub fn widenings<'a>(
    manifest: &'a Manifest,
    resources: &'a [RenderedResource],
) -> Vec<Widening<'a>> {
    let lines = ManifestLines {
        manifest,
        resources,
        parents: parents_of(resources),
    };
    let mut allowed: BTreeMap<&ToolName, BTreeSet<usize>> = BTreeMap::new();
    let mut found = Vec::new();
    for (number, RenderedResource { resolved, output }) in resources.iter().enumerate() {
        let tool = &resolved.entry.tool;
        if !output.outcomes.iter().any(|outcome| is_widened(&outcome))
            || manifest.allow_widening.contains(tool)
        {
            continue;
        }
        let allowed = allowed
            .entry(tool)
            .or_insert_with(|| allowed_in(tool, manifest, resources));
        if allowed.contains(&number) {
            continue;
        }
        let locked = resolved.part_of.first().cloned();
        let roots = lines.roots_of(&BTreeSet::from([number])).into_iter();
        let roots = roots.filter_map(|root| Some(manifest.dependencies.get(root)?.id()));
        let ids = roots.chain([resolved.id()]).chain(locked.clone());
        found.push(Widening {
            ids: ids.collect(),
            locked: locked.unwrap_or_else(|| resolved.id()),
            tool,
            number,
        });
    }
    found
}

/// Refuses conversions that permit more than the author wrote, unless the manifest or an approval allows it; in strict
/// mode every loss is an error.
pub fn check_fidelity(
    manifest: &Manifest,
    resources: &[RenderedResource],
    losses: LossPolicy,
    is_accepted: &dyn Fn(&Widening<'_>) -> bool,
    notes: &mut Notes,
) -> Result<(), Failure> {
    if losses == LossPolicy::Strict {
        for RenderedResource { resolved, output } in resources {
            let lost = output
                .outcomes
                .iter()
                .filter(|outcome| outcome.kind != FieldOutcomeKind::Exact);
            notes
                .diagnostics
                .extend(lost.map(|outcome| loss(resolved, outcome)));
        }
        return notes.check();
    }
    let refused = refusals(manifest, resources, is_accepted);
    if refused.is_empty() {
        return Ok(());
    }
    let is_preview = losses == LossPolicy::ShowWidening;
    for mut diagnostic in refused {
        // A preview shows the whole plan, with the refusals.
        if is_preview {
            diagnostic.severity = Severity::Warning;
        }
        notes.diagnostics.push(diagnostic);
    }
    if is_preview {
        Ok(())
    } else {
        Err(Failure::reported_as(FailureKind::Refused))
    }
}

fn loss(resolved: &ResolvedEntry, outcome: &FieldOutcome) -> Diagnostic {
    let (name, tool) = (resolved.label(), &resolved.entry.tool);
    let message = format!(
        "{name} for {tool}: `{}` is {}: {}",
        outcome.field,
        outcome.kind.word(),
        outcome.note
    );
    let help = "use a tool that supports it, change the resource, or remove `--strict-fidelity`";
    Diagnostic::new(&codes::TOOL_FIDELITY, message).help(help)
}

/// A conversion that would permit more: the tools, and the fields that they cannot express.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct WidenedConversion<'a> {
    tools: BTreeSet<&'a ToolName>,
    /// `TYPE.FIELD`, without the name of a server or an event.
    fields: BTreeSet<&'a str>,
    notes: BTreeSet<&'a str>,
}

/// The resource that is converted for several tools.
type WidenedId<'a> = (ResourceType, &'a str, &'a Unit);

/// One diagnostic for resources that widen alike, whatever the number of tools and fields.
fn refusals(
    manifest: &Manifest,
    resources: &[RenderedResource],
    is_accepted: &dyn Fn(&Widening<'_>) -> bool,
) -> Vec<Diagnostic> {
    let mut by_resource: BTreeMap<WidenedId<'_>, (BTreeSet<usize>, WidenedConversion<'_>)> =
        BTreeMap::new();
    for Widening { number, .. } in widenings(manifest, resources)
        .into_iter()
        .filter(|one| !is_accepted(one))
    {
        let RenderedResource { resolved, output } = &resources[number];
        let entry = &resolved.entry;
        let id = (entry.kind, entry.name.as_str(), &entry.unit);
        let (numbers, widening) = by_resource.entry(id).or_default();
        numbers.insert(number);
        widening.tools.insert(&entry.tool);
        for outcome in output.outcomes.iter().filter(is_widened) {
            let field = outcome.field.rsplit('.').next().unwrap_or(&outcome.field);
            widening.fields.insert(field);
            widening.notes.insert(&outcome.note);
        }
    }
    let mut alike: BTreeMap<WidenedConversion<'_>, BTreeSet<usize>> = BTreeMap::new();
    for (numbers, widening) in by_resource.into_values() {
        alike.entry(widening).or_default().extend(numbers);
    }
    let lines = ManifestLines {
        manifest,
        resources,
        parents: parents_of(resources),
    };
    alike
        .iter()
        .map(|(widening, numbers)| lines.refusal(widening, numbers))
        .collect()
}

fn is_widened(outcome: &&FieldOutcome) -> bool {
    outcome.kind == FieldOutcomeKind::Widened
}

/// Entries that may be widened in a tool: those whose manifest entry allows it, and their dependencies.
fn allowed_in(
    tool: &ToolName,
    manifest: &Manifest,
    resources: &[RenderedResource],
) -> BTreeSet<usize> {
    let allows = |number: usize| {
        let dependency = resources[number]
            .resolved
            .entry
            .root
            .and_then(|root| manifest.dependencies.get(root));
        dependency.is_some_and(|dependency| dependency.allow_widening.contains(tool))
    };
    let mut open: Vec<usize> = (0..resources.len())
        .filter(|number| allows(*number))
        .collect();
    let mut found: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(number) = open.pop() {
        open.extend(
            resources[number]
                .resolved
                .entry
                .needs
                .iter()
                .filter(|need| found.insert(**need)),
        );
    }
    found
}

/// The dependents of each entry, by index.
fn parents_of(resources: &[RenderedResource]) -> Vec<Vec<usize>> {
    let mut parents = vec![Vec::new(); resources.len()];
    for (number, RenderedResource { resolved, .. }) in resources.iter().enumerate() {
        resolved
            .entry
            .needs
            .iter()
            .for_each(|need| parents[*need].push(number));
    }
    parents
}

/// The manifest entries of resources.
struct ManifestLines<'a> {
    manifest: &'a Manifest,
    resources: &'a [RenderedResource],
    parents: Vec<Vec<usize>>,
}

impl ManifestLines<'_> {
    fn refusal(&self, widening: &WidenedConversion<'_>, numbers: &BTreeSet<usize>) -> Diagnostic {
        let concerned = self.concerned(numbers);
        let subjects = counted(&concerned);
        let tools: Vec<&str> = widening.tools.iter().map(|tool| tool.as_str()).collect();
        let fields: Vec<&str> = widening.fields.iter().copied().collect();
        let named = joined(&tools);
        let message = match fields.as_slice() {
            ["tools"] => format!("{named} cannot restrict tools: {subjects} would get all of them"),
            fields => format!(
                "{named} cannot keep `{}`: {subjects} would be allowed more",
                fields.join("`, `")
            ),
        };
        let mut diagnostic = Diagnostic::new(&codes::TOOL_WIDENING, message);
        let roots = self.roots_of(numbers);
        let lines: Vec<&Dependency> = roots
            .iter()
            .filter_map(|root| self.manifest.dependencies.get(*root))
            .collect();
        for line in &lines {
            diagnostic = diagnostic.at_spot(line.spot);
        }
        let remedies = numbers
            .iter()
            .flat_map(|number| self.remedies(*number, &tools));
        let remedies: BTreeSet<Remedy> = remedies.collect();
        diagnostic
            .resolved_by(remedies)
            .help(self.help(widening, &concerned, &lines))
    }

    /// The concerned resources, each once for all of its tools.
    fn concerned(&self, numbers: &BTreeSet<usize>) -> Vec<&ResolvedEntry> {
        let mut seen = BTreeSet::new();
        let resolved = numbers
            .iter()
            .map(|number| &self.resources[*number].resolved);
        resolved
            .filter(|resolved| seen.insert((resolved.id(), &resolved.entry.unit)))
            .collect()
    }

    /// The approvals that a resource needs, in the entries that require it.
    fn remedies(&self, number: usize, tools: &[&str]) -> Vec<Remedy> {
        let resolved = &self.resources[number].resolved;
        let id = resolved.id().to_string();
        let part = self.own_part_name(resolved).map(|(_, part)| part);
        let is_wider = |tool: &&ToolName| tools.contains(&tool.as_str());
        let change = |line: &Dependency| {
            let (wider, others): (Vec<&ToolName>, Vec<&ToolName>) = self
                .manifest
                .tools
                .used_by(line)
                .into_iter()
                .partition(is_wider);
            let names = |tools: Vec<&ToolName>| tools.iter().map(ToString::to_string).collect();
            EntryRemedy::AllowWidening {
                id: id.clone(),
                part: part.clone(),
                tools: names(wider),
                others: names(others),
            }
        };
        let roots = self.roots_of(&BTreeSet::from([number]));
        let roots = roots.into_iter();
        let lines = roots.filter_map(|root| self.manifest.dependencies.get(root));
        lines
            .map(|line| Remedy {
                entry: line.id().to_string(),
                change: change(line),
            })
            .collect()
    }

    fn help(
        &self,
        widening: &WidenedConversion<'_>,
        concerned: &[&ResolvedEntry],
        lines: &[&Dependency],
    ) -> String {
        let tools: Vec<String> = widening
            .tools
            .iter()
            .map(|tool| format!("\"{tool}\""))
            .collect();
        let allow = format!("`allow-widening = [{}]`", tools.join(", "));
        let names: Vec<String> = lines
            .iter()
            .map(|line| format!("`{}`", line.name))
            .collect();
        // An entry of a base cannot be changed here, and is not named by many other entries.
        let is_base = lines.iter().any(|line| self.is_of_base(line));
        let target = match (is_base, names.as_slice()) {
            (true, _) => "`[project]`".to_owned(),
            (false, [one]) => format!("the entry {one}"),
            (false, several) => format!("the entries {}", several.join(", ")),
        };
        let notes: Vec<&str> = widening.notes.iter().copied().collect();
        let all = if concerned.len() > 1 {
            format!(": {}", listed(concerned))
        } else {
            String::new()
        };
        let help = format!(
            "add {allow} to {target} to accept this ({}{all})",
            notes.join("; ")
        );
        match self.excluded_parts(concerned) {
            Some(parts) => format!("{help}, or set `exclude = [{parts}]`"),
            None => help,
        }
    }

    fn is_of_base(&self, line: &Dependency) -> bool {
        self.manifest.base_entries.contains(&line.id())
    }

    /// The entry of a plugin's part, and the name that the plugin itself uses.
    fn own_part_name(&self, resolved: &ResolvedEntry) -> Option<(&Dependency, String)> {
        let plugin = resolved.part_of.first()?;
        let line = self.manifest.dependencies.get(resolved.entry.root?)?;
        let (kind, name) = (resolved.entry.kind, resolved.entry.name.as_str());
        let plugin_name = match line.parts.names {
            PartNames::Prefixed => name.strip_prefix(&format!("{}-", plugin.name)),
            PartNames::Own => None,
        };
        Some((line, format!("{kind}/{}", plugin_name.unwrap_or(name))))
    }

    /// The value of `exclude` for these entries, if all are parts of plugins in the manifest.
    fn excluded_parts(&self, concerned: &[&ResolvedEntry]) -> Option<String> {
        let mut parts = BTreeSet::new();
        for resolved in concerned {
            let (_, part) = self.own_part_name(resolved)?;
            parts.insert(format!("\"{part}\""));
        }
        Some(parts.into_iter().collect::<Vec<_>>().join(", "))
    }

    /// The manifest entries that require these entries, directly or indirectly.
    fn roots_of(&self, numbers: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut roots = BTreeSet::new();
        let mut open: Vec<usize> = numbers.iter().copied().collect();
        let mut visited = numbers.clone();
        while let Some(number) = open.pop() {
            match self.resources[number].resolved.entry.root {
                Some(root) => drop(roots.insert(root)),
                None => open.extend(
                    self.parents[number]
                        .iter()
                        .filter(|parent| visited.insert(**parent)),
                ),
            }
        }
        roots
    }
}
