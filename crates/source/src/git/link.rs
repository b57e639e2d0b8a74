//! The connection of a source: opened when something is first requested, and shared by all requests of a run.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use agpm_model::{Revision as ObjectId, SourceVersions};

use crate::git::connection::{Connection, ConnectionError, Link};
use crate::git::error::GitError;
use crate::git::fetch::FetchTarget;
use crate::git::locking::locked;
use crate::git::protocol::WantedPack;
use crate::git::remote::{REMOTE, RemoteRepository};
use crate::git::source_cache::MOST_REFS;
use crate::transfer::Transfer;

/// The most commits of the cache that a request names. More would make requests larger than what they save.
const MOST_STORED: usize = 256;

impl RemoteRepository {
    /// Lists branches and tags over the connection; `None` if it cannot be used.
    pub(crate) fn list_over_connection(&self) -> Result<Option<SourceVersions>, GitError> {
        self.with_connection(|connection| {
            connection
                .list()
                .map_err(|error| self.connection_failure(error))
        })
    }

    /// Fetches objects over the connection; `None` if it cannot be used.
    pub(crate) fn fetch_over_connection(
        &self,
        repository: &Path,
        target: FetchTarget<'_>,
        transfer: &Transfer,
    ) -> Result<Option<()>, GitError> {
        let stored = stored_commits(repository);
        let wanted = match target {
            FetchTarget::Commits(ids) => WantedPack::Commits {
                ids,
                stored: &stored,
            },
            FetchTarget::Blobs(ids) => WantedPack::Files(ids),
            FetchTarget::TopDirectories(_)
            | FetchTarget::WholeCommits(_)
            | FetchTarget::Everything
            | FetchTarget::History => {
                return Ok(None);
            }
        };
        self.with_connection(|connection| {
            let mut indexer = self.start_indexer(repository)?;
            let fetched = connection.fetch(&wanted, &mut transfer.counting(&mut indexer));
            let shallow = fetched.map_err(|error| self.connection_failure(error))?;
            if !indexer.finish() {
                return Err(self.broken("the pack that it sent is not valid"));
            }
            if let WantedPack::Commits { ids, .. } = wanted {
                self.keep_commits(repository, ids, &shallow)?;
            }
            Ok(())
        })
    }

    /// Starts the process that stores a pack in a repository.
    fn start_indexer(&self, repository: &Path) -> Result<PackIndexer, GitError> {
        let mut command = self.git.command()?;
        command.arg("--git-dir").arg(repository);
        command.args(["index-pack", "--stdin", "--promisor"]);
        PackIndexer::start(command)
    }

    /// Records commits in the repository as `git fetch` does: by a ref, from which the next fetch knows what it need
    /// not send, and in the list of commits without parents.
    fn keep_commits(
        &self,
        repository: &Path,
        commits: &[ObjectId],
        shallow: &[ObjectId],
    ) -> Result<(), GitError> {
        let path = repository.join("shallow");
        if !shallow.is_empty() {
            let known = agpm_store::read(&path, MOST_REFS).unwrap_or_default();
            let known = String::from_utf8_lossy(&known);
            let mut ids: BTreeSet<&str> = known.lines().collect();
            ids.extend(shallow.iter().map(ObjectId::as_str));
            let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
            agpm_store::write_atomically(&path, text.as_bytes())?;
        }
        for id in commits {
            let reference = repository.join("refs/agpm").join(id.as_str());
            agpm_store::write_atomically(&reference, format!("{id}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Runs a request over the connection, which is opened if necessary; `None` if it cannot be used. After a failure
    /// the next request opens a new one.
    fn with_connection<T>(
        &self,
        request: impl FnOnce(&mut Connection) -> Result<T, GitError>,
    ) -> Result<Option<T>, GitError> {
        let mut link = locked(&self.link);
        if matches!(*link, Link::Closed) {
            *link = self.open_link()?;
        }
        let Link::Open(connection) = &mut *link else {
            return Ok(None);
        };
        let result = request(connection);
        if result.is_err() {
            *link = Link::Closed;
        }
        result.map(Some)
    }

    fn open_link(&self) -> Result<Link, GitError> {
        let Some(helper) = self.http_helper()? else {
            return Ok(Link::Unsuitable);
        };
        let mut command = self.connecting()?;
        // The helper finds the URL under the name of the remote: an argument would show a token to other users.
        command.args([helper, REMOTE]);
        match Connection::open(command, self.git.patience()) {
            Ok(link) => Ok(link),
            // A git that was built without HTTP says so itself.
            Err(ConnectionError::Failed(words)) if words.contains("is not a git command") => {
                Ok(Link::Unsuitable)
            }
            Err(error) => Err(self.connection_failure(error)),
        }
    }

    /// Returns git's helper for the URL, as the user's configuration rewrites it; `None` if it is not one of HTTP.
    fn http_helper(&self) -> Result<Option<&'static str>, GitError> {
        if self.address.is_local() {
            return Ok(None);
        }
        let mut command = self.connecting()?;
        command.args(["config", "--list", "--name-only"]);
        let names = self.run(command, String::new())?;
        let names = String::from_utf8_lossy(&names);
        // Only `git fetch` obeys these.
        let restricts = |name: &str| {
            [
                "protocol.allow",
                "protocol.http.allow",
                "protocol.https.allow",
            ]
            .contains(&name)
        };
        if names.lines().any(restricts) {
            return Ok(None);
        }
        let rewrites = |name: &str| name.starts_with("url.") && name.ends_with(".insteadof");
        let url = if names.lines().any(rewrites) {
            let mut command = self.connecting()?;
            command.args(["ls-remote", "--get-url", REMOTE]);
            String::from_utf8_lossy(&self.run(command, String::new())?).into_owned()
        } else {
            self.url().to_string_lossy().into_owned()
        };
        Ok(match url.split_once("://") {
            Some(("https", _)) => Some("remote-https"),
            Some(("http", _)) => Some("remote-http"),
            _ => None,
        })
    }

    fn connection_failure(&self, error: ConnectionError) -> GitError {
        match error {
            ConnectionError::Failed(words) => self.failure(&words),
            ConnectionError::Silent => self.timed_out(),
        }
    }
}

/// Returns the commits that a repository has with all their trees.
fn stored_commits(repository: &Path) -> Vec<ObjectId> {
    let names = agpm_store::names_in(&repository.join("refs/agpm"));
    let ids = names.iter().filter_map(|name| name.parse().ok());
    ids.take(MOST_STORED).collect()
}

/// A running `git index-pack`, which is stopped unless it finishes.
struct PackIndexer {
    child: Child,
}

impl PackIndexer {
    fn start(mut command: Command) -> Result<Self, GitError> {
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|cause| GitError::NoGit { cause })?;
        Ok(PackIndexer { child })
    }

    /// Ends the input, and returns whether the pack is valid and stored.
    fn finish(&mut self) -> bool {
        drop(self.child.stdin.take());
        self.child.wait().is_ok_and(|status| status.success())
    }
}

impl Write for PackIndexer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.child.stdin {
            Some(stdin) => stdin.write(bytes),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Drop for PackIndexer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
