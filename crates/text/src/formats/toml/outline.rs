//! The positions of a file's headers, lines and keys, and the nodes that they define. The tree does not store them,
//! because only edits need them.

use std::borrow::Cow;
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};

use crate::formats::flow::{is_blank, line_start};
use crate::limits::Limits;
use crate::tree::{Document, NodeId, NodeKind, TreeView};

type Map<K, V> = HashMap<K, V, FixedState>;

/// The parent of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParentNode<'d> {
    pub(super) node: NodeId,
    /// The key, in maps.
    pub(super) key: Option<&'d str>,
}

/// A header and the lines under it; the first section has no header.
#[derive(Debug)]
pub(super) struct Section {
    /// The path of nodes from the root to the section's own table.
    pub(super) chain: Vec<NodeId>,
    /// The line of the header; empty for the first section.
    pub(super) header: Range<usize>,
    /// The start of the comment directly above the header.
    pub(super) start: usize,
    /// The end of the last line with a header or key.
    pub(super) content_end: usize,
    /// The last statement of the section.
    pub(super) last: Option<usize>,
    /// The position before the blank lines and the comment that lead to the next section.
    pub(super) end: usize,
}

/// The container of a key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementOwner {
    /// A section by its index.
    Section(usize),
    /// An inline table, and the index among its pairs.
    Braces(NodeId, usize),
}

/// A key and its value.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) owner: StatementOwner,
    /// For each part of the key, its node and the end of the part.
    pub(super) parts: Vec<(NodeId, usize)>,
    /// The range from the key to the end of the value.
    pub(super) span: Range<usize>,
    /// The whole line.
    pub(super) line: Range<usize>,
}

/// The outline of a file.
pub(super) struct Outline<'d> {
    pub(super) document: &'d Document,
    pub(super) sections: Vec<Section>,
    pub(super) statements: Vec<Statement>,
    /// The parents by node; the root is the last.
    parents: Vec<Option<ParentNode<'d>>>,
    sections_of: NodePositions,
    statements_of: NodePositions,
    braces: NodePositions,
}

/// Indices for each of many nodes, in order.
#[derive(Default)]
struct NodePositions {
    nodes: Vec<NodeId>,
    positions: Vec<usize>,
}

impl NodePositions {
    fn new(mut pairs: Vec<(NodeId, usize)>) -> Self {
        pairs.sort_unstable();
        let (nodes, positions) = pairs.into_iter().unzip();
        NodePositions { nodes, positions }
    }

    fn of(&self, node: NodeId) -> &[usize] {
        let start = self.nodes.partition_point(|other| *other < node);
        let count = self.nodes[start..].partition_point(|other| *other == node);
        &self.positions[start..start + count]
    }
}

impl<'d> Outline<'d> {
    /// `None` if the text has syntax errors.
    pub(super) fn of(document: &'d Document) -> Option<Self> {
        let mut parents = vec![None; document.root()?.id().0 as usize + 1];
        let names = names(document, &mut parents)?;
        let events = events(document);
        let mut builder = OutlineBuilder::new(document, names)?;
        events.iter().try_for_each(|event| builder.event(event))?;
        let (sections, statements) = (builder.sections, builder.statements);
        let mut outline = Outline {
            document,
            sections,
            statements,
            parents,
            sections_of: NodePositions::default(),
            statements_of: NodePositions::default(),
            braces: NodePositions::default(),
        };
        outline.measure();
        outline.index();
        Some(outline)
    }

    pub(super) fn parent(&self, node: NodeId) -> Option<ParentNode<'d>> {
        self.parents.get(node.0 as usize).copied().flatten()
    }

    /// Sections whose path contains the node, in document order.
    pub(super) fn sections_of(&self, node: NodeId) -> &[usize] {
        self.sections_of.of(node)
    }

    /// Statements whose key contains the node, in document order.
    pub(super) fn statements_of(&self, node: NodeId) -> &[usize] {
        self.statements_of.of(node)
    }

    /// Statements in an inline table.
    pub(super) fn pairs(&self, node: NodeId) -> &[usize] {
        self.braces.of(node)
    }

    /// The section that the node's own header opens.
    pub(super) fn own_section(&self, node: NodeId) -> Option<usize> {
        self.sections_of(node)
            .iter()
            .copied()
            .find(|at| self.sections[*at].chain.last() == Some(&node))
    }

    fn index(&mut self) {
        let sections = self.sections.iter().enumerate();
        let on_the_way =
            sections.flat_map(|(at, section)| section.chain.iter().map(move |node| (*node, at)));
        let statements = self.statements.iter().enumerate();
        let named = statements
            .flat_map(|(at, statement)| statement.parts.iter().map(move |(node, _)| (*node, at)));
        let in_braces = self
            .statements
            .iter()
            .enumerate()
            .filter_map(|(at, statement)| match statement.owner {
                StatementOwner::Braces(node, _) => Some((node, at)),
                StatementOwner::Section(_) => None,
            });
        (self.sections_of, self.statements_of, self.braces) = (
            NodePositions::new(on_the_way.collect()),
            NodePositions::new(named.collect()),
            NodePositions::new(in_braces.collect()),
        );
    }

    /// Finds the start and end of sections, which depend on the text between them.
    fn measure(&mut self) {
        let text = &*self.document.text;
        for (index, statement) in self.statements.iter().enumerate() {
            if let StatementOwner::Section(at) = statement.owner {
                self.sections[at].content_end = statement.line.end;
                self.sections[at].last = Some(index);
            }
        }
        for at in 0..self.sections.len() {
            let floor = if at == 0 {
                self.sections[0].start
            } else {
                self.sections[at - 1].content_end
            };
            if at > 0 {
                self.sections[at].start =
                    comment_above(text, floor, self.sections[at].header.start);
                self.sections[at - 1].end = before_blanks(text, floor, self.sections[at].start);
            }
        }
    }
}

/// The start of the comment lines directly above `at`.
fn comment_above(text: &str, floor: usize, at: usize) -> usize {
    let mut start = at;
    while start > floor {
        let above = line_start(text, start - 1).max(floor);
        if !text[above..start].trim_start().starts_with('#') {
            break;
        }
        start = above;
    }
    start
}

/// The start of the blank lines directly above `at`.
pub(super) fn before_blanks(text: &str, floor: usize, at: usize) -> usize {
    let mut start = at;
    while start > floor {
        let above = line_start(text, start - 1).max(floor);
        if !is_blank(&text[above..start]) {
            break;
        }
        start = above;
    }
    start
}

/// The position after the line ending that follows `at`.
fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length + 1)
}

/// All values by map and key; also records their parents.
fn names<'d>(
    document: &'d Document,
    parents: &mut [Option<ParentNode<'d>>],
) -> Option<Map<(NodeId, &'d str), NodeId>> {
    let mut names = Map::default();
    let mut open = vec![document.root()?];
    while let Some(node) = open.pop() {
        for (key, value) in node.entries() {
            names.insert((node.id(), key.content()), value.id());
            let key = Some(key.content());
            *parents.get_mut(value.id().0 as usize)? = Some(ParentNode {
                node: node.id(),
                key,
            });
            open.push(value);
        }
        for item in node.items() {
            *parents.get_mut(item.id().0 as usize)? = Some(ParentNode {
                node: node.id(),
                key: None,
            });
            open.push(item);
        }
    }
    Some(names)
}

fn events(document: &Document) -> Vec<Event> {
    let tokens = source(document).lex().into_vec();
    let mut events: Vec<Event> = Vec::with_capacity(tokens.len());
    let most = u32::try_from(Limits::default().depth).unwrap_or(u32::MAX);
    parse_document(
        &tokens,
        &mut RecursionGuard::new(&mut events, most),
        &mut (),
    );
    events
}

/// The parser skips a byte order mark itself, and includes it in offsets.
fn source(document: &Document) -> Source<'_> {
    Source::new(&document.text)
}

/// Keys that wait for their value.
#[derive(Default)]
struct PendingKeys {
    parts: Vec<(NodeId, usize)>,
    start: usize,
}

enum OpenBracket {
    List {
        node: NodeId,
        next: usize,
    },
    Braces {
        node: NodeId,
        pairs: usize,
        pending: PendingKeys,
    },
}

struct OutlineBuilder<'d> {
    document: &'d Document,
    names: Map<(NodeId, &'d str), NodeId>,
    sections: Vec<Section>,
    statements: Vec<Statement>,
    /// The number of items so far in each list of tables.
    items: Map<NodeId, usize>,
    /// The start and nodes of an open header.
    header: Option<(usize, Vec<NodeId>)>,
    pending: PendingKeys,
    frames: Vec<OpenBracket>,
}

impl<'d> OutlineBuilder<'d> {
    fn new(document: &'d Document, names: Map<(NodeId, &'d str), NodeId>) -> Option<Self> {
        let root = document.root()?.id();
        let start = line_start(&document.text, 0).max(if document.text.starts_with('\u{feff}') {
            3
        } else {
            0
        });
        let end = document.text.len();
        let first = Section {
            chain: vec![root],
            header: start..start,
            start,
            content_end: start,
            last: None,
            end,
        };
        Some(OutlineBuilder {
            document,
            names,
            sections: vec![first],
            statements: Vec::new(),
            items: Map::default(),
            header: None,
            pending: PendingKeys::default(),
            frames: Vec::new(),
        })
    }

    fn event(&mut self, event: &Event) -> Option<()> {
        let span = event.span();
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.header = Some((span.start(), self.sections[0].chain.clone()));
            }
            EventKind::StdTableClose => self.open_section(span.end())?,
            EventKind::ArrayTableClose => {
                self.next_item()?;
                self.open_section(span.end())?;
            }
            EventKind::SimpleKey => self.key(event)?,
            EventKind::Scalar => {
                self.value_node()?;
                self.value_end(span.end())?;
            }
            EventKind::ArrayOpen => {
                let node = self.value_node()?;
                self.frames.push(OpenBracket::List { node, next: 0 });
            }
            EventKind::InlineTableOpen => {
                let node = self.value_node()?;
                self.frames.push(OpenBracket::Braces {
                    node,
                    pairs: 0,
                    pending: PendingKeys::default(),
                });
            }
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                self.frames.pop()?;
                self.value_end(span.end())?;
            }
            EventKind::Error => return None,
            _ => {}
        }
        Some(())
    }

    fn key(&mut self, event: &Event) -> Option<()> {
        let mut name = Cow::Borrowed("");
        source(self.document)
            .get(event)?
            .decode_key(&mut name, &mut ());
        let (start, end) = (event.span().start(), event.span().end());
        if let Some((_, chain)) = &mut self.header {
            let mut from = *chain.last()?;
            if self.document.tree.kind(from) == NodeKind::List {
                from = self
                    .document
                    .node(from)
                    .item(self.items.get(&from)?.checked_sub(1)?)
                    .id();
                chain.push(from);
            }
            chain.push(*self.names.get(&(from, &*name))?);
            return Some(());
        }
        let (from, pending) = match self.frames.last_mut() {
            Some(OpenBracket::Braces { node, pending, .. }) => (*node, pending),
            Some(OpenBracket::List { .. }) => return None,
            None => (*self.sections.last()?.chain.last()?, &mut self.pending),
        };
        if pending.parts.is_empty() {
            pending.start = start;
        }
        let from = pending.parts.last().map_or(from, |(node, _)| *node);
        pending.parts.push((*self.names.get(&(from, &*name))?, end));
        Some(())
    }

    /// Adds a table to the list that the completed header names.
    fn next_item(&mut self) -> Option<()> {
        let (_, chain) = self.header.as_mut()?;
        let list = *chain.last()?;
        let count = self.items.entry(list).or_insert(0);
        if *count >= self.document.node(list).len() {
            return None;
        }
        chain.push(self.document.node(list).item(*count).id());
        *count += 1;
        Some(())
    }

    fn open_section(&mut self, end: usize) -> Option<()> {
        let (start, chain) = self.header.take()?;
        let text = &*self.document.text;
        let header = line_start(text, start)..line_end(text, end);
        let content_end = header.end;
        let (start, end) = (header.start, text.len());
        self.sections.push(Section {
            chain,
            start,
            header,
            content_end,
            last: None,
            end,
        });
        Some(())
    }

    /// The node of the value that starts here.
    fn value_node(&mut self) -> Option<NodeId> {
        match self.frames.last_mut() {
            Some(OpenBracket::List { node, next }) => {
                let list = self.document.node(*node);
                *next += 1;
                (*next <= list.len()).then(|| list.item(*next - 1).id())
            }
            Some(OpenBracket::Braces { pending, .. }) => {
                pending.parts.last().map(|(node, _)| *node)
            }
            None => self.pending.parts.last().map(|(node, _)| *node),
        }
    }

    fn value_end(&mut self, end: usize) -> Option<()> {
        let (owner, pending) = match self.frames.last_mut() {
            Some(OpenBracket::List { .. }) => return Some(()),
            Some(OpenBracket::Braces {
                node,
                pairs,
                pending,
            }) => {
                *pairs += 1;
                (StatementOwner::Braces(*node, *pairs - 1), pending)
            }
            None => (
                StatementOwner::Section(self.sections.len() - 1),
                &mut self.pending,
            ),
        };
        let PendingKeys { parts, start } = std::mem::take(pending);
        let text = &*self.document.text;
        let line = match owner {
            StatementOwner::Section(_) => line_start(text, start)..line_end(text, end),
            StatementOwner::Braces(..) => start..end,
        };
        self.statements.push(Statement {
            owner,
            parts,
            span: start..end,
            line,
        });
        Some(())
    }
}
