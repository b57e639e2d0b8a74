//! The origin of the fields of a catalog entry: its row, and the rows that it shadows.

use std::sync::Arc;

use agpm_catalog::{CatalogContent, EntryReference, KindMention, RowId};
use agpm_diag::{Failure, SourceMap};
use agpm_merge::{
    Composition, Contribution, MergePolicy, Provenance, ReferencePolicy, SecretDisplay, fold_parts,
};
use agpm_model::LayerName;
use agpm_text::{NodeId, Pointer, to_value};

use crate::explain::require_values;

/// The fields of the entry that a name means.
pub fn explain_entry(
    content: &CatalogContent<'_>,
    name: &str,
    pointer: &Pointer,
    sources: &SourceMap,
) -> Result<Provenance, Failure> {
    let entry = content.entry(EntryReference::read(name), KindMention::Before)?;
    let lower = content.catalog.shadowed(entry).iter().rev();
    let rows = lower
        .chain([&entry.winner])
        .map(|row| contribution(content, *row))
        .collect();
    let policy = MergePolicy {
        composition: Composition::Select,
        references: ReferencePolicy::LENIENT,
    };
    let mut provenance = Provenance::default();
    let folded = fold_parts(rows, &policy);
    provenance.add_values_as(&folded, pointer, sources, SecretDisplay::Masked);
    let value = to_value(content.catalog.winner(entry).node());
    require_values(
        provenance,
        &format!("catalog:{name}"),
        pointer,
        &[Some(value)],
    )
}

/// A row as what its layer has.
fn contribution(content: &CatalogContent<'_>, row: RowId) -> (Contribution, NodeId) {
    let row = content.catalog.row(row);
    let layer =
        LayerName::new(content.layer(row).kind.word()).expect("the word of a kind is a name");
    let document = Arc::clone(content.catalog.manifests()[row.manifest_index()].document());
    (Contribution { layer, document }, row.node().id())
}
