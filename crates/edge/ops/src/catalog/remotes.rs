//! Remotes as layers of the catalog: each a folder, in the cache or where it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Severity, Spot, codes, did_you_mean};
use agpm_model::{CatalogRemote, LockedRemote, Lockfile, Manifest, ObjectId, RelativePath};
use agpm_store as store;

use crate::catalog::choice::{Trouble, failure_of, left_out};
use crate::catalog::pins::pin_of;
use crate::catalog::refresh::{Refreshed, refresh};
use crate::change::usage;
use crate::failure::{Failure, FailureKind, Notes};
use crate::gather::{Project, unknown_name};
use crate::packages::{Opened, Sources, read_lock, with_names_of};
use crate::parallel;
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
    let (folder, commit) = match (sources.remote(remote)?, wanted.pin) {
        (Opened::Folder(folder), _) => (plain(folder, remote).ok()?, None),
        (Opened::Git(git), Some(pin)) => (
            git.kept_checkout(&pin.commit, inner)?,
            Some(pin.commit.clone()),
        ),
        (Opened::Git(git), None) => {
            let (commit, folder) = git.last_checkout(remote.reference.as_deref(), inner)?;
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
    Sources::open_remotes(&world.environment, &project.manifest, root, remotes)
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
    match (sources.remote(remote), wanted.pin) {
        (Some(Opened::Folder(folder)), _) => Ok((layer(plain(folder, remote)?, None), None)),
        (Some(Opened::Git(git)), Some(pin)) => {
            let folder = git.checkout(&pin.commit, remote.folder.as_ref());
            let folder = folder.map_err(|error| failure_of(remote, error.into()))?;
            Ok((layer(folder, Some(pin.commit.clone())), None))
        }
        (Some(Opened::Git(git)), None) => {
            let refreshed = refresh(git, remote).map_err(|trouble| failure_of(remote, trouble))?;
            let Refreshed {
                choice,
                folder,
                stale,
            } = refreshed;
            Ok((layer(folder, Some(choice.commit)), stale))
        }
        (None, _) => Err(unknown_name("source", &remote.to_string(), None)),
    }
}

/// A folder without versions, or a folder in it that no link leads out of.
pub(super) fn plain(place: &Path, remote: &CatalogRemote) -> Result<PathBuf, Failure> {
    if remote.reference.is_some() {
        return Err(failure_of(remote, Trouble::NoReference(Vec::new())));
    }
    let Some(inner) = &remote.folder else {
        return Ok(place.to_owned());
    };
    let folder = place.join(inner.as_str());
    if !store::is_folder(&folder) {
        let above = folder.parent().unwrap_or(place);
        let beside = store::names_in(above)
            .into_iter()
            .filter(|name| store::is_folder(&above.join(name)));
        let beside: Vec<String> = beside.collect();
        let message = format!("remote `{remote}`: there is no folder `{inner}`");
        let mut found = Diagnostic::new(&codes::NAME_UNKNOWN, message);
        let near = did_you_mean(
            inner.file_name(),
            "there are these folders",
            beside.iter().map(String::as_str),
        );
        found.help = near.or_else(|| Some("name a folder below that of the source".to_owned()));
        return Err(Failure::new(FailureKind::NotFound, found));
    }
    if !store::real_path(&folder).starts_with(store::real_path(place)) {
        let message = format!("remote `{remote}`: a link leads out of the folder of the source");
        let found = Diagnostic::new(&codes::USAGE, message);
        let help = "name a folder that is really in it";
        return Err(Failure::new(FailureKind::Refused, found.help(help)));
    }
    Ok(folder)
}
