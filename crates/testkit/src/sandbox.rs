use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::temporary::temporary_directory;

/// A temporary directory with a home, a configuration, a cache and a working directory, isolated from the real ones.
pub struct Sandbox {
    root: TempDir,
    /// The working directory, relative to the root.
    work: PathBuf,
    program: PathBuf,
}

/// The whole result of a command. Its text is what tests review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
}

/// Variables that a command under test may see as they are.
const PASSED: &[&str] = &["PATH", "SystemRoot", "TEMP", "TMP", "LLVM_PROFILE_FILE"];

impl Sandbox {
    /// A new world in which `program` is under test.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let root = temporary_directory();
        for directory in ["home", "config", "cache", "work", "tmp"] {
            fs::create_dir(root.path().join(directory)).unwrap();
        }
        Sandbox {
            root,
            work: PathBuf::from("work"),
            program: program.into(),
        }
    }

    /// Creates a sandbox with a copy of an example, whose directory `inner` is the working directory.
    pub fn of_example(program: impl Into<PathBuf>, example: &Path, inner: &str) -> Self {
        let mut sandbox = Sandbox::new(program);
        copy(example, &sandbox.work());
        sandbox.work.push(inner);
        sandbox
    }

    /// Creates an empty sandbox whose working directory is `inner`.
    pub fn standing_in(program: impl Into<PathBuf>, inner: &str) -> Self {
        let mut sandbox = Sandbox::new(program);
        sandbox.work.push(inner);
        fs::create_dir_all(sandbox.work()).unwrap();
        sandbox
    }

    /// Returns the working directory.
    pub fn work(&self) -> PathBuf {
        self.root.path().join(&self.work)
    }

    /// Returns the home directory.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Writes a file; its path is relative to the working directory, or starts with `~/`.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        write_file(&self.resolve(path), content.as_ref());
    }

    /// Reads a file; its path is relative to the working directory, or starts with `~/`.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.resolve(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn resolve(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/.config/"), path.strip_prefix("~/")) {
            (Some(inside), _) => self.root.path().join("config").join(inside),
            (None, Some(inside)) => self.home().join(inside),
            (None, None) => self.work().join(path),
        }
    }

    /// All files below the whole sandbox with their sizes, one a line, in order.
    pub fn listing(&self) -> String {
        let mut lines = Vec::new();
        list(self.root.path(), self.root.path(), &mut lines);
        lines.sort();
        lines.concat()
    }

    /// A command in this world; `git` and others may be run with it too.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .current_dir(self.work())
            .stdin(Stdio::null());
        for name in PASSED {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let at = |name: &str| self.root.path().join(name);
        command
            .env("HOME", at("home"))
            .env("USERPROFILE", at("home"))
            .env("XDG_CONFIG_HOME", at("config"))
            .env("XDG_CACHE_HOME", at("cache"))
            .env("TMPDIR", at("tmp"))
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", at("home").join(".gitconfig"))
            .env("GIT_TERMINAL_PROMPT", "0");
        command
    }

    /// Runs the program under test.
    pub fn run<A: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> CommandOutput {
        let mut command = self.command(&self.program);
        command.args(arguments);
        self.output(command)
    }

    /// Runs a command line as written in documents: `agpm …` or `git …` with quotes as in a shell, and nothing else of a
    /// shell.
    pub fn run_line(&self, line: &str) -> CommandOutput {
        let words = split_words(line);
        let (program, arguments) = words
            .split_first()
            .unwrap_or_else(|| panic!("an empty command"));
        if program == "git" {
            let mut command = self.command("git");
            command.args(arguments);
            return self.output(command);
        }
        assert_eq!(
            program, "agpm",
            "only agpm and git are run in documents: {line}"
        );
        self.run(arguments)
    }

    /// Runs a prepared command to its end.
    pub fn output(&self, mut command: Command) -> CommandOutput {
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let text = |bytes: Vec<u8>| self.neutral(&String::from_utf8_lossy(&bytes));
        CommandOutput {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code(),
        }
    }

    /// Without what differs from run to run.
    fn neutral(&self, text: &str) -> String {
        let root = self.root.path().display().to_string();
        let text = text.replace(&root, "[SANDBOX]").replace("agpm.exe", "agpm");
        match git_version() {
            "" => text,
            version => text.replace(
                &format!("git        {version}"),
                &format!("git        {SHOWN_GIT}"),
            ),
        }
    }
}

/// The version of git in documents, whichever is installed.
const SHOWN_GIT: &str = "2.47.3";

fn git_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let output = Command::new("git").arg("version").output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        text.unwrap_or_default()
            .trim()
            .trim_start_matches("git version ")
            .to_owned()
    })
}

pub(crate) fn write_below(directory: &Path, path: &str, content: &[u8]) {
    write_file(&directory.join(path), content);
}

fn write_file(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Files keep their modes.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let (from, to) = entry
            .map(|entry| (entry.path(), to.join(entry.file_name())))
            .unwrap();
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        }
    }
}

fn list(root: &Path, directory: &Path, lines: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        if metadata.is_dir() {
            list(root, &entry.path(), lines);
        } else {
            let path = entry.path();
            lines.push(format!(
                "{} {}\n",
                path.strip_prefix(root).unwrap().display(),
                metadata.len()
            ));
        }
    }
}

fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote has no end: {line}");
    words.extend(word);
    words
}

impl fmt::Display for CommandOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stdout)?;
        if !self.stdout.is_empty() && !self.stdout.ends_with('\n') {
            f.write_str("[no newline]\n")?;
        }
        if !self.stderr.is_empty() {
            write!(f, "[stderr]\n{}\n", self.stderr.trim_end())?;
        }
        match self.code {
            Some(0) => Ok(()),
            Some(code) => writeln!(f, "[exit {code}]"),
            None => writeln!(f, "[ended by a signal]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_sees_the_sandbox_and_nothing_else() {
        let sandbox = Sandbox::new("env");
        let output = sandbox.run::<&str>([]);
        assert!(output.stdout.contains("HOME=[SANDBOX]/home\n"), "{output}");
        assert!(!output.stdout.contains("CARGO"), "{output}");
        assert!(
            !output
                .stdout
                .lines()
                .any(|line| line.starts_with("GIT_DIR=")),
            "{output}"
        );
    }

    #[test]
    fn an_example_is_copied_with_what_is_next_to_the_working_directory() {
        let example = temporary_directory();
        write_below(example.path(), "project/a.txt", b"a");
        write_below(example.path(), "team/b.txt", b"b");
        let sandbox = Sandbox::of_example("agpm", example.path(), "project");
        assert_eq!(
            (&*sandbox.read("a.txt"), &*sandbox.read("../team/b.txt")),
            ("a", "b")
        );
        sandbox.write("../team/b.txt", "c");
        assert_eq!(
            fs::read_to_string(example.path().join("team/b.txt")).unwrap(),
            "b"
        );
    }

    #[test]
    fn a_whole_result_is_one_text() {
        let output = CommandOutput {
            stdout: "a".into(),
            stderr: "b\n\n".into(),
            code: Some(3),
        };
        assert_eq!(output.to_string(), "a[no newline]\n[stderr]\nb\n[exit 3]\n");
    }

    #[test]
    fn words_are_split_as_a_shell_does() {
        assert_eq!(
            split_words("agpm merge 'a b' --rule=\"/x=deep\" ''"),
            ["agpm", "merge", "a b", "--rule=/x=deep", ""]
        );
    }
}
