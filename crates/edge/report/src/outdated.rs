//! What could be newer, as a table.

use agpm_ops::{LockfileState, MovedBranch, OutdatedReport, counted};

use crate::rendering::{RenderContext, RenderedReport};
use crate::table::table;

const HEAD: [&str; 6] = ["Name", "Type", "Source", "Current", "Wanted", "Latest"];

/// A table, or a document.
pub fn render(report: OutdatedReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let moved: String = report.moved.iter().map(moved_line).collect();
    if report.lockfile == LockfileState::Missing {
        return RenderedReport::Text(String::new());
    }
    if report.outdated.is_empty() {
        let all = counted(report.checked, "resource is", "resources are");
        return RenderedReport::Text(format!("{all} up to date\n{moved}"));
    }
    let rows = report.outdated.iter().map(|row| {
        vec![
            row.name.clone(),
            row.kind.to_owned(),
            row.source.clone(),
            row.current.clone(),
            row.allowed.clone(),
            row.newest.clone(),
        ]
    });
    RenderedReport::Text(format!(
        "{}{moved}",
        table(&HEAD, &rows.collect::<Vec<_>>())
    ))
}

/// A branch that moved, in one line instead of one for each resource.
fn moved_line(moved: &MovedBranch) -> String {
    let unchanged = counted(moved.unchanged, "resource", "resources");
    format!(
        "{}: {} -> {}, {unchanged} without changes\n",
        moved.source, moved.current, moved.now
    )
}
