//! Every check of the doctor, with its findings.

use agpm_app::doctor::{CheckRow, CheckState, DoctorReport};
use agpm_app::project::world::InstallScope;
use agpm_diag::Severity;
use agpm_diag::counted;

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledPiece, draw_lines};
use crate::table::column_lines;

const NO_PROJECT: &str = "No project found: no `agpm.toml` in this directory or its parents. Run `agpm init` to create one.";
const NO_USER_MANIFEST: &str = "No user manifest found. Run `agpm init -g` to create one.";

/// The checks as a table with the findings under it, or as a document.
pub fn render(
    report: DoctorReport,
    scope: InstallScope,
    context: &RenderContext<'_>,
) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let found = context.drawn_diagnostics();
    if context.quiet {
        return RenderedReport::Report(found);
    }
    let rows: Vec<Vec<StyledPiece>> = report.checks.iter().map(cells).collect();
    let screen = context.screen;
    let rows = draw_lines(&column_lines(&rows, screen.width), screen.color);
    // Drawn diagnostics end with an empty line.
    RenderedReport::Report(format!(
        "{rows}\n{found}{}\n",
        summary(&report, scope, context)
    ))
}

fn cells(row: &CheckRow) -> Vec<StyledPiece> {
    let style = match row.state {
        CheckState::Ok => LineStyle::Added,
        CheckState::Skipped => LineStyle::Faint,
        CheckState::Warning => LineStyle::Changed,
        CheckState::Error => LineStyle::Removed,
    };
    vec![
        StyledPiece::new(row.state.word(), style),
        StyledPiece::plain(row.name),
        StyledPiece::plain(&row.summary),
    ]
}

fn summary(report: &DoctorReport, scope: InstallScope, context: &RenderContext<'_>) -> String {
    let count = |severity| {
        context
            .diagnostics
            .iter()
            .filter(|found| found.severity == severity)
            .count()
    };
    match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) if !report.has_project() => match scope {
            InstallScope::Project => NO_PROJECT.to_owned(),
            InstallScope::User => NO_USER_MANIFEST.to_owned(),
        },
        (0, 0) => "No problems found".to_owned(),
        (0, warnings) => counted(warnings, "warning", "warnings"),
        (errors, 0) => counted(errors, "error", "errors"),
        (errors, warnings) => {
            format!(
                "{}, {}",
                counted(errors, "error", "errors"),
                counted(warnings, "warning", "warnings")
            )
        }
    }
}
