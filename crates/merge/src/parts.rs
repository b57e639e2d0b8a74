//! Separately owned parts of a merged file: keys, and items of lists that others may extend.

use std::collections::BTreeSet;

use agpm_model::{EntryNode, LayerName, NodeLocation, Strategy};
use agpm_text::{NodeShape, Pointer, TreeView, to_value};

use crate::file::{MergedContent, MergedFile};
use crate::lists::SMART_KEY;
use crate::mode::{ListMode, MergeMode};
use crate::resolution::{Resolution, ResolvedRef};
use crate::rules::{PendingRules, RuleSet};

/// A key or an item, and its layer.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedPart {
    /// The location and the value.
    pub node: EntryNode,
    /// The layer.
    pub layer: LayerName,
}

impl MergedFile {
    /// The parts of a structured file; `None` if it is not an object and can only be owned as a whole.
    pub fn parts(&self, strategy: &Strategy) -> Option<Vec<MergedPart>> {
        match &self.merged {
            MergedContent::Structured(resolution) => parts_of(resolution, strategy),
            MergedContent::Markdown { .. }
            | MergedContent::Text { .. }
            | MergedContent::Whole(_) => None,
        }
    }
}

fn parts_of(resolution: &Resolution, strategy: &Strategy) -> Option<Vec<MergedPart>> {
    let Some(root) = resolution.root() else {
        return Some(Vec::new());
    };
    let rules = RuleSet::new(strategy);
    let layer = resolution.layer_of(root).unwrap_or(0);
    let mut walk = PartWalk {
        resolution,
        rules: &rules,
        pointer: Pointer::root(),
        parts: Vec::new(),
    };
    match root.shape() {
        NodeShape::Map(0) => {}
        NodeShape::Map(_) | NodeShape::List(_) => {
            walk.visit(root, layer, &rules.start(), MergeMode::base(strategy))
        }
        _ => return None,
    }
    // A list that nothing else may extend is owned with its file.
    let is_root = |part: &MergedPart| *part.node.location.pointer() == Pointer::root();
    let is_whole = |part: &MergedPart| {
        is_root(part)
            && !matches!(
                part.node.location,
                NodeLocation::Item(_) | NodeLocation::Keyed { .. }
            )
    };
    (!walk.parts.iter().any(is_whole)).then_some(walk.parts)
}

struct PartWalk<'w> {
    resolution: &'w Resolution,
    rules: &'w RuleSet<'w>,
    pointer: Pointer,
    parts: Vec<MergedPart>,
}

impl<'w> PartWalk<'w> {
    fn visit(
        &mut self,
        view: ResolvedRef<'w>,
        layer: u32,
        reach: &PendingRules,
        outer: MergeMode<'w>,
    ) {
        let layer = self.resolution.layer_of(view).unwrap_or(layer);
        let (rule, _) = self.rules.here(reach);
        let mode = rule.map_or(outer, |(_, operation)| MergeMode::of(operation, outer));
        match view.shape() {
            NodeShape::Map(0) => {
                self.add_part(NodeLocation::Default(self.pointer.clone()), view, layer)
            }
            NodeShape::Map(count) => {
                let below = match mode {
                    MergeMode::Recursive { .. } => mode.below(),
                    _ => MergeMode::Replace,
                };
                for (key, value) in (0..count).map(|at| view.entry(at)) {
                    let stepped = self.rules.step(reach, key);
                    self.pointer.push(key);
                    self.visit(value, layer, &stepped, below);
                    self.pointer.pop();
                }
            }
            NodeShape::List(count) => self.list(view, count, layer, mode),
            _ => self.add_part(NodeLocation::Key(self.pointer.clone()), view, layer),
        }
    }

    /// A list is one value, unless others may extend it.
    fn list(&mut self, view: ResolvedRef<'w>, count: usize, layer: u32, mode: MergeMode<'w>) {
        let lists = match mode {
            MergeMode::Recursive { lists, .. } => lists,
            _ => ListMode::Replace,
        };
        let items: Vec<ResolvedRef<'w>> = (0..count).map(|at| view.item(at)).collect();
        let list = &self.pointer.clone();
        let key = match lists {
            ListMode::ByKey(key, _) => Some(key),
            ListMode::Smart => Some(SMART_KEY),
            _ => None,
        };
        let keyed = key.and_then(|key| {
            items
                .iter()
                .map(|item| keyed_location(list, *item, key))
                .collect()
        });
        let locations: Vec<NodeLocation> = match (
            lists,
            keyed.filter(|locations: &Vec<NodeLocation>| !has_repeats(locations)),
        ) {
            (ListMode::Replace, _) => {
                return self.add_part(NodeLocation::Key(list.clone()), view, layer);
            }
            _ if items.is_empty() => {
                return self.add_part(NodeLocation::Default(list.clone()), view, layer);
            }
            (_, Some(locations)) => locations,
            (_, None) => vec![NodeLocation::Item(list.clone()); count],
        };
        for (location, item) in locations.into_iter().zip(items) {
            self.add_part(
                location,
                item,
                self.resolution.layer_of(item).unwrap_or(layer),
            );
        }
    }

    fn add_part(&mut self, location: NodeLocation, view: ResolvedRef<'w>, layer: u32) {
        let layer = self.resolution.contributions()[layer as usize]
            .layer
            .clone();
        self.parts.push(MergedPart {
            node: EntryNode {
                location,
                value: to_value(view),
            },
            layer,
        });
    }
}

/// The location of an item by its key, if the key identifies it.
fn keyed_location(list: &Pointer, item: ResolvedRef<'_>, key: &str) -> Option<NodeLocation> {
    let NodeShape::Map(count) = item.shape() else {
        return None;
    };
    let (_, value) = (0..count)
        .map(|at| item.entry(at))
        .find(|(name, _)| *name == key)?;
    let scalar = !matches!(
        value.shape(),
        NodeShape::Map(_) | NodeShape::List(_) | NodeShape::Null
    );
    scalar.then(|| NodeLocation::keyed(list.clone(), key, &to_value(value)))
}

/// Whether two items have the same key, which cannot identify them then.
fn has_repeats(locations: &[NodeLocation]) -> bool {
    let ids = locations.iter().map(|location| match location {
        NodeLocation::Keyed { id, .. } => id.as_str(),
        _ => "",
    });
    ids.collect::<BTreeSet<&str>>().len() < locations.len()
}
