//! Whether a manifest is valid; the findings are the diagnostics.

use agpm_app::validate::ValidateReport;
use agpm_diag::counted;

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport, Verdict};

/// The findings and a summary, or a document.
pub fn render(report: ValidateReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let found = context.drawn_diagnostics();
    let summary = match context.verdict {
        Verdict::Good if context.quiet => String::new(),
        Verdict::Good => format!(
            "The manifest is valid: {}, {}\n",
            counted(report.dependencies, "dependency", "dependencies"),
            counted(report.sources, "source", "sources")
        ),
        _ => String::new(),
    };
    let summary = match report.reads.as_slice() {
        reads if !reads.is_empty() && !context.quiet => {
            format!(
                "reads  {}  (outside the project)\n{summary}",
                one_line(&reads.join(", "))
            )
        }
        _ => summary,
    };
    RenderedReport::Report(format!("{found}{summary}"))
}
