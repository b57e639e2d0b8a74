use std::process::ExitCode;

use agpm_diag::Severity;
use agpm_ops::{
    CheckRow, DoctorReport, DoctorRequest, FailureKind, Scope, Warnings, World, doctor,
};

use crate::args::DoctorArgs;
use crate::commands::table::{columns, counted};
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown, Verdict};

pub(crate) fn run(world: &World, args: DoctorArgs, output: &mut Output) -> ExitCode {
    let warnings = if args.strict {
        Warnings::Stop
    } else {
        Warnings::Tell
    };
    let judge = |report: &DoctorReport, _: &[agpm_diag::Diagnostic]| match report.has_errors() {
        true if report.failure == Some(FailureKind::NotFound) => Verdict::As(FailureKind::NotFound),
        true => Verdict::Findings,
        false => Verdict::Good,
    };
    let outcome = doctor(
        world,
        &DoctorRequest {
            warnings,
            since: args.since,
        },
    );
    output.finish_as(outcome, judge, |report, shown| {
        render(report, world.environment.scope, shown)
    })
}

const NO_PROJECT: &str = "No project found: no `agpm.toml` in this directory or its parents. Run `agpm init` to create one.";
const NO_USER_MANIFEST: &str = "No user manifest found. Run `agpm init -g` to create one.";

fn render(report: DoctorReport, scope: Scope, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let found = shown.drawn();
    if shown.quiet {
        return Rendering::Report(found);
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
    Rendering::Report(format!(
        "{rows}\n{found}{}\n",
        summary(&report, scope, shown)
    ))
}

fn summary(report: &DoctorReport, scope: Scope, shown: &Shown<'_>) -> String {
    let count = |severity| {
        shown
            .diagnostics
            .iter()
            .filter(|found| found.severity == severity)
            .count()
    };
    match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) if !report.has_project() => match scope {
            Scope::Project => NO_PROJECT.to_owned(),
            Scope::User => NO_USER_MANIFEST.to_owned(),
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
