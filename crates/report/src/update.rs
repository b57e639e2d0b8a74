//! The rewritten requirements of an update, and what it installed.

use agpm_app::project::write_mode::WriteMode;
use agpm_app::update::UpdateReport;

use crate::diagnostics::{ColorMode, DetailLevel, one_line};
use crate::install;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{StyledLine, draw_lines};

/// The report as text or as a document.
pub fn render(report: UpdateReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let (detail, elapsed) = (context.pen.detail, context.screen.elapsed);
    let mut lines = requirement_lines(&report);
    lines.extend(install::styled_lines(&report.installed, detail, elapsed));
    RenderedReport::DoneLines(lines)
}

/// The report as people read it.
pub fn text(report: &UpdateReport, detail: DetailLevel) -> String {
    let mut lines = requirement_lines(report);
    lines.extend(install::styled_lines(&report.installed, detail, None));
    draw_lines(&lines, ColorMode::Plain)
}

fn requirement_lines(report: &UpdateReport) -> Vec<StyledLine> {
    let changed = match report.installed.writing {
        WriteMode::Apply => "Changed",
        WriteMode::Show => "Would change",
    };
    let mut lines = Vec::new();
    for resource in &report.changed {
        let changes = resource.changes.join(", ");
        lines.push(format!("{changed} {}: {changes}", resource.id));
    }
    for of_base in &report.of_bases {
        lines.push(format!(
            "Kept {} at {}, which base {} requires; the latest version is {}",
            of_base.id, of_base.requirement, of_base.base, of_base.newest
        ));
    }
    lines
        .iter()
        .map(|line| StyledLine::plain(one_line(line)))
        .collect()
}
