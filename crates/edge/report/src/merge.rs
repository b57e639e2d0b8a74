//! A merged file, or where all of it came from.

use agpm_ops::MergeReport;

use crate::explain;
use crate::rendering::{RenderContext, RenderedReport};

/// The merged file, or where it came from as text or as a document.
pub fn render(report: MergeReport, context: &RenderContext<'_>) -> RenderedReport {
    match &report.explained {
        None => RenderedReport::Pieces(report.output),
        Some(provenance) if context.json => context.document(provenance),
        Some(provenance) => RenderedReport::Text(explain::provenance_text(provenance)),
    }
}
