//! The layers as a table, with the files that are skipped.

use agpm_diag::counted;
use agpm_layers::{LayerRow, LayerState, LayersReport};

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece};
use crate::table::table_lines;

const HEAD: [&str; 5] = ["Rank", "Layer", "Location", "Snapshot", "Files"];
/// How many skipped files of one layer are shown.
const MOST_SKIPPED: usize = 20;

/// The layers as a table, or as a document.
pub fn render(report: LayersReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    if report.layers.is_empty() {
        return RenderedReport::Empty("No layers. Add one as `[[layers]]` in `agpm.toml`.");
    }
    let rows: Vec<Vec<StyledPiece>> = report.layers.iter().map(row).collect();
    let mut lines = table_lines(&HEAD, &rows, context.screen.width);
    let skipped: Vec<String> = report.layers.iter().flat_map(skipped).collect();
    if !skipped.is_empty() {
        lines.push(StyledLine::default());
    }
    lines.extend(skipped.iter().map(StyledLine::plain));
    RenderedReport::Lines(lines)
}

fn row(row: &LayerRow) -> Vec<StyledPiece> {
    let (snapshot, files, style) = match &row.state {
        Some(state) => (snapshot(state), state.files.to_string(), LineStyle::Plain),
        None => ("not found".to_owned(), "-".to_owned(), LineStyle::Changed),
    };
    vec![
        StyledPiece::plain(row.rank.to_string()),
        StyledPiece::new(&row.name, LineStyle::Identity),
        StyledPiece::plain(&row.place),
        StyledPiece::new(snapshot, style),
        StyledPiece::plain(files),
    ]
}

fn snapshot(state: &LayerState) -> String {
    match &state.pin {
        Some(pin) => format!("{} ({})", pin.version, pin.commit.short()),
        None => state.checksum.chars().take("sha256:".len() + 12).collect(),
    }
}

fn skipped(row: &LayerRow) -> Vec<String> {
    let Some(state) = &row.state else {
        return Vec::new();
    };
    let listed = state.skipped.iter().take(MOST_SKIPPED);
    let mut lines: Vec<String> = listed
        .map(|skipped| format!("{}: skipped {}: {}", row.name, skipped.path, skipped.reason))
        .collect();
    if let Some(more) = state
        .skipped
        .len()
        .checked_sub(MOST_SKIPPED)
        .filter(|more| *more > 0)
    {
        lines.push(format!(
            "{}: skipped {} more; `--json` lists all",
            row.name,
            counted(more, "thing", "things")
        ));
    }
    lines
}
