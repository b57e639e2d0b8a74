//! Where the fields of an entry came from: its row, and the rows that it shadows.

use agpm_diag::{Failure, Notes};
use std::sync::Arc;

use agpm_catalog::{CatalogContent, EntryReference, KindSaid, RowId};
use agpm_merge::{Composition, Contribution, MergePolicy, ReferencePolicy, fold_parts};
use agpm_model::LayerName;
use agpm_text::{NodeId, Pointer, to_value};

use crate::catalog::{CatalogPlaces, open};
use crate::explain::found;
use crate::world::World;
use agpm_merge::{Provenance, SecretDisplay};

pub(super) fn explain_entry(
    world: &World,
    name: &str,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let open = open(world, &CatalogPlaces::default(), None, notes)?.content;
    let entry = open.entry(EntryReference::read(name), KindSaid::Before)?;
    let lower = open.catalog.shadowed(entry).iter().rev();
    let units = lower
        .chain([&entry.winner])
        .map(|row| unit(&open, *row))
        .collect();
    let policy = MergePolicy {
        composition: Composition::Select,
        references: ReferencePolicy::LENIENT,
    };
    let mut provenance = Provenance::default();
    provenance.add_values_as(
        &fold_parts(units, &policy),
        pointer,
        &notes.sources,
        SecretDisplay::Masked,
    );
    let value = to_value(open.catalog.winner(entry).node());
    found(
        provenance,
        &format!("catalog:{name}"),
        pointer,
        &[Some(value)],
    )
}

/// A row as what its layer says.
fn unit(open: &CatalogContent<'_>, row: RowId) -> (Contribution, NodeId) {
    let row = open.catalog.row(row);
    let layer = LayerName::new(open.layer(row).kind.word()).expect("a good name");
    let document = Arc::clone(open.catalog.manifests()[row.manifest_index()].document());
    (Contribution { layer, document }, row.node().id())
}
