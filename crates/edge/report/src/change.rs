//! What a change of the manifest did, and what was installed with it.

use agpm_ops::{ChangeReport, InstallScope};

use crate::install;
use crate::rendering::{RenderContext, RenderedReport};

/// A user's sources may be in two files, which serve different dependencies.
const USER_SOURCE: &str = "Only dependencies added with `-g` use this source. \
To use it in every project, run `agpm config add-source NAME URL`\n";

/// The change as text or as a document.
pub fn render(report: ChangeReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let installed = report.installed.as_ref();
    let installed = installed.map(|report| install::text(report, context.pen.detail));
    RenderedReport::Done(format!(
        "{}: agpm.toml changed\n{}",
        report.done,
        installed.unwrap_or_default()
    ))
}

/// The same for a new source.
pub fn render_source(
    report: ChangeReport,
    scope: InstallScope,
    context: &RenderContext<'_>,
) -> RenderedReport {
    match (render(report, context), scope) {
        (RenderedReport::Done(text), InstallScope::User) => {
            RenderedReport::Done(text + USER_SOURCE)
        }
        (rendering, _) => rendering,
    }
}
