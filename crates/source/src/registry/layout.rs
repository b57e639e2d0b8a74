//! An OCI image layout: what a registry has, as a directory or a tar archive of one.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use agpm_model::Revision;
use serde::Deserialize;

use super::client::LARGEST_MANIFEST;
use super::content::ContentStore;
use super::manifest::{Descriptor, Index, REFERENCE};
use crate::SourceError;

const LAYOUT_FILE: &str = "oci-layout";
const INDEX_FILE: &str = "index.json";
/// The name of the only manifest of a layout that gives it none.
const ONLY: &str = "latest";
/// The entries of an archive that are read.
const MOST_ENTRIES: usize = 100_000;

/// A layout.
#[derive(Debug)]
pub(crate) struct LayoutStore {
    path: PathBuf,
    label: String,
    form: LayoutForm,
}

#[derive(Debug)]
enum LayoutForm {
    Directory,
    /// The position and size of each file.
    Archive(BTreeMap<String, FileRange>),
}

#[derive(Clone, Copy, Debug)]
struct FileRange {
    start: u64,
    size: u64,
}

/// Returns whether a path is a layout: a directory with the files of one, or a tar archive.
pub(crate) fn is_layout(path: &Path) -> bool {
    if agpm_store::is_directory(path) {
        return agpm_store::is_file(&path.join(LAYOUT_FILE))
            && agpm_store::is_file(&path.join(INDEX_FILE));
    }
    let is_archive = path.extension().is_some_and(|extension| extension == "tar");
    is_archive && agpm_store::is_file(path)
}

impl LayoutStore {
    pub(crate) fn open(path: PathBuf) -> Self {
        let path = agpm_model::normalize(&path);
        let form = if agpm_store::is_directory(&path) {
            LayoutForm::Directory
        } else {
            // An archive that cannot be read has no index, and the first request says so.
            LayoutForm::Archive(list_archive(&path).unwrap_or_default())
        };
        LayoutStore {
            label: path.display().to_string(),
            path,
            form,
        }
    }

    fn invalid(&self, reason: &str) -> SourceError {
        SourceError::Invalid(format!("`{}`: {reason}", self.label))
    }

    /// Calls `receive` with the content of a file of the layout.
    fn open_file(
        &self,
        name: &str,
        receive: &mut dyn FnMut(&mut dyn Read) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        match &self.form {
            LayoutForm::Directory => {
                let mut reader = agpm_store::open_reader(&self.path.join(name), 0)?;
                receive(&mut reader)
            }
            LayoutForm::Archive(files) => {
                let missing = || self.invalid(&format!("it has no `{name}`"));
                let range = *files.get(name).ok_or_else(missing)?;
                let reader = agpm_store::open_reader(&self.path, range.start)?;
                receive(&mut reader.take(range.size))
            }
        }
    }

    fn read_file(&self, name: &str, limit: u64) -> Result<Vec<u8>, SourceError> {
        let mut bytes = Vec::new();
        self.open_file(name, &mut |reader| {
            let read = reader.take(limit + 1).read_to_end(&mut bytes);
            read.map(drop)
                .map_err(|error| self.invalid(&error.to_string()))
        })?;
        if bytes.len() as u64 > limit {
            return Err(self.invalid(&format!("`{name}` has more than {limit} bytes")));
        }
        Ok(bytes)
    }

    fn index(&self) -> Result<Index, SourceError> {
        let bytes = self.read_file(INDEX_FILE, LARGEST_MANIFEST)?;
        serde_json::from_slice(&bytes)
            .map_err(|error| self.invalid(&format!("its `{INDEX_FILE}` is not valid: {error}")))
    }

    /// Returns the manifests by tag.
    fn named(&self) -> Result<BTreeMap<String, Descriptor>, SourceError> {
        let manifests = self.index()?.manifests;
        let only = manifests.len() == 1;
        let mut named = BTreeMap::new();
        for manifest in manifests {
            let name = manifest.annotations.get(REFERENCE).cloned();
            // Some programs write the whole reference.
            let name = name.map(|name| match name.rsplit_once(':') {
                Some((_, tag)) if !tag.contains('/') => tag.to_owned(),
                _ => name,
            });
            if let Some(name) = name.or_else(|| only.then(|| ONLY.to_owned())) {
                named.insert(name, manifest);
            }
        }
        Ok(named)
    }
}

fn blob_path(digest: &str) -> String {
    format!("blobs/{}", digest.replacen(':', "/", 1))
}

fn list_archive(path: &Path) -> Option<BTreeMap<String, FileRange>> {
    let mut archive = tar::Archive::new(agpm_store::open_reader(path, 0).ok()?);
    let mut files = BTreeMap::new();
    for entry in archive.entries().ok()?.take(MOST_ENTRIES) {
        let entry = entry.ok()?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
        if entry.header().entry_type().is_file() {
            files.insert(
                name,
                FileRange {
                    start: entry.raw_file_position(),
                    size: entry.size(),
                },
            );
        }
    }
    Some(files)
}

impl ContentStore for LayoutStore {
    fn label(&self) -> &str {
        &self.label
    }

    fn tags(&self) -> Result<Vec<String>, SourceError> {
        #[derive(Deserialize)]
        struct Version {
            #[serde(rename = "imageLayoutVersion")]
            version: String,
        }
        let version = self.read_file(LAYOUT_FILE, LARGEST_MANIFEST)?;
        let version: Version = serde_json::from_slice(&version)
            .map_err(|_| self.invalid(&format!("its `{LAYOUT_FILE}` is not valid")))?;
        if !version.version.starts_with("1.") {
            return Err(self.invalid(&format!(
                "layouts of version {} are unknown",
                version.version
            )));
        }
        Ok(self.named()?.into_keys().collect())
    }

    fn digest_of(&self, tag: &str) -> Result<Revision, SourceError> {
        let named = self.named()?;
        let found = named.get(tag).and_then(Descriptor::revision);
        found.ok_or_else(|| {
            SourceError::NoSuchRevision(format!("`{}` has no tag `{tag}`", self.label))
        })
    }

    fn manifest(&self, digest: &Revision) -> Result<Vec<u8>, SourceError> {
        let missing =
            || SourceError::NoSuchRevision(format!("`{}` has no manifest {digest}", self.label));
        let bytes = self.read_file(&blob_path(digest.as_str()), LARGEST_MANIFEST);
        let bytes = bytes.map_err(|error| match error {
            SourceError::Store(_) => missing(),
            other => other,
        })?;
        if Revision::from(agpm_model::Checksum::of(&bytes)) != *digest {
            return Err(self.invalid(&format!("the manifest {digest} was changed")));
        }
        Ok(bytes)
    }

    fn blob(
        &self,
        blob: &Descriptor,
        receive: &mut dyn FnMut(&mut dyn Read) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        // Only digests were parsed, so the name has no separator.
        self.open_file(&blob_path(&blob.digest), receive)
            .map_err(|error| match error {
                SourceError::Store(_) => {
                    self.invalid(&format!("it lost the content {}", blob.digest))
                }
                other => other,
            })
    }

    fn sibling(&self, _: &str) -> Option<Box<dyn ContentStore>> {
        None
    }

    fn is_out_of_reach(&self) -> bool {
        false
    }
}
