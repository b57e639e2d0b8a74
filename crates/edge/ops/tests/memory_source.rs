//! A kind of source that the program does not have serves packages, layers and the catalog: all it takes is the trait.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use agpm_model::{Checksum, FileMode, ObjectId, RelativePath, SourceAddress, SourceVersions};
use agpm_ops::{
    CatalogRequest, Environment, InstallRequest, InstallScope, LockUse, NetworkAccess, Outcome,
    OutdatedRequest, OutsideReads, PolicyPlaces, ProgramUse, Silent, UpdateRequest, World, catalog,
    install, outdated, update,
};
use agpm_source::{
    FileFetching, Source, SourceContext, SourceEntry, SourceEntryKind, SourceError, SourceOpener,
    SourceTree, SourceVersioning,
};
use agpm_testkit::Sandbox;

/// The files of a revision, by path.
type Files = BTreeMap<String, Vec<u8>>;

#[derive(Debug, Default)]
struct MemorySource {
    versions: SourceVersions,
    revisions: BTreeMap<ObjectId, Files>,
    /// Where directories are written out.
    scratch: PathBuf,
}

fn id_of(bytes: &[u8]) -> ObjectId {
    let checksum = Checksum::of(bytes).to_string();
    checksum.trim_start_matches("sha256:").parse().unwrap()
}

impl MemorySource {
    fn release(&mut self, tag: &str, files: &[(&str, &str)]) {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
        let files: Files = files.iter().map(owned).collect();
        let revision = id_of(format!("{tag}{files:?}").as_bytes());
        self.versions.tags.insert(tag.to_owned(), revision.clone());
        self.versions.default_branch = Some("main".to_owned());
        self.versions
            .branches
            .insert("main".to_owned(), revision.clone());
        self.revisions.insert(revision, files);
    }

    fn files(&self, revision: Option<&ObjectId>) -> Result<&Files, SourceError> {
        revision
            .and_then(|revision| self.revisions.get(revision))
            .ok_or_else(|| SourceError::NoSuchRevision("no such revision".to_owned()))
    }
}

impl Source for MemorySource {
    fn versioning(&self) -> SourceVersioning {
        SourceVersioning::Versioned
    }

    fn versions(&self) -> Result<Arc<SourceVersions>, SourceError> {
        Ok(Arc::new(self.versions.clone()))
    }

    fn find_revision(&self, digits: &str) -> Result<ObjectId, SourceError> {
        let mut all = self.revisions.keys();
        let found = all.find(|id| id.as_str().starts_with(digits)).cloned();
        found.ok_or_else(|| SourceError::NoSuchRevision(format!("no revision `{digits}`")))
    }

    fn has_revision(&self, revision: &ObjectId) -> bool {
        self.revisions.contains_key(revision)
    }

    fn fetch(&self, revisions: &[ObjectId], _: FileFetching) -> Result<(), SourceError> {
        revisions
            .iter()
            .try_for_each(|revision| self.files(Some(revision)).map(drop))
    }

    fn entry(
        &self,
        revision: Option<&ObjectId>,
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
        revision: Option<&ObjectId>,
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

    fn size(&self, files: &[&SourceEntry]) -> Result<u64, SourceError> {
        let read = self.read(files)?;
        Ok(read.iter().map(|bytes| bytes.len() as u64).sum())
    }

    fn read(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError> {
        let all = || self.revisions.values().flat_map(BTreeMap::values);
        let read = |file: &&SourceEntry| {
            let found = all().find(|bytes| Some(id_of(bytes)) == file.id);
            found.cloned().unwrap()
        };
        Ok(files.iter().map(read).collect())
    }

    fn directory(
        &self,
        revision: Option<&ObjectId>,
        inner: Option<&RelativePath>,
    ) -> Result<PathBuf, SourceError> {
        let place = self.scratch.join(revision.unwrap().as_str());
        for (path, bytes) in self.files(revision)? {
            let path = place.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        Ok(inner.map_or(place.clone(), |inner| place.join(inner.as_str())))
    }

    fn kept_directory(
        &self,
        revision: Option<&ObjectId>,
        inner: Option<&RelativePath>,
    ) -> Option<PathBuf> {
        self.directory(revision, inner).ok()
    }

    fn require_directory(
        &self,
        revision: Option<&ObjectId>,
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

const MANIFEST: &str = r#"
[sources]
registry = "https://registry.invalid/team"

[agents]
all = { source = "registry", path = "agents/*.md", version = "^1.0" }

[skills]
testing = { source = "registry", path = "skills/testing", version = "^1.0" }

[[layers]]
name = "org"
source = "registry"
version = "^1.0"
root = "layer"

[catalog]
remotes = ["registry#v1.0.0"]
"#;

const ROWS: &str = "name,title,module,path\npm,Plans,bmm,bmad/bmm/agents/pm.md\n";

fn release(version: &str) -> Vec<(&'static str, String)> {
    vec![
        ("agents/reviewer.md", format!("Review {version}.\n")),
        ("agents/writer.md", "Write.\n".to_owned()),
        (
            "skills/testing/SKILL.md",
            "---\nname: testing\ndescription: Tests.\n---\nTest.\n".to_owned(),
        ),
        ("skills/testing/notes/more.md", format!("More {version}.\n")),
        (
            "layer/.claude/settings.json",
            "{\"model\": \"opus\"}\n".to_owned(),
        ),
        ("bmad/_cfg/agent-manifest.csv", ROWS.to_owned()),
        ("bmad/bmm/agents/pm.md", "You plan.\n".to_owned()),
    ]
}

struct Place {
    sandbox: Sandbox,
    opener: Arc<MemoryOpener>,
}

impl Place {
    fn new(versions: &[&str]) -> Self {
        let sandbox = Sandbox::new("");
        sandbox.write("agpm.toml", MANIFEST);
        let opener = MemoryOpener(Mutex::new(Arc::default()));
        let place = Place {
            sandbox,
            opener: Arc::new(opener),
        };
        place.publish(versions);
        place
    }

    fn publish(&self, versions: &[&str]) {
        let mut source = MemorySource {
            scratch: self.sandbox.home().with_file_name("tmp"),
            ..MemorySource::default()
        };
        for version in versions {
            let files = release(version);
            let files: Vec<(&str, &str)> = files
                .iter()
                .map(|(path, text)| (*path, text.as_str()))
                .collect();
            source.release(version, &files);
        }
        *self.opener.0.lock().unwrap() = Arc::new(source);
    }

    fn world(&self) -> World {
        let root = self.sandbox.home().parent().unwrap().to_owned();
        World {
            confirm: None,
            environment: Environment {
                approvals: Vec::new(),
                scope: InstallScope::Project,
                folder: self.sandbox.work(),
                manifest: None,
                config: None,
                config_folder: None,
                cache: Some(root.join("cache")),
                home: Some(self.sandbox.home()),
                network: NetworkAccess::Allowed,
                state: None,
                programs: ProgramUse::Approved,
                outside: OutsideReads::Allowed,
                policies: PolicyPlaces::default(),
                executables: Vec::new(),
            },
            sources: Arc::clone(&self.opener) as Arc<dyn SourceOpener>,
            clock: || 0,
            progress: Arc::new(Silent),
        }
    }
}

fn good<T>(outcome: Outcome<T>) -> T {
    let diagnostics = outcome.diagnostics;
    outcome
        .result
        .unwrap_or_else(|kind| panic!("{kind:?}: {diagnostics:#?}"))
}

#[test]
fn packages_and_layers_install_from_it_and_are_locked() {
    let place = Place::new(&["v1.0.0"]);
    good(install(&place.world(), &InstallRequest::PLAIN));
    assert_eq!(
        place.sandbox.read(".claude/agents/reviewer.md"),
        "Review v1.0.0.\n"
    );
    assert_eq!(place.sandbox.read(".claude/agents/writer.md"), "Write.\n");
    assert_eq!(
        place.sandbox.read(".claude/skills/testing/notes/more.md"),
        "More v1.0.0.\n"
    );
    assert!(place.sandbox.read(".claude/settings.json").contains("opus"));
    let lock = place.sandbox.read("agpm.lock");
    assert_eq!(lock.matches("version = \"v1.0.0\"").count(), 5, "{lock}");

    // A new release changes nothing until somebody asks for it.
    place.publish(&["v1.0.0", "v1.1.0"]);
    for lock in [LockUse::Update, LockUse::Locked, LockUse::Frozen] {
        let request = InstallRequest {
            lock,
            ..InstallRequest::PLAIN
        };
        good(install(&place.world(), &request));
        assert_eq!(
            place.sandbox.read(".claude/agents/reviewer.md"),
            "Review v1.0.0.\n"
        );
    }
    let report = good(outdated(&place.world(), &OutdatedRequest::default()));
    let rows: Vec<(&str, &str)> = report
        .outdated
        .iter()
        .map(|row| (row.name.as_str(), row.newest.as_str()))
        .collect();
    assert!(
        rows.contains(&("reviewer", "v1.1.0")) && rows.contains(&("org", "v1.1.0")),
        "{rows:?}"
    );
    let request = UpdateRequest {
        names: Vec::new(),
        install: InstallRequest::PLAIN,
    };
    let report = good(update(&place.world(), &request));
    assert!(
        report
            .moved
            .iter()
            .any(|moved| moved.id.to_string() == "agents/reviewer")
    );
    assert_eq!(
        place.sandbox.read(".claude/agents/reviewer.md"),
        "Review v1.1.0.\n"
    );
}

#[test]
fn a_tag_that_moved_is_reported_and_followed_by_update() {
    let place = Place::new(&["v1.0.0"]);
    good(install(&place.world(), &InstallRequest::PLAIN));
    let mut source = MemorySource {
        scratch: place.sandbox.home().with_file_name("tmp"),
        ..MemorySource::default()
    };
    let files = release("other");
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    source.release("v1.0.0", &files);
    *place.opener.0.lock().unwrap() = Arc::new(source);
    let outcome = outdated(&place.world(), &OutdatedRequest::default());
    let moved = outcome
        .diagnostics
        .iter()
        .any(|found| found.message.starts_with("tag v1.0.0 of registry moved: "));
    assert!(moved, "{:?}", outcome.diagnostics);
    let request = UpdateRequest {
        names: Vec::new(),
        install: InstallRequest::PLAIN,
    };
    good(update(&place.world(), &request));
    assert_eq!(
        place.sandbox.read(".claude/agents/reviewer.md"),
        "Review other.\n"
    );
}

#[test]
fn the_catalog_reads_it() {
    let place = Place::new(&["v1.0.0"]);
    good(install(&place.world(), &InstallRequest::PLAIN));
    let report = good(catalog(&place.world(), &CatalogRequest::default()));
    let rows: Vec<String> = report.rows().map(|row| format!("{row:?}")).collect();
    assert_eq!(rows.len(), 1, "{rows:?}");
}
