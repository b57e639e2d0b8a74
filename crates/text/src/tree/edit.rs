//! Edits and their effect on values, independent of the format.

use super::change::{ChildInsertion, DocumentChanges};
use super::document::{Document, NodeRef};
use super::format::Format;
use super::kind::NodeKind;
use super::pointer::{Pointer, list_index};
use super::value::Value;
use super::view::TreeView;

/// One change to a document.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Sets the value at a pointer; missing maps on the way are created.
    Set {
        /// The pointer.
        at: Pointer,
        /// The new value.
        value: Value,
    },
    /// Removes the value at a pointer.
    Remove {
        /// The pointer.
        at: Pointer,
    },
    /// Inserts an item before the one that the last step names, or adds a new key to an object.
    Insert {
        /// The pointer of the value afterwards.
        at: Pointer,
        /// The new item.
        value: Value,
    },
    /// Appends an item to a list.
    Append {
        /// The list.
        to: Pointer,
        /// The new item.
        value: Value,
    },
}

/// The reason why an edit was not made. The text is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Nothing exists at the pointer.
    #[error("nothing found at `{0}`")]
    NotFound(Pointer),
    /// A value already exists at the pointer.
    #[error("`{0}` already exists")]
    Exists(Pointer),
    /// A step leads into a value that has no children of that kind.
    #[error("`{at}` is {kind}", kind = .kind.word())]
    WrongKind {
        /// The pointer.
        at: Pointer,
        /// The kind of node.
        kind: NodeKind,
    },
    /// The format cannot represent the value.
    #[error("{} cannot hold {what} (at `{at}`)", .format.name())]
    Unrepresentable {
        /// The pointer.
        at: Pointer,
        /// The kind of value.
        what: &'static str,
        /// The format.
        format: Format,
    },
    /// The value cannot be changed without changing others too.
    #[error("cannot change `{at}` alone: {why}")]
    Entangled {
        /// The pointer.
        at: Pointer,
        /// The reason.
        why: String,
    },
    /// The new text would not parse to the intended value; a defect of agpm that did no harm.
    #[error("this {} file cannot be edited safely", .0.name())]
    Unsafe(Format),
}

impl Edit {
    /// Applies the edit to a value, which the edited text is compared with afterwards.
    pub(crate) fn apply(&self, root: &mut Option<Value>) -> Result<(), EditError> {
        match self {
            Edit::Set { at, value } => {
                let mut target = root.get_or_insert_with(|| {
                    if at.steps().is_empty() {
                        Value::Null
                    } else {
                        Value::Map(vec![])
                    }
                });
                let mut path = Pointer::root();
                for step in at.steps() {
                    target = child_or_new(target, &path, step)?;
                    path.push(step);
                }
                *target = value.clone();
            }
            Edit::Remove { at } => {
                let Some((parent, step)) = at.split_last() else {
                    return Err(EditError::WrongKind {
                        at: at.clone(),
                        kind: root.as_ref().map_or(NodeKind::Null, |r| r.shape().kind()),
                    });
                };
                match find(root, &parent)? {
                    Value::Map(entries) => {
                        let target = entries.iter().position(|(key, _)| key == step);
                        entries.remove(target.ok_or_else(|| EditError::NotFound(at.clone()))?);
                    }
                    Value::List(items) => {
                        let target = list_index(step).filter(|index| *index < items.len());
                        items.remove(target.ok_or_else(|| EditError::NotFound(at.clone()))?);
                    }
                    _ => return Err(EditError::NotFound(at.clone())),
                }
            }
            Edit::Insert { at, value } => {
                let Some((parent, step)) = at.split_last() else {
                    return Err(EditError::Exists(at.clone()));
                };
                match find(root, &parent)? {
                    Value::Map(entries) if entries.iter().any(|(key, _)| key == step) => {
                        return Err(EditError::Exists(at.clone()));
                    }
                    Value::Map(entries) => entries.push((step.to_owned(), value.clone())),
                    Value::List(items) => {
                        let target = list_index(step).filter(|index| *index <= items.len());
                        items.insert(
                            target.ok_or_else(|| EditError::NotFound(at.clone()))?,
                            value.clone(),
                        );
                    }
                    other => {
                        return Err(EditError::WrongKind {
                            at: parent,
                            kind: (&*other).shape().kind(),
                        });
                    }
                }
            }
            Edit::Append { to, value } => match find(root, to)? {
                Value::List(items) => items.push(value.clone()),
                other => {
                    return Err(EditError::WrongKind {
                        at: to.clone(),
                        kind: (&*other).shape().kind(),
                    });
                }
            },
        }
        Ok(())
    }

    /// The changes at the pointer only: comparing whole documents would have to guess which of two equal items is
    /// meant, and which comment belongs to which item. The edit has already been applied to the value, so its pointer
    /// is valid.
    pub(crate) fn changes<'v>(
        &'v self,
        document: &Document,
        expected: Option<&'v Value>,
    ) -> DocumentChanges<'v, &'v Value> {
        let (Some(root), Some(expected)) = (document.root(), expected) else {
            return DocumentChanges {
                root: expected,
                ..DocumentChanges::none()
            };
        };
        let (at, value) = match self {
            Edit::Set { at, .. } => return set_at(root, expected, at),
            Edit::Append { to, value } => {
                let list = document.at(to).unwrap_or(root);
                return DocumentChanges::insertion(
                    list,
                    ChildInsertion {
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
            return DocumentChanges::none();
        };
        let container = parent
            .iter()
            .try_fold(root, |node, step| node.child(step))
            .unwrap_or(root);
        match (container.kind(), value) {
            (NodeKind::List, Some(value)) => {
                let before = list_index(step).unwrap_or(container.len());
                DocumentChanges::insertion(
                    container,
                    ChildInsertion {
                        before,
                        key: None,
                        value,
                    },
                )
            }
            (_, Some(value)) => DocumentChanges::insertion(
                container,
                ChildInsertion {
                    before: container.len(),
                    key: Some(step),
                    value,
                },
            ),
            (_, None) => DocumentChanges::removal(container, container.index_of(step).unwrap_or(0)),
        }
    }
}

/// Descends as far as nodes exist; there the value is replaced, or the missing part is inserted.
fn set_at<'v>(
    root: NodeRef<'_>,
    expected: &'v Value,
    at: &'v Pointer,
) -> DocumentChanges<'v, &'v Value> {
    let (mut node, mut value) = (root, expected);
    for step in at.steps() {
        let Some(below) = value.child(step) else {
            return DocumentChanges::between(root, expected);
        };
        let Some(child) = node.child(step) else {
            return DocumentChanges::insertion(
                node,
                ChildInsertion {
                    before: node.len(),
                    key: Some(step),
                    value: below,
                },
            );
        };
        (node, value) = (child, below);
    }
    DocumentChanges::between(node, value)
}

fn find<'v>(root: &'v mut Option<Value>, at: &Pointer) -> Result<&'v mut Value, EditError> {
    let not_found = || EditError::NotFound(at.clone());
    at.steps()
        .iter()
        .try_fold(root.as_mut().ok_or_else(not_found)?, |value, step| {
            match value {
                Value::Map(entries) => entries
                    .iter_mut()
                    .find(|(key, _)| key == step)
                    .map(|(_, value)| value),
                Value::List(items) => list_index(step).and_then(|index| items.get_mut(index)),
                _ => None,
            }
            .ok_or_else(not_found)
        })
}

fn child_or_new<'v>(
    value: &'v mut Value,
    at: &Pointer,
    step: &str,
) -> Result<&'v mut Value, EditError> {
    let kind = (&*value).shape().kind();
    match value {
        Value::Map(entries) => {
            let position = entries
                .iter()
                .position(|(key, _)| key == step)
                .unwrap_or_else(|| {
                    entries.push((step.to_owned(), Value::Map(vec![])));
                    entries.len() - 1
                });
            Ok(&mut entries[position].1)
        }
        Value::List(items) => list_index(step)
            .and_then(|index| items.get_mut(index))
            .ok_or_else(|| EditError::NotFound(at.child(step))),
        _ => Err(EditError::WrongKind {
            at: at.clone(),
            kind,
        }),
    }
}
