//! Chooses the version of a layer.

use agpm_diag::{Failure, Notes};
use agpm_layers::{LayerPinning, PinChoice, RequiredVersion};
use agpm_model::{Layer, Pin};
use agpm_resolve::{ReleaseLimit, source_relocated};
use agpm_source::{Source, resolve};

use crate::project::releases::{BestVersion, best_version};
use crate::project::source_failure::source_failure;

/// A layer of a source that has versions.
pub(crate) struct VersionedLayer<'a> {
    /// The layer as the manifest declares it.
    pub layer: &'a Layer,
    /// The opened source of the layer.
    pub source: &'a dyn Source,
    /// The version that the manifest or the lockfile requires.
    pub required: RequiredVersion<'a>,
    /// The minimum age of a release, if a policy sets one.
    pub limit: Option<ReleaseLimit>,
}

impl VersionedLayer<'_> {
    pub(super) fn pinned_version(
        &self,
        pinning: &LayerPinning<'_>,
        notes: &mut Notes,
    ) -> Result<Pin, Failure> {
        let relocated = match pinning.choice(self.layer, &self.required)? {
            PinChoice::Locked(pin) => return Ok(pin),
            PinChoice::Best => None,
            PinChoice::Relocated(version) => {
                let moved = source_relocated(self.required.source);
                notes.diagnostics.push(moved);
                version.and_then(|version| resolve(self.source, &version).ok()?)
            }
        };
        if let Some(pinned) = relocated {
            return Ok(self.required.pinned(pinned));
        }
        let best = self.best_version()?;
        let label = self.layer.name.label();
        notes.diagnostics.extend(best.note(&label));
        Ok(self.required.pinned(best.version))
    }

    /// Returns the best version of the source that the layer's requirement allows.
    pub(crate) fn best_version(&self) -> Result<BestVersion, Failure> {
        let requirement = self.required.requirement;
        let best = best_version(self.source, requirement, self.limit)
            .map_err(|error| source_failure(self.required.source, error))?;
        best.ok_or_else(|| {
            let stable = self
                .source
                .versions()
                .map(|versions| versions.stable_tags());
            self.required
                .no_version(self.layer, &stable.unwrap_or_default())
        })
    }
}
