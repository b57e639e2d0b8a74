use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agpm_model::{AddressKind, ObjectId, SourceAddress, SourceVersions};

use crate::cache::CachedSource;
use crate::error::GitError;
use crate::program::{GitProgram, NetworkAccess};
use crate::reader::{ObjectQuery, ObjectReader, ObjectReply};
use crate::refs;
use crate::run::{self, CUT_SHORT, RunOutcome};
use crate::source_cache::{SourceCache, is_repository};
use crate::stderr;
use crate::tree::{self, TreeEntry, TreeEntryKind};

/// One source, for use from several threads.
#[derive(Debug)]
pub struct RemoteRepository {
    pub(crate) git: GitProgram,
    pub(crate) address: SourceAddress,
    pub(crate) source_cache: SourceCache,
    url: OsString,
    refs: Mutex<Option<Arc<SourceVersions>>>,
    pub(crate) reader: Mutex<Option<ObjectReader>>,
    trees: Mutex<HashMap<ObjectId, Arc<Vec<TreeEntry>>>>,
    /// For each directory where its names stand, made when a file in it is looked for.
    names: Mutex<HashMap<ObjectId, HashMap<String, usize>>>,
    /// The commits that were requested, to be fetched again if the copy turns out to be broken.
    pub(crate) wanted: Mutex<BTreeSet<ObjectId>>,
    pub(crate) rebuilt: Mutex<bool>,
}

/// Whether a directory is a git repository, with or without files next to it.
pub fn is_git_directory(path: &Path) -> bool {
    let inner = path.join(".git");
    agpm_store::is_directory(&inner) || agpm_store::is_file(&inner) || is_repository(path)
}

/// Whether a directory is a git repository without files next to it, so only versions of it can be read.
pub fn is_bare_repository(path: &Path) -> bool {
    is_repository(path)
}

impl GitProgram {
    /// One source; a relative directory starts at `base`, which is absolute.
    pub fn remote(&self, address: &SourceAddress, base: &Path) -> RemoteRepository {
        RemoteRepository::new(self.clone(), address.clone(), base)
    }
}

impl RemoteRepository {
    pub(crate) fn new(git: GitProgram, address: SourceAddress, base: &Path) -> Self {
        let (url, label) = match address.kind() {
            AddressKind::Folder(text) => {
                let path = absolute(text, base, git.home());
                (path.clone().into_os_string(), path.display().to_string())
            }
            // The URL with its secret goes to git only. Everything that is shown or stored uses the other one.
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
            rebuilt: Mutex::default(),
        }
    }

    /// The URL, without its secrets when shown.
    pub fn address(&self) -> &SourceAddress {
        &self.address
    }

    /// The URL as git gets it.
    pub(crate) fn url(&self) -> &OsString {
        &self.url
    }

    /// Whether this is its copy.
    pub fn is_cached_in(&self, cached: &CachedSource) -> bool {
        self.source_cache.directory() == cached.directory()
    }

    /// The refs of the source, requested once; without a network, those of the last time.
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

    /// The refs of the source when it was last reached.
    pub fn remembered_refs(&self) -> Option<SourceVersions> {
        self.source_cache
            .remembered()
            .map(|listing| refs::parse(&listing))
    }

    /// The entries of a directory, or of a commit's top directory, in git's order.
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

    /// The entry at a path of a commit, with `/` between its parts; `None` if there is none.
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

    /// The entry of that name in a directory. Every file of a large one is looked up, so names are looked up, not searched.
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

    /// Whether a commit is in the cache, with all its directories.
    pub fn has_commit(&self, id: &ObjectId) -> bool {
        self.missing_commits(std::slice::from_ref(id))
            .is_ok_and(|missing| missing.is_empty())
    }

    /// When a commit or an annotated tag of the cache was made, in seconds since 1970; nothing if it does not say so.
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
        let mut command = self.connecting()?;
        // `--symref` gives the default branch in the same connection.
        command.args(["ls-remote", "--symref", REMOTE]);
        let output = self.run(command, String::new())?;
        // Remembered for use without a network, so a part of it must not get this far.
        if !run::ends_with(&output, b'\n') {
            return Err(self.broken(CUT_SHORT));
        }
        let refs = refs::parse(&String::from_utf8_lossy(&output));
        // Written without secrets and after parsing, so the remembered list can always be read back.
        self.source_cache.remember(&refs::listing(&refs))?;
        agpm_store::mark_used(self.source_cache.directory());
        Ok(refs)
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

    /// Asks the living reader, which is started if need be; one that died is replaced once.
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
            // A reader that failed in the middle of an answer is out of step with its questions and is never used
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
        let mut command = self.git.command()?;
        command.arg("--git-dir").arg(repository);
        ObjectReader::start(command).map_err(|cause| GitError::NoGit { cause })
    }

    /// A call that knows the source as `REMOTE`. The URL goes by a variable: it may hold a secret.
    pub(crate) fn connecting(&self) -> Result<Command, GitError> {
        let mut command = self.git.command()?;
        // Through the environment: arguments of a process are visible to every user of the machine, and the URL may
        // hold a token.
        command.env("AGPM_SOURCE_URL", &self.url);
        command.arg(format!("--config-env=remote.{REMOTE}.url=AGPM_SOURCE_URL"));
        Ok(command)
    }

    /// Runs a call to its end; what it says in failing is understood.
    pub(crate) fn run(&self, command: Command, input: String) -> Result<Vec<u8>, GitError> {
        match self.git.run(command, input)? {
            RunOutcome::Done(output) => Ok(output),
            // Another process threw the copy away: that says nothing of the source.
            RunOutcome::Failed(words)
                // Git names the path of the repository it failed on: if it is the cache, the source itself may be
                // fine.
                if words.contains(&self.source_cache.directory().display().to_string()) =>
            {
                Err(self.broken(&format!(
                    "its copy in the cache cannot be used: {}",
                    words.trim()
                )))
            }
            RunOutcome::Failed(words) => Err(stderr::classify_failure(&self.address, &words)),
            RunOutcome::Silent => Err(GitError::Unreachable {
                address: self.address.to_string(),
                reason: "git timed out".to_owned(),
            }),
            RunOutcome::Incomplete => Err(self.broken(CUT_SHORT)),
        }
    }

    /// Whether a connection would be needed to ask the source, and none may be opened.
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

/// The source's name on git's command line; one that no user's configuration has.
pub(crate) const REMOTE: &str = "agpm-source";

/// The value of a lock whose holder panicked is still consistent: every change is one assignment.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The directory meant. `..` stays: only the file system knows where it leads.
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

/// The seconds in `committer NAME <MAIL> SECONDS ZONE`, which is before the empty line of a commit.
/// The time of the committer or the tagger.
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
