//! What is installed, as a table, YAML or JSON.

use agpm_model::{RelativePath, ToolName};
use agpm_ops::{Clients, Drift, LOCAL, ListReport, ListedResource, MASKED, PatchedField};
use agpm_text::{Value, to_json};
use std::collections::BTreeSet;

use crate::rendering::{RenderContext, RenderedReport, to_yaml};
use crate::table::table;

const HEADER: [&str; 6] = [
    "Name",
    "Type",
    "Version",
    "Source",
    "Installed At",
    "Status",
];
/// Where the tools go if a project has several.
const TOOLS_COLUMN: usize = 4;
/// Types are as wide as `script` and `agents` even where only shorter ones are shown.
const TYPE_WIDTH: usize = 6;

/// How a list is printed, unless it is a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListForm {
    /// As a table.
    Table,
    /// As a YAML document.
    Yaml,
}

/// The resources in the form that was asked for; a document of them holds no diagnostics.
pub fn render(report: &ListReport, form: ListForm, context: &RenderContext<'_>) -> RenderedReport {
    match form {
        _ if context.json => RenderedReport::Data(to_json(report)),
        ListForm::Table => RenderedReport::Text(rows(report)),
        ListForm::Yaml => RenderedReport::Data(to_yaml(report)),
    }
}

fn rows(report: &ListReport) -> String {
    if report.resources.is_empty() {
        return String::new();
    }
    let mut header = HEADER.to_vec();
    let mut rows: Vec<Vec<String>> = report.resources.iter().map(cells).collect();
    if report.clients == Clients::Several {
        header.insert(TOOLS_COLUMN, "Tools");
        for (row, resource) in rows.iter_mut().zip(&report.resources) {
            row.insert(TOOLS_COLUMN, tools(resource));
        }
    }
    let text = table(&header, &rows);
    let (header, lines) = text.split_once('\n').unwrap_or((&text, ""));
    let mut out = format!("{header}\n");
    for (line, resource) in lines.lines().zip(&report.resources) {
        out.extend([line, "\n"]);
        let is_detailed = resource.patched.is_some();
        for part in resource.locked.parts.iter().filter(|_| is_detailed) {
            out.push_str(&format!("  {part}\n"));
        }
        for field in resource.patched.iter().flatten() {
            out.push_str(&format!("  {}\n", patched_line(field)));
        }
    }
    out
}

fn cells(resource: &ListedResource) -> Vec<String> {
    let locked = &resource.locked;
    let identity = &locked.identity;
    let paths = locked.placements.paths();
    let status = match (resource.status, paths.first()) {
        (_, None) => "(not written)",
        (Some(Drift::Missing), _) => "missing",
        (Some(Drift::Modified), _) => "modified",
        (None, _) if !locked.patches.is_empty() => "(patched)",
        (None, _) => "",
    };
    vec![
        identity.name.clone(),
        format!("{:<TYPE_WIDTH$}", identity.kind),
        identity.version.as_deref().unwrap_or("-").to_owned(),
        identity.source.as_deref().unwrap_or(LOCAL).to_owned(),
        installed_at(&paths),
        status.to_owned(),
    ]
}

fn tools(resource: &ListedResource) -> String {
    let tools = resource.locked.placements.tools();
    let tools: Vec<&str> = tools.map(ToolName::as_str).collect();
    tools.join(", ")
}

/// The first of several paths stands for all: they are in the directories of the tools.
fn installed_at(paths: &BTreeSet<&RelativePath>) -> String {
    match (paths.first(), paths.len()) {
        (None, _) => "-".to_owned(),
        (Some(path), 1) => path.to_string(),
        (Some(path), count) => format!("{path} (+{})", count - 1),
    }
}

fn patched_line(field: &PatchedField) -> String {
    let old = field
        .old
        .as_ref()
        .map_or_else(|| "(not set)".to_owned(), inline);
    let new = inline(&field.new);
    format!("{}: {old} -> {new} ({})", field.field, field.from)
}

/// A value on one line.
fn inline(value: &Value) -> String {
    if value.as_str() == Some(MASKED) {
        return MASKED.to_owned();
    }
    let text = value.to_json();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
