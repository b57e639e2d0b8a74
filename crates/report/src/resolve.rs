//! The files whose conflicts were resolved.

use agpm_app::resolve::{ResolveReport, side_word};
use agpm_diag::counted;
use agpm_plan::ConflictTake;

use crate::rendering::{RenderContext, RenderedReport};

/// One line for each file and a summary, or a document.
pub fn render(report: ResolveReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let result = match report.take {
        ConflictTake::Mine => "your version stays",
        ConflictTake::New => "the new version is installed",
        ConflictTake::Merged => "your file stays as it is now",
    };
    let mut text = String::new();
    for one in &report.resolved {
        text.push_str(&format!("~ {}  {}: {result}\n", one.path, one.owner));
    }
    let count = counted(report.resolved.len(), "conflict", "conflicts");
    text.push_str(&format!(
        "Resolved {count} (--{})\n",
        side_word(report.take)
    ));
    RenderedReport::Done(text)
}
