use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::validate::{ValidateCheck, ValidateReport, ValidateRequest, validate};
use agpm_diag::{Diagnostic, Severity};
use agpm_diag::{FailureKind, WarningPolicy};
use agpm_report::Verdict;

use crate::args::ValidateArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: &ValidateArgs, output: &mut Output) -> ExitCode {
    let requested = [
        (args.sources, ValidateCheck::Sources),
        (args.paths, ValidateCheck::Paths),
        (args.check_lock, ValidateCheck::Lock),
        (args.resolve, ValidateCheck::Resolve),
        (args.render, ValidateCheck::Render),
    ];
    let checks = requested
        .into_iter()
        .filter(|(requested, _)| *requested)
        .map(|(_, check)| check)
        .collect();
    let warnings = if args.strict {
        WarningPolicy::Stop
    } else {
        WarningPolicy::Report
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
        agpm_report::validate::render,
    )
}

/// Returns whether a finding blocks `install` until something is approved.
fn is_about_trust(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error && finding.code.name.starts_with("trust/")
}
