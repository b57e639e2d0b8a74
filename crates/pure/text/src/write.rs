//! Lossless edits. A format only says where bytes go; here it is decided what changes, and checked afterwards
//! that the new text reads as exactly what was meant.

use agpm_diag::has_errors;

use crate::formats::representable::{check_holds, holds, holds_at_top};
use crate::formats::{json, markdown, toml, yaml};
use crate::parse::parse;
use crate::tree::{
    Changes, Document, Edit, EditError, Format, Insertion, Kind, Limits, NodeRef, Pointer,
    Rewritten, Shape, Splices, Value, View, equal, list_index, to_value,
};

/// Texts up to here are read again after an edit and compared with what was meant. Tools' configuration is far smaller;
/// above, reading twice would cost more time and memory than the merge itself.
const LARGEST_CHECKED: usize = 4 << 20;

impl Document {
    /// The text after one edit.
    pub fn edit(&self, edit: &Edit) -> Result<String, EditError> {
        let mut expected = self.root().map(to_value);
        edit.apply(&mut expected)?;
        let changes = self.changes_for(edit, expected.as_ref());
        self.write(&changes, expected.as_ref())
            .map(|text| text.to_string())
    }

    /// The text that holds `target`, with all that can stay of this one: comments, order, spelling.
    pub fn rewrite<'v>(&self, target: impl View<'v>) -> Result<Rewritten, EditError> {
        let changes = match self.root() {
            Some(root) => Changes::between(root, target),
            None => Changes {
                root: Some(target),
                ..Changes::none()
            },
        };
        self.write(&changes, Some(target))
    }

    /// What has to change, at the place and nowhere else: comparing whole documents would have to guess which one of
    /// two equal items is meant, and which comment goes with which item. The edit has been tried on the value before,
    /// so its place is known to make sense.
    fn changes_for<'v>(
        &self,
        edit: &'v Edit,
        expected: Option<&'v Value>,
    ) -> Changes<'v, &'v Value> {
        let (Some(root), Some(expected)) = (self.root(), expected) else {
            return Changes {
                root: expected,
                ..Changes::none()
            };
        };
        let (at, value) = match edit {
            Edit::Set { at, .. } => return Self::set(root, expected, at),
            Edit::Append { to, value } => {
                let list = self.at(to).unwrap_or(root);
                return Changes::insertion(
                    list,
                    Insertion {
                        before: list.len(),
                        key: None,
                        value,
                    },
                );
            }
            Edit::Insert { at, value } => (at, Some(value)),
            Edit::Remove { at } => (at, None),
        };
        let Some((step, parent)) = at.steps().split_last() else {
            return Changes::none();
        };
        let container = parent
            .iter()
            .try_fold(root, |node, step| node.child(step))
            .unwrap_or(root);
        match (container.kind(), value) {
            (Kind::List, Some(value)) => {
                let before = list_index(step).unwrap_or(container.len());
                Changes::insertion(
                    container,
                    Insertion {
                        before,
                        key: None,
                        value,
                    },
                )
            }
            (_, Some(value)) => Changes::insertion(
                container,
                Insertion {
                    before: container.len(),
                    key: Some(step),
                    value,
                },
            ),
            (_, None) => Changes::removal(container, container.index_of(step).unwrap_or(0)),
        }
    }

    /// Goes down as far as there is something; there the new value is put in place, or what is missing is inserted.
    fn set<'v>(root: NodeRef<'_>, expected: &'v Value, at: &'v Pointer) -> Changes<'v, &'v Value> {
        let (mut node, mut value) = (root, expected);
        for step in at.steps() {
            let Some(below) = value.child(step) else {
                return Changes::between(root, expected);
            };
            let Some(child) = node.child(step) else {
                return Changes::insertion(
                    node,
                    Insertion {
                        before: node.len(),
                        key: Some(step),
                        value: below,
                    },
                );
            };
            (node, value) = (child, below);
        }
        Changes::between(node, value)
    }

    fn write<'v, 'e, V: View<'v>>(
        &self,
        changes: &Changes<'v, V>,
        expected: Option<impl View<'e>>,
    ) -> Result<Rewritten, EditError> {
        if changes.is_empty() {
            return Ok(Rewritten::unchanged(self.text.clone()));
        }
        // What stays is in the document's format already.
        if let Some(expected) = expected
            && !(holds_at_top(expected, self.format)
                && changes.new_values().all(|new| holds(new, self.format)))
        {
            check_holds(expected, self.format)?;
        }
        let mut splices = Splices::default();
        match self.format {
            Format::Json | Format::Jsonc => json::splice(self, changes, &mut splices),
            Format::Yaml => yaml::splice(self, changes, &mut splices)?,
            Format::Toml => toml::splice(self, changes, &mut splices)?,
            Format::Markdown => markdown::splice(self, changes, &mut splices)?,
            Format::Csv => return Err(EditError::Unsafe(self.format)),
        }
        let text = splices
            .apply(self.text.clone())
            .ok_or(EditError::Unsafe(self.format))?;
        if self.text.len() <= LARGEST_CHECKED && !self.reads_as(&text, expected) {
            return Err(EditError::Unsafe(self.format));
        }
        Ok(text)
    }

    /// Whether a new text is well-formed and holds exactly what was meant.
    fn reads_as<'e>(&self, text: &Rewritten, expected: Option<impl View<'e>>) -> bool {
        let again = parse(
            self.source,
            text.to_string(),
            self.format,
            Limits::default(),
        );
        let as_meant = match (again.document.root(), expected) {
            (Some(root), Some(expected)) => equal(root, expected),
            (None, None) => true,
            // In TOML a file without keys is the empty map.
            (None, Some(expected)) => {
                self.format == Format::Toml && expected.shape() == Shape::Map(0)
            }
            _ => false,
        };
        as_meant && !has_errors(&again.diagnostics)
    }
}

/// Prints a value in a format, from nothing.
pub fn print<'v>(view: impl View<'v>, format: Format) -> Result<String, EditError> {
    check_holds(view, format)?;
    Ok(match format {
        Format::Yaml => yaml::print(view),
        Format::Toml => toml::print(view),
        _ => {
            let mut out = json::print(view);
            out.push('\n');
            out
        }
    })
}
