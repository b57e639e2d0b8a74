//! Which version of its source a layer is: the locked one as long as it fits, else the best that does.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, codes};
use agpm_model::{
    Extent, Layer, LayerPin, LayerPlace, LockedLayer, Lockfile, Manifest, Origin, Requirement,
    ResourcePath, Selector, SourceName, Unit,
};
use agpm_solve::Facts;

use crate::failure::{Failure, Notes};
use crate::install::outdated;
use crate::layers::snapshot::Snapshot;
use crate::packages::{
    Fetcher, Known, Moving, Opened, Sources, plain_sources, relocated_sources, source_relocated,
};
use crate::world::World;

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
    pub(crate) moving: &'a Moving,
    pub(crate) lock: LayerLock,
    /// Sources that have another URL than when they were locked.
    pub(crate) relocated: BTreeSet<&'a SourceName>,
}

impl<'a> Pinning<'a> {
    /// With the pins of a lockfile.
    pub(crate) fn of(manifest: &Manifest, lock: Option<&'a Lockfile>, moving: &'a Moving) -> Self {
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
        let git = |source| matches!(sources.get(source), Some(Opened::Git(_)));
        self.lock != LayerLock::AloneForFolders || !layer.place.source().is_some_and(git)
    }

    /// The version that a layer is.
    pub(super) fn pin(
        &self,
        (world, manifest, sources): (&World, &Manifest, &Sources),
        layer: &Layer,
        (source, selector): (&SourceName, &Selector),
        notes: &mut Notes,
    ) -> Result<LayerPin, Failure> {
        let pin = self.locked(layer).and_then(|locked| locked.pin.as_ref());
        let same = |pin: &&LayerPin| {
            let asked = pin.requirement == selector.as_str() || self.lock == LayerLock::AsItWas;
            pin.source == *source && asked
        };
        let is_relocated = self.relocated.contains(source);
        match (pin.filter(same), self.lock) {
            (Some(pin), LayerLock::Pins)
                if is_relocated && !self.moving.moves_layer(&layer.name) =>
            {
                notes.diagnostics.push(source_relocated(source));
                // The same version, if the source has it where it is now.
                let kept = Requirement::parse(&pin.version).ok().map(Selector::Version);
                let kept = kept.and_then(|kept| {
                    choose(
                        (world, manifest, sources),
                        layer,
                        (source, &kept),
                        &mut Notes::default(),
                    )
                    .ok()
                });
                let requirement = selector.as_str().to_owned();
                match kept {
                    Some(kept) => Ok(LayerPin {
                        requirement,
                        ..kept
                    }),
                    None => choose((world, manifest, sources), layer, (source, selector), notes),
                }
            }
            (Some(pin), LayerLock::Pins) if !self.moving.moves_layer(&layer.name) => {
                Ok(pin.clone())
            }
            (_, LayerLock::Pins) => {
                choose((world, manifest, sources), layer, (source, selector), notes)
            }
            (Some(pin), _) => Ok(pin.clone()),
            (None, _) => Err(other_than_locked(layer)),
        }
    }

    /// Where the lockfile alone counts, every byte has to be as it says.
    pub(super) fn check(&self, snapshot: &Snapshot<'_>) -> Result<(), Failure> {
        let layer = snapshot.layer;
        match (self.lock, self.locked(layer)) {
            (LayerLock::Pins, _) => Ok(()),
            (_, None) if snapshot.locked().is_some() => Err(outdated(format!(
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
        return Err(outdated(format!(
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
        return Err(outdated("the layers have another order".to_owned()));
    }
    let differs = |layer: &&Layer| match &layer.place {
        LayerPlace::Source(source, selector)
            if matches!(sources.get(source), Some(Opened::Git(_))) =>
        {
            let locked = lock.layers.iter().find(|locked| locked.name == layer.name);
            let pin = locked.and_then(|locked| locked.pin.as_ref());
            !pin.is_some_and(|pin| pin.source == *source && pin.requirement == selector.as_str())
        }
        _ => false,
    };
    match manifest.layers.iter().find(differs) {
        Some(layer) => Err(other_than_locked(layer)),
        None => Ok(()),
    }
}

fn other_than_locked(layer: &Layer) -> Failure {
    outdated(format!(
        "{} is not in the lockfile as the manifest has it",
        layer.name.label()
    ))
}

/// The best version of a source that is asked for.
pub(crate) fn choose(
    (world, manifest, sources): (&World, &Manifest, &Sources),
    layer: &Layer,
    (source, selector): (&SourceName, &Selector),
    notes: &mut Notes,
) -> Result<LayerPin, Failure> {
    let fetcher = Fetcher::new(world, sources, manifest);
    let mut known = Known::new(plain_sources(sources), BTreeMap::new());
    let path = ResourcePath::in_source("layer").expect("a good path");
    let unit = Unit {
        origin: Origin::Source(source.clone()),
        path,
        extent: Extent::Folder,
    };
    let candidates = loop {
        match known.allowed(&unit, selector) {
            Ok(candidates) => break candidates,
            Err(need) => fetcher.fulfil(&BTreeSet::from([need]), &mut known, notes)?,
        }
    };
    let version = candidates.first().map(|best| known.version(&unit, *best));
    let Some((label, commit)) = version.and_then(|version| Some((version.label, version.commit?)))
    else {
        return Err(no_version(layer, (source, selector), &known, &unit));
    };
    let (source, requirement) = (source.clone(), selector.as_str().to_owned());
    Ok(LayerPin {
        source,
        requirement,
        version: label,
        commit,
    })
}

fn no_version(
    layer: &Layer,
    (source, selector): (&SourceName, &Selector),
    known: &Known,
    unit: &Unit,
) -> Failure {
    let what = match selector {
        Selector::Branch(branch) => format!("branch `{branch}`"),
        Selector::Rev(rev) => format!("commit `{rev}`"),
        _ => format!("version that fits `{selector}`"),
    };
    let message = format!("layer `{}`: source `{source}` has no {what}", layer.name);
    let newest: Vec<String> = known
        .all(unit)
        .into_iter()
        .take(5)
        .map(|(_, wish)| wish.to_string())
        .collect();
    let help = match newest.is_empty() {
        true => "it has no tags; name a branch with `branch`".to_owned(),
        false => format!("its newest versions are {}", newest.join(", ")),
    };
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_VERSION, message).in_layer(layer.name.as_str());
    diagnostic.at_spot(layer.spot).help(help).into()
}
