//! What a change of the manifest did, and what was installed with it.

use agpm_ops::{ChangeReport, InstallScope};

use crate::install;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::StyledLine;

/// A user's sources may be in two files, which serve different dependencies.
const USER_SOURCE: &str = "Only dependencies added with `-g` use this source. \
To use it in every project, run `agpm config add-source NAME URL`";

/// The change as text or as a document.
pub fn render(report: ChangeReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut lines = vec![StyledLine::plain(format!(
        "{}: agpm.toml changed",
        report.done
    ))];
    if let Some(installed) = &report.installed {
        lines.extend(install::styled_lines(
            installed,
            context.pen.detail,
            context.screen.elapsed,
        ));
    }
    RenderedReport::DoneLines(lines)
}

/// The same for a new source.
pub fn render_source(
    report: ChangeReport,
    scope: InstallScope,
    context: &RenderContext<'_>,
) -> RenderedReport {
    match (render(report, context), scope) {
        (RenderedReport::DoneLines(mut lines), InstallScope::User) => {
            lines.push(StyledLine::plain(USER_SOURCE));
            RenderedReport::DoneLines(lines)
        }
        (rendering, _) => rendering,
    }
}
