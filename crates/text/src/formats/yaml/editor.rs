//! Shared parts of all YAML edits: positions, and the insertion of new lines.

use std::ops::Range;

use crate::formats::flow::{is_blank, newline_here};
use crate::formats::yaml::node_locator::NodeLocator;
use crate::formats::yaml::print::{BlockPrinter, LiteralBlocks};
use crate::tree::{ChildInsertion, ContainerChange, NodeId, Splices};

/// Removals and insertions of one container.
pub(crate) struct ContainerFilling<'c, V> {
    pub(crate) container: NodeId,
    pub(crate) removed: &'c [usize],
    pub(crate) inserted: Vec<NewChild<'c, V>>,
}

/// A new child.
#[derive(Clone, Copy)]
pub(crate) struct NewChild<'c, V> {
    pub(crate) before: usize,
    pub(crate) key: Option<&'c str>,
    pub(crate) value: V,
}

impl<'c, V: Copy> ContainerFilling<'c, V> {
    pub(crate) fn of(change: &'c ContainerChange<'c, V>) -> Self {
        let new = |i: &ChildInsertion<'c, V>| NewChild {
            before: i.before,
            key: i.key,
            value: i.value,
        };
        let inserted = change.inserted.iter().map(new).collect();
        ContainerFilling {
            container: change.container,
            removed: &change.removed,
            inserted,
        }
    }
}

pub(crate) struct YamlEditor<'d, 's> {
    pub(crate) locator: NodeLocator<'d>,
    pub(crate) newline: &'static str,
    /// The indentation per level.
    pub(crate) unit: usize,
    pub(crate) splices: &'s mut Splices,
}

impl YamlEditor<'_, '_> {
    /// Replaces the bytes of `range` with the output of `write`.
    pub(crate) fn put(
        &mut self,
        range: Range<usize>,
        literals: LiteralBlocks,
        write: impl FnOnce(&mut BlockPrinter<'_>),
    ) {
        let (newline, unit) = (self.newline, self.unit);
        self.splices.put_with(range, |out| {
            write(&mut BlockPrinter {
                out,
                newline,
                unit,
                literals,
            })
        });
    }

    /// Whether a literal block with lines indented more than `column` may end at `at`.
    pub(crate) fn literals_at(&self, at: usize, column: usize) -> LiteralBlocks {
        let text = self.locator.text;
        let ends_line = newline_here(&text[at..]).is_some();
        let next = at
            + text[at..]
                .find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n'))
                .unwrap_or(0);
        // A comment indented further than a literal block would become one of its lines.
        let joins = text[next..].starts_with('#') && self.locator.column(next) > column;
        // Lines of blanks longer than the block's indentation would become part of it.
        let mut below = text[at..].lines().skip(1).take_while(|line| is_blank(line));
        let blanks_join = below.any(|line| line.len() > column);
        if ends_line && !joins && !blanks_join {
            LiteralBlocks::Clipped
        } else {
            LiteralBlocks::Avoided
        }
    }

    /// The position before the blanks that end at `at`.
    pub(crate) fn before_blanks(&self, at: usize) -> usize {
        self.locator.text[..at].trim_end_matches([' ', '\t']).len()
    }
}
