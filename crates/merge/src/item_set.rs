//! Lists as sets whose items may be objects with an identity, or strings that equal the text of an object.

use std::hash::BuildHasher;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{IdentityField, ListIdentity, TextProjection};
use agpm_text::{NodeKind, NodeRef, NodeShape, TreeView, equal, fingerprint};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

use crate::contribution::LayerNode;
use crate::fold::{MergeEngine, is_blank};
use crate::lists::{ItemSlot, items};
use crate::origin::{ShadowKind, ShadowedValue};

impl<'a> MergeEngine<'a, '_> {
    /// Every item once, at the position of the lowest equal one; blank ones are skipped.
    pub(crate) fn unite_lists(
        &mut self,
        lists: &[LayerNode<'a>],
        identity: ListIdentity,
    ) -> Vec<ItemSlot<'a>> {
        let mut set = ItemSet {
            identity,
            slots: Vec::new(),
            by_identity: HashTable::new(),
        };
        for item in lists
            .iter()
            .flat_map(|list| items(*list))
            .filter(|item| !is_blank_item(item.node))
        {
            if let Some((earlier, later)) = set.join(item) {
                self.report_one_identity(earlier, later, identity);
            }
        }
        set.into_slots()
    }

    fn report_one_identity(
        &mut self,
        earlier: LayerNode<'a>,
        later: LayerNode<'a>,
        identity: ListIdentity,
    ) {
        let layer = self.layer(later);
        let fields = ItemKey::of(later.node, identity)
            .map(|key| key.words())
            .unwrap_or_default();
        let message = format!("two items of {} have {fields}", self.location_name());
        let diagnostic = Diagnostic::new(&codes::MERGE_DUPLICATE_ITEM, message)
            .at(later.node.source(), later.node.span(), "again here")
            .at(earlier.node.source(), earlier.node.span(), "first here")
            .in_layer(layer.as_str())
            .help(
                "keep one of them: they are treated as one item, and the later one wins where they differ",
            );
        self.report(diagnostic);
    }
}

/// The values that identify an item, by field.
struct ItemKey<'a>(Vec<Option<KeyPart<'a>>>);

/// The alternative of a field that an item has, its spelling, and its value.
#[derive(Clone, Copy)]
struct KeyPart<'a> {
    alternative: usize,
    name: &'static str,
    value: NodeRef<'a>,
}

impl<'a> ItemKey<'a> {
    /// `None` if the item has none of the fields.
    fn of(item: NodeRef<'a>, identity: ListIdentity) -> Option<Self> {
        let spelled = |(alternative, names): (usize, &&[&'static str])| {
            let part = |name: &&'static str| {
                Some(KeyPart {
                    alternative,
                    name,
                    value: scalar(item, name)?,
                })
            };
            names.iter().find_map(part)
        };
        let field =
            |alternatives: &IdentityField| alternatives.iter().enumerate().find_map(spelled);
        let fields: Vec<Option<KeyPart<'a>>> = identity.fields.iter().map(field).collect();
        fields
            .iter()
            .any(Option::is_some)
            .then_some(ItemKey(fields))
    }

    fn hash(&self) -> u64 {
        let value = |part: &Option<KeyPart<'a>>| {
            part.map(|part| (part.alternative, fingerprint(part.value)))
        };
        FixedState::default().hash_one(self.0.iter().map(value).collect::<Vec<_>>())
    }

    fn is(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|pair| match pair {
            (Some(left), Some(right)) => {
                left.alternative == right.alternative && equal(left.value, right.value)
            }
            (left, right) => left.is_none() && right.is_none(),
        })
    }

    fn words(&self) -> String {
        let parts = self.0.iter().flatten();
        let parts = parts.map(|part| format!("the {} `{}`", part.name, part.value.content()));
        parts.collect::<Vec<_>>().join(" and ")
    }
}

/// Null and blank strings are not items.
fn is_blank_item(item: NodeRef<'_>) -> bool {
    matches!(item.kind(), NodeKind::Null | NodeKind::String) && is_blank(item)
}

/// The value of an item under a name, if it is not blank.
fn scalar<'a>(item: NodeRef<'a>, name: &str) -> Option<NodeRef<'a>> {
    let value = item.get(name)?;
    (!matches!(value.kind(), NodeKind::Map | NodeKind::List) && !is_blank(value)).then_some(value)
}

/// A slot with its position among the others.
struct PlacedSlot<'a> {
    position: usize,
    slot: ItemSlot<'a>,
}

/// Whether an item has an identity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemIdentity {
    By,
    Not,
}

struct ItemSet<'a> {
    identity: ListIdentity,
    slots: Vec<PlacedSlot<'a>>,
    /// Slots by the identity of their items.
    by_identity: HashTable<usize>,
}

impl<'a> ItemSet<'a> {
    /// Returns the earlier item and this one if one layer has both, and they differ.
    fn join(&mut self, item: LayerNode<'a>) -> Option<(LayerNode<'a>, LayerNode<'a>)> {
        let (at, keyed) = self.slot_of(item);
        let slot = &mut self.slots[at].slot;
        let differing =
            |node: &&LayerNode<'a>| node.layer == item.layer && !equal(node.node, item.node);
        let differing = slot.nodes.iter().find(differing).copied();
        match keyed {
            // An equal item already exists.
            ItemIdentity::Not if !slot.nodes.is_empty() => {
                slot.duplicates.insert(0, duplicate(item))
            }
            _ => slot.nodes.push(item),
        }
        differing.map(|earlier| (earlier, item))
    }

    /// The slot of an equal item, or a new and empty one.
    fn slot_of(&mut self, item: LayerNode<'a>) -> (usize, ItemIdentity) {
        let identity = self.identity;
        let key = ItemKey::of(item.node, identity);
        let keyed = if key.is_some() {
            ItemIdentity::By
        } else {
            ItemIdentity::Not
        };
        let hash_of = |node: NodeRef<'a>| match ItemKey::of(node, identity) {
            Some(key) => key.hash(),
            None => fingerprint(node),
        };
        let same = |node: NodeRef<'a>| match (&key, ItemKey::of(node, identity)) {
            (Some(left), Some(right)) => left.is(&right),
            (None, None) => equal(node, item.node),
            _ => false,
        };
        let first = |slots: &[PlacedSlot<'a>], at: usize| {
            slots[at]
                .slot
                .nodes
                .first()
                .map(|layer_node| layer_node.node)
        };
        let hash = hash_of(item.node);
        let slots = &self.slots;
        if let Some(at) = self
            .by_identity
            .find(hash, |at| first(slots, *at).is_some_and(same))
            .copied()
        {
            return (at, keyed);
        }
        let position = self.slots.len();
        self.slots.push(PlacedSlot {
            position,
            slot: ItemSlot::empty(),
        });
        let slots = &self.slots;
        self.by_identity
            .insert_unique(hash, position, |at| first(slots, *at).map_or(hash, hash_of));
        (position, keyed)
    }

    /// Strings that equal the text of a merged object are moved to its slot, which takes the position of the lowest of
    /// them.
    fn absorb_texts(&mut self, projection: TextProjection) {
        let mut maps: HashMap<String, usize, FixedState> = HashMap::default();
        for (at, placed) in self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, placed)| !placed.is_text())
        {
            for line in united_lines(&placed.slot.nodes, projection) {
                maps.entry(line).or_insert(at);
            }
        }
        for at in 0..self.slots.len() {
            let text = self.slots[at]
                .slot
                .nodes
                .first()
                .and_then(|node| node.node.as_str());
            let Some(map) = text.and_then(|text| maps.get(text)).copied() else {
                continue;
            };
            let ItemSlot {
                nodes: node,
                duplicates,
            } = std::mem::replace(&mut self.slots[at].slot, ItemSlot::empty());
            let position = self.slots[at].position;
            let map = &mut self.slots[map];
            map.position = map.position.min(position);
            map.slot.duplicates.extend(
                duplicates
                    .into_iter()
                    .chain(node.into_iter().map(duplicate)),
            );
        }
    }

    fn into_slots(mut self) -> Vec<ItemSlot<'a>> {
        if let Some(projection) = self.identity.projection {
            self.absorb_texts(projection);
        }
        self.slots.retain(|placed| !placed.slot.nodes.is_empty());
        self.slots.sort_by_key(|placed| placed.position);
        self.slots.into_iter().map(|placed| placed.slot).collect()
    }
}

impl PlacedSlot<'_> {
    fn is_text(&self) -> bool {
        self.slot
            .nodes
            .iter()
            .all(|node| node.node.kind() != NodeKind::Map)
    }
}

fn duplicate(item: LayerNode<'_>) -> ShadowedValue {
    ShadowedValue {
        origin: item.origin(),
        kind: ShadowKind::Duplicate,
    }
}

/// The text of objects that are one item: the title of the highest, the items of all.
fn united_lines(objects: &[LayerNode<'_>], projection: TextProjection) -> Vec<String> {
    let title = objects
        .iter()
        .rev()
        .find_map(|objects| first_text(objects.node, projection.title));
    let mut lines: Vec<&str> = Vec::new();
    objects
        .iter()
        .for_each(|objects| lines.extend(lines_of(objects.node, projection)));
    lines_with_title(title, &lines)
}

/// The lines of an item's text.
pub fn projected<'v>(item: impl TreeView<'v>, projection: TextProjection) -> Vec<String> {
    let NodeShape::Map(_) = item.shape() else {
        return text_of(item).into_iter().map(str::to_owned).collect();
    };
    let lines: Vec<&str> = lines_of(item, projection).collect();
    lines_with_title(first_text(item, projection.title), &lines)
}

fn lines_with_title(title: Option<&str>, lines: &[&str]) -> Vec<String> {
    match title {
        Some(title) if lines.is_empty() => vec![title.to_owned()],
        Some(title) => lines
            .iter()
            .map(|line| format!("{title}: {line}"))
            .collect(),
        None => lines.iter().map(|line| (*line).to_owned()).collect(),
    }
}

fn lines_of<'v, V: TreeView<'v>>(
    item: V,
    projection: TextProjection,
) -> impl Iterator<Item = &'v str> {
    let list = first_of(item, projection.items).into_iter();
    list.flat_map(children)
        .filter_map(move |item| line_of(item, projection.item))
}

fn line_of<'v>(item: impl TreeView<'v>, names: &[&str]) -> Option<&'v str> {
    text_of(item).or_else(|| first_text(item, names))
}

fn first_of<'v, V: TreeView<'v>>(map: V, names: &[&str]) -> Option<V> {
    let NodeShape::Map(count) = map.shape() else {
        return None;
    };
    let get = |name: &&str| {
        (0..count)
            .map(|at| map.entry(at))
            .find(|(key, _)| key == name)
    };
    names.iter().find_map(get).map(|(_, value)| value)
}

fn first_text<'v, V: TreeView<'v>>(map: V, names: &[&str]) -> Option<&'v str> {
    names
        .iter()
        .find_map(|name| text_of(first_of(map, &[name])?))
}

/// A value that is not blank, as text.
fn text_of<'v>(view: impl TreeView<'v>) -> Option<&'v str> {
    match view.shape() {
        NodeShape::String(text)
        | NodeShape::DateTime(text)
        | NodeShape::Integer(text)
        | NodeShape::Float(text) => Some(text).filter(|text| !text.trim().is_empty()),
        _ => None,
    }
}

fn children<'v, V: TreeView<'v>>(list: V) -> impl Iterator<Item = V> {
    let count = match list.shape() {
        NodeShape::List(count) => count,
        _ => 0,
    };
    (0..count).map(move |at| list.item(at))
}
