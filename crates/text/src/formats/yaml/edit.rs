//! Lossless edits of YAML: decides which bytes are replaced.

use std::ops::Range;

use crate::formats::flow::{
    CommentSyntax, FlowContainer, FlowInsertion, FlowLayout, LineLayout, after_mark, is_blank,
    line_indent, line_start, newline_of,
};
use crate::formats::yaml::block::{BlockEditor, print_children};
use crate::formats::yaml::editor::{ContainerFilling, NewChild, YamlEditor};
use crate::formats::yaml::entangled;
use crate::formats::yaml::node_locator::{ContainerForm, NodeIndicator, NodeLead, NodeLocator};
use crate::formats::yaml::print::{
    BlockPrinter, LiteralBlocks, QuoteStyle, is_filled, print_flow, print_flow_entry,
};
use crate::formats::yaml::scalar::ScalarContext;
use crate::formats::yaml::scan::{after_comment, line_end, skip_trivia};
use crate::tree::{
    Document, DocumentChanges, EditError, NodeId, NodeKind, NodeRef, Splices, TreeView,
};

pub(crate) fn splice<'v, V: TreeView<'v>>(
    document: &Document,
    changes: &DocumentChanges<'v, V>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let start = after_mark(&document.text);
    splice_within(document, start..document.text.len(), changes, splices)
}

/// Edits the YAML that is in a range of the text.
pub(crate) fn splice_within<'v, V: TreeView<'v>>(
    document: &Document,
    range: Range<usize>,
    changes: &DocumentChanges<'v, V>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let locator = NodeLocator::new(document, range);
    // Anchors, aliases and merge keys make one string represent several values. An edit that would change more than
    // its node is refused before any byte moves.
    entangled::check(&locator, changes)?;
    let (newline, unit) = (newline_of(&document.text), locator.indent_unit());
    let mut editor = YamlEditor {
        locator,
        newline,
        unit,
        splices,
    };
    if let Some(root) = changes.root {
        editor.append_root(root);
    }
    let mut containers: Vec<ContainerFilling<'_, V>> = changes
        .containers
        .iter()
        .map(ContainerFilling::of)
        .collect();
    for (id, value) in &changes.replaced {
        match editor
            .locator
            .parent(*id)
            // A value that comes through `<<` has its text in another object. Changing it there would change every
            // object that inherits it, so the key is added here.
            .filter(|_| editor.locator.is_inherited(*id))
        {
            Some((map, index)) => editor.override_inherited(map, index, *value, &mut containers),
            None => editor.replace(*id, *value),
        }
    }
    // If both end on one line, insertions in the inner container precede those in the outer one.
    containers.sort_by_key(|filling| std::cmp::Reverse(editor.locator.depth(filling.container)));
    for filling in &containers {
        editor.change(filling);
    }
    Ok(())
}

impl<'d> YamlEditor<'d, '_> {
    fn append_root<'v>(&mut self, root: impl TreeView<'v>) {
        let text = self.locator.text;
        // A document may end with `...`. Text after it would be a second document.
        let ended = text
            .rfind("...")
            .filter(|at| skip_trivia(text, at + 3) == text.len() && self.locator.column(*at) == 0);
        let end = ended.unwrap_or(text.len());
        // A file without a final newline: the new value must not join its last line, which may be a comment.
        let open_line = end > 0 && !text[..end].ends_with(['\n', '\u{feff}']);
        self.put(end..end, LiteralBlocks::All, |printer| {
            if open_line {
                printer.line(0);
            }
            printer.value(root, 0);
            printer.line(0);
        });
    }

    fn override_inherited<'c, V: Copy>(
        &self,
        map: NodeId,
        index: usize,
        value: V,
        containers: &mut Vec<ContainerFilling<'c, V>>,
    ) where
        'd: 'c,
    {
        let node = self.locator.node(map);
        let key = self.locator.key(map, index).map(NodeRef::content);
        let new = NewChild {
            before: node.len(),
            key,
            value,
        };
        match containers
            .iter_mut()
            .find(|filling| filling.container == map)
        {
            Some(filling) => filling.inserted.push(new),
            None => containers.push(ContainerFilling {
                container: map,
                removed: &[],
                inserted: vec![new],
            }),
        }
    }

    fn replace<'v>(&mut self, id: NodeId, value: impl TreeView<'v>) {
        let lead = self.locator.lead(id);
        self.drop_tags(&lead);
        if lead.by == NodeIndicator::MissingColon {
            self.give_value(id, value);
        } else if self.locator.context(id) == ScalarContext::Flow {
            self.replace_in_flow(id, value);
        } else if is_filled(value) {
            self.replace_with_block(id, &lead, |printer, column| printer.value(value, column));
        } else {
            self.replace_with_scalar(id, value, &lead);
        }
    }

    /// Removes the tag, which describes the old value.
    fn drop_tags(&mut self, lead: &NodeLead) {
        for tag in &lead.tags {
            self.splices.put(self.before_blanks(tag.start)..tag.end, "");
        }
    }

    /// Adds a value to a key without one.
    fn give_value<'v>(&mut self, id: NodeId, value: impl TreeView<'v>) {
        let at = self.locator.range(id).start;
        let column = self.locator.parent_column(id).unwrap_or(0);
        if self.locator.context(id) == ScalarContext::Flow {
            self.put(at..at, LiteralBlocks::Avoided, |printer| {
                printer.out.push_str(": ");
                print_flow(printer.out, value, ScalarContext::Flow, QuoteStyle::None);
            });
            return;
        }
        let at = after_comment(self.locator.text, at);
        self.put(at..at, LiteralBlocks::Avoided, |printer| {
            printer.line(column);
            printer.out.push(':');
            if is_filled(value) {
                printer.line(column + printer.unit)
            } else {
                printer.out.push(' ')
            }
            printer.value(value, column + printer.unit);
        });
    }

    /// A blank, if a value follows an indicator immediately.
    fn glue(&self, range: &Range<usize>) -> &'static str {
        let before = self.locator.text[..range.start].chars().next_back();
        let needed = range.is_empty() && before.is_some_and(|c| !matches!(c, ' ' | '\t' | '\n'));
        if needed { " " } else { "" }
    }

    fn quotes(&self, id: NodeId) -> QuoteStyle {
        match self
            .locator
            .text
            .as_bytes()
            .get(self.locator.range(id).start)
        {
            Some(b'\'') if self.locator.node(id).kind() != NodeKind::Map => QuoteStyle::Single,
            Some(b'"') if self.locator.node(id).kind() != NodeKind::Map => QuoteStyle::Double,
            _ => QuoteStyle::None,
        }
    }

    fn replace_in_flow<'v>(&mut self, id: NodeId, value: impl TreeView<'v>) {
        let range = self.locator.range(id);
        let (glue, quotes) = (self.glue(&range), self.quotes(id));
        self.splices.put_with(range, |out| {
            out.push_str(glue);
            print_flow(out, value, ScalarContext::Flow, quotes);
        });
    }

    /// Whether a block can start at a node: on its own line, or directly after a dash.
    fn is_alone_on_lines(&self, range: &Range<usize>, lead: &NodeLead) -> bool {
        let text = self.locator.text;
        let rest_is_blank = is_blank(&text[range.end..line_end(text, range.end)]);
        // After an anchor or a tag a block must start on a separate line.
        let is_bare = !lead.has_anchor && lead.tags.is_empty();
        let is_compact = match lead.by {
            NodeIndicator::Dash => is_bare && rest_is_blank,
            by => is_bare && by == NodeIndicator::Nothing,
        };
        // YAML forbids tabs as indentation, so a column after one cannot be reproduced.
        let has_tab = text[line_start(text, range.start)..range.start].contains('\t');
        (self.is_below(range, lead) || is_compact) && !has_tab
    }

    /// Whether a node starts on a later line than its indicator.
    fn is_below(&self, range: &Range<usize>, lead: &NodeLead) -> bool {
        !range.is_empty()
            && self.locator.text[lead.end.min(range.start)..range.start].contains('\n')
    }

    /// `print` appends the new value, whose first byte is at the given column.
    fn replace_with_block(
        &mut self,
        id: NodeId,
        lead: &NodeLead,
        print: impl FnOnce(&mut BlockPrinter<'_>, usize),
    ) {
        let range = self.locator.range(id);
        let parent_column = self.locator.parent_column(id);
        let child_column = parent_column.map_or(0, |column| column + self.unit);
        if self.is_alone_on_lines(&range, lead) {
            let glue = self.glue(&range);
            let old = self.locator.column(range.start) + glue.len();
            // Only a list may be indented as little as its key.
            let column = if parent_column.is_some_and(|parent| old <= parent) {
                child_column
            } else {
                old
            };
            let literals = self.literals_at(range.end, column);
            self.put(range, literals, |printer| {
                printer.out.push_str(glue);
                printer.blanks(column - old);
                print(printer, column);
            });
            return;
        }
        // The comment at the end of the line belongs to the key, and the block goes under it.
        let end = after_comment(self.locator.text, range.end);
        let literals = self.literals_at(end, child_column);
        self.splices
            .put(self.before_blanks(range.start).max(lead.end)..range.end, "");
        self.put(end..end, literals, |printer| {
            printer.line(child_column);
            print(printer, child_column);
        });
    }

    fn replace_with_scalar<'v>(&mut self, id: NodeId, value: impl TreeView<'v>, lead: &NodeLead) {
        let range = self.locator.range(id);
        let column = self
            .locator
            .parent_column(id)
            .map_or(self.unit, |column| column + self.unit);
        let announced = matches!(
            lead.by,
            NodeIndicator::Colon | NodeIndicator::Dash | NodeIndicator::Marker
        );
        // A scalar that replaces a block moves up to its key: alone on the next line it is valid, but unusual.
        if announced && self.locator.is_block(id) && self.is_below(&range, lead) {
            self.pull_up(&range, value, lead, column);
            return;
        }
        let (glue, quotes, literals) = (
            self.glue(&range),
            self.quotes(id),
            self.literals_at(range.end, column - 1),
        );
        self.put(range, literals, |printer| {
            printer.out.push_str(glue);
            match quotes {
                // Quotes of the old value are kept, because the user may quote everything or nothing on purpose.
                QuoteStyle::None => printer.scalar(value, column),
                _ => print_flow(printer.out, value, ScalarContext::Block, quotes),
            }
        });
    }

    /// Removes the lines of a block collection and adds a scalar after its indicator.
    fn pull_up<'v>(
        &mut self,
        range: &Range<usize>,
        value: impl TreeView<'v>,
        lead: &NodeLead,
        column: usize,
    ) {
        let text = self.locator.text;
        let end = after_comment(text, range.end);
        let before = self
            .locator
            .previous_line_end(range.start)
            .unwrap_or(range.start);
        let alone =
            lead.end == before && self.literals_at(end, column - 1) == LiteralBlocks::Clipped;
        let literals = if alone {
            LiteralBlocks::Clipped
        } else {
            LiteralBlocks::Avoided
        };
        self.put(lead.end..lead.end, literals, |printer| {
            printer.out.push(' ');
            printer.scalar(value, column);
        });
        self.splices.put(before..end, "");
    }

    fn change<'v, V: TreeView<'v>>(&mut self, filling: &ContainerFilling<'_, V>) {
        let id = filling.container;
        match self.locator.form(id) {
            ContainerForm::Block => BlockEditor::new(self, filling).splice(),
            ContainerForm::Pair => self.change_pair(filling),
            ContainerForm::Flow => {
                let range = self.locator.range(id);
                let is_bare = is_blank(&self.locator.text[range.start + 1..range.end - 1]);
                if is_bare && self.locator.context(id) == ScalarContext::Block {
                    self.fill_empty(filling);
                } else {
                    self.change_flow(filling);
                }
            }
        }
    }

    /// `{}` and `[]` become block style when they get children.
    fn fill_empty<'v, V: TreeView<'v>>(&mut self, filling: &ContainerFilling<'_, V>) {
        let mut lead = self.locator.lead(filling.container);
        // The tag stays, and no compact collection can follow it.
        lead.has_anchor |= !lead.tags.is_empty();
        self.replace_with_block(filling.container, &lead, |printer, column| {
            print_children(printer, &filling.inserted, column);
        });
    }

    fn change_pair<'v, V: TreeView<'v>>(&mut self, filling: &ContainerFilling<'_, V>) {
        let range = self.locator.range(filling.container);
        let entries: Vec<String> = filling.inserted.iter().map(print_new).collect();
        let entries = entries.join(", ");
        if filling.removed.is_empty() {
            // `[a: 1]` holds an object without braces. A second key needs them.
            self.splices.put(range.start..range.start, "{");
            self.splices
                .put(range.end..range.end, &format!(", {entries}}}"));
        } else {
            self.splices.put(range, &format!("{{{entries}}}"));
        }
    }

    fn change_flow<'v, V: TreeView<'v>>(&mut self, filling: &ContainerFilling<'_, V>) {
        let text = self.locator.text;
        let range = self.locator.range(filling.container);
        let children = self.locator.children(filling.container);
        let is_gone = |at: &usize| {
            children[*at]
                .index
                .is_some_and(|index| filling.removed.binary_search(&index).is_ok())
        };
        let removed: Vec<usize> = (0..children.len()).filter(is_gone).collect();
        // In maps, which may contain a merge key, new entries are added at the end.
        let before = |new: &NewChild<'_, V>| {
            if new.key.is_some() {
                children.len()
            } else {
                new.before
            }
        };
        let inserted = filling.inserted.iter();
        let inserted: Vec<FlowInsertion> = inserted
            .map(|new| FlowInsertion {
                before: before(new),
                printed: print_new(new),
            })
            .collect();
        let flow = FlowContainer {
            text,
            inside: range.start + 1..range.end - 1,
            children: children.into_iter().map(|child| child.range).collect(),
            comments: CommentSyntax::Hash,
        };
        let layout = flow_layout(&flow);
        flow.splice(&removed, &inserted, &layout, self.splices);
    }
}

fn print_new<'v, V: TreeView<'v>>(new: &NewChild<'_, V>) -> String {
    let mut out = String::new();
    match new.key {
        Some(key) => print_flow_entry(&mut out, key, new.value),
        None => print_flow(&mut out, new.value, ScalarContext::Flow, QuoteStyle::None),
    }
    out
}

/// Uses separate lines only if the closing bracket has its own: it must be indented more than the key before it.
fn flow_layout(flow: &FlowContainer<'_>) -> FlowLayout {
    let last = flow
        .children
        .last()
        .map_or(flow.inside.start, |child| child.end);
    let closes_alone = flow.text[last..flow.inside.end].contains('\n');
    match flow.child_indent().filter(|_| closes_alone) {
        Some(indent) => FlowLayout::Lines(LineLayout {
            indent: indent.to_owned(),
            base: line_indent(flow.text, flow.inside.end).to_owned(),
        }),
        None => FlowLayout::Inline { gap: " " },
    }
}
