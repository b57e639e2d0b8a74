//! Makes remotes available as layers of the catalog: each is a directory, in the cache or on this machine.

use std::path::PathBuf;

use agpm_catalog::{NamedBy, WantedRemote, wanted_remotes};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, unknown_name};
use agpm_model::with_names_of;
use agpm_model::{CatalogRemote, Lockfile, Revision};
use agpm_source::{ReferenceError, Source};
use agpm_store::{self as store, parallel};

use crate::catalog::failures::{failure_of, left_out};
use crate::catalog::refresh::refresh;
use crate::project::gather::Project;
use crate::project::packages::{ProjectSources, is_versioned, read_lock};
use crate::project::scope::state_of;
use crate::project::world::World;

/// A remote that contributes to the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RemoteLayer {
    /// The remote without secrets, as shown to the user.
    pub label: String,
    /// The directory that contains the catalog roots.
    pub directory: PathBuf,
    /// The commit; `None` for a directory without versions.
    pub commit: Option<Revision>,
}

/// Returns every remote as a directory, highest rank first: remotes of the command line, then of the manifest. An
/// unavailable remote of the command line is a failure; one of the manifest is reported and left out.
pub(super) fn remote_layers(
    world: &World,
    project: &Project,
    command_line: &[CatalogRemote],
    notes: &mut Notes,
) -> Result<Vec<RemoteLayer>, Failure> {
    let lock = locked(world, project, notes)?;
    let wanted = wanted_remotes(&project.manifest, command_line, &lock);
    let sources = sources_of(world, project, &wanted);
    let answers = parallel::map_waiting(wanted, |wanted| {
        let reached = read_remote_layer(&sources, &wanted);
        (wanted.named_by, reached)
    });
    let mut layers = Vec::new();
    for (named_by, reached) in answers {
        match (reached, named_by) {
            (Ok((layer, stale)), _) => {
                notes.diagnostics.extend(stale);
                layers.push(layer);
            }
            (Err(failure), NamedBy::Manifest(spot)) if failure.kind != FailureKind::Refused => {
                notes.diagnostics.extend(left_out(failure, spot));
            }
            (Err(failure), _) => return Err(failure),
        }
    }
    Ok(layers)
}

/// Returns the manifest's remotes that are already on this machine. It contacts nothing and creates nothing.
pub(super) fn cached_layers(
    world: &World,
    project: &Project,
    notes: &mut Notes,
) -> Result<Vec<RemoteLayer>, Failure> {
    let lock = locked(world, project, notes)?;
    let wanted = wanted_remotes(&project.manifest, &[], &lock);
    let sources = sources_of(world, project, &wanted);
    let mut layers = Vec::new();
    for wanted in &wanted {
        match cached_layer(&sources, wanted) {
            Some(layer) => layers.push(layer),
            None => notes.diagnostics.push(wanted.not_cached()),
        }
    }
    Ok(layers)
}

fn cached_layer(sources: &ProjectSources, wanted: &WantedRemote<'_>) -> Option<RemoteLayer> {
    let (remote, inner) = (wanted.remote, wanted.remote.directory.as_ref());
    let source = sources.source_of_remote(remote)?;
    let (directory, commit) = match wanted.pin {
        _ if !is_versioned(source) => (unversioned_directory(source, remote).ok()?, None),
        Some(pin) => (
            source.cached_directory(Some(&pin.pin().commit), inner)?,
            Some(pin.pin().commit.clone()),
        ),
        None => {
            let (commit, directory) = source.last_directory(remote.reference.as_deref(), inner)?;
            (directory, Some(commit))
        }
    };
    Some(RemoteLayer {
        label: remote.to_string(),
        directory,
        commit,
    })
}

fn sources_of(world: &World, project: &Project, wanted: &[WantedRemote<'_>]) -> ProjectSources {
    let root = project
        .root
        .as_deref()
        .unwrap_or(&world.environment.working_directory);
    let remotes = wanted.iter().map(|wanted| wanted.remote);
    ProjectSources::open_remotes(world, &project.manifest, root, remotes)
}

/// Reads the lockfile of a project; without one, returns an empty lockfile.
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

/// A layer, with a warning if it may be older than its remote.
type Reached = (RemoteLayer, Option<Diagnostic>);

fn read_remote_layer(
    sources: &ProjectSources,
    wanted: &WantedRemote<'_>,
) -> Result<Reached, Failure> {
    let remote = wanted.remote;
    let layer = |directory, commit| RemoteLayer {
        label: remote.to_string(),
        directory,
        commit,
    };
    let Some(source) = sources.source_of_remote(remote) else {
        return Err(unknown_name("source", &remote.to_string(), None));
    };
    match wanted.pin {
        _ if !is_versioned(source) => {
            Ok((layer(unversioned_directory(source, remote)?, None), None))
        }
        Some(pin) => {
            let directory = source.directory(Some(&pin.pin().commit), remote.directory.as_ref());
            let directory = directory.map_err(|error| failure_of(remote, error))?;
            Ok((layer(directory, Some(pin.pin().commit.clone())), None))
        }
        None => {
            let refreshed = refresh(source, remote).map_err(|error| failure_of(remote, error))?;
            let revision = refreshed.version.revision;
            Ok((layer(refreshed.directory, Some(revision)), refreshed.stale))
        }
    }
}

/// Returns the directory of a source without versions, or a directory in it that no symlink leads out of.
pub(super) fn unversioned_directory(
    source: &dyn Source,
    remote: &CatalogRemote,
) -> Result<PathBuf, Failure> {
    if remote.reference.is_some() {
        return Err(failure_of(remote, ReferenceError::NotFound(Vec::new())));
    }
    let directory = source.directory(None, remote.directory.as_ref());
    directory.map_err(|error| failure_of(remote, error))
}
