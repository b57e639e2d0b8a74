//! The merge engine: merges all layers at once, node by node from the root down.

use agpm_diag::{Diagnostic, codes};
use agpm_model::{EmptyRule, LayerName, ListRule, MergeOperation, Strategy};
use agpm_text::{NodeId, NodeKind, NodeRef, Pointer, equal};

use crate::combine::{Combination, Combine, MergePoint};
use crate::contribution::{Contribution, LayerNode};
use crate::key_groups::group;
use crate::limits::MOST_TYPE_CHANGES;
use crate::mode::{ListMerge, ListMode, MergeMode};
use crate::nodes::{NodeBody, ResolvedChild, ResolvedNodes};
use crate::origin::{LeafOperation, NodeOrigin, ShadowKind, ShadowedValue};
use crate::policy::{Composition, MergePolicy};
use crate::resolution::{Deletion, Resolution};
use crate::rules::{PendingRules, RuleSet};

/// Merges contributions, lowest first, into one value.
pub fn fold(
    contributions: Vec<Contribution>,
    policy: &MergePolicy,
    combine: Option<&dyn Combine>,
) -> Resolution {
    let roots: Vec<Option<NodeId>> = contributions
        .iter()
        .map(|contribution| contribution.document.root().map(|root| root.id()))
        .collect();
    fold_from(contributions, &roots, policy, combine)
}

/// Merges parts of documents, each given by its node.
pub fn fold_parts(units: Vec<(Contribution, NodeId)>, policy: &MergePolicy) -> Resolution {
    let (contributions, roots): (Vec<Contribution>, Vec<Option<NodeId>>) = units
        .into_iter()
        .map(|(contribution, node)| (contribution, Some(node)))
        .unzip();
    fold_from(contributions, &roots, policy, None)
}

// All layers are merged at once: two at a time would build every intermediate result and copy origins.
fn fold_from(
    contributions: Vec<Contribution>,
    roots: &[Option<NodeId>],
    policy: &MergePolicy,
    combine: Option<&dyn Combine>,
) -> Resolution {
    let select;
    let (strategy, mode) = match &policy.composition {
        Composition::Merge(strategy) => (strategy, MergeMode::base(strategy)),
        Composition::Select => {
            select = Strategy::default();
            (&select, MergeMode::Replace)
        }
    };
    let rules = RuleSet::new(strategy);
    let mut engine = MergeEngine {
        contributions: &contributions,
        rules: &rules,
        combine,
        path: Vec::new(),
        nodes: ResolvedNodes::new(&contributions),
        deletions: Vec::new(),
        unset: vec![UnsetMatch::Nowhere; strategy.unset.len()],
        diagnostics: Vec::new(),
        type_changes: 0,
        alone: SingleLayerMode::of(strategy),
    };
    let roots: Vec<LayerNode<'_>> = contributions
        .iter()
        .enumerate()
        .zip(roots)
        .filter_map(|((layer, contribution), root)| {
            Some(LayerNode {
                layer: layer as u32,
                node: contribution.document.node((*root)?),
                live: true,
            })
        })
        .collect();
    let root = if roots.is_empty() {
        None
    } else {
        engine.merge_node(&roots, &rules.start(), mode)
    };
    engine.report_useless_unset(strategy);
    let MergeEngine {
        nodes,
        deletions,
        diagnostics,
        ..
    } = engine;
    Resolution {
        contributions,
        nodes,
        root,
        deletions,
        diagnostics,
    }
}

#[derive(Clone, Copy)]
pub(crate) enum PathStep<'a> {
    Key(&'a str),
    Index(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UnsetMatch {
    Nowhere,
    Somewhere,
}

pub(crate) struct MergeEngine<'a, 's> {
    contributions: &'a [Contribution],
    rules: &'s RuleSet<'s>,
    combine: Option<&'s dyn Combine>,
    path: Vec<PathStep<'a>>,
    pub(crate) nodes: ResolvedNodes,
    deletions: Vec<Deletion>,
    unset: Vec<UnsetMatch>,
    diagnostics: Vec<Diagnostic>,
    type_changes: usize,
    alone: SingleLayerMode,
}

/// The treatment of values that only one layer has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SingleLayerMode {
    /// The value is used unchanged.
    AsIs,
    /// Items of its lists must have their keys.
    Checked,
    /// Its lists become sets.
    United,
}

impl SingleLayerMode {
    fn of(strategy: &Strategy) -> Self {
        let list = match &strategy.lists {
            ListRule::By(operation) => Some(operation),
            ListRule::Smart => None,
        };
        let rules = strategy
            .rules
            .iter()
            .filter_map(|rule| rule.operation.as_ref());
        let any = |predicate: fn(&MergeOperation) -> bool| {
            list.into_iter().chain(rules.clone()).any(predicate)
        };
        if any(|operation| matches!(operation, MergeOperation::Unite { .. })) {
            SingleLayerMode::United
        } else if any(|operation| matches!(operation, MergeOperation::ByKey { .. })) {
            SingleLayerMode::Checked
        } else {
            SingleLayerMode::AsIs
        }
    }
}

impl<'a, 's> MergeEngine<'a, 's> {
    /// Merges the nodes at one pointer; `None` if it is deleted, or if only replaced layers have it.
    pub(crate) fn merge_node(
        &mut self,
        layer_nodes: &[LayerNode<'a>],
        reach: &PendingRules,
        outer: MergeMode<'s>,
    ) -> Option<u32> {
        // The common case by far: one layer has the value and no rule reaches inside. It is referred to as it is
        // and not copied.
        if reach.is_empty()
            && layer_nodes.len() == 1
            && layer_nodes[0].live
            && self.can_use_whole(layer_nodes[0])
        {
            self.check_inside(layer_nodes[0], reach, outer)?;
            return Some(self.use_whole(layer_nodes[0], LeafOperation::Only, &[]));
        }
        // Before any operation: an unset value must not be kept alive by a rule for the same path.
        if let Some(unset) = self.rules.unset_here(reach) {
            self.delete(unset, layer_nodes);
            return None;
        }
        let (rule, empty) = self.rules.here(reach);
        let within: PendingRules;
        let mut reach = reach;
        let revived: Vec<LayerNode<'a>>;
        let mut layer_nodes = layer_nodes;
        // A rule for exactly this path applies to all layers again, also where an outer selection had left some of
        // them out.
        if let Some((index, operation)) = rule {
            if layer_nodes.iter().any(|s| !s.live) {
                revived = layer_nodes
                    .iter()
                    .map(|s| LayerNode { live: true, ..*s })
                    .collect();
                layer_nodes = &revived;
            }
            // A value that one layer gives as a whole is split only by a more specific rule.
            if operation.selects() {
                within = reach.more_specific_than(index);
                reach = &within;
            }
        }
        let mut mode = rule.map_or(outer, |(_, operation)| MergeMode::of(operation, outer));
        let remaining: Vec<LayerNode<'a>>;
        let mut dropped = Vec::new();
        if empty != EmptyRule::Value && layer_nodes.len() > 1 {
            remaining = without_empty(layer_nodes, empty, mode);
            let is_kept = |s: &LayerNode<'a>| remaining.iter().any(|other| other.layer == s.layer);
            // A blank value contributes nothing, so there is nothing to report.
            if empty != EmptyRule::Blank {
                dropped = replaced(
                    &layer_nodes
                        .iter()
                        .copied()
                        .filter(|s| !is_kept(s))
                        .collect::<Vec<_>>(),
                );
            }
            layer_nodes = &remaining;
        }
        if let Some(combine) = self.combine.filter(|_| layer_nodes.len() > 1) {
            let nodes: Vec<NodeRef<'a>> = layer_nodes.iter().map(|s| s.node).collect();
            match combine.combine(&MergePoint {
                pointer: &self.pointer(),
                contributions: &nodes,
            }) {
                Some(Combination::Items(items)) => {
                    return Some(self.chosen_items(layer_nodes, &items));
                }
                Some(Combination::Operation(operation)) => mode = MergeMode::of(operation, outer),
                None => {}
            }
        }
        // Empty values were removed by then, and are recorded as overridden afterwards: the layer wrote them, so
        // `explain` has to show them.
        let node = self.by_mode(layer_nodes, reach, mode)?;
        if !dropped.is_empty() {
            self.nodes.shadow_also(node, &dropped);
        }
        Some(node)
    }

    fn by_mode(
        &mut self,
        nodes: &[LayerNode<'a>],
        reach: &PendingRules,
        mode: MergeMode<'s>,
    ) -> Option<u32> {
        // Layers that lost a selection stay in the list for more specific rules inside it, but contribute nothing
        // on their own.
        let ghosts = nodes.iter().filter(|s| !s.live).count();
        let only_live: Vec<LayerNode<'a>>;
        let live = match ghosts {
            0 => nodes,
            _ => {
                only_live = nodes.iter().copied().filter(|s| s.live).collect();
                &only_live
            }
        };
        if live.is_empty() {
            return if reach.is_empty() {
                None
            } else {
                self.maps(&only_maps(nodes), reach, MergeMode::Replace, &[])
            };
        }
        if let ([one], false) = (nodes, reach.may_unset() || !self.can_use_whole(nodes[0])) {
            self.check_inside(*one, reach, mode)?;
            return Some(self.use_whole(*one, LeafOperation::Only, &[]));
        }
        match mode {
            MergeMode::Replace => self.select(
                nodes,
                nodes.iter().rposition(|s| s.live)?,
                LeafOperation::Replace,
                reach,
            ),
            MergeMode::KeepLower => self.select(
                nodes,
                nodes.iter().position(|s| s.live)?,
                LeafOperation::KeepLower,
                reach,
            ),
            MergeMode::NonEmpty => {
                let full = nodes.iter().rposition(|s| s.live && !is_blank(s.node));
                // If all values are blank the highest one still wins, so the key does not vanish from the result.
                let chosen = full.or_else(|| nodes.iter().rposition(|s| s.live))?;
                self.select(nodes, chosen, LeafOperation::NonEmpty, reach)
            }
            MergeMode::Overlay | MergeMode::Recursive { .. } => self.recursive(live, reach, mode),
        }
    }

    /// Whether the value of a single layer can be used without inspecting it.
    fn can_use_whole(&self, node: LayerNode<'a>) -> bool {
        self.alone != SingleLayerMode::United || node.node.len() == 0
    }

    /// Items of lists must have their keys even if only one layer has the list; `None` if one is missing.
    // Elsewhere a node of a single layer is used without inspection. A missing key must not be accepted until a second
    // layer appears and turns it into an error.
    fn check_inside(
        &mut self,
        one: LayerNode<'a>,
        reach: &PendingRules,
        mode: MergeMode<'s>,
    ) -> Option<()> {
        if self.alone == SingleLayerMode::AsIs {
            return Some(());
        }
        match (one.node.kind(), mode) {
            (
                NodeKind::List,
                MergeMode::Recursive {
                    lists: ListMode::ByKey(key, _),
                    ..
                },
            ) => self.check_keys(&[one], key),
            (NodeKind::Map, _) => {
                let mut complete = Some(());
                for (key, node) in one.node.entries() {
                    let stepped = self.rules.step(reach, key.content());
                    let rule = self.rules.here(&stepped).0;
                    let below = rule.map_or(mode.below(), |(_, operation)| {
                        MergeMode::of(operation, mode.below())
                    });
                    self.path.push(PathStep::Key(key.content()));
                    complete = self
                        .check_inside(LayerNode { node, ..one }, &stepped, below)
                        .and(complete);
                    self.path.pop();
                }
                complete
            }
            _ => Some(()),
        }
    }

    /// Merges the nodes of the same kind as the highest; those under the last change of kind are shadowed.
    fn recursive(
        &mut self,
        nodes: &[LayerNode<'a>],
        reach: &PendingRules,
        mode: MergeMode<'s>,
    ) -> Option<u32> {
        let top = nodes[nodes.len() - 1];
        let family = family(top.node.kind());
        // A value of another type replaces everything lower. Only the layers after the last change of type are
        // merged with each other.
        let from = nodes
            .iter()
            .rposition(|s| self::family(s.node.kind()) != family)
            .map_or(0, |at| at + 1);
        self.report_changes(nodes, mode);
        let (shadowed, run) = nodes.split_at(from);
        // A single value is used as it is, unless a rule may remove something inside it or its own duplicates.
        let several = run.len() > 1 || reach.may_unset() || self.alone == SingleLayerMode::United;
        let shadows = replaced(shadowed);
        match (family, mode) {
            (ValueFamily::Map, MergeMode::Overlay) => {
                self.maps(run, reach, MergeMode::Replace, &shadows)
            }
            (ValueFamily::Map, _) if several => self.maps(run, reach, mode.below(), &shadows),
            (ValueFamily::List, MergeMode::Recursive { lists, .. })
                if several || matches!(lists, ListMode::ByKey(..)) =>
            {
                self.lists(run, reach, ListMerge { how: lists, mode }, &shadows)
            }
            _ => Some(self.pick(nodes, nodes.len() - 1, LeafOperation::Replace)),
        }
    }

    /// Selects one node, unless a rule applies inside it: there the others are merged again.
    fn select(
        &mut self,
        nodes: &[LayerNode<'a>],
        chosen: usize,
        operation: LeafOperation,
        reach: &PendingRules,
    ) -> Option<u32> {
        let one = nodes[chosen];
        match one.node.kind() {
            // A more specific rule may still merge a key inside an object that is otherwise selected as a whole.
            NodeKind::Map if !reach.is_empty() => {
                let ghost = |s: LayerNode<'a>| LayerNode {
                    live: s.layer == one.layer,
                    ..s
                };
                let maps: Vec<LayerNode<'a>> = only_maps(nodes).into_iter().map(ghost).collect();
                self.maps(&maps, reach, MergeMode::Replace, &[])
            }
            // Items can be unset inside a list that one layer gives whole, so it has to be walked.
            NodeKind::List if reach.may_unset() => {
                let unselected: Vec<LayerNode<'a>> = nodes
                    .iter()
                    .copied()
                    .filter(|s| s.layer != one.layer)
                    .collect();
                self.lists(
                    &[one],
                    reach,
                    ListMerge {
                        how: ListMode::Replace,
                        mode: MergeMode::Replace,
                    },
                    &replaced(&unselected),
                )
            }
            _ => Some(self.pick(nodes, chosen, operation)),
        }
    }

    /// Merges maps key by key: the lower order first, then new keys.
    fn maps(
        &mut self,
        maps: &[LayerNode<'a>],
        reach: &PendingRules,
        below: MergeMode<'s>,
        shadows: &[ShadowedValue],
    ) -> Option<u32> {
        // The object itself is attributed to the highest layer that has it; its keys have their own origins.
        let top = *maps.iter().rev().find(|s| s.live).or(maps.last())?;
        let groups = group(maps);
        let mut children = Vec::with_capacity(groups.keys.len());
        let mut at_key: Vec<LayerNode<'a>> = Vec::with_capacity(maps.len());
        for (index, (key, key_layer)) in groups.keys.iter().enumerate() {
            at_key.clear();
            let values = groups.at(index).iter();
            at_key.extend(values.map(|(map, node)| LayerNode {
                node: *node,
                ..maps[*map as usize]
            }));
            // Most objects have no rule inside, and stepping allocates.
            let stepped = if reach.is_empty() {
                PendingRules::default()
            } else {
                self.rules.step(reach, key.content())
            };
            self.path.push(PathStep::Key(key.content()));
            let child = self.merge_node(&at_key, &stepped, below);
            self.path.pop();
            let key = self.nodes.numbering.pack(NodeOrigin {
                layer: *key_layer,
                node: key.id(),
            });
            children.extend(child.map(|node| ResolvedChild { key, node }));
        }
        // An object that only losing layers have exists for the rules inside it. Without a result from them it must
        // not appear.
        if children.is_empty() && !maps.iter().any(|s| s.live) {
            return None;
        }
        Some(
            self.nodes
                .folded(NodeBody::Map, top.origin(), &children, shadows),
        )
    }

    pub(crate) fn use_whole(
        &mut self,
        node: LayerNode<'a>,
        operation: LeafOperation,
        shadows: &[ShadowedValue],
    ) -> u32 {
        self.nodes
            .use_whole(node.origin(), operation, shadows.iter().copied())
    }

    /// Selects one node; the others are shadowed.
    fn pick(&mut self, nodes: &[LayerNode<'a>], index: usize, operation: LeafOperation) -> u32 {
        let operation = if nodes.len() == 1 {
            LeafOperation::Only
        } else {
            operation
        };
        let unselected = nodes
            .iter()
            .enumerate()
            .rev()
            .filter(|(at, _)| *at != index);
        let shadows = unselected.map(|(_, s)| ShadowedValue {
            origin: s.origin(),
            kind: ShadowKind::Replaced,
        });
        self.nodes
            .use_whole(nodes[index].origin(), operation, shadows)
    }

    fn delete(&mut self, unset: usize, nodes: &[LayerNode<'a>]) {
        self.unset[unset] = UnsetMatch::Somewhere;
        let deletion = Deletion {
            pointer: self.pointer(),
            shadows: replaced(nodes),
        };
        self.deletions.push(deletion);
    }

    pub(crate) fn under(
        &mut self,
        step: PathStep<'a>,
        fold: impl FnOnce(&mut Self) -> Option<u32>,
    ) -> Option<u32> {
        self.path.push(step);
        let found = fold(self);
        self.path.pop();
        found
    }

    pub(crate) fn step(&self, reach: &PendingRules, index: usize) -> PendingRules {
        if reach.is_empty() {
            PendingRules::default()
        } else {
            self.rules.step(reach, &index.to_string())
        }
    }

    pub(crate) fn pointer(&self) -> Pointer {
        self.path
            .iter()
            .map(|step| match step {
                PathStep::Key(key) => (*key).to_owned(),
                PathStep::Index(index) => index.to_string(),
            })
            .collect()
    }

    /// The pointer, as messages name it.
    pub(crate) fn location_name(&self) -> String {
        if self.path.is_empty() {
            "the document".to_owned()
        } else {
            format!("`{}`", self.pointer())
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn layer(&self, node: LayerNode<'_>) -> &'a LayerName {
        &self.contributions[node.layer as usize].layer
    }

    /// Reports layers that disagree on the type of a value; where values must not differ, that they do.
    fn report_changes(&mut self, nodes: &[LayerNode<'a>], mode: MergeMode<'s>) {
        let kind = |s: &LayerNode<'a>| family(s.node.kind());
        if mode.forbids() {
            let top = nodes[nodes.len() - 1];
            let differs = |s: &&LayerNode<'a>| {
                kind(s) != kind(&top) || kind(s) != ValueFamily::Map && !equal(s.node, top.node)
            };
            if let Some(other) = nodes.iter().rev().find(differs) {
                self.report_clash(*other, top);
            }
            return;
        }
        for pair in nodes.windows(2) {
            let (low, high) = (kind(&pair[0]), kind(&pair[1]));
            // `null` is how many files clear a value, so a change to or from it is intended.
            if low == high || low == ValueFamily::Null || high == ValueFamily::Null {
                continue;
            }
            // A layer written for another schema changes the type of hundreds of values. They are counted, and only
            // the first ones are shown.
            self.type_changes += 1;
            if self.type_changes <= MOST_TYPE_CHANGES {
                let diagnostic = self.type_change(pair[0], pair[1]);
                self.report(diagnostic);
            }
        }
    }

    fn type_change(&self, lower: LayerNode<'a>, higher: LayerNode<'a>) -> Diagnostic {
        let (low, high) = (lower.node, higher.node);
        let message = format!(
            "{} changes from {} to {}",
            self.location_name(),
            low.kind().word(),
            high.kind().word(),
        );
        Diagnostic::new(&codes::MERGE_TYPE_CHANGE, message)
            .at(
                high.source(),
                high.span(),
                format!("layer `{}` wins", self.layer(higher)),
            )
            .at(
                low.source(),
                low.span(),
                format!("layer `{}` is overridden", self.layer(lower)),
            )
            .in_layer(self.layer(higher).as_str())
            .help("make both the same type, or set the operation `replace` for this path to accept the change")
    }

    fn report_clash(&mut self, lower: LayerNode<'a>, higher: LayerNode<'a>) {
        let message = format!("layers set different values at {}", self.location_name());
        let diagnostic = Diagnostic::new(&codes::MERGE_CLASH, message)
            .at(
                higher.node.source(),
                higher.node.span(),
                format!("layer `{}`", self.layer(higher)),
            )
            .at(
                lower.node.source(),
                lower.node.span(),
                format!("layer `{}`", self.layer(lower)),
            )
            .in_layer(self.layer(higher).as_str())
            .help("a rule forbids different values here: remove one of them, or change the rule");
        self.report(diagnostic);
    }

    fn report_useless_unset(&mut self, strategy: &Strategy) {
        let found = std::mem::take(&mut self.unset);
        for (pointer, _) in strategy
            .unset
            .iter()
            .zip(found)
            .filter(|(_, found)| *found == UnsetMatch::Nowhere)
        {
            let message = format!("nothing to unset at `{pointer}`: no layer has a value there");
            let help = "check the pointer, or remove it from `unset`";
            self.report(Diagnostic::new(&codes::MERGE_UNSET_NOTHING, message).help(help));
        }
        if self.type_changes > MOST_TYPE_CHANGES {
            let message = format!(
                "{} more values change their type",
                self.type_changes - MOST_TYPE_CHANGES
            );
            self.report(Diagnostic::new(&codes::MERGE_TYPE_CHANGE, message));
        }
    }
}

/// The nodes as shadows, highest first.
pub(crate) fn replaced(nodes: &[LayerNode<'_>]) -> Vec<ShadowedValue> {
    nodes
        .iter()
        .rev()
        .map(|s| ShadowedValue {
            origin: s.origin(),
            kind: ShadowKind::Replaced,
        })
        .collect()
}

fn only_maps<'a>(nodes: &[LayerNode<'a>]) -> Vec<LayerNode<'a>> {
    nodes
        .iter()
        .copied()
        .filter(|s| s.node.kind() == NodeKind::Map)
        .collect()
}

/// Kinds that replace each other silently.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueFamily {
    Null,
    Map,
    List,
    Bool,
    Number,
    Text,
}

fn family(kind: NodeKind) -> ValueFamily {
    match kind {
        NodeKind::Null => ValueFamily::Null,
        NodeKind::Map => ValueFamily::Map,
        NodeKind::List => ValueFamily::List,
        NodeKind::Bool => ValueFamily::Bool,
        // `1` and `1.0` are one type to users, and to JSON. A warning about them would be noise.
        NodeKind::Integer | NodeKind::Float => ValueFamily::Number,
        NodeKind::String | NodeKind::DateTime => ValueFamily::Text,
    }
}

pub(crate) fn is_blank(node: NodeRef<'_>) -> bool {
    match node.kind() {
        NodeKind::Null => true,
        NodeKind::String => node.content().trim().is_empty(),
        _ => is_empty_container(node),
    }
}

/// Whether a node contains only blanks.
fn is_blank_throughout(node: NodeRef<'_>) -> bool {
    match node.kind() {
        NodeKind::Map => node.entries().all(|(_, value)| is_blank_throughout(value)),
        NodeKind::List => node.items().all(is_blank_throughout),
        _ => is_blank(node),
    }
}

fn is_empty_container(node: NodeRef<'_>) -> bool {
    matches!(node.kind(), NodeKind::Map | NodeKind::List) && node.len() == 0
}

fn without_empty<'a>(
    nodes: &[LayerNode<'a>],
    empty: EmptyRule,
    mode: MergeMode<'_>,
) -> Vec<LayerNode<'a>> {
    match empty {
        EmptyRule::Clear => {
            let from = nodes
                .iter()
                // With `clear`, an empty list in a layer discards what lower layers have; higher ones still add to
                // it.
                .rposition(|s| is_empty_container(s.node))
                .unwrap_or(0);
            nodes[from..].to_vec()
        }
        _ => {
            // Keys of merged maps exist even if their values are blank.
            let merges = |node: NodeRef<'a>| {
                node.kind() == NodeKind::Map && node.len() > 0 && mode.merges_maps()
            };
            let says_nothing = |node: NodeRef<'a>| match empty {
                EmptyRule::Blank => is_blank_throughout(node) && !merges(node),
                _ => is_empty_container(node),
            };
            let full: Vec<LayerNode<'a>> = nodes
                .iter()
                .copied()
                .filter(|s| !says_nothing(s.node))
                .collect();
            // If every layer is empty, the emptiness itself is the value.
            if full.is_empty() {
                nodes.to_vec()
            } else {
                full
            }
        }
    }
}
