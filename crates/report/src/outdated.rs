//! Resources with newer versions, as a table.

use agpm_app::outdated::{LockfileState, MovedBranch, OutdatedReport, OutdatedRow};
use agpm_diag::counted;

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece};
use crate::table::table_lines;

const NOTHING: &str = "No installed resource has versions. Run `agpm add`.";
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
    if report.checked == 0 {
        return RenderedReport::Empty(NOTHING);
    }
    if report.outdated.is_empty() {
        let all = counted(report.checked, "resource is", "resources are");
        return RenderedReport::Text(format!("{all} up to date\n{moved}"));
    }
    let rows: Vec<Vec<StyledPiece>> = report.outdated.iter().map(cells).collect();
    let mut lines = table_lines(&HEAD, &rows, context.screen.width);
    lines.extend(
        report
            .moved
            .iter()
            .map(|moved| StyledLine::plain(moved_line(moved).trim_end())),
    );
    RenderedReport::Lines(lines)
}

fn cells(row: &OutdatedRow) -> Vec<StyledPiece> {
    let newer = |version: &str| {
        if version == row.current {
            LineStyle::Plain
        } else {
            LineStyle::Changed
        }
    };
    vec![
        StyledPiece::plain(&row.name),
        StyledPiece::new(row.kind, LineStyle::Identity),
        StyledPiece::plain(&row.source),
        StyledPiece::plain(&row.current),
        StyledPiece::new(&row.allowed, newer(&row.allowed)),
        StyledPiece::new(&row.newest, newer(&row.newest)),
    ]
}

/// A branch that moved, in one line instead of one for each resource.
fn moved_line(moved: &MovedBranch) -> String {
    let unchanged = counted(moved.unchanged, "resource", "resources");
    format!(
        "{}: {} -> {}, {unchanged} without changes\n",
        moved.source, moved.current, moved.now
    )
}
