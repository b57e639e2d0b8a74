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
        repository.write_empty_git_directory();
        repository
    }

    // Tests create thousands of repositories, commits and tags. A process for each step took a third of their time, so
    // the steps that only write small files are done here.
    fn write_empty_git_directory(&self) {
        for directory in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
            std::fs::create_dir_all(self.path.join(".git").join(directory)).unwrap();
        }
        self.write(".git/HEAD", "ref: refs/heads/main\n");
        let file_mode = cfg!(unix);
        self.write(
            ".git/config",
            &format!(
                "[core]\n\trepositoryformatversion = 0\n\tfilemode = {file_mode}\n\tbare = false\n\
                 [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
            ),
        );
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
        self.head()
    }

    /// The commit of the current branch.
    pub fn head(&self) -> String {
        let head = self.read_git_file("HEAD");
        match head.strip_prefix("ref: ") {
            Some(reference) => self.read_git_file(reference),
            None => head,
        }
    }

    fn read_git_file(&self, name: &str) -> String {
        let content = std::fs::read_to_string(self.path.join(".git").join(name));
        let content = content.unwrap_or_else(|error| panic!("{name}: {error}"));
        content.trim_end().to_owned()
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
        let exists = self.path.join(".git/refs/heads").join(branch).exists();
        let create = if exists { &[][..] } else { &["-c"] };
        self.git(&[&["switch", "-q"], create, &[branch]].concat());
    }

    /// Tags the last commit, lightweight.
    pub fn tag(&self, name: &str) {
        let reference = format!(".git/refs/tags/{name}");
        assert!(!self.path.join(&reference).exists(), "tag {name} exists");
        self.write(&reference, &format!("{}\n", self.head()));
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
