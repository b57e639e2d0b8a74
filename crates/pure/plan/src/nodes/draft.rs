//! The text of a shared file as it becomes, edit by edit.

use agpm_model::Place;
use agpm_text::{Document, Edit, Format, Kind, Limits, NodeRef, Pointer, Value, parse, parse_alone};

use super::look::locate;
use super::{NodeError, OwnedNode};

pub(super) struct Draft {
    pub(super) document: Document,
}

impl Draft {
    pub(super) fn new(document: &Document) -> Self {
        Draft { document: document.clone() }
    }

    /// A file that is not there yet.
    pub(super) fn empty(format: Format) -> Self {
        Draft { document: parse_alone("", format).document }
    }

    pub(super) fn text(&self) -> &str {
        self.document.text()
    }

    /// Gives a place a value and says which maps on the way are new.
    pub(super) fn set(&mut self, at: &Pointer, value: &Value) -> Result<Vec<Pointer>, NodeError> {
        let made = at.split_last().map_or_else(Vec::new, |(parent, _)| self.missing(&parent));
        self.apply(at, &Edit::Set { at: at.clone(), value: value.clone() })?;
        Ok(made)
    }

    /// Puts an item at the end of a list and says which containers are new.
    pub(super) fn append(&mut self, list: &Pointer, value: &Value) -> Result<Vec<Pointer>, NodeError> {
        let made = self.missing(list);
        if made.last() == Some(list) {
            self.set(list, &Value::List(vec![value.clone()]))?;
        } else {
            self.apply(list, &Edit::Append { to: list.clone(), value: value.clone() })?;
        }
        Ok(made)
    }

    pub(super) fn remove(&mut self, at: &Pointer) -> Result<(), NodeError> {
        self.apply(at, &Edit::Remove { at: at.clone() })
    }

    /// Removes what is as we wrote it, then what that leaves empty.
    pub(super) fn strip(&mut self, nodes: &[OwnedNode], containers: &[Pointer]) -> Result<(), NodeError> {
        for node in nodes.iter().rev() {
            if let Some(at) = locate(&self.document, node) {
                self.remove(&at)?;
            }
        }
        self.prune(containers)
    }

    /// Removes keys whatever they hold, and items that are as we wrote them.
    pub(super) fn clear(&mut self, nodes: &[OwnedNode]) -> Result<(), NodeError> {
        for node in nodes {
            let at = match &node.place {
                Place::Key(at) => self.document.at(at).map(|_| at.clone()),
                Place::Item(_) | Place::Default(_) | Place::Keyed { .. } => locate(&self.document, node),
            };
            at.map_or(Ok(()), |at| self.remove(&at))?;
        }
        Ok(())
    }

    /// Removes those containers that are empty, innermost first.
    pub(super) fn prune(&mut self, containers: &[Pointer]) -> Result<(), NodeError> {
        let mut inside_out: Vec<&Pointer> = containers.iter().collect();
        inside_out.sort_by_key(|at| std::cmp::Reverse(at.steps().len()));
        for at in inside_out {
            let Some(node) = self.document.at(at).filter(|node| self.is_empty(*node)) else { continue };
            if at.steps().is_empty() {
                let range = node.span().range();
                let text = self.text();
                self.read([&text[..range.start], &text[range.end..]].concat());
            } else {
                self.remove(at)?;
            }
        }
        Ok(())
    }

    /// Whether nothing is in a container, not even a comment.
    fn is_empty(&self, node: NodeRef<'_>) -> bool {
        let only_brackets = || {
            let written = &self.text()[node.span().range()];
            written.chars().all(|c| c.is_whitespace() || "{}[]".contains(c))
        };
        let container = matches!(node.kind(), Kind::Map | Kind::List);
        container && node.len() == 0 && (self.document.format() == Format::Toml || only_brackets())
    }

    /// Containers on the way to a place, and the place itself, that are not there. In TOML the root always is.
    fn missing(&self, at: &Pointer) -> Vec<Pointer> {
        let first = usize::from(self.document.format() == Format::Toml);
        let ways = (first..=at.steps().len()).map(|length| at.steps()[..length].iter().cloned().collect());
        ways.filter(|way: &Pointer| self.document.at(way).is_none()).collect()
    }

    fn apply(&mut self, at: &Pointer, edit: &Edit) -> Result<(), NodeError> {
        let text = self.document.edit(edit).map_err(|why| NodeError::Edit { at: at.clone(), why })?;
        self.read(text);
        Ok(())
    }

    pub(super) fn read(&mut self, text: String) {
        let (source, format) = (self.document.source(), self.document.format());
        self.document = parse(source, text, format, Limits::default()).document;
    }
}
