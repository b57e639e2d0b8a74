//! Writes the bytes of an edit.

use std::ops::Range;

use crate::formats::flow::{
    CommentSyntax, FlowContainer, FlowInsertion, FlowLayout, LineLayout, is_blank, line_indent,
};
use crate::formats::toml::edit::{FlowChange, NewLine, NewSection, TomlEditor, TomlForm};
use crate::formats::toml::outline::{StatementOwner, before_blanks};
use crate::tree::{NodeId, NodeKind, Splices};

/// Whether the blank lines around removed lines are removed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlankLines {
    Stay,
    Go,
}

/// Whole lines to remove.
struct LineRemoval {
    range: Range<usize>,
    blanks: BlankLines,
}

impl TomlEditor<'_> {
    pub(super) fn emit(&mut self, splices: &mut Splices) {
        for (at, (end, text)) in &self.rewritten {
            splices.put(*end..self.outline.statements[*at].span.end, text);
        }
        let removals = self.removals();
        for range in &removals {
            splices.put(range.clone(), "");
        }
        self.emit_insertions(&removals, splices);
        self.emit_flows(splices);
    }

    /// The ranges of whole lines to remove, disjoint and in order.
    fn removals(&self) -> Vec<Range<usize>> {
        let lines = self
            .dead_statements
            .iter()
            .map(|at| &self.outline.statements[*at]);
        let lines = lines.filter(|statement| matches!(statement.owner, StatementOwner::Section(_)));
        let lines = lines.map(|statement| LineRemoval {
            range: statement.line.clone(),
            blanks: BlankLines::Stay,
        });
        let sections = self.dead_sections.iter().map(|at| {
            let section = &self.outline.sections[*at];
            let taken = self.taken_sections.contains(at);
            let blanks = if taken {
                BlankLines::Stay
            } else {
                BlankLines::Go
            };
            LineRemoval {
                range: section.header.start..section.content_end,
                blanks,
            }
        });
        let mut all: Vec<LineRemoval> = lines.chain(sections).collect();
        all.sort_by_key(|removal| (removal.range.start, removal.range.end));
        let mut merged: Vec<LineRemoval> = Vec::new();
        for removal in all {
            match merged.last_mut() {
                Some(last) if self.joins(last, &removal) => {
                    last.range.end = last.range.end.max(removal.range.end);
                }
                _ => merged.push(removal),
            }
        }
        // Two removals may include the same blank lines.
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for range in merged.into_iter().map(|removal| self.with_blanks(removal)) {
            match ranges.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => ranges.push(range),
            }
        }
        self.keep_end(&mut ranges);
        ranges
    }

    /// A file without a final newline stays without one: a removal at its end includes the one before.
    fn keep_end(&self, ranges: &mut Vec<Range<usize>>) {
        if self.text.ends_with('\n') || ranges.last().is_none_or(|last| last.end < self.text.len())
        {
            return;
        }
        let mut start = self.text.len();
        while let Some(last) = ranges.pop_if(|last| last.end >= start) {
            start = self.text[..last.start].trim_end_matches(['\r', '\n']).len();
        }
        ranges.push(start..self.text.len());
    }

    fn joins(&self, last: &LineRemoval, next: &LineRemoval) -> bool {
        let touches = next.range.start <= last.range.end;
        let both_go = last.blanks == BlankLines::Go && next.blanks == BlankLines::Go;
        touches && (last.blanks == next.blanks || next.range.end <= last.range.end)
            || both_go && is_blank(&self.text[last.range.end..next.range.start])
    }

    /// A section is removed with the blank lines that would otherwise double.
    fn with_blanks(&self, removal: LineRemoval) -> Range<usize> {
        let Range { start, end } = removal.range;
        if removal.blanks == BlankLines::Stay {
            return start..end;
        }
        let floor = self.outline.sections[0].start;
        let blank_before = before_blanks(self.text, floor, start);
        let after = &self.text[end..];
        let blanks = after.len() - after.trim_start_matches([' ', '\t', '\r', '\n']).len();
        if blanks == after.len() {
            return blank_before..end;
        }
        let blank_lines = after[..blanks].rfind('\n').map_or(0, |newline| newline + 1);
        if blank_before < start || start == floor {
            start..end + blank_lines
        } else {
            start..end
        }
    }

    /// New lines with their positions, one text for each table.
    fn position_lines(&mut self) -> Vec<(usize, String)> {
        let mut placed = Vec::new();
        for (table, lines) in std::mem::take(&mut self.lines) {
            match self.form(table) {
                TomlForm::Section(section) => placed.push(self.lines_in_section(section, &lines)),
                TomlForm::Dotted => placed.extend(self.add_sibling_lines(table, &lines)),
                TomlForm::Implicit | TomlForm::Tables | TomlForm::Value => {
                    self.lines_in_new_section(table, &lines)
                }
            }
        }
        placed
    }

    fn print_lines(&self, prefix: &str, lines: &[NewLine]) -> String {
        let print =
            |line: &NewLine| format!("{prefix}{} = {}{}", line.key, line.value, self.newline);
        lines.iter().map(print).collect()
    }

    fn lines_in_section(&self, section: usize, lines: &[NewLine]) -> (usize, String) {
        let target = &self.outline.sections[section];
        let last = target.last.map(|at| &self.outline.statements[at]);
        let indent = last.map_or("", |statement| line_indent(self.text, statement.span.start));
        let mut text = self.print_lines(indent, lines);
        let next = self
            .outline
            .sections
            .get(1)
            .filter(|_| section == 0 && last.is_none());
        if let Some(next) = next {
            text.push_str(self.newline);
            return (next.start, text);
        }
        (target.content_end, text)
    }

    /// Keys of a table that only other headers define need its own header.
    fn lines_in_new_section(&mut self, table: NodeId, lines: &[NewLine]) {
        let Some(first) = self.outline.sections_of(table).first() else {
            return;
        };
        let at = self.outline.sections[*first].start;
        let mut text = format!("[{}]{}", self.path(table).join("."), self.newline);
        text.push_str(&self.print_lines("", lines));
        text.push_str(self.newline);
        let depth = self.depth(table);
        self.sections.push(NewSection { depth, at, text });
    }

    /// `table.key = value` after the last of its kind; between braces that is not a line.
    fn add_sibling_lines(&mut self, table: NodeId, lines: &[NewLine]) -> Option<(usize, String)> {
        let last = *self.outline.statements_of(table).last()?;
        let statement = &self.outline.statements[last];
        let end = statement.parts.iter().find(|(node, _)| *node == table)?.1;
        let prefix = &self.text[statement.span.start..end];
        if let StatementOwner::Braces(owner, at) = statement.owner {
            let flow = self.flows.entry(owner).or_default();
            let beside = lines.iter().map(|line| FlowInsertion {
                before: at + 1,
                printed: format!("{prefix}.{} = {}", line.key, line.value),
            });
            // New keys of the braces come after those of a table that already exists.
            flow.inserted.splice(0..0, beside);
            return None;
        }
        let indent = line_indent(self.text, statement.span.start);
        Some((
            statement.line.end,
            self.print_lines(&format!("{indent}{prefix}."), lines),
        ))
    }

    /// Inserts whole lines, keys before sections at the same position.
    fn emit_insertions(&mut self, removals: &[Range<usize>], splices: &mut Splices) {
        let mut new = self.position_lines();
        // Deeper sections come first: a new item of a list must not take over the new tables of the item before it.
        let mut sections = std::mem::take(&mut self.sections);
        sections.sort_by_key(|section| std::cmp::Reverse(section.depth));
        new.extend(
            sections
                .into_iter()
                .map(|section| (section.at, section.text)),
        );
        for (at, _) in &mut new {
            let next = removals.get(removals.partition_point(|range| range.end <= *at));
            *at = next
                .filter(|range| range.start < *at)
                .map_or(*at, |range| range.end);
        }
        new.sort_by_key(|(at, _)| *at);
        let count = new.len();
        let mut at_end = false;
        for (order, (at, text)) in new.into_iter().enumerate() {
            let last = order + 1 == count && self.is_end(removals, at);
            let unended = at == self.text.len() && !self.text.ends_with('\n') && !self.is_start(at);
            let newline = if unended && !at_end { self.newline } else { "" };
            at_end |= unended;
            let text = self.trim_to_fit(at, &text, last);
            splices.put_with(at..at, |out| out.extend([newline, text]));
        }
    }

    fn is_start(&self, at: usize) -> bool {
        at == self.outline.sections[0].start
    }

    /// Whether nothing remains after `at`.
    fn is_end(&self, removals: &[Range<usize>], at: usize) -> bool {
        let removed = removals.last().filter(|range| range.start == at);
        removed.map_or(at, |range| range.end) == self.text.len()
    }

    /// The text without blank lines that would double, or that are at the edges of the file.
    fn trim_to_fit<'t>(&self, at: usize, text: &'t str, last: bool) -> &'t str {
        let before = &self.text[..at];
        let follows_blank = before.ends_with("\n\n") || before.ends_with("\r\n\r\n");
        let text = match text.strip_prefix(self.newline) {
            Some(rest) if follows_blank || self.is_start(at) => rest,
            _ => text,
        };
        if !last {
            return text;
        }
        let text = text
            .strip_suffix(self.newline)
            .filter(|text| text.ends_with(self.newline))
            .unwrap_or(text);
        // A file without a final newline stays without one.
        if self.text.ends_with('\n') {
            text
        } else {
            text.strip_suffix(self.newline).unwrap_or(text)
        }
    }

    fn emit_flows(&mut self, splices: &mut Splices) {
        for at in &self.dead_statements {
            if let StatementOwner::Braces(owner, order) = self.outline.statements[*at].owner {
                self.flows.entry(owner).or_default().removed.insert(order);
            }
        }
        for (node, change) in std::mem::take(&mut self.flows) {
            self.emit_flow(node, change, splices);
        }
    }

    fn emit_flow(&self, node: NodeId, mut change: FlowChange, splices: &mut Splices) {
        let container = self.outline.document.node(node);
        let range = container.span().range();
        let children = match container.kind() {
            NodeKind::List => container.items().map(|item| item.span().range()).collect(),
            _ => self
                .outline
                .pairs(node)
                .iter()
                .map(|at| self.outline.statements[*at].span.clone())
                .collect(),
        };
        let inside = range.start + 1..range.end - 1;
        let flow = FlowContainer {
            text: self.text,
            inside,
            children,
            comments: CommentSyntax::Hash,
        };
        // Additions before the same remaining child must be written together, or commas between them would be missing.
        let count = flow.children.len();
        for insertion in &mut change.inserted {
            let mut stays = (insertion.before..count).filter(|at| !change.removed.contains(at));
            insertion.before = stays.next().unwrap_or(count);
        }
        change.inserted.sort_by_key(|insertion| insertion.before);
        let base = line_indent(self.text, range.start);
        let layout = if flow.is_lines() {
            let indent = flow
                .child_indent()
                .map_or_else(|| format!("{base}  "), str::to_owned);
            FlowLayout::Lines(LineLayout {
                indent,
                base: base.to_owned(),
            })
        } else {
            FlowLayout::Inline { gap: " " }
        };
        if container.kind() == NodeKind::Map
            && flow.children.is_empty()
            && is_blank(&self.text[flow.inside.clone()])
        {
            pad(&mut change.inserted);
        }
        let removed: Vec<usize> = change.removed.iter().copied().collect();
        flow.splice(&removed, &change.inserted, &layout, splices);
    }
}

/// Braces are padded with spaces.
fn pad(inserted: &mut [FlowInsertion]) {
    if let Some(first) = inserted.first_mut() {
        first.printed.insert(0, ' ');
    }
    if let Some(last) = inserted.last_mut() {
        last.printed.push(' ');
    }
}
