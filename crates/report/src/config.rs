//! The user's configuration, or the change of it.

use agpm_app::config::{ConfigAnswer, ConfigReport};

use crate::rendering::{RenderContext, RenderedReport};

/// The configuration as it is written, or as a document.
pub fn render(report: ConfigReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    match report.answer {
        ConfigAnswer::Place {} => RenderedReport::Data(format!("{}\n", report.path.display())),
        ConfigAnswer::Content { text, .. } => RenderedReport::Data(text),
        ConfigAnswer::Host { default_host } => RenderedReport::Data(format!("{default_host}\n")),
        ConfigAnswer::Done { done } => RenderedReport::Done(format!("{done}\n")),
    }
}
