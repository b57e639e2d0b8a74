//! Reads a repository of the user, without writing and without running its hooks or filters.

use std::path::Path;
use std::process::Command;

use agpm_model::Revision as ObjectId;

use crate::git::error::GitError;
use crate::git::index::first_tracked;
use crate::git::program::{GitProgram, SETTINGS};
use crate::git::run::{self, CUT_SHORT, RunOutcome};
use crate::git::tree::{TreeEntryKind, kind_of_mode};

/// The files of a commit.
#[derive(Clone, Debug)]
pub struct CommitTree {
    /// The commit.
    pub commit: ObjectId,
    /// Its files and submodules, from the top of the repository.
    pub files: Vec<CommitTreeFile>,
}

/// A file of a commit. Its path comes from the repository and must not be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitTreeFile {
    /// The path from the top of the repository.
    pub path: String,
    /// File, symlink or submodule.
    pub kind: TreeEntryKind,
    /// The content.
    pub id: ObjectId,
}

/// The state of a working tree. Paths start at the directory that was asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingState {
    /// The current commit; `None` before the first one.
    pub commit: Option<String>,
    /// The tags of the current commit.
    pub tags: Vec<String>,
    /// The URL of the remote `origin`, which may contain a secret.
    pub origin: Option<String>,
    /// Files that are not as in the commit.
    pub changed: Vec<String>,
    /// Files that are not ignored.
    pub files: Vec<String>,
}

impl GitProgram {
    /// Returns the paths of the submodules in `.gitmodules`, without those that lead out of the repository.
    pub fn submodules(&self, root: &Path) -> Result<Vec<String>, GitError> {
        if !agpm_store::is_file(&root.join(".gitmodules")) {
            return Ok(Vec::new());
        }
        let question = [
            "config",
            "--file",
            ".gitmodules",
            "--null",
            "--get-regexp",
            r"^submodule\..*\.path$",
        ];
        let output = match self.ask(root, &question, String::new())? {
            RunOutcome::Done(output) => listing(root, output)?,
            // git fails silently if no such key exists.
            RunOutcome::Failed(words) if words.trim().is_empty() => return Ok(Vec::new()),
            run => return Err(broken(root, run)),
        };
        let paths = entries(&output).filter_map(|entry| Some(entry.split_once('\n')?.1.to_owned()));
        let is_inside = |path: &String| agpm_model::RelativePath::new(path).is_ok();
        Ok(paths.filter(is_inside).collect())
    }

    /// Returns the files of a repository at a revision, with their objects.
    pub fn files_at(
        &self,
        root: &Path,
        revision: &str,
    ) -> Result<Vec<(String, ObjectId)>, GitError> {
        let tree = self.tree_at(root, revision)?;
        let files = tree.files.into_iter();
        Ok(files.map(|file| (file.path, file.id)).collect())
    }

    /// Returns the commit of a revision, and its files with their kinds and objects.
    pub fn tree_at(&self, root: &Path, revision: &str) -> Result<CommitTree, GitError> {
        let commit = self.commit_of(root, revision)?;
        let question = ["ls-tree", "-r", "-z", "--full-tree", commit.as_str()];
        match self.ask(root, &question, String::new())? {
            RunOutcome::Done(output) => Ok(CommitTree {
                files: entries(&listing(root, output)?)
                    .filter_map(tree_entry)
                    .collect(),
                commit,
            }),
            run => Err(broken(root, run)),
        }
    }

    /// Returns the path of a directory in its repository, with `/` at the end; empty at the top.
    pub fn path_in_repository(&self, directory: &Path) -> Result<String, GitError> {
        match self.ask(directory, &["rev-parse", "--show-prefix"], String::new())? {
            RunOutcome::Done(prefix) => {
                let prefix = String::from_utf8_lossy(&prefix).into_owned();
                Ok(prefix.trim_end_matches('\n').to_owned())
            }
            run => Err(broken(directory, run)),
        }
    }

    fn commit_of(&self, root: &Path, revision: &str) -> Result<ObjectId, GitError> {
        let commit = format!("{revision}^{{commit}}");
        let question = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ];
        let commit = match self.ask(root, &question, String::new())? {
            RunOutcome::Done(commit) => commit,
            // git fails silently if no such commit exists.
            RunOutcome::Failed(words) if words.trim().is_empty() => {
                let (address, commit) = (root.display().to_string(), revision.to_owned());
                return Err(GitError::NoSuchCommit { address, commit });
            }
            run => return Err(broken(root, run)),
        };
        let commit = String::from_utf8_lossy(&commit);
        let commit = commit.trim().parse().ok();
        commit.ok_or_else(|| broken(root, RunOutcome::Incomplete))
    }

    /// Returns the current files of a repository, tracked or not, without ignored ones.
    pub fn files_now(&self, root: &Path) -> Result<Vec<String>, GitError> {
        match self.ask(
            root,
            &[
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ],
            String::new(),
        )? {
            RunOutcome::Done(output) => Ok(entries(&listing(root, output)?).collect()),
            run => Err(broken(root, run)),
        }
    }

    /// Returns the files in the commits since a revision: each path with every content that was added or removed.
    pub fn changes_since(
        &self,
        root: &Path,
        revision: &str,
    ) -> Result<Vec<(String, ObjectId)>, GitError> {
        let range = format!("{revision}..HEAD");
        let question = [
            "log",
            "--no-show-signature",
            "--format=",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "-m",
            "-z",
            &range,
            "--",
        ];
        match self.ask(root, &question, String::new())? {
            RunOutcome::Done(output) => Ok(raw_changes(&listing(root, output)?)),
            run => Err(broken(root, run)),
        }
    }

    /// Reads objects of a repository; `None` for those that are not files.
    pub fn bytes_of(
        &self,
        root: &Path,
        objects: &[ObjectId],
    ) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let input: String = objects
            .iter()
            .map(|object| format!("{}\n", object.as_str()))
            .collect();
        match self.ask(root, &["cat-file", "--batch"], input)? {
            RunOutcome::Done(output) => {
                let found = objects_of_batch(&output).filter(|found| found.len() == objects.len());
                found.ok_or_else(|| broken(root, RunOutcome::Incomplete))
            }
            run => Err(broken(root, run)),
        }
    }

    /// Returns the object ids that git would give these files, named from the root.
    pub fn contents(&self, root: &Path, files: &[String]) -> Result<Vec<ObjectId>, GitError> {
        let question = ["hash-object", "--no-filters", "--stdin-paths"];
        let input: String = files.iter().map(|file| format!("{file}\n")).collect();
        match self.ask(root, &question, input)? {
            RunOutcome::Done(output) => {
                let found = objects(&output);
                if found.len() == files.len() {
                    Ok(found)
                } else {
                    Err(broken(root, RunOutcome::Incomplete))
                }
            }
            run => Err(broken(root, run)),
        }
    }

    /// Returns whether a repository ignores a path that it does not track; `false` if that cannot be determined.
    pub fn is_ignored(&self, root: &Path, path: &str) -> bool {
        if first_tracked(root, |tracked| tracked == path).is_some() {
            return false;
        }
        let question = ["check-ignore", "--quiet", "--no-index", "--", path];
        matches!(
            self.ask(root, &question, String::new()),
            Ok(RunOutcome::Done(_))
        )
    }

    /// Returns the state of the working tree that a directory is in; `None` outside of one.
    pub fn working_state(&self, directory: &Path) -> Result<Option<WorkingState>, GitError> {
        let one_line = |question: &[&str]| -> Result<Option<String>, GitError> {
            match self.ask(directory, question, String::new())? {
                RunOutcome::Done(output) => {
                    let line = String::from_utf8_lossy(&output)
                        .trim_end_matches('\n')
                        .to_owned();
                    Ok(Some(line).filter(|line| !line.is_empty()))
                }
                // git fails without a repository, a commit or such a setting.
                RunOutcome::Failed(_) => Ok(None),
                run => Err(broken(directory, run)),
            }
        };
        if one_line(&["rev-parse", "--show-toplevel"])?.is_none() {
            return Ok(None);
        }
        let prefix = one_line(&["rev-parse", "--show-prefix"])?.unwrap_or_default();
        let status = [
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
        ];
        let changed = match self.ask(directory, &status, String::new())? {
            RunOutcome::Done(output) => listing(directory, output)?,
            run => return Err(broken(directory, run)),
        };
        // Paths start at the top of the repository, whatever the directory is.
        let changed = entries(&changed).filter_map(|entry| {
            let path = entry.get(3..)?;
            path.strip_prefix(&prefix).map(str::to_owned)
        });
        let tags = one_line(&["tag", "--points-at", "HEAD"])?.unwrap_or_default();
        Ok(Some(WorkingState {
            commit: one_line(&["rev-parse", "--verify", "--quiet", "HEAD"])?,
            tags: tags.lines().map(str::to_owned).collect(),
            origin: one_line(&["config", "--get", "remote.origin.url"])?,
            changed: changed.collect(),
            files: self.files_now(directory)?,
        }))
    }

    fn ask(&self, root: &Path, question: &[&str], input: String) -> Result<RunOutcome, GitError> {
        self.check()?;
        let mut command: Command = self.bare_command();
        command.current_dir(root);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(question);
        self.run(command, input)
    }
}

/// Parses `:MODE MODE OLD NEW STATUS<nul>PATH<nul>`, repeated.
fn raw_changes(output: &[u8]) -> Vec<(String, ObjectId)> {
    let mut found = Vec::new();
    let mut parts = entries(output);
    while let (Some(change), Some(path)) = (parts.next(), parts.next()) {
        let ids = change
            .split(' ')
            .skip(2)
            .take(2)
            .filter(|id| id.contains(|c| c != '0'));
        found.extend(ids.filter_map(|id| Some((path.clone(), id.parse().ok()?))));
    }
    found
}

/// Parses `OBJECT TYPE SIZE<newline>BYTES<newline>` or `OBJECT missing<newline>`; `None` if a part is missing.
pub(crate) fn objects_of_batch(mut output: &[u8]) -> Option<Vec<Option<Vec<u8>>>> {
    let mut found = Vec::new();
    while !output.is_empty() {
        let end = output.iter().position(|byte| *byte == b'\n')?;
        let head = String::from_utf8_lossy(&output[..end]).into_owned();
        output = &output[end + 1..];
        let Some(size) = head
            .rsplit(' ')
            .next()
            .and_then(|size| size.parse::<usize>().ok())
        else {
            found.push(None);
            continue;
        };
        let bytes = output.get(..size)?;
        output = output[size..].strip_prefix(b"\n")?;
        found.push(head.contains(" blob ").then(|| bytes.to_vec()));
    }
    Some(found)
}

/// Returns a listing with a NUL after every entry; fails if it is incomplete.
fn listing(root: &Path, output: Vec<u8>) -> Result<Vec<u8>, GitError> {
    if run::ends_with(&output, 0) {
        Ok(output)
    } else {
        Err(broken(root, RunOutcome::Incomplete))
    }
}

fn objects(output: &[u8]) -> Vec<ObjectId> {
    String::from_utf8_lossy(output)
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect()
}

fn entries(output: &[u8]) -> impl Iterator<Item = String> {
    let parts = output
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty());
    parts.map(|part| String::from_utf8_lossy(part).into_owned())
}

/// Parses `MODE TYPE OBJECT<tab>PATH`.
fn tree_entry(entry: String) -> Option<CommitTreeFile> {
    let (fields, path) = entry.split_once('\t')?;
    let mut fields = fields.split(' ');
    Some(CommitTreeFile {
        path: path.to_owned(),
        kind: kind_of_mode(fields.next()?.as_bytes())?,
        id: fields.next_back()?.parse().ok()?,
    })
}

fn broken(root: &Path, run: RunOutcome) -> GitError {
    let reason = match run {
        RunOutcome::Failed(words) => words.trim().to_owned(),
        RunOutcome::Incomplete => CUT_SHORT.to_owned(),
        RunOutcome::Done(_) | RunOutcome::Silent => "git did not answer".to_owned(),
    };
    GitError::Broken {
        address: root.display().to_string(),
        reason,
    }
}
