use std::process::ExitCode;

use agpm_ops::{DiskCheck, ListDetail, ListReport, ListRequest, ListRow, World, list};
use agpm_text::{Format, print};

use crate::args::{ListArgs, ListFormat};
use crate::commands::table::table;
use crate::commands::{two_formats, word};
use crate::output::{Output, Rendering};

const HEADER: [&str; 6] = [
    "Name",
    "Type",
    "Version",
    "Source",
    "Installed At",
    "Status",
];
/// Types are as wide as `script` and `agents` even where only shorter ones are shown.
const TYPE_WIDTH: usize = 6;

pub(crate) fn run(world: &World, args: ListArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != ListFormat::Json)
    {
        return output.finish(two_formats(&word(other)), |(), _| {
            Rendering::Text(String::new())
        });
    }
    output.json |= args.format == Some(ListFormat::Json);
    let format = if output.json {
        ListFormat::Json
    } else {
        args.format.unwrap_or(ListFormat::Table)
    };
    let detail = if args.detailed {
        ListDetail::Patches
    } else {
        ListDetail::Locked
    };
    let ListArgs {
        kind,
        source,
        search,
        ..
    } = args;
    let request = ListRequest {
        kind,
        source,
        search,
        detail,
        disk: DiskCheck::Compare,
    };
    output.finish(list(world, &request), |report, _| match format {
        ListFormat::Table => Rendering::Text(text(&report, format)),
        ListFormat::Json | ListFormat::Yaml => Rendering::Data(text(&report, format)),
    })
}

fn text(report: &ListReport, format: ListFormat) -> String {
    match format {
        ListFormat::Table => rows(report),
        ListFormat::Json => report.value().to_json(),
        ListFormat::Yaml => print(&report.value(), Format::Yaml).unwrap_or_default(),
    }
}

fn rows(report: &ListReport) -> String {
    let cells = |row: &ListRow| {
        let [name, kind, rest @ ..] = row.cells.clone();
        [name, format!("{kind:<TYPE_WIDTH$}")]
            .into_iter()
            .chain(rest)
            .collect()
    };
    let rows = report.rows();
    if rows.is_empty() {
        return String::new();
    }
    let text = table(
        &HEADER,
        &rows.iter().map(cells).collect::<Vec<Vec<String>>>(),
    );
    let (header, lines) = text.split_once('\n').unwrap_or((&text, ""));
    let mut out = format!("{header}\n");
    for (line, row) in lines.lines().zip(&rows) {
        out.extend([line, "\n"]);
        row.patches
            .iter()
            .for_each(|patch| out.extend(["  ", patch, "\n"]));
    }
    out
}
