//! A static site as a source.

use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agpm_model::{
    Checksum, FileMode, NamedRevisions, RelativePath, Revision, SKILL_FILE, SourceAddress,
    SourceVersions,
};
use agpm_store::parallel;
use ureq::http::StatusCode;
use url::Url;

use super::index::{INDEX_PATH, SiteEntry, SiteEntryType, SiteIndex};
use crate::archive::{
    ArchiveEntry, ArchiveEntryKind, ArchiveError, stays_inside, visit_archive, visit_zip,
};
use crate::checkout::{checkout_key, checkout_path, write_checkout};
use crate::git::NetworkAccess;
use crate::http::{HttpAnswer, HttpClient, HttpFailure, HttpRequest, HttpServer, ReadFailure};
use crate::limits::{MOST_SKILL_BYTES, MOST_SKILL_FILES};
use crate::registry::{BlobCache, CONTENT_DIRECTORY, ClientSettings, RepositoryCache, TagRecord};
use crate::transfer::Transfer;
use crate::tree::{ContentFile, ContentPlace, ContentTree};
use crate::{
    FileFetching, Source, SourceEntry, SourceEntryKind, SourceError, SourceTree, SourceVersioning,
};

/// The branch that the current index is.
const LATEST: &str = "latest";
const LARGEST_INDEX: u64 = 4 << 20;
const DIRECTORY_PATH: &str = "/.well-known/agent-skills";

/// A site as a source.
#[derive(Debug)]
pub(crate) struct SiteSource {
    label: String,
    index_url: Url,
    http: HttpClient,
    settings: ClientSettings,
    blobs: BlobCache,
    cache: RepositoryCache,
    current: Mutex<Option<Revision>>,
    indexes: Mutex<HashMap<Revision, Arc<Vec<SiteEntry>>>>,
    /// The files of a skill, by the digest of what is served.
    skills: Mutex<HashMap<Revision, Arc<ContentTree>>>,
    /// The sizes of listed files.
    sizes: Mutex<HashMap<Revision, KnownFile>>,
}

#[derive(Clone, Debug)]
struct KnownFile {
    place: ContentPlace,
    size: u64,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether a URL is one of a site: of a server alone, or of its index.
fn is_site(address: &SourceAddress) -> bool {
    let Some(server) = address.server() else {
        return false;
    };
    let path = server.path.trim_end_matches('/');
    let is_index = path.is_empty() || path.ends_with(DIRECTORY_PATH) || path.ends_with(INDEX_PATH);
    matches!(server.scheme, "https" | "http") && is_index
}

impl SiteSource {
    /// Opens a site without contacting it.
    pub(crate) fn open(
        address: &SourceAddress,
        settings: ClientSettings,
        cache: &Path,
    ) -> Option<Self> {
        let server = address.server().filter(|_| is_site(address))?;
        let http_server = HttpServer::new(server.host, server.port, server.encryption);
        let front = server.path.trim_end_matches('/');
        let front = front.strip_suffix(INDEX_PATH).unwrap_or(front);
        let front = front.strip_suffix(DIRECTORY_PATH).unwrap_or(front);
        let authority = http_server.authority();
        let url = format!("{}://{authority}{front}{INDEX_PATH}", server.scheme);
        let directory = cache.join(CONTENT_DIRECTORY);
        let label = address.redacted().to_owned();
        Some(SiteSource {
            index_url: Url::parse(&url).ok()?,
            http: HttpClient::new(http_server),
            settings,
            cache: RepositoryCache::new(&directory, &label),
            blobs: BlobCache::new(directory),
            label,
            current: Mutex::default(),
            indexes: Mutex::default(),
            skills: Mutex::default(),
            sizes: Mutex::default(),
        })
    }

    fn invalid(&self, reason: &str) -> SourceError {
        SourceError::Invalid(format!("`{}`: {reason}", self.label))
    }

    fn request(&self, url: Url, limit: u64) -> Result<Vec<u8>, SourceError> {
        if self.settings.network == NetworkAccess::Offline {
            return Err(SourceError::Offline(format!(
                "`{}` is not in the cache, and network access is disabled",
                self.label
            )));
        }
        let _transfer = Transfer::begin(self.settings.progress.clone(), &self.label, None);
        let answer = self.http.send(&HttpRequest::get(url.clone()));
        let mut answer = answer.map_err(|error| self.failure(&error))?;
        self.require_success(&answer, &url)?;
        answer.read(limit).map_err(|error| match error {
            ReadFailure::Unreachable(reason) => {
                SourceError::Unreachable(format!("`{url}`: {reason}"))
            }
            other => self.invalid(&format!("`{url}`: {other}")),
        })
    }

    fn failure(&self, error: &HttpFailure) -> SourceError {
        match error {
            HttpFailure::Unreachable(reason) => SourceError::Unreachable(reason.clone()),
            HttpFailure::Plain(_) => SourceError::Hostile(error.to_string()),
            other => self.invalid(&other.to_string()),
        }
    }

    fn require_success(&self, answer: &HttpAnswer, url: &Url) -> Result<(), SourceError> {
        let status = answer.status;
        if status.is_success() {
            return Ok(());
        }
        let reason = format!("`{url}` answered {}", status.as_u16());
        Err(match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => SourceError::AuthRefused {
                address: self.label.clone(),
                message: reason,
                help: "sites are read without credentials; ask its owner to make it public"
                    .to_owned(),
            },
            StatusCode::NOT_FOUND | StatusCode::GONE => SourceError::NoSuchSource {
                message: format!("no index of skills at `{url}`"),
                help: format!(
                    "check the URL; for a git repository, write it with its path: `{}/OWNER/REPOSITORY`",
                    self.label.trim_end_matches('/')
                ),
            },
            StatusCode::TOO_MANY_REQUESTS => SourceError::Unreachable(reason),
            status if status.is_server_error() => SourceError::Unreachable(reason),
            _ => self.invalid(&reason),
        })
    }

    /// Fetches the current index, once, and returns its revision.
    fn fetch_index(&self) -> Result<Revision, SourceError> {
        let mut current = locked(&self.current);
        if let Some(current) = &*current {
            return Ok(current.clone());
        }
        let bytes = self.request(self.index_url.clone(), LARGEST_INDEX)?;
        let index = SiteIndex::parse(&bytes)
            .map_err(|reason| self.invalid(&format!("its index is not valid: {reason}")))?;
        // Without what does not matter to the content, such as spaces and fields of other programs.
        let written = serde_json::to_vec(&index.skills).unwrap_or_default();
        let revision = Revision::from(Checksum::of(&written));
        self.blobs.write(&revision, &written)?;
        let tags = BTreeMap::from([(LATEST.to_owned(), Some(revision.to_string()))]);
        self.cache.remember_tags(&TagRecord { tags })?;
        locked(&self.indexes).insert(revision.clone(), Arc::new(index.skills));
        Ok(current.insert(revision).clone())
    }

    /// Returns the entries of an index that was fetched.
    fn entries(&self, revision: &Revision) -> Option<Arc<Vec<SiteEntry>>> {
        if let Some(entries) = locked(&self.indexes).get(revision) {
            return Some(Arc::clone(entries));
        }
        let bytes = self.blobs.read(revision, LARGEST_INDEX)?;
        let entries: Vec<SiteEntry> = serde_json::from_slice(&bytes).ok()?;
        let entries = Arc::new(entries);
        locked(&self.indexes).insert(revision.clone(), Arc::clone(&entries));
        Some(entries)
    }

    fn required_entries(
        &self,
        revision: Option<&Revision>,
    ) -> Result<Arc<Vec<SiteEntry>>, SourceError> {
        let revision =
            revision.ok_or_else(|| SourceError::NoSuchRevision("no version given".to_owned()))?;
        self.entries(revision).ok_or_else(|| {
            SourceError::NoSuchRevision(format!(
                "`{}`: {} was not fetched",
                self.label,
                revision.short()
            ))
        })
    }

    /// Returns the files of a skill, in a directory with its name.
    fn skill(&self, entry: &SiteEntry) -> Result<Arc<ContentTree>, SourceError> {
        let digest = entry.digest.parse::<Revision>().ok();
        let digest = digest.filter(|digest| digest.as_str().starts_with("sha256:"));
        let digest = digest
            .ok_or_else(|| self.invalid(&format!("the digest of `{}` is not valid", entry.name)))?;
        let is_name = RelativePath::new(&entry.name).is_ok_and(|path| !path.as_str().contains('/'));
        if !is_name {
            return Err(SourceError::Hostile(format!(
                "`{}`: the name `{}` leads out of its directory",
                self.label,
                crate::http::printable(&entry.name)
            )));
        }
        if let Some(found) = locked(&self.skills).get(&digest) {
            return Ok(Arc::clone(found));
        }
        let bytes = match self.blobs.read(&digest, MOST_SKILL_BYTES) {
            Some(bytes) => bytes,
            None => self.fetch_artifact(entry, &digest)?,
        };
        let tree = match entry.kind {
            SiteEntryType::SkillMd => {
                let mut tree = ContentTree::default();
                tree.insert(
                    SKILL_FILE.to_owned(),
                    ContentFile {
                        kind: SourceEntryKind::File(FileMode::Plain),
                        id: digest.clone(),
                        size: bytes.len() as u64,
                        place: ContentPlace::Blob(digest.clone()),
                    },
                );
                tree
            }
            SiteEntryType::Archive => self.unpack(entry, bytes)?,
        };
        let tree = tree.in_directory(&entry.name);
        let mut sizes = locked(&self.sizes);
        for (_, file) in tree.iter() {
            let known = KnownFile {
                place: file.place.clone(),
                size: file.size,
            };
            sizes.insert(file.id.clone(), known);
        }
        drop(sizes);
        let tree = Arc::new(tree);
        locked(&self.skills).insert(digest, Arc::clone(&tree));
        Ok(tree)
    }

    fn fetch_artifact(&self, entry: &SiteEntry, digest: &Revision) -> Result<Vec<u8>, SourceError> {
        let url = self
            .index_url
            .join(&entry.url)
            .map_err(|_| self.invalid(&format!("the URL of `{}` is not valid", entry.name)))?;
        let bytes = self.request(url.clone(), MOST_SKILL_BYTES)?;
        let found = Revision::from(Checksum::of(&bytes));
        if found != *digest {
            let reason = format!("`{url}` has the digest {found} instead of {digest}");
            return Err(self.invalid(&reason));
        }
        self.blobs.write(digest, &bytes)?;
        Ok(bytes)
    }

    /// Unpacks an archive into the cache, file by file.
    fn unpack(&self, entry: &SiteEntry, bytes: Vec<u8>) -> Result<ContentTree, SourceError> {
        let what = format!("`{}`: the archive of `{}`", self.label, entry.name);
        let mut files: Vec<(ArchiveEntry, Vec<u8>)> = Vec::new();
        let mut size = 0;
        let mut keep = |entry: ArchiveEntry, content: Option<Vec<u8>>| {
            let content = content.unwrap_or_default();
            size += content.len() as u64;
            if files.len() >= MOST_SKILL_FILES || size > MOST_SKILL_BYTES {
                let reason = "it unpacks to too many files, or too large ones";
                return Err(ArchiveError::Hostile(reason.to_owned()));
            }
            files.push((entry, content));
            Ok(())
        };
        let unpacked = if bytes.starts_with(b"PK") {
            visit_zip(&bytes, &mut keep)
        } else {
            visit_archive(Cursor::new(bytes), &mut keep, &|_| true)
        };
        unpacked.map_err(|error| error.of_source(&what))?;
        let mut tree = ContentTree::default();
        for (entry, content) in files {
            match entry.kind {
                ArchiveEntryKind::File { mode, size, digest } => {
                    let id = Revision::from(digest);
                    self.blobs.write(&id, &content)?;
                    tree.insert(
                        entry.path,
                        ContentFile {
                            kind: SourceEntryKind::File(mode.into()),
                            place: ContentPlace::Blob(id.clone()),
                            id,
                            size,
                        },
                    );
                }
                ArchiveEntryKind::Directory => {}
                ArchiveEntryKind::Symlink { target } if stays_inside(&entry.path, &target) => {
                    tree.insert(entry.path, ContentFile::symlink(&target));
                }
                _ => {
                    let path = crate::http::printable(&entry.path);
                    let reason =
                        format!("{what}: `{path}` is a link that leads out of it, or a device");
                    return Err(SourceError::Hostile(reason));
                }
            }
        }
        Ok(tree.without_wrapper(|tree, start| tree.get(&format!("{start}{SKILL_FILE}")).is_some()))
    }

    fn known(&self, file: &SourceEntry) -> Result<KnownFile, SourceError> {
        let id = file.id.as_ref();
        let known = id.and_then(|id| locked(&self.sizes).get(id).cloned());
        known.ok_or_else(|| {
            SourceError::MissingFile(format!("`{}` has no `{}`", self.label, file.path))
        })
    }

    fn versions_at(revision: Revision) -> SourceVersions {
        SourceVersions {
            default_branch: Some(LATEST.to_owned()),
            branches: NamedRevisions::from_iter([(LATEST.to_owned(), revision)]),
            ..SourceVersions::default()
        }
    }

    fn remembered(&self) -> Option<Revision> {
        self.cache.tags()?.tags.get(LATEST)?.as_ref()?.parse().ok()
    }
}

impl Source for SiteSource {
    fn versioning(&self) -> SourceVersioning {
        SourceVersioning::Versioned
    }

    fn versions(&self) -> Result<Arc<SourceVersions>, SourceError> {
        let revision = match self.remembered() {
            Some(revision) if self.is_out_of_reach() => revision,
            _ => self.fetch_index()?,
        };
        Ok(Arc::new(Self::versions_at(revision)))
    }

    fn remembered_versions(&self) -> Option<SourceVersions> {
        self.remembered().map(Self::versions_at)
    }

    fn is_out_of_reach(&self) -> bool {
        self.settings.network == NetworkAccess::Offline
    }

    fn find_revision(&self, digits: &str) -> Result<Revision, SourceError> {
        digits.parse().map_err(|_| {
            SourceError::NoSuchRevision(format!(
                "`{}`: `{digits}` is not a whole digest",
                self.label
            ))
        })
    }

    fn has_revision(&self, revision: &Revision) -> bool {
        self.entries(revision).is_some()
    }

    fn fetch(&self, revisions: &[Revision], _: FileFetching) -> Result<(), SourceError> {
        for revision in revisions {
            if self.entries(revision).is_some() {
                continue;
            }
            let current = self.fetch_index()?;
            if current != *revision {
                // A site forgets its earlier indexes. Skills that did not change since are still what was locked, and
                // the checksum in the lockfile shows it.
                let entries = self.required_entries(Some(&current))?;
                locked(&self.indexes).insert(revision.clone(), entries);
            }
        }
        Ok(())
    }

    fn entry(
        &self,
        revision: Option<&Revision>,
        path: &str,
    ) -> Result<Option<SourceEntry>, SourceError> {
        let name = path.split('/').next().unwrap_or_default();
        for entry in self.required_entries(revision)?.iter() {
            if entry.name == name {
                return Ok(self.skill(entry)?.entry(path));
            }
        }
        Ok(None)
    }

    fn walk(
        &self,
        revision: Option<&Revision>,
        directory: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<SourceTree, SourceError> {
        let name = directory.split('/').next().unwrap_or_default();
        let entries = self.required_entries(revision)?;
        let wanted = entries
            .iter()
            .filter(|entry| name.is_empty() || entry.name == name);
        let skills = parallel::map_waiting(wanted.collect(), |entry| self.skill(entry));
        let mut tree = ContentTree::default();
        for skill in skills {
            tree.extend((*skill?).clone());
        }
        tree.walk(directory, enters)
    }

    fn fetch_files(&self, _: &[&SourceEntry]) -> Result<(), SourceError> {
        // The files of a skill come with its list.
        Ok(())
    }

    fn size(&self, files: &[&SourceEntry]) -> Result<u64, SourceError> {
        let mut all: u64 = 0;
        for file in files {
            all = all.saturating_add(self.known(file)?.size);
        }
        Ok(all)
    }

    fn read(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError> {
        let mut contents = Vec::with_capacity(files.len());
        for file in files {
            let lost = || {
                SourceError::Broken(format!(
                    "`{}`: the copy of `{}` was changed",
                    self.label, file.path
                ))
            };
            contents.push(match self.known(file)?.place {
                ContentPlace::Blob(blob) => {
                    self.blobs.read(&blob, MOST_SKILL_BYTES).ok_or_else(lost)?
                }
                ContentPlace::Here(bytes) => bytes.to_vec(),
                ContentPlace::Archived { .. } => return Err(lost()),
            });
        }
        Ok(contents)
    }

    fn directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Result<PathBuf, SourceError> {
        let revision =
            revision.ok_or_else(|| SourceError::NoSuchRevision("no version given".to_owned()))?;
        self.fetch(std::slice::from_ref(revision), FileFetching::OnDemand)?;
        write_checkout(self, &self.cache.trees(), revision, inner)
    }

    fn cached_directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Option<PathBuf> {
        let path = checkout_path(&self.cache.trees(), revision?, inner);
        agpm_store::is_real_directory(&path).then_some(path)
    }

    fn require_directory(
        &self,
        revision: Option<&Revision>,
        inner: &RelativePath,
    ) -> Result<(), SourceError> {
        let found = self.entry(revision, inner.as_str())?;
        if found.is_some_and(|entry| entry.kind == SourceEntryKind::Directory) {
            return Ok(());
        }
        let entries = self.required_entries(revision)?;
        Err(SourceError::NoSuchDirectory {
            directory: inner.to_string(),
            beside: entries.iter().map(|entry| entry.name.clone()).collect(),
            message: format!("no directory `{inner}`"),
        })
    }

    fn remember_directory(
        &self,
        reference: Option<&str>,
        inner: Option<&RelativePath>,
        revision: &Revision,
    ) -> Result<(), SourceError> {
        self.cache
            .remember_last(&checkout_key(reference, inner), revision)
    }

    fn last_directory(
        &self,
        reference: Option<&str>,
        inner: Option<&RelativePath>,
    ) -> Option<(Revision, PathBuf)> {
        let revision = self.cache.last_revision(&checkout_key(reference, inner))?;
        let path = self.cached_directory(Some(&revision), inner)?;
        Some((revision, path))
    }
}
