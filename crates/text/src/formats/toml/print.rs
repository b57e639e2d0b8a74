//! Prints TOML. In each table the plain values come first and its sections after them, because TOML cannot return from
//! a section to the table around it; apart from that, keys keep their order.

use crate::formats::quote::print_double_quoted;
use crate::tree::{Format, NodeShape, TreeView, number_as_written};

/// The whole value, with a final newline.
pub(crate) fn print<'a>(view: impl TreeView<'a>) -> String {
    print_document(view, "\n")
}

/// The whole value with these line endings.
pub(super) fn print_document<'a>(view: impl TreeView<'a>, newline: &'static str) -> String {
    let mut out = String::new();
    SectionPrinter {
        out: &mut out,
        newline,
    }
    .body(&mut Vec::new(), view);
    out
}

/// The position of a value, which decides its notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrintPosition {
    /// After `key =` on a line that ends in `
    ///
    /// `: strings may use several lines.
    Line,
    /// Between brackets, or with other line endings.
    Flow,
}

impl PrintPosition {
    /// A multi-line string would include the line endings of the file in its value.
    pub(super) fn of_line(newline: &str) -> Self {
        if newline == "\n" {
            PrintPosition::Line
        } else {
            PrintPosition::Flow
        }
    }
}

/// Whether a value becomes one or several sections where possible.
pub(super) fn is_section<'a>(view: impl TreeView<'a>) -> bool {
    match view.shape() {
        NodeShape::Map(_) => true,
        NodeShape::List(count) => {
            count > 0 && (0..count).all(|at| matches!(view.item(at).shape(), NodeShape::Map(1..)))
        }
        _ => false,
    }
}

fn is_table<'a>(view: impl TreeView<'a>) -> bool {
    matches!(view.shape(), NodeShape::Map(_))
}

/// Prints sections with a blank line between them.
pub(super) struct SectionPrinter<'o> {
    pub(super) out: &'o mut String,
    pub(super) newline: &'static str,
}

impl SectionPrinter<'_> {
    /// Prints one or several sections for `view`, under a header with these keys.
    pub(super) fn section<'a>(&mut self, path: &mut Vec<String>, view: impl TreeView<'a>) {
        match view.shape() {
            NodeShape::List(count) => (0..count).for_each(|at| self.item(path, view.item(at))),
            NodeShape::Map(count) => {
                // A table that holds only sections needs no header.
                let plain = (0..count).any(|at| !is_section(view.entry(at).1));
                if plain || count == 0 {
                    self.header("[", path, "]");
                }
                self.body(path, view);
            }
            _ => {}
        }
    }

    /// One `[[item]]`.
    pub(super) fn item<'a>(&mut self, path: &mut Vec<String>, view: impl TreeView<'a>) {
        self.header("[[", path, "]]");
        let NodeShape::Map(count) = view.shape() else {
            return;
        };
        // Tables in tables of a list hide which item they belong to, so nested lists of tables are printed with the
        // keys of the item.
        let entries = (0..count).map(|at| view.entry(at));
        for (key, value) in entries.clone().filter(|(_, value)| !is_table(*value)) {
            let key = print_key(key);
            if is_section(value) {
                print_lines_of(self.out, &key, value, self.newline);
            } else {
                print_line(self.out, &key, value, self.newline);
            }
        }
        for (key, value) in entries.filter(|(_, value)| is_table(*value)) {
            path.push(print_key(key));
            self.section(path, value);
            path.pop();
        }
    }

    fn header(&mut self, open: &str, path: &[String], close: &str) {
        if !self.out.is_empty() {
            self.out.push_str(self.newline);
        }
        self.out
            .extend([open, &path.join("."), close, self.newline]);
    }

    fn body<'a>(&mut self, path: &mut Vec<String>, view: impl TreeView<'a>) {
        let NodeShape::Map(count) = view.shape() else {
            return;
        };
        let entries = (0..count).map(|at| view.entry(at));
        for (key, value) in entries.clone().filter(|(_, value)| !is_section(*value)) {
            print_line(self.out, &print_key(key), value, self.newline);
        }
        for (key, value) in entries.filter(|(_, value)| is_section(*value)) {
            path.push(print_key(key));
            self.section(path, value);
            path.pop();
        }
    }
}

/// Appends `key = value` with its line ending.
pub(super) fn print_line<'a>(out: &mut String, key: &str, value: impl TreeView<'a>, newline: &str) {
    out.extend([key, " = "]);
    print_value(out, value, PrintPosition::of_line(newline));
    out.push_str(newline);
}

/// Appends `key = [` and each item on its own line.
fn print_lines_of<'a>(out: &mut String, key: &str, list: impl TreeView<'a>, newline: &str) {
    let NodeShape::List(count) = list.shape() else {
        return;
    };
    out.extend([key, " = [", newline]);
    for at in 0..count {
        out.push_str("    ");
        print_value(out, list.item(at), PrintPosition::Flow);
        out.extend([",", newline]);
    }
    out.extend(["]", newline]);
}

/// Appends a value that needs no section.
pub(super) fn print_value<'a>(out: &mut String, view: impl TreeView<'a>, position: PrintPosition) {
    if let Some(number) = number_as_written(view, &[Format::Toml]) {
        return out.push_str(number);
    }
    match view.shape() {
        // Callers never pass null; an empty string is the closest value.
        NodeShape::Null => out.push_str("\"\""),
        NodeShape::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        NodeShape::Integer(text) | NodeShape::DateTime(text) => out.push_str(text),
        NodeShape::Float(text) => out.push_str(text),
        NodeShape::String(text) if position == PrintPosition::Line && fits_lines(text) => {
            print_lines(out, text)
        }
        NodeShape::String(text) => print_string(out, text),
        NodeShape::List(count) => {
            out.push('[');
            for at in 0..count {
                out.push_str(if at > 0 { ", " } else { "" });
                print_value(out, view.item(at), PrintPosition::Flow);
            }
            out.push(']');
        }
        NodeShape::Map(0) => out.push_str("{}"),
        NodeShape::Map(count) => {
            for at in 0..count {
                let (key, value) = view.entry(at);
                out.push_str(if at > 0 { ", " } else { "{ " });
                out.extend([&print_key(key), " = "]);
                print_value(out, value, PrintPosition::Flow);
            }
            out.push_str(" }");
        }
    }
}

/// A key: bare where possible, else in double quotes.
pub(super) fn print_key(key: &str) -> String {
    let bare = !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if bare {
        return key.to_owned();
    }
    let mut out = String::new();
    print_string(&mut out, key);
    out
}

/// Whether a literal string can represent the text.
pub(super) fn fits_literal(text: &str) -> bool {
    text.chars()
        .all(|c| c != '\'' && (c == '\t' || !is_control(c)))
}

/// Whether a multi-line string is more readable than escapes.
fn fits_lines(text: &str) -> bool {
    text.contains('\n')
        && text
            .chars()
            .all(|c| matches!(c, '\n' | '\t') || !is_control(c))
}

fn is_control(c: char) -> bool {
    c < ' ' || c == '\u{7f}'
}

fn print_lines(out: &mut String, text: &str) {
    out.push_str("\"\"\"\n");
    let mut quotes = 0;
    for c in text.chars() {
        quotes = if c == '"' { quotes + 1 } else { 0 };
        match c {
            '\\' => out.push_str("\\\\"),
            '"' if quotes == 3 => {
                out.push_str("\\\"");
                quotes = 0;
            }
            c => out.push(c),
        }
    }
    // A quote right before the closing quotes would be parsed as one of them.
    if quotes > 0 {
        out.pop();
        out.push_str("\\\"");
    }
    out.push_str("\"\"\"");
}

/// Appends a string in double quotes.
fn print_string(out: &mut String, text: &str) {
    print_double_quoted(out, text, |c| !is_control(c));
}
