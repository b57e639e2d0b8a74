//! Inserts and removes children of block maps and lists by lines.

use std::ops::Range;

use crate::formats::flow::line_start;
use crate::formats::yaml::editor::{ContainerFilling, NewChild, YamlEditor};
use crate::formats::yaml::node_locator::{NodeIndicator, TextChild};
use crate::formats::yaml::print::{BlockPrinter, LiteralBlocks};
use crate::formats::yaml::scan::{after_comment, after_newline};
use crate::tree::{NodeKind, TreeView};

pub(crate) struct BlockEditor<'e, 'd, 's, 'c, V> {
    editor: &'e mut YamlEditor<'d, 's>,
    filling: &'c ContainerFilling<'c, V>,
    children: Vec<TextChild>,
    column: usize,
}

impl<'e, 'd, 's, 'c, 'v, V: TreeView<'v>> BlockEditor<'e, 'd, 's, 'c, V> {
    pub(crate) fn new(
        editor: &'e mut YamlEditor<'d, 's>,
        filling: &'c ContainerFilling<'c, V>,
    ) -> Self {
        let children = editor.locator.children(filling.container);
        let column = editor
            .locator
            .column(editor.locator.range(filling.container).start);
        BlockEditor {
            editor,
            filling,
            children,
            column,
        }
    }

    pub(crate) fn splice(&mut self) {
        let gone: Vec<usize> = (0..self.children.len())
            .filter(|at| self.is_gone(*at))
            .collect();
        let Some(first_kept) = (0..self.children.len()).find(|at| !self.is_gone(*at)) else {
            self.refill();
            return;
        };
        let shares_line = !self
            .editor
            .locator
            .starts_line(self.children[0].range.start);
        let mut removed_by_lines = gone.as_slice();
        if shares_line && first_kept > 0 {
            let replaced = self.replace_first(first_kept);
            removed_by_lines = &gone[replaced..];
        } else {
            self.insert_front(first_kept, shares_line);
        }
        for at in removed_by_lines {
            if *at < first_kept {
                self.remove_leading_line(*at)
            } else {
                self.remove_line(*at)
            }
        }
        self.insert_after_kept(first_kept);
    }

    fn is_gone(&self, at: usize) -> bool {
        self.children[at]
            .index
            .is_some_and(|index| self.filling.removed.binary_search(&index).is_ok())
    }

    fn literals_at(&self, at: usize) -> LiteralBlocks {
        self.editor.literals_at(at, self.column)
    }

    /// The end of a child with its trailing comment, which is the end of its line.
    fn end(&self, at: usize) -> usize {
        after_comment(self.editor.locator.text, self.children[at].range.end)
    }

    fn put(
        &mut self,
        range: Range<usize>,
        literals: LiteralBlocks,
        write: impl FnOnce(&mut BlockPrinter<'_>),
    ) {
        self.editor.put(range, literals, write);
    }

    /// Removes the lines of a child and the line ending before them, because what follows may have none.
    fn remove_line(&mut self, at: usize) {
        let (start, end) = (self.children[at].range.start, self.end(at));
        let before = self
            .editor
            .locator
            .previous_line_end(start)
            .unwrap_or(start);
        self.editor.splices.put(before..end, "");
    }

    /// Removes a child before the first remaining one: the first line of the text has none before it.
    fn remove_leading_line(&mut self, at: usize) {
        if self
            .editor
            .locator
            .previous_line_end(self.children[0].range.start)
            .is_some()
        {
            return self.remove_line(at);
        }
        let start = line_start(self.editor.locator.text, self.children[at].range.start);
        let end = after_newline(self.editor.locator.text, self.end(at));
        self.editor.splices.put(start..end, "");
    }

    /// New children before the first remaining one.
    fn front(&self, first_kept: usize) -> Vec<NewChild<'c, V>> {
        let is_list = self.editor.locator.node(self.filling.container).kind() == NodeKind::List;
        let index = self.children[first_kept]
            .index
            .filter(|_| is_list)
            .unwrap_or(0);
        let before = |new: &&NewChild<'c, V>| is_list && new.before <= index;
        self.filling
            .inserted
            .iter()
            .filter(before)
            .copied()
            .collect()
    }

    /// Replaces the first child next to a dash; the next one takes its position. Returns the number of processed
    /// children.
    fn replace_first(&mut self, first_kept: usize) -> usize {
        let text = self.editor.locator.text;
        let (front, column) = (self.front(first_kept), self.column);
        let start = self.children[0].range.start;
        let gaps = (0..first_kept).map(|at| &text[self.end(at)..self.children[at + 1].range.start]);
        let has_comments = gaps.into_iter().any(|gap| gap.contains('#'));
        if !has_comments {
            let next = self.children[first_kept].range.start;
            self.put(start..next, LiteralBlocks::Clipped, |printer| {
                for new in &front {
                    print_child(printer, new, column);
                    printer.line(column);
                }
            });
            return first_kept;
        }
        let from = if front.is_empty() {
            self.editor.before_blanks(start)
        } else {
            start
        };
        let end = self.end(0);
        let literals = self.literals_at(end);
        self.put(from..end, literals, |printer| {
            print_children(printer, &front, column)
        });
        1
    }

    fn insert_front(&mut self, first_kept: usize, shares_line: bool) {
        let front = self.front(first_kept);
        if front.is_empty() {
            return;
        }
        let locator = &self.editor.locator;
        let (start, column) = (self.children[0].range.start, self.column);
        let lead = locator.lead(self.filling.container);
        let line_above = match lead.by {
            _ if shares_line => None,
            NodeIndicator::Nothing | NodeIndicator::MissingColon => {
                locator.previous_line_end(start)
            }
            _ => Some(after_comment(locator.text, lead.end)),
        };
        let Some(at) = line_above else {
            let at = if shares_line {
                start
            } else {
                line_start(locator.text, start)
            };
            self.put(at..at, LiteralBlocks::Clipped, |printer| {
                for new in &front {
                    printer.blanks(if shares_line { 0 } else { column });
                    print_child(printer, new, column);
                    printer.line(if shares_line { column } else { 0 });
                }
            });
            return;
        };
        let literals = self.literals_at(at);
        self.put(at..at, literals, |printer| {
            for new in &front {
                printer.line(column);
                print_child(printer, new, column);
            }
        });
    }

    fn insert_after_kept(&mut self, first_kept: usize) {
        let done = self.front(first_kept).len();
        let filling = self.filling;
        let column = self.column;
        for new in &filling.inserted[done..] {
            let is_before = |at: &usize| {
                self.children[*at]
                    .index
                    .is_none_or(|index| index < new.before)
            };
            let remaining = (0..self.children.len())
                .rev()
                .filter(|at| !self.is_gone(*at));
            let Some(previous) = remaining.into_iter().find(is_before) else {
                continue;
            };
            let end = self.end(previous);
            let literals = self.literals_at(end);
            self.put(end..end, literals, |printer| {
                printer.line(column);
                print_child(printer, new, column);
            });
        }
    }

    /// Replaces all old lines.
    fn refill(&mut self) {
        let lead = self.editor.locator.lead(self.filling.container);
        let (start, end, column) = (self.children[0].range.start, self.end(0), self.column);
        let below = self.editor.locator.starts_line(start)
            && matches!(
                lead.by,
                NodeIndicator::Colon | NodeIndicator::Dash | NodeIndicator::Marker
            );
        let empty = match self.editor.locator.node(self.filling.container).kind() {
            NodeKind::Map => "{}",
            _ => "[]",
        };
        let filling = self.filling;
        let mut by_lines = 1;
        if !filling.inserted.is_empty() {
            let literals = self.literals_at(end);
            self.put(start..end, literals, |printer| {
                print_children(printer, &filling.inserted, column)
            });
        } else if below {
            by_lines = 0;
            self.editor
                .splices
                .put(lead.end..lead.end, &format!(" {empty}"));
        } else {
            self.editor.splices.put(start..end, empty);
        }
        (by_lines..self.children.len()).for_each(|at| self.remove_line(at));
    }
}

fn print_child<'v, V: TreeView<'v>>(
    printer: &mut BlockPrinter<'_>,
    new: &NewChild<'_, V>,
    column: usize,
) {
    match new.key {
        Some(key) => printer.entry(key, new.value, column),
        None => printer.item(new.value, column),
    }
}

pub(crate) fn print_children<'v, V: TreeView<'v>>(
    printer: &mut BlockPrinter<'_>,
    new: &[NewChild<'_, V>],
    column: usize,
) {
    for (at, child) in new.iter().enumerate() {
        if at > 0 {
            printer.line(column);
        }
        print_child(printer, child, column);
    }
}
