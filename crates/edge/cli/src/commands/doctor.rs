use std::process::ExitCode;

use agpm_diag::Severity;
use agpm_ops::{CheckRow, DoctorReport, DoctorRequest, FailureKind, Warnings, World, doctor};

use crate::args::DoctorArgs;
use crate::commands::table::{columns, counted};
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown, Verdict};

pub(crate) fn run(world: &World, args: DoctorArgs, output: &mut Output) -> ExitCode {
    let warnings = if args.strict { Warnings::Stop } else { Warnings::Tell };
    let judge = |report: &DoctorReport, _: &[agpm_diag::Diagnostic]| match report.has_errors() {
        true if report.failure == Some(FailureKind::NotFound) => Verdict::As(FailureKind::NotFound),
        true => Verdict::Findings,
        false => Verdict::Good,
    };
    output.finish_as(doctor(world, &DoctorRequest { warnings, since: args.since }), judge, render)
}

fn render(report: DoctorReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let found = shown.drawn();
    if shown.quiet {
        return Rendering::Report(found);
    }
    let row = |row: &CheckRow| vec![row.state.word().to_owned(), row.name.to_owned(), one_line(&row.summary)];
    let rows: Vec<Vec<String>> = report.checks.iter().map(row).collect();
    let rows = columns(&rows.iter().collect::<Vec<_>>());
    // A drawing ends in an empty line.
    Rendering::Report(format!("{rows}\n{found}{}\n", summary(shown)))
}

fn summary(shown: &Shown<'_>) -> String {
    let count = |severity| shown.diagnostics.iter().filter(|found| found.severity == severity).count();
    match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) => "everything is in order".to_owned(),
        (0, warnings) => counted(warnings, "warning", "warnings"),
        (errors, 0) => counted(errors, "error", "errors"),
        (errors, warnings) => {
            format!("{}, {}", counted(errors, "error", "errors"), counted(warnings, "warning", "warnings"))
        }
    }
}
