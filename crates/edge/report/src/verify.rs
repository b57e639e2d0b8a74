//! Installed files that are not as they were installed.

use agpm_ops::{Finding, VerifyReport};

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport};

/// One line for each finding and a summary, or a document.
pub fn render(report: VerifyReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let line = |finding: &Finding| {
        let said = format!(
            "{} {} ({})",
            finding.path, finding.message, finding.resource
        );
        format!("error[{}]: {}\n", finding.code.name, one_line(&said))
    };
    let lines: String = report.findings.iter().map(line).collect();
    RenderedReport::Text(if context.quiet {
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
