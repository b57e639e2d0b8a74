//! The joined lockfile of two branches.

use agpm_app::lock_merge::LockMergeReport;
use agpm_diag::counted;

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::StyledLine;

/// The report as text or as a document.
pub fn render(report: LockMergeReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut lines = Vec::new();
    for pin in &report.joined {
        let both = format!("{} and {}", pin.ours, pin.theirs);
        lines.push(match &pin.kept {
            Some(kept) => format!("{}  {kept} of {both}", pin.id),
            None => format!("{}  open, {both}; `agpm install` resolves it", pin.id),
        });
    }
    lines.push(format!(
        "Joined both sides of agpm.lock: {}",
        counted(report.joined.len(), "version differs", "versions differ")
    ));
    let lines = lines.iter().map(|line| StyledLine::plain(one_line(line)));
    RenderedReport::DoneLines(lines.collect())
}
