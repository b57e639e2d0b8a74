//! `agpm layers`: the layers in their order, what they are and what of them counts.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::{LayerPlace, Pin};
use serde::{Serialize, Serializer};

use crate::approve::note_unapproved;
use crate::gather::{ManifestFiles, Project};
use crate::layers::pinning::Pinning;
use crate::layers::skipping::Skipped;
use crate::layers::snapshot::{Snapshot, snapshots};
use crate::packages::{Sources, read_lock};
use crate::world::World;
use agpm_resolve::UpdateScope;

/// All layers, lowest first.
#[derive(Clone, Debug, Serialize)]
pub struct LayersReport {
    /// Lowest first.
    pub layers: Vec<LayerRow>,
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayerRow {
    /// From one, the lowest; the highest wins.
    pub rank: usize,
    /// Its name.
    pub name: String,
    /// Where it is, as users see it.
    pub place: String,
    /// What it is; nothing if it is not there.
    #[serde(flatten, serialize_with = "presence")]
    pub state: Option<LayerState>,
}

/// A layer that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayerState {
    /// The version of its source; nothing for a folder.
    #[serde(flatten)]
    pub pin: Option<Pin>,
    /// Of all files that count.
    pub checksum: String,
    /// How many files count.
    pub files: usize,
    /// What does not count, and why.
    pub skipped: Vec<SkippedRow>,
}

/// Something of a layer that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedRow {
    /// Its path in the layer; a folder ends in `/`.
    pub path: String,
    /// Why.
    pub reason: &'static str,
}

/// Lists the layers of a project.
pub fn layers(world: &World) -> Outcome<LayersReport> {
    let mut notes = Notes::default();
    let result = run(world, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, notes: &mut Notes) -> Result<LayersReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let project = Project::of(&world.environment, files, notes)?;
    let lock = read_lock(&world.environment, &store, notes)?.map(|(lock, _)| lock);
    let manifest = &project.manifest;
    note_unapproved(&world.environment, manifest, notes);
    let sources = Sources::open(world, manifest, store.path());
    let pinning = Pinning::of(manifest, lock.as_ref(), &UpdateScope::Nothing);
    let snapshots = snapshots(world, (manifest, &sources), &pinning, notes)?;
    let row = |(at, layer): (usize, &agpm_model::Layer)| {
        let snapshot = snapshots
            .iter()
            .find(|snapshot| snapshot.layer.name == layer.name);
        let place =
            snapshot.map_or_else(|| written(&layer.place), |snapshot| snapshot.shown.clone());
        LayerRow {
            rank: at + 1,
            name: layer.name.to_string(),
            place,
            state: snapshot.map(state),
        }
    };
    Ok(LayersReport {
        layers: manifest.layers.iter().enumerate().map(row).collect(),
    })
}

fn written(place: &LayerPlace) -> String {
    match place {
        LayerPlace::Folder(path) => path.clone(),
        LayerPlace::Source(source, selector) => format!("{source}@{selector}"),
    }
}

fn state(snapshot: &Snapshot<'_>) -> LayerState {
    let row = |skipped: &Skipped| SkippedRow {
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
    struct Presence<'s> {
        present: bool,
        #[serde(flatten)]
        state: Option<&'s LayerState>,
    }
    let presence = Presence {
        present: state.is_some(),
        state: state.as_ref(),
    };
    presence.serialize(serializer)
}
