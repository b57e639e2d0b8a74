use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use agpm_model::{AddressKind, Revision as ObjectId, SourceAddress, SourceVersions};

use crate::git::cache::CachedSource;
use crate::git::connection::Link;
use crate::git::error::GitError;
use crate::git::locking::locked;
use crate::git::program::{GitProgram, NetworkAccess};
use crate::git::reader::{ObjectQuery, ObjectReader, ObjectReply};
use crate::git::refs;
use crate::git::run::{self, CUT_SHORT, RunOutcome};
use crate::git::source_cache::{SourceCache, is_repository};
use crate::git::stderr;
use crate::git::tree::{self, TreeEntry, TreeEntryKind};

/// One source, which several threads can use.
#[derive(Debug)]
pub struct RemoteRepository {
    pub(crate) git: GitProgram,
    pub(crate) address: SourceAddress,
    pub(crate) source_cache: SourceCache,
    url: OsString,
    refs: Mutex<Option<Arc<SourceVersions>>>,
    pub(crate) reader: Mutex<Option<ObjectReader>>,
    trees: Mutex<HashMap<ObjectId, Arc<Vec<TreeEntry>>>>,
    /// The index of the names in each directory, built when a file in it is requested.
    names: Mutex<HashMap<ObjectId, HashMap<String, usize>>>,
    /// The requested commits, to fetch them again if the copy is broken.
    pub(crate) wanted: Mutex<BTreeSet<ObjectId>>,
    /// The requested files, to fetch them again if another process removed the copy.
    pub(crate) wanted_blobs: Mutex<HashSet<ObjectId>>,
    pub(crate) rebuilt: Mutex<bool>,
    pub(crate) link: Mutex<Link>,
}

/// Returns whether a directory is a git repository, bare or with a working tree.
pub fn is_git_directory(path: &Path) -> bool {
    let inner = path.join(".git");
    agpm_store::is_directory(&inner) || agpm_store::is_file(&inner) || is_repository(path)
}

/// Returns whether a directory is a bare git repository, of which only versions can be read.
pub fn is_bare_repository(path: &Path) -> bool {
    is_repository(path)
}

impl GitProgram {
    /// Opens a source; a relative directory starts at `base`, which is absolute.
    pub fn remote(&self, address: &SourceAddress, base: &Path) -> RemoteRepository {
        RemoteRepository::new(self.clone(), address.clone(), base)
    }
}

impl RemoteRepository {
    pub(crate) fn new(git: GitProgram, address: SourceAddress, base: &Path) -> Self {
        let (url, label) = match address.kind() {
            AddressKind::Directory(text) => {
                let path = absolute(text, base, git.home());
                (path.clone().into_os_string(), path.display().to_string())
            }
            // The URL with its secret goes only to git. Everything that is shown or stored uses the other one.
            _ => (address.reveal().into(), address.redacted().to_owned()),
        };
        RemoteRepository {
            source_cache: SourceCache::of(git.cache(), label),
            git,
            address,
            url,
            refs: Mutex::default(),
            reader: Mutex::default(),
            trees: Mutex::default(),
            names: Mutex::default(),
            wanted: Mutex::default(),
            wanted_blobs: Mutex::default(),
            rebuilt: Mutex::default(),
            link: Mutex::default(),
        }
    }

    /// Returns the URL, which displays without its secrets.
    pub fn address(&self) -> &SourceAddress {
        &self.address
    }

    /// Returns the URL for git.
    pub(crate) fn url(&self) -> &OsString {
        &self.url
    }

    /// Returns whether this is the copy of the source.
    pub fn is_cached_in(&self, cached: &CachedSource) -> bool {
        self.source_cache.directory() == cached.directory()
    }

    /// Returns the refs of the source, requested once; offline, those of the last request.
    pub fn refs(&self) -> Result<Arc<SourceVersions>, GitError> {
        let mut refs_cache = locked(&self.refs);
        if let Some(refs) = &*refs_cache {
            return Ok(Arc::clone(refs));
        }
        let refs = match self.refuse_offline() {
            Ok(()) => self.list()?,
            // Offline, the last listing is good enough to resolve what was resolved before; without one the error
            // names the cause.
            Err(offline) => self.remembered_refs().ok_or(offline)?,
        };
        Ok(Arc::clone(refs_cache.insert(Arc::new(refs))))
    }

    /// Returns the refs of the last request.
    pub fn remembered_refs(&self) -> Option<SourceVersions> {
        self.source_cache
            .remembered()
            .map(|listing| refs::parse(&listing))
    }

    /// Returns the entries of a tree, or of a commit's top tree, in git's order.
    pub fn tree(&self, tree_or_commit: &ObjectId) -> Result<Arc<Vec<TreeEntry>>, GitError> {
        if let Some(entries) = locked(&self.trees).get(tree_or_commit) {
            return Ok(Arc::clone(entries));
        }
        let entries = match self.read_tree(tree_or_commit) {
            Err(error) => {
                // A cache can be damaged by a full disk or another program. It is only a copy, so it is fetched
                // again before anything is reported.
                self.rebuild_after(error)?;
                self.read_tree(tree_or_commit)?
            }
            Ok(entries) => entries,
        };
        let entries = Arc::new(entries);
        locked(&self.trees).insert(tree_or_commit.clone(), Arc::clone(&entries));
        Ok(entries)
    }

    /// Returns the entry at a path of a commit, with `/` as separator; `None` if it does not exist.
    pub fn entry(&self, commit: &ObjectId, path: &str) -> Result<Option<TreeEntry>, GitError> {
        let mut found: Option<TreeEntry> = None;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let tree = match &found {
                None => commit,
                Some(entry) if entry.kind == TreeEntryKind::Directory => &entry.id,
                Some(_) => return Ok(None),
            };
            let Some(next) = self.named(tree, part)? else {
                return Ok(None);
            };
            found = Some(next);
        }
        Ok(found)
    }

    /// Returns the entry of that name in a directory. Names are indexed, because every file of a large directory is
    /// requested.
    fn named(&self, tree: &ObjectId, name: &str) -> Result<Option<TreeEntry>, GitError> {
        let entries = self.tree(tree)?;
        let mut all = locked(&self.names);
        let names = all.entry(tree.clone()).or_insert_with(|| {
            entries
                .iter()
                .enumerate()
                .map(|(at, entry)| (entry.name.clone(), at))
                .collect()
        });
        Ok(names.get(name).and_then(|at| entries.get(*at)).cloned())
    }

    /// Returns whether a commit is in the cache, with all its trees.
    pub fn has_commit(&self, id: &ObjectId) -> bool {
        self.missing_commits(std::slice::from_ref(id))
            .is_ok_and(|missing| missing.is_empty())
    }

    /// Returns the time of a commit or an annotated tag in the cache, in seconds since 1970; `None` if it has none.
    pub fn object_time(&self, id: &ObjectId) -> Result<Option<u64>, GitError> {
        let mut read = None;
        self.ask(ObjectQuery::Content, &[id.to_string()], &mut |_, answer| {
            read = Some(answer);
        })?;
        match read {
            Some(ObjectReply::Found { content, .. }) => Ok(time_of(&content)),
            _ => Err(self.missing(id)),
        }
    }

    fn list(&self) -> Result<SourceVersions, GitError> {
        let _transfer = self.git.begin_transfer(self.address.redacted(), None);
        let refs = match self.list_over_connection()? {
            Some(refs) => refs,
            None => self.list_by_program()?,
        };
        // Written without secrets and after parsing, so the stored list can always be read back.
        self.source_cache.remember(&refs::listing(&refs))?;
        agpm_store::mark_used(self.source_cache.directory());
        Ok(refs)
    }

    fn list_by_program(&self) -> Result<SourceVersions, GitError> {
        let mut command = self.connecting()?;
        // `--symref` gives the default branch in the same connection.
        command.args(["ls-remote", "--symref", REMOTE]);
        let output = self.run(command, String::new())?;
        // Stored for offline use, so an incomplete listing must not get this far.
        if !run::ends_with(&output, b'\n') {
            return Err(self.broken(CUT_SHORT));
        }
        Ok(refs::parse(&String::from_utf8_lossy(&output)))
    }

    fn read_tree(&self, id: &ObjectId) -> Result<Vec<TreeEntry>, GitError> {
        let mut read = None;
        self.ask(
            ObjectQuery::Content,
            &[format!("{id}^{{tree}}")],
            &mut |_, answer| read = Some(answer),
        )?;
        match read {
            Some(ObjectReply::Found { content, .. }) => {
                tree::parse(&content, id.as_str().len() / 2)
                    .ok_or_else(|| self.broken(&format!("{id} is not a valid tree")))
            }
            Some(ObjectReply::TooLarge { id, size }) => Err(self.too_large(id, size)),
            _ => Err(self.missing(id)),
        }
    }

    /// Asks the running reader, which is started if necessary and replaced once if it died.
    pub(crate) fn ask(
        &self,
        question: ObjectQuery,
        names: &[String],
        each: &mut dyn FnMut(usize, ObjectReply),
    ) -> Result<(), GitError> {
        if names.is_empty() {
            return Ok(());
        }
        let mut reader = locked(&self.reader);
        // Nothing was fetched yet: every object is missing, and git need not be started to find out.
        if reader.is_none() && !is_repository(&self.source_cache.objects()) {
            (0..names.len()).for_each(|at| each(at, ObjectReply::Missing));
            return Ok(());
        }
        let mut try_once = || -> Result<io::Result<()>, GitError> {
            if reader.is_none() {
                *reader = Some(self.start_reader(&self.source_cache.objects())?);
            }
            let answered = reader
                .as_mut()
                .map_or(Ok(()), |reader| reader.ask(question, names, each));
            // A reader that failed in the middle of an answer no longer matches answers to questions and is never used
            // again.
            if answered.is_err() {
                *reader = None;
            }
            Ok(answered)
        };
        if try_once()?.is_ok() {
            return Ok(());
        }
        try_once()?
            .map_err(|cause| self.broken(&format!("its copy in the cache cannot be read: {cause}")))
    }

    pub(crate) fn start_reader(&self, repository: &Path) -> Result<ObjectReader, GitError> {
        agpm_store::mark_used(self.source_cache.directory());
        let command = || -> Result<Command, GitError> {
            let mut command = self.git.command()?;
            command.arg("--git-dir").arg(repository);
            Ok(command)
        };
        let reader = if self.git.has_batch_command()? {
            ObjectReader::start(command()?)
        } else {
            ObjectReader::start_two(command()?, command()?)
        };
        reader.map_err(|cause| GitError::NoGit { cause })
    }

    /// Returns a command that knows the source as `REMOTE`. The URL is in a variable, because it may contain a secret.
    pub(crate) fn connecting(&self) -> Result<Command, GitError> {
        let mut command = self.git.command()?;
        // Through the environment: arguments of a process are visible to every user of the machine, and the URL may
        // hold a token.
        command.env("AGPM_SOURCE_URL", &self.url);
        command.arg(format!("--config-env=remote.{REMOTE}.url=AGPM_SOURCE_URL"));
        Ok(command)
    }

    /// Runs a command to its end and classifies its failure.
    pub(crate) fn run(&self, command: Command, input: String) -> Result<Vec<u8>, GitError> {
        match self.git.run(command, input)? {
            RunOutcome::Done(output) => Ok(output),
            RunOutcome::Failed(words) => Err(self.failure(&words)),
            RunOutcome::Silent => Err(self.timed_out()),
            RunOutcome::Incomplete => Err(self.broken(CUT_SHORT)),
        }
    }

    /// Classifies the messages of a git that failed.
    pub(crate) fn failure(&self, words: &str) -> GitError {
        // Git names the path of the repository it failed on: if it is the cache, the source itself may be fine.
        if words.contains(&self.source_cache.directory().display().to_string()) {
            let words = words.trim();
            return self.broken(&format!("its copy in the cache cannot be used: {words}"));
        }
        stderr::classify_failure(&self.address, words)
    }

    pub(crate) fn timed_out(&self) -> GitError {
        GitError::Unreachable {
            address: self.address.to_string(),
            reason: "git timed out".to_owned(),
        }
    }

    /// Returns whether the source needs a connection and none may be opened.
    pub fn is_out_of_reach(&self) -> bool {
        self.refuse_offline().is_err()
    }

    pub(crate) fn refuse_offline(&self) -> Result<(), GitError> {
        // `file://` and directories need no connection, so `--offline` does not stop them.
        if self.git.network() == NetworkAccess::Allowed || self.address.is_local() {
            return Ok(());
        }
        Err(GitError::Offline {
            address: self.address.to_string(),
        })
    }

    pub(crate) fn missing(&self, object: &ObjectId) -> GitError {
        GitError::MissingObject {
            address: self.address.to_string(),
            object: object.clone(),
        }
    }

    pub(crate) fn too_large(&self, object: ObjectId, size: u64) -> GitError {
        GitError::TooLarge {
            address: self.address.to_string(),
            object,
            size,
        }
    }

    pub(crate) fn broken(&self, reason: &str) -> GitError {
        GitError::Broken {
            address: self.address.to_string(),
            reason: reason.to_owned(),
        }
    }
}

/// The source's name on git's command line, which no user configuration has.
pub(crate) const REMOTE: &str = "agpm-source";

/// Returns the directory. `..` stays, because only the file system knows where it leads.
fn absolute(text: &str, base: &Path, home: Option<&Path>) -> PathBuf {
    let path = match (
        text.strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/')),
        home,
    ) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => base.join(text),
    };
    path.components().collect()
}

/// Returns the seconds in `committer NAME <MAIL> SECONDS ZONE` or the `tagger` line, before the empty line.
fn time_of(object: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(object);
    let mut head = text.lines().take_while(|line| !line.is_empty());
    let is_author = |line: &&str| line.starts_with("committer ") || line.starts_with("tagger ");
    head.find(is_author)?.rsplit(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_start_where_they_say() {
        let absolute = |text| absolute(text, Path::new("/base"), Some(Path::new("/home/me")));
        assert_eq!(absolute("~/a/./b/"), Path::new("/home/me/a/b"));
        assert_eq!(absolute("./a/../b"), Path::new("/base/a/../b"));
        assert_eq!(absolute("/x"), Path::new("/x"));
        assert_eq!(absolute("~other/x"), Path::new("/base/~other/x"));
    }
}
