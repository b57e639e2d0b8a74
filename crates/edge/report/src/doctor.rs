//! Every check of the doctor, and what it found.

use agpm_diag::Severity;
use agpm_ops::{CheckRow, DoctorReport, InstallScope, counted};

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport};
use crate::table::columns;

const NO_PROJECT: &str = "No project found: no `agpm.toml` in this directory or its parents. Run `agpm init` to create one.";
const NO_USER_MANIFEST: &str = "No user manifest found. Run `agpm init -g` to create one.";

/// The checks as a table with the findings below it, or as a document.
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
    let row = |row: &CheckRow| {
        vec![
            row.state.word().to_owned(),
            row.name.to_owned(),
            one_line(&row.summary),
        ]
    };
    let rows: Vec<Vec<String>> = report.checks.iter().map(row).collect();
    let rows = columns(&rows.iter().collect::<Vec<_>>());
    // A drawing ends in an empty line.
    RenderedReport::Report(format!(
        "{rows}\n{found}{}\n",
        summary(&report, scope, context)
    ))
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
        (0, 0) => "everything is in order".to_owned(),
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
