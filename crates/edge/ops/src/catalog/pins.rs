//! Remotes of the manifest and what the lockfile says of them.

use std::sync::Arc;

use agpm_diag::codes;
use agpm_git::{GitError, Refs, Remote};
use agpm_model::{AskedRemote, CatalogRemote, LockedRemote, Lockfile, Manifest};

use crate::catalog::choice::{Choice, Trouble, choose, failure_of, left_out};
use crate::failure::{Failure, FailureKind, Notes};
use crate::install::{Job, LockUse, outdated};
use crate::packages::{Opened, Sources, with_names_of};
use crate::parallel;
use crate::world::World;

/// The pins that the lockfile is to have: those that fit stay, the rest is asked for.
pub(crate) fn remotes_to_lock(
    world: &World,
    (manifest, sources): (&Manifest, &Sources),
    (job, old): (&Job<'_>, Option<&Lockfile>),
    notes: &mut Notes,
) -> Result<Vec<LockedRemote>, Failure> {
    if manifest.catalog.shared.is_empty() && old.is_none_or(|lock| lock.catalog.is_empty()) {
        return Ok(Vec::new());
    }
    let lock = old.map(|lock| with_names_of(manifest, lock)).unwrap_or_default();
    if matches!(job.request.lock, LockUse::Locked | LockUse::Frozen) {
        remotes_as_locked(manifest, sources, &lock)?;
    }
    let kept = |asked: &AskedRemote| {
        let pin = lock.catalog.iter().find(|pin| pin.pins(&asked.remote));
        pin.filter(|_| !job.moving.moves_remote(&asked.remote))
    };
    let answers = parallel::map(versioned(manifest, sources), |(asked, remote)| match kept(asked) {
        Some(pin) => (Ok(pin.clone()), Notes::default()),
        None => {
            let (shown, mut own) = (asked.remote.to_string(), Notes::default());
            world.progress.source_began(&shown);
            let pin = new_pin(asked, remote, &mut own);
            world.progress.source_ended(&shown);
            (pin, own)
        }
    });
    let mut pins = Vec::new();
    for (pin, own) in answers {
        notes.diagnostics.extend(own.diagnostics);
        pins.push(pin?);
    }
    Ok(pins)
}

/// The remotes of the project that have versions: a plain folder is as it is.
fn versioned<'a>(manifest: &'a Manifest, sources: &'a Sources) -> Vec<(&'a AskedRemote, &'a Remote)> {
    let git = |asked: &'a AskedRemote| match sources.remote(&asked.remote)? {
        Opened::Git(remote) => Some((asked, &**remote)),
        Opened::Folder(_) => None,
    };
    manifest.catalog.shared.iter().filter_map(git).collect()
}

/// What a remote is now. Its files are written out too, so that they can be read without a network from now on.
fn new_pin(asked: &AskedRemote, remote: &Remote, notes: &mut Notes) -> Result<LockedRemote, Failure> {
    let (reference, folder) = (asked.remote.reference.as_deref(), asked.remote.folder.as_ref());
    let fail = |trouble| at(asked, failure_of(&asked.remote, trouble));
    let choice = choose(remote, reference).map_err(fail)?;
    match remote.checkout(&choice.commit, folder) {
        Ok(_) => {
            let kept = remote.remember_checkout(reference, folder, &choice.commit);
            kept.map_err(|error| fail(error.into()))?;
        }
        Err(error @ GitError::NoSuchFolder { .. }) => {
            notes.diagnostics.extend(left_out(failure_of(&asked.remote, error.into()), asked.spot));
        }
        Err(error) => return Err(fail(error.into())),
    }
    Ok(LockedRemote::new(&asked.remote, choice.version, choice.commit))
}

/// The same failure at its place in the manifest: what is not there is an error of the manifest, and no name that was typed.
fn at(asked: &AskedRemote, failure: Failure) -> Failure {
    let Failure { mut kind, mut diagnostic } = failure;
    if let (FailureKind::NotFound, Some(found)) = (kind, &mut diagnostic) {
        (kind, found.code) = (FailureKind::Errors, &codes::PACKAGE_VERSION);
    }
    Failure { kind, diagnostic: diagnostic.map(|found| found.at_spot(asked.spot)) }
}

/// Fails where manifest and lockfile differ in their remotes.
pub(crate) fn remotes_as_locked(
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
) -> Result<(), Failure> {
    let asked: Vec<CatalogRemote> =
        versioned(manifest, sources).into_iter().map(|(asked, _)| asked.remote.without_secrets()).collect();
    let locked: Vec<&CatalogRemote> = lock.catalog.iter().map(LockedRemote::remote).collect();
    if let Some(gone) = locked.iter().find(|locked| !asked.contains(locked)) {
        return Err(outdated(format!("nothing asks for {} any more", gone.label())));
    }
    if let Some(new) = asked.iter().find(|asked| !locked.contains(asked)) {
        return Err(outdated(format!("{} is not in the lockfile", new.label())));
    }
    match asked.iter().eq(locked) {
        true => Ok(()),
        false => Err(outdated("the remotes of the catalog have another order".to_owned())),
    }
}

/// What a locked remote would be today, and all that it has; nothing if the manifest does not ask for it any more.
pub(crate) fn remote_today(
    manifest: &Manifest,
    sources: &Sources,
    pin: &LockedRemote,
) -> Result<Option<(Choice, Arc<Refs>)>, Failure> {
    let all = versioned(manifest, sources);
    let Some((asked, remote)) = all.into_iter().find(|(asked, _)| pin.pins(&asked.remote)) else {
        return Ok(None);
    };
    let fail = |trouble| at(asked, failure_of(&asked.remote, trouble));
    let refs = remote.refs().map_err(|error| fail(error.into()))?;
    let choice = choose(remote, asked.remote.reference.as_deref()).map_err(fail)?;
    Ok(Some((choice, refs)))
}

/// Asks every remote in use; one that fails does not keep the others from being asked. Sources are asked by their names.
pub(crate) fn ask_remotes(manifest: &Manifest, sources: &Sources, notes: &mut Notes) -> Option<FailureKind> {
    let mut gravest = None;
    for asked in &manifest.catalog.remotes {
        let Some(Opened::Git(remote)) = sources.remote(&asked.remote) else { continue };
        let named = asked.remote.source().is_some();
        match choose(remote, asked.remote.reference.as_deref()) {
            Ok(_) => {}
            Err(missing @ Trouble::NoReference(_)) => {
                notes.diagnostics.extend(left_out(failure_of(&asked.remote, missing), asked.spot));
            }
            Err(_) if named => {}
            Err(trouble) => {
                let failure = at(asked, failure_of(&asked.remote, trouble));
                notes.diagnostics.extend(failure.diagnostic);
                gravest = Some(failure.kind);
            }
        }
    }
    gravest
}
