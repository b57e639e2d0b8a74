//! Nodes of layers in files that users and packages write too: the rules one by one.
#![allow(clippy::unwrap_used, clippy::panic)]

mod files;
mod lists;
#[path = "../support/mod.rs"]
mod support;

use agpm_plan::{
    DesiredNode, FileOrigin, FileOutcome, NodePlan, Obstacle, OverwriteRule, recognise_nodes,
};
use agpm_text::{Document, Format, Pointer, to_value};
use support::layer::{Lists, leaves};
use support::{File, read, value};

/// A text of the layers and its nodes.
struct Layer {
    base: Document,
    nodes: Vec<DesiredNode>,
}

fn layer(text: &str, format: Format, lists: Lists) -> Layer {
    let base = read(text, format);
    Layer {
        nodes: leaves(&base, lists),
        base,
    }
}

fn json(text: &str, lists: Lists) -> Layer {
    layer(text, Format::Jsonc, lists)
}

impl File {
    fn layered(&mut self, layer: &Layer) -> NodePlan {
        self.get_on(Some(&layer.base), &layer.nodes, OverwriteRule::Nothing)
    }

    fn layered_with(&mut self, layer: &Layer, packages: &[DesiredNode]) -> NodePlan {
        let all = [layer.nodes.clone(), packages.to_vec()].concat();
        self.get_on(Some(&layer.base), &all, OverwriteRule::Nothing)
    }

    fn refused(&self, layer: &Layer) -> Vec<(String, Obstacle)> {
        let plan = self
            .plan_on(Some(&layer.base), &layer.nodes, OverwriteRule::Nothing)
            .unwrap();
        assert_eq!(
            (plan.outcome, &plan.owned),
            (FileOutcome::Unchanged, &self.owned)
        );
        let pointer = |at: Option<Pointer>| at.unwrap().to_string();
        plan.refusals
            .into_iter()
            .map(|refusal| (pointer(refusal.pointer), refusal.obstacle))
            .collect()
    }

    fn adopted(&mut self, layer: &Layer) -> NodePlan {
        self.get_on(Some(&layer.base), &layer.nodes, OverwriteRule::Unowned)
    }

    fn alone(&mut self) -> NodePlan {
        self.get(&[], OverwriteRule::Nothing)
    }

    /// Recognizes the nodes of a layer that exist, as after a pull.
    fn recognise(&mut self, layer: &Layer) {
        let now = read(self.now(), self.format);
        let recognized = recognise_nodes(&now, &layer.nodes, self.owned.as_ref());
        self.owned = recognized.or_else(|| self.owned.take());
    }

    fn says(&self, json: &str) {
        let now = read(self.now(), self.format).root().map(to_value);
        assert_eq!(now, Some(value(json)), "{}", self.now());
    }

    fn origin(&self) -> FileOrigin {
        self.owned.as_ref().unwrap().file
    }
}
