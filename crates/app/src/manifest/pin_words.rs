//! The meaning of arguments among everything that is pinned.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agpm_diag::{Failure, command_line, did_you_mean, nearest, unknown_name};
use agpm_model::{
    BaseName, CatalogRemote, LayerName, LockEntry, Lockfile, Manifest, PinId, VersionRequirement,
};
use agpm_resolve::{LockView, WrittenId, ambiguous, means};

use crate::manifest::usage;

/// The pins that arguments may mean.
pub struct PinWords<'p> {
    working: &'p Path,
    manifest: &'p Manifest,
    pins: BTreeSet<PinId>,
    view: LockView,
}

impl<'p> PinWords<'p> {
    /// Collects the names of a manifest and its lockfile; typed paths start in the working directory.
    pub fn new(working: &'p Path, manifest: &'p Manifest, root: PathBuf, lock: Lockfile) -> Self {
        PinWords {
            working,
            manifest,
            pins: known_pins(manifest, &lock),
            view: LockView::of(lock, manifest, root),
        }
    }

    /// The pins that an argument means: one by its id, its name or the path of its file, or all of a source.
    pub fn find(&self, word: &str) -> Result<Vec<PinId>, Failure> {
        let resource = |at: &usize| PinId::Resource(self.view.entries[*at].id());
        let at_path = self.view.at_path(self.working, word);
        if !at_path.is_empty() {
            return Ok(at_path.iter().map(resource).collect());
        }
        let of_source = self.of_source(word);
        match (find(word, &self.pins), of_source.is_empty()) {
            (Ok(one), true) => Ok(vec![one]),
            // A part moves with its plugin.
            (Err(failure), true) => match self.plugin_with(word) {
                Some(plugin) => Ok(vec![plugin]),
                None => Err(self.with_version(word).unwrap_or(failure)),
            },
            (Err(_), false) => Ok(of_source),
            (Ok(one), false) => {
                let meanings = [format!("`{}`", one), format!("the source `{word}`")];
                Err(ambiguous(word, &meanings))
            }
        }
    }

    /// The same for `NAME@VERSION`, with the version.
    pub fn find_with_requirement(
        &self,
        word: &str,
    ) -> Result<(Vec<PinId>, Option<VersionRequirement>), Failure> {
        let failure = match self.find(word) {
            Ok(pins) => return Ok((pins, None)),
            Err(failure) => failure,
        };
        let Some((name, version)) = word.split_once('@').filter(|(name, _)| !name.is_empty())
        else {
            return Err(failure);
        };
        let pins = self.find(name)?;
        let requirement = VersionRequirement::parse(version).map_err(|error| {
            let help =
                format!("write a version, a range, a tag, a branch or a commit after `{name}@`");
            usage(error.to_string(), help)
        })?;
        Ok((pins, Some(requirement)))
    }

    /// The failure of `NAME@VERSION` where a version has no meaning.
    fn with_version(&self, word: &str) -> Option<Failure> {
        let (name, _) = word.rsplit_once('@')?;
        let PinId::Resource(id) = find(name, &self.pins).ok()? else {
            return None;
        };
        self.manifest.dependency(id.kind, id.name.as_str())?;
        let message = format!("`{word}` names a version, which only `agpm update` accepts");
        let command = command_line(["agpm", "update", word]);
        Some(usage(message, format!("run `{command}` to change it")))
    }

    /// The plugin with a part of that name.
    fn plugin_with(&self, word: &str) -> Option<PinId> {
        let has_part = |entry: &&LockEntry| {
            let mut parts = entry.parts.iter();
            parts.any(|part| means(word, part.kind, part.name.as_str()))
        };
        let plugin = self.view.entries.iter().find(has_part)?;
        Some(PinId::Resource(plugin.id()))
    }

    /// Everything that a source of this name gives.
    fn of_source(&self, word: &str) -> Vec<PinId> {
        let Some(source) = self
            .manifest
            .sources
            .iter()
            .find(|source| source.name.as_str() == word)
        else {
            return Vec::new();
        };
        let entries = self
            .view
            .entries
            .iter()
            .filter(|one| one.unit.origin.source() == Some(&source.name));
        let entries = entries.map(|one| PinId::Resource(one.id()));
        let layers = self
            .manifest
            .layers
            .iter()
            .filter(|layer| layer.location.source() == Some(&source.name));
        entries
            .chain(layers.map(|layer| PinId::Layer(layer.name.clone())))
            .collect()
    }
}

/// Every name that something can be called by.
fn known_pins(manifest: &Manifest, lock: &Lockfile) -> BTreeSet<PinId> {
    let roots = manifest
        .dependencies
        .iter()
        .map(|one| PinId::Resource(one.id()));
    let locked = lock.entries.iter().map(|entry| PinId::Resource(entry.id()));
    let layers = manifest
        .layers
        .iter()
        .map(|layer| PinId::Layer(layer.name.clone()));
    let remotes = manifest
        .catalog
        .shared
        .iter()
        .map(|asked| PinId::Remote(asked.remote.without_secrets()));
    let bases = lock.bases.iter().filter(|base| base.pin.is_some());
    let bases = bases.map(|base| PinId::Base(base.name()));
    let roots = roots.chain(locked).chain(layers);
    roots.chain(remotes).chain(bases).collect()
}

/// The pin that an argument means: a name, or `TYPE/NAME`; of a remote, its text in the manifest.
fn find(word: &str, pins: &BTreeSet<PinId>) -> Result<PinId, Failure> {
    let fits = |named: &&PinId| match named {
        PinId::Resource(id) => means(word, id.kind, id.name.as_str()),
        PinId::Layer(name) => LayerName::in_label(word).unwrap_or(word) == name.as_str(),
        PinId::Base(name) => BaseName::in_label(word).unwrap_or(word) == name.to_string(),
        PinId::Remote(remote) => {
            CatalogRemote::in_label(word).unwrap_or(word) == remote.to_string()
        }
    };
    let found: Vec<_> = pins.iter().filter(fits).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(unknown_name("resource", word, near_label(word, pins))),
        several => {
            let all: Vec<String> = several.iter().map(|named| format!("`{}`", named)).collect();
            Err(ambiguous(word, &all))
        }
    }
}

/// The nearest id, or all of them.
fn near_label(word: &str, pins: &BTreeSet<PinId>) -> Option<String> {
    let own = WrittenId::parse(word).map(|id| id.name);
    let name = own
        .or_else(|| CatalogRemote::in_label(word))
        .or_else(|| LayerName::in_label(word))
        .or_else(|| BaseName::in_label(word));
    let name = name.unwrap_or(word);
    let names: BTreeMap<String, &PinId> = pins.iter().map(|named| (named.name(), named)).collect();
    if let Some(near) = nearest(name, names.keys().map(String::as_str)) {
        return names
            .get(near)
            .map(|named| format!("did you mean `{}`?", named));
    }
    let labels: BTreeSet<String> = pins.iter().map(ToString::to_string).collect();
    did_you_mean(
        word,
        "resources and layers are",
        labels.iter().map(String::as_str),
    )
}
