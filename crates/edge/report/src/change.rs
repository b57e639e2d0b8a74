//! A change of the manifest, and the install after it.

use agpm_ops::{ChangeReport, InstallScope};

use crate::install;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::StyledLine;

/// The sources of a user may be in two files, which serve different dependencies.
const USER_SOURCE: &str = "Only dependencies added with `-g` use this source. \
To use it in every project, run `agpm config add-source NAME URL`";

/// The change as text or as a document.
pub fn render(report: ChangeReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut lines = vec![StyledLine::plain(done_line(&report.done))];
    if let Some(installed) = &report.installed {
        lines.extend(install::styled_lines(
            installed,
            context.pen.detail,
            context.screen.elapsed,
        ));
    }
    RenderedReport::DoneLines(lines)
}

/// Formats `remove agents/a` as "Removed agents/a from agpm.toml". The words of the change are those of `agpm undo
/// --list`.
fn done_line(done: &str) -> String {
    let (verb, object) = done.split_once(' ').unwrap_or((done, ""));
    match verb {
        "add" => format!("Added {object} to agpm.toml"),
        "replace" => format!("Replaced {object} in agpm.toml"),
        "remove" => format!("Removed {object} from agpm.toml"),
        "exclude" => format!("Excluded {object} in agpm.toml"),
        _ => format!("Changed agpm.toml: {done}"),
    }
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
