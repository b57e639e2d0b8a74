//! The resources of many projects, as one table.

use agpm_app::report::{FleetReport, ResourceRow};

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledPiece};
use crate::table::table_lines;

const HEAD: [&str; 5] = ["Project", "Resource", "Version", "Newest", "State"];

/// A table with a row for each resource of each project, or a document.
pub fn render(report: &FleetReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(report);
    }
    if report.projects.is_empty() {
        return RenderedReport::Empty("No projects found");
    }
    let mut rows = Vec::new();
    for project in &report.projects {
        rows.extend(project.rows.iter().map(|row| cells(&project.project, row)));
    }
    if rows.is_empty() {
        return RenderedReport::Empty("No resources found");
    }
    RenderedReport::Lines(table_lines(&HEAD, &rows, context.screen.width))
}

fn cells(project: &str, row: &ResourceRow) -> Vec<StyledPiece> {
    let newest = row.newest.as_deref().unwrap_or_default();
    let mut states: Vec<String> = Vec::new();
    if row.modified == Some(true) {
        states.push("modified".to_owned());
    }
    if row.missing == Some(true) {
        states.push("missing".to_owned());
    }
    if row.outdated == Some(true) {
        states.push("outdated".to_owned());
    }
    if row.denied {
        states.push(format!("denied ({})", row.reasons.join("; ")));
    }
    let style = if row.denied {
        LineStyle::Removed
    } else if states.is_empty() {
        LineStyle::Plain
    } else {
        LineStyle::Changed
    };
    vec![
        StyledPiece::plain(project),
        StyledPiece::new(&row.id, LineStyle::Identity),
        StyledPiece::plain(row.version.as_deref().unwrap_or("-")),
        StyledPiece::plain(newest),
        StyledPiece::new(states.join(", "), style),
    ]
}
