//! Directories with personas, inside and outside of repositories.

use std::path::PathBuf;
use std::process::Command;

pub(crate) use agpm_testkit::parse_json as json;
use agpm_testkit::{CommandOutput, Sandbox};
use agpm_text::Value;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// A tree of directories; all paths are relative to the working directory of a sandbox.
pub(crate) struct Tree {
    pub(crate) sandbox: Sandbox,
}

impl Tree {
    /// Nothing yet, and no repository.
    pub(crate) fn new() -> Self {
        Tree {
            sandbox: Sandbox::new(PROGRAM),
        }
    }

    /// A repository `repo` with these documents of the persona `ada` in these directories.
    pub(crate) fn of(documents: &[(&str, &str)]) -> Self {
        let tree = Tree::new();
        tree.repository("repo");
        documents
            .iter()
            .for_each(|(directory, text)| tree.ada(&under("repo", directory), text));
        tree
    }

    /// Initializes a repository in a directory.
    pub(crate) fn repository(&self, directory: &str) {
        self.directory(directory);
        self.git(directory, &["init", "-q", "-b", "main"]);
    }

    pub(crate) fn directory(&self, directory: &str) {
        std::fs::create_dir_all(self.path(directory)).unwrap();
    }

    /// Writes the agent document of `ada` in a directory.
    pub(crate) fn ada(&self, directory: &str, text: impl AsRef<[u8]>) {
        self.persona(directory, "ada", "agent", text);
    }

    pub(crate) fn persona(&self, directory: &str, slug: &str, kind: &str, text: impl AsRef<[u8]>) {
        self.write(&under(directory, &document(slug, kind)), text);
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        self.sandbox.write(path, text);
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.sandbox.work().join(path)
    }

    /// Returns the path of the working directory as the program sees it.
    pub(crate) fn absolute(&self, path: &str) -> String {
        self.sandbox
            .work()
            .canonicalize()
            .unwrap()
            .join(path)
            .display()
            .to_string()
    }

    pub(crate) fn git(&self, directory: &str, arguments: &[&str]) {
        let mut command = self.sandbox.command("git");
        command
            .current_dir(self.path(directory))
            .args(["-c", "protocol.file.allow=always"]);
        command
            .args([
                "-c",
                "user.name=Test",
                "-c",
                "user.email=test@example.invalid",
            ])
            .args(arguments);
        let output = self.sandbox.output(command);
        assert_eq!(output.code, Some(0), "git {arguments:?}\n{output}");
    }

    pub(crate) fn commit(&self, directory: &str) {
        self.git(directory, &["add", "-A"]);
        self.git(
            directory,
            &["commit", "-q", "--allow-empty", "-m", "change"],
        );
    }

    pub(crate) fn command(&self, directory: &str, line: &str) -> Command {
        let mut command = self.sandbox.command(PROGRAM);
        command
            .current_dir(self.path(directory))
            .args(line.split_whitespace());
        command
    }

    /// Runs a command in a directory.
    pub(crate) fn run(&self, directory: &str, line: &str) -> CommandOutput {
        self.sandbox.output(self.command(directory, line))
    }

    /// Runs a command that must succeed without warnings, and returns its output.
    pub(crate) fn good(&self, directory: &str, line: &str) -> String {
        let output = self.run(directory, line);
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (Some(0), ""),
            "{directory}: {line}\n{output}"
        );
        output.stdout
    }

    /// Runs a command that must succeed with these warnings, each printed once, and returns its output.
    pub(crate) fn warned(&self, directory: &str, line: &str, words: &[&str]) -> String {
        let output = self.run(directory, line);
        assert_eq!(output.code, Some(0), "{directory}: {line}\n{output}");
        has_once(&output, words);
        output.stdout
    }

    /// Runs a command that must end with this code and print these words.
    pub(crate) fn fails(
        &self,
        directory: &str,
        line: &str,
        code: i32,
        words: &[&str],
    ) -> CommandOutput {
        let output = self.run(directory, line);
        assert_eq!(output.code, Some(code), "{directory}: {line}\n{output}");
        words.iter().for_each(|word| {
            assert!(
                output.stderr.contains(word),
                "{line}: no `{word}` in\n{output}"
            )
        });
        output
    }

    /// Returns the names of a persona's documents, lowest first, from the merged `tags`.
    pub(crate) fn tags(&self, directory: &str, line: &str) -> Vec<String> {
        tags(&self.good(directory, line))
    }
}

fn has_once(output: &CommandOutput, words: &[&str]) {
    for word in words {
        assert_eq!(
            output.stderr.matches(word).count(),
            1,
            "`{word}` in\n{output}"
        );
    }
}

/// Joins `DIRECTORY/PATH`; the directory may be the working directory itself.
pub(crate) fn under(directory: &str, path: &str) -> String {
    match (directory, path) {
        ("" | ".", path) => path.to_owned(),
        (directory, "" | ".") => directory.to_owned(),
        (directory, path) => format!("{directory}/{path}"),
    }
}

/// Returns the path of a persona's document in a directory.
pub(crate) fn document(slug: &str, kind: &str) -> String {
    format!(".clia/agents/{slug}/{slug}@x.{kind}.triad.json")
}

/// Returns a document with its own name that inherits these.
pub(crate) fn named(name: &str, inherits: &[&str]) -> String {
    let document = Value::map([
        ("schemaVersion", Value::from("0.4.0")),
        ("title", name.into()),
        ("tags", Value::list([name])),
        ("inherits", Value::list(inherits.iter().copied())),
    ]);
    document.to_json()
}

pub(crate) fn strings(value: Option<&Value>) -> Vec<String> {
    let Some(Value::List(items)) = value else {
        panic!("no list: {value:?}")
    };
    items
        .iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

pub(crate) fn tags(text: &str) -> Vec<String> {
    strings(json(text).get("tags"))
}

pub(crate) fn title(text: &str) -> String {
    json(text)
        .get("title")
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no title in {text}"))
        .to_owned()
}

/// A field of each link of the chain, lowest first; `-` for none.
pub(crate) fn chain(text: &str, field: &str) -> Vec<String> {
    let value = json(text);
    let Some(Value::List(links)) = value.get("contextChain") else {
        panic!("no chain in {text}")
    };
    links
        .iter()
        .map(|link| {
            link.get(field)
                .and_then(Value::as_str)
                .unwrap_or("-")
                .to_owned()
        })
        .collect()
}

/// Returns the codes of a failure with `--json`.
pub(crate) fn codes(output: &CommandOutput) -> Vec<String> {
    let value = json(&output.stdout);
    assert_eq!(value.get("ok"), Some(&Value::Bool(false)), "{output}");
    let Some(Value::List(found)) = value.get("diagnostics") else {
        panic!("{output}")
    };
    found
        .iter()
        .map(|finding| {
            finding
                .get("code")
                .and_then(Value::as_str)
                .unwrap()
                .to_owned()
        })
        .collect()
}
