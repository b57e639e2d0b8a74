use std::process::ExitCode;

use agpm_app::doctor::{DoctorReport, DoctorRequest, doctor};
use agpm_app::project::world::World;
use agpm_diag::{FailureKind, WarningPolicy};
use agpm_report::Verdict;

use crate::args::DoctorArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: DoctorArgs, output: &mut Output) -> ExitCode {
    let warnings = if args.strict {
        WarningPolicy::Stop
    } else {
        WarningPolicy::Report
    };
    let judge = |report: &DoctorReport, _: &[agpm_diag::Diagnostic]| {
        if !report.has_errors() {
            Verdict::Good
        } else if report.failure == Some(FailureKind::NotFound) {
            Verdict::As(FailureKind::NotFound)
        } else {
            Verdict::Findings
        }
    };
    let outcome = doctor(
        world,
        &DoctorRequest {
            warnings,
            since: args.since,
        },
    );
    output.finish_as(outcome, judge, |report, context| {
        agpm_report::doctor::render(report, world.environment.scope, context)
    })
}
