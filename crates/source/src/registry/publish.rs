//! Sends artifacts to a registry, or writes them into an image layout.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use agpm_model::{Revision, SourceAddress};
use agpm_store::parallel;

use super::client::{ClientSettings, LARGEST_MANIFEST, RegistryClient};
use super::content::ContentStore;
use super::layout::LayoutStore;
use super::library::LibraryConfig;
use super::manifest::{Descriptor, Index, Manifest, ManifestDocument, REFERENCE};
use super::pack::{ContentIdentity, PackedArtifact, PackedBlob};
use super::versions::tag_of;
use crate::SourceError;

const LONGEST_TAG: usize = 128;
const LARGEST_LAYOUT_FILE: u64 = 1 << 30;

/// What happens to a version that exists with other content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwriting {
    /// It stays, and publishing fails.
    Refused,
    /// It is replaced.
    Allowed,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishOutcome {
    /// The version is new, or replaced.
    Published {
        /// How many layers and configurations were sent.
        sent: usize,
        /// How many bytes these have.
        sent_bytes: u64,
        /// How many existed already.
        present: usize,
    },
    /// The version exists with the same content, under this digest.
    Unchanged(Revision),
    /// The version exists with other content, under this digest.
    Differs(Revision),
}

/// Where artifacts are published.
#[derive(Debug)]
pub struct ArtifactTarget {
    form: TargetForm,
}

#[derive(Debug)]
enum TargetForm {
    Registry(Box<RegistryClient>),
    Layout(PathBuf),
}

impl ArtifactTarget {
    /// A repository of a registry, which is not contacted yet; `None` for any other URL.
    pub(crate) fn registry(address: &SourceAddress, settings: ClientSettings) -> Option<Self> {
        let client = RegistryClient::open(address, settings)?;
        Some(ArtifactTarget {
            form: TargetForm::Registry(Box::new(client)),
        })
    }

    /// An image layout: a directory, or a tar archive if the name ends so.
    pub fn layout(path: PathBuf) -> Self {
        ArtifactTarget {
            form: TargetForm::Layout(path),
        }
    }

    /// The state of a version, without changing anything.
    pub fn compare(
        &self,
        version: &str,
        artifact: &PackedArtifact,
    ) -> Result<Option<PublishOutcome>, SourceError> {
        let tag = tag_of(version);
        match &self.form {
            TargetForm::Registry(client) => {
                let Some(found) = client.find_manifest(&tag)? else {
                    return Ok(None);
                };
                if found.digest == artifact.digest {
                    return Ok(Some(PublishOutcome::Unchanged(found.digest)));
                }
                let identity = identity_of(&**client, &found.bytes)?;
                Ok(Some(compared(found.digest, identity.as_ref(), artifact)))
            }
            TargetForm::Layout(path) => {
                if !agpm_store::exists(path) || !super::layout::is_layout(path) {
                    return Ok(None);
                }
                let layout = LayoutStore::open(path.clone());
                if !layout.tags()?.contains(&tag) {
                    return Ok(None);
                }
                let digest = layout.digest_of(&tag)?;
                if digest == artifact.digest {
                    return Ok(Some(PublishOutcome::Unchanged(digest)));
                }
                let identity = identity_of(&layout, &layout.manifest(&digest)?)?;
                Ok(Some(compared(digest, identity.as_ref(), artifact)))
            }
        }
    }

    /// Publishes a version. Content comes first and the manifest last, so a version is complete or does not exist.
    pub fn publish(
        &self,
        version: &str,
        artifact: &PackedArtifact,
        overwriting: Overwriting,
    ) -> Result<PublishOutcome, SourceError> {
        match self.compare(version, artifact)? {
            Some(outcome @ PublishOutcome::Differs(_)) if overwriting == Overwriting::Refused => {
                return Ok(outcome);
            }
            Some(outcome @ PublishOutcome::Unchanged(_)) => return Ok(outcome),
            _ => {}
        }
        let tag = tag_of(version);
        match &self.form {
            TargetForm::Registry(client) => push(client, &tag, artifact),
            TargetForm::Layout(path) => write_layout(path, &tag, artifact),
        }
    }
}

/// Returns whether a registry accepts a tag for a version.
pub fn is_valid_tag(version: &str) -> bool {
    let tag = tag_of(version);
    let is_first = |c: char| c.is_ascii_alphanumeric() || c == '_';
    tag.starts_with(is_first)
        && tag.len() <= LONGEST_TAG
        && tag.chars().all(|c| is_first(c) || ".-".contains(c))
}

fn compared(
    digest: Revision,
    identity: Option<&ContentIdentity>,
    artifact: &PackedArtifact,
) -> PublishOutcome {
    if identity == Some(&artifact.content) {
        PublishOutcome::Unchanged(digest)
    } else {
        PublishOutcome::Differs(digest)
    }
}

/// The identity of published content; `None` for an artifact of another kind.
fn identity_of(
    store: &dyn ContentStore,
    manifest: &[u8],
) -> Result<Option<ContentIdentity>, SourceError> {
    let Ok(ManifestDocument::Manifest(manifest)) = ManifestDocument::parse(manifest) else {
        return Ok(None);
    };
    let resources = if manifest.artifact() == super::dialect::LIBRARY {
        let bytes = read_blob(store, &manifest.config)?;
        match serde_json::from_slice::<LibraryConfig>(&bytes) {
            Ok(config) => config.resources,
            Err(_) => return Ok(None),
        }
    } else {
        Vec::new()
    };
    Ok(Some(ContentIdentity {
        layers: layer_digests(&manifest),
        resources,
    }))
}

fn layer_digests(manifest: &Manifest) -> Vec<String> {
    let layers = manifest.layers.iter();
    layers.map(|layer| layer.digest.clone()).collect()
}

fn read_blob(store: &dyn ContentStore, blob: &Descriptor) -> Result<Vec<u8>, SourceError> {
    let mut bytes = Vec::new();
    store.blob(blob, &mut |stream| {
        stream
            .take(blob.size + 1)
            .read_to_end(&mut bytes)
            .map(drop)
            .map_err(|error| SourceError::Unreachable(error.to_string()))
    })?;
    Ok(bytes)
}

fn push(
    client: &RegistryClient,
    tag: &str,
    artifact: &PackedArtifact,
) -> Result<PublishOutcome, SourceError> {
    // The first request obtains the token that the others share.
    let (first, rest) = match artifact.blobs.split_first() {
        Some((first, rest)) => (Some(first), rest),
        None => (None, &[][..]),
    };
    let push_one = |blob: &PackedBlob| {
        let sent = client.push_blob(&blob.bytes)?;
        Ok((sent, blob.bytes.len() as u64))
    };
    let mut pushed: Vec<Result<(bool, u64), SourceError>> =
        first.map(push_one).into_iter().collect();
    if pushed.iter().all(Result::is_ok) {
        pushed.extend(parallel::map_waiting(rest.iter().collect(), push_one));
    }
    let (mut sent, mut sent_bytes, mut present) = (0, 0, 0);
    for one in pushed {
        match one? {
            (true, bytes) => {
                sent += 1;
                sent_bytes += bytes;
            }
            (false, _) => present += 1,
        }
    }
    client.push_manifest(tag, artifact.media_type, &artifact.manifest)?;
    Ok(PublishOutcome::Published {
        sent,
        sent_bytes,
        present,
    })
}

/// The files of a layout by path.
type LayoutFiles = BTreeMap<String, Vec<u8>>;

fn write_layout(
    path: &Path,
    tag: &str,
    artifact: &PackedArtifact,
) -> Result<PublishOutcome, SourceError> {
    let is_archive = path.extension().is_some_and(|extension| extension == "tar");
    let mut files = LayoutFiles::new();
    if is_archive && agpm_store::exists(path) {
        files = read_archive(path)?;
    }
    let old_index = match files.get("index.json") {
        Some(bytes) => Some(bytes.clone()),
        None => agpm_store::read(&path.join("index.json"), LARGEST_MANIFEST).ok(),
    };
    let (mut sent, mut sent_bytes, mut present) = (0, 0, 0);
    let manifest = PackedBlob {
        digest: artifact.digest.clone(),
        bytes: artifact.manifest.clone(),
    };
    for blob in artifact.blobs.iter().chain([&manifest]) {
        let name = format!("blobs/{}", blob.digest.as_str().replacen(':', "/", 1));
        let exists = files.contains_key(&name) || agpm_store::is_file(&path.join(&name));
        if exists {
            present += 1;
        } else {
            sent += 1;
            sent_bytes += blob.bytes.len() as u64;
            files.insert(name, blob.bytes.clone());
        }
    }
    files.insert(
        "oci-layout".to_owned(),
        b"{\"imageLayoutVersion\":\"1.0.0\"}".to_vec(),
    );
    let index = updated_index(old_index.as_deref(), tag, artifact)?;
    files.insert("index.json".to_owned(), index);
    if is_archive {
        let bytes = pack_layout(&files)
            .map_err(|error| SourceError::Broken(format!("cannot pack the layout: {error}")))?;
        agpm_store::write_atomically(path, &bytes)?;
    } else {
        // The index comes last: until then the layout is as it was.
        let index = files.remove("index.json").unwrap_or_default();
        for (name, bytes) in &files {
            agpm_store::write_atomically(&path.join(name), bytes)?;
        }
        agpm_store::write_atomically(&path.join("index.json"), &index)?;
    }
    Ok(PublishOutcome::Published {
        sent,
        sent_bytes,
        present,
    })
}

fn updated_index(
    old: Option<&[u8]>,
    tag: &str,
    artifact: &PackedArtifact,
) -> Result<Vec<u8>, SourceError> {
    let mut index = match old {
        Some(bytes) => serde_json::from_slice(bytes).map_err(|error| {
            SourceError::Invalid(format!(
                "the `index.json` of the layout is not valid: {error}"
            ))
        })?,
        None => Index {
            schema_version: 2,
            media_type: Some(super::manifest::INDEX.to_owned()),
            artifact_type: None,
            manifests: Vec::new(),
            annotations: BTreeMap::new(),
        },
    };
    let is_other =
        |one: &Descriptor| one.annotations.get(REFERENCE).map(String::as_str) != Some(tag);
    index.manifests.retain(is_other);
    index.manifests.push(Descriptor {
        media_type: artifact.media_type.to_owned(),
        digest: artifact.digest.to_string(),
        size: artifact.manifest.len() as u64,
        annotations: BTreeMap::from([(REFERENCE.to_owned(), tag.to_owned())]),
        ..Descriptor::default()
    });
    Ok(serde_json::to_vec(&index).unwrap_or_default())
}

fn read_archive(path: &Path) -> Result<LayoutFiles, SourceError> {
    let damaged =
        |error: std::io::Error| SourceError::Invalid(format!("`{}`: {error}", path.display()));
    let mut files = LayoutFiles::new();
    let mut archive = tar::Archive::new(agpm_store::open_reader(path, 0)?);
    for entry in archive.entries().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
        if entry.header().entry_type().is_file() {
            let mut bytes = Vec::new();
            let mut limited = entry.take(LARGEST_LAYOUT_FILE);
            limited.read_to_end(&mut bytes).map_err(damaged)?;
            files.insert(name, bytes);
        }
    }
    Ok(files)
}

fn pack_layout(files: &LayoutFiles) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        archive.append_data(&mut header, path, bytes.as_slice())?;
    }
    archive.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_tags_if_registries_accept_them() {
        for version in ["1.0.0", "v1.0.0-rc.1", "1.0.0+build", "_x"] {
            assert!(is_valid_tag(version), "{version}");
        }
        for version in ["", "-x", ".x", "a b", "a/b", "é", &"x".repeat(129)] {
            assert!(!is_valid_tag(version), "{version}");
        }
    }
}
