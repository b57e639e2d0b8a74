use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::git::error::GitError;
use crate::git::run::{RunOutcome, run};
use crate::transfer::{Transfer, TransferProgress};

/// The oldest supported version of git.
const NEEDED: (u32, u32) = (2, 34);
const NEEDED_TEXT: &str = "2.34";
/// The first version in which one `git cat-file` answers all kinds of questions.
const BATCH_COMMAND: (u32, u32) = (2, 36);

/// How long git may be silent while it should report progress every second. A limit on the whole run would stop large
/// but healthy fetches; a hanging connection is silent.
const PATIENCE: Duration = Duration::from_secs(90);

/// Variables that point git at another repository, or connect its output to another program.
// agpm may run inside a git hook or `git rebase --exec`, where these name the repository of the user. With them, agpm
// would read from it or write into it.
const REMOVED: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CURL_VERBOSE",
    "GIT_DEFAULT_HASH",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_PROTOCOL",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_SETUP",
    "GIT_WORK_TREE",
];

/// Settings for every call: no hooks, no helpers, no background work, and timeouts. Configuration of the user or the
/// system could run an executable in every call. `ext::` transports are commands too.
// Configuration of the user or the system could run a program in every call. `ext::` transports are commands too.
pub(crate) const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "protocol.file.allow=always",
    "protocol.version=2",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.unpackLimit=1",
    "fetch.writeCommitGraph=false",
    "fetch.prune=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "transfer.bundleURI=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=30",
];

/// Whether connections may be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkAccess {
    /// Connections to any source.
    Allowed,
    /// No connections; local sources are still read.
    Offline,
}

/// git, with the cache that it works in.
#[derive(Clone, Debug)]
pub struct GitProgram {
    program: OsString,
    cache: PathBuf,
    network: NetworkAccess,
    home: Option<PathBuf>,
    variables: Vec<(OsString, OsString)>,
    patience: Duration,
    progress: Option<Arc<dyn TransferProgress>>,
    /// The version, once git reported it.
    found: Arc<Mutex<Option<(u32, u32)>>>,
}

impl GitProgram {
    /// Uses git on the search path with an absolute cache directory; starts nothing.
    pub fn find(cache: PathBuf, network: NetworkAccess) -> Self {
        GitProgram {
            program: "git".into(),
            cache: cache.join("git"),
            network,
            home: None,
            variables: Vec::new(),
            patience: PATIENCE,
            progress: None,
            found: Arc::default(),
        }
    }

    /// Sets the directory that `~/` means in a URL.
    #[must_use]
    pub fn with_home(self, home: PathBuf) -> Self {
        GitProgram {
            home: Some(home),
            ..self
        }
    }

    /// Sets a variable for every git process, such as a `GIT_SSH_COMMAND` that never prompts.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Sets another limit on how long git may be silent.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        GitProgram { patience, ..self }
    }

    /// Reports the progress of requests.
    #[must_use]
    pub fn with_progress(self, progress: Option<Arc<dyn TransferProgress>>) -> Self {
        GitProgram { progress, ..self }
    }

    /// Reports that a request to this URL begins.
    pub(crate) fn begin_transfer(&self, url: &str, files: Option<usize>) -> Transfer {
        Transfer::begin(self.progress.clone(), url, files)
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    pub(crate) fn network(&self) -> NetworkAccess {
        self.network
    }

    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns a git command. Before the first one, git is checked to exist and to be new enough.
    pub(crate) fn command(&self) -> Result<Command, GitError> {
        self.check()?;
        agpm_store::create_directories(&self.cache)?;
        let mut command = self.bare_command();
        // A repository that contains the cache must have no effect.
        command.current_dir(&self.cache);
        command.env(
            "GIT_CEILING_DIRECTORIES",
            self.cache.parent().map_or(OsStr::new(""), Path::as_os_str),
        );
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        Ok(command)
    }

    /// Runs a command to its end, within the limit on silence.
    pub(crate) fn run(&self, command: Command, input: String) -> Result<RunOutcome, GitError> {
        run(command, input, self.patience).map_err(|cause| GitError::NoGit { cause })
    }

    pub(crate) fn bare_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        for name in REMOVED {
            command.env_remove(name);
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("LC_ALL", "C");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if self.network == NetworkAccess::Offline {
            // The user's `url.insteadOf` can turn a local URL into one of a server.
            command.env("GIT_ALLOW_PROTOCOL", "file");
        }
        command
    }

    pub(crate) fn check(&self) -> Result<(), GitError> {
        self.supported_version().map(drop)
    }

    /// Returns whether one process can answer all questions about objects.
    pub(crate) fn has_batch_command(&self) -> Result<bool, GitError> {
        Ok(self.supported_version()? >= BATCH_COMMAND)
    }

    fn supported_version(&self) -> Result<(u32, u32), GitError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = *found {
            return Ok(version);
        }
        let checked = version(&self.version()?).unwrap_or(NEEDED);
        Ok(*found.insert(checked))
    }

    /// Returns the version of git after checking it; creates nothing in the cache.
    pub fn version(&self) -> Result<String, GitError> {
        let mut command = self.bare_command();
        command.arg("version");
        let output = match self.run(command, String::new())? {
            RunOutcome::Done(output) => String::from_utf8_lossy(&output).into_owned(),
            RunOutcome::Failed(words) => return Err(no_version(words.trim())),
            RunOutcome::Silent | RunOutcome::Incomplete => return Err(no_version("no answer")),
        };
        let found = output.trim().trim_start_matches("git version ");
        if version(found).is_none_or(|version| version < NEEDED) {
            return Err(GitError::TooOld {
                found: found.to_owned(),
                needed: NEEDED_TEXT,
            });
        }
        Ok(found.to_owned())
    }
}

fn no_version(why: &str) -> GitError {
    GitError::NoGit {
        cause: std::io::Error::other(format!("`git version` failed: {why}")),
    }
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(['.', ' ', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert!(version("2.9.5").unwrap() < NEEDED);
        assert!(version("2.47.3").unwrap() > NEEDED);
        assert_eq!(version("2.34.windows.1"), Some(NEEDED));
        assert_eq!(version("what"), None);
    }

    #[test]
    fn a_program_that_is_missing_is_said() {
        let git = GitProgram {
            program: "no-such-git".into(),
            ..GitProgram::find("/nowhere".into(), NetworkAccess::Allowed)
        };
        assert!(matches!(git.version(), Err(GitError::NoGit { .. })));
        assert!(matches!(git.command(), Err(GitError::NoGit { .. })));
    }
}
