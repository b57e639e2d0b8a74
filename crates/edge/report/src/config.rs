//! The user's configuration, or what was done to it.

use agpm_ops::{ConfigAnswer, ConfigReport};

use crate::rendering::{RenderContext, Rendering};

/// The configuration as it is written, or as a document.
pub fn render(report: ConfigReport, context: &RenderContext<'_>) -> Rendering {
    if context.json {
        return context.document(&report);
    }
    match report.answer {
        ConfigAnswer::Place {} => Rendering::Data(format!("{}\n", report.path.display())),
        ConfigAnswer::Content { text, .. } => Rendering::Data(text),
        ConfigAnswer::Host { default_host } => Rendering::Data(format!("{default_host}\n")),
        ConfigAnswer::Done { done } => Rendering::Done(format!("{done}\n")),
    }
}
