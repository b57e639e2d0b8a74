//! Lists as sets whose items may be maps with an identity, or texts that say what a map says.

use std::hash::BuildHasher;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Identity, IdentityField, Projection};
use agpm_text::{Kind, NodeRef, Shape, View, equal, fingerprint};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

use crate::fold::{Folder, Said, is_blank};
use crate::lists::{Slot, items};
use crate::resolution::{Shadow, ShadowKind};

impl<'a> Folder<'a, '_> {
    /// Every item once, where the lowest that is the same stands; blank ones are left out.
    pub(crate) fn united(&mut self, lists: &[Said<'a>], identity: Identity) -> Vec<Slot<'a>> {
        let mut set = Set { identity, slots: Vec::new(), known: HashTable::new(), texts: HashMap::default() };
        for item in lists.iter().flat_map(|list| items(*list)).filter(|item| !is_blank_item(item.node)) {
            if let Some((earlier, later)) = set.join(item) {
                self.report_one_identity(earlier, later, identity);
            }
        }
        set.into_slots()
    }

    fn report_one_identity(&mut self, earlier: Said<'a>, later: Said<'a>, identity: Identity) {
        let layer = self.layer(later);
        let fields = Key::of(later.node, identity).map(|key| key.words()).unwrap_or_default();
        let message = format!("two items of {} in layer `{layer}` have {fields}", self.place_name());
        let diagnostic = Diagnostic::new(&codes::MERGE_DUPLICATE_ITEM, message)
            .at(later.node.document().source(), later.node.span(), "again here")
            .at(earlier.node.document().source(), earlier.node.span(), "first here")
            .in_layer(layer.as_str())
            .help(
                "keep one of them: they are taken for one item, and where they differ the later one counts",
            );
        self.report(diagnostic);
    }
}

/// The values that tell an item apart, by field.
struct Key<'a>(Vec<Option<KeyPart<'a>>>);

/// Which of the alternatives of a field an item has, how it spells it, and what it says there.
#[derive(Clone, Copy)]
struct KeyPart<'a> {
    alternative: usize,
    name: &'static str,
    value: NodeRef<'a>,
}

impl<'a> Key<'a> {
    /// Nothing if the item has none of the fields.
    fn of(item: NodeRef<'a>, identity: Identity) -> Option<Self> {
        let spelled = |(alternative, names): (usize, &&[&'static str])| {
            let part = |name: &&'static str| Some(KeyPart { alternative, name, value: scalar(item, name)? });
            names.iter().find_map(part)
        };
        let field = |alternatives: &IdentityField| alternatives.iter().enumerate().find_map(spelled);
        let fields: Vec<Option<KeyPart<'a>>> = identity.fields.iter().map(field).collect();
        fields.iter().any(Option::is_some).then_some(Key(fields))
    }

    fn hash(&self) -> u64 {
        let value = |part: &Option<KeyPart<'a>>| part.map(|part| (part.alternative, fingerprint(part.value)));
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

/// Null and blank texts are no items.
fn is_blank_item(item: NodeRef<'_>) -> bool {
    matches!(item.kind(), Kind::Null | Kind::String) && is_blank(item)
}

/// What an item says under a name, if it is a value that is not blank.
fn scalar<'a>(item: NodeRef<'a>, name: &str) -> Option<NodeRef<'a>> {
    let value = item.get(name)?;
    (!matches!(value.kind(), Kind::Map | Kind::List) && !is_blank(value)).then_some(value)
}

/// A slot with its place among the others; one whose text a map says is taken into that map's.
struct Placed<'a> {
    place: usize,
    slot: Slot<'a>,
}

/// Whether an item has an identity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyed {
    By,
    Not,
}

struct Set<'a> {
    identity: Identity,
    slots: Vec<Option<Placed<'a>>>,
    /// Slots by the identity of their items.
    known: HashTable<usize>,
    /// Slots by what they read as.
    texts: HashMap<String, usize, FixedState>,
}

impl<'a> Set<'a> {
    /// Gives the earlier item and this one if one layer says both, and not the same.
    fn join(&mut self, item: Said<'a>) -> Option<(Said<'a>, Said<'a>)> {
        if let (Some(text), Some(_)) = (item.node.as_str(), self.identity.projection) {
            self.join_text(text, item);
            return None;
        }
        let (at, keyed) = self.slot_of(item);
        let slot = &mut self.slots[at].as_mut()?.slot;
        let told = |said: &&Said<'a>| said.layer == item.layer && !equal(said.node, item.node);
        let told = slot.said.iter().find(told).copied();
        match keyed {
            // All that it says is there already.
            Keyed::Not if !slot.said.is_empty() => {
                slot.duplicates.insert(0, Shadow { origin: item.origin(), kind: ShadowKind::Duplicate });
            }
            _ => slot.said.push(item),
        }
        self.absorb_texts(at, item.node);
        told.map(|earlier| (earlier, item))
    }

    fn join_text(&mut self, text: &str, item: Said<'a>) {
        let found = self.texts.get(text).copied();
        if let Some(placed) = found.and_then(|at| self.slots[at].as_mut()) {
            placed.slot.duplicates.insert(0, Shadow { origin: item.origin(), kind: ShadowKind::Duplicate });
            return;
        }
        let at = self.add(Slot::of(item));
        self.texts.insert(text.to_owned(), at);
    }

    fn add(&mut self, slot: Slot<'a>) -> usize {
        let place = self.slots.len();
        self.slots.push(Some(Placed { place, slot }));
        place
    }

    /// The slot of what is the same, or a new and empty one.
    fn slot_of(&mut self, item: Said<'a>) -> (usize, Keyed) {
        let identity = self.identity;
        let key = Key::of(item.node, identity);
        let keyed = if key.is_some() { Keyed::By } else { Keyed::Not };
        let hash_of = |node: NodeRef<'a>| match Key::of(node, identity) {
            Some(key) => key.hash(),
            None => fingerprint(node),
        };
        let same = |node: NodeRef<'a>| match (&key, Key::of(node, identity)) {
            (Some(left), Some(right)) => left.is(&right),
            (None, None) => equal(node, item.node),
            _ => false,
        };
        let first = |slots: &[Option<Placed<'a>>], at: usize| {
            slots[at].as_ref().and_then(|placed| placed.slot.said.first()).map(|said| said.node)
        };
        let hash = hash_of(item.node);
        let slots = &self.slots;
        if let Some(at) = self.known.find(hash, |at| first(slots, *at).is_some_and(same)).copied() {
            return (at, keyed);
        }
        let at = self.add(Slot { said: Vec::new(), duplicates: Vec::new() });
        let slots = &self.slots;
        self.known.insert_unique(hash, at, |at| first(slots, *at).map_or(hash, hash_of));
        (at, keyed)
    }

    /// Texts that the map says too are taken into its slot, which stands where the lowest of them stood.
    fn absorb_texts(&mut self, at: usize, item: NodeRef<'a>) {
        let projection = self.identity.projection.filter(|_| item.kind() == Kind::Map);
        let Some(projection) = projection else { return };
        for text in projected(item, projection) {
            let other = self.texts.insert(text, at).filter(|other| *other != at);
            let is_text =
                |placed: &Placed<'a>| placed.slot.said.iter().all(|said| said.node.as_str().is_some());
            let Some(other) = other.filter(|other| self.slots[*other].as_ref().is_some_and(is_text)) else {
                continue;
            };
            let (Some(text), Some(map)) = (self.slots[other].take(), self.slots[at].as_mut()) else {
                continue;
            };
            map.place = map.place.min(text.place);
            let said = text.slot.said.iter().rev();
            let shadows = said.map(|said| Shadow { origin: said.origin(), kind: ShadowKind::Duplicate });
            map.slot.duplicates.extend(text.slot.duplicates.into_iter().chain(shadows));
        }
    }

    fn into_slots(self) -> Vec<Slot<'a>> {
        let mut placed: Vec<Placed<'a>> = self.slots.into_iter().flatten().collect();
        placed.sort_by_key(|placed| placed.place);
        placed.into_iter().map(|placed| placed.slot).collect()
    }
}

/// The lines of text that an item reads as.
pub fn projected<'v>(item: impl View<'v>, projection: Projection) -> Vec<String> {
    let Shape::Map(_) = item.shape() else { return text_of(item).into_iter().map(str::to_owned).collect() };
    let title = first_text(item, projection.title);
    let lines: Vec<&str> = match first_of(item, projection.items) {
        Some(list) => children(list).filter_map(|item| line_of(item, projection.item)).collect(),
        None => Vec::new(),
    };
    match title {
        Some(title) if lines.is_empty() => vec![title.to_owned()],
        Some(title) => lines.iter().map(|line| format!("{title}: {line}")).collect(),
        None => lines.into_iter().map(str::to_owned).collect(),
    }
}

fn line_of<'v>(item: impl View<'v>, names: &[&str]) -> Option<&'v str> {
    text_of(item).or_else(|| first_text(item, names))
}

fn first_of<'v, V: View<'v>>(map: V, names: &[&str]) -> Option<V> {
    let Shape::Map(count) = map.shape() else { return None };
    let get = |name: &&str| (0..count).map(|at| map.entry(at)).find(|(key, _)| key == name);
    names.iter().find_map(get).map(|(_, value)| value)
}

fn first_text<'v, V: View<'v>>(map: V, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| text_of(first_of(map, &[name])?))
}

/// A value that is not blank, as text.
fn text_of<'v>(view: impl View<'v>) -> Option<&'v str> {
    match view.shape() {
        Shape::String(text) | Shape::DateTime(text) | Shape::Integer(text) | Shape::Float(text) => {
            Some(text).filter(|text| !text.trim().is_empty())
        }
        _ => None,
    }
}

fn children<'v, V: View<'v>>(list: V) -> impl Iterator<Item = V> {
    let count = match list.shape() {
        Shape::List(count) => count,
        _ => 0,
    };
    (0..count).map(move |at| list.item(at))
}
