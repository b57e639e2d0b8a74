use std::ops::Range;

use crate::formats::flow::{
    CommentSyntax, FlowContainer, FlowInsertion, FlowLayout, LineLayout, blanks_of, line_indent,
    line_start, newline_of,
};
use crate::formats::json::{JsonLayout, print_key, print_value};
use crate::tree::{
    ContainerChange, Document, DocumentChanges, NodeId, NodeKind, NodeRef, Splices, TreeView,
};

const DEFAULT_UNIT: &str = "  ";

pub(crate) fn splice<'v, V: TreeView<'v>>(
    document: &Document,
    changes: &DocumentChanges<'v, V>,
    splices: &mut Splices,
) {
    let style = JsonStyle::of(document);
    if let Some(root) = changes.root {
        let text = &*document.text;
        splices.put_with(text.len()..text.len(), |out| {
            if !text.is_empty() && !text.ends_with(['\n', '\u{feff}']) {
                out.push_str(style.newline);
            }
            print_value(out, root, style.lines(""));
            out.push_str(style.newline);
        });
    }
    for (node, value) in &changes.replaced {
        let range = document.node(*node).span().range();
        let layout = style.layout_at(range.start);
        splices.put_with(range, |out| print_value(out, *value, layout));
    }
    for change in &changes.containers {
        splice_container(document, &style, change, splices);
    }
}

/// The style of the document, which new text follows.
struct JsonStyle<'d> {
    text: &'d str,
    /// Where lines begin; a line may be as long as the text.
    lines: Vec<usize>,
    unit: &'d str,
    newline: &'static str,
    one_line: JsonLayout<'static>,
}

impl<'d> JsonStyle<'d> {
    fn of(document: &'d Document) -> Self {
        let newline = newline_of(&document.text);
        let text = &*document.text;
        let lines = text
            .match_indices('\n')
            .map(|(newline, _)| newline + 1)
            .collect();
        let mut style = JsonStyle {
            text,
            lines,
            unit: DEFAULT_UNIT,
            newline,
            one_line: JsonLayout::Inline,
        };
        let Some(root) = document.root() else {
            return style;
        };
        if let Some((key, value)) = root.entries().next()
            && value.span().start == key.span().end + 1
        {
            style.one_line = JsonLayout::Compact;
        }
        let first = match root.kind() {
            NodeKind::Map => root.entries().next().map(|(key, _)| key),
            _ => root.items().next(),
        };
        if let Some(first) = first {
            let at = first.span().start as usize;
            let indent = line_indent(text, at);
            let own_line = line_start(text, at) > root.span().start as usize;
            if own_line && !indent.is_empty() {
                style.unit = indent;
            }
        }
        style
    }

    fn lines<'s>(&'s self, base: &'s str) -> JsonLayout<'s> {
        JsonLayout::Lines {
            base,
            unit: self.unit,
            newline: self.newline,
        }
    }

    /// The text before a position on its line.
    fn line_before(&self, at: usize) -> &'d str {
        let line = self.lines.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).map_or(0, |line| self.lines[line]);
        self.text[start..at].trim_start_matches('\u{feff}')
    }

    /// Values that have a line to themselves may take more of them.
    fn layout_at(&self, at: usize) -> JsonLayout<'_> {
        let line = self.line_before(at);
        let before = line.trim();
        let whole_line =
            before.is_empty() && self.lines.first().is_some_and(|second| *second <= at);
        if whole_line || is_one_key(before) || is_blank_start(self.text, at) {
            self.lines(blanks_of(line))
        } else {
            self.one_line
        }
    }
}

/// The root of a document that starts at its first byte has the page to itself.
fn is_blank_start(text: &str, at: usize) -> bool {
    text[..at].trim_start_matches('\u{feff}').trim().is_empty()
}

/// Whether this is a single key with its colon.
fn is_one_key(before: &str) -> bool {
    let Some(inside) = before.strip_prefix('"').and_then(|b| b.strip_suffix(':')) else {
        return false;
    };
    let Some(inside) = inside.trim_end().strip_suffix('"') else {
        return false;
    };
    let mut escaped = false;
    inside.bytes().all(|b| {
        let quote = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        !quote
    })
}

fn splice_container<'v, V: TreeView<'v>>(
    document: &Document,
    style: &JsonStyle<'_>,
    change: &ContainerChange<'v, V>,
    splices: &mut Splices,
) {
    let text = &*document.text;
    let flow = FlowContainer {
        text,
        inside: inside(document, change.container),
        children: children(document, change.container),
        comments: CommentSyntax::Slashes,
    };
    let open = flow.inside.start - 1;
    let base = blanks_of(style.line_before(open));
    let opens_lines =
        flow.children.is_empty() && matches!(style.layout_at(open), JsonLayout::Lines { .. });
    let indent = flow
        .child_indent()
        .map_or_else(|| format!("{base}{}", style.unit), str::to_owned);
    let (layout, value_layout) = if flow.is_lines() || opens_lines {
        (
            FlowLayout::Lines(LineLayout {
                indent: indent.clone(),
                base: base.to_owned(),
            }),
            style.lines(&indent),
        )
    } else {
        let gap = flow
            .gap()
            .unwrap_or(if style.one_line == JsonLayout::Compact {
                ""
            } else {
                " "
            });
        (FlowLayout::Inline { gap }, style.one_line)
    };
    // Where one child keeps to its line, so do new ones.
    let siblings_inline = first_value(document, change.container)
        .is_some_and(|node| node.len() > 0 && !text[node.span().range()].contains('\n'));
    let value_layout = if siblings_inline {
        style.one_line
    } else {
        value_layout
    };
    let inserted: Vec<FlowInsertion> = change
        .inserted
        .iter()
        .map(|insertion| {
            let mut printed = String::new();
            if let Some(key) = insertion.key {
                print_key(&mut printed, key, value_layout);
            }
            print_value(&mut printed, insertion.value, value_layout);
            FlowInsertion {
                before: insertion.before,
                printed,
            }
        })
        .collect();
    flow.splice(&change.removed, &inserted, &layout, splices);
}

fn first_value(document: &Document, container: NodeId) -> Option<NodeRef<'_>> {
    let node = document.node(container);
    match node.kind() {
        NodeKind::Map => node.entries().next().map(|(_, value)| value),
        _ => node.items().next(),
    }
}

fn inside(document: &Document, container: NodeId) -> Range<usize> {
    let range = document.node(container).span().range();
    range.start + 1..range.end - 1
}

fn children(document: &Document, container: NodeId) -> Vec<Range<usize>> {
    let node = document.node(container);
    match node.kind() {
        NodeKind::Map => node
            .entries()
            .map(|(k, v)| k.span().range().start..v.span().range().end)
            .collect(),
        _ => node.items().map(|item| item.span().range()).collect(),
    }
}
