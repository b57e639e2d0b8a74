//! Remotes of the manifest and what the lockfile says of them.

use std::sync::Arc;

use agpm_diag::codes;
use agpm_git::{GitError, Refs, Remote};
use agpm_model::{AskedRemote, CatalogRemote, LockedRemote, Lockfile, Manifest, SourceName};

use crate::catalog::choice::{Choice, Trouble, choose, failure_of, left_out};
use crate::catalog::refresh::{Refreshed, newest, refresh};
use crate::catalog::remotes::plain;
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
    let lock = old
        .map(|lock| with_names_of(manifest, lock))
        .unwrap_or_default();
    if matches!(job.request.lock, LockUse::Locked | LockUse::Frozen) {
        remotes_as_locked(manifest, sources, &lock)?;
    }
    let answers = parallel::map(versioned(manifest, sources), |(asked, remote)| {
        let moves = job.moving.moves_remote(&asked.remote);
        let age = match (pin_of(manifest, &lock, &asked.remote), moves) {
            (Some(pin), false) => return (Ok(pin.clone()), Notes::default()),
            (_, true) => Age::Newest,
            (None, false) => Age::CopyIfNeeded,
        };
        let (shown, mut own) = (asked.remote.to_string(), Notes::default());
        world.progress.source_began(&shown);
        let pin = new_pin((asked, remote), age, &mut own);
        world.progress.source_ended(&shown);
        (pin, own)
    });
    let mut pins = Vec::new();
    for (pin, own) in answers {
        notes.diagnostics.extend(own.diagnostics);
        pins.push(pin?);
    }
    Ok(pins)
}

/// The remotes of the project that have versions: a plain folder is as it is.
fn versioned<'a>(
    manifest: &'a Manifest,
    sources: &'a Sources,
) -> Vec<(&'a AskedRemote, &'a Remote)> {
    let git = |asked: &'a AskedRemote| match sources.remote(&asked.remote)? {
        Opened::Git(remote) => Some((asked, &**remote)),
        Opened::Folder(_) => None,
    };
    manifest.catalog.shared.iter().filter_map(git).collect()
}

/// What a remote is now. Its files are written out too, so that they can be read without a network from now on.
fn new_pin(
    (asked, remote): (&AskedRemote, &Remote),
    age: Age,
    notes: &mut Notes,
) -> Result<LockedRemote, Failure> {
    let fail = |trouble| at(asked, failure_of(&asked.remote, trouble));
    let refreshed = match age {
        Age::Newest => newest(remote, &asked.remote),
        Age::CopyIfNeeded => refresh(remote, &asked.remote),
    };
    let choice = match refreshed {
        Ok(Refreshed { choice, stale, .. }) => {
            notes
                .diagnostics
                .extend(stale.map(|found| found.at_spot(asked.spot)));
            choice
        }
        Err(missing @ Trouble::Git(GitError::NoSuchFolder { .. })) => {
            notes
                .diagnostics
                .extend(left_out(failure_of(&asked.remote, missing), asked.spot));
            choose(remote, asked.remote.reference.as_deref()).map_err(fail)?
        }
        Err(trouble) => return Err(fail(trouble)),
    };
    Ok(LockedRemote::new(
        &asked.remote,
        choice.version,
        choice.commit,
    ))
}

/// How new a pin has to be.
#[derive(Clone, Copy)]
enum Age {
    /// As new as the remote: somebody asked for that.
    Newest,
    /// As new as can be had.
    CopyIfNeeded,
}

/// The pin of a remote, unless its source is somewhere else by now: a commit of one repository says nothing of another.
pub(super) fn pin_of<'l>(
    manifest: &Manifest,
    lock: &'l Lockfile,
    remote: &CatalogRemote,
) -> Option<&'l LockedRemote> {
    let has_moved = |name: &SourceName| {
        let was = lock
            .sources
            .iter()
            .find(|source| source.name == *name)?
            .url
            .as_deref()?;
        Some(manifest.source(name)?.address.to_string() != was)
    };
    let moved = remote.source().and_then(has_moved).unwrap_or_default();
    lock.catalog.iter().find(|pin| !moved && pin.pins(remote))
}

/// The same failure at its place in the manifest: what is not there is an error of the manifest, and no name that was typed.
fn at(asked: &AskedRemote, failure: Failure) -> Failure {
    let Failure {
        mut kind,
        mut diagnostic,
    } = failure;
    if let (FailureKind::NotFound, Some(found)) = (kind, &mut diagnostic) {
        (kind, found.code) = (FailureKind::Errors, &codes::PACKAGE_VERSION);
    }
    Failure {
        kind,
        diagnostic: diagnostic.map(|found| found.at_spot(asked.spot)),
    }
}

/// Fails where manifest and lockfile differ in their remotes.
pub(crate) fn remotes_as_locked(
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
) -> Result<(), Failure> {
    let asked: Vec<CatalogRemote> = versioned(manifest, sources)
        .into_iter()
        .map(|(asked, _)| asked.remote.without_secrets())
        .collect();
    let locked: Vec<&CatalogRemote> = lock.catalog.iter().map(LockedRemote::remote).collect();
    if let Some(gone) = locked.iter().find(|locked| !asked.contains(locked)) {
        return Err(outdated(format!(
            "nothing asks for {} any more",
            gone.label()
        )));
    }
    if let Some(new) = asked.iter().find(|asked| !locked.contains(asked)) {
        return Err(outdated(format!("{} is not in the lockfile", new.label())));
    }
    match asked.iter().eq(locked) {
        true => Ok(()),
        false => Err(outdated(
            "the remotes of the catalog have another order".to_owned(),
        )),
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
pub(crate) fn ask_remotes(
    manifest: &Manifest,
    sources: &Sources,
    notes: &mut Notes,
) -> Option<FailureKind> {
    let mut gravest = None;
    for asked in &manifest.catalog.remotes {
        let looked = match sources.remote(&asked.remote) {
            Some(Opened::Git(remote)) => look_at(remote, &asked.remote),
            Some(Opened::Folder(folder)) => plain(folder, &asked.remote).map(drop),
            None => Ok(()),
        };
        match looked {
            Ok(()) => {}
            Err(missing) if missing.kind == FailureKind::NotFound => {
                notes.diagnostics.extend(left_out(missing, asked.spot));
            }
            Err(failure) => {
                gravest = Some(failure.kind);
                notes.diagnostics.extend(at(asked, failure).diagnostic);
            }
        }
    }
    gravest
}

/// Whether a remote has what is asked of it today.
fn look_at(git: &Remote, remote: &CatalogRemote) -> Result<(), Failure> {
    let looked = match choose(git, remote.reference.as_deref()) {
        // Said of the source already.
        Err(Trouble::Git(_)) if remote.source().is_some() => return Ok(()),
        Ok(Choice { commit, .. }) => match &remote.folder {
            Some(folder) => git.require_folder(&commit, folder).map_err(Trouble::from),
            None => Ok(()),
        },
        Err(trouble) => Err(trouble),
    };
    looked.map_err(|trouble| failure_of(remote, trouble))
}
