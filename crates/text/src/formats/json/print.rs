use crate::formats::json::scan::special_byte;
use crate::tree::{NodeShape, TreeView, Value};

/// How a value is laid out where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonLayout<'a> {
    /// On one line: `{"a": 1, "b": 2}`.
    Inline,
    /// On one line without spaces: `{"a":1,"b":2}`.
    Compact,
    /// A line for each child: `unit` deeper than the line that the value starts on, which has `base`.
    Lines {
        base: &'a str,
        unit: &'a str,
        newline: &'a str,
    },
}

/// The whole value, indented by two spaces, without a final newline.
pub(crate) fn print<'a>(view: impl TreeView<'a>) -> String {
    let mut out = String::new();
    print_value(
        &mut out,
        view,
        JsonLayout::Lines {
            base: "",
            unit: "  ",
            newline: "\n",
        },
    );
    out
}

/// Appends a value.
pub(crate) fn print_value<'a>(out: &mut String, view: impl TreeView<'a>, layout: JsonLayout<'_>) {
    JsonPrinter {
        out,
        layout,
        level: 0,
        indent: String::new(),
    }
    .value(view);
}

/// Appends a key with its colon.
pub(crate) fn print_key(out: &mut String, key: &str, layout: JsonLayout<'_>) {
    append_json_string(out, key);
    out.push_str(if layout == JsonLayout::Compact {
        ":"
    } else {
        ": "
    });
}

impl Value {
    /// As JSON: indented by two spaces, with a final newline.
    pub fn to_json(&self) -> String {
        let mut out = print(self);
        out.push('\n');
        out
    }

    /// Appends it as JSON where it is in a document that is written piece by piece: its lines begin with `indent`.
    pub fn append_json(&self, indent: &str, out: &mut String) {
        let layout = JsonLayout::Lines {
            base: indent,
            unit: "  ",
            newline: "\n",
        };
        print_value(out, self, layout);
    }
}

struct JsonPrinter<'o, 'l> {
    out: &'o mut String,
    layout: JsonLayout<'l>,
    level: usize,
    /// The deepest indent so far; others are its beginnings.
    indent: String,
}

impl JsonPrinter<'_, '_> {
    fn value<'a>(&mut self, view: impl TreeView<'a>) {
        match view.shape() {
            NodeShape::Null => self.out.push_str("null"),
            NodeShape::Bool(value) => self.out.push_str(if value { "true" } else { "false" }),
            NodeShape::Integer(text) | NodeShape::Float(text) => self.out.push_str(text),
            NodeShape::String(text) | NodeShape::DateTime(text) => {
                append_json_string(self.out, text)
            }
            NodeShape::List(0) => self.out.push_str("[]"),
            NodeShape::Map(0) => self.out.push_str("{}"),
            NodeShape::List(count) => {
                self.out.push('[');
                self.children(count, |printer, at| printer.value(view.item(at)));
                self.out.push(']');
            }
            NodeShape::Map(count) => {
                self.out.push('{');
                self.children(count, |printer, at| {
                    let (key, value) = view.entry(at);
                    print_key(printer.out, key, printer.layout);
                    printer.value(value);
                });
                self.out.push('}');
            }
        }
    }

    fn children(&mut self, count: usize, mut child: impl FnMut(&mut Self, usize)) {
        self.level += 1;
        for at in 0..count {
            if at > 0 {
                self.out.push(',');
            }
            match self.layout {
                JsonLayout::Inline if at > 0 => self.out.push(' '),
                JsonLayout::Lines { .. } => self.line(),
                _ => {}
            }
            child(self, at);
        }
        self.level -= 1;
        self.line();
    }

    fn line(&mut self) {
        if let JsonLayout::Lines {
            base,
            unit,
            newline,
        } = self.layout
        {
            let length = base.len() + self.level * unit.len();
            if self.indent.is_empty() {
                self.indent.push_str(base);
            }
            while self.indent.len() < length {
                self.indent.push_str(unit);
            }
            self.out.push_str(newline);
            self.out.push_str(&self.indent[..length]);
        }
    }
}

/// Appends a string in double quotes, as JSON writes it.
pub fn append_json_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = special_byte(rest.as_bytes()) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            control => out.push_str(&format!("\\u{control:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}
