//! The patch that local edits were saved as.

use agpm_app::patch::PatchSaveReport;
use agpm_app::project::write_mode::WriteMode;
use agpm_model::PATCH_FILE;

use crate::install;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::StyledLine;

/// A line for each field and for the diff, and the install after it; or a document.
pub fn render(report: PatchSaveReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let id = &report.id;
    let Some(installed) = &report.installed else {
        return RenderedReport::Done(format!("{id} has no local edits\n"));
    };
    let saved = match report.writing {
        WriteMode::Apply => "Saved the edits of",
        WriteMode::Show => "Would save the edits of",
    };
    let mut what = report.fields.clone();
    what.extend(
        report
            .patch_file
            .iter()
            .map(|path| format!("{PATCH_FILE} {path}")),
    );
    let mut text = format!("{saved} {id} in agpm.toml");
    if !what.is_empty() {
        text.push_str(&format!(": {}", what.join(", ")));
    }
    let mut lines = vec![StyledLine::plain(text)];
    lines.extend(install::styled_lines(
        installed,
        context.pen.detail,
        context.screen.elapsed,
    ));
    RenderedReport::DoneLines(lines)
}
