use crate::formats::quote::print_double_quoted;
use crate::formats::yaml::scalar::{ScalarContext, is_plain, is_printable};
use crate::limits::LONGEST_KEY;
use crate::tree::{Format, NodeShape, TreeView, number_as_written};

/// The default indentation per level.
pub(crate) const UNIT: usize = 2;

/// The width of `- `.
const DASH: usize = 2;

/// The whole value in block style, indented by two spaces, with a final newline.
pub(crate) fn print<'a>(view: impl TreeView<'a>) -> String {
    let mut out = String::new();
    BlockPrinter {
        out: &mut out,
        newline: "\n",
        unit: UNIT,
        literals: LiteralBlocks::All,
    }
    .value(view, 0);
    out.push('\n');
    out
}

/// Appends values in block style, without a newline after the last line.
pub(crate) struct BlockPrinter<'o> {
    pub(crate) out: &'o mut String,
    pub(crate) newline: &'static str,
    /// The indentation per level.
    pub(crate) unit: usize,
    pub(crate) literals: LiteralBlocks,
}

/// Whether multi-line strings may be literal blocks at this position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiteralBlocks {
    All,
    /// Only those without trailing blank lines: following blank lines would join them.
    Clipped,
    /// No, because a comment or the end of the text follows and would become part of them.
    Avoided,
}

impl BlockPrinter<'_> {
    /// Starts a line indented by `column` blanks.
    pub(crate) fn line(&mut self, column: usize) {
        self.out.push_str(self.newline);
        self.blanks(column);
    }

    pub(crate) fn blanks(&mut self, column: usize) {
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    /// A value whose first byte is at `column`.
    pub(crate) fn value<'a>(&mut self, view: impl TreeView<'a>, column: usize) {
        match view.shape() {
            NodeShape::List(count) if count > 0 => self.children(count, column, |printer, at| {
                printer.item(view.item(at), column);
            }),
            NodeShape::Map(count) if count > 0 => self.children(count, column, |printer, at| {
                let (key, value) = view.entry(at);
                printer.entry(key, value, column);
            }),
            _ => self.scalar(view, column),
        }
    }

    fn children(&mut self, count: usize, column: usize, mut child: impl FnMut(&mut Self, usize)) {
        for at in 0..count {
            if at > 0 {
                self.line(column);
            }
            child(self, at);
        }
    }

    /// `- value`, with the dash at `column`.
    pub(crate) fn item<'a>(&mut self, view: impl TreeView<'a>, column: usize) {
        self.out.push_str("- ");
        if is_filled(view) {
            self.value(view, column + DASH)
        } else {
            self.scalar(view, column + DASH)
        }
    }

    /// `key: value`, with the key at `column`.
    pub(crate) fn entry<'a>(&mut self, key: &str, view: impl TreeView<'a>, column: usize) {
        let start = self.out.len();
        print_string(self.out, key, ScalarContext::Block, QuoteStyle::None);
        if self.out.len() - start > LONGEST_KEY {
            self.out.insert_str(start, "? ");
            self.line(column);
        }
        self.out.push(':');
        if is_filled(view) {
            self.line(column + self.unit);
            self.value(view, column + self.unit);
        } else {
            self.out.push(' ');
            self.scalar(view, column + self.unit);
        }
    }

    /// A value on one line, or a multi-line string indented by `column` (at the top by one level).
    pub(crate) fn scalar<'a>(&mut self, view: impl TreeView<'a>, column: usize) {
        match view.shape() {
            NodeShape::String(text) if self.takes_literal(text) => {
                self.literal(text, column.max(self.unit))
            }
            _ => print_flow(self.out, view, ScalarContext::Block, QuoteStyle::None),
        }
    }

    fn takes_literal(&self, text: &str) -> bool {
        let fits = match self.literals {
            LiteralBlocks::All => true,
            LiteralBlocks::Clipped => !text.ends_with("\n\n"),
            LiteralBlocks::Avoided => false,
        };
        fits && is_literal(text)
    }

    /// `|` and the lines of `text`, indented by `column`.
    fn literal(&mut self, text: &str, column: usize) {
        let body = text.strip_suffix('\n');
        self.out.push_str(match body {
            None => "|-",
            Some(body) if body.ends_with('\n') => "|+",
            Some(_) => "|",
        });
        for line in body.unwrap_or(text).split('\n') {
            if line.is_empty() {
                self.out.push_str(self.newline);
            } else {
                self.line(column);
                self.out.push_str(line);
            }
        }
    }
}

/// Whether a value is a non-empty container, which needs separate lines in block style.
pub(crate) fn is_filled<'a>(view: impl TreeView<'a>) -> bool {
    matches!(view.shape(), NodeShape::List(count) | NodeShape::Map(count) if count > 0)
}

/// Whether text reads back exactly from a literal block, in every reader and after every editor.
fn is_literal(text: &str) -> bool {
    let good_line = |line: &str| {
        !line.ends_with([' ', '\t']) && line.chars().all(|c| is_printable(c) || c == '\t')
    };
    text.trim_end_matches('\n').contains('\n')
        && !text.starts_with([' ', '\t', '\n', '#'])
        && text
            .split('\n')
            .all(|line| good_line(line) && !line.starts_with('\t'))
}

/// The quotes of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuoteStyle {
    None,
    Single,
    Double,
}

/// Appends a value on one line.
pub(crate) fn print_flow<'a>(
    out: &mut String,
    view: impl TreeView<'a>,
    context: ScalarContext,
    quotes: QuoteStyle,
) {
    if let Some(number) = number_as_written(view, &[Format::Yaml, Format::Markdown]) {
        return out.push_str(number);
    }
    match view.shape() {
        NodeShape::Null => out.push_str("null"),
        NodeShape::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        NodeShape::Integer(text) => out.push_str(text),
        NodeShape::Float("inf") => out.push_str(".inf"),
        NodeShape::Float("-inf") => out.push_str("-.inf"),
        NodeShape::Float("nan") => out.push_str(".nan"),
        NodeShape::Float(text) => out.push_str(text),
        NodeShape::String(text) => print_string(out, text, context, quotes),
        NodeShape::DateTime(text) => print_double(out, text),
        NodeShape::List(count) => {
            out.push('[');
            (0..count).for_each(|at| {
                out.push_str(if at > 0 { ", " } else { "" });
                print_flow(out, view.item(at), ScalarContext::Flow, QuoteStyle::None);
            });
            out.push(']');
        }
        NodeShape::Map(count) => {
            out.push('{');
            (0..count).for_each(|at| {
                out.push_str(if at > 0 { ", " } else { "" });
                let (key, value) = view.entry(at);
                print_flow_entry(out, key, value);
            });
            out.push('}');
        }
    }
}

/// Appends `key: value` in flow style.
pub(crate) fn print_flow_entry<'a>(out: &mut String, key: &str, value: impl TreeView<'a>) {
    let start = out.len();
    print_string(out, key, ScalarContext::Flow, QuoteStyle::None);
    if out.len() - start > LONGEST_KEY {
        out.insert_str(start, "? ");
        out.push(' ');
    }
    out.push_str(": ");
    print_flow(out, value, ScalarContext::Flow, QuoteStyle::None);
}

/// Appends a string on one line, with the previous quotes if possible.
pub(crate) fn print_string(
    out: &mut String,
    text: &str,
    context: ScalarContext,
    quotes: QuoteStyle,
) {
    match quotes {
        QuoteStyle::None if is_plain(text, context) => out.push_str(text),
        QuoteStyle::Single if text.chars().all(is_printable) => {
            out.push('\'');
            out.push_str(&text.replace('\'', "''"));
            out.push('\'');
        }
        _ => print_double(out, text),
    }
}

fn print_double(out: &mut String, text: &str) {
    print_double_quoted(out, text, is_printable);
}
