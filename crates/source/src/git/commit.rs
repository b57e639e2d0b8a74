//! Finds a commit by the first digits of its id.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_model::Revision as ObjectId;

use crate::git::error::GitError;
use crate::git::fetch::FetchTarget;
use crate::git::reader::{ObjectQuery, ObjectReply};
use crate::git::refs;
use crate::git::remote::RemoteRepository;
use crate::git::run::{self, CUT_SHORT};
use crate::git::source_cache::is_repository;

/// The shortest prefix that git accepts.
const FEWEST_DIGITS: usize = 4;

impl RemoteRepository {
    /// Returns the commit with this id, or whose id starts with these digits.
    ///
    /// Searches the listed refs, then the cache, then the whole history. A full id is also fetched.
    pub fn find_commit(&self, prefix: &str) -> Result<ObjectId, GitError> {
        let prefix = prefix.to_ascii_lowercase();
        if prefix.len() < FEWEST_DIGITS || !prefix.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(self.no_commit(&prefix));
        }
        // A full id needs no search, and servers that do not list it may still send it.
        if let Ok(id) = prefix.parse::<ObjectId>() {
            return self.fetch_commits(std::slice::from_ref(&id)).map(|()| id);
        }
        if let Some(id) = self.listed(&prefix)? {
            return Ok(id);
        }
        // The cache before the network: a commit that was found once is found offline too.
        for repository in [self.source_cache.objects(), self.source_cache.history()] {
            match self.stored(&repository, &prefix) {
                Ok(Some(id)) => return Ok(id),
                // A broken copy is treated as missing.
                Ok(None) | Err(GitError::Broken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        // Servers cannot find a commit by its first digits, so the history of all commits is fetched, without trees and
        // files.
        self.fetch_history()?;
        self.stored(&self.source_cache.history(), &prefix)?
            .ok_or_else(|| self.no_commit(&prefix))
    }

    /// Returns whether a commit is a tip or an ancestor of it. The history is fetched if the tip is not in the cache.
    pub fn is_reachable(&self, commit: &ObjectId, tip: &ObjectId) -> Result<bool, GitError> {
        if commit == tip {
            return Ok(true);
        }
        let history = self.source_cache.history();
        if !self.holds(&history, tip) {
            self.fetch_history()?;
        }
        if !self.holds(&history, commit) {
            return Ok(false);
        }
        let mut command = self.git.command()?;
        command.arg("--git-dir").arg(&history);
        command.args(["rev-list", "--max-count=1", commit.as_str(), "--not"]);
        command.arg(tip.as_str());
        Ok(self.run(command, String::new())?.is_empty())
    }

    /// Returns whether a copy has a commit. A broken copy is treated as missing.
    fn holds(&self, repository: &Path, commit: &ObjectId) -> bool {
        let found = self.stored(repository, commit.as_str());
        found.is_ok_and(|found| found.is_some())
    }

    fn listed(&self, prefix: &str) -> Result<Option<ObjectId>, GitError> {
        let refs = match self.refs() {
            // Offline, an abbreviated commit may still be in the cache.
            Err(error) if error.is_network() => return Ok(None),
            refs => refs?,
        };
        let fitting = refs::commits(&refs).filter(|id| id.as_str().starts_with(prefix));
        self.only(prefix, fitting.cloned().collect())
    }

    fn only(
        &self,
        prefix: &str,
        fitting: BTreeSet<ObjectId>,
    ) -> Result<Option<ObjectId>, GitError> {
        if fitting.len() < 2 {
            return Ok(fitting.into_iter().next());
        }
        Err(GitError::Ambiguous {
            address: self.address.to_string(),
            prefix: prefix.to_owned(),
            candidates: fitting.into_iter().collect(),
        })
    }

    fn fetch_history(&self) -> Result<(), GitError> {
        self.refuse_offline()?;
        let refs = self.refs()?;
        let Some(like) = refs::commits(&refs).next() else {
            return Ok(());
        };
        let lock = self.source_cache.hold()?;
        // Always fetched again completely: it is small, and a broken one is repaired that way.
        self.replace(&self.source_cache.history(), like, &lock, |fresh| {
            self.fetch(fresh, FetchTarget::History)
        })
    }

    fn stored(&self, repository: &Path, prefix: &str) -> Result<Option<ObjectId>, GitError> {
        if !is_repository(repository) {
            return Ok(None);
        }
        let names = self.names_with(repository, prefix)?;
        let mut fitting = BTreeSet::new();
        let mut keep = |_: usize, answer: ObjectReply| {
            if let ObjectReply::Found { id, kind, .. } = answer
                // A tree or a blob may start with the same digits. Only commits are candidates, or valid abbreviations
                // would be ambiguous.
                && kind == "commit"
            {
                fitting.insert(id);
            }
        };
        if !names.is_empty() {
            let answered = self
                .start_reader(repository)?
                .ask(ObjectQuery::Kind, &names, &mut keep);
            answered.map_err(|cause| {
                self.broken(&format!("its copy in the cache cannot be read: {cause}"))
            })?;
        }
        self.only(prefix, fitting)
    }

    /// Returns every object of any kind whose id starts with the digits.
    fn names_with(&self, repository: &Path, prefix: &str) -> Result<Vec<String>, GitError> {
        let mut command = self.git.command()?;
        command
            .arg("--git-dir")
            .arg(repository)
            .args(["rev-parse", &format!("--disambiguate={prefix}")]);
        let output = self.run(command, String::new())?;
        if !run::ends_with(&output, b'\n') {
            return Err(self.broken(CUT_SHORT));
        }
        Ok(String::from_utf8_lossy(&output)
            .lines()
            .map(str::to_owned)
            .collect())
    }
}
