//! Lines for people, and how their parts are colored on a terminal.

use crate::diagnostics::{ColorMode, one_line};

/// A line of text for people, in parts that are colored each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledLine {
    pieces: Vec<StyledPiece>,
}

/// A part of a line, without a line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledPiece {
    /// The text.
    pub text: String,
    /// The color of the styled piece.
    pub style: LineStyle,
}

/// The role of a line or of a part of it, which decides its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// Text without a role.
    Plain,
    /// A title.
    Heading,
    /// Something new or good.
    Added,
    /// Something removed or wrong.
    Removed,
    /// Something that changes or needs attention.
    Changed,
    /// The type or the id of a resource, or the name of a layer.
    Identity,
    /// Secondary text.
    Faint,
}

impl LineStyle {
    /// The number of the escape code.
    fn code(self) -> Option<&'static str> {
        match self {
            LineStyle::Plain => None,
            LineStyle::Heading => Some("1"),
            LineStyle::Added => Some("32"),
            LineStyle::Removed => Some("31"),
            LineStyle::Changed => Some("33"),
            LineStyle::Identity => Some("36"),
            LineStyle::Faint => Some("2"),
        }
    }
}

impl StyledPiece {
    /// A part with a style; nothing in it can act on a terminal.
    pub fn new(text: impl AsRef<str>, style: LineStyle) -> Self {
        let text = one_line(text.as_ref());
        StyledPiece { text, style }
    }

    /// A part without a color.
    pub fn plain(text: impl AsRef<str>) -> Self {
        StyledPiece::new(text, LineStyle::Plain)
    }

    fn draw(&self, color: ColorMode) -> String {
        match self.style.code() {
            Some(code) if color == ColorMode::Colour && !self.text.is_empty() => {
                format!("\u{1b}[{code}m{}\u{1b}[0m", self.text)
            }
            _ => self.text.clone(),
        }
    }
}

impl StyledLine {
    /// A line without a color.
    pub fn plain(text: impl AsRef<str>) -> Self {
        StyledLine::new(text, LineStyle::Plain)
    }

    /// A line with one style.
    pub fn new(text: impl AsRef<str>, style: LineStyle) -> Self {
        StyledLine::of([StyledPiece::new(text, style)])
    }

    /// A line of several parts, one after the other.
    pub fn of(pieces: impl IntoIterator<Item = StyledPiece>) -> Self {
        StyledLine {
            pieces: pieces.into_iter().collect(),
        }
    }

    /// The line without its colors.
    pub fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect()
    }

    /// The line as it is printed, with its line break.
    pub fn draw(&self, color: ColorMode) -> String {
        let pieces: String = self.pieces.iter().map(|piece| piece.draw(color)).collect();
        format!("{pieces}\n")
    }
}

/// Lines as they are printed.
pub fn draw_lines(lines: &[StyledLine], color: ColorMode) -> String {
    lines.iter().map(|line| line.draw(color)).collect()
}
