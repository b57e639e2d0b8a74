//! Folders with personas, in repositories and out of them.

use std::path::PathBuf;
use std::process::Command;

use agpm_diag::SourceMap;
use agpm_testkit::{CommandOutput, Sandbox};
use agpm_text::{Format, Limits, Value, parse, to_value};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// A tree of folders; all paths are from the working folder of a sandbox.
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

    /// A repository `repo` in which the persona `ada` says these things in these folders.
    pub(crate) fn of(documents: &[(&str, &str)]) -> Self {
        let tree = Tree::new();
        tree.repository("repo");
        documents
            .iter()
            .for_each(|(directory, text)| tree.ada(&under("repo", directory), text));
        tree
    }

    /// Makes a folder a repository.
    pub(crate) fn repository(&self, directory: &str) {
        self.directory(directory);
        self.git(directory, &["init", "-q", "-b", "main"]);
    }

    pub(crate) fn directory(&self, directory: &str) {
        std::fs::create_dir_all(self.path(directory)).unwrap();
    }

    /// Writes the agent document of `ada` in a folder.
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

    /// The path of the working folder as the program sees it.
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

    /// Runs a command in a folder.
    pub(crate) fn run(&self, directory: &str, line: &str) -> CommandOutput {
        self.sandbox.output(self.command(directory, line))
    }

    /// What a command prints that has nothing to complain about.
    pub(crate) fn good(&self, directory: &str, line: &str) -> String {
        let output = self.run(directory, line);
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (Some(0), ""),
            "{directory}: {line}\n{output}"
        );
        output.stdout
    }

    /// What a command prints that complains with these words and goes on; each of them is said once.
    pub(crate) fn warned(&self, directory: &str, line: &str, words: &[&str]) -> String {
        let output = self.run(directory, line);
        assert_eq!(output.code, Some(0), "{directory}: {line}\n{output}");
        has_once(&output, words);
        output.stdout
    }

    /// The output of a command that ends with this code and says these words.
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

    /// The titles of a persona's documents from the lowest on, as a document with `tags` of its own name says them.
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

/// `FOLDER/PATH`; the folder may be the working folder itself.
pub(crate) fn under(directory: &str, path: &str) -> String {
    match (directory, path) {
        ("" | ".", path) => path.to_owned(),
        (directory, "" | ".") => directory.to_owned(),
        (directory, path) => format!("{directory}/{path}"),
    }
}

/// Where a document of a persona is in a folder.
pub(crate) fn document(slug: &str, kind: &str) -> String {
    format!(".clia/agents/{slug}/{slug}@x.{kind}.triad.json")
}

/// A document that says its own name, and inherits these.
pub(crate) fn named(name: &str, inherits: &[&str]) -> String {
    let document = Value::map([
        ("schemaVersion", Value::from("0.4.0")),
        ("title", name.into()),
        ("tags", Value::list([name])),
        ("inherits", Value::list(inherits.iter().copied())),
    ]);
    document.to_json()
}

/// What a JSON text says; anything around it is an error.
pub(crate) fn json(text: &str) -> Value {
    let parsed = parse(
        SourceMap::default().add("stdout", text),
        text,
        Format::Json,
        Limits::default(),
    );
    assert!(
        parsed.diagnostics.is_empty(),
        "{:?}\n{text}",
        parsed.diagnostics
    );
    to_value(
        parsed
            .document
            .root()
            .unwrap_or_else(|| panic!("no document in {text:?}")),
    )
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

/// The codes of what a failure with `--json` says.
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
