//! Decides which lines, sections and brackets an edit touches. The [`Outline`] provides the positions, and bytes are
//! written only at the end, when all insertions and removals are known.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::flow::FlowInsertion;
use crate::formats::toml::outline::{Outline, StatementOwner};
use crate::formats::toml::print::{
    PrintPosition, SectionPrinter, fits_literal, is_section, print_key, print_value,
};
use crate::tree::{
    ContainerChange, Document, DocumentChanges, NodeId, NodeKind, NodeShape, Splices, TreeView,
    Value, to_value,
};

/// The notation of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TomlForm {
    /// A table with its own header, or the file itself: the section.
    Section(usize),
    /// A list of `[[tables]]`.
    Tables,
    /// A table that only dotted keys define.
    Dotted,
    /// A table that only headers of other tables define.
    Implicit,
    /// An inline value.
    Value,
}

/// A new key and its value, already printed.
pub(super) struct NewLine {
    pub(super) key: String,
    pub(super) value: String,
}

/// New sections and their position.
pub(super) struct NewSection {
    /// The depth of the table of this section.
    pub(super) depth: usize,
    pub(super) at: usize,
    pub(super) text: String,
}

/// Insertions and removals in one pair of brackets.
#[derive(Default)]
pub(super) struct FlowChange {
    pub(super) removed: BTreeSet<usize>,
    pub(super) inserted: Vec<FlowInsertion>,
}

pub(super) struct TomlEditor<'d> {
    pub(super) outline: Outline<'d>,
    pub(super) text: &'d str,
    pub(super) newline: &'static str,
    pub(super) dead_statements: BTreeSet<usize>,
    pub(super) dead_sections: BTreeSet<usize>,
    /// Removed sections that are replaced by a header, which preserves the blank lines around them.
    pub(super) taken_sections: BTreeSet<usize>,
    /// Tables that new text defines, so they exist whatever is removed.
    supported: BTreeSet<NodeId>,
    /// Tables that lose children.
    losing: Vec<NodeId>,
    /// Statements of which everything after this offset is replaced.
    pub(super) rewritten: BTreeMap<usize, (usize, String)>,
    /// New lines by table.
    pub(super) lines: BTreeMap<NodeId, Vec<NewLine>>,
    pub(super) sections: Vec<NewSection>,
    pub(super) flows: BTreeMap<NodeId, FlowChange>,
}

impl<'d> TomlEditor<'d> {
    pub(super) fn new(outline: Outline<'d>, newline: &'static str) -> Self {
        TomlEditor {
            text: &outline.document.text,
            outline,
            newline,
            dead_statements: BTreeSet::new(),
            dead_sections: BTreeSet::new(),
            taken_sections: BTreeSet::new(),
            supported: BTreeSet::new(),
            losing: Vec::new(),
            rewritten: BTreeMap::new(),
            lines: BTreeMap::new(),
            sections: Vec::new(),
            flows: BTreeMap::new(),
        }
    }

    pub(super) fn form(&self, node: NodeId) -> TomlForm {
        let has_sections = !self.outline.sections_of(node).is_empty();
        if has_sections && self.outline.document.tree.kind(node) == NodeKind::List {
            // Before the other notations: a list of tables has sections too, and adding a plain value to it needs
            // another notation.
            return TomlForm::Tables;
        }
        if let Some(section) = self.outline.own_section(node) {
            return TomlForm::Section(section);
        }
        let on_the_way = |at: &usize| {
            self.outline.statements[*at]
                .parts
                .last()
                .is_some_and(|(last, _)| *last != node)
        };
        if self.outline.statements_of(node).iter().any(on_the_way) {
            TomlForm::Dotted
        } else if has_sections {
            TomlForm::Implicit
        } else {
            TomlForm::Value
        }
    }

    /// The ancestors of a node, nearest first.
    fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.outline.parent(node), |parent| {
            self.outline.parent(parent.node)
        })
        .map(|parent| parent.node)
    }

    pub(super) fn depth(&self, node: NodeId) -> usize {
        self.ancestors(node).count()
    }

    /// The keys to a node, as in a header.
    pub(super) fn path(&self, node: NodeId) -> Vec<String> {
        let parents =
            std::iter::successors(self.outline.parent(node), |p| self.outline.parent(p.node));
        let mut path: Vec<String> = parents
            .filter_map(|parent| parent.key.map(print_key))
            .collect();
        path.reverse();
        path
    }

    /// The print position of values of new keys in a table.
    fn position_in(&self, table: NodeId) -> PrintPosition {
        let last = self.outline.statements_of(table).last();
        match last.map(|at| self.outline.statements[*at].owner) {
            Some(StatementOwner::Braces(..)) => PrintPosition::Flow,
            _ => PrintPosition::of_line(self.newline),
        }
    }

    fn mark_removed(&mut self, node: NodeId) {
        self.dead_statements
            .extend(self.outline.statements_of(node));
        self.dead_sections.extend(self.outline.sections_of(node));
    }

    fn support(&mut self, table: NodeId) {
        let above: Vec<NodeId> = self.ancestors(table).collect();
        self.supported.extend(above);
        self.supported.insert(table);
    }

    /// Lists of tables that have to hold something else than tables.
    pub(super) fn lists_to_convert<'v, V: TreeView<'v>>(
        &self,
        changes: &DocumentChanges<'v, V>,
    ) -> Vec<NodeId> {
        let replaced = changes
            .replaced
            .iter()
            .filter_map(|(node, _)| self.outline.parent(*node));
        let replaced = replaced.map(|parent| parent.node);
        let plain = |change: &&ContainerChange<'v, V>| {
            change
                .inserted
                .iter()
                .any(|new| !matches!(new.value.shape(), NodeShape::Map(_)))
        };
        let gaining = changes
            .containers
            .iter()
            .filter(plain)
            .map(|change| change.container);
        let mut lists: Vec<NodeId> = replaced
            .chain(gaining)
            .filter(|node| self.form(*node) == TomlForm::Tables)
            .collect();
        lists.sort_unstable();
        lists.dedup();
        // An inner list is printed with the outer one; converting both would write its items twice.
        let outermost = |list: &NodeId| !self.ancestors(*list).any(|above| lists.contains(&above));
        lists.iter().copied().filter(outermost).collect()
    }

    pub(super) fn is_within(&self, node: NodeId, lists: &[NodeId]) -> bool {
        lists.contains(&node)
            || !lists.is_empty() && self.ancestors(node).any(|above| lists.contains(&above))
    }

    /// Converts a list of tables to brackets, which can hold any value.
    pub(super) fn convert<'v, V: TreeView<'v>>(
        &mut self,
        list: NodeId,
        outcome: &EditedNodes<'_, 'v, V>,
    ) {
        if let Some(parent) = self.outline.parent(list) {
            let new = printed(&outcome.of(list), PrintPosition::Flow);
            self.mark_removed(list);
            self.add_line(parent.node, parent.key.unwrap_or_default(), new);
        }
    }

    pub(super) fn replace<'v, V: TreeView<'v>>(
        &mut self,
        node: NodeId,
        value: V,
        splices: &mut Splices,
    ) {
        match self.form(node) {
            TomlForm::Value => {
                let range = self.outline.document.node(node).span().range();
                let new = self.printed_like(node, value);
                splices.put(range, &new);
            }
            // `a.b = 1` and `a.c = 2` are one value on several lines. The first keeps its position and comment, and the
            // others are removed.
            TomlForm::Dotted => {
                self.mark_removed(node);
                let new = printed(value, self.position_in(node));
                self.rewrite_first(node, &new);
            }
            TomlForm::Section(_) | TomlForm::Tables | TomlForm::Implicit => {
                let Some(parent) = self.outline.parent(node) else {
                    return;
                };
                self.mark_removed(node);
                let new = printed(value, self.position_in(parent.node));
                self.add_line(parent.node, parent.key.unwrap_or_default(), new);
            }
        }
    }

    /// The new value in the quotes of the old one, if they can represent it.
    fn printed_like<'v, V: TreeView<'v>>(&self, node: NodeId, value: V) -> String {
        let old = &self.text[self.outline.document.node(node).span().range()];
        if let NodeShape::String(text) = value.shape()
            && old.starts_with('\'')
            && !old.starts_with("'''")
            // A literal string cannot escape anything. A value with a quote or a line break needs the other kind.
            && fits_literal(text)
        {
            return format!("'{text}'");
        }
        let on_line = self.outline.statements_of(node).last().is_some_and(|at| {
            matches!(
                self.outline.statements[*at].owner,
                StatementOwner::Section(_)
            )
        });
        printed(
            value,
            if on_line {
                PrintPosition::of_line(self.newline)
            } else {
                PrintPosition::Flow
            },
        )
    }

    /// Replaces a dotted table with `value` in its first statement.
    fn rewrite_first(&mut self, node: NodeId, value: &str) {
        let Some(first) = self.outline.statements_of(node).first().copied() else {
            return;
        };
        let parts = &self.outline.statements[first].parts;
        if let Some((_, end)) = parts.iter().find(|(part, _)| *part == node) {
            self.rewritten.insert(first, (*end, format!(" = {value}")));
            self.dead_statements.remove(&first);
        }
    }

    pub(super) fn change<'v, V: TreeView<'v>>(&mut self, change: &ContainerChange<'v, V>) {
        let document = self.outline.document;
        let node = document.node(change.container);
        match (self.form(change.container), node.kind()) {
            (TomlForm::Tables, _) => self.change_tables(change),
            (TomlForm::Value, NodeKind::List) => {
                let flow = self.flows.entry(change.container).or_default();
                flow.removed.extend(&change.removed);
                flow.inserted
                    .extend(change.inserted.iter().map(|new| FlowInsertion {
                        before: new.before,
                        printed: printed(new.value, PrintPosition::Flow),
                    }));
            }
            (form, _) => {
                for at in &change.removed {
                    self.mark_removed(node.entry(*at).1.id());
                }
                self.losing.push(change.container);
                for new in &change.inserted {
                    self.add(
                        change.container,
                        form,
                        new.key.unwrap_or_default(),
                        new.value,
                    );
                }
            }
        }
    }

    fn add<'v, V: TreeView<'v>>(&mut self, table: NodeId, form: TomlForm, key: &str, value: V) {
        match form {
            TomlForm::Value => {
                let before = self.outline.pairs(table).len();
                let printed = format!(
                    "{} = {}",
                    print_key(key),
                    printed(value, PrintPosition::Flow)
                );
                self.flows
                    .entry(table)
                    .or_default()
                    .inserted
                    .push(FlowInsertion { before, printed });
            }
            TomlForm::Section(_) | TomlForm::Implicit
                // A new table gets a section like its neighbors, unless the file writes such tables inline.
                if is_section(value) && !self.fits_inline(table, value) =>
            {
                let mut path = self.path(table);
                path.push(print_key(key));
                let mut text = String::new();
                SectionPrinter {
                    out: &mut text,
                    newline: self.newline,
                }
                .section(&mut path, value);
                self.add_section_after(table, &text);
            }
            _ => {
                let value = printed(value, self.position_in(table));
                self.add_line(table, key, value);
            }
        }
    }

    /// Whether a flat map is added as an inline table: if the table's other maps are inline, or if it is the first one.
    fn fits_inline<'v, V: TreeView<'v>>(&self, table: NodeId, value: V) -> bool {
        let NodeShape::Map(count) = value.shape() else {
            return false;
        };
        // An inline table cannot span lines. With a table inside it the line would become unreadable.
        let flat = (0..count).all(|at| !is_section(value.entry(at).1));
        let table = self.outline.document.node(table);
        let is_map = |kind: NodeKind| kind == NodeKind::Map;
        let inline = |node: NodeId| self.form(node) == TomlForm::Value;
        let mut maps = table
            .entries()
            .filter(|(_, child)| is_map(child.kind()))
            .map(|(_, child)| child.id());
        let has_header =
            matches!(self.form(table.id()), TomlForm::Section(_)) && self.depth(table.id()) > 0;
        let among_others = maps.clone().next().is_some() && maps.all(inline);
        count > 0 && flat && has_header && (table.len() == 0 || among_others)
    }

    fn add_line(&mut self, table: NodeId, key: &str, value: String) {
        self.support(table);
        self.lines.entry(table).or_default().push(NewLine {
            key: print_key(key),
            value,
        });
    }

    /// Adds a section after the last one that belongs to a table or list.
    fn add_section_after(&mut self, node: NodeId, section: &str) {
        self.support(node);
        let last = self.outline.sections_of(node).last().copied().unwrap_or(0);
        let at = self.outline.sections[last].end;
        let text = format!("{}{section}", self.newline);
        self.sections.push(NewSection {
            depth: self.depth(node),
            at,
            text,
        });
    }

    fn change_tables<'v, V: TreeView<'v>>(&mut self, change: &ContainerChange<'v, V>) {
        let list = self.outline.document.node(change.container);
        for at in &change.removed {
            self.mark_removed(list.item(*at).id());
        }
        for new in &change.inserted {
            let mut text = String::new();
            let mut path = self.path(list.id());
            SectionPrinter {
                out: &mut text,
                newline: self.newline,
            }
            .item(&mut path, new.value);
            let next = (new.before < list.len()).then(|| list.item(new.before).id());
            match next.and_then(|item| self.outline.own_section(item)) {
                Some(section) => {
                    let at = self.outline.sections[section].start;
                    text.push_str(self.newline);
                    self.sections.push(NewSection {
                        depth: self.depth(list.id()),
                        at,
                        text,
                    });
                }
                None => self.add_section_after(list.id(), &text),
            }
        }
        if change.removed.len() == list.len()
            && change.inserted.is_empty()
            && let Some(parent) = self.outline.parent(list.id())
        {
            // Without its last section the list would no longer exist, which is not the same as an empty list.
            self.add_line(parent.node, parent.key.unwrap_or_default(), "[]".to_owned());
        }
    }

    fn is_alive(&self, table: NodeId) -> bool {
        self.supported.contains(&table)
            || self
                .outline
                .statements_of(table)
                .iter()
                .any(|at| !self.dead_statements.contains(at))
            || self
                .outline
                .sections_of(table)
                .iter()
                .any(|at| !self.dead_sections.contains(at))
    }

    /// Writes an empty table for each one that only removed keys and headers defined.
    // A table that only dotted keys or the headers of its children name would disappear with the last of them, and an
    // empty table is another value than none.
    pub(super) fn restate(&mut self) {
        let mut losing = std::mem::take(&mut self.losing);
        // Inner tables first: one that is written again keeps the outer ones alive.
        losing.sort_by_key(|table| std::cmp::Reverse(self.depth(*table)));
        for table in losing {
            match self.form(table) {
                _ if self.is_alive(table) => continue,
                TomlForm::Dotted => self.rewrite_first(table, "{}"),
                TomlForm::Implicit => {
                    let first = self
                        .outline
                        .sections_of(table)
                        .first()
                        .copied()
                        .unwrap_or(0);
                    let at = self.outline.sections[first].header.start;
                    self.taken_sections.insert(first);
                    let text = format!("[{}]{}", self.path(table).join("."), self.newline);
                    self.sections.push(NewSection {
                        depth: self.depth(table),
                        at,
                        text,
                    });
                }
                TomlForm::Section(_) | TomlForm::Tables | TomlForm::Value => {}
            }
            self.support(table);
        }
    }
}

/// The nodes after all changes.
pub(super) struct EditedNodes<'d, 'v, V> {
    document: &'d Document,
    replaced: BTreeMap<NodeId, V>,
    containers: BTreeMap<NodeId, &'d ContainerChange<'v, V>>,
}

impl<'d, 'v, V: TreeView<'v>> EditedNodes<'d, 'v, V> {
    pub(super) fn new(document: &'d Document, changes: &'d DocumentChanges<'v, V>) -> Self {
        EditedNodes {
            document,
            replaced: changes.replaced.iter().copied().collect(),
            containers: changes
                .containers
                .iter()
                .map(|change| (change.container, change))
                .collect(),
        }
    }

    fn of(&self, id: NodeId) -> Value {
        let node = self.document.node(id);
        match node.kind() {
            _ if self.replaced.contains_key(&id) => to_value(self.replaced[&id]),
            NodeKind::Map => Value::Map(self.children(id, |at| {
                let (key, value) = node.entry(at);
                (key.to_owned(), self.of(value.id()))
            })),
            NodeKind::List => {
                let items = self.children(id, |at| (String::new(), self.of(node.item(at).id())));
                Value::List(items.into_iter().map(|(_, item)| item).collect())
            }
            _ => to_value(node),
        }
    }

    /// Remaining and new children in order, with their keys.
    fn children(&self, id: NodeId, old: impl Fn(usize) -> (String, Value)) -> Vec<(String, Value)> {
        let change = self.containers.get(&id);
        let count = self.document.node(id).len();
        let mut children = Vec::new();
        for at in 0..=count {
            let inserted = change
                .iter()
                .flat_map(|change| &change.inserted)
                .filter(|new| new.before == at);
            children.extend(
                inserted.map(|new| (new.key.unwrap_or_default().to_owned(), to_value(new.value))),
            );
            if at < count && !change.is_some_and(|change| change.removed.contains(&at)) {
                children.push(old(at));
            }
        }
        children
    }
}

fn printed<'v>(value: impl TreeView<'v>, position: PrintPosition) -> String {
    let mut out = String::new();
    print_value(&mut out, value, position);
    out
}
