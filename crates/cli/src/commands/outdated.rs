use std::process::ExitCode;

use agpm_app::outdated::{LockfileState, OutdatedReport, OutdatedRequest, OutdatedRows, outdated};
use agpm_app::project::world::World;
use agpm_report::Verdict;

use crate::args::OutdatedArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: OutdatedArgs, output: &mut Output) -> ExitCode {
    let judge = |report: &OutdatedReport, _: &[agpm_diag::Diagnostic]| {
        let is_outdated = report.outdated.iter().any(|row| row.current != row.newest);
        let fails = is_outdated || report.lockfile == LockfileState::Missing;
        if args.check && fails {
            Verdict::Findings
        } else {
            Verdict::Good
        }
    };
    let rows = if args.all {
        OutdatedRows::All
    } else {
        OutdatedRows::Outdated
    };
    let request = OutdatedRequest {
        names: args.names.clone(),
        rows,
    };
    output.finish_as(
        outdated(world, &request),
        judge,
        agpm_report::outdated::render,
    )
}
