//! The version of its source that a layer is.

use agpm_diag::{Failure, Notes};
use agpm_layers::{LayerPinning, PinChoice, RequiredVersion};
use agpm_model::{Layer, Pin};
use agpm_resolve::source_relocated;
use agpm_source::{Source, resolve};

use crate::source_failure::source_failure;

pub(super) fn pinned_version(
    pinning: &LayerPinning<'_>,
    source: &dyn Source,
    layer: &Layer,
    required: &RequiredVersion<'_>,
    notes: &mut Notes,
) -> Result<Pin, Failure> {
    match pinning.choice(layer, required)? {
        PinChoice::Locked(pin) => Ok(pin),
        PinChoice::Best => best_version(source, layer, required),
        PinChoice::Relocated(version) => {
            notes.diagnostics.push(source_relocated(required.source));
            match version.and_then(|version| resolve(source, &version).ok()?) {
                Some(kept) => Ok(required.pinned(kept)),
                None => best_version(source, layer, required),
            }
        }
    }
}

/// The best version of a source that a layer allows.
pub(crate) fn best_version(
    source: &dyn Source,
    layer: &Layer,
    required: &RequiredVersion<'_>,
) -> Result<Pin, Failure> {
    let failed = |error| source_failure(required.source, error);
    match resolve(source, required.requirement).map_err(failed)? {
        Some(version) => Ok(required.pinned(version)),
        None => {
            let stable = source.versions().map(|versions| versions.stable_tags());
            Err(required.no_version(layer, &stable.unwrap_or_default()))
        }
    }
}
