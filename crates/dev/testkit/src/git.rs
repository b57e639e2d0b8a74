use std::path::{Path, PathBuf};

use crate::sandbox::{CommandOutput, Sandbox, write_below};

/// A git repository with the same commits on every machine and every day.
pub struct Repository<'s> {
    sandbox: &'s Sandbox,
    path: PathBuf,
    commits: u64,
    start: u64,
}

/// The time of the first commit; each later one is a second later.
const FIRST_COMMIT: u64 = 1_700_000_000;

impl<'s> Repository<'s> {
    /// Creates a repository in the sandbox's working directory.
    pub fn init(sandbox: &'s Sandbox, name: &str) -> Self {
        let path = sandbox.work().join(name);
        std::fs::create_dir_all(&path).unwrap();
        let repository = Repository {
            sandbox,
            path,
            commits: 0,
            start: FIRST_COMMIT,
        };
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    /// Opens the repository of that name in the working directory, or creates it.
    pub fn open(sandbox: &'s Sandbox, name: &str) -> Self {
        let path = sandbox.work().join(name);
        if !path.join(".git").exists() {
            return Repository::init(sandbox, name);
        }
        let mut repository = Repository {
            sandbox,
            path,
            commits: 0,
            start: FIRST_COMMIT,
        };
        let count = repository.git(&["rev-list", "--all", "--count"]).stdout;
        repository.commits = count.trim().parse().unwrap();
        repository
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("file://{}", self.path.display())
    }

    /// Writes files, commits everything, and gives the commit's name.
    pub fn commit(&mut self, files: &[(&str, &str)]) -> String {
        for (path, content) in files {
            self.write(path, content);
        }
        self.git(&["add", "-A"]);
        self.commits += 1;
        self.git(&["commit", "-q", "--allow-empty", "-m", "change"]);
        self.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned()
    }

    /// Writes a file without committing it.
    pub fn write(&self, path: &str, content: &str) {
        write_below(&self.path, path, content.as_bytes());
    }

    /// Creates a symlink, to be committed later.
    pub fn link(&self, path: &str, target: &str) {
        let link = self.path().join(path);
        std::fs::create_dir_all(link.parent().expect("a parent")).expect("a folder");
        std::os::unix::fs::symlink(target, link).expect("a link");
    }

    /// Removes a file without committing that.
    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path.join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// Commits everything, if there is anything to commit.
    pub fn commit_changes(&mut self) {
        if !self.git(&["status", "--porcelain"]).stdout.is_empty() {
            self.commit(&[]);
        }
    }

    /// Switches to a branch, which is created if it does not exist.
    pub fn switch(&self, branch: &str) {
        let branches = self.git(&["branch", "--list", branch]).stdout;
        let create = if branches.is_empty() {
            &["-c"][..]
        } else {
            &[]
        };
        self.git(&[&["switch", "-q"], create, &[branch]].concat());
    }

    /// Tags the last commit, lightweight.
    pub fn tag(&self, name: &str) {
        self.git(&["tag", name]);
    }

    /// Tags the last commit with an annotated tag.
    pub fn annotated_tag(&self, name: &str) {
        self.git(&["tag", "-a", name, "-m", name]);
    }

    /// Has what follows happen from this time on, in seconds since 1970.
    pub fn set_time(&mut self, seconds: u64) {
        self.start = seconds;
    }

    /// Runs git in the repository; it must succeed.
    pub fn git(&self, arguments: &[&str]) -> CommandOutput {
        let date = format!("{} +0000", self.start + self.commits);
        let mut command = self.sandbox.command("git");
        command.current_dir(&self.path).args(arguments);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Test");
            command.env(format!("GIT_{role}_EMAIL"), "test@example.invalid");
            command.env(format!("GIT_{role}_DATE"), &date);
        }
        let output = self.sandbox.output(command);
        assert_eq!(output.code, Some(0), "git {arguments:?}\n{output}");
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_the_same_every_time() {
        let make = || {
            let sandbox = Sandbox::new("agpm");
            let mut repository = Repository::init(&sandbox, "repo");
            let commit = repository.commit(&[("agents/a.md", "one\n")]);
            repository.tag("v1.0.0");
            repository.annotated_tag("v1.0.1");
            let tags = repository.git(&["tag", "-l"]).stdout;
            (commit, tags)
        };
        let (commit, tags) = make();
        assert_eq!(tags, "v1.0.0\nv1.0.1\n");
        assert_eq!((commit, tags), make());
    }
}
