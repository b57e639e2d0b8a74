//! A source in memory, and a project that uses it.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use agpm_app::project::world::{
    BaseApproval, Environment, InstallScope, NetworkAccess, OutsideReads, PolicyLocations,
    ProgramUse, SilentProgress, World,
};
use agpm_diag::Outcome;
use agpm_model::{Checksum, FileMode, RelativePath, Revision, SourceAddress, SourceVersions};
use agpm_source::{
    FileFetching, Source, SourceContext, SourceEntry, SourceEntryKind, SourceError, SourceOpener,
    SourceTree, SourceVersioning,
};
use agpm_testkit::Sandbox;

/// The files of a revision, by path.
type Files = BTreeMap<String, Vec<u8>>;

#[derive(Debug, Default)]
struct FetchedObjects {
    revisions: BTreeSet<Revision>,
    files: BTreeSet<Revision>,
    requests: Vec<&'static str>,
}

#[derive(Debug, Default)]
struct MemorySource {
    versions: SourceVersions,
    revisions: BTreeMap<Revision, Files>,
    /// What was fetched, and in how many requests.
    fetched: Mutex<FetchedObjects>,
    /// Where directories are written out.
    scratch: PathBuf,
}

fn id_of(bytes: &[u8]) -> Revision {
    Checksum::of(bytes).to_string().parse().unwrap()
}

impl MemorySource {
    fn release(&mut self, tag: &str, files: &[(&str, String)]) {
        let owned = |(path, text): &(&str, String)| ((*path).to_owned(), text.as_bytes().to_vec());
        let files: Files = files.iter().map(owned).collect();
        let revision = id_of(format!("{tag}{files:?}").as_bytes());
        self.versions.tags.insert(tag.to_owned(), revision.clone());
        self.versions.default_branch = Some("main".to_owned());
        self.versions
            .branches
            .insert("main".to_owned(), revision.clone());
        self.revisions.insert(revision, files);
    }

    fn files(&self, revision: Option<&Revision>) -> Result<&Files, SourceError> {
        let fetched = self.fetched.lock().unwrap();
        revision
            .filter(|revision| fetched.revisions.contains(revision))
            .and_then(|revision| self.revisions.get(revision))
            .ok_or_else(|| SourceError::NoSuchRevision("no such revision".to_owned()))
    }
}

impl Source for MemorySource {
    fn versioning(&self) -> SourceVersioning {
        SourceVersioning::Versioned
    }

    fn versions(&self) -> Result<Arc<SourceVersions>, SourceError> {
        let mut fetched = self.fetched.lock().unwrap();
        if !fetched.requests.contains(&"versions") {
            fetched.requests.push("versions");
        }
        Ok(Arc::new(self.versions.clone()))
    }

    fn find_revision(&self, digits: &str) -> Result<Revision, SourceError> {
        let mut all = self.revisions.keys();
        let found = all.find(|id| id.as_str().starts_with(digits)).cloned();
        found.ok_or_else(|| SourceError::NoSuchRevision(format!("no revision `{digits}`")))
    }

    fn has_revision(&self, revision: &Revision) -> bool {
        self.fetched.lock().unwrap().revisions.contains(revision)
    }

    fn fetch(&self, revisions: &[Revision], _: FileFetching) -> Result<(), SourceError> {
        let mut fetched = self.fetched.lock().unwrap();
        for revision in revisions {
            if !self.revisions.contains_key(revision) {
                return Err(SourceError::NoSuchRevision("no such revision".to_owned()));
            }
        }
        let before = fetched.revisions.len();
        fetched.revisions.extend(revisions.iter().cloned());
        if fetched.revisions.len() > before {
            fetched.requests.push("revisions");
        }
        Ok(())
    }

    fn entry(
        &self,
        revision: Option<&Revision>,
        path: &str,
    ) -> Result<Option<SourceEntry>, SourceError> {
        let files = self.files(revision)?;
        if let Some(bytes) = files.get(path) {
            return Ok(Some(file(path, bytes)));
        }
        let inside = format!("{path}/");
        let is_directory = files.keys().any(|file| file.starts_with(&inside));
        Ok(is_directory.then(|| SourceEntry {
            path: path.to_owned(),
            kind: SourceEntryKind::Directory,
            id: Some(id_of(format!("{files:?}").as_bytes())),
        }))
    }

    fn walk(
        &self,
        revision: Option<&Revision>,
        directory: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<SourceTree, SourceError> {
        let top = match directory {
            "" => String::new(),
            directory => format!("{directory}/"),
        };
        let mut entries: BTreeMap<String, SourceEntry> = BTreeMap::new();
        for (path, bytes) in self.files(revision)? {
            let Some(inner) = path.strip_prefix(&top) else {
                continue;
            };
            let directories = inner
                .match_indices('/')
                .map(|(at, _)| &path[..top.len() + at]);
            let closed = directories.into_iter().find(|path| !enters(path));
            let entry = match closed {
                Some(path) => SourceEntry {
                    path: path.to_owned(),
                    kind: SourceEntryKind::Directory,
                    id: None,
                },
                None => file(path, bytes),
            };
            entries.insert(entry.path.clone(), entry);
        }
        let entries = entries.into_values().collect();
        Ok(SourceTree {
            entries,
            watch: None,
        })
    }

    fn fetch_files(&self, files: &[&SourceEntry]) -> Result<(), SourceError> {
        let mut fetched = self.fetched.lock().unwrap();
        let before = fetched.files.len();
        fetched
            .files
            .extend(files.iter().filter_map(|file| file.id.clone()));
        if fetched.files.len() > before {
            fetched.requests.push("files");
        }
        Ok(())
    }

    fn size(&self, files: &[&SourceEntry]) -> Result<u64, SourceError> {
        let read = self.read(files)?;
        Ok(read.iter().map(|bytes| bytes.len() as u64).sum())
    }

    fn read(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError> {
        let all = || self.revisions.values().flat_map(BTreeMap::values);
        let fetched = self.fetched.lock().unwrap();
        let read = |file: &&SourceEntry| {
            // A source that is not in memory would need a request for each read.
            let id = file.id.as_ref().unwrap();
            assert!(fetched.files.contains(id), "{} was not fetched", file.path);
            let found = all().find(|bytes| Some(id_of(bytes)) == file.id);
            found.cloned().unwrap()
        };
        Ok(files.iter().map(read).collect())
    }

    fn directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Result<PathBuf, SourceError> {
        let checkout = self.scratch.join(revision.unwrap().short());
        for (path, bytes) in self.files(revision)? {
            let path = checkout.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        Ok(inner.map_or(checkout.clone(), |inner| checkout.join(inner.as_str())))
    }

    fn cached_directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Option<PathBuf> {
        self.directory(revision, inner).ok()
    }

    fn require_directory(
        &self,
        revision: Option<&Revision>,
        inner: &RelativePath,
    ) -> Result<(), SourceError> {
        self.entry(revision, inner.as_str()).map(drop)
    }
}

fn file(path: &str, bytes: &[u8]) -> SourceEntry {
    SourceEntry {
        path: path.to_owned(),
        kind: SourceEntryKind::File(FileMode::Plain),
        id: Some(id_of(bytes)),
    }
}

/// Opens the one source at every address.
struct MemoryOpener(Mutex<Arc<MemorySource>>);

impl SourceOpener for MemoryOpener {
    fn open(&self, _: &SourceAddress, _: &SourceContext) -> Arc<dyn Source> {
        Arc::clone(&*self.0.lock().unwrap()) as Arc<dyn Source>
    }

    fn open_versioned(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        self.open(address, context)
    }
}

/// A version, and its files.
pub(crate) type Release<'r> = (&'r str, Vec<(&'static str, String)>);

/// A project whose every source is one in memory.
pub(crate) struct MemoryProject {
    pub(crate) sandbox: Sandbox,
    opener: Arc<MemoryOpener>,
}

impl MemoryProject {
    pub(crate) fn new(manifest: &str) -> Self {
        let sandbox = Sandbox::new("");
        sandbox.write("agpm.toml", manifest);
        let opener = Arc::new(MemoryOpener(Mutex::new(Arc::default())));
        MemoryProject { sandbox, opener }
    }

    /// Lets the source have these versions, and no others.
    pub(crate) fn publish(&self, releases: &[Release<'_>]) {
        let mut source = MemorySource {
            scratch: self.sandbox.home().with_file_name("tmp"),
            ..MemorySource::default()
        };
        for (version, files) in releases {
            source.release(version, files);
        }
        *self.opener.0.lock().unwrap() = Arc::new(source);
    }

    /// The requests to the source, in order.
    pub(crate) fn requests(&self) -> Vec<&'static str> {
        let source = self.opener.0.lock().unwrap();
        let fetched = source.fetched.lock().unwrap();
        fetched.requests.clone()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.sandbox.work().join(path).exists()
    }

    pub(crate) fn world(&self) -> World {
        let root = self.sandbox.home().parent().unwrap().to_owned();
        World {
            confirm: None,
            environment: Environment {
                approvals: Vec::new(),
                bases: BaseApproval::default(),
                typed: agpm_diag::TypedCommand::default(),
                scope: InstallScope::Project,
                working_directory: self.sandbox.work(),
                manifest: None,
                config: None,
                config_directory: None,
                cache: Some(root.join("cache")),
                home: Some(self.sandbox.home()),
                network: NetworkAccess::Allowed,
                state: None,
                programs: ProgramUse::Approved,
                outside: OutsideReads::Allowed,
                policies: PolicyLocations::default(),
                executables: Vec::new(),
                credentials: Vec::new(),
            },
            sources: Arc::clone(&self.opener) as Arc<dyn SourceOpener>,
            clock: || 0,
            elapsed: || std::time::Duration::ZERO,
            progress: Arc::new(SilentProgress),
        }
    }
}

pub(crate) fn good<T>(outcome: Outcome<T>) -> T {
    let diagnostics = outcome.diagnostics;
    outcome
        .result
        .unwrap_or_else(|kind| panic!("{kind:?}: {diagnostics:#?}"))
}
