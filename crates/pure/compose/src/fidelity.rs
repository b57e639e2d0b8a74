//! Fields that a tool's format cannot express are reported, and never widen permissions silently.

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
    /// Nothing: every loss is an error.
    Strict,
    /// Nothing that would permit more than the author wrote.
    RefuseWidening,
    /// The same, for a plan that is only shown.
    ShowWidening,
}

/// Refuses conversions that permit more than the author wrote, unless the manifest allows it; if everything must be
/// kept, every loss is an error.
pub fn check_fidelity(
    manifest: &Manifest,
    resources: &[RenderedResource],
    losses: LossPolicy,
    notes: &mut Notes,
) -> Result<(), Failure> {
    if losses == LossPolicy::Strict {
        for RenderedResource { resolved, output } in resources {
            let lost = output
                .fates
                .iter()
                .filter(|fate| fate.kind != FieldOutcomeKind::Exact);
            notes
                .diagnostics
                .extend(lost.map(|fate| loss(resolved, fate)));
        }
        return notes.check();
    }
    let refused = refusals(manifest, resources);
    if refused.is_empty() {
        return Ok(());
    }
    let shown = losses == LossPolicy::ShowWidening;
    for mut diagnostic in refused {
        // A plan is shown whole, with what would stop it.
        if shown {
            diagnostic.severity = Severity::Warning;
        }
        notes.diagnostics.push(diagnostic);
    }
    if shown {
        Ok(())
    } else {
        Err(Failure::reported_as(FailureKind::Refused))
    }
}

fn loss(resolved: &ResolvedEntry, fate: &FieldOutcome) -> Diagnostic {
    let (name, tool) = (resolved.label(), &resolved.entry.tool);
    let message = format!(
        "{name} for {tool}: `{}` is {}: {}",
        fate.field,
        fate.kind.word(),
        fate.note
    );
    let help = "use a tool that supports it, change the resource, or remove `--strict-fidelity`";
    Diagnostic::new(&codes::TOOL_FIDELITY, message).help(help)
}

/// One cause of refusals: a tool that cannot keep one field, for one reason.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RefusalCause<'a> {
    tool: &'a ToolName,
    /// `TYPE.FIELD`: a part of a server or an event without the name of the server.
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
            .fates
            .iter()
            .filter(|fate| fate.kind == FieldOutcomeKind::Widened)
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
        for fate in widened {
            let field = fate.field.rsplit('.').next().unwrap_or(&fate.field);
            causes
                .entry(RefusalCause {
                    tool,
                    field,
                    note: &fate.note,
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

/// Entries that may do more in a tool: those whose line of the manifest allows it, and everything that they need.
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

/// Which entries need each entry, by number.
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

/// The lines of the manifest for entries.
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
        let what = counted(&concerned);
        let message = match cause.field {
            "tools" => format!("{tool} cannot restrict tools: {what} would get all of them"),
            field => format!("{tool} cannot keep `{field}`: {what} would be allowed more"),
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

    /// The value of `exclude` that leaves these out, if all are parts of plugins of the manifest.
    fn excluded_parts(&self, concerned: &[&ResolvedEntry]) -> Option<String> {
        let mut parts = BTreeSet::new();
        for resolved in concerned {
            let plugin = resolved.part_of.as_ref()?;
            let line = self.manifest.dependencies.get(resolved.entry.root?)?;
            let (kind, name) = (resolved.entry.kind, resolved.entry.name.as_str());
            // `exclude` takes the names that the plugin itself gives.
            let own = match line.parts.names {
                PartNames::Prefixed => name.strip_prefix(&format!("{}-", plugin.name)),
                PartNames::Own => None,
            };
            parts.insert(format!("\"{kind}/{}\"", own.unwrap_or(name)));
        }
        Some(parts.into_iter().collect::<Vec<_>>().join(", "))
    }

    /// The lines that entries are installed for, directly or through others.
    fn roots_of(&self, numbers: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut roots = BTreeSet::new();
        let mut open: Vec<usize> = numbers.iter().copied().collect();
        let mut seen = numbers.clone();
        while let Some(number) = open.pop() {
            match self.resources[number].resolved.entry.root {
                Some(root) => drop(roots.insert(root)),
                None => open.extend(
                    self.parents[number]
                        .iter()
                        .filter(|parent| seen.insert(**parent)),
                ),
            }
        }
        roots
    }
}
