//! The additions to the manifest from another manager's files.

use std::fmt::Write as _;

use agpm_adopt::NewEntry;
use agpm_app::import::{FoundImport, FoundImports, ImportReport};
use agpm_app::project::write_mode::WriteMode;
use agpm_diag::counted;
use agpm_diag::visible;
use agpm_model::ImportAdditions;
use agpm_text::Value;

use crate::diagnostics::printable;
use crate::rendering::{RenderContext, RenderedReport};

/// The additions as text or as a document.
pub fn render(report: ImportReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let manifest = &report.manifest;
    let is_empty =
        report.additions.is_empty() && report.dependencies.is_empty() && report.tools.is_empty();
    let out = match report.writing {
        _ if report.file.as_ref() == Some(manifest) => differences(&report),
        _ if is_empty => format!("Nothing to add: {manifest} is unchanged\n"),
        WriteMode::Apply if report.file.is_some() => dependencies(&report),
        WriteMode::Apply => text(manifest, &report.additions),
        _ => return RenderedReport::Data(report.text),
    };
    let out = context.commands.complete_text(&out);
    RenderedReport::Done(printable(&out) + &lost_settings(&report))
}

/// The files of other managers, each with the command that imports it.
pub fn render_found(report: FoundImports, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let line = |found: &FoundImport| {
        let (path, manager) = (visible(&found.path), found.manager);
        format!("found {path} of {manager}: {}\n", visible(&found.command))
    };
    RenderedReport::Done(report.found.iter().map(line).collect())
}

/// The dependencies that were imported.
fn dependencies(report: &ImportReport) -> String {
    let mut out = String::new();
    for entry in &report.dependencies {
        let _ = writeln!(out, "added {}{}", entry.id, origin(entry));
    }
    if !report.tools.is_empty() {
        let _ = writeln!(out, "tools: {}", report.tools.join(", "));
    }
    let sources = report.additions.sources.len();
    let done = if report.created { "created" } else { "changed" };
    let _ = writeln!(
        out,
        "{} {done}: {}, {} added",
        report.manifest,
        counted(report.dependencies.len(), "dependency", "dependencies"),
        counted(sources, "source", "sources"),
    );
    out.push_str("Next: run `agpm install`\n");
    out
}

fn origin(entry: &NewEntry) -> String {
    let field = |key: &str| entry.value.get(key).and_then(Value::as_str);
    let source = field("source").or_else(|| field("marketplace"));
    let version = ["version", "branch", "rev"].into_iter().find_map(field);
    let source = source.map(|source| format!(" from {source}"));
    let version = version.map(|version| format!(" at {version}"));
    source.unwrap_or_default() + &version.unwrap_or_default()
}

/// The differences between agpm and agpm-cli for this project.
fn differences(report: &ImportReport) -> String {
    let mut out = String::new();
    for change in &report.changes {
        let _ = writeln!(out, "{}: {}", change.path, change.change);
    }
    let _ = writeln!(
        out,
        "{} is used unchanged; no file was changed",
        report.manifest
    );
    out
}

/// The number of skipped entries; each has its own warning.
fn lost_settings(report: &ImportReport) -> String {
    match report.lost.len() {
        0 => String::new(),
        count => format!(
            "{} not imported, see the warnings\n",
            counted(count, "setting or dependency", "settings and dependencies")
        ),
    }
}

fn text(manifest: &str, additions: &ImportAdditions) -> String {
    let ImportAdditions {
        sources,
        layers,
        merge,
    } = additions;
    let mut out: String = layers
        .iter()
        .map(|layer| layer_line(&layer.table))
        .collect();
    out.extend(
        merge
            .iter()
            .map(|(files, value)| format!("merge {files}: {}\n", strategy(value))),
    );
    let counts = [
        (layers.len(), "layer", "layers"),
        (sources.len(), "source", "sources"),
        (merge.len(), "line of [merge]", "lines of [merge]"),
    ];
    let counts = counts.iter().filter(|(count, ..)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, singular, plural)| counted(*count, singular, plural))
        .collect();
    out.push_str(&format!(
        "{manifest} changed: {} added\n",
        counts.join(", ")
    ));
    if layers
        .iter()
        .any(|layer| layer.table.get("branch").is_some())
    {
        out.push_str(
            "check the branches: agent-manager follows the default branch, which need not be `main`\n",
        );
    }
    out.push_str("Next: run `agpm install`\n");
    out
}

fn layer_line(table: &Value) -> String {
    let field = |key: &str| table.get(key).and_then(Value::as_str);
    let origin = match (field("path"), field("source"), field("branch")) {
        (Some(path), ..) => path.to_owned(),
        (_, source, branch) => {
            format!(
                "{}, branch {}",
                source.unwrap_or_default(),
                branch.unwrap_or_default()
            )
        }
    };
    format!("layer {}: {origin}\n", field("name").unwrap_or_default())
}

/// Returns the strategy or separator of a line of `[merge]`.
fn strategy(value: &Value) -> String {
    let separator = value
        .get("separator")
        .and_then(Value::as_str)
        .map(|word| format!("separator {word}"));
    separator
        .or_else(|| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}
