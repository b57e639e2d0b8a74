//! Finds values that a format cannot represent. Dates are excepted: in other formats they become strings.

use crate::tree::{EditError, Format, NodeKind, NodeShape, Pointer, TreeView};

/// Whether a format accepts a value as a whole document.
pub(crate) fn holds_at_top<'v>(view: impl TreeView<'v>, format: Format) -> bool {
    !matches!(format, Format::Toml | Format::Markdown) || view.shape().kind() == NodeKind::Map
}

/// Whether a format can represent a value in a document.
pub(crate) fn holds<'v>(view: impl TreeView<'v>, format: Format) -> bool {
    match view.shape() {
        NodeShape::List(count) => (0..count).all(|index| holds(view.item(index), format)),
        NodeShape::Map(count) => (0..count).all(|index| holds(view.entry(index).1, format)),
        scalar => obstacle(scalar, format).is_none(),
    }
}

/// Checks that a format can represent a document; an error names the value that it cannot.
pub(crate) fn check_holds<'v>(view: impl TreeView<'v>, format: Format) -> Result<(), EditError> {
    let what = if !holds_at_top(view, format) {
        Some((Pointer::root(), "a top-level value that is not an object"))
    } else if holds(view, format) {
        None
    } else {
        find_obstacle(view, format, &mut Pointer::root())
    };
    what.map_or(Ok(()), |(at, what)| {
        Err(EditError::Unrepresentable { at, what, format })
    })
}

fn obstacle(scalar: NodeShape<'_>, format: Format) -> Option<&'static str> {
    match (scalar, format) {
        (NodeShape::Null, Format::Toml) => Some("null"),
        (NodeShape::Integer(text), Format::Toml) if text.parse::<i64>().is_err() => {
            Some("a whole number beyond 64 bits")
        }
        (NodeShape::Float("inf" | "-inf" | "nan"), Format::Json | Format::Jsonc) => {
            Some("infinity or not-a-number")
        }
        _ => None,
    }
}

fn find_obstacle<'v>(
    view: impl TreeView<'v>,
    format: Format,
    at: &mut Pointer,
) -> Option<(Pointer, &'static str)> {
    let shape = view.shape();
    let count = match shape {
        NodeShape::List(count) | NodeShape::Map(count) => count,
        scalar => return obstacle(scalar, format).map(|what| (at.clone(), what)),
    };
    (0..count).find_map(|index| {
        let (step, child) = match shape {
            NodeShape::Map(_) => {
                let (key, value) = view.entry(index);
                (key.to_owned(), value)
            }
            _ => (index.to_string(), view.item(index)),
        };
        at.push(step);
        let found = find_obstacle(child, format, at);
        at.pop();
        found
    })
}
