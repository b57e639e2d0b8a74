use std::process::ExitCode;

use agpm_app::drift::VerifyReport;
use agpm_app::project::world::World;
use agpm_app::verify::verify;
use agpm_report::Verdict;

use crate::output::Output;

pub(crate) fn run(world: &World, output: &mut Output) -> ExitCode {
    let judge = |report: &VerifyReport, diagnostics: &[agpm_diag::Diagnostic]| {
        let is_clean = report.findings.is_empty() && !agpm_diag::has_errors(diagnostics);
        if is_clean {
            Verdict::Good
        } else {
            Verdict::Findings
        }
    };
    output.finish_as(verify(world), judge, agpm_report::verify::render)
}
