//! What is in an installed file, value by value: from a layer, from a package, or the user's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_merge::{
    Contribution, MergePolicy, MergedContent, MergedFile, Resolution, ResolvedRef, fold,
};
use agpm_model::{LayerName, Owner, RelativePath, Strategy};
use agpm_plan::OwnedNodes;
use agpm_store::ProjectStore;
use agpm_text::{Document, NodeShape, Pointer, TreeView, Value, equal, to_value};

use crate::install::{parse_shared, read_ledger};
use crate::reading::limit;
use agpm_merge::{ExplainedLeaf, Provenance};

/// What a value is said to come from that no layer and no package gave.
pub(super) const YOURS: &str = "yours";

/// A file on the disk, and what is ours in it.
pub(super) struct Installed {
    document: Arc<Document>,
    owned: OwnedNodes,
}

impl Installed {
    /// Nothing if the file is not there, or nothing in it is ours.
    pub(super) fn find(
        store: &ProjectStore,
        path: &RelativePath,
        notes: &mut Notes,
    ) -> Result<Option<Self>, Failure> {
        let Some(owned) = read_ledger(store)?.shared.remove(path) else {
            return Ok(None);
        };
        let Ok(bytes) = store.read(path, limit()) else {
            return Ok(None);
        };
        let document = parse_shared(path, bytes, notes)?;
        Ok(Some(Installed { document, owned }))
    }

    /// Where everything in the file at `under` or below comes from.
    pub(super) fn explain(
        &self,
        merged: Option<&MergedFile>,
        under: &Pointer,
        notes: &Notes,
    ) -> Provenance {
        let layers = match merged.map(|merged| &merged.merged) {
            Some(MergedContent::Structured(resolution)) => Some(resolution),
            _ => None,
        };
        let own = self.as_a_layer();
        let mut all = Provenance::default();
        all.add_values(&own, under, &notes.sources);
        let mut from_layers = Provenance::default();
        layers.inspect(|layers| from_layers.add_values(layers, &Pointer::root(), &notes.sources));
        let mut by_place: BTreeMap<Pointer, ExplainedLeaf> = from_layers
            .leaves
            .into_iter()
            .map(|leaf| (leaf.pointer.clone(), leaf))
            .collect();
        let owners = self.owned.owners_in(&self.document);
        for leaf in &mut all.leaves {
            let twin = layers.and_then(|layers| self.twin(layers, &leaf.pointer));
            let said = twin.as_ref().and_then(|twin| by_place.remove(twin));
            let same = twin.is_some_and(|twin| self.says_the_same(layers, &leaf.pointer, &twin));
            let owner = owners
                .iter()
                .find(|(at, _)| leaf.pointer.is_within(at))
                .map(|(_, owner)| *owner);
            attribute(leaf, owner, said, same);
        }
        all.deletions = from_layers.deletions;
        all
    }

    /// What is in the file.
    pub(super) fn value(&self) -> Option<Value> {
        self.document.root().map(to_value)
    }

    fn as_a_layer(&self) -> Resolution {
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

    /// Where the layers' result has what is at a place of the file: items of lists may stand elsewhere.
    fn twin(&self, layers: &Resolution, place: &Pointer) -> Option<Pointer> {
        let mut here = self.document.root()?;
        let mut there = layers.root()?;
        let mut twin = Pointer::root();
        for step in place.steps() {
            here = here.child(step)?;
            let (step, next) = match there.shape() {
                NodeShape::Map(count) => {
                    let (_, value) = (0..count)
                        .map(|at| there.entry(at))
                        .find(|(key, _)| key == step)?;
                    (step.clone(), value)
                }
                NodeShape::List(count) => {
                    let equals = |at: &usize| equal(there.item(*at), here);
                    let same = step.parse().ok().filter(|at| *at < count).filter(equals);
                    let at = same.or_else(|| (0..count).find(equals))?;
                    (at.to_string(), there.item(at))
                }
                _ => return None,
            };
            twin.push(step);
            there = next;
        }
        Some(twin)
    }

    fn says_the_same(&self, layers: Option<&Resolution>, place: &Pointer, twin: &Pointer) -> bool {
        let there: Option<ResolvedRef<'_>> = layers.and_then(|layers| layers.at(twin));
        self.document
            .at(place)
            .zip(there)
            .is_some_and(|(here, there)| equal(here, there))
    }
}

/// Says whose a value is: a layer's, as it said it; a package's; or else the user's own.
fn attribute(
    leaf: &mut ExplainedLeaf,
    owner: Option<&Owner>,
    said: Option<ExplainedLeaf>,
    same: bool,
) {
    match (owner, said) {
        (Some(Owner::Layers(_)), Some(said)) if same => {
            *leaf = ExplainedLeaf {
                pointer: leaf.pointer.clone(),
                ..said
            };
        }
        (Some(Owner::Layers(layers)), _) => leaf.layer = layers.to_string(),
        (Some(owner), _) => leaf.layer = owner.to_string(),
        (None, Some(said)) => leaf.shadows = said.into_shadows(),
        (None, None) => {}
    }
}

/// Says that a file that is ours whole is not what the layers give.
pub(super) fn tell_edited(file: &str, now: &[u8], merged: &MergedFile, notes: &mut Notes) {
    let structured = matches!(merged.merged, MergedContent::Structured(_));
    let Ok((text, _)) = merged.render() else {
        return;
    };
    if !structured && now != text.to_bytes() {
        let message =
            format!("`{file}` is not what the layers give; this is about what they do give");
        let found = Diagnostic::new(&codes::INSTALL_EDITED, message).in_file(file);
        notes
            .diagnostics
            .push(found.help("`agpm install --dry-run` shows what would change"));
    }
}
