//! Positions of nodes in YAML text: their indicators, context and ranges.

use std::ops::Range;

use crate::formats::flow::{is_blank, line_start};
use crate::formats::yaml::print::UNIT;
use crate::formats::yaml::scalar::ScalarContext;
use crate::formats::yaml::scan::{is_indicator, is_marker, line_end, property_end, skip_trivia};
use crate::limits::WIDEST_INDENT;
use crate::tree::{Document, MergeKey, NodeId, NodeKind, NodeRef, Pointer, TreeView};

/// The notation of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContainerForm {
    Block,
    Flow,
    /// `[key: value]`: an object of one entry without brackets.
    Pair,
}

/// The indicator before a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeIndicator {
    Colon,
    /// A key without a colon, whose value is null.
    MissingColon,
    Dash,
    /// `---` before the root.
    Marker,
    Nothing,
}

/// The text before a node that belongs to it.
pub(crate) struct NodeLead {
    pub(crate) by: NodeIndicator,
    /// The position after the indicator and all properties.
    pub(crate) end: usize,
    pub(crate) has_anchor: bool,
    pub(crate) tags: Vec<Range<usize>>,
}

/// A child of a container as written, with its key, dash and properties.
pub(crate) struct TextChild {
    pub(crate) range: Range<usize>,
    /// Its index among the children; `None` for a merge key.
    pub(crate) index: Option<usize>,
}

pub(crate) struct NodeLocator<'d> {
    pub(crate) document: &'d Document,
    /// The text up to the end of the YAML.
    pub(crate) text: &'d str,
    start: usize,
    parents: Vec<Option<(NodeId, usize)>>,
}

impl<'d> NodeLocator<'d> {
    pub(crate) fn new(document: &'d Document, range: Range<usize>) -> Self {
        let mut parents = vec![None; document.tree.len()];
        let mut open: Vec<NodeId> = document.tree.root.into_iter().collect();
        while let Some(id) = open.pop() {
            let node = document.node(id);
            let values = node.items().chain(node.entries().map(|(_, value)| value));
            let first = open.len();
            for (index, child) in values.enumerate() {
                let parent = &mut parents[child.id().0 as usize];
                // Children of an anchor occur again under its aliases, which come later.
                if parent.is_none() {
                    *parent = Some((id, index));
                    open.push(child.id());
                }
            }
            open[first..].reverse();
        }
        NodeLocator {
            document,
            text: &document.text[..range.end],
            start: range.start,
            parents,
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> NodeRef<'d> {
        self.document.node(id)
    }

    pub(crate) fn range(&self, id: NodeId) -> Range<usize> {
        self.node(id).span().range()
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<(NodeId, usize)> {
        self.parents[id.0 as usize]
    }

    /// The key of the entry at `index`; `None` in lists.
    pub(crate) fn key(&self, map: NodeId, index: usize) -> Option<NodeRef<'d>> {
        let is_map = self.node(map).kind() == NodeKind::Map;
        is_map.then(|| self.node(self.document.tree.children(map)[index * 2]))
    }

    fn ancestors(&self, id: NodeId) -> impl Iterator<Item = (NodeId, usize)> + '_ {
        std::iter::successors(self.parent(id), |(parent, _)| self.parent(*parent))
    }

    pub(crate) fn depth(&self, id: NodeId) -> usize {
        self.ancestors(id).count()
    }

    pub(crate) fn pointer(&self, id: NodeId) -> Pointer {
        let mut steps: Vec<String> = self
            .ancestors(id)
            .map(|(parent, index)| match self.key(parent, index) {
                Some(key) => key.content().to_owned(),
                None => index.to_string(),
            })
            .collect();
        steps.reverse();
        steps.into_iter().collect()
    }

    fn has_bracket(&self, id: NodeId) -> bool {
        self.text[self.range(id).start..].starts_with(['[', '{'])
    }

    /// The context of a node.
    pub(crate) fn context(&self, id: NodeId) -> ScalarContext {
        let flow = self
            .ancestors(id)
            .any(|(parent, _)| self.has_bracket(parent));
        if flow {
            ScalarContext::Flow
        } else {
            ScalarContext::Block
        }
    }

    pub(crate) fn form(&self, container: NodeId) -> ContainerForm {
        match self.context(container) {
            _ if self.has_bracket(container) => ContainerForm::Flow,
            ScalarContext::Flow => ContainerForm::Pair,
            ScalarContext::Block => ContainerForm::Block,
        }
    }

    /// Whether a node is an object or a list in block style.
    pub(crate) fn is_block(&self, id: NodeId) -> bool {
        let is_container = matches!(self.node(id).kind(), NodeKind::Map | NodeKind::List);
        is_container && !self.is_alias(id) && self.form(id) == ContainerForm::Block
    }

    pub(crate) fn is_alias(&self, id: NodeId) -> bool {
        self.document
            .tree
            .sharing
            .aliases
            .binary_search_by_key(&id, |(alias, _)| *alias)
            .is_ok()
    }

    pub(crate) fn is_inherited(&self, id: NodeId) -> bool {
        self.document
            .tree
            .sharing
            .inherited
            .binary_search(&id)
            .is_ok()
    }

    /// The merge keys of an object.
    pub(crate) fn merges(&self, map: NodeId) -> &'d [MergeKey] {
        let all = &self.document.tree.sharing.merges;
        let start = all.partition_point(|merge| merge.map < map);
        let count = all[start..]
            .iter()
            .take_while(|merge| merge.map == map)
            .count();
        &all[start..start + count]
    }

    /// The number of characters before `at` on its line.
    pub(crate) fn column(&self, at: usize) -> usize {
        self.text[line_start(self.text, at)..at].chars().count()
    }

    /// Whether only blanks precede `at` on its line.
    pub(crate) fn starts_line(&self, at: usize) -> bool {
        is_blank(&self.text[line_start(self.text, at)..at])
    }

    /// The end of the line before the one that `at` is on.
    pub(crate) fn previous_line_end(&self, at: usize) -> Option<usize> {
        let before = self.text[..line_start(self.text, at)].strip_suffix('\n')?;
        Some(before.strip_suffix('\r').unwrap_or(before).len())
    }

    /// The column of the children of a node's parent; `None` for the root.
    pub(crate) fn parent_column(&self, id: NodeId) -> Option<usize> {
        self.parent(id)
            .map(|(parent, _)| self.column(self.range(parent).start))
    }

    /// The indentation per level in the text.
    pub(crate) fn indent_unit(&self) -> usize {
        let is_nested = |id: &NodeId, kind| self.node(*id).kind() == kind && self.is_block(*id);
        let indent = |id: NodeId| {
            let (parent, _) = self
                .parent(id)
                .filter(|(parent, _)| self.node(*parent).kind() == NodeKind::Map)?;
            let start = self.range(id).start;
            let indent = self
                .column(start)
                .checked_sub(self.column(self.range(parent).start))?;
            (self.starts_line(start) && (1..=WIDEST_INDENT).contains(&indent)).then_some(indent)
        };
        let nodes = || (0..self.document.tree.len() as u32).map(NodeId);
        // Lists are often indented less than maps.
        let first = |kind| nodes().filter(|id| is_nested(id, kind)).find_map(indent);
        first(NodeKind::Map)
            .or_else(|| first(NodeKind::List))
            .unwrap_or(UNIT)
    }

    /// The children of a container in document order.
    pub(crate) fn children(&self, container: NodeId) -> Vec<TextChild> {
        let node = self.node(container);
        let mut spans: Vec<(Range<usize>, Option<usize>)> = match node.kind() {
            NodeKind::Map => self.entry_spans(node),
            _ => node
                .items()
                .enumerate()
                .map(|(at, item)| (item.span().range(), Some(at)))
                .collect(),
        };
        spans.sort_by_key(|(range, _)| range.start);
        let is_flow = self.form(container) == ContainerForm::Flow;
        let mut at = self.range(container).start + usize::from(is_flow);
        let mut children = Vec::with_capacity(spans.len());
        for (range, index) in spans {
            let start = self.child_start(at, is_flow);
            at = range.end;
            children.push(TextChild {
                range: start.min(range.start)..range.end,
                index,
            });
        }
        children
    }

    fn entry_spans(&self, node: NodeRef<'d>) -> Vec<(Range<usize>, Option<usize>)> {
        let between = |key: Range<usize>, value: Range<usize>| key.start..value.end.max(key.end);
        let entries = node
            .entries()
            .enumerate()
            .filter(|(_, (_, value))| !self.is_inherited(value.id()));
        let entries = entries.map(|(at, (key, value))| {
            (between(key.span().range(), value.span().range()), Some(at))
        });
        let merges = self.merges(node.id()).iter().map(|merge| {
            (
                between(self.range(merge.key), self.range(merge.value)),
                None,
            )
        });
        entries.chain(merges).collect()
    }

    /// The indicator and properties of a node.
    pub(crate) fn lead(&self, id: NodeId) -> NodeLead {
        let (by, end) = match self.parent(id) {
            None => self.before_root(id),
            Some((parent, index)) => self.indicator(parent, index),
        };
        let mut lead = NodeLead {
            by,
            end,
            has_anchor: false,
            tags: Vec::new(),
        };
        let start = self.range(id).start;
        loop {
            let next = skip_trivia(self.text, lead.end);
            let is_property = next < start && self.text[next..].starts_with(['&', '!']);
            if !is_property {
                return lead;
            }
            lead.end = property_end(self.text, next).min(start);
            if self.text[next..].starts_with('&') {
                lead.has_anchor = true;
            } else {
                lead.tags.push(next..lead.end);
            }
        }
    }

    fn indicator(&self, parent: NodeId, index: usize) -> (NodeIndicator, usize) {
        if let Some(key) = self.key(parent, index) {
            let key_end = key.span().end as usize;
            let colon = skip_trivia(self.text, key_end);
            let is_block = self.form(parent) == ContainerForm::Block;
            let found = self.text[colon..].starts_with(':')
                && (!is_block || is_indicator(self.text, colon, b':'));
            return if found {
                (NodeIndicator::Colon, colon + 1)
            } else {
                (NodeIndicator::MissingColon, key_end)
            };
        }
        let is_flow = self.form(parent) == ContainerForm::Flow;
        let previous = index
            .checked_sub(1)
            .map(|before| self.node(parent).item(before));
        let from = previous.map_or(self.range(parent).start + usize::from(is_flow), |item| {
            item.span().end as usize
        });
        let start = self.child_start(from, is_flow);
        if is_flow {
            (NodeIndicator::Nothing, start)
        } else {
            (NodeIndicator::Dash, start + 1)
        }
    }

    /// The start of the child after `from`.
    fn child_start(&self, from: usize, is_flow: bool) -> usize {
        let start = skip_trivia(self.text, from);
        let has_comma = is_flow && self.text[start..].starts_with(',');
        if has_comma {
            skip_trivia(self.text, start + 1)
        } else {
            start
        }
    }

    /// Directives, `...` of nothing before, and `---`.
    fn before_root(&self, id: NodeId) -> (NodeIndicator, usize) {
        let root = self.range(id).start;
        let mut at = skip_trivia(self.text, self.start);
        while at < root && (self.text[at..].starts_with('%') || is_marker(self.text, at, "...")) {
            at = skip_trivia(self.text, line_end(self.text, at));
        }
        let marked = at < root && is_marker(self.text, at, "---");
        if marked {
            (NodeIndicator::Marker, at + 3)
        } else {
            (NodeIndicator::Nothing, at.min(root))
        }
    }
}
