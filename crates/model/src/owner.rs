//! The owner of a managed file, key or item.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{LayerName, ResourceName};
use crate::pin::ResourceId;
use crate::resource::RESOURCE_TYPES;

/// The owner of something managed. Ledgers store it as text, which is parsed and written back unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// `agents/reviewer`.
    Resource(ResourceId),
    /// `layers/org+team`.
    Layers(LayerSet),
    /// Any other owner, from a ledger of another version.
    Other(Arc<str>),
}

/// One layer, or several that contribute together. Layer names may contain a `+`, so the stored text cannot be split
/// again; two sets are equal if their text is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayerSet(Arc<str>);

impl LayerSet {
    /// The set of these layers, in order.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n LayerName>) -> Self {
        let names: Vec<&str> = names.into_iter().map(LayerName::as_str).collect();
        LayerSet(names.join("+").into())
    }

    /// All layers of several sets, each set once.
    pub fn union<'s>(sets: impl IntoIterator<Item = &'s LayerSet>) -> Self {
        let mut names: Vec<&str> = sets.into_iter().map(LayerSet::as_str).collect();
        names.sort_unstable();
        names.dedup();
        LayerSet(names.join("+").into())
    }

    /// Whether a layer may be one of the set: names that contain `+` can look like several.
    pub fn may_have(&self, name: &LayerName) -> bool {
        format!("+{}+", self.0).contains(&format!("+{}+", name.as_str()))
    }

    /// The names, joined by `+`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LayerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Owner {
    /// The set of one layer.
    pub fn layer(name: &LayerName) -> Self {
        Owner::Layers(LayerSet::of([name]))
    }

    /// The layers, if it is a set of layers.
    pub fn layers(&self) -> Option<&LayerSet> {
        match self {
            Owner::Layers(layers) => Some(layers),
            Owner::Resource(_) | Owner::Other(_) => None,
        }
    }

    /// The text in pieces.
    fn pieces(&self) -> [&str; 3] {
        match self {
            Owner::Resource(id) => [id.kind.plural(), "/", id.name.as_str()],
            Owner::Layers(layers) => [LayerName::TYPE_NAME, "/", layers.as_str()],
            Owner::Other(text) => [text, "", ""],
        }
    }

    /// The resource, if it is one.
    pub fn resource(&self) -> Option<&ResourceId> {
        match self {
            Owner::Resource(id) => Some(id),
            Owner::Layers(_) | Owner::Other(_) => None,
        }
    }
}

impl From<&str> for Owner {
    fn from(text: &str) -> Self {
        let Some((word, name)) = text.split_once('/') else {
            return Owner::Other(text.into());
        };
        if word == LayerName::TYPE_NAME {
            return Owner::Layers(LayerSet(name.into()));
        }
        let kind = RESOURCE_TYPES
            .into_iter()
            .find(|kind| kind.plural() == word);
        match (kind, ResourceName::new(name)) {
            (Some(kind), Ok(name)) => Owner::Resource(ResourceId { kind, name }),
            _ => Owner::Other(text.into()),
        }
    }
}

impl From<ResourceId> for Owner {
    fn from(id: ResourceId) -> Self {
        Owner::Resource(id)
    }
}

impl Default for Owner {
    fn default() -> Self {
        Owner::Other("".into())
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces()
            .iter()
            .try_for_each(|piece| f.write_str(piece))
    }
}

/// Ordered by text, because ledgers are sorted by it.
impl Ord for Owner {
    fn cmp(&self, other: &Self) -> Ordering {
        let bytes = self.pieces().into_iter().flat_map(str::bytes);
        bytes.cmp(other.pieces().into_iter().flat_map(str::bytes))
    }
}

impl PartialOrd for Owner {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Owner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'d> Deserialize<'d> for Owner {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Ok(Owner::from(text.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::resource::ResourceType;

    #[test]
    fn layers_resources_and_the_rest_are_distinguished() {
        let names = ["org", "me"].map(|name| LayerName::new(name).unwrap());
        let both = Owner::Layers(LayerSet::of(&names));
        assert_eq!(both.to_string(), "layers/org+me");
        assert_eq!(Owner::from("layers/org+me"), both);
        let id = ResourceId {
            kind: ResourceType::Agents,
            name: ResourceName::new("layers").unwrap(),
        };
        assert_eq!(Owner::from("agents/layers"), Owner::Resource(id));
        // A singular is not an owner: it would be written back as the plural.
        for text in ["agent/x", "agents", "agents/", "", "an entry"] {
            assert_eq!(Owner::from(text), Owner::Other(text.into()), "{text}");
        }
    }

    #[test]
    fn a_name_with_a_plus_is_one_owner() {
        let name = LayerName::new("a+b").unwrap();
        assert_eq!(Owner::from("layers/a+b"), Owner::layer(&name));
    }

    #[test]
    fn a_union_has_each_set_once() {
        let sets = ["org", "me", "org"].map(|name| LayerSet::of([&LayerName::new(name).unwrap()]));
        assert_eq!(LayerSet::union(&sets).as_str(), "me+org");
    }

    proptest! {
        #[test]
        fn every_text_is_written_as_it_was_read(text in "(agents|agent|layers|skills|x)?/?.{0,6}") {
            let owner = Owner::from(text.as_str());
            prop_assert_eq!(owner.to_string(), text.clone());
        }

        #[test]
        fn owners_are_sorted_as_strings(left in "(agents/|layers/)?[a-c+/]{0,3}", right in "(agents/|layers/)?[a-c+/]{0,3}") {
            prop_assert_eq!(Owner::from(left.as_str()).cmp(&Owner::from(right.as_str())), left.cmp(&right));
        }
    }
}
