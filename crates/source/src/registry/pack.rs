//! Packs files into artifacts. The same files give the same bytes on every machine: entries are sorted, owners and times
//! are zero, and archives have no name.

use std::collections::BTreeMap;
use std::io::{self, Write};

use agpm_model::{Checksum, FileMode, Revision};
use flate2::{Compression, GzBuilder};
use serde::Serialize;

use super::dialect::{
    LIBRARY, LIBRARY_CONFIG, RESOURCE_LAYER, SKILL, SKILL_CONFIG, SKILL_LAYER, SKILL_NAME,
};
use super::library::{LibraryConfig, LibraryFile, LibraryLayer, LibraryResource, LibrarySource};
use super::manifest::{Annotations, Descriptor, MANIFEST, Manifest};
use crate::SourceError;

/// The most bytes of a head that a configuration keeps.
const LONGEST_HEAD: usize = 16 << 10;

/// A file to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedFile {
    /// The path in the library.
    pub path: String,
    /// Whether it is executable.
    pub mode: FileMode,
    /// The content.
    pub bytes: Vec<u8>,
}

/// A resource to publish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishedResource {
    /// The type, singular.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The path in the library.
    pub path: String,
    /// The description.
    pub description: Option<String>,
    /// The license.
    pub license: Option<String>,
    /// The resources that it requires, as it states them.
    pub dependencies: Vec<String>,
    /// What it can do, as `agpm diff` prints it.
    pub capabilities: Vec<String>,
    /// Its files.
    pub files: Vec<PublishedFile>,
}

/// A library to publish.
#[derive(Clone, Debug, Default)]
pub struct PublishedLibrary {
    /// The resources.
    pub resources: Vec<PublishedResource>,
    /// Files that belong to none.
    pub shared: Vec<PublishedFile>,
    /// Where the files are from.
    pub source: LibrarySource,
    /// The name of the library.
    pub title: Option<String>,
    /// The version.
    pub version: String,
    /// The license of the library.
    pub license: Option<String>,
    /// The time, if it is stated.
    pub created: Option<String>,
}

/// An artifact in memory.
#[derive(Clone, Debug)]
pub struct PackedArtifact {
    /// The digest of the manifest.
    pub digest: Revision,
    /// The manifest.
    pub(crate) manifest: Vec<u8>,
    /// The media type of the manifest.
    pub(crate) media_type: &'static str,
    /// What identifies the content: everything but the commit that it is from.
    pub(crate) content: ContentIdentity,
    /// Configuration and layers.
    pub(crate) blobs: Vec<PackedBlob>,
}

/// Content by digest.
#[derive(Clone, Debug)]
pub(crate) struct PackedBlob {
    pub(crate) digest: Revision,
    pub(crate) bytes: Vec<u8>,
}

/// The part of an artifact that two publications of the same content share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContentIdentity {
    pub(crate) layers: Vec<String>,
    /// The resources of a library; empty for a skill, whose layer says all.
    pub(crate) resources: Vec<LibraryResource>,
}

impl PackedArtifact {
    /// The size of everything.
    pub fn bytes(&self) -> u64 {
        let blobs = self.blobs.iter().map(|blob| blob.bytes.len());
        (self.manifest.len() + blobs.sum::<usize>()) as u64
    }

    /// The digests of the layers, in order.
    pub fn layers(&self) -> &[String] {
        &self.content.layers
    }
}

/// Packs a library: a layer for each resource, and one for the other files.
pub fn pack_library(library: &PublishedLibrary) -> Result<PackedArtifact, SourceError> {
    let mut packing = Packing::default();
    let mut config = LibraryConfig {
        source: Some(library.source.clone()).filter(|source| *source != LibrarySource::default()),
        ..LibraryConfig::default()
    };
    let mut resources: Vec<&PublishedResource> = library.resources.iter().collect();
    resources.sort_by(|left, right| (&left.path, &left.kind).cmp(&(&right.path, &right.kind)));
    for resource in resources {
        config.resources.push(LibraryResource {
            kind: resource.kind.clone(),
            name: resource.name.clone(),
            path: resource.path.clone(),
            description: resource.description.clone(),
            license: resource.license.clone(),
            dependencies: resource.dependencies.clone(),
            capabilities: resource.capabilities.clone(),
            content: packing.add_files(&resource.files, RESOURCE_LAYER)?,
        });
    }
    if !library.shared.is_empty() {
        config.shared = Some(packing.add_files(&library.shared, RESOURCE_LAYER)?);
    }
    let resources = config.resources.clone();
    let config = packing.add_config(&config, LIBRARY_CONFIG);
    let mut annotations = Annotations::new();
    let own = [
        ("title", &library.title),
        (
            "version",
            &Some(library.version.clone()).filter(|version| !version.is_empty()),
        ),
        ("revision", &library.source.commit),
        ("source", &library.source.url),
        ("licenses", &library.license),
        ("created", &library.created),
    ];
    annotate(&mut annotations, &own);
    Ok(packing.finish(LIBRARY, config, annotations, resources))
}

/// Packs one skill in the form that the community's tools read: a directory with its name, in one layer.
pub fn pack_skill(
    skill: &PublishedResource,
    library: &PublishedLibrary,
) -> Result<PackedArtifact, SourceError> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct SkillConfig<'a> {
        schema_version: &'a str,
        name: &'a str,
        version: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        license: Option<&'a str>,
    }
    let mut packing = Packing::default();
    let files = files_of_skill(skill, &format!("{}/", skill.name));
    packing.add_files(&files, SKILL_LAYER)?;
    let config = SkillConfig {
        schema_version: "1",
        name: &skill.name,
        version: &library.version,
        description: skill.description.as_deref(),
        license: skill.license.as_deref(),
    };
    let config = packing.add_config(&config, SKILL_CONFIG);
    let mut annotations = Annotations::new();
    annotations.insert(SKILL_NAME.to_owned(), skill.name.clone());
    let own = [
        ("title", &Some(skill.name.clone())),
        ("description", &skill.description),
        ("version", &Some(library.version.clone())),
        ("revision", &library.source.commit),
        ("source", &library.source.url),
        ("licenses", &skill.license),
        ("created", &library.created),
    ];
    annotate(&mut annotations, &own);
    Ok(packing.finish(SKILL, config, annotations, Vec::new()))
}

fn annotate(annotations: &mut Annotations, values: &[(&str, &Option<String>)]) {
    for (name, value) in values {
        if let Some(value) = value {
            let key = format!("org.opencontainers.image.{name}");
            annotations.insert(key, value.clone());
        }
    }
}

/// The files of a skill, below another directory than in the library.
pub(crate) fn files_of_skill(skill: &PublishedResource, directory: &str) -> Vec<PublishedFile> {
    let start = match skill.path.as_str() {
        "" | "." => String::new(),
        path => format!("{path}/"),
    };
    let moved = skill.files.iter().map(|file| PublishedFile {
        path: format!(
            "{directory}{}",
            file.path.strip_prefix(&start).unwrap_or(&file.path)
        ),
        ..file.clone()
    });
    moved.collect()
}

#[derive(Default)]
struct Packing {
    layers: Vec<Descriptor>,
    blobs: BTreeMap<Revision, Vec<u8>>,
}

impl Packing {
    fn add_blob(&mut self, bytes: Vec<u8>, media_type: &str) -> Descriptor {
        let digest = Revision::from(Checksum::of(&bytes));
        let descriptor = Descriptor {
            media_type: media_type.to_owned(),
            digest: digest.to_string(),
            size: bytes.len() as u64,
            ..Descriptor::default()
        };
        self.blobs.insert(digest, bytes);
        descriptor
    }

    fn add_files(
        &mut self,
        files: &[PublishedFile],
        media_type: &str,
    ) -> Result<LibraryLayer, SourceError> {
        let bytes = pack_files(files)
            .map_err(|error| SourceError::Broken(format!("cannot pack files: {error}")))?;
        let layer = self.add_blob(bytes, media_type);
        let digest = layer.digest.clone();
        // Two resources with the same files share a layer.
        if self.layers.iter().all(|one| one.digest != digest) {
            self.layers.push(layer);
        }
        let mut listed: Vec<LibraryFile> = files.iter().map(list_file).collect();
        listed.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(LibraryLayer {
            layer: digest,
            files: listed,
        })
    }

    fn add_config(&mut self, config: &impl Serialize, media_type: &str) -> Descriptor {
        let bytes = serde_json::to_vec(config).expect("its keys are strings");
        self.add_blob(bytes, media_type)
    }

    fn finish(
        self,
        artifact_type: &str,
        config: Descriptor,
        annotations: Annotations,
        resources: Vec<LibraryResource>,
    ) -> PackedArtifact {
        let layers = self.layers.iter().map(|layer| layer.digest.clone());
        let content = ContentIdentity {
            layers: layers.collect(),
            resources,
        };
        let manifest = Manifest {
            schema_version: 2,
            media_type: Some(MANIFEST.to_owned()),
            artifact_type: Some(artifact_type.to_owned()),
            config,
            layers: self.layers,
            annotations,
        };
        let manifest = serde_json::to_vec(&manifest).expect("its keys are strings");
        let blobs = self.blobs.into_iter();
        PackedArtifact {
            digest: Checksum::of(&manifest).into(),
            manifest,
            media_type: MANIFEST,
            content,
            blobs: blobs
                .map(|(digest, bytes)| PackedBlob { digest, bytes })
                .collect(),
        }
    }
}

fn list_file(file: &PublishedFile) -> LibraryFile {
    let checksum = Checksum::of(&file.bytes);
    LibraryFile {
        path: file.path.clone(),
        mode: match file.mode {
            FileMode::Executable => "0755".to_owned(),
            FileMode::Plain => "0644".to_owned(),
        },
        size: file.bytes.len() as u64,
        sha256: checksum.digits(),
        target: None,
        head: head_of(file),
    }
}

/// The front matter of a Markdown file, which has the name, the description and the dependencies.
fn head_of(file: &PublishedFile) -> Option<String> {
    let text = std::str::from_utf8(&file.bytes).ok()?;
    if !file.path.ends_with(".md") || !text.starts_with("---") {
        return None;
    }
    let end = text.find("\n---")? + "\n---".len();
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    (line_end <= LONGEST_HEAD).then(|| text[..line_end].to_owned())
}

/// A compressed archive of files, sorted by path.
pub(crate) fn pack_files(files: &[PublishedFile]) -> io::Result<Vec<u8>> {
    let mut sorted: Vec<&PublishedFile> = files.iter().collect();
    sorted.sort_by(|left, right| left.path.cmp(&right.path));
    let mut archive = tar::Builder::new(Vec::new());
    for file in sorted {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(file.bytes.len() as u64);
        header.set_mode(match file.mode {
            FileMode::Executable => 0o755,
            FileMode::Plain => 0o644,
        });
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        archive.append_data(&mut header, &file.path, file.bytes.as_slice())?;
    }
    let bytes = archive.into_inner()?;
    let mut compressed = GzBuilder::new().write(Vec::new(), Compression::new(6));
    compressed.write_all(&bytes)?;
    compressed.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> PublishedFile {
        PublishedFile {
            path: path.to_owned(),
            mode: FileMode::Plain,
            bytes: text.as_bytes().to_vec(),
        }
    }

    fn library(text: &str) -> PublishedLibrary {
        let resource = |path: &str, text: &str| PublishedResource {
            kind: "agent".to_owned(),
            name: path.to_owned(),
            path: path.to_owned(),
            files: vec![file(path, text)],
            ..PublishedResource::default()
        };
        PublishedLibrary {
            resources: vec![resource("agents/b.md", text), resource("agents/a.md", "a")],
            shared: vec![file("LICENSE", "MIT")],
            version: "1.0.0".to_owned(),
            ..PublishedLibrary::default()
        }
    }

    #[test]
    fn the_same_files_give_the_same_artifact_in_any_order() {
        let first = pack_library(&library("b")).unwrap();
        let mut turned = library("b");
        turned.resources.reverse();
        assert_eq!(pack_library(&turned).unwrap().digest, first.digest);
        // This digest is the same on every machine.
        let files = [file("b", "two"), file("a", "one")];
        assert_eq!(
            pack_files(&files).unwrap(),
            pack_files(&[files[1].clone(), files[0].clone()]).unwrap()
        );
    }

    #[test]
    fn a_resource_that_did_not_change_keeps_its_layer() {
        let first = pack_library(&library("b")).unwrap();
        let second = pack_library(&library("changed")).unwrap();
        assert_eq!(first.layers().len(), 3);
        let kept = first.layers().iter();
        let kept = kept.filter(|layer| second.layers().contains(layer));
        assert_eq!(kept.count(), 2);
    }

    #[test]
    fn a_commit_is_not_content() {
        let mut other = library("b");
        other.source.commit = Some("abc".to_owned());
        let first = pack_library(&library("b")).unwrap();
        let second = pack_library(&other).unwrap();
        assert_ne!(first.digest, second.digest);
        assert_eq!(first.content, second.content);
    }

    #[test]
    fn heads_are_whole_front_matter() {
        for (text, head) in [
            ("---\nname: a\n---\nbody\n", Some("---\nname: a\n---\n")),
            ("---\nname: a\n---", Some("---\nname: a\n---")),
            ("---\nname: a\n", None),
            ("body", None),
        ] {
            assert_eq!(head_of(&file("a.md", text)).as_deref(), head);
        }
        assert_eq!(head_of(&file("a.txt", "---\n---\n")), None);
    }
}
