//! The nodes of a document of the layers.

use agpm_model::{EntryNode, NodeLocation};
use agpm_plan::{DesiredNode, OnEqualUserValue};
use agpm_text::{Document, NodeKind, NodeRef, Pointer, Value, to_value};

/// The ownership of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    Whole,
    Items,
    /// By `id` where every item has one.
    Keyed,
}

pub(crate) fn leaves(document: &Document, lists: Lists) -> Vec<DesiredNode> {
    let mut nodes = Vec::new();
    if let Some(root) = document.root().filter(|root| root.len() > 0) {
        collect(root, &Pointer::root(), lists, &mut nodes);
    }
    nodes
}

fn node(location: NodeLocation, value: Value) -> DesiredNode {
    DesiredNode {
        node: EntryNode { location, value },
        owner: "layers".into(),
        on_equal: OnEqualUserValue::Keep,
    }
}

fn collect(now: NodeRef<'_>, at: &Pointer, lists: Lists, nodes: &mut Vec<DesiredNode>) {
    match now.kind() {
        NodeKind::Map | NodeKind::List if now.len() == 0 => {
            let bare = now.kind() == NodeKind::Map || lists != Lists::Whole;
            let location = if bare {
                NodeLocation::Default(at.clone())
            } else {
                NodeLocation::Key(at.clone())
            };
            nodes.push(node(location, to_value(now)));
        }
        NodeKind::Map => {
            for (key, value) in now.entries() {
                collect(value, &at.child(key.content()), lists, nodes);
            }
        }
        NodeKind::List if lists != Lists::Whole => {
            let named = lists == Lists::Keyed && now.items().all(|item| item.get("id").is_some());
            nodes.extend(
                now.items()
                    .map(|item| node(item_place(item, at, named), to_value(item))),
            );
        }
        _ => nodes.push(node(NodeLocation::Key(at.clone()), to_value(now))),
    }
}

fn item_place(item: NodeRef<'_>, list: &Pointer, named: bool) -> NodeLocation {
    match item.get("id").filter(|_| named) {
        Some(id) => NodeLocation::keyed(list.clone(), "id", &to_value(id)),
        None => NodeLocation::Item(list.clone()),
    }
}
