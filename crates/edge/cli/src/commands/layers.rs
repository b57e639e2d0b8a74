use std::process::ExitCode;

use agpm_ops::{LayerRow, LayerState, LayersReport, World, layers};

use crate::commands::table::{counted, table};
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown};

const HEAD: [&str; 5] = ["Rank", "Layer", "Place", "Snapshot", "Files"];
/// What was skipped in one layer is told up to so many.
const MOST_TOLD: usize = 20;

pub(crate) fn run(world: &World, output: &mut Output) -> ExitCode {
    output.finish(layers(world), render)
}

fn render(report: LayersReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    if report.layers.is_empty() {
        return Rendering::Empty("No layers. Add one as `[[layers]]` in `agpm.toml`.");
    }
    let rows: Vec<Vec<String>> = report.layers.iter().map(row).collect();
    let skipped = report.layers.iter().flat_map(skipped);
    let skipped: String = skipped
        .map(|line| format!("{}\n", one_line(&line)))
        .collect();
    let between = if skipped.is_empty() { "" } else { "\n" };
    Rendering::Text(format!("{}{between}{skipped}", table(&HEAD, &rows)))
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
    let told = state.skipped.iter().take(MOST_TOLD);
    let mut lines: Vec<String> = told
        .map(|skipped| format!("{}: skipped {}: {}", row.name, skipped.path, skipped.reason))
        .collect();
    if let Some(more) = state
        .skipped
        .len()
        .checked_sub(MOST_TOLD)
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
