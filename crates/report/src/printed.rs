//! Text that agpm generates about itself: help, manual pages, completion scripts.

use agpm_app::written::WrittenReport;
use agpm_diag::counted;
use serde::Serialize;

use crate::rendering::{RenderContext, RenderedReport};

/// The text as a field of a document.
#[derive(Debug, Serialize)]
pub struct PrintedText {
    /// The whole text.
    pub text: String,
}

/// The text itself, or a document with it.
pub fn render(text: String, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        context.document(&PrintedText { text })
    } else {
        RenderedReport::Data(text)
    }
}

/// How many files were written, or a document with their names.
pub fn render_written(report: WrittenReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let files = counted(report.files.len(), "file", "files");
    RenderedReport::Done(format!("Wrote {files} to {}\n", report.path))
}
