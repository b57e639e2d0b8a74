//! Pins the remotes of the manifest in the lockfile.

use std::sync::Arc;

use agpm_catalog::{pin_of, refuse_other_remotes};
use agpm_diag::{Failure, FailureKind, Notes, codes};
use agpm_model::with_names_of;
use agpm_model::{
    AskedRemote, CatalogRemote, LockedRemote, Lockfile, Manifest, ResolvedVersion, SourceVersions,
};
use agpm_source::{ReferenceError, Source, SourceError, resolve_reference};

use crate::catalog::failures::{failure_of, left_out};
use crate::catalog::refresh::{RefreshedRemote, newest, refresh};
use crate::catalog::remotes::unversioned_directory;
use crate::project::packages::{ProjectSources, is_versioned};
use crate::project::pinning::PinningContext;
use agpm_model::LockUse;
use agpm_store::parallel;

impl PinningContext<'_> {
    /// Returns the pins of remotes for the new lockfile: existing pins that match are kept, the others are resolved.
    pub(crate) fn pin_remotes(
        &self,
        lock: Option<&Lockfile>,
        notes: &mut Notes,
    ) -> Result<Vec<LockedRemote>, Failure> {
        let (manifest, sources) = (self.manifest, self.sources);
        let locked = lock.map(|lock| lock.catalog.as_slice());
        if manifest.catalog.shared.is_empty() && locked.unwrap_or_default().is_empty() {
            return Ok(Vec::new());
        }
        let lock = lock
            .map(|lock| with_names_of(manifest, lock))
            .unwrap_or_default();
        if matches!(self.lock_use, LockUse::Locked | LockUse::Frozen) {
            remotes_as_locked(manifest, sources, &lock)?;
        }
        let answers = parallel::map_waiting(versioned(manifest, sources), |(required, source)| {
            let moves = self.moving.moves_remote(&required.remote);
            let age = match pin_of(manifest, &lock, &required.remote) {
                _ if moves => PinFreshness::Newest,
                Some(pin) => return (Ok(pin.clone()), Notes::default()),
                None => PinFreshness::CopyIfNeeded,
            };
            let mut own = Notes::default();
            let pin = new_pin(required, source, age, &mut own);
            (pin, own)
        });
        let mut pins = Vec::new();
        for (pin, own) in answers {
            notes.diagnostics.extend(own.diagnostics);
            pins.push(pin?);
        }
        Ok(pins)
    }
}

/// Returns the remotes of the project that have versions; a plain directory has none.
fn versioned<'a>(
    manifest: &'a Manifest,
    sources: &'a ProjectSources,
) -> Vec<(&'a AskedRemote, &'a dyn Source)> {
    let versioned = |required: &'a AskedRemote| {
        let source = sources.source_of_remote(&required.remote)?;
        is_versioned(source).then_some((required, source))
    };
    let shared = manifest.catalog.shared.iter();
    shared.filter_map(versioned).collect()
}

/// Resolves a remote to its current version. Its files are checked out into the cache, so later commands read them
/// without a network.
fn new_pin(
    required: &AskedRemote,
    source: &dyn Source,
    age: PinFreshness,
    notes: &mut Notes,
) -> Result<LockedRemote, Failure> {
    let fail = |error| at(required, failure_of(&required.remote, error));
    let refreshed = match age {
        PinFreshness::Newest => newest(source, &required.remote),
        PinFreshness::CopyIfNeeded => refresh(source, &required.remote),
    };
    let version = match refreshed {
        Ok(RefreshedRemote { version, stale, .. }) => {
            notes
                .diagnostics
                .extend(stale.map(|found| found.at_spot(required.spot)));
            version
        }
        Err(missing @ ReferenceError::Source(SourceError::NoSuchDirectory { .. })) => {
            notes.diagnostics.extend(left_out(
                failure_of(&required.remote, missing),
                required.spot,
            ));
            resolve_reference(source, required.remote.reference.as_deref()).map_err(fail)?
        }
        Err(error) => return Err(fail(error)),
    };
    Ok(LockedRemote::new(&required.remote, version))
}

/// How current a new pin must be.
#[derive(Clone, Copy)]
enum PinFreshness {
    /// The current version of the remote, because the user runs `update`.
    Newest,
    /// The cached version if the remote is unreachable.
    CopyIfNeeded,
}

/// Moves a failure to the position of the remote in the manifest. A missing reference is then an error in the manifest,
/// not an unknown name on the command line.
fn at(required: &AskedRemote, failure: Failure) -> Failure {
    let Failure {
        mut kind,
        mut diagnostic,
    } = failure;
    if let (FailureKind::NotFound, Some(found)) = (kind, &mut diagnostic) {
        (kind, found.code) = (FailureKind::Errors, &codes::PACKAGE_VERSION);
    }
    Failure {
        kind,
        diagnostic: diagnostic.map(|found| found.at_spot(required.spot)),
    }
}

/// Fails if the remotes of manifest and lockfile differ.
pub(crate) fn remotes_as_locked(
    manifest: &Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
) -> Result<(), Failure> {
    let versioned = versioned(manifest, sources).into_iter();
    let required = versioned.map(|(required, _)| required.remote.without_secrets());
    refuse_other_remotes(&required.collect::<Vec<_>>(), lock)
}

/// Returns the newest version of a locked remote and all its versions; `None` if the manifest no longer has the remote.
pub(crate) fn remote_today(
    manifest: &Manifest,
    sources: &ProjectSources,
    pin: &LockedRemote,
) -> Result<Option<(ResolvedVersion, Arc<SourceVersions>)>, Failure> {
    let all = versioned(manifest, sources);
    let Some((required, source)) = all
        .into_iter()
        .find(|(required, _)| pin.pins(&required.remote))
    else {
        return Ok(None);
    };
    let fail = |error: ReferenceError| at(required, failure_of(&required.remote, error));
    let versions = source.versions().map_err(|error| fail(error.into()))?;
    let version = resolve_reference(source, required.remote.reference.as_deref()).map_err(fail)?;
    Ok(Some((version, versions)))
}

/// Contacts every remote in use and reports failures. A remote that fails does not stop the others. Unreachable named
/// sources are not reported here, because the check of the sources does that.
pub(crate) fn ask_remotes(
    manifest: &Manifest,
    sources: &ProjectSources,
    notes: &mut Notes,
) -> Option<FailureKind> {
    let mut gravest = None;
    for required in &manifest.catalog.remotes {
        let checked = match sources.source_of_remote(&required.remote) {
            Some(source) if is_versioned(source) => look_at(source, &required.remote),
            Some(source) => unversioned_directory(source, &required.remote).map(drop),
            None => Ok(()),
        };
        match checked {
            Ok(()) => {}
            Err(missing) if missing.kind == FailureKind::NotFound => {
                notes.diagnostics.extend(left_out(missing, required.spot));
            }
            Err(failure) => {
                gravest = Some(failure.kind);
                notes.diagnostics.extend(at(required, failure).diagnostic);
            }
        }
    }
    gravest
}

/// Checks that the branch, tag or commit and the directory of a remote exist.
fn look_at(source: &dyn Source, remote: &CatalogRemote) -> Result<(), Failure> {
    let version = match resolve_reference(source, remote.reference.as_deref()) {
        // The check of the source already reported this.
        Err(ReferenceError::Source(_)) if remote.source().is_some() => return Ok(()),
        version => version.map_err(|error| failure_of(remote, error))?,
    };
    let Some(directory) = &remote.directory else {
        return Ok(());
    };
    let required = source.require_directory(Some(&version.revision), directory);
    required.map_err(|error| failure_of(remote, error))
}
