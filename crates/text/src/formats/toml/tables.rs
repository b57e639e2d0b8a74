//! TOML tables under construction. Many parts of a file may add to a table, so the tree, which needs all children at
//! once, is built from this at the end.

use std::borrow::Cow;
use std::hash::BuildHasher;

use agpm_diag::{Diagnostic, Span, SuggestedEdit, codes};
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::limits::MOST_FINDINGS;
use crate::tree::{EntrySpan, NodeId, NodeKind, ReaderState, duplicate_key, repeated_entry};

/// Tables with more entries than this are searched through the index.
const SMALL: u32 = 8;

/// A table by its index in [`TableBuilder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TableId(u32);

/// A list of tables by its index in [`TableBuilder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListId(u32);

/// One part of a dotted key.
#[derive(Clone, Debug)]
pub(super) struct DottedKeyPart<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) span: Span,
}

/// The statement that created a table, which decides what may extend it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableOrigin {
    /// Its own header, or the file itself.
    Header,
    /// Part of another header.
    Implicit,
    /// Part of a dotted key.
    Dotted,
    /// Braces.
    Inline,
}

/// The step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyRoute {
    Header,
    Dotted,
}

/// The content of an entry.
#[derive(Clone, Copy, Debug)]
enum EntryItem {
    /// A finished value: a scalar, a list in brackets, an inline table.
    Node(NodeId),
    Table(TableId),
    List(ListId),
}

#[derive(Debug)]
struct TableRecord {
    origin: TableOrigin,
    depth: u32,
    span: Span,
    first: Option<u32>,
    last: Option<u32>,
    count: u32,
}

#[derive(Debug)]
struct TableArray {
    span: Span,
    tables: Vec<TableId>,
}

/// Entries of one table are linked in the order of their first appearance.
#[derive(Debug)]
struct TableEntry {
    table: TableId,
    key: NodeId,
    item: EntryItem,
    next: Option<u32>,
}

/// All tables of a file under construction.
pub(super) struct TableBuilder<'r, 'a> {
    pub(super) reading: &'r mut ReaderState<'a>,
    tables: Vec<TableRecord>,
    lists: Vec<TableArray>,
    entries: Vec<TableEntry>,
    /// Entries of large tables, with the hash of table and key.
    index: HashTable<(u64, u32)>,
    hasher: FixedState,
    /// Children of all unfinished tables, innermost last.
    children: Vec<NodeId>,
}

impl<'r, 'a> TableBuilder<'r, 'a> {
    pub(super) const ROOT: TableId = TableId(0);

    pub(super) fn new(reading: &'r mut ReaderState<'a>) -> Self {
        let span = Span::new(reading.range.start, reading.range.end);
        let mut tables = TableBuilder {
            reading,
            tables: Vec::new(),
            lists: Vec::new(),
            entries: Vec::new(),
            index: HashTable::new(),
            hasher: FixedState::default(),
            children: Vec::new(),
        };
        tables.create(TableOrigin::Header, 1, span);
        tables
    }

    pub(super) fn depth(&self, table: TableId) -> usize {
        self.table(table).depth as usize
    }

    /// Creates an inline table; its keys follow.
    pub(super) fn inline(&mut self, depth: usize, span: Span) -> TableId {
        self.create(TableOrigin::Inline, depth, span)
    }

    /// Creates a table for the keys under a refused header.
    pub(super) fn new_detached_table(&mut self, span: Span) -> TableId {
        self.create(TableOrigin::Header, 1, span)
    }

    /// Adds a finished value under a key.
    pub(super) fn set(&mut self, table: TableId, path: &[DottedKeyPart<'a>], value: NodeId) {
        let Some((last, way)) = path.split_last() else {
            return;
        };
        let Some(table) = self.descend(table, way, KeyRoute::Dotted) else {
            return;
        };
        match self.find(table, &last.name) {
            Some(entry) => {
                let edit = self.repeated(entry, path, value);
                self.report_twice(entry, last, edit);
            }
            None => self.insert(table, last, EntryItem::Node(value)),
        }
    }

    /// The edit that removes an entry which repeats an earlier one.
    fn repeated(
        &self,
        entry: u32,
        path: &[DottedKeyPart<'a>],
        value: NodeId,
    ) -> Option<SuggestedEdit> {
        let EntryItem::Node(earlier) = self.entries[entry as usize].item else {
            return None;
        };
        let again = EntrySpan {
            key_start: path.first()?.span.start,
            value: self.reading.tree.span(value),
        };
        let earlier = self.reading.tree.span(earlier);
        repeated_entry(self.reading.source, self.reading.text, earlier, again)
    }

    /// The table that `[path]` opens.
    pub(super) fn open_table(&mut self, path: &[DottedKeyPart<'a>], span: Span) -> Option<TableId> {
        let (last, way) = path.split_last()?;
        let parent = self.descend(Self::ROOT, way, KeyRoute::Header)?;
        let Some(entry) = self.find(parent, &last.name) else {
            let table = self.create(TableOrigin::Header, self.depth(parent) + 1, span);
            self.insert(parent, last, EntryItem::Table(table));
            return Some(table);
        };
        match self.entries[entry as usize].item {
            EntryItem::Table(table) if self.table(table).origin == TableOrigin::Implicit => {
                let key = self.key_node(last);
                self.entries[entry as usize].key = key;
                let table_mut = &mut self.tables[table.0 as usize];
                (table_mut.origin, table_mut.span) = (TableOrigin::Header, span);
                Some(table)
            }
            EntryItem::List(_) => {
                let message = format!("`{}` is already a list of tables", last.name);
                self.report(
                    last.span,
                    message,
                    "write the header in double brackets to add another table",
                );
                None
            }
            EntryItem::Table(_) | EntryItem::Node(_) => {
                self.report_twice(entry, last, None);
                None
            }
        }
    }

    /// The table that `[[path]]` opens.
    pub(super) fn open_item(&mut self, path: &[DottedKeyPart<'a>], span: Span) -> Option<TableId> {
        let (last, way) = path.split_last()?;
        let parent = self.descend(Self::ROOT, way, KeyRoute::Header)?;
        let list = match self.find(parent, &last.name) {
            None => {
                let list = ListId(index(self.lists.len()));
                self.lists.push(TableArray {
                    span,
                    tables: Vec::new(),
                });
                self.insert(parent, last, EntryItem::List(list));
                list
            }
            Some(entry) => match self.entries[entry as usize].item {
                EntryItem::List(list) => list,
                EntryItem::Table(_) | EntryItem::Node(_) => {
                    self.report_twice(entry, last, None);
                    return None;
                }
            },
        };
        let table = self.create(TableOrigin::Header, self.depth(parent) + 2, span);
        self.lists[list.0 as usize].tables.push(table);
        Some(table)
    }

    fn descend(
        &mut self,
        from: TableId,
        way: &[DottedKeyPart<'a>],
        route: KeyRoute,
    ) -> Option<TableId> {
        way.iter()
            .try_fold(from, |table, key| match self.find(table, &key.name) {
                Some(entry) => self.enter(entry, key, route),
                None => {
                    let origin = if route == KeyRoute::Header {
                        TableOrigin::Implicit
                    } else {
                        TableOrigin::Dotted
                    };
                    let child = self.create(origin, self.depth(table) + 1, key.span);
                    self.insert(table, key, EntryItem::Table(child));
                    Some(child)
                }
            })
    }

    fn enter(&mut self, entry: u32, key: &DottedKeyPart<'a>, route: KeyRoute) -> Option<TableId> {
        match (self.entries[entry as usize].item, route) {
            (EntryItem::Table(table), KeyRoute::Header) => Some(table),
            (EntryItem::Table(table), KeyRoute::Dotted)
                if self.table(table).origin != TableOrigin::Header =>
            {
                self.tables[table.0 as usize].origin = TableOrigin::Dotted;
                Some(table)
            }
            (EntryItem::List(list), KeyRoute::Header) => {
                self.lists[list.0 as usize].tables.last().copied()
            }
            (EntryItem::Table(_), KeyRoute::Dotted) => {
                self.report_twice(entry, key, None);
                None
            }
            (EntryItem::List(_), KeyRoute::Dotted) => {
                let message = format!("`{}` is a list of tables", key.name);
                self.report(
                    key.span,
                    message,
                    "write the key under the `[[...]]` header that it belongs to",
                );
                None
            }
            (EntryItem::Node(node), _) => {
                self.report_closed(node, key);
                None
            }
        }
    }

    fn table(&self, table: TableId) -> &TableRecord {
        &self.tables[table.0 as usize]
    }

    fn create(&mut self, origin: TableOrigin, depth: usize, span: Span) -> TableId {
        let id = TableId(index(self.tables.len()));
        self.tables.push(TableRecord {
            origin,
            depth: index(depth),
            span,
            first: None,
            last: None,
            count: 0,
        });
        id
    }

    fn find(&self, table: TableId, name: &str) -> Option<u32> {
        let named = |at: u32| self.name(at) == name;
        let TableRecord { first, count, .. } = *self.table(table);
        if count <= SMALL {
            return self.linked(first).find(|at| named(*at));
        }
        let hash = self.hasher.hash_one((table, name));
        let same = |(_, at): &(u64, u32)| self.entries[*at as usize].table == table && named(*at);
        self.index.find(hash, same).map(|(_, at)| *at)
    }

    fn name(&self, entry: u32) -> &str {
        self.reading
            .tree
            .content(self.reading.text, self.entries[entry as usize].key)
    }

    /// This entry and those after it in its table.
    fn linked(&self, first: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(first, |at| self.entries[*at as usize].next)
    }

    fn insert(&mut self, table: TableId, key: &DottedKeyPart<'a>, item: EntryItem) {
        let at = index(self.entries.len());
        let node = self.key_node(key);
        self.entries.push(TableEntry {
            table,
            key: node,
            item,
            next: None,
        });
        let owner = &mut self.tables[table.0 as usize];
        owner.count += 1;
        match owner.last.replace(at) {
            Some(before) => self.entries[before as usize].next = Some(at),
            None => owner.first = Some(at),
        }
        match (owner.count, owner.first) {
            (count, _) if count <= SMALL => {}
            (count, first) if count == SMALL + 1 => {
                let all: Vec<u32> = self.linked(first).collect();
                all.into_iter().for_each(|at| self.index_entry(table, at));
            }
            _ => self.index_entry(table, at),
        }
    }

    fn index_entry(&mut self, table: TableId, at: u32) {
        let hash = self.hasher.hash_one((table, self.name(at)));
        self.index
            .insert_unique(hash, (hash, at), |(hash, _)| *hash);
    }

    fn key_node(&mut self, key: &DottedKeyPart<'a>) -> NodeId {
        string_node(self.reading, key.span, &key.name)
    }

    /// Creates the node of an inline table, whose end is known now.
    pub(super) fn finish_inline(&mut self, table: TableId, span: Span) -> NodeId {
        self.tables[table.0 as usize].span = span;
        self.finish(table)
    }

    /// Creates the node of a table and everything in it.
    pub(super) fn finish(&mut self, table: TableId) -> NodeId {
        let base = self.children.len();
        let mut next = self.table(table).first;
        while let Some(at) = next {
            let TableEntry {
                key,
                item,
                next: after,
                ..
            } = self.entries[at as usize];
            let value = match item {
                EntryItem::Node(node) => node,
                EntryItem::Table(table) => self.finish(table),
                EntryItem::List(list) => self.finish_list(list),
            };
            self.children.extend([key, value]);
            next = after;
        }
        let node = self
            .reading
            .tree
            .map(self.tables[table.0 as usize].span, &self.children[base..]);
        self.children.truncate(base);
        node
    }

    fn finish_list(&mut self, list: ListId) -> NodeId {
        let tables = std::mem::take(&mut self.lists[list.0 as usize].tables);
        let items: Vec<NodeId> = tables.into_iter().map(|table| self.finish(table)).collect();
        self.reading
            .tree
            .list(self.lists[list.0 as usize].span, &items)
    }

    /// Whether the file has no content.
    pub(super) fn is_empty(&self) -> bool {
        self.table(Self::ROOT).first.is_none()
    }

    pub(super) fn report(&mut self, span: Span, message: impl Into<String>, help: &str) {
        if self.reading.diagnostics.len() < MOST_FINDINGS {
            let source = self.reading.source;
            self.reading.report(
                Diagnostic::new(&codes::TOML_SYNTAX, message)
                    .at(source, span, "")
                    .help(help),
            );
        }
    }

    fn report_twice(&mut self, entry: u32, again: &DottedKeyPart<'a>, edit: Option<SuggestedEdit>) {
        if self.reading.diagnostics.len() < MOST_FINDINGS {
            let first = self.reading.tree.span(self.entries[entry as usize].key);
            let diagnostic = duplicate_key(self.reading.source, &again.name, first, again.span);
            self.reading.report(diagnostic.fixed_by(edit));
        }
    }

    fn report_closed(&mut self, node: NodeId, key: &DottedKeyPart<'a>) {
        let (existing, help) = match self.reading.tree.kind(node) {
            NodeKind::Map => ("an inline table", "write the key inside the braces"),
            NodeKind::List => ("an inline list", "write the table inside the brackets"),
            kind => (kind.word(), "rename one of them"),
        };
        if self.reading.diagnostics.len() < MOST_FINDINGS {
            let (source, value) = (self.reading.source, self.reading.tree.span(node));
            let message = format!("cannot add to `{}`: it is {existing}", key.name);
            self.reading.report(
                Diagnostic::new(&codes::TOML_SYNTAX, message)
                    .at(source, key.span, "added to here")
                    .at(source, value, "whole here")
                    .help(help),
            );
        }
    }
}

/// A string node that refers to the source if `content` is in it.
pub(super) fn string_node(reading: &mut ReaderState<'_>, span: Span, content: &str) -> NodeId {
    let offset = (content.as_ptr() as usize).wrapping_sub(reading.text.as_ptr() as usize);
    if content.is_empty() {
        reading
            .tree
            .verbatim(NodeKind::String, span, Span::at(span.range().start))
    } else if offset < reading.text.len() {
        reading.tree.verbatim(
            NodeKind::String,
            span,
            Span::new(offset, offset + content.len()),
        )
    } else {
        reading.tree.decoded(NodeKind::String, span, content)
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).expect("a source of under 4 GiB has fewer tables and keys")
}
