//! The rows of a catalog, piece by piece, and the file of one of them.

use std::borrow::Cow;
use std::{io, iter};

use agpm_app::catalog::{CatalogFile, CatalogReport};
use agpm_catalog::CatalogRow;

use crate::diagnostics::one_line;
use crate::rendering::{
    LIST_INDENT, ListDocument, PieceWriter, RenderContext, RenderedReport, Screen,
};
use crate::styled::{LineStyle, StyledLine};
use crate::table::{cut, fit};

/// Columns with a short description of an entry, best first.
const TITLES: [&str; 3] = ["title", "displayName", "description"];
/// The columns of a table; the last is left out where no row is shadowed.
const HEAD: [&str; 6] = ["Kind", "Module", "Name", "Title", "Layer", "Shadowed by"];
/// Longer titles would leave no room for the other columns.
const LONGEST_TITLE: usize = 60;

/// The part of a file that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileView {
    /// Its bytes.
    Content,
    /// Its path.
    Path,
}

/// How rows are printed, unless they are a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogForm {
    /// As a table.
    Table,
    /// As CSV.
    Csv,
}

/// The file of an entry.
pub fn render_file(
    file: CatalogFile,
    view: FileView,
    context: &RenderContext<'_>,
) -> RenderedReport {
    match view {
        _ if context.json => context.document(&file),
        FileView::Path => RenderedReport::Data(format!("{}\n", file.path.display())),
        FileView::Content => RenderedReport::Bytes(file.bytes),
    }
}

/// The rows, in the form that was requested.
pub fn render(
    report: CatalogReport,
    form: CatalogForm,
    context: &RenderContext<'_>,
) -> RenderedReport {
    let is_empty = report.rows().len() == 0;
    match form {
        _ if context.json => {
            let write_items: PieceWriter = Box::new(move |out| {
                report.each_json_piece(LIST_INDENT, |piece| out.write_all(piece.as_bytes()))
            });
            context.list_document(ListDocument {
                key: "rows",
                is_empty,
                write_items,
            })
        }
        CatalogForm::Csv => RenderedReport::Stream(Box::new(move |out| {
            report.each_csv_piece(|piece| out.write_all(piece.as_bytes()))
        })),
        CatalogForm::Table if is_empty => RenderedReport::Text(String::new()),
        CatalogForm::Table => {
            let screen = context.screen;
            RenderedReport::Stream(Box::new(move |out| {
                each_table_piece(&report, screen, |line| out.write_all(line.as_bytes()))
            }))
        }
    }
}

/// Prints the table line by line. Rows are visited twice, once for the widths, because the cells of a large catalog
/// would fill memory.
fn each_table_piece(
    report: &CatalogReport,
    screen: Screen,
    mut write: impl FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    let mut widths = HEAD.map(width_of);
    let mut with_shadows = false;
    report.each_piece(widths_of, |of_piece| {
        with_shadows |= of_piece[HEAD.len() - 1] > 0;
        widths
            .iter_mut()
            .zip(of_piece)
            .for_each(|(width, other)| *width = (*width).max(other));
        Ok(())
    })?;
    // Without shadowed rows, the last column would be empty.
    let widths = if with_shadows {
        &mut widths[..]
    } else {
        &mut widths[..HEAD.len() - 1]
    };
    if let Some(width) = screen.width {
        fit(widths, width);
    }
    let widths = &*widths;
    let mut head = String::new();
    append_line(&HEAD.map(Cow::from), widths, &mut head);
    write(&StyledLine::new(head.trim_end(), LineStyle::Heading).draw(screen.color))?;
    report.each_piece(|rows| lines_of(rows, widths), |lines| write(&lines))
}

/// The widths of the columns of some rows.
fn widths_of<'c>(rows: &mut dyn Iterator<Item = CatalogRow<'c>>) -> [usize; HEAD.len()] {
    let mut widths = [0; HEAD.len()];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(cells(row)) {
            *width = (*width).max(width_of(&cell));
        }
    }
    widths
}

fn lines_of<'c>(rows: &mut dyn Iterator<Item = CatalogRow<'c>>, widths: &[usize]) -> String {
    let mut lines = String::new();
    for row in rows {
        append_line(&cells(row), widths, &mut lines);
    }
    lines
}

/// The cells of a row.
fn cells(row: CatalogRow<'_>) -> [Cow<'_, str>; HEAD.len()] {
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
    let is_plain = text
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if is_plain {
        text
    } else {
        Cow::from(one_line(&text))
    }
}

fn width_of(cell: &str) -> usize {
    if cell.is_ascii() {
        cell.len()
    } else {
        cell.chars().count()
    }
}

/// Two spaces between columns, none at the end of a line.
fn append_line(cells: &[Cow<'_, str>], widths: &[usize], out: &mut String) {
    for (cell, width) in cells.iter().zip(widths) {
        let cell = if width_of(cell) > *width {
            Cow::from(cut(cell, *width))
        } else {
            Cow::from(cell.as_ref())
        };
        out.push_str(&cell);
        out.extend(iter::repeat_n(' ', width - width_of(&cell) + 2));
    }
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

fn title(row: CatalogRow<'_>) -> Cow<'_, str> {
    let title_column = TITLES
        .iter()
        .filter_map(|column| row.row().get(column))
        .find(|text| !text.trim().is_empty());
    let text = title_column.unwrap_or_default();
    // Short in bytes is also short in characters.
    let cut = if text.len() > LONGEST_TITLE {
        text.char_indices().nth(LONGEST_TITLE)
    } else {
        None
    };
    cut.map_or(Cow::from(text), |(end, _)| {
        Cow::from(format!("{}…", &text[..end]))
    })
}
