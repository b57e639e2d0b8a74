//! A file with the layer or resource of each line.

use agpm_app::blame::BlameReport;
use agpm_merge::BlameLine;

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece};

/// The owner of lines that no layer and no resource has.
const YOURS: &str = "(you)";
/// Layers one after the other have different colors.
const COLORS: [LineStyle; 4] = [
    LineStyle::Identity,
    LineStyle::Added,
    LineStyle::Changed,
    LineStyle::Removed,
];

/// The lines with a gutter, or a document.
pub fn render(report: BlameReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut layers: Vec<&str> = Vec::new();
    for layer in report.lines.iter().filter_map(|line| line.layer.as_deref()) {
        if !layers.contains(&layer) {
            layers.push(layer);
        }
    }
    let widths = report.lines.iter().map(|line| name(line).chars().count());
    let width = widths.max().unwrap_or(0);
    let line = |line: &BlameLine| {
        let at = layers
            .iter()
            .position(|layer| Some(*layer) == line.layer.as_deref());
        let style = at.map_or(LineStyle::Faint, |at| COLORS[at % COLORS.len()]);
        StyledLine::of([
            StyledPiece::new(format!("{:<width$}", name(line)), style),
            StyledPiece::plain("  "),
            StyledPiece::plain(line.text.replace('\t', "    ")),
        ])
    };
    RenderedReport::Lines(report.lines.iter().map(line).collect())
}

fn name(line: &BlameLine) -> &str {
    line.layer.as_deref().unwrap_or(YOURS)
}
