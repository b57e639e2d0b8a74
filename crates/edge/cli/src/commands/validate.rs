use std::process::ExitCode;

use agpm_diag::{Diagnostic, Severity};
use agpm_ops::{
    FailureKind, ValidateCheck, ValidateReport, ValidateRequest, Warnings, World, validate,
};
use agpm_text::Value;

use crate::args::ValidateArgs;
use crate::commands::table::counted;
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown, Verdict};

pub(crate) fn run(world: &World, args: &ValidateArgs, output: &mut Output) -> ExitCode {
    let asked = [
        (args.sources, ValidateCheck::Sources),
        (args.paths, ValidateCheck::Paths),
        (args.check_lock, ValidateCheck::Lock),
        (args.resolve, ValidateCheck::Resolve),
        (args.render, ValidateCheck::Render),
    ];
    let checks = asked
        .into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, check)| check)
        .collect();
    let warnings = if args.strict {
        Warnings::Stop
    } else {
        Warnings::Tell
    };
    let judge = |report: &ValidateReport, found: &[Diagnostic]| match report.failure {
        Some(FailureKind::Network) => Verdict::As(FailureKind::Network),
        Some(FailureKind::Refused) if found.iter().any(is_about_trust) => {
            Verdict::As(FailureKind::Refused)
        }
        None if found
            .iter()
            .all(|finding| finding.severity < Severity::Error) =>
        {
            Verdict::Good
        }
        _ => Verdict::Findings,
    };
    output.finish_as(
        validate(world, &ValidateRequest { checks, warnings }),
        judge,
        render,
    )
}

/// Whether a finding keeps `install` from going on until somebody approves something.
fn is_about_trust(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error && finding.code.name.starts_with("trust/")
}

fn render(report: ValidateReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        let reads = Value::list(report.reads.iter().map(String::as_str));
        let counts = [
            ("dependencies", report.dependencies.into()),
            ("sources", report.sources.into()),
        ];
        return shown.report(counts.into_iter().chain([("reads", reads)]).collect());
    }
    let found = shown.drawn();
    let summary = match shown.verdict {
        Verdict::Good if shown.quiet => String::new(),
        Verdict::Good => format!(
            "the manifest is valid: {}, {}\n",
            counted(report.dependencies, "dependency", "dependencies"),
            counted(report.sources, "source", "sources")
        ),
        _ => String::new(),
    };
    let summary = match report.reads.as_slice() {
        reads if !reads.is_empty() && !shown.quiet => {
            format!(
                "reads  {}  (outside the project)\n{summary}",
                one_line(&reads.join(", "))
            )
        }
        _ => summary,
    };
    Rendering::Report(format!("{found}{summary}"))
}
