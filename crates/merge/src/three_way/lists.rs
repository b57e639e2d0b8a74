//! Merges lists by item, where a strategy says so.

use agpm_model::{ItemRule, ListRule, MergeOperation, PatternProgress, PointerRule, Strategy};
use agpm_text::{NodeKind, NodeRef, Pointer, equal, to_value};

/// The rules of a strategy for lists. Without a strategy, a list is one value.
#[derive(Clone, Debug, Default)]
pub struct ListRules<'s> {
    strategy: Option<&'s Strategy>,
    /// The pointer of the merged value in its file.
    within: Pointer,
}

/// The identity of the items of a list.
pub(super) struct ItemIdentity {
    /// The key that identifies an item; without one, the whole item does.
    key: Option<String>,
    /// How two items with the same key are merged.
    pub(super) items: ItemRule,
}

impl<'s> ListRules<'s> {
    /// The rules of a strategy.
    pub fn of(strategy: Option<&'s Strategy>) -> Self {
        ListRules {
            strategy,
            within: Pointer::root(),
        }
    }

    /// The same for a value at a pointer of the file.
    #[must_use]
    pub fn within(mut self, pointer: &Pointer) -> Self {
        self.within = pointer.clone();
        self
    }

    /// The identity of the items of a list; `None` if the list is one value.
    pub(super) fn identity_at(
        &self,
        at: &Pointer,
        sides: [Option<NodeRef<'_>>; 3],
    ) -> Option<ItemIdentity> {
        let strategy = self.strategy?;
        let rules = strategy.rules.iter().rev();
        let mut matching: Vec<(&PointerRule, &MergeOperation)> = rules
            .filter(|rule| self.matches(rule, at))
            .filter_map(|rule| Some((rule, rule.operation.as_ref()?)))
            .collect();
        matching.sort_by_key(|(rule, _)| std::cmp::Reverse(rule.pattern.specificity()));
        let by_rule = matching.first().map(|(_, operation)| *operation);
        let operation = match (by_rule, &strategy.lists) {
            (Some(operation), _) | (None, ListRule::By(operation)) => operation,
            (None, ListRule::Smart) => return Some(smart_identity(sides)),
        };
        match operation {
            MergeOperation::Extend
            | MergeOperation::Append
            | MergeOperation::Prepend
            | MergeOperation::Union
            | MergeOperation::Unite { .. } => Some(ItemIdentity::WHOLE),
            MergeOperation::ByKey { key, items } => Some(ItemIdentity {
                key: Some(key.clone()),
                items: *items,
            }),
            _ => None,
        }
    }

    fn matches(&self, rule: &PointerRule, at: &Pointer) -> bool {
        let mut reached: Option<PatternProgress> = Some(rule.pattern.start());
        for step in self.within.steps().iter().chain(at.steps()) {
            reached = reached.and_then(|reached| rule.pattern.step(&reached, step));
        }
        reached.is_some_and(|reached| rule.pattern.is_match(&reached))
    }
}

/// By `id` if every item is an object with one.
fn smart_identity(sides: [Option<NodeRef<'_>>; 3]) -> ItemIdentity {
    let items = sides.into_iter().flatten().flat_map(NodeRef::items);
    let mut items = items.peekable();
    let has_id = |item: NodeRef<'_>| item.kind() == NodeKind::Map && item.get("id").is_some();
    if items.peek().is_none() || !items.all(has_id) {
        return ItemIdentity::WHOLE;
    }
    ItemIdentity {
        key: Some("id".to_owned()),
        items: ItemRule::Replace,
    }
}

impl ItemIdentity {
    const WHOLE: ItemIdentity = ItemIdentity {
        key: None,
        items: ItemRule::Replace,
    };

    /// The items of a list with their identities; `None` if an item has none, or two have the same.
    pub(super) fn items<'n>(&self, list: Option<NodeRef<'n>>) -> Option<IdentifiedItems<'n>> {
        let Some(list) = list else {
            return Some(IdentifiedItems::default());
        };
        if list.kind() != NodeKind::List {
            return None;
        }
        let mut items = IdentifiedItems::default();
        for item in list.items() {
            let id = match &self.key {
                Some(key) if item.kind() == NodeKind::Map => to_value(item.get(key)?).to_json(),
                Some(_) => return None,
                None => to_value(item).to_json(),
            };
            if items.find(&id).is_some() {
                return None;
            }
            items.ids.insert(id.clone(), items.all.len());
            items.all.push((id, item));
        }
        Some(items)
    }
}

/// The items of a list, by identity.
#[derive(Default)]
pub(super) struct IdentifiedItems<'n> {
    all: Vec<(String, NodeRef<'n>)>,
    ids: std::collections::BTreeMap<String, usize>,
}

impl<'n> IdentifiedItems<'n> {
    pub(super) fn find(&self, id: &str) -> Option<NodeRef<'n>> {
        let at = self.ids.get(id)?;
        self.all.get(*at).map(|(_, item)| *item)
    }
}

/// An item of the merged list.
pub(super) enum MergedItem<'n> {
    /// The item of one side.
    Taken(NodeRef<'n>),
    /// Both sides have it, and it is at this index of your side.
    Both {
        index: usize,
        base: Option<NodeRef<'n>>,
        yours: NodeRef<'n>,
        new: NodeRef<'n>,
    },
    /// One side removed it and the other changed it.
    Clash(usize),
}

/// The items of the merged list, in the order of your side; new ones follow the item that they follow on the new side.
pub(super) fn merge_items<'n>(
    base: &IdentifiedItems<'n>,
    yours: &IdentifiedItems<'n>,
    new: &IdentifiedItems<'n>,
) -> Vec<MergedItem<'n>> {
    let mut merged: Vec<(String, MergedItem<'n>)> = Vec::new();
    for (index, (id, item)) in yours.all.iter().enumerate() {
        let (base, new) = (base.find(id), new.find(id));
        let result = match (base, new) {
            (_, Some(new)) => MergedItem::Both {
                index,
                base,
                yours: *item,
                new,
            },
            (None, None) => MergedItem::Taken(*item),
            (Some(base), None) if equal(base, *item) => continue,
            (Some(_), None) => MergedItem::Clash(index),
        };
        merged.push((id.clone(), result));
    }
    let mut previous: Option<&str> = None;
    for (id, item) in &new.all {
        if yours.find(id).is_none() {
            let result = match base.find(id) {
                // You removed it, and the new version did not change it.
                Some(base) if equal(base, *item) => continue,
                Some(_) => MergedItem::Clash(yours.all.len()),
                None => MergedItem::Taken(*item),
            };
            let after =
                previous.and_then(|previous| merged.iter().position(|(id, _)| id == previous));
            let at = after.map_or_else(
                || if previous.is_none() { 0 } else { merged.len() },
                |after| after + 1,
            );
            merged.insert(at, (id.clone(), result));
        }
        previous = Some(id);
    }
    merged.into_iter().map(|(_, item)| item).collect()
}
