//! Checks that the layers exist, and reports the files of them that are skipped.

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_layers::LayerPinning;
use agpm_model::{Layer, LockedLayer, Lockfile, Manifest};

use crate::doctor::CheckSummary;
use crate::doctor::check::{DoctorRequest, alone, project};
use crate::project::layers::snapshots;
use crate::project::packages::{ProjectSources, read_lock};
use crate::project::permits::note_unapproved;
use crate::project::world::World;
use agpm_diag::counted;
use agpm_resolve::UpdateScope;

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let environment = &world.environment;
    let (project, store) = match project(world, notes) {
        Ok(found) => found,
        Err(skipped) => return Ok(skipped),
    };
    if project.manifest.layers.is_empty() {
        return Ok(CheckSummary::Line("no layers".to_owned()));
    }
    note_unapproved(environment, &project.manifest, notes);
    // Errors in the lockfile are reported by the check of the manifest.
    let (lock, _) = alone(notes, |own| read_lock(environment, &store, own));
    let lock = lock
        .ok()
        .flatten()
        .map(|(lock, _)| lock)
        .unwrap_or_default();
    let sources = ProjectSources::open_used(world, &project.manifest, store.path());
    // Reading a git layer may fetch it, and `doctor` never fetches, so only directories are read.
    let (versions, directories): (Vec<Layer>, Vec<Layer>) = project
        .manifest
        .layers
        .iter()
        .cloned()
        .partition(|layer| is_version(&sources, layer));
    let directories = Manifest {
        layers: directories,
        ..project.manifest.clone()
    };
    let pinning = LayerPinning::of(&directories, Some(&lock), &UpdateScope::Nothing);
    let snapshots = snapshots(world, &directories, &sources, &pinning, notes)?;
    let absent = versions
        .iter()
        .filter(|layer| !is_cached(&sources, layer, &lock));
    let absent: Vec<Diagnostic> = absent.map(not_cached).collect();
    let there = snapshots.len() + versions.len() - absent.len();
    notes.diagnostics.extend(absent);
    let files: usize = snapshots.iter().map(|snapshot| snapshot.files.len()).sum();
    let skipped: usize = snapshots
        .iter()
        .map(|snapshot| snapshot.skipped.len())
        .sum();
    let all = project.manifest.layers.len();
    let found = if there == all {
        counted(all, "layer", "layers")
    } else {
        format!("{there} of {}", counted(all, "layer", "layers"))
    };
    let skipped = match skipped {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    Ok(CheckSummary::Line(format!(
        "{found}, {}{skipped}",
        counted(files, "file", "files"),
    )))
}

fn is_version(sources: &ProjectSources, layer: &Layer) -> bool {
    layer
        .location
        .source()
        .is_some_and(|source| sources.versioned_source(source).is_some())
}

/// Returns whether the locked version of a layer is in the cache.
fn is_cached(sources: &ProjectSources, layer: &Layer, lock: &Lockfile) -> bool {
    let locked: Option<&LockedLayer> = lock.layers.iter().find(|locked| locked.name == layer.name);
    let pin = locked.and_then(|locked| locked.pin.as_ref());
    let source = layer.location.source();
    let source = source.and_then(|name| sources.versioned_source(name));
    source
        .zip(pin)
        .is_some_and(|(source, pin)| source.has_revision(&pin.commit))
}

fn not_cached(layer: &Layer) -> Diagnostic {
    let message = format!(
        "the version of layer `{}` is not in the cache and was not checked",
        layer.name
    );
    let mut finding = Diagnostic::new(&codes::SOURCE_OFFLINE, message)
        .in_layer(layer.name.as_str())
        .at_spot(layer.spot)
        .help("`agpm install` or `agpm layers` fetches it");
    finding.severity = Severity::Note;
    finding
}
