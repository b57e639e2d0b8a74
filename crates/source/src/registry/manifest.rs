//! Manifests and indexes of OCI registries, as far as they are read and written.

use std::collections::BTreeMap;

use agpm_model::Revision;
use serde::{Deserialize, Serialize};

pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
const DOCKER_LIST: &str = "application/vnd.docker.distribution.manifest.list.v2+json";

/// The types of documents that a tag may have, for the header `Accept`.
pub(crate) const ACCEPTED: [&str; 4] = [MANIFEST, INDEX, DOCKER_MANIFEST, DOCKER_LIST];

/// The annotation with the path of a file or directory, and the one that says that a directory was packed.
pub(crate) const TITLE: &str = "org.opencontainers.image.title";
pub(crate) const UNPACK: &str = "io.deis.oras.content.unpack";
/// The annotation with the tag of a manifest in a layout.
pub(crate) const REFERENCE: &str = "org.opencontainers.image.ref.name";
pub(crate) const CREATED: &str = "org.opencontainers.image.created";

pub(crate) type Annotations = BTreeMap<String, String>;

/// A reference to content by digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    #[serde(default)]
    pub(crate) media_type: String,
    pub(crate) digest: String,
    pub(crate) size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_type: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: Annotations,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) platform: Option<Platform>,
}

impl Descriptor {
    /// The digest, if it is one that agpm can check.
    pub(crate) fn revision(&self) -> Option<Revision> {
        let is_digest = self.digest.starts_with("sha256:");
        self.digest.parse().ok().filter(|_| is_digest)
    }
}

/// The platform of an image in an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Platform {
    #[serde(default)]
    pub(crate) architecture: String,
    #[serde(default)]
    pub(crate) os: String,
}

/// A manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_type: Option<String>,
    pub(crate) config: Descriptor,
    #[serde(default)]
    pub(crate) layers: Vec<Descriptor>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: Annotations,
}

/// An index: several manifests under one tag.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Index {
    pub(crate) schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_type: Option<String>,
    #[serde(default)]
    pub(crate) manifests: Vec<Descriptor>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: Annotations,
}

/// A manifest or an index.
#[derive(Clone, Debug)]
pub(crate) enum ManifestDocument {
    Manifest(Manifest),
    Index(Index),
}

impl ManifestDocument {
    /// Parses a document. The kind follows from its content: the media type is often left out.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Shape {
            #[serde(default)]
            manifests: Option<serde_json::Value>,
        }
        let shape: Shape = serde_json::from_slice(bytes)?;
        Ok(match shape.manifests {
            Some(_) => ManifestDocument::Index(serde_json::from_slice(bytes)?),
            None => ManifestDocument::Manifest(serde_json::from_slice(bytes)?),
        })
    }

    pub(crate) fn annotations(&self) -> &Annotations {
        match self {
            ManifestDocument::Manifest(manifest) => &manifest.annotations,
            ManifestDocument::Index(index) => &index.annotations,
        }
    }
}

impl Manifest {
    /// The type of the artifact: older ones have it as the type of their configuration.
    pub(crate) fn artifact(&self) -> &str {
        let own = self.artifact_type.as_deref();
        own.filter(|own| !own.is_empty())
            .unwrap_or(&self.config.media_type)
    }
}
