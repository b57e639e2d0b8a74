//! Chooses the version of a layer: the locked one as long as it fits, else the best one.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::outdated_lock;
use agpm_model::{
    Layer, LockedLayer, Lockfile, Manifest, Pin, PinSource, Requirement, ResolvedVersion,
    SourceName, VersionLabel, VersionRequirement,
};
use agpm_resolve::{UpdateScope, relocated_sources};

use crate::locking::other_than_locked;
use crate::snapshot::LayerSnapshot;

/// The use of the lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerLock {
    /// Its pins stay where they fit.
    Pins,
    /// It alone applies, and every byte is checked against it.
    Alone,
    /// The same for directories; sources are not asked.
    AloneForFolders,
    /// It alone applies, whatever the manifest requires by now.
    AsItWas,
}

/// The locked layers, and which of them stay.
pub struct LayerPinning<'a> {
    locked: &'a [LockedLayer],
    moving: &'a UpdateScope,
    /// The use of the lockfile.
    pub lock: LayerLock,
    /// Sources that have another URL than when they were locked.
    relocated: BTreeSet<&'a SourceName>,
}

/// The origin of a layer's version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinChoice {
    /// The lockfile.
    Locked(Pin),
    /// The source, which has another URL by now: this version if it has it, or else the best.
    Relocated(Option<Requirement>),
    /// The source: the best that fits.
    Best,
}

impl<'a> LayerPinning<'a> {
    /// With the pins of a lockfile.
    pub fn of(manifest: &Manifest, lock: Option<&'a Lockfile>, moving: &'a UpdateScope) -> Self {
        let locked = lock.map(|lock| lock.layers.as_slice()).unwrap_or_default();
        let relocated = lock.map(|lock| relocated_sources(manifest, lock));
        LayerPinning {
            locked,
            moving,
            lock: LayerLock::Pins,
            relocated: relocated.unwrap_or_default(),
        }
    }

    /// The same with the lockfile for something else than its pins.
    #[must_use]
    pub fn used_as(self, lock: LayerLock) -> Self {
        LayerPinning { lock, ..self }
    }

    fn locked(&self, layer: &Layer) -> Option<&'a LockedLayer> {
        self.locked.iter().find(|locked| locked.name == layer.name)
    }

    /// Chooses the origin of a layer's version.
    pub fn choice(
        &self,
        layer: &Layer,
        required: &RequiredVersion<'_>,
    ) -> Result<PinChoice, Failure> {
        let pin = self.locked(layer).and_then(|locked| locked.pin.as_ref());
        let is_same = |pin: &&Pin| {
            let is_required = pin.requirement.as_deref() == Some(required.requirement.as_str());
            let fits = is_required || self.lock == LayerLock::AsItWas;
            pin.source.name() == Some(required.source) && fits
        };
        let moves = self.moving.moves_layer(&layer.name);
        match (pin.filter(is_same), self.lock) {
            // A pin stays as long as the requirement is the same. Newer versions come with `update` and never with
            // `install`.
            (Some(pin), LayerLock::Pins) if !moves => {
                if !self.relocated.contains(required.source) {
                    return Ok(PinChoice::Locked(pin.clone()));
                }
                // A source that moved to another URL keeps its version, but its commit must be looked up there: the
                // old one may not exist.
                let version = VersionRequirement::parse(pin.version.as_str()).ok();
                Ok(PinChoice::Relocated(version.map(Requirement::Version)))
            }
            (_, LayerLock::Pins) => Ok(PinChoice::Best),
            (Some(pin), _) => Ok(PinChoice::Locked(pin.clone())),
            // With `--frozen` and `--locked` a layer without a pin is an outdated lockfile, not a reason to
            // resolve.
            (None, _) => Err(other_than_locked(layer)),
        }
    }

    /// If the lockfile alone applies, every byte must match it.
    // The checksum covers path, mode and bytes of the files in use, so a changed `include` is noticed like a changed
    // file.
    pub fn check(&self, snapshot: &LayerSnapshot<'_>) -> Result<(), Failure> {
        let layer = snapshot.layer;
        match (self.lock, self.locked(layer)) {
            (LayerLock::Pins, _) => Ok(()),
            (_, None) if snapshot.locked().is_some() => Err(outdated_lock(format!(
                "{} is not in the lockfile",
                layer.name.label()
            ))),
            (_, Some(locked)) if locked.checksum != snapshot.checksum => {
                let message = format!("{}: its files differ from the lockfile", layer.name.label());
                let help = "the layer, its `include` or the lockfile was changed: compare them before you continue";
                let diagnostic =
                    Diagnostic::new(&codes::LOCK_CHECKSUM, message).in_layer(layer.name.as_str());
                Err(diagnostic.at_spot(layer.spot).help(help).into())
            }
            _ => Ok(()),
        }
    }
}

/// A layer's requirement on its source.
pub struct RequiredVersion<'a> {
    /// The source.
    pub source: &'a SourceName,
    /// The range, branch or commit.
    pub requirement: &'a Requirement,
}

impl RequiredVersion<'_> {
    /// The pin of a version that fits.
    pub fn pinned(&self, version: ResolvedVersion) -> Pin {
        Pin {
            source: PinSource::Named(self.source.clone()),
            requirement: Some(self.requirement.as_str().to_owned()),
            version: version.label,
            commit: version.revision,
        }
    }

    /// The refusal of a layer whose source has no version that fits, only these.
    pub fn no_version(&self, layer: &Layer, stable: &[VersionLabel]) -> Failure {
        let version = match self.requirement {
            Requirement::Branch(branch) => format!("branch `{branch}`"),
            Requirement::Rev(rev) => format!("commit `{rev}`"),
            other => format!("version that satisfies `{other}`"),
        };
        let message = format!(
            "layer `{}`: source `{}` has no {version}",
            layer.name, self.source
        );
        let newest: Vec<&str> = stable.iter().take(5).map(VersionLabel::as_str).collect();
        let help = if newest.is_empty() {
            "it has no tags; name a branch with `branch`".to_owned()
        } else {
            format!("its newest versions are {}", newest.join(", "))
        };
        let diagnostic =
            Diagnostic::new(&codes::PACKAGE_VERSION, message).in_layer(layer.name.as_str());
        diagnostic.at_spot(layer.spot).help(help).into()
    }
}
