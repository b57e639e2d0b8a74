//! Reports fields that a tool's format cannot express, and never widens permissions silently.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes};
use agpm_model::{Dependency, Manifest, PartNames, ToolName};
use agpm_render::{FieldOutcome, FieldOutcomeKind};
use agpm_resolve::ResolvedEntry;

use crate::folding::{counted, listed};
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

/// Refuses conversions that permit more than the author wrote, unless the manifest allows it; in strict mode every loss
/// is an error.
pub fn check_fidelity(
    manifest: &Manifest,
    resources: &[RenderedResource],
    losses: LossPolicy,
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
    let refused = refusals(manifest, resources);
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

/// One cause of refusals: a tool that cannot express a field, and the reason.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RefusalCause<'a> {
    tool: &'a ToolName,
    /// `TYPE.FIELD`, without the name of a server or an event.
    field: &'a str,
    note: &'a str,
}

/// One diagnostic for each cause, with all resources that it concerns.
fn refusals(manifest: &Manifest, resources: &[RenderedResource]) -> Vec<Diagnostic> {
    let mut causes: BTreeMap<RefusalCause<'_>, BTreeSet<usize>> = BTreeMap::new();
    let mut allowed: BTreeMap<&ToolName, BTreeSet<usize>> = BTreeMap::new();
    for (number, RenderedResource { resolved, output }) in resources.iter().enumerate() {
        let tool = &resolved.entry.tool;
        let widened: Vec<&FieldOutcome> = output
            .outcomes
            .iter()
            .filter(|outcome| outcome.kind == FieldOutcomeKind::Widened)
            .collect();
        if widened.is_empty() {
            continue;
        }
        let allowed = allowed
            .entry(tool)
            .or_insert_with(|| allowed_in(tool, manifest, resources));
        if allowed.contains(&number) {
            continue;
        }
        for outcome in widened {
            let field = outcome.field.rsplit('.').next().unwrap_or(&outcome.field);
            causes
                .entry(RefusalCause {
                    tool,
                    field,
                    note: &outcome.note,
                })
                .or_default()
                .insert(number);
        }
    }
    let lines = ManifestLines {
        manifest,
        resources,
        parents: parents_of(resources),
    };
    causes
        .iter()
        .map(|(cause, numbers)| lines.refusal(cause, numbers))
        .collect()
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
    fn refusal(&self, cause: &RefusalCause<'_>, numbers: &BTreeSet<usize>) -> Diagnostic {
        let tool = cause.tool;
        let concerned: Vec<&ResolvedEntry> = numbers
            .iter()
            .map(|number| &self.resources[*number].resolved)
            .collect();
        let subjects = counted(&concerned);
        let message = match cause.field {
            "tools" => format!("{tool} cannot restrict tools: {subjects} would get all of them"),
            field => format!("{tool} cannot keep `{field}`: {subjects} would be allowed more"),
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
        let names: Vec<String> = lines
            .iter()
            .map(|line| format!("`{}`", line.name))
            .collect();
        let entry = if names.len() == 1 {
            "the entry"
        } else {
            "the entries"
        };
        let all = if concerned.len() > 1 {
            format!(": {}", listed(&concerned))
        } else {
            String::new()
        };
        let help = format!(
            "add `allow-widening = [\"{tool}\"]` to {entry} {} to accept this ({}{all})",
            names.join(", "),
            cause.note
        );
        match self.excluded_parts(&concerned) {
            Some(parts) => diagnostic.help(format!("{help}, or set `exclude = [{parts}]`")),
            None => diagnostic.help(help),
        }
    }

    /// The value of `exclude` for these entries, if all are parts of plugins in the manifest.
    fn excluded_parts(&self, concerned: &[&ResolvedEntry]) -> Option<String> {
        let mut parts = BTreeSet::new();
        for resolved in concerned {
            let plugin = resolved.part_of.as_ref()?;
            let line = self.manifest.dependencies.get(resolved.entry.root?)?;
            let (kind, name) = (resolved.entry.kind, resolved.entry.name.as_str());
            // `exclude` takes the names that the plugin itself uses.
            let plugin_name = match line.parts.names {
                PartNames::Prefixed => name.strip_prefix(&format!("{}-", plugin.name)),
                PartNames::Own => None,
            };
            parts.insert(format!("\"{kind}/{}\"", plugin_name.unwrap_or(name)));
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
