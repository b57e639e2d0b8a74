//! Lists as sets whose items may be maps with an identity, or strings that say what an object says.

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
    /// Every item once, where the lowest that is the same stands; blank ones are left out.
    pub(crate) fn unite_lists(
        &mut self,
        lists: &[LayerNode<'a>],
        identity: ListIdentity,
    ) -> Vec<ItemSlot<'a>> {
        let mut set = ItemSet {
            identity,
            slots: Vec::new(),
            known: HashTable::new(),
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
        let message = format!("two items of {} have {fields}", self.place_name());
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

/// The values that report an item apart, by field.
struct ItemKey<'a>(Vec<Option<KeyPart<'a>>>);

/// Which of the alternatives of a field an item has, how it spells it, and what it says there.
#[derive(Clone, Copy)]
struct KeyPart<'a> {
    alternative: usize,
    name: &'static str,
    value: NodeRef<'a>,
}

impl<'a> ItemKey<'a> {
    /// Nothing if the item has none of the fields.
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

/// A slot with its location among the others.
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
    known: HashTable<usize>,
}

impl<'a> ItemSet<'a> {
    /// Gives the earlier item and this one if one layer says both, and not the same.
    fn join(&mut self, item: LayerNode<'a>) -> Option<(LayerNode<'a>, LayerNode<'a>)> {
        let (at, keyed) = self.slot_of(item);
        let slot = &mut self.slots[at].slot;
        let differing =
            |said: &&LayerNode<'a>| said.layer == item.layer && !equal(said.node, item.node);
        let differing = slot.said.iter().find(differing).copied();
        match keyed {
            // All that it says exists already.
            ItemIdentity::Not if !slot.said.is_empty() => {
                slot.duplicates.insert(0, duplicate(item))
            }
            _ => slot.said.push(item),
        }
        differing.map(|earlier| (earlier, item))
    }

    /// The slot of what is the same, or a new and empty one.
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
        let first =
            |slots: &[PlacedSlot<'a>], at: usize| slots[at].slot.said.first().map(|said| said.node);
        let hash = hash_of(item.node);
        let slots = &self.slots;
        if let Some(at) = self
            .known
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
        self.known
            .insert_unique(hash, position, |at| first(slots, *at).map_or(hash, hash_of));
        (position, keyed)
    }

    /// Strings that an object says too, as all layers together have it, are taken into its slot, which stands where the lowest
    /// of them stood.
    fn absorb_texts(&mut self, projection: TextProjection) {
        let mut maps: HashMap<String, usize, FixedState> = HashMap::default();
        for (at, placed) in self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, placed)| !placed.is_text())
        {
            for line in united_lines(&placed.slot.said, projection) {
                maps.entry(line).or_insert(at);
            }
        }
        for at in 0..self.slots.len() {
            let text = self.slots[at]
                .slot
                .said
                .first()
                .and_then(|said| said.node.as_str());
            let Some(map) = text.and_then(|text| maps.get(text)).copied() else {
                continue;
            };
            let ItemSlot { said, duplicates } =
                std::mem::replace(&mut self.slots[at].slot, ItemSlot::empty());
            let position = self.slots[at].position;
            let map = &mut self.slots[map];
            map.position = map.position.min(position);
            map.slot.duplicates.extend(
                duplicates
                    .into_iter()
                    .chain(said.into_iter().map(duplicate)),
            );
        }
    }

    fn into_slots(mut self) -> Vec<ItemSlot<'a>> {
        if let Some(projection) = self.identity.projection {
            self.absorb_texts(projection);
        }
        self.slots.retain(|placed| !placed.slot.said.is_empty());
        self.slots.sort_by_key(|placed| placed.position);
        self.slots.into_iter().map(|placed| placed.slot).collect()
    }
}

impl PlacedSlot<'_> {
    fn is_text(&self) -> bool {
        self.slot
            .said
            .iter()
            .all(|said| said.node.kind() != NodeKind::Map)
    }
}

fn duplicate(item: LayerNode<'_>) -> ShadowedValue {
    ShadowedValue {
        origin: item.origin(),
        kind: ShadowKind::Duplicate,
    }
}

/// The united text of objects that are one item: the title of the highest, the items of all.
fn united_lines(said: &[LayerNode<'_>], projection: TextProjection) -> Vec<String> {
    let title = said
        .iter()
        .rev()
        .find_map(|said| first_text(said.node, projection.title));
    let mut lines: Vec<&str> = Vec::new();
    said.iter()
        .for_each(|said| lines.extend(lines_of(said.node, projection)));
    lines_with_title(title, &lines)
}

/// The lines of text that an item reads as.
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
