//! `agpm layers`: the layers in their order, what they are and what of them counts.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::{LayerPlace, Pin};
use agpm_text::Value;

use crate::approve::note_unapproved;
use crate::gather::{ManifestFiles, Project};
use crate::layers::pinning::Pinning;
use crate::layers::skipping::Skipped;
use crate::layers::snapshot::{Snapshot, snapshots};
use crate::packages::{Moving, Sources, read_lock};
use crate::world::World;

/// All layers, lowest first.
#[derive(Clone, Debug)]
pub struct LayersReport {
    /// Lowest first.
    pub layers: Vec<LayerRow>,
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerRow {
    /// From one, the lowest; the highest wins.
    pub rank: usize,
    /// Its name.
    pub name: String,
    /// Where it is, as users see it.
    pub place: String,
    /// What it is; nothing if it is not there.
    pub state: Option<LayerState>,
}

/// A layer that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerState {
    /// The version of its source; nothing for a folder.
    pub pin: Option<Pin>,
    /// Of all files that count.
    pub checksum: String,
    /// How many files count.
    pub files: usize,
    /// What does not count, and why.
    pub skipped: Vec<SkippedRow>,
}

/// Something of a layer that does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    let pinning = Pinning::of(manifest, lock.as_ref(), &Moving::Nothing);
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

impl LayersReport {
    /// As fields of a document.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![(
            "layers",
            Value::List(self.layers.iter().map(LayerRow::value).collect()),
        )]
    }
}

impl LayerRow {
    fn value(&self) -> Value {
        let mut map: Vec<(&str, Value)> = vec![
            ("rank", self.rank.into()),
            ("name", self.name.as_str().into()),
            ("place", self.place.as_str().into()),
            ("present", self.state.is_some().into()),
        ];
        let Some(state) = &self.state else {
            return Value::map(map);
        };
        if let Some(pin) = &state.pin {
            map.push(("source", pin.source.to_string().into()));
            map.push(("requirement", pin.requirement.as_deref().into()));
            map.push(("version", pin.version.as_str().into()));
            map.push(("commit", pin.commit.as_str().into()));
        }
        map.push(("checksum", state.checksum.as_str().into()));
        map.push(("files", state.files.into()));
        let skipped = |row: &SkippedRow| {
            Value::map([
                ("path", Value::from(row.path.as_str())),
                ("reason", row.reason.into()),
            ])
        };
        map.push((
            "skipped",
            Value::List(state.skipped.iter().map(skipped).collect()),
        ));
        Value::map(map)
    }
}
