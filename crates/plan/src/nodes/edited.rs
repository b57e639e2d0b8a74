//! Edited nodes of which a new version exists.

use agpm_model::{NodeLocation, Owner};
use agpm_text::{
    Document, Edit, EditError, NodeKind, NodeRef, Pointer, Value, equal, parse_alone, to_value,
};

use super::owned::{OwnedNode, OwnedNodes};
use super::resemblance::fingerprint_node;
use super::sum::NodeSum;

/// An edited entry of which a new version exists.
#[derive(Clone, Debug, PartialEq)]
pub struct EditedNode {
    /// Its position in the user's file.
    pub at: Pointer,
    /// Its location, as it is managed.
    pub location: NodeLocation,
    /// The value that agpm wrote.
    pub base: NodeSum,
    /// The new version.
    pub new: Value,
    /// The owner.
    pub owner: Owner,
}

impl OwnedNodes {
    /// Records that a new version is the base of an entry from now on.
    pub fn rebase(&mut self, location: &NodeLocation, base: &str, next: &Value) {
        let mut nodes = self.nodes.iter_mut();
        let node =
            nodes.find(|node| node.location == *location && node.checksum.to_string() == base);
        if let Some(node) = node {
            *node = OwnedNode {
                author: node.author,
                ..fingerprint_node(location, next, &node.owner)
            };
        }
        self.nodes.sort();
    }
}

/// The position of an entry in a file; of an item of a list, the one that equals a value.
pub fn position_of(document: &Document, location: &NodeLocation, value: &Value) -> Option<Pointer> {
    match location {
        NodeLocation::Key(at) | NodeLocation::Default(at) => document.at(at).map(|_| at.clone()),
        NodeLocation::Item(list) => {
            let mut items = document.at(list)?.items();
            let index = items.position(|item| equal(item, value))?;
            Some(list.child(index.to_string()))
        }
        NodeLocation::Keyed { list, key, id } => {
            let mut items = document.at(list)?.items();
            let has_id = |item: NodeRef<'_>| {
                let found = item.get(key).map(|value| to_value(value).to_json());
                found.is_some_and(|found| found.trim_end() == id)
            };
            let index = items.position(has_id)?;
            Some(list.child(index.to_string()))
        }
    }
}

/// The text of a file with another value at a pointer.
pub fn with_value(document: &Document, at: &Pointer, value: &Value) -> Result<String, EditError> {
    let edits = match document.at(at) {
        Some(now) => edits_between(at, now, value),
        None => vec![set(at, value)],
    };
    let mut text = document.text().to_string();
    for edit in &edits {
        text = parse_alone(text, document.format()).document.edit(edit)?;
    }
    Ok(text)
}

/// The edits that turn a value into another one and leave everything equal as it is written.
pub(super) fn edits_between(at: &Pointer, now: NodeRef<'_>, wanted: &Value) -> Vec<Edit> {
    if equal(now, wanted) {
        return Vec::new();
    }
    let Value::Map(entries) = wanted else {
        return vec![set(at, wanted)];
    };
    if now.kind() != NodeKind::Map {
        return vec![set(at, wanted)];
    }
    let mut edits = Vec::new();
    for (key, _) in now.entries() {
        if wanted.get(key.content()).is_none() {
            edits.push(Edit::Remove {
                at: at.child(key.content()),
            });
        }
    }
    for (key, value) in entries {
        let at = at.child(key.as_str());
        match now.get(key) {
            Some(now) => edits.extend(edits_between(&at, now, value)),
            None => edits.push(set(&at, value)),
        }
    }
    edits
}

fn set(at: &Pointer, value: &Value) -> Edit {
    Edit::Set {
        at: at.clone(),
        value: value.clone(),
    }
}
