use std::borrow::Cow;
use std::process::ExitCode;
use std::{io, iter};

use agpm_ops::{
    CatalogFile, CatalogFilter, CatalogMode, CatalogPlaces, CatalogRead, CatalogReport, CatalogRequest,
    CatalogRow, Shadowed, World, catalog, catalog_show,
};
use clap::ValueEnum;

use crate::args::{CatalogArgs, CatalogCommand, CatalogFormat, ModeArg, PlacesArgs};
use crate::commands::two_formats;
use crate::draw::one_line;
use crate::output::{LIST_INDENT, ListReport, Output, Rendering, Shown, Writing};

/// Columns that say in a few words what an entry is, best first.
const TITLES: [&str; 3] = ["title", "displayName", "description"];
/// Longer ones would push everything else aside.
const LONGEST_TITLE: usize = 60;

pub(crate) fn run(world: &World, args: CatalogArgs, output: &mut Output) -> ExitCode {
    if let Some(CatalogCommand::Show { name, kind, path, places }) = args.one {
        let request = CatalogRead { places: places.places(), name, kind: kind.map(|kind| kind.kind()) };
        let wanted = if path { Wanted::Path } else { Wanted::Content };
        return output.finish(catalog_show(world, &request), |file, shown| render_file(file, wanted, shown));
    }
    if let Some(other) = args.format.filter(|format| output.json && *format != CatalogFormat::Json) {
        let other = other.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        return output.finish(two_formats::<()>(&other), |(), _| Rendering::Text(String::new()));
    }
    output.json |= args.format == Some(CatalogFormat::Json);
    let format = args.format.unwrap_or(CatalogFormat::Table);
    let request = CatalogRequest {
        places: args.places.places(),
        filter: CatalogFilter { kind: args.kind.map(|kind| kind.kind()), module: args.module },
        shadowed: if args.all { Shadowed::Listed } else { Shadowed::Hidden },
    };
    let mut outcome = catalog(world, &request);
    if let (true, Ok(report)) = (output.is_verbose(), &outcome.result) {
        outcome.log.extend(report.origins(&outcome.sources));
    }
    output.finish(outcome, |report, shown| render(report, format, shown))
}

/// What is shown of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Content,
    Path,
}

fn render_file(file: CatalogFile, wanted: Wanted, shown: &Shown<'_>) -> Rendering {
    match wanted {
        _ if shown.json => shown.report(file.fields()),
        Wanted::Path => Rendering::Text(format!("{}\n", file.path.display())),
        Wanted::Content => Rendering::Bytes(file.bytes),
    }
}

fn render(report: CatalogReport, format: CatalogFormat, shown: &Shown<'_>) -> Rendering {
    let is_empty = report.rows().len() == 0;
    match format {
        _ if shown.json => {
            let write_items: Writing = Box::new(move |out| {
                report.each_json_piece(LIST_INDENT, |piece| out.write_all(piece.as_bytes()))
            });
            shown.list_report(ListReport { key: "rows", is_empty, write_items })
        }
        CatalogFormat::Csv => Rendering::Stream(Box::new(move |out| {
            report.each_csv_piece(|piece| out.write_all(piece.as_bytes()))
        })),
        _ if is_empty => Rendering::Text(String::new()),
        _ => {
            Rendering::Stream(Box::new(move |out| each_line(&report, |line| out.write_all(line.as_bytes()))))
        }
    }
}

/// As a table.
pub(crate) fn drawn(report: &CatalogReport) -> String {
    let mut text = String::new();
    let written = each_line(report, |line| {
        text.push_str(line);
        Ok(())
    });
    written.map(|()| text).unwrap_or_default()
}

/// The table line by line. Rows are looked at twice, once for the widths: cells of a large catalog are many, and short-lived.
fn each_line(report: &CatalogReport, mut write: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    let with_shadows = report.rows().any(|row| row.shadowed_by().is_some());
    let mut head = vec!["Kind", "Module", "Name", "Title", "Layer"];
    head.extend(with_shadows.then_some("Shadowed by"));
    let mut widths: Vec<usize> = head.iter().map(|cell| cell.chars().count()).collect();
    for row in report.rows() {
        for (width, cell) in widths.iter_mut().zip(cells(row)) {
            *width = (*width).max(width_of(&cell));
        }
    }
    let mut line = String::new();
    append_line(head.into_iter().map(Cow::from), &widths, &mut line);
    write(&line)?;
    for row in report.rows() {
        line.clear();
        append_line(cells(row).into_iter().take(widths.len()), &widths, &mut line);
        write(&line)?;
    }
    Ok(())
}

/// What a row has in each column.
fn cells(row: CatalogRow<'_>) -> [Cow<'_, str>; 6] {
    let entry = row.row();
    let by = row.shadowed_by().unwrap_or_default();
    [
        Cow::from(entry.kind().singular()),
        on_one_line(Cow::from(entry.module())),
        on_one_line(Cow::from(entry.name())),
        on_one_line(title(row)),
        on_one_line(Cow::from(row.layer())),
        on_one_line(Cow::from(by)),
    ]
}

/// Most cells are plain letters, which need no copy.
fn on_one_line(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if is_plain { text } else { Cow::from(one_line(&text)) }
}

fn width_of(cell: &str) -> usize {
    if cell.is_ascii() { cell.len() } else { cell.chars().count() }
}

/// Two spaces between columns, none at the end of a line.
fn append_line<'c>(cells: impl Iterator<Item = Cow<'c, str>>, widths: &[usize], out: &mut String) {
    for (cell, width) in cells.zip(widths) {
        out.push_str(&cell);
        out.extend(iter::repeat_n(' ', width - width_of(&cell) + 2));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
}

fn title(row: CatalogRow<'_>) -> Cow<'_, str> {
    let said = TITLES.iter().filter_map(|column| row.row().get(column)).find(|text| !text.trim().is_empty());
    let text = said.unwrap_or_default();
    match text.char_indices().nth(LONGEST_TITLE) {
        Some((end, _)) => Cow::from(format!("{}…", &text[..end])),
        None => Cow::from(text),
    }
}

impl PlacesArgs {
    /// As a request has them.
    pub(crate) fn places(self) -> CatalogPlaces {
        let mode = match self.mode {
            ModeArg::Auto => CatalogMode::Auto,
            ModeArg::Local => CatalogMode::Local,
            ModeArg::User => CatalogMode::User,
            ModeArg::Strict => CatalogMode::Strict,
        };
        CatalogPlaces { mode, remotes: self.remote }
    }
}
