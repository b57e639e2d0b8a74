//! Merges lists: decides which items of which layers are in the result.

use agpm_diag::{Diagnostic, codes};
use agpm_model::ItemRule;
use agpm_text::{NodeKind, NodeRef, equal, fingerprint};
use hashbrown::HashTable;

use crate::contribution::LayerNode;
use crate::fold::{MergeEngine, PathStep};
use crate::mode::{ListMerge, ListMode, MergeMode};
use crate::nodes::{NodeBody, ResolvedChild};
use crate::origin::{LeafOperation, ShadowKind, ShadowedValue};
use crate::rules::PendingRules;

/// The key that identifies items of smart lists.
pub(crate) const SMART_KEY: &str = "id";

/// An item of the result: its nodes, lowest first, and its skipped duplicates.
pub(crate) struct ItemSlot<'a> {
    pub(crate) nodes: Vec<LayerNode<'a>>,
    pub(crate) duplicates: Vec<ShadowedValue>,
}

impl<'a> ItemSlot<'a> {
    pub(crate) fn of(node: LayerNode<'a>) -> Self {
        ItemSlot {
            nodes: vec![node],
            duplicates: Vec::new(),
        }
    }

    pub(crate) fn empty() -> Self {
        ItemSlot {
            nodes: Vec::new(),
            duplicates: Vec::new(),
        }
    }

    fn highest(&self) -> NodeRef<'a> {
        self.nodes[self.nodes.len() - 1].node
    }
}

/// A list of the result.
struct NewList<'a, 's> {
    slots: Vec<ItemSlot<'a>>,
    /// How the nodes of an item merge.
    mode: MergeMode<'s>,
    operation: LeafOperation,
}

impl<'a, 's> MergeEngine<'a, 's> {
    /// Merges lists, lowest first.
    pub(crate) fn lists(
        &mut self,
        lists: &[LayerNode<'a>],
        reach: &PendingRules,
        ListMerge { how, mode }: ListMerge<'s>,
        shadows: &[ShadowedValue],
    ) -> Option<u32> {
        let top = lists[lists.len() - 1];
        let mut shadows = shadows.to_vec();
        let (slots, operation) = match how {
            ListMode::Replace => {
                let below = &lists[..lists.len() - 1];
                let mut all = crate::fold::replaced(below);
                all.append(&mut shadows);
                // The whole list is one reference, whatever its length, unless a rule could remove an item of it.
                if !reach.may_unset() {
                    return Some(self.use_whole(top, LeafOperation::Replace, &all));
                }
                shadows = all;
                (
                    items(top).map(ItemSlot::of).collect(),
                    LeafOperation::Replace,
                )
            }
            ListMode::Append => (
                lists
                    .iter()
                    .flat_map(|list| items(*list))
                    .map(ItemSlot::of)
                    .collect(),
                LeafOperation::Append,
            ),
            ListMode::Prepend => (
                lists
                    .iter()
                    // Highest first: its items precede those of the layers that it prepends to.
                    .rev()
                    .flat_map(|list| items(*list))
                    .map(ItemSlot::of)
                    .collect(),
                LeafOperation::Prepend,
            ),
            ListMode::Extend => (extended(lists, LowestItems::AsIs), LeafOperation::Extend),
            ListMode::Union => (
                extended(lists, LowestItems::Deduplicated),
                LeafOperation::Union,
            ),
            ListMode::Smart => self.smart(lists),
            ListMode::ByKey(key, _) => (self.slots_by_key(lists, key)?, LeafOperation::ByKey),
            ListMode::Unite(identity, _) => {
                (self.unite_lists(lists, identity), LeafOperation::Union)
            }
        };
        let list = NewList {
            slots,
            mode: match how {
                ListMode::ByKey(_, ItemRule::Deep) | ListMode::Unite(_, ItemRule::Deep) => {
                    mode.below()
                }
                // An item that is identified by a key is replaced whole unless `deep` is set: merging objects of
                // unknown schemas could combine a command with the arguments of another.
                _ => MergeMode::Replace,
            },
            operation,
        };
        Some(self.list(top, list, reach, &shadows))
    }

    /// The list that a custom strategy chose.
    pub(crate) fn chosen_items(
        &mut self,
        lists: &[LayerNode<'a>],
        chosen: &[Vec<(usize, usize)>],
    ) -> u32 {
        let item = |(list, index): &(usize, usize)| {
            let list = lists.get(*list)?;
            Some(LayerNode {
                node: list.node.items().nth(*index)?,
                ..*list
            })
        };
        let slots = chosen
            .iter()
            .map(|parts| parts.iter().filter_map(item).collect::<Vec<_>>());
        let slots = slots
            .filter(|nodes| !nodes.is_empty())
            .map(|nodes| ItemSlot {
                nodes,
                duplicates: Vec::new(),
            })
            .collect();
        let top = lists[lists.len() - 1];
        let list = NewList {
            slots,
            mode: MergeMode::Replace,
            operation: LeafOperation::Own,
        };
        self.list(top, list, &PendingRules::default(), &[])
    }

    fn list(
        &mut self,
        top: LayerNode<'a>,
        list: NewList<'a, 's>,
        reach: &PendingRules,
        shadows: &[ShadowedValue],
    ) -> u32 {
        let NewList {
            slots,
            mode,
            operation,
        } = list;
        let mut children = Vec::with_capacity(slots.len());
        let key = self.nodes.numbering.pack(top.origin());
        for (index, slot) in slots.iter().enumerate() {
            let stepped = self.step(reach, index);
            let node = self.under(PathStep::Index(index), |engine| {
                engine.merge_node(&slot.nodes, &stepped, mode)
            });
            if let Some(node) = node {
                self.nodes.joined(node, operation, &slot.duplicates);
                children.push(ResolvedChild { key, node });
            }
        }
        self.nodes
            .folded(NodeBody::List, top.origin(), &children, shadows)
    }

    /// By `id` if every item has one, else new items are appended.
    fn smart(&mut self, lists: &[LayerNode<'a>]) -> (Vec<ItemSlot<'a>>, LeafOperation) {
        let keyed = |item: NodeRef<'a>| key_of(item, SMART_KEY).is_some();
        let mut slots: Vec<ItemSlot<'a>> = items(lists[0]).map(ItemSlot::of).collect();
        let mut operation = LeafOperation::ByKey;
        for (number, list) in lists.iter().enumerate().skip(1) {
            let above = items(*list).map(|item| item.node);
            // Merging by `id` needs an `id` in every item. With one missing, that item would match nothing and look
            // like a duplicate in each layer.
            if slots.iter().map(ItemSlot::highest).chain(above).all(keyed) {
                if number == 1 {
                    slots.clear();
                    self.join_by_key(&mut slots, lists[0], SMART_KEY);
                }
                self.join_by_key(&mut slots, *list, SMART_KEY);
            } else {
                operation = LeafOperation::Extend;
                join_new(&mut slots, *list);
            }
        }
        (slots, operation)
    }

    /// Items identified by a key, in the order of the lowest list; `None` if an item lacks the key.
    fn slots_by_key(&mut self, lists: &[LayerNode<'a>], key: &str) -> Option<Vec<ItemSlot<'a>>> {
        self.check_keys(lists, key)?;
        let mut slots = Vec::new();
        lists
            .iter()
            .for_each(|list| self.join_by_key(&mut slots, *list, key));
        Some(slots)
    }

    /// Reports every item without the key; `None` if there are any.
    pub(crate) fn check_keys(&mut self, lists: &[LayerNode<'a>], key: &str) -> Option<()> {
        let mut complete = Some(());
        for (index, item) in lists.iter().flat_map(|list| items(*list).enumerate()) {
            if key_of(item.node, key).is_none() {
                // All items without the key are reported, not only the first.
                complete = None;
                self.report_missing_key(item, index, key);
            }
        }
        complete
    }

    /// Adds items to the slot with their key, or to a new one at the end. The caller has checked that every item has
    /// one.
    fn join_by_key(&mut self, slots: &mut Vec<ItemSlot<'a>>, list: LayerNode<'a>, key: &str) {
        let own_key = |item: NodeRef<'a>| key_of(item, key).unwrap_or(item);
        // A table of positions instead of one with keys: the values stay in their documents and are compared there.
        let mut index: HashTable<usize> = HashTable::with_capacity(slots.len() + list.node.len());
        for at in 0..slots.len() {
            let hash = |at: &usize| fingerprint(own_key(slots[*at].highest()));
            index.insert_unique(hash(&at), at, hash);
        }
        for item in items(list) {
            let id = own_key(item.node);
            let hash = fingerprint(id);
            if let Some(at) = index
                .find(hash, |at| equal(own_key(slots[*at].highest()), id))
                .copied()
            {
                if let Some(earlier) = slots[at].nodes.iter().find(|node| node.layer == item.layer)
                {
                    // Twice in one layer is a mistake of that file. In two layers it is what merging by key is for.
                    self.report_duplicate_item(*earlier, item, key, id.content());
                }
                slots[at].nodes.push(item);
            } else {
                slots.push(ItemSlot::of(item));
                index.insert_unique(hash, slots.len() - 1, |at| {
                    fingerprint(own_key(slots[*at].highest()))
                });
            }
        }
    }

    fn report_missing_key(&mut self, item: LayerNode<'a>, index: usize, key: &str) {
        let layer = self.layer(item);
        let message = format!(
            "item {index} of {} in layer `{layer}` has no `{key}`",
            self.location_name()
        );
        let diagnostic = Diagnostic::new(&codes::MERGE_ITEM_KEY, message)
            .at(item.node.source(), item.node.span(), format!("no `{key}` here"))
            .in_layer(layer.as_str())
            .help(format!(
                "a rule identifies the items of this list by `{key}`: add it to each item, as a string or number"
            ));
        self.report(diagnostic);
    }

    fn report_duplicate_item(
        &mut self,
        earlier: LayerNode<'a>,
        later: LayerNode<'a>,
        key: &str,
        text: &str,
    ) {
        let layer = self.layer(later);
        let message = format!(
            "two items of {} have the {key} `{text}`",
            self.location_name()
        );
        let diagnostic = Diagnostic::new(&codes::MERGE_DUPLICATE_ITEM, message)
            .at(later.node.source(), later.node.span(), "again here")
            .at(earlier.node.source(), earlier.node.span(), "first here")
            .in_layer(layer.as_str())
            .help("keep one of them: they are treated as one item, and the later one wins");
        self.report(diagnostic);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LowestItems {
    AsIs,
    Deduplicated,
}

pub(crate) fn items<'a>(list: LayerNode<'a>) -> impl Iterator<Item = LayerNode<'a>> {
    list.node
        .items()
        .map(move |node| LayerNode { node, ..list })
}

/// The value that identifies an item.
fn key_of<'a>(item: NodeRef<'a>, key: &str) -> Option<NodeRef<'a>> {
    item.get(key).filter(|value| {
        matches!(
            value.kind(),
            // An object or list as a key has no spelling that users could repeat in another layer.
            NodeKind::String | NodeKind::Integer | NodeKind::Float | NodeKind::Bool
        )
    })
}

/// Appends new items, list by list.
fn extended<'a>(lists: &[LayerNode<'a>], lowest: LowestItems) -> Vec<ItemSlot<'a>> {
    let (first, rest) = match lowest {
        LowestItems::AsIs => (items(lists[0]).map(ItemSlot::of).collect(), &lists[1..]),
        LowestItems::Deduplicated => (Vec::new(), lists),
    };
    let mut slots = first;
    rest.iter().for_each(|list| join_new(&mut slots, *list));
    slots
}

/// Appends new items.
fn join_new<'a>(slots: &mut Vec<ItemSlot<'a>>, list: LayerNode<'a>) {
    let mut index: HashTable<usize> = HashTable::with_capacity(slots.len() + list.node.len());
    for at in 0..slots.len() {
        index.insert_unique(fingerprint(slots[at].highest()), at, |at| {
            fingerprint(slots[*at].highest())
        });
    }
    for item in items(list) {
        let hash = fingerprint(item.node);
        if let Some(at) = index
            .find(hash, |at| equal(slots[*at].highest(), item.node))
            .copied()
        {
            slots[at].duplicates.insert(
                0,
                ShadowedValue {
                    origin: item.origin(),
                    kind: ShadowKind::Duplicate,
                },
            );
        } else {
            slots.push(ItemSlot::of(item));
            index.insert_unique(hash, slots.len() - 1, |at| {
                fingerprint(slots[*at].highest())
            });
        }
    }
}
