//! Notes about hooks that two tools run, for those that a run writes.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Owner, RelativePath, ResourceType, ToolName};
use agpm_plan::PlannedChange;
use agpm_tools::{ForeignHooks, ForeignReading, ToolDefinition, find};

use crate::rendered::RenderedResource;

/// A tool that also runs the hooks of another one.
struct ForeignReader {
    tool: &'static ToolDefinition,
    hooks: ForeignHooks,
}

impl ForeignReader {
    fn of(tool: &ToolName) -> Option<Self> {
        let tool = find(tool.as_str())?;
        Some(ForeignReader {
            tool,
            hooks: tool.foreign_hooks?,
        })
    }
}

/// A note for each tool with hooks that this run writes, and that another tool has too.
pub fn foreign_hook_notes(
    resources: &[RenderedResource],
    changes: &[PlannedChange],
) -> Vec<Diagnostic> {
    let written: BTreeSet<&Owner> = changes.iter().map(|change| &change.owner).collect();
    let is_written = |one: &&RenderedResource| {
        one.resolved.entry.kind == ResourceType::Hooks
            && (one.output.entries.is_some() || !one.output.files.is_empty())
            && written.contains(&Owner::from(one.resolved.id()))
    };
    let hooks: Vec<&RenderedResource> = resources.iter().filter(is_written).collect();
    let mut served: BTreeMap<(&RelativePath, &str), Vec<String>> = BTreeMap::new();
    let mut doubled: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for hook in &hooks {
        let entry = &hook.resolved.entry;
        for reader in &entry.readers {
            let Some(foreign) = ForeignReader::of(reader) else {
                continue;
            };
            if let Some(file) = entry.target.as_ref().filter(|_| *reader != entry.tool) {
                let hooks = served.entry((file, foreign.tool.name)).or_default();
                hooks.push(hook.resolved.label());
            } else if hooks
                .iter()
                .any(|other| is_other_copy(other, hook, &foreign))
            {
                let hooks = doubled.entry(foreign.tool.name).or_default();
                hooks.push(hook.resolved.label());
            }
        }
    }
    let once = served
        .into_iter()
        .filter_map(|((file, tool), hooks)| once(file, tool, hooks));
    let twice = doubled
        .into_iter()
        .filter_map(|(tool, hooks)| twice(tool, hooks));
    once.chain(twice).collect()
}

/// Whether an entry is the same hook for the tool whose files another one reads too.
fn is_other_copy(
    other: &RenderedResource,
    hook: &RenderedResource,
    reader: &ForeignReader,
) -> bool {
    let (other, hook) = (&other.resolved, &hook.resolved);
    other.id() == hook.id() && other.entry.tool.as_str() == reader.hooks.tool
}

fn once(file: &RelativePath, tool: &str, hooks: Vec<String>) -> Option<Diagnostic> {
    let foreign = find(tool)?.foreign_hooks?;
    let message = format!("`{file}` serves {} and {tool}", foreign.tool);
    let found = Diagnostic::new(&codes::TOOL_FOREIGN_HOOKS, message);
    Some(found.details(hooks))
}

fn twice(tool: &str, hooks: Vec<String>) -> Option<Diagnostic> {
    let tool = find(tool)?;
    let foreign = tool.foreign_hooks?;
    let other = find(foreign.tool)?.title;
    let (message, cause) = match foreign.reading {
        ForeignReading::Always => (
            format!("{} runs these hooks twice", tool.title),
            format!("it also runs those of {other}: "),
        ),
        ForeignReading::Setting(setting) => (
            format!("{} may run these hooks twice", tool.title),
            format!("with `{setting}` it also runs those of {other}: turn the setting off, or "),
        ),
    };
    let help = format!("{cause}leave `{}` out of their `tools`", tool.name);
    let found = Diagnostic::new(&codes::TOOL_FOREIGN_HOOKS, message);
    Some(found.details(hooks).help(help))
}
