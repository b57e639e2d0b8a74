//! `agpm layers`: the layers in their order, what they are and which of their files apply.

use agpm_model::{Layer, LayerLocation, Manifest, Pin};
use serde::{Serialize, Serializer};

use crate::skipping::SkippedItem;
use crate::snapshot::LayerSnapshot;

/// All layers, lowest first.
#[derive(Clone, Debug, Serialize)]
pub struct LayersReport {
    /// Lowest first.
    pub layers: Vec<LayerRow>,
}

/// A layer in a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayerRow {
    /// From one, the lowest; the highest wins.
    pub rank: usize,
    /// The name of the layer.
    pub name: String,
    /// The location, as users see it.
    pub place: String,
    /// The state; `None` if the layer does not exist.
    #[serde(flatten, serialize_with = "presence")]
    pub state: Option<LayerState>,
}

/// A layer that exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayerState {
    /// The version of its source; `None` for a directory.
    #[serde(flatten)]
    pub pin: Option<Pin>,
    /// The checksum of all files that apply.
    pub checksum: String,
    /// The number of files that apply.
    pub files: usize,
    /// Ignored files, and the reasons.
    pub skipped: Vec<SkippedRow>,
}

/// Something of a layer that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedRow {
    /// Its path in the layer; a directory ends in `/`.
    pub path: String,
    /// The reason.
    pub reason: &'static str,
}

/// One row for each layer of a manifest.
pub fn rows(manifest: &Manifest, snapshots: &[LayerSnapshot<'_>]) -> LayersReport {
    let row = |(at, layer): (usize, &Layer)| {
        let mut read = snapshots.iter();
        let snapshot = read.find(|snapshot| snapshot.layer.name == layer.name);
        LayerRow {
            rank: at + 1,
            name: layer.name.to_string(),
            place: snapshot.map_or_else(|| written(&layer.location), |one| one.shown.clone()),
            state: snapshot.map(state),
        }
    };
    LayersReport {
        layers: manifest.layers.iter().enumerate().map(row).collect(),
    }
}

fn written(location: &LayerLocation) -> String {
    match location {
        LayerLocation::Directory(path) => path.clone(),
        LayerLocation::Source(source, requirement) => format!("{source}@{requirement}"),
    }
}

fn state(snapshot: &LayerSnapshot<'_>) -> LayerState {
    let row = |skipped: &SkippedItem| SkippedRow {
        path: skipped.path.clone(),
        reason: skipped.why.words(),
    };
    LayerState {
        pin: snapshot.pin.clone(),
        checksum: snapshot.checksum.to_string(),
        files: snapshot.files.len(),
        skipped: snapshot.skipped.iter().map(row).collect(),
    }
}

/// The field `present`, and those of a layer that is.
fn presence<S: Serializer>(state: &Option<LayerState>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct LayerPresence<'s> {
        present: bool,
        #[serde(flatten)]
        state: Option<&'s LayerState>,
    }
    let presence = LayerPresence {
        present: state.is_some(),
        state: state.as_ref(),
    };
    presence.serialize(serializer)
}
