use std::process::ExitCode;

use agpm_ops::{ListReport, ListRequest, World, list};
use agpm_text::{Format, print};

use crate::args::{ListArgs, ListFormat};
use crate::commands::two_formats;
use crate::output::{Output, Rendering};

const HEADER: [&str; 6] = ["Name", "Type", "Version", "Source", "Installed At", "Status"];
/// Types are as wide as `script` and `agents` even where only shorter ones are shown.
const TYPE_WIDTH: usize = 6;

pub(crate) fn run(world: &World, args: ListArgs, output: &mut Output) -> ExitCode {
    if output.json && args.format == ListFormat::Yaml {
        return output.finish(two_formats("yaml"), |(), _| Rendering::Text(String::new()));
    }
    output.json |= args.format == ListFormat::Json;
    let format = if output.json { ListFormat::Json } else { args.format };
    let request = ListRequest { kind: args.kind, source: args.source, search: args.search };
    output.finish(list(world, &request), |report, _| Rendering::Text(text(&report, format)))
}

fn text(report: &ListReport, format: ListFormat) -> String {
    match format {
        ListFormat::Table => table(report),
        ListFormat::Json => report.value().to_json(),
        ListFormat::Yaml => print(&report.value(), Format::Yaml).unwrap_or_default(),
    }
}

fn table(report: &ListReport) -> String {
    let rows = report.rows();
    if rows.is_empty() {
        return String::new();
    }
    let mut widths = HEADER.map(str::len);
    widths[1] = TYPE_WIDTH;
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(&row.cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: [&str; 6]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let body = rows.iter().map(|row| line(row.cells.each_ref().map(String::as_str)));
    [line(HEADER)].into_iter().chain(body).collect()
}
