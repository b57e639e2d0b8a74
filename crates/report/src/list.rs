//! The installed resources, as a table, YAML or JSON.

use agpm_app::drift::EditStatus;
use agpm_app::list::{
    ClientCount, DiskState, LOCAL, ListReport, ListedResource, MASKED, PatchedField, PathBase,
};
use agpm_model::{RelativePath, ToolName};
use agpm_resolve::LockedResource;
use agpm_text::{Value, to_json};
use std::collections::BTreeSet;

use crate::rendering::{RenderContext, RenderedReport, to_yaml};
use crate::styled::{LineStyle, StyledLine, StyledPiece};
use crate::table::table_lines;

const HEADER: [&str; 6] = [
    "Name",
    "Type",
    "Version",
    "Source",
    "Installed At",
    "Status",
];
/// The column of tools if a project has several.
const TOOLS_COLUMN: usize = 4;
/// A terminal of at most this width is narrow: there, the path is the last column, because it may be cut.
const NARROW: usize = 80;
/// The column of types is at least as wide as `script` and `agents`.
const TYPE_WIDTH: usize = 6;

/// How a list is printed, unless it is a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListForm {
    /// As a table.
    Table,
    /// As a YAML document.
    Yaml,
}

/// The resources in the form that was requested; a document of them holds no diagnostics.
pub fn render(report: &ListReport, form: ListForm, context: &RenderContext<'_>) -> RenderedReport {
    match form {
        _ if context.json => RenderedReport::Data(to_json(report)),
        // That nothing is installed is a note of the report.
        ListForm::Table if report.resources.is_empty() => RenderedReport::Lines(Vec::new()),
        ListForm::Table => RenderedReport::Lines(lines(report, context.screen.width)),
        ListForm::Yaml => RenderedReport::Data(to_yaml(report)),
    }
}

fn lines(report: &ListReport, width: Option<usize>) -> Vec<StyledLine> {
    let mut header = HEADER.to_vec();
    let of_resource = |resource: &ListedResource| cells(resource, report.base);
    let mut rows: Vec<Vec<StyledPiece>> = report.resources.iter().map(of_resource).collect();
    if report.clients == ClientCount::Several {
        header.insert(TOOLS_COLUMN, "Tools");
        for (row, resource) in rows.iter_mut().zip(&report.resources) {
            row.insert(TOOLS_COLUMN, StyledPiece::plain(tools(resource)));
        }
    }
    if width.is_some_and(|width| width <= NARROW) {
        fit_narrow_terminal(&mut header, &mut rows);
    }
    let mut table = table_lines(&header, &rows, width).into_iter();
    let mut lines: Vec<StyledLine> = table.next().into_iter().collect();
    for (line, resource) in table.zip(&report.resources) {
        lines.push(line);
        let is_detailed = resource.patched.is_some();
        let parts = resource.locked.parts.iter().filter(|_| is_detailed);
        lines.extend(parts.map(|part| StyledLine::plain(format!("  {part}"))));
        let fields = resource.patched.iter().flatten();
        lines.extend(fields.map(|field| StyledLine::plain(format!("  {}", patched_line(field)))));
    }
    lines
}

/// Leaves out an empty column of states, and puts the path last.
fn fit_narrow_terminal(header: &mut Vec<&'static str>, rows: &mut [Vec<StyledPiece>]) {
    let status = header.len() - 1;
    if rows.iter().all(|row| row[status].text.is_empty()) {
        header.pop();
        rows.iter_mut().for_each(|row| row.truncate(status));
    } else {
        header.swap(status - 1, status);
        rows.iter_mut().for_each(|row| row.swap(status - 1, status));
    }
}

fn cells(resource: &ListedResource, base: PathBase) -> Vec<StyledPiece> {
    let locked = &resource.locked;
    let identity = &locked.identity;
    let paths = locked.placements.paths();
    let edited = |status: EditStatus| status.words(resource.base.as_deref());
    let conflict = edited(EditStatus::Conflict);
    let modified = edited(EditStatus::Modified);
    let (status, style) = match (resource.status, paths.first()) {
        (Some(DiskState::Disabled), _) => ("(disabled)", LineStyle::Faint),
        (_, None) => ("(not written)", LineStyle::Faint),
        (Some(DiskState::Missing), _) => ("missing", LineStyle::Removed),
        (Some(DiskState::Conflict), _) => (conflict.as_str(), LineStyle::Removed),
        (Some(DiskState::Modified), _) => (modified.as_str(), LineStyle::Changed),
        (None, _) if !locked.patches.is_empty() => ("(patched)", LineStyle::Plain),
        (None, _) => ("", LineStyle::Plain),
    };
    vec![
        StyledPiece::plain(&identity.name),
        StyledPiece::new(
            format!("{:<TYPE_WIDTH$}", identity.kind),
            LineStyle::Identity,
        ),
        StyledPiece::plain(version(locked)),
        StyledPiece::plain(identity.source.as_deref().unwrap_or(LOCAL)),
        StyledPiece::plain(installed_at(&paths, base)),
        StyledPiece::new(status, style),
    ]
}

/// The version; a branch has its commit, because the name alone says little about the content.
fn version(locked: &LockedResource) -> String {
    let Some(label) = &locked.identity.version else {
        return "-".to_owned();
    };
    match &locked.resolved_commit {
        Some(commit)
            if label.caret().is_none() && !commit.to_string().starts_with(label.as_str()) =>
        {
            format!("{label} ({})", commit.short())
        }
        _ => label.to_string(),
    }
}

fn tools(resource: &ListedResource) -> String {
    let tools = resource.locked.placements.tools();
    let tools: Vec<&str> = tools.map(ToolName::as_str).collect();
    tools.join(", ")
}

/// The first of several paths is shown for all, because the others differ only in the directory of the tool.
fn installed_at(paths: &BTreeSet<&RelativePath>, base: PathBase) -> String {
    let start = match base {
        PathBase::Project => "",
        PathBase::Home => "~/",
    };
    match (paths.first(), paths.len()) {
        (None, _) => "-".to_owned(),
        (Some(path), 1) => format!("{start}{path}"),
        (Some(path), count) => format!("{start}{path} (+{})", count - 1),
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
