//! The values of a file that agpm and others write: from a layer, from a package, or the user's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceMap, codes};
use agpm_merge::{
    Contribution, ExplainedLeaf, MergePolicy, MergedContent, MergedFile, Provenance, Resolution,
    ResolvedRef, fold,
};
use agpm_model::{LayerName, Owner, Strategy};
use agpm_plan::OwnedNodes;
use agpm_text::{Document, NodeShape, Pointer, TreeView, Value, equal, to_value};

/// The owner that is shown for what no layer and no package gave.
pub(crate) const YOURS: &str = "yours";

/// A file as it is on the disk, and what agpm manages in it.
pub struct ManagedFile {
    /// The content of the managed file.
    pub document: Arc<Document>,
    /// The managed nodes.
    pub owned: OwnedNodes,
}

impl ManagedFile {
    /// The origin of everything in the file at `under` or below.
    pub fn explain(
        &self,
        merged: Option<&MergedFile>,
        under: &Pointer,
        sources: &SourceMap,
    ) -> Provenance {
        let layers = match merged.map(|merged| &merged.merged) {
            Some(MergedContent::Structured(resolution)) => Some(resolution),
            _ => None,
        };
        let file_layer = self.as_layer();
        let mut all = Provenance::default();
        all.add_values(&file_layer, under, sources);
        let mut from_layers = Provenance::default();
        layers.inspect(|layers| from_layers.add_values(layers, &Pointer::root(), sources));
        let mut by_place: BTreeMap<Pointer, ExplainedLeaf> = from_layers
            .leaves
            .into_iter()
            .map(|leaf| (leaf.pointer.clone(), leaf))
            .collect();
        let owners = self.owned.owners_in(&self.document);
        for leaf in &mut all.leaves {
            let twin = layers.and_then(|layers| self.twin(layers, &leaf.pointer));
            let stated = twin.as_ref().and_then(|twin| by_place.remove(twin));
            let stated = stated.map(|stated| LayerValue {
                is_same: twin.is_some_and(|twin| self.has_value_of(layers, &leaf.pointer, &twin)),
                stated,
            });
            let owner = owners
                .iter()
                .find(|(at, _)| leaf.pointer.is_within(at))
                .map(|(_, owner)| *owner);
            attribute(leaf, owner, stated);
        }
        all.deletions = from_layers.deletions;
        all
    }

    /// The content of the file.
    pub fn value(&self) -> Option<Value> {
        self.document.root().map(to_value)
    }

    fn as_layer(&self) -> Resolution {
        let layer = LayerName::new(YOURS).expect("a good name");
        let contribution = Contribution {
            layer,
            document: Arc::clone(&self.document),
        };
        fold(
            vec![contribution],
            &MergePolicy::merge(Strategy::default()),
            None,
        )
    }

    /// The pointer in the layers' result for a pointer of the file: items of lists may have other indices.
    fn twin(&self, layers: &Resolution, pointer: &Pointer) -> Option<Pointer> {
        let mut node = self.document.root()?;
        let mut layer_node = layers.root()?;
        let mut twin = Pointer::root();
        for step in pointer.steps() {
            node = node.child(step)?;
            let (step, next) = match layer_node.shape() {
                NodeShape::Map(count) => {
                    let (_, value) = (0..count)
                        .map(|at| layer_node.entry(at))
                        .find(|(key, _)| key == step)?;
                    (step.clone(), value)
                }
                NodeShape::List(count) => {
                    let equals = |at: &usize| equal(layer_node.item(*at), node);
                    let same = step.parse().ok().filter(|at| *at < count).filter(equals);
                    let at = same.or_else(|| (0..count).find(equals))?;
                    (at.to_string(), layer_node.item(at))
                }
                _ => return None,
            };
            twin.push(step);
            layer_node = next;
        }
        Some(twin)
    }

    fn has_value_of(&self, layers: Option<&Resolution>, pointer: &Pointer, twin: &Pointer) -> bool {
        let layer_node: Option<ResolvedRef<'_>> = layers.and_then(|layers| layers.at(twin));
        self.document
            .at(pointer)
            .zip(layer_node)
            .is_some_and(|(node, layer_node)| equal(node, layer_node))
    }
}

/// The layers' value at the location of a value on disk.
struct LayerValue {
    stated: ExplainedLeaf,
    is_same: bool,
}

/// Names the owner of a value: a layer, with the location it came from; a package; or else the user.
fn attribute(leaf: &mut ExplainedLeaf, owner: Option<&Owner>, layers: Option<LayerValue>) {
    match (owner, layers) {
        (Some(Owner::Layers(_)), Some(value)) if value.is_same => {
            *leaf = ExplainedLeaf {
                pointer: leaf.pointer.clone(),
                ..value.stated
            };
        }
        (Some(Owner::Layers(set)), _) => leaf.layer = set.to_string(),
        (Some(owner), _) => leaf.layer = owner.to_string(),
        (None, Some(value)) => leaf.shadows = value.stated.into_shadows(),
        (None, None) => {}
    }
}

/// The finding about a wholly managed file that differs from the layers.
pub fn edited_layered_file(file: &str, now: &[u8], merged: &MergedFile) -> Option<Diagnostic> {
    let is_structured = matches!(merged.merged, MergedContent::Structured(_));
    let (text, _) = merged.render().ok()?;
    if is_structured || now == text.to_bytes() {
        return None;
    }
    let message = format!("`{file}` is not what the layers give; this is about what they do give");
    let found = Diagnostic::new(&codes::INSTALL_EDITED, message).in_file(file);
    Some(found.help("`agpm install --dry-run` shows what would change"))
}
