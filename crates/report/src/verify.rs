//! Installed files that differ from the lockfile.

use agpm_app::drift::{DriftFinding, EditStatus, VerifyReport};

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece};

/// One line for each finding and a summary, or a document.
pub fn render(report: VerifyReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut lines: Vec<StyledLine> = report.findings.iter().map(line).collect();
    if !context.quiet {
        lines.push(StyledLine::plain(summary(&report)));
    }
    RenderedReport::Lines(lines)
}

fn line(finding: &DriftFinding) -> StyledLine {
    let DriftFinding { path, message, .. } = finding;
    // Without a version, the message says the same.
    let is_news = finding.base.is_some() || finding.status == Some(EditStatus::Conflict);
    let edit = finding.edit_words().filter(|_| is_news);
    let edit = edit.map(|words| format!(": {words}")).unwrap_or_default();
    StyledLine::of([
        StyledPiece::new(format!("error[{}]", finding.code.name), LineStyle::Removed),
        StyledPiece::plain(format!(": {path} {message} (")),
        StyledPiece::new(finding.resource.to_string(), LineStyle::Identity),
        StyledPiece::plain(format!("){edit}")),
    ])
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
        (1, 0) => "1 file verified".to_owned(),
        (_, 0) => format!("{} verified", files(checked)),
        _ => format!("{found} of {} modified since install", files(checked)),
    }
}
