//! A merged file, or the origin of its values.

use agpm_app::merge::MergeReport;

use crate::explain;
use crate::rendering::{RenderContext, RenderedReport};

/// Renders the merged file, or the origin of its values as text or as a document.
pub fn render(report: MergeReport, context: &RenderContext<'_>) -> RenderedReport {
    match &report.explained {
        None => RenderedReport::Pieces(report.output),
        Some(provenance) if context.json => context.document(provenance),
        Some(provenance) => RenderedReport::Text(explain::provenance_text(provenance)),
    }
}
