//! A change of the manifest, and the install after it.

use agpm_diag::command_line;
use agpm_model::masked_address;
use agpm_ops::ChangeReport;

use crate::install;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::StyledLine;

/// A source that was added for dependencies of the user.
pub struct UserSource {
    /// The name of the source.
    pub name: String,
    /// Its URL, as it was typed.
    pub url: String,
}

impl UserSource {
    /// The sources of a user may be in two files, which serve different dependencies.
    fn line(&self) -> String {
        let url = masked_address(&self.url);
        let command = command_line(["agpm", "config", "add-source", &self.name, &url]);
        format!(
            "Only dependencies added with `-g` use this source. To use it in every project, run `{command}`"
        )
    }
}

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
    of_user: Option<&UserSource>,
    context: &RenderContext<'_>,
) -> RenderedReport {
    match (render(report, context), of_user) {
        (RenderedReport::DoneLines(mut lines), Some(source)) => {
            lines.push(StyledLine::plain(source.line()));
            RenderedReport::DoneLines(lines)
        }
        (rendering, _) => rendering,
    }
}
