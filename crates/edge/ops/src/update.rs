//! `update`: move pins within their requirements, and only those that are named.

use std::collections::BTreeSet;

use agpm_diag::did_you_mean;
use agpm_model::{CatalogRemote, LayerName, Lockfile, Manifest};

use crate::failure::{Failure, Notes, Outcome};
use crate::gather::{ManifestFiles, Project, unknown_name};
use crate::install::{self, InstallReport, InstallRequest, Job};
use crate::locked::{ambiguous, means};
use crate::packages::{Moving, Named, read_lock};
use crate::world::World;

/// What to update.
#[derive(Clone, Debug)]
pub struct UpdateRequest {
    /// Names, or `TYPE/NAME`; all if there are none.
    pub names: Vec<String>,
    /// How.
    pub install: InstallRequest,
}

/// Updates a project.
pub fn update(world: &World, request: &UpdateRequest) -> Outcome<InstallReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &UpdateRequest, notes: &mut Notes) -> Result<InstallReport, Failure> {
    let moving = if request.names.is_empty() { Moving::Everything } else { named(world, request)? };
    let title = format!("update {}", request.names.join(" ")).trim_end().to_owned();
    install::run(world, &Job { title, request: request.install, moving, manifest: None }, notes)
}

fn named(world: &World, request: &UpdateRequest) -> Result<Moving, Failure> {
    let mut quiet = Notes::default();
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let lock = read_lock(&world.environment, &store, &mut quiet)?.map(|(lock, _)| lock).unwrap_or_default();
    let project = Project::of(&world.environment, files, &mut quiet)?;
    let known = known(&project.manifest, &lock);
    Ok(Moving::Only(request.names.iter().map(|name| find(name, &known)).collect::<Result<_, _>>()?))
}

/// Every name that something can be called by.
pub(crate) fn known(manifest: &Manifest, lock: &Lockfile) -> BTreeSet<Named> {
    let roots = manifest.dependencies.iter().map(|one| Named::Resource(one.kind, one.name.clone()));
    let locked = lock.entries.iter().map(|entry| Named::Resource(entry.kind, entry.name.clone()));
    let layers = manifest.layers.iter().map(|layer| Named::Layer(layer.name.clone()));
    let remotes = manifest.catalog.shared.iter().map(|asked| Named::Remote(asked.remote.without_secrets()));
    roots.chain(locked).chain(layers).chain(remotes).collect()
}

/// The one that a word means: a name, or `TYPE/NAME`; of a remote, what is written in the manifest.
pub(crate) fn find(word: &str, known: &BTreeSet<Named>) -> Result<Named, Failure> {
    let fits = |named: &&Named| match named {
        Named::Resource(kind, name) => means(word, *kind, name.as_str()),
        Named::Layer(name) => LayerName::in_label(word).unwrap_or(word) == name.as_str(),
        Named::Remote(remote) => CatalogRemote::in_label(word).unwrap_or(word) == remote.to_string(),
    };
    let found: Vec<_> = known.iter().filter(fits).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let names: Vec<String> = known.iter().map(Named::name).collect();
            let remote = CatalogRemote::in_label(word);
            let name = remote.or_else(|| word.rsplit('/').next()).unwrap_or(word);
            let near = did_you_mean(name, "there are", names.iter().map(String::as_str));
            Err(unknown_name("resource", word, near))
        }
        several => {
            let all: Vec<String> = several.iter().map(|named| format!("`{}`", named.label())).collect();
            Err(ambiguous(word, &all))
        }
    }
}
