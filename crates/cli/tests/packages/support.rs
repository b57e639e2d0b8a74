//! A project next to its sources.

use agpm_diag::{SourceMap, has_errors};
use agpm_testkit::{CommandOutput, Repository, Sandbox};
use agpm_text::{Format, Limits, Value, parse, to_value};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// A project next to its sources.
pub(crate) struct Project {
    pub(crate) sandbox: Sandbox,
}

impl Project {
    pub(crate) fn new() -> Self {
        Project {
            sandbox: Sandbox::new(PROGRAM),
        }
    }

    /// A source called `community` with these tagged versions, each a list of files.
    pub(crate) fn source(&self, versions: &[(&str, &[(&str, &str)])]) -> Repository<'_> {
        self.named_source("community", versions)
    }

    pub(crate) fn named_source(
        &self,
        name: &str,
        versions: &[(&str, &[(&str, &str)])],
    ) -> Repository<'_> {
        let mut repository = Repository::init(&self.sandbox, name);
        for (tag, files) in versions {
            repository.commit(files);
            repository.tag(tag);
        }
        repository
    }

    /// A project with one resource, called `x`, of a source that has only that.
    pub(crate) fn one(kind: &str, path: &str, text: &str, more: &str) -> Self {
        Project::with(
            &[(path, text)],
            &format!("[{kind}]\n{}{more}", entry("x", path, "")),
        )
    }

    pub(crate) fn manifest(&self, text: &str) {
        let text = format!("[sources]\ncommunity = \"../community\"\n{text}");
        self.sandbox.write("project/agpm.toml", text);
    }

    pub(crate) fn run(&self, line: &str) -> CommandOutput {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = self.sandbox.command(PROGRAM);
        command
            .current_dir(self.sandbox.work().join("project"))
            .args(words);
        self.sandbox.output(command)
    }

    pub(crate) fn good(&self, line: &str) -> CommandOutput {
        let output = self.run(line);
        assert_eq!(output.code, Some(0), "{line}\n{output}");
        output
    }

    /// Runs a command that must fail like this and leave the project as it was.
    pub(crate) fn refused(&self, line: &str, code: i32, words: &[&str]) {
        let (before, state) = (self.tree(), self.exists(".agpm"));
        let output = self.run(line);
        assert_eq!(output.code, Some(code), "{line}\n{output}");
        for word in words {
            assert!(
                output.stderr.contains(word),
                "{line}: no `{word}` in\n{output}"
            );
        }
        assert_eq!(self.tree(), before, "{line} changed the project");
        assert!(
            state || !self.exists(".agpm"),
            "{line} left something behind"
        );
    }

    pub(crate) fn read(&self, path: &str) -> String {
        self.sandbox.read(&format!("project/{path}"))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.sandbox.write(&format!("project/{path}"), text);
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.sandbox.work().join("project").join(path).exists()
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.sandbox.work().join("project").join(path)).unwrap();
    }

    /// Reads every file of the project except agpm's state.
    pub(crate) fn tree(&self) -> Vec<(String, Vec<u8>)> {
        let root = self.sandbox.work().join("project");
        let mut files = Vec::new();
        let mut directories = vec![root.clone()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                let state = [
                    ".agpm/lock",
                    ".agpm/history",
                    ".agpm/bases",
                    ".agpm/folders.json",
                    ".agpm/seen",
                    ".agpm/.gitignore",
                ];
                if state.contains(&name.as_str()) {
                    continue;
                }
                if path.is_dir() {
                    directories.push(path)
                } else {
                    files.push((name, std::fs::read(&path).unwrap()))
                }
            }
        }
        files.sort();
        files
    }

    /// A source called `community` with these files, tagged `v1.0.0`.
    pub(crate) fn release(&self, files: &[(&str, &str)]) -> Repository<'_> {
        self.source(&[("v1.0.0", files)])
    }

    /// A source with these files, and a manifest with these entries.
    pub(crate) fn with(files: &[(&str, &str)], entries: &str) -> Self {
        let project = Project::new();
        project.release(files);
        project.manifest(entries);
        project
    }

    /// Runs a command that must succeed and print all of this on standard error.
    pub(crate) fn warned(&self, line: &str, words: &[&str]) -> CommandOutput {
        let output = self.good(line);
        for word in words {
            assert!(
                output.stderr.contains(word),
                "{line}: no `{word}` in\n{output}"
            );
        }
        output
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.sandbox.work().join("project").join(path)
    }

    /// When a file was last written.
    pub(crate) fn modified(&self, path: &str) -> std::time::SystemTime {
        std::fs::metadata(self.path(path))
            .unwrap()
            .modified()
            .unwrap()
    }

    /// Lists every file except manifests, lockfiles and agpm's state.
    pub(crate) fn written(&self) -> Vec<String> {
        let named = self.tree().into_iter().map(|(name, _)| name);
        named
            .filter(|name| !name.starts_with("agpm.") && name != ".agpm/ledger.json")
            .collect()
    }

    /// The lines of the lockfile's entry of that name.
    pub(crate) fn locked(&self, name: &str) -> String {
        let lock = self.read("agpm.lock");
        let mut entries = lock.split("\n\n");
        let found = entries.find(|entry| {
            entry.starts_with("[[")
                && !entry.starts_with("[[sources]]")
                && entry.contains(&format!("\nname = \"{name}\"\n"))
        });
        found
            .unwrap_or_else(|| panic!("no `{name}` in\n{lock}"))
            .to_owned()
    }

    pub(crate) fn installed(&self) -> Vec<String> {
        let ours = |name: &String| {
            [".claude", ".opencode", ".agpm/snippets"]
                .iter()
                .any(|start| name.starts_with(start))
        };
        self.tree()
            .into_iter()
            .map(|(name, _)| name)
            .filter(ours)
            .collect()
    }
}

pub(crate) fn needs(kind: &str, paths: &[&str]) -> String {
    let list: String = paths
        .iter()
        .map(|path| format!("    - path: {path}\n"))
        .collect();
    format!("---\ndependencies:\n  {kind}:\n{list}---\n")
}

/// A line of the manifest that asks for a file of the source, with more fields behind.
pub(crate) fn entry(name: &str, path: &str, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { ", " };
    format!(
        "{name} = {{ source = \"community\", path = \"{path}\", version = \"v1.0.0\"{comma}{more} }}\n"
    )
}

/// Parses JSON with or without comments.
pub(crate) fn json(text: &str) -> Value {
    let parsed = parse(
        SourceMap::default().add("", text),
        text,
        Format::Jsonc,
        Limits::default(),
    );
    assert!(
        !has_errors(&parsed.diagnostics),
        "{text}\n{:?}",
        parsed.diagnostics
    );
    parsed.document.root().map_or(Value::Null, to_value)
}

/// Asserts that a text is another one with an insertion at one position; only blanks may differ there, and the required
/// comma may be further up, before a comment.
pub(crate) fn assert_inserted(before: &str, after: &str) {
    let start = common(before.chars().zip(after.chars()));
    let mut without_comma = after.to_owned();
    if after[start..].starts_with(',') {
        without_comma.remove(start);
    }
    let fits = |after: &str| {
        let start = common(before.chars().zip(after.chars()));
        let end = common(
            before[start..]
                .chars()
                .rev()
                .zip(after[start..].chars().rev()),
        );
        before[start..before.len() - end]
            .chars()
            .all(|c| c.is_whitespace() || c == ',')
    };
    assert!(
        fits(after) || fits(&without_comma),
        "more than an insertion:\n{before}\n--- to\n{after}"
    );
    assert!(after.len() > before.len(), "nothing was put in:\n{after}");
}

/// How many bytes are the same at the start of both.
fn common(pairs: impl Iterator<Item = (char, char)>) -> usize {
    pairs
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum()
}

/// A resource of each form: a file, a directory, and entries of files that users write too.
pub(crate) const EVERY_FORM: [(&str, &str); 4] = [
    ("agents/a.md", "Review.\n"),
    (
        "skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead it.\n",
    ),
    (
        "mcp/fs.json",
        "{\"command\": \"npx\", \"args\": [\"-y\", \"fs\"]}",
    ),
    (
        "hooks/lint.json",
        "{\"events\": [\"PreToolUse\"], \"matcher\": \"Bash\", \"type\": \"command\", \"command\": \"lint\"}",
    ),
];

/// A manifest with all of them.
pub(crate) fn entries_of_every_form() -> String {
    [
        "[agents]\n".to_owned(),
        entry("a", "agents/a.md", ""),
        "[skills]\n".to_owned(),
        entry("pdf", "skills/pdf", ""),
        "[mcp-servers]\n".to_owned(),
        entry("fs", "mcp/fs.json", ""),
        "[hooks]\n".to_owned(),
        entry("lint", "hooks/lint.json", ""),
    ]
    .concat()
}
