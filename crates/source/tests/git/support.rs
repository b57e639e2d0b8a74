use std::fs;
use std::path::{Path, PathBuf};

use agpm_model::{Revision as ObjectId, SourceAddress};
use agpm_source::git::{GitProgram, NetworkAccess, RemoteRepository};
use agpm_testkit::{Repository, Sandbox};

/// A sandbox and the git program in it.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
}

impl World {
    pub(crate) fn new() -> Self {
        World {
            sandbox: Sandbox::new("git"),
        }
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.sandbox.home().with_file_name("cache")
    }

    pub(crate) fn git(&self, network: NetworkAccess) -> GitProgram {
        let command = self.sandbox.command("git");
        let variables = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let git = GitProgram::find(self.cache(), network).with_variable("GIT_ASKPASS", "");
        variables.fold(git, |git, (name, value)| git.with_variable(name, value))
    }

    pub(crate) fn remote(&self, address: &str) -> RemoteRepository {
        self.git(NetworkAccess::Allowed)
            .remote(&parse(address), &self.sandbox.work())
    }

    pub(crate) fn offline(&self, address: &str) -> RemoteRepository {
        self.git(NetworkAccess::Offline)
            .remote(&parse(address), &self.sandbox.work())
    }

    /// A repository with one agent and one snippet, whose objects may be asked for one by one.
    pub(crate) fn repository(&self) -> (Repository<'_>, ObjectId) {
        let mut repository = Repository::init(&self.sandbox, "repo");
        repository.git(&["config", "uploadpack.allowFilter", "true"]);
        let commit = repository.commit(&[("agents/a.md", "one\n"), ("snippets/s.md", "two\n")]);
        (repository, id(&commit))
    }

    /// Every file of the cache.
    pub(crate) fn cached(&self) -> Vec<PathBuf> {
        files(&self.cache())
    }

    /// The packs of the cache.
    pub(crate) fn packs(&self) -> Vec<PathBuf> {
        self.cached()
            .into_iter()
            .filter(|path| path.extension().is_some_and(|end| end == "pack"))
            .collect()
    }
}

pub(crate) fn id(text: &str) -> ObjectId {
    text.parse().unwrap()
}

pub(crate) fn parse(address: &str) -> SourceAddress {
    SourceAddress::parse(address).unwrap()
}

/// The text of one file of a commit, fetched if need be.
pub(crate) fn text(remote: &RemoteRepository, commit: &ObjectId, path: &str) -> String {
    remote.fetch_commits(std::slice::from_ref(commit)).unwrap();
    let entry = remote
        .entry(commit, path)
        .unwrap()
        .unwrap_or_else(|| panic!("{path}"));
    remote.fetch_blobs(std::slice::from_ref(&entry.id)).unwrap();
    let content = remote.read_blobs(&[entry.id]).unwrap().remove(0);
    String::from_utf8(content).unwrap()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()))
        } else {
            found.push(entry.path())
        }
    }
    found
}
