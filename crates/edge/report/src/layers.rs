//! The layers as a table, and what of them does not count.

use agpm_ops::{LayerRow, LayerState, LayersReport, counted};

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport};
use crate::table::table;

const HEAD: [&str; 5] = ["Rank", "Layer", "Place", "Snapshot", "Files"];
/// What was skipped in one layer is shown up to so many.
const MOST_SKIPPED: usize = 20;

/// The layers as a table, or as a document.
pub fn render(report: LayersReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    if report.layers.is_empty() {
        return RenderedReport::Empty("No layers. Add one as `[[layers]]` in `agpm.toml`.");
    }
    let rows: Vec<Vec<String>> = report.layers.iter().map(row).collect();
    let skipped = report.layers.iter().flat_map(skipped);
    let skipped: String = skipped
        .map(|line| format!("{}\n", one_line(&line)))
        .collect();
    let between = if skipped.is_empty() { "" } else { "\n" };
    RenderedReport::Text(format!("{}{between}{skipped}", table(&HEAD, &rows)))
}

fn row(row: &LayerRow) -> Vec<String> {
    let (snapshot, files) = match &row.state {
        Some(state) => (snapshot(state), state.files.to_string()),
        None => ("not there".to_owned(), "-".to_owned()),
    };
    vec![
        row.rank.to_string(),
        one_line(&row.name),
        one_line(&row.place),
        snapshot,
        files,
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
    let told = state.skipped.iter().take(MOST_SKIPPED);
    let mut lines: Vec<String> = told
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
