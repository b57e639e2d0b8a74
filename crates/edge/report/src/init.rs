//! The files of a new project.

use agpm_ops::InitReport;

use crate::rendering::{RenderContext, Rendering};

/// The files that were written, or as a document.
pub fn render(report: InitReport, context: &RenderContext<'_>) -> Rendering {
    if context.json {
        return context.document(&report);
    }
    let files: String = report
        .files
        .iter()
        .map(|file| format!("wrote {file}\n"))
        .collect();
    let next = "next: agpm add source NAME URL, then agpm add dep TYPE NAME:PATH@VERSION\n";
    Rendering::Done(format!("{files}{next}"))
}
