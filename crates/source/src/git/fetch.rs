//! Fetches objects into the cache, all missing ones at once.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_model::Revision as ObjectId;

use crate::git::error::GitError;
use crate::git::locking::locked;
use crate::git::reader::{ObjectQuery, ObjectReply};
use crate::git::remote::{REMOTE, RemoteRepository};
use crate::git::source_cache::CacheLock;
use crate::git::stderr::{is_missing_on_server, refuses_bare_ids};

/// Local repositories up to this size are copied with whole commits: one fetch of whole commits is faster than one
/// without files followed by one for the files.
const SMALL: u64 = 16 << 20;

/// The objects to fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FetchTarget<'a> {
    /// These commits with all their trees, without history.
    Commits(&'a [ObjectId]),
    /// These commits with their top directories alone, without history.
    TopDirectories(&'a [ObjectId]),
    /// These commits with their trees and files, without history.
    WholeCommits(&'a [ObjectId]),
    /// These files.
    Blobs(&'a [ObjectId]),
    /// Every branch and tag with history, trees and files, from a server that sends no single objects.
    Everything,
    /// Every branch and tag with history, without trees.
    History,
}

impl FetchTarget<'_> {
    fn extent(self) -> &'static [&'static str] {
        match self {
            FetchTarget::Commits(_) => &["--depth=1", "--filter=blob:none"],
            FetchTarget::TopDirectories(_) => &["--depth=1", "--filter=tree:1"],
            FetchTarget::WholeCommits(_) => &["--depth=1"],
            FetchTarget::Blobs(_) => &["--filter=blob:none"],
            // A shallow source can still be copied as it is.
            FetchTarget::Everything => &["--update-shallow"],
            FetchTarget::History => &["--update-shallow", "--filter=tree:0"],
        }
    }

    /// The negotiation with the server: no object in the cache makes a single file unnecessary.
    fn negotiation(self) -> &'static str {
        if matches!(self, FetchTarget::Blobs(_)) {
            "noop"
        } else {
            "default"
        }
    }

    /// The input for git, one object per line. A ref keeps each commit, so the next fetch gets only the difference.
    fn lines(self) -> String {
        match self {
            FetchTarget::Commits(ids)
            | FetchTarget::TopDirectories(ids)
            | FetchTarget::WholeCommits(ids) => ids
                .iter()
                .map(|id| format!("+{id}:refs/agpm/{id}\n"))
                .collect(),
            FetchTarget::Blobs(ids) => ids.iter().map(|id| format!("{id}\n")).collect(),
            FetchTarget::Everything | FetchTarget::History => {
                "+refs/heads/*:refs/agpm/heads/*\n+refs/tags/*:refs/agpm/tags/*\n".to_owned()
            }
        }
    }
}

/// Whether files are fetched together with their commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlobFetching {
    /// If one request for everything costs less than two.
    WithCommits,
    /// Each file when it is read.
    OnDemand,
}

impl RemoteRepository {
    /// Fetches commits with all their trees; those in the cache cost nothing.
    pub fn fetch_commits(&self, wanted: &[ObjectId]) -> Result<(), GitError> {
        self.fetch_commits_with(wanted, BlobFetching::WithCommits)
    }

    /// Fetches commits for callers that only list names: no file is fetched.
    pub fn fetch_listings(&self, wanted: &[ObjectId]) -> Result<(), GitError> {
        self.fetch_commits_with(wanted, BlobFetching::OnDemand)
    }

    fn fetch_commits_with(&self, wanted: &[ObjectId], files: BlobFetching) -> Result<(), GitError> {
        let unique: BTreeSet<ObjectId> = wanted.iter().cloned().collect();
        let wanted: Vec<ObjectId> = unique.iter().cloned().collect();
        locked(&self.wanted).extend(unique.iter().cloned());
        if self
            .missing_commits(&wanted)
            .is_ok_and(|missing| missing.is_empty())
        {
            return Ok(());
        }
        self.refuse_offline()?;
        let lock = self.source_cache.hold()?;
        let fetched = match self.fetch_missing_commits(&wanted, files, &lock) {
            Err(error @ GitError::Broken { .. }) => self.rebuild(error, &lock),
            fetched => fetched,
        };
        // Objects that the source lacks must not be requested again when the copy is rebuilt for another reason.
        fetched.inspect_err(|_| locked(&self.wanted).retain(|id| !unique.contains(id)))
    }

    fn fetch_missing_commits(
        &self,
        wanted: &[ObjectId],
        files: BlobFetching,
        lock: &CacheLock,
    ) -> Result<(), GitError> {
        let Some(first) = wanted.first() else {
            return Ok(());
        };
        let repository = self.source_cache.objects();
        self.source_cache.prepare(&repository, first, lock)?;
        // Another thread may have fetched them in the meantime.
        let missing = self.missing_commits(wanted)?;
        if missing.is_empty() {
            return Ok(());
        }
        // Three fetches of a few hundred files from a local repository took 150 ms, one fetch of whole commits 45.
        let commits = if files == BlobFetching::WithCommits && self.is_small() {
            FetchTarget::WholeCommits(&missing)
        } else {
            FetchTarget::Commits(&missing)
        };
        match self.fetch(&repository, commits) {
            Err(error) if refuses_bare_ids(&error) => self.fetch_everything(first, lock)?,
            Err(error) if is_missing_on_server(&error) => {
                return Err(self.missing_error(&missing, &error));
            }
            fetched => fetched?,
        }
        match self.missing_commits(&missing)?.first() {
            None => Ok(()),
            Some(id) => Err(self.broken(&format!("{id} did not arrive as a commit"))),
        }
    }

    /// Returns whether the source is local and so small that copying all files of a commit at once costs less than
    /// fetching some of them several times.
    fn is_small(&self) -> bool {
        let path = Path::new(self.url());
        let path = path
            .to_str()
            .and_then(|url| url.strip_prefix("file://"))
            .map_or(path, Path::new);
        let objects = [path.join(".git/objects"), path.join("objects")];
        let found = objects
            .iter()
            .find(|directory| agpm_store::is_directory(directory));
        self.address.is_local()
            && found.is_some_and(|directory| agpm_store::is_smaller(directory, SMALL))
    }

    /// Fetches everything, from a server that does not send single objects. A new copy replaces the old one, because a
    /// server does not send again what it assumes to be in the old one, and any file may be missing there.
    pub(crate) fn fetch_everything(
        &self,
        like: &ObjectId,
        lock: &CacheLock,
    ) -> Result<(), GitError> {
        self.replace(&self.source_cache.objects(), like, lock, |fresh| {
            self.fetch(fresh, FetchTarget::Everything)
        })
    }

    /// Replaces a repository with a new one; the old one stays if the new one cannot be filled.
    pub(crate) fn replace(
        &self,
        old: &Path,
        like: &ObjectId,
        lock: &CacheLock,
        fill: impl FnOnce(&Path) -> Result<(), GitError>,
    ) -> Result<(), GitError> {
        let fresh = self.source_cache.rebuilt();
        agpm_store::remove_directory(&fresh)?;
        self.source_cache.prepare(&fresh, like, lock)?;
        if let Err(error) = fill(&fresh) {
            agpm_store::remove_directory(&fresh)?;
            return Err(error);
        }
        let mut reader = locked(&self.reader);
        *reader = None;
        Ok(agpm_store::replace_directory(&fresh, old)?)
    }

    /// Fetches everything requested in one request.
    pub(crate) fn fetch(&self, repository: &Path, wanted: FetchTarget<'_>) -> Result<(), GitError> {
        let files = match wanted {
            FetchTarget::Blobs(ids) => Some(ids.len()),
            _ => None,
        };
        let transfer = self.git.begin_transfer(self.address.redacted(), files);
        let fetched = match self.fetch_over_connection(repository, wanted, &transfer) {
            Ok(None) => self.fetch_by_program(repository, wanted),
            fetched => fetched.map(drop),
        };
        fetched.inspect_err(|_| {
            // A partial pack can be large. No other process is writing one, because the lock is held.
            agpm_store::sweep(&repository.join("objects").join("pack"), "tmp_");
        })
    }

    pub(crate) fn fetch_by_program(
        &self,
        repository: &Path,
        wanted: FetchTarget<'_>,
    ) -> Result<(), GitError> {
        let mut command = self.connecting()?;
        // Set here and not in the repository: only a fetch may know that objects are left out on purpose.
        if !matches!(
            wanted,
            FetchTarget::Everything | FetchTarget::WholeCommits(_)
        ) {
            command.args(["-c", &format!("remote.{REMOTE}.promisor=true")]);
            command.args([
                "-c",
                &format!("remote.{REMOTE}.partialclonefilter=blob:none"),
            ]);
        }
        command.args([
            "-c",
            &format!("fetch.negotiationAlgorithm={}", wanted.negotiation()),
        ]);
        command.arg("--git-dir").arg(repository);
        command.args([
            "fetch",
            "--progress",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
        ]);
        command.args(["--recurse-submodules=no", "--stdin"]);
        command.args(wanted.extent()).arg(REMOTE);
        self.run(command, wanted.lines()).map(drop)
    }

    /// Returns the commits that are not in the cache with their top tree.
    pub(crate) fn missing_commits(&self, wanted: &[ObjectId]) -> Result<Vec<ObjectId>, GitError> {
        let names: Vec<String> = wanted.iter().map(top_directory).collect();
        let mut missing = Vec::new();
        self.ask(ObjectQuery::Kind, &names, &mut |at, answer| {
            if !matches!(answer, ObjectReply::Found { .. }) {
                missing.push(wanted[at].clone());
            }
        })?;
        Ok(missing)
    }

    /// Creates the copy again, once, if it may have caused the failure; otherwise returns the failure.
    pub(crate) fn rebuild_after(&self, error: GitError) -> Result<(), GitError> {
        let suspicious = matches!(
            error,
            GitError::Broken { .. } | GitError::MissingObject { .. }
        );
        if !suspicious || self.refuse_offline().is_err() {
            return Err(error);
        }
        let lock = self.source_cache.hold()?;
        self.rebuild(error, &lock)
    }

    /// The old copy stays until the new one is known to be better.
    fn rebuild(&self, error: GitError, lock: &CacheLock) -> Result<(), GitError> {
        let commits: Vec<ObjectId> = locked(&self.wanted).iter().cloned().collect();
        let Some(first) = commits.first() else {
            return Err(error);
        };
        if std::mem::replace(&mut *locked(&self.rebuilt), true) {
            return Err(error);
        }
        self.replace(&self.source_cache.objects(), first, lock, |fresh| {
            match self.fetch(fresh, FetchTarget::Commits(&commits)) {
                Err(error) if refuses_bare_ids(&error) => {
                    self.fetch(fresh, FetchTarget::Everything)?
                }
                Err(error) if is_missing_on_server(&error) => {
                    return Err(self.missing_error(&commits, &error));
                }
                fetched => fetched?,
            }
            self.check(fresh, &commits, error)
        })
    }

    /// Returns whether a new copy has the commits, and the object that was missing in the old one.
    fn check(&self, fresh: &Path, commits: &[ObjectId], error: GitError) -> Result<(), GitError> {
        let mut names: Vec<String> = commits.iter().map(top_directory).collect();
        if let GitError::MissingObject { object, .. } = &error {
            names.push(object.to_string());
        }
        let mut lacking = None;
        let answered =
            self.start_reader(fresh)?
                .ask(ObjectQuery::Kind, &names, &mut |at, answer| {
                    if !matches!(answer, ObjectReply::Found { .. }) {
                        lacking.get_or_insert(at);
                    }
                });
        match lacking.map(|at| commits.get(at)) {
            _ if answered.is_err() => Err(error),
            None => Ok(()),
            Some(Some(commit)) => Err(self.no_commit(commit.as_str())),
            Some(None) => Err(error),
        }
    }

    fn missing_error(&self, commits: &[ObjectId], error: &GitError) -> GitError {
        let text = error.to_string();
        let named = commits
            .iter()
            .find(|id| text.contains(id.as_str()))
            .or(commits.first());
        self.no_commit(named.map_or("", ObjectId::as_str))
    }

    pub(crate) fn no_commit(&self, commit: &str) -> GitError {
        GitError::NoSuchCommit {
            address: self.address.to_string(),
            commit: commit.to_owned(),
        }
    }
}

/// Returns the name of a commit's top tree.
fn top_directory(commit: &ObjectId) -> String {
    format!("{commit}^{{commit}}^{{tree}}")
}
