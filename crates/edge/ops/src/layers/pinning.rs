//! Which version of its source a layer is: the locked one as long as it fits, else the best that does.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::{
    Layer, LayerPlace, LockedLayer, Lockfile, Manifest, Pin, PinSource, Requirement,
    ResolvedVersion, Selector, SourceName, Tag,
};
use agpm_plan::outdated_lock;
use agpm_resolve::{UpdateScope, relocated_sources, source_relocated};
use agpm_source::{Source, resolve};

use crate::layers::snapshot::Snapshot;
use crate::packages::{Sources, source_failure};

/// What the lockfile is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerLock {
    /// Its pins stay where they fit.
    Pins,
    /// It alone counts, and every byte is checked against it.
    Alone,
    /// The same for folders; sources are not asked.
    AloneForFolders,
    /// It alone counts, whatever the manifest asks for by now.
    AsItWas,
}

/// What the lockfile says of layers, and which of it stays.
pub(crate) struct Pinning<'a> {
    pub(crate) locked: &'a [LockedLayer],
    pub(crate) moving: &'a UpdateScope,
    pub(crate) lock: LayerLock,
    /// Sources that have another URL than when they were locked.
    pub(crate) relocated: BTreeSet<&'a SourceName>,
}

impl<'a> Pinning<'a> {
    /// With the pins of a lockfile.
    pub(crate) fn of(
        manifest: &Manifest,
        lock: Option<&'a Lockfile>,
        moving: &'a UpdateScope,
    ) -> Self {
        let locked = lock.map(|lock| lock.layers.as_slice()).unwrap_or_default();
        let relocated = lock
            .map(|lock| relocated_sources(manifest, lock))
            .unwrap_or_default();
        Pinning {
            locked,
            moving,
            lock: LayerLock::Pins,
            relocated,
        }
    }

    fn locked(&self, layer: &Layer) -> Option<&'a LockedLayer> {
        self.locked.iter().find(|locked| locked.name == layer.name)
    }

    /// Whether a layer is looked at.
    pub(super) fn reads(&self, sources: &Sources, layer: &Layer) -> bool {
        let source = layer.place.source();
        let is_version = source.is_some_and(|name| sources.versioned(name).is_some());
        self.lock != LayerLock::AloneForFolders || !is_version
    }

    /// The version that a layer is.
    pub(super) fn pin(
        &self,
        source: &dyn Source,
        layer: &Layer,
        required: &RequiredVersion<'_>,
        notes: &mut Notes,
    ) -> Result<Pin, Failure> {
        let pin = self.locked(layer).and_then(|locked| locked.pin.as_ref());
        let same = |pin: &&Pin| {
            let asked = pin.requirement.as_deref() == Some(required.requirement.as_str())
                || self.lock == LayerLock::AsItWas;
            pin.source.name() == Some(required.source) && asked
        };
        let moves = self.moving.moves_layer(&layer.name);
        match (pin.filter(same), self.lock) {
            (Some(pin), LayerLock::Pins) if !moves => {
                if !self.relocated.contains(required.source) {
                    return Ok(pin.clone());
                }
                notes.diagnostics.push(source_relocated(required.source));
                // The same version, if the source has it where it is now.
                let kept = Requirement::parse(&pin.version).ok().map(Selector::Version);
                let kept = kept.and_then(|kept| resolve(source, &kept).ok()?);
                match kept {
                    Some(kept) => Ok(required.pinned(kept)),
                    None => choose(source, layer, required),
                }
            }
            (_, LayerLock::Pins) => choose(source, layer, required),
            (Some(pin), _) => Ok(pin.clone()),
            (None, _) => Err(other_than_locked(layer)),
        }
    }

    /// Where the lockfile alone counts, every byte has to be as it says.
    pub(super) fn check(&self, snapshot: &Snapshot<'_>) -> Result<(), Failure> {
        let layer = snapshot.layer;
        match (self.lock, self.locked(layer)) {
            (LayerLock::Pins, _) => Ok(()),
            (_, None) if snapshot.locked().is_some() => Err(outdated_lock(format!(
                "{} is not in the lockfile",
                layer.name.label()
            ))),
            (_, Some(locked)) if locked.checksum != snapshot.checksum => {
                let message = format!(
                    "{}: its files are not those that are locked",
                    layer.name.label()
                );
                let help = "someone changed the layer, its `include` or the lockfile: compare before you trust either";
                let diagnostic =
                    Diagnostic::new(&codes::LOCK_CHECKSUM, message).in_layer(layer.name.as_str());
                Err(diagnostic.at_spot(layer.spot).help(help).into())
            }
            _ => Ok(()),
        }
    }
}

/// Fails where manifest and lockfile differ in their layers.
pub(crate) fn layers_as_locked(
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
) -> Result<(), Failure> {
    let is_asked = |locked: &&LockedLayer| {
        manifest
            .layers
            .iter()
            .any(|layer| layer.name == locked.name)
    };
    if let Some(gone) = lock.layers.iter().find(|locked| !is_asked(locked)) {
        return Err(outdated_lock(format!(
            "nothing asks for {} any more",
            gone.name.label()
        )));
    }
    let order = manifest
        .layers
        .iter()
        .filter(|layer| lock.layers.iter().any(|locked| locked.name == layer.name));
    if !order
        .map(|layer| &layer.name)
        .eq(lock.layers.iter().map(|locked| &locked.name))
    {
        return Err(outdated_lock("the layers have another order".to_owned()));
    }
    let differs = |layer: &&Layer| match &layer.place {
        LayerPlace::Source(source, selector) if sources.versioned(source).is_some() => {
            let locked = lock.layers.iter().find(|locked| locked.name == layer.name);
            let pin = locked.and_then(|locked| locked.pin.as_ref());
            !pin.is_some_and(|pin| {
                pin.source.name() == Some(source)
                    && pin.requirement.as_deref() == Some(selector.as_str())
            })
        }
        _ => false,
    };
    match manifest.layers.iter().find(differs) {
        Some(layer) => Err(other_than_locked(layer)),
        None => Ok(()),
    }
}

fn other_than_locked(layer: &Layer) -> Failure {
    outdated_lock(format!(
        "{} is not in the lockfile as the manifest has it",
        layer.name.label()
    ))
}

/// What a layer requires of its source.
pub(crate) struct RequiredVersion<'a> {
    pub(crate) source: &'a SourceName,
    pub(crate) requirement: &'a Selector,
}

impl RequiredVersion<'_> {
    fn pinned(&self, version: ResolvedVersion) -> Pin {
        Pin {
            source: PinSource::Named(self.source.clone()),
            requirement: Some(self.requirement.as_str().to_owned()),
            version: version.label,
            commit: version.revision,
        }
    }
}

/// The best version of a source that a layer allows.
pub(crate) fn choose(
    source: &dyn Source,
    layer: &Layer,
    required: &RequiredVersion<'_>,
) -> Result<Pin, Failure> {
    let failed = |error| source_failure(required.source, error);
    match resolve(source, required.requirement).map_err(failed)? {
        Some(version) => Ok(required.pinned(version)),
        None => Err(no_version(source, layer, required)),
    }
}

fn no_version(source: &dyn Source, layer: &Layer, required: &RequiredVersion<'_>) -> Failure {
    let what = match required.requirement {
        Selector::Branch(branch) => format!("branch `{branch}`"),
        Selector::Rev(rev) => format!("commit `{rev}`"),
        other => format!("version that fits `{other}`"),
    };
    let message = format!(
        "layer `{}`: source `{}` has no {what}",
        layer.name, required.source
    );
    let stable = source.versions().map(|versions| versions.stable_tags());
    let stable = stable.unwrap_or_default();
    let newest: Vec<&str> = stable.iter().take(5).map(Tag::name).collect();
    let help = match newest.is_empty() {
        true => "it has no tags; name a branch with `branch`".to_owned(),
        false => format!("its newest versions are {}", newest.join(", ")),
    };
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_VERSION, message).in_layer(layer.name.as_str());
    diagnostic.at_spot(layer.spot).help(help).into()
}
