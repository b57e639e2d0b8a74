//! From a manifest to a tree of files.

use std::collections::BTreeMap;

use agpm_model::{Checksum, FileMode, Revision, SKILL_FILE};
use agpm_store::parallel;

use super::cache::BlobCache;
use super::client::LARGEST_MANIFEST;
use super::content::ContentStore;
use super::dialect::{
    AgentFiles, COLLECTION, Dialect, DialectContent, PLUGIN_MANIFESTS, SKILL_NAME, SKILL_REFERENCE,
    dialect_of, dialect_of_manifest, is_archive,
};
use super::library::{LibraryConfig, LibraryLayer};
use super::manifest::{Descriptor, Index, Manifest, ManifestDocument, TITLE, UNPACK};
use crate::archive::{ArchiveEntry, ArchiveEntryKind, list_archive, stays_inside};
use crate::limits::{MOST_LAYER_BYTES, MOST_SKILL_FILES};
use crate::tree::{ContentFile, ContentPlace, ContentTree};
use crate::{SourceEntryKind, SourceError};

/// Manifests under one tag: platforms, or the skills of a collection.
const MOST_MANIFESTS: usize = 1000;
const MOST_LAYERS: usize = 20_000;
/// A configuration lists every file of a library.
const LARGEST_CONFIG: u64 = 64 << 20;

/// Whether missing content is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentUse {
    /// Only the copies in the cache.
    Cached,
    /// Missing content is fetched.
    Fetched,
}

/// The files of a revision, and what else its manifest says.
#[derive(Debug, Default)]
pub(crate) struct Artifact {
    pub(crate) tree: ContentTree,
    /// The layers by digest, to fetch them when a file in them is needed.
    pub(crate) layers: BTreeMap<Revision, Descriptor>,
    pub(crate) created: Option<String>,
    /// The beginnings of files by the checksum of the whole file, where the configuration has them.
    pub(crate) heads: BTreeMap<Revision, String>,
}

/// Reads artifacts of one repository.
pub(crate) struct ArtifactReader<'a> {
    pub(crate) store: &'a dyn ContentStore,
    pub(crate) cache: &'a BlobCache,
    pub(crate) mode: ContentUse,
}

impl ArtifactReader<'_> {
    /// Returns the artifact with a digest; `None` if a part of it is missing and may not be fetched.
    pub(crate) fn read(&self, digest: &Revision) -> Result<Option<Artifact>, SourceError> {
        let Some(document) = self.document(digest)? else {
            return Ok(None);
        };
        let created = document
            .annotations()
            .get(super::manifest::CREATED)
            .cloned();
        let found = match document {
            ManifestDocument::Manifest(manifest) => self.of_manifest(&manifest)?,
            ManifestDocument::Index(index) => self.of_index(&index)?,
        };
        Ok(found.map(|artifact| Artifact {
            created: created.or(artifact.created),
            ..artifact
        }))
    }

    fn document(&self, digest: &Revision) -> Result<Option<ManifestDocument>, SourceError> {
        let bytes = match self.cache.read(digest, LARGEST_MANIFEST) {
            Some(bytes) => bytes,
            None if self.mode == ContentUse::Cached => return Ok(None),
            None => {
                let bytes = self.store.manifest(digest)?;
                self.cache.write(digest, &bytes)?;
                bytes
            }
        };
        let document = ManifestDocument::parse(&bytes).map_err(|error| {
            self.invalid(&format!("the manifest {digest} is not valid: {error}"))
        })?;
        Ok(Some(document))
    }

    fn invalid(&self, reason: &str) -> SourceError {
        SourceError::Invalid(format!("`{}`: {reason}", self.store.label()))
    }

    /// The first manifest of a known kind, or all skills of a collection.
    fn of_index(&self, index: &Index) -> Result<Option<Artifact>, SourceError> {
        if index.manifests.len() > MOST_MANIFESTS {
            return Err(self.invalid("its index has too many manifests"));
        }
        if index.artifact_type.as_deref() == Some(COLLECTION) {
            return self.of_collection(index);
        }
        // An attestation of a build is next to the image, for a platform that does not exist.
        let is_image = |one: &&Descriptor| {
            let platform = one.platform.as_ref();
            platform.is_none_or(|platform| platform.os != "unknown")
        };
        for descriptor in index.manifests.iter().filter(is_image) {
            let known = descriptor.artifact_type.as_deref().map(dialect_of);
            if matches!(known, Some(None)) {
                continue;
            }
            let Some(digest) = descriptor.revision() else {
                continue;
            };
            match self.document(&digest)? {
                None => return Ok(None),
                Some(ManifestDocument::Manifest(manifest))
                    if !dialect_of_manifest(&manifest).types.is_empty() =>
                {
                    return self.of_manifest(&manifest);
                }
                Some(_) => {}
            }
        }
        let kind = index.artifact_type.as_deref().unwrap_or("none");
        Err(self.invalid(&format!(
            "its index (artifact type {kind}) has no manifest of a known artifact type"
        )))
    }

    /// The skills of a collection, each in a directory with its name. An entry is a reference to another repository, or
    /// to this one.
    fn of_collection(&self, index: &Index) -> Result<Option<Artifact>, SourceError> {
        let mut all = Artifact::default();
        for entry in &index.manifests {
            let digest = entry
                .revision()
                .ok_or_else(|| self.invalid("an entry of the collection has no digest"))?;
            let sibling = match entry.annotations.get(SKILL_REFERENCE) {
                Some(reference) => Some(self.store.sibling(reference).ok_or_else(|| {
                    let shown = crate::http::printable(reference);
                    self.invalid(&format!("the collection refers to `{shown}` in another registry; add that repository itself"))
                })?),
                None => None,
            };
            let reader = ArtifactReader {
                store: sibling.as_deref().unwrap_or(self.store),
                cache: self.cache,
                mode: self.mode,
            };
            let Some(skill) = reader.read(&digest)? else {
                return Ok(None);
            };
            // Its layers are in the other repository, which is not asked again later.
            for (layer, descriptor) in &skill.layers {
                if !self.cache.has(layer) {
                    reader.fetch_blob(layer, descriptor)?;
                }
            }
            let name = entry.annotations.get(SKILL_NAME);
            let name = name.filter(|name| {
                agpm_model::RelativePath::new(name).is_ok_and(|path| !path.as_str().contains('/'))
            });
            let name =
                name.ok_or_else(|| self.invalid("an entry of the collection has no name"))?;
            all.tree.extend(skill.tree.in_directory(name));
            all.layers.extend(skill.layers);
        }
        Ok(Some(all))
    }

    fn of_manifest(&self, manifest: &Manifest) -> Result<Option<Artifact>, SourceError> {
        let dialect = dialect_of_manifest(manifest);
        if manifest.layers.len() > MOST_LAYERS {
            return Err(self.invalid("its manifest has too many layers"));
        }
        let mut layers = Vec::new();
        for layer in &manifest.layers {
            let digest = layer.revision().ok_or_else(|| {
                let shown = crate::http::printable(&layer.digest);
                self.invalid(&format!("`{shown}` is not a digest that agpm can check"))
            })?;
            if !self.accepts(dialect, layer) {
                return Err(self.invalid(&format!(
                    "its artifact type {} has layers that are not archives ({})",
                    crate::http::printable(manifest.artifact()),
                    crate::http::printable(&layer.media_type),
                )));
            }
            if layer.size > MOST_LAYER_BYTES {
                return Err(SourceError::Hostile(format!(
                    "`{}`: a layer of {} bytes is too large",
                    self.store.label(),
                    layer.size
                )));
            }
            layers.push((digest, layer));
        }
        if dialect.content == DialectContent::Library {
            return self.of_library(manifest, &layers);
        }
        self.of_layers(dialect, &layers)
    }

    fn accepts(&self, dialect: &Dialect, layer: &Descriptor) -> bool {
        if dialect.content == DialectContent::TitledFiles && layer.annotations.contains_key(TITLE) {
            return true;
        }
        if dialect.layers.is_empty() {
            is_archive(&layer.media_type)
        } else {
            dialect.layers.contains(&layer.media_type.as_str())
        }
    }

    /// The files that the configuration lists: no layer is needed.
    fn of_library(
        &self,
        manifest: &Manifest,
        layers: &[(Revision, &Descriptor)],
    ) -> Result<Option<Artifact>, SourceError> {
        let digest = manifest
            .config
            .revision()
            .ok_or_else(|| self.invalid("its configuration has no digest"))?;
        if manifest.config.size > LARGEST_CONFIG {
            return Err(self.invalid("its configuration is too large"));
        }
        let bytes = match self.cache.read(&digest, LARGEST_CONFIG) {
            Some(bytes) => bytes,
            None if self.mode == ContentUse::Cached => return Ok(None),
            None => {
                self.fetch_blob(&digest, &manifest.config)?;
                self.cache
                    .read(&digest, LARGEST_CONFIG)
                    .ok_or_else(|| self.invalid("its configuration is too large"))?
            }
        };
        let config: LibraryConfig = serde_json::from_slice(&bytes)
            .map_err(|error| self.invalid(&format!("its configuration is not valid: {error}")))?;
        let known: BTreeMap<Revision, Descriptor> = layers
            .iter()
            .map(|(digest, layer)| (digest.clone(), (*layer).clone()))
            .collect();
        let mut artifact = Artifact::default();
        for layer in config.layers() {
            self.add_listed(layer, &known, &mut artifact.tree)?;
        }
        for (sha256, head) in config.heads() {
            if let Ok(id) = format!("sha256:{sha256}").parse() {
                artifact.heads.insert(id, head.to_owned());
            }
        }
        artifact.layers = known;
        Ok(Some(artifact))
    }

    fn add_listed(
        &self,
        layer: &LibraryLayer,
        known: &BTreeMap<Revision, Descriptor>,
        tree: &mut ContentTree,
    ) -> Result<(), SourceError> {
        let archive: Option<Revision> = layer.layer.parse().ok();
        let archive = archive.filter(|archive| known.contains_key(archive));
        let archive = archive
            .ok_or_else(|| self.invalid("its configuration names a layer that it does not have"))?;
        for file in &layer.files {
            let path = agpm_model::RelativePath::new(&file.path).map_err(|_| {
                let shown = crate::http::printable(&file.path);
                SourceError::Hostile(format!(
                    "`{}`: it lists the path `{shown}`, which leads out of it",
                    self.store.label()
                ))
            })?;
            let path = path.as_str().to_owned();
            if let Some(target) = &file.target {
                self.add_symlink(path, target, tree)?;
                continue;
            }
            let id = format!("sha256:{}", file.sha256).parse();
            let id = id.map_err(|_| self.invalid("its configuration has an invalid checksum"))?;
            let mode = if file.mode == "0755" {
                FileMode::Executable
            } else {
                FileMode::Plain
            };
            let content = ContentFile {
                kind: SourceEntryKind::File(mode),
                id,
                size: file.size,
                place: ContentPlace::Archived {
                    archive: archive.clone(),
                    path: path.clone(),
                },
            };
            tree.insert(path, content);
        }
        Ok(())
    }

    fn add_symlink(
        &self,
        path: String,
        target: &str,
        tree: &mut ContentTree,
    ) -> Result<(), SourceError> {
        if !stays_inside(&path, target) {
            return Err(SourceError::Hostile(format!(
                "`{}`: its symlink `{}` leads out of it",
                self.store.label(),
                crate::http::printable(&path)
            )));
        }
        tree.insert(path, ContentFile::symlink(target));
        Ok(())
    }

    /// The layers one over the other.
    fn of_layers(
        &self,
        dialect: &Dialect,
        layers: &[(Revision, &Descriptor)],
    ) -> Result<Option<Artifact>, SourceError> {
        let missing = |(digest, _): &&(Revision, &Descriptor)| !self.cache.has(digest);
        let missing: Vec<_> = layers.iter().filter(missing).collect();
        if !missing.is_empty() {
            if self.mode == ContentUse::Cached {
                return Ok(None);
            }
            let fetched =
                parallel::map_waiting(missing, |(digest, layer)| self.fetch_blob(digest, layer));
            fetched.into_iter().collect::<Result<Vec<()>, _>>()?;
        }
        let mut entries: BTreeMap<String, ListedEntry> = BTreeMap::new();
        for (digest, layer) in layers {
            self.apply_layer(dialect, digest, layer, &mut entries)?;
        }
        let chosen = match dialect.content {
            DialectContent::FileSystem => {
                Some(AgentFiles::of(tops_of(&entries).into_iter(), &|path| {
                    entries.contains_key(path)
                }))
            }
            _ => None,
        };
        let mut tree = ContentTree::default();
        for (path, listed) in entries {
            if chosen.as_ref().is_none_or(|chosen| chosen.read(&path)) {
                self.add_entry(path, listed, &mut tree)?;
            }
        }
        let tree = tree.without_wrapper(|tree, start| {
            let mut marks = PLUGIN_MANIFESTS.iter().chain([&SKILL_FILE]);
            marks.any(|mark| tree.get(&format!("{start}{mark}")).is_some())
        });
        let layers = layers.iter();
        Ok(Some(Artifact {
            tree,
            layers: layers
                .map(|(digest, layer)| (digest.clone(), (*layer).clone()))
                .collect(),
            ..Artifact::default()
        }))
    }

    fn apply_layer(
        &self,
        dialect: &Dialect,
        digest: &Revision,
        layer: &Descriptor,
        entries: &mut BTreeMap<String, ListedEntry>,
    ) -> Result<(), SourceError> {
        let title = layer.annotations.get(TITLE);
        let title = title.filter(|_| dialect.content == DialectContent::TitledFiles);
        let is_packed = layer
            .annotations
            .get(UNPACK)
            .is_some_and(|text| text == "true");
        let listed = match (title, is_packed) {
            (Some(title), false) => {
                // A file with the type of an archive may be one, or a file that `oras` gave its default type.
                let list = is_archive(&layer.media_type).then(|| self.list(digest));
                match list {
                    Some(Ok(list)) if !list.is_empty() => list,
                    Some(Err(error @ SourceError::Hostile(_))) => return Err(error),
                    _ => {
                        let path = agpm_model::RelativePath::new(title).map_err(|_| {
                            let shown = crate::http::printable(title);
                            SourceError::Hostile(format!(
                                "`{}`: its file `{shown}` leads out of it",
                                self.store.label()
                            ))
                        })?;
                        let file = ListedEntry::Blob(digest.clone(), layer.size);
                        entries.insert(path.as_str().to_owned(), file);
                        return Ok(());
                    }
                }
            }
            _ => self.list(digest)?,
        };
        if dialect.content == DialectContent::FileSystem {
            remove_whiteouts(&listed, entries);
        }
        for entry in listed {
            let name = entry.path.rsplit('/').next().unwrap_or_default();
            if dialect.content == DialectContent::FileSystem && name.starts_with(WHITEOUT) {
                continue;
            }
            let listed = match &entry.kind {
                ArchiveEntryKind::Directory => {
                    // It replaces a file, and keeps what is in it.
                    entries.remove(&entry.path);
                    continue;
                }
                ArchiveEntryKind::Hardlink { target } => match entries.get(target) {
                    Some(found) => found.clone(),
                    None => continue,
                },
                kind => ListedEntry::Archived {
                    archive: digest.clone(),
                    path: entry.path.clone(),
                    kind: kind.clone(),
                },
            };
            entries.insert(entry.path, listed);
        }
        Ok(())
    }

    /// Lists a layer, which is in the cache.
    fn list(&self, digest: &Revision) -> Result<Vec<ArchiveEntry>, SourceError> {
        if let Some(list) = self.cache.remembered_list(digest) {
            return Ok(list);
        }
        let what = format!("`{}`: the layer {digest}", self.store.label());
        let list = list_archive(self.cache.open(digest)?);
        let list = list.map_err(|error| error.of_source(&what))?;
        self.cache.remember_list(digest, &list)?;
        Ok(list)
    }

    fn add_entry(
        &self,
        path: String,
        listed: ListedEntry,
        tree: &mut ContentTree,
    ) -> Result<(), SourceError> {
        match listed {
            ListedEntry::Blob(digest, size) => tree.insert(
                path,
                ContentFile {
                    kind: SourceEntryKind::File(FileMode::Plain),
                    id: digest.clone(),
                    size,
                    place: ContentPlace::Blob(digest),
                },
            ),
            ListedEntry::Archived {
                kind: ArchiveEntryKind::File { mode, size, digest },
                archive,
                path: inner,
            } => tree.insert(
                path,
                ContentFile {
                    kind: SourceEntryKind::File(mode.into()),
                    id: digest.into(),
                    size,
                    place: ContentPlace::Archived {
                        archive,
                        path: inner,
                    },
                },
            ),
            ListedEntry::Archived {
                kind: ArchiveEntryKind::Symlink { target },
                ..
            } => self.add_symlink(path, &target, tree)?,
            ListedEntry::Archived { .. } => {
                return Err(SourceError::Hostile(format!(
                    "`{}`: `{}` is a device or a pipe",
                    self.store.label(),
                    crate::http::printable(&path)
                )));
            }
        }
        Ok(())
    }

    /// Fetches content into the cache.
    pub(crate) fn fetch_blob(
        &self,
        digest: &Revision,
        blob: &Descriptor,
    ) -> Result<(), SourceError> {
        let label = self.store.label();
        self.store.blob(blob, &mut |stream| {
            self.cache.fill(blob, digest, label, stream)
        })
    }
}

/// An entry of the layers applied so far.
#[derive(Clone, Debug)]
enum ListedEntry {
    Archived {
        archive: Revision,
        path: String,
        kind: ArchiveEntryKind,
    },
    /// A blob that is the file, with its size.
    Blob(Revision, u64),
}

/// The prefix of names that remove what layers before have, and the name that removes all of a directory.
const WHITEOUT: &str = ".wh.";
const OPAQUE: &str = ".wh..wh..opq";

fn remove_whiteouts(listed: &[ArchiveEntry], entries: &mut BTreeMap<String, ListedEntry>) {
    for entry in listed {
        let (directory, name) = match entry.path.rsplit_once('/') {
            Some((directory, name)) => (format!("{directory}/"), name),
            None => (String::new(), entry.path.as_str()),
        };
        if name == OPAQUE {
            entries.retain(|path, _| !path.starts_with(&directory));
        } else if let Some(removed) = name.strip_prefix(WHITEOUT) {
            let removed = format!("{directory}{removed}");
            let inside = format!("{removed}/");
            entries.retain(|path, _| *path != removed && !path.starts_with(&inside));
        }
    }
}

fn tops_of(entries: &BTreeMap<String, ListedEntry>) -> Vec<String> {
    let mut tops: Vec<String> = entries
        .keys()
        .filter_map(|path| Some(path.split_once('/')?.0.to_owned()))
        .collect();
    tops.dedup();
    tops.truncate(MOST_SKILL_FILES);
    tops
}

/// Returns the seconds since 1970 of `2026-11-19T10:00:00Z`; other offsets are unknown.
pub(crate) fn seconds_of(text: &str) -> Option<u64> {
    let (date, time) = text.split_once(['T', 't'])?;
    let time = time.strip_suffix(['Z', 'z'])?;
    let mut date = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let time = time.split('.').next()?;
    let mut time = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    // Days since 1970 in the proleptic Gregorian calendar; years start in March, so a leap day is the last day.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    let days = era * 146_097 + of_era - 719_468;
    u64::try_from(days * 86_400 + hour * 3600 + minute * 60 + second).ok()
}

/// Returns the checksum as the id of content.
pub(crate) fn id_of(bytes: &[u8]) -> Revision {
    Checksum::of(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2024-02-29T12:30:01.5Z", Some(1_709_209_801)),
            ("2026-11-19T10:00:00Z", Some(1_795_082_400)),
            ("2026-11-19", None),
            ("x", None),
        ] {
            assert_eq!(seconds_of(text), seconds, "{text}");
        }
    }
}
