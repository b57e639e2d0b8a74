use std::process::ExitCode;

use agpm_ops::{Finding, VerifyReport, World, verify};

use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown, Verdict};

pub(crate) fn run(world: &World, output: &mut Output) -> ExitCode {
    let judge = |report: &VerifyReport, diagnostics: &[agpm_diag::Diagnostic]| {
        let is_clean = report.findings.is_empty() && !agpm_diag::has_errors(diagnostics);
        if is_clean {
            Verdict::Good
        } else {
            Verdict::Findings
        }
    };
    output.finish_as(verify(world), judge, render)
}

fn render(report: VerifyReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let line = |finding: &Finding| {
        let said = format!(
            "{} {} ({})",
            finding.path, finding.message, finding.resource
        );
        format!("error[{}]: {}\n", finding.code.name, one_line(&said))
    };
    let lines: String = report.findings.iter().map(line).collect();
    Rendering::Text(if shown.quiet {
        lines
    } else {
        format!("{lines}{}\n", summary(&report))
    })
}

fn summary(report: &VerifyReport) -> String {
    let files = |count: usize| {
        if count == 1 {
            "1 file".to_owned()
        } else {
            format!("{count} files")
        }
    };
    let (checked, found) = (report.checked, report.findings.len());
    match (checked, found) {
        (0, 0) => "Nothing installed".to_owned(),
        (1, 0) => "1 file is as installed".to_owned(),
        (_, 0) => format!("{} are as installed", files(checked)),
        _ => format!("{found} of {} not as installed", files(checked)),
    }
}
