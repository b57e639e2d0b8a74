//! Remotes as layers of the catalog: each a folder, in the cache or where it is.

use std::collections::BTreeSet;
use std::path::PathBuf;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, Spot, codes, did_you_mean};
use agpm_model::{CatalogRemote, LockedRemote, Lockfile, Manifest, ObjectId, RelativePath};
use agpm_resolve::with_names_of;
use agpm_source::{ReferenceError, Source};
use agpm_store::{self as store, parallel};

use crate::additions::usage;
use crate::catalog::failures::{failure_of, left_out};
use crate::catalog::pins::pin_of;
use crate::catalog::refresh::refresh;
use crate::gather::{Project, unknown_name};
use crate::packages::{Sources, is_versioned, read_lock};
use crate::scope::state_of;
use crate::world::World;

/// A remote that contributes to the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteLayer {
    /// The remote as users know it, without secrets.
    pub(crate) shown: String,
    /// Holds the roots of the catalog.
    pub(crate) folder: PathBuf,
    /// Nothing for a folder without versions.
    pub(crate) commit: Option<ObjectId>,
}

/// The remotes that were typed.
pub(crate) fn remotes_as_told(
    manifest: &Manifest,
    texts: &[String],
) -> Result<Vec<CatalogRemote>, Failure> {
    texts
        .iter()
        .map(|text| remote_as_told(manifest, text))
        .collect()
}

fn remote_as_told(manifest: &Manifest, text: &str) -> Result<CatalogRemote, Failure> {
    let remote = CatalogRemote::parse(text).map_err(|error| {
        let mut failure = usage(format!("`--remote`: {error}"), error.help().to_owned());
        if error.escapes() {
            failure.kind = FailureKind::Refused;
        }
        failure
    })?;
    match remote
        .source()
        .filter(|name| manifest.source(name).is_none())
    {
        None => Ok(remote),
        Some(name) => {
            let names = manifest.sources.iter().map(|source| source.name.as_str());
            let near = did_you_mean(name.as_str(), "sources are", names);
            let other = || {
                "name a source of the manifest, or write an address as `git+https://…`".to_owned()
            };
            Err(unknown_name(
                "source",
                name.as_str(),
                near.or_else(|| Some(other())),
            ))
        }
    }
}

/// A remote that is to be a layer.
struct Wanted<'a> {
    remote: &'a CatalogRemote,
    asked: Asked,
    pin: Option<&'a LockedRemote>,
}

/// Who asks for a remote.
#[derive(Clone, Copy)]
enum Asked {
    /// Somebody who waits for it.
    CommandLine,
    /// The manifest, here.
    Manifest(Spot),
}

/// Every remote as a folder, highest first: those of the command line, then those of the manifest. One that cannot be had
/// fails the command that names it; the manifest's are told and left out.
pub(crate) fn remote_layers(
    world: &World,
    project: &Project,
    command_line: &[CatalogRemote],
    notes: &mut Notes,
) -> Result<Vec<RemoteLayer>, Failure> {
    let lock = locked(world, project, notes)?;
    let wanted = wanted(&project.manifest, command_line, &lock);
    let sources = sources_of(world, project, &wanted);
    let answers = parallel::map(wanted, |wanted| {
        let shown = wanted.remote.to_string();
        world.progress.source_began(&shown);
        let reached = reach(&sources, &wanted);
        world.progress.source_ended(&shown);
        (wanted.asked, reached)
    });
    let mut layers = Vec::new();
    for (asked, reached) in answers {
        match (reached, asked) {
            (Ok((layer, stale)), _) => {
                notes.diagnostics.extend(stale);
                layers.push(layer);
            }
            (Err(failure), Asked::Manifest(spot)) if failure.kind != FailureKind::Refused => {
                notes.diagnostics.extend(left_out(failure, spot));
            }
            (Err(failure), _) => return Err(failure),
        }
    }
    Ok(layers)
}

/// The manifest's remotes as far as they are on this machine: nothing is asked, and nothing is made.
pub(crate) fn kept_layers(
    world: &World,
    project: &Project,
    notes: &mut Notes,
) -> Result<Vec<RemoteLayer>, Failure> {
    let lock = locked(world, project, notes)?;
    let wanted = wanted(&project.manifest, &[], &lock);
    let sources = sources_of(world, project, &wanted);
    let mut layers = Vec::new();
    for wanted in &wanted {
        match kept(&sources, wanted) {
            Some(layer) => layers.push(layer),
            None => notes.diagnostics.push(never_fetched(wanted)),
        }
    }
    Ok(layers)
}

fn never_fetched(wanted: &Wanted<'_>) -> Diagnostic {
    let message = format!(
        "remote `{}` is not in the cache, and not looked at",
        wanted.remote
    );
    let told = Diagnostic::new(&codes::CATALOG_REMOTE, message).help("`agpm catalog` fetches it");
    let told = Diagnostic {
        severity: Severity::Note,
        ..told
    };
    match wanted.asked {
        Asked::Manifest(spot) => told.at_spot(spot),
        Asked::CommandLine => told,
    }
}

fn kept(sources: &Sources, wanted: &Wanted<'_>) -> Option<RemoteLayer> {
    let (remote, inner) = (wanted.remote, wanted.remote.folder.as_ref());
    let source = sources.remote(remote)?;
    let (folder, commit) = match wanted.pin {
        _ if !is_versioned(source) => (plain(source, remote).ok()?, None),
        Some(pin) => (
            source.kept_directory(Some(&pin.pin().commit), inner)?,
            Some(pin.pin().commit.clone()),
        ),
        None => {
            let (commit, folder) = source.last_directory(remote.reference.as_deref(), inner)?;
            (folder, Some(commit))
        }
    };
    Some(RemoteLayer {
        shown: remote.to_string(),
        folder,
        commit,
    })
}

fn sources_of(world: &World, project: &Project, wanted: &[Wanted<'_>]) -> Sources {
    let root = project.root.as_deref().unwrap_or(&world.environment.folder);
    let remotes = wanted.iter().map(|wanted| wanted.remote);
    Sources::open_remotes(world, &project.manifest, root, remotes)
}

/// What the lockfile of a project says; without one, nothing.
fn locked(world: &World, project: &Project, notes: &mut Notes) -> Result<Lockfile, Failure> {
    let Some(root) = project
        .root
        .as_deref()
        .filter(|_| !project.manifest.catalog.shared.is_empty())
    else {
        return Ok(Lockfile::default());
    };
    let store = store::ProjectStore::open_at(root, state_of(world.environment.scope))?;
    let lock = read_lock(&world.environment, &store, notes)?;
    Ok(lock
        .map(|(lock, _)| with_names_of(&project.manifest, &lock))
        .unwrap_or_default())
}

/// Each remote once, at its highest place; a source by its name and by its address is one.
fn wanted<'a>(
    manifest: &'a Manifest,
    command_line: &'a [CatalogRemote],
    lock: &'a Lockfile,
) -> Vec<Wanted<'a>> {
    let told = command_line.iter().map(|remote| Wanted {
        remote,
        asked: Asked::CommandLine,
        pin: None,
    });
    let asked = manifest.catalog.remotes.iter().map(|asked| {
        let pin = pin_of(manifest, lock, &asked.remote)
            .filter(|_| manifest.catalog.is_shared(&asked.remote));
        Wanted {
            remote: &asked.remote,
            asked: Asked::Manifest(asked.spot),
            pin,
        }
    });
    let mut seen = BTreeSet::new();
    told.chain(asked)
        .filter(|wanted| seen.insert(identity(manifest, wanted.remote)))
        .collect()
}

fn identity(
    manifest: &Manifest,
    remote: &CatalogRemote,
) -> (String, Option<String>, Option<RelativePath>) {
    let source = remote.source().and_then(|name| manifest.source(name));
    let address = source.map(|source| &source.address).or(remote.address());
    let address = address.map(ToString::to_string).unwrap_or_default();
    (address, remote.reference.clone(), remote.folder.clone())
}

/// A layer, with what is to be said if it may be older than it could be.
type Reached = (RemoteLayer, Option<Diagnostic>);

fn reach(sources: &Sources, wanted: &Wanted<'_>) -> Result<Reached, Failure> {
    let remote = wanted.remote;
    let layer = |folder, commit| RemoteLayer {
        shown: remote.to_string(),
        folder,
        commit,
    };
    let Some(source) = sources.remote(remote) else {
        return Err(unknown_name("source", &remote.to_string(), None));
    };
    match wanted.pin {
        _ if !is_versioned(source) => Ok((layer(plain(source, remote)?, None), None)),
        Some(pin) => {
            let folder = source.directory(Some(&pin.pin().commit), remote.folder.as_ref());
            let folder = folder.map_err(|error| failure_of(remote, error))?;
            Ok((layer(folder, Some(pin.pin().commit.clone())), None))
        }
        None => {
            let refreshed = refresh(source, remote).map_err(|error| failure_of(remote, error))?;
            let revision = refreshed.version.revision;
            Ok((layer(refreshed.folder, Some(revision)), refreshed.stale))
        }
    }
}

/// A folder without versions, or a folder in it that no link leads out of.
pub(super) fn plain(source: &dyn Source, remote: &CatalogRemote) -> Result<PathBuf, Failure> {
    if remote.reference.is_some() {
        return Err(failure_of(remote, ReferenceError::NotFound(Vec::new())));
    }
    let directory = source.directory(None, remote.folder.as_ref());
    directory.map_err(|error| failure_of(remote, error))
}
