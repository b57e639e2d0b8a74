//! The copies of content in the cache.

use std::io::Read;
use std::path::{Path, PathBuf};

use agpm_model::{Checksum, Revision};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::manifest::Descriptor;
use crate::SourceError;
use crate::archive::{ArchiveEntry, checksum_of};
use crate::http::ReadFailure;

/// The directory in the cache.
pub(crate) const CONTENT_DIRECTORY: &str = "content";
/// More than the list of any archive.
const LARGEST_LIST: u64 = 256 << 20;
const LARGEST_RECORD: u64 = 64 << 20;

/// Content by digest, shared by all repositories, versions and projects.
#[derive(Clone, Debug)]
pub(crate) struct BlobCache {
    directory: PathBuf,
}

impl BlobCache {
    pub(crate) fn new(directory: PathBuf) -> Self {
        BlobCache { directory }
    }

    fn path(&self, kind: &str, digest: &Revision) -> PathBuf {
        let digits = digest.as_str().trim_start_matches("sha256:");
        self.directory.join(kind).join(digits)
    }

    pub(crate) fn has(&self, digest: &Revision) -> bool {
        agpm_store::is_file(&self.path("blobs", digest))
    }

    /// Reads content; `None` if it is missing or was changed on the disk.
    pub(crate) fn read(&self, digest: &Revision, limit: u64) -> Option<Vec<u8>> {
        let bytes = agpm_store::read(&self.path("blobs", digest), limit).ok()?;
        let is_whole = Revision::from(Checksum::of(&bytes)) == *digest;
        if !is_whole {
            self.forget(digest);
        }
        is_whole.then_some(bytes)
    }

    pub(crate) fn write(&self, digest: &Revision, bytes: &[u8]) -> Result<(), SourceError> {
        Ok(agpm_store::write_atomically(
            &self.path("blobs", digest),
            bytes,
        )?)
    }

    /// Removes content that is not what its name says.
    pub(crate) fn forget(&self, digest: &Revision) {
        let _ = agpm_store::remove_path(&self.path("blobs", digest));
        let _ = agpm_store::remove_path(&self.path("lists", digest));
    }

    /// Returns content as a stream.
    pub(crate) fn open(&self, digest: &Revision) -> Result<Box<dyn Read + Send>, SourceError> {
        Ok(agpm_store::open_reader(&self.path("blobs", digest), 0)?)
    }

    /// Copies a stream into the cache, if it is exactly the expected content. Nothing is kept of anything else.
    pub(crate) fn fill(
        &self,
        blob: &Descriptor,
        digest: &Revision,
        label: &str,
        stream: &mut dyn Read,
    ) -> Result<(), SourceError> {
        let invalid = |reason: String| {
            SourceError::Invalid(format!("`{label}`: the content {digest} {reason}"))
        };
        let path = self.path("blobs", digest);
        agpm_store::fill_file_atomically(&path, |file| {
            let mut hasher = Sha256::new();
            let mut buffer = vec![0; 64 << 10];
            let mut size = 0;
            loop {
                let read = match stream.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(read) => read,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        return Err(match ReadFailure::of(&error) {
                            ReadFailure::Unreachable(reason) => {
                                SourceError::Unreachable(format!("`{label}`: {reason}"))
                            }
                            other => invalid(format!("is incomplete: {other}")),
                        });
                    }
                };
                size += read as u64;
                // The size is known, so an endless answer ends here.
                if size > blob.size {
                    return Err(invalid(format!("has more than its {} bytes", blob.size)));
                }
                hasher.update(&buffer[..read]);
                file.write_all(&buffer[..read])
                    .map_err(|error| SourceError::Store(agpm_store::io_error(&path, error)))?;
            }
            if size < blob.size {
                return Err(invalid(format!("has {size} of its {} bytes", blob.size)));
            }
            let found = Revision::from(checksum_of(hasher));
            if found != *digest {
                return Err(invalid(format!("has the digest {found}")));
            }
            Ok(())
        })
    }

    /// Reads the list of an archive that was listed before.
    pub(crate) fn remembered_list(&self, digest: &Revision) -> Option<Vec<ArchiveEntry>> {
        let bytes = agpm_store::read(&self.path("lists", digest), LARGEST_LIST).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(crate) fn remember_list(
        &self,
        digest: &Revision,
        entries: &[ArchiveEntry],
    ) -> Result<(), SourceError> {
        let bytes = serde_json::to_vec(entries).unwrap_or_default();
        Ok(agpm_store::write_atomically(
            &self.path("lists", digest),
            &bytes,
        )?)
    }
}

/// What the cache keeps of one repository: its last tags, and directories that were written out.
#[derive(Debug)]
pub(crate) struct RepositoryCache {
    directory: PathBuf,
    label: String,
}

/// The tags of a repository with the digests that were looked up last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TagRecord {
    pub(crate) tags: std::collections::BTreeMap<String, Option<String>>,
}

impl RepositoryCache {
    pub(crate) fn new(cache: &Path, label: &str) -> Self {
        RepositoryCache {
            directory: cache
                .join("sources")
                .join(Checksum::of(label.as_bytes()).digits()),
            label: label.to_owned(),
        }
    }

    pub(crate) fn trees(&self) -> PathBuf {
        self.directory.join("trees")
    }

    pub(crate) fn tags(&self) -> Option<TagRecord> {
        let bytes = agpm_store::read(&self.directory.join("tags.json"), LARGEST_RECORD).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(crate) fn remember_tags(&self, record: &TagRecord) -> Result<(), SourceError> {
        let bytes = serde_json::to_vec(record).unwrap_or_default();
        agpm_store::write_atomically(&self.directory.join("tags.json"), &bytes)?;
        agpm_store::write_atomically(
            &self.directory.join("info.txt"),
            format!("{}\n", self.label).as_bytes(),
        )?;
        Ok(())
    }

    fn last(&self, requested: &str) -> PathBuf {
        let name = Checksum::of(requested.as_bytes()).digits();
        self.directory.join("last").join(format!("{name}.txt"))
    }

    pub(crate) fn remember_last(
        &self,
        requested: &str,
        revision: &Revision,
    ) -> Result<(), SourceError> {
        let bytes = revision.as_str().as_bytes();
        Ok(agpm_store::write_atomically(&self.last(requested), bytes)?)
    }

    pub(crate) fn last_revision(&self, requested: &str) -> Option<Revision> {
        let bytes = agpm_store::read(&self.last(requested), LARGEST_RECORD).ok()?;
        std::str::from_utf8(&bytes).ok()?.trim().parse().ok()
    }
}
