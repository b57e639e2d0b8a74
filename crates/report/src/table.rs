//! Tables whose columns are as wide as their widest cell, or as a terminal allows.

use crate::styled::{LineStyle, StyledLine, StyledPiece};

/// No column gets narrower than this to fit a terminal.
const NARROWEST: usize = 6;
const GAP: &str = "  ";

/// Cells without a color.
pub(crate) fn plain_rows(rows: &[Vec<String>]) -> Vec<Vec<StyledPiece>> {
    let row = |row: &Vec<String>| row.iter().map(StyledPiece::plain).collect();
    rows.iter().map(row).collect()
}

/// A table with a head. On a terminal of that width, long cells are cut with `…`.
pub(crate) fn table_lines(
    head: &[&str],
    rows: &[Vec<StyledPiece>],
    width: Option<usize>,
) -> Vec<StyledLine> {
    let head = head.iter();
    let head = head.map(|cell| StyledPiece::new(cell, LineStyle::Heading));
    let all: Vec<Vec<StyledPiece>> = std::iter::once(head.collect())
        .chain(rows.iter().cloned())
        .collect();
    column_lines(&all, width)
}

/// The same without a head.
pub(crate) fn column_lines(rows: &[Vec<StyledPiece>], width: Option<usize>) -> Vec<StyledLine> {
    let count = rows.first().map_or(0, Vec::len);
    let widest = |column: usize| rows.iter().map(|row| letters(&row[column].text)).max();
    let mut widths: Vec<usize> = (0..count).map(|at| widest(at).unwrap_or(0)).collect();
    if let Some(width) = width {
        fit(&mut widths, width);
    }
    rows.iter().map(|row| line(row, &widths)).collect()
}

/// Shrinks the widest column until all columns fit, or none can shrink further.
pub(crate) fn fit(widths: &mut [usize], available: usize) {
    let gaps = GAP.len() * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > available {
        match widths.iter_mut().max() {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            _ => return,
        }
    }
}

/// Cuts text that is too wide, and ends it with `…`.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if letters(text) <= width {
        return text.to_owned();
    }
    let text: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", text.trim_end())
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

fn line(row: &[StyledPiece], widths: &[usize]) -> StyledLine {
    let last = row
        .iter()
        .rposition(|cell| !cell.text.trim_end().is_empty());
    let mut pieces = Vec::new();
    let cells = last.map_or(0, |last| last + 1);
    for (at, (cell, width)) in row.iter().zip(widths).take(cells).enumerate() {
        let text = cut(&cell.text, *width);
        let is_last = at + 1 == cells;
        let text = if is_last {
            text.trim_end().to_owned()
        } else {
            text
        };
        let padding = if is_last {
            String::new()
        } else {
            " ".repeat(width.saturating_sub(letters(&text)) + GAP.len())
        };
        pieces.push(StyledPiece::new(text, cell.style));
        pieces.push(StyledPiece::plain(padding));
    }
    StyledLine::of(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<StyledPiece>> {
        let row = ["agents/reviewer", "a description of many words", "x"];
        vec![row.map(StyledPiece::plain).to_vec()]
    }

    fn texts(width: Option<usize>) -> Vec<String> {
        let lines = table_lines(&["Id", "Description", "Z"], &rows(), width);
        lines.iter().map(StyledLine::text).collect()
    }

    #[test]
    fn a_table_is_whole_unless_a_terminal_is_too_narrow() {
        let rows = texts(None);
        assert_eq!(rows[0], "Id               Description                  Z");
        assert_eq!(rows[1], "agents/reviewer  a description of many words  x");
        assert_eq!(texts(Some(60)), rows);
        let narrow = texts(Some(36));
        assert_eq!(narrow[1], "agents/reviewer  a description o…  x");
        assert!(narrow.iter().all(|line| line.chars().count() <= 36));
    }

    #[test]
    fn a_terminal_that_is_far_too_narrow_does_not_hide_everything() {
        let lines = texts(Some(5));
        assert!(lines[1].starts_with("agent…"), "{lines:?}");
    }
}
