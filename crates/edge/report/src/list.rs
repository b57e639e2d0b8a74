//! What is installed, as a table, YAML or JSON.

use agpm_ops::{Drift, LOCAL, ListReport, ListedResource, MASKED, PatchedField};
use agpm_text::{Value, to_json};

use crate::rendering::{RenderContext, Rendering, to_yaml};
use crate::table::table;

const HEADER: [&str; 6] = [
    "Name",
    "Type",
    "Version",
    "Source",
    "Installed At",
    "Status",
];
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
pub fn render(report: &ListReport, form: ListForm, context: &RenderContext<'_>) -> Rendering {
    match form {
        _ if context.json => Rendering::Data(to_json(report)),
        ListForm::Table => Rendering::Text(rows(report)),
        ListForm::Yaml => Rendering::Data(to_yaml(report)),
    }
}

fn rows(report: &ListReport) -> String {
    if report.resources.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = report.resources.iter().map(cells).collect();
    let text = table(&HEADER, &rows);
    let (header, lines) = text.split_once('\n').unwrap_or((&text, ""));
    let mut out = format!("{header}\n");
    for (line, resource) in lines.lines().zip(&report.resources) {
        out.extend([line, "\n"]);
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
        paths
            .first()
            .map_or_else(|| "-".to_owned(), ToString::to_string),
        status.to_owned(),
    ]
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
