//! A project and a home with manifests.

use std::path::PathBuf;

pub(crate) use agpm_testkit::parse_json as json;
use agpm_testkit::{CommandOutput, Sandbox};
use agpm_text::Value;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
/// The manifest of agents in a project.
pub(crate) const PROJECT: &str = "bmad/_cfg/agent-manifest.csv";
/// The same in home.
pub(crate) const HOME: &str = "~/.bmad/_cfg/agent-manifest.csv";

/// A project and a home; paths are relative to the working directory, or start with `~/`.
pub(crate) struct Workspace {
    pub(crate) sandbox: Sandbox,
}

impl Workspace {
    /// With these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let workspace = Workspace {
            sandbox: Sandbox::new(PROGRAM),
        };
        files
            .iter()
            .for_each(|(path, text)| workspace.write(path, text));
        workspace
    }

    /// With these agents in the project and these in home; a row is below `name,title,module,path`.
    pub(crate) fn agents(project: &str, home: &str) -> Self {
        let workspace = Workspace::of(&[]);
        for (path, rows) in [(PROJECT, project), (HOME, home)] {
            if !rows.is_empty() {
                workspace.write(path, format!("name,title,module,path\n{rows}"));
            }
        }
        workspace
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        self.sandbox.write(path, text);
    }

    pub(crate) fn directory(&self, path: &str) {
        std::fs::create_dir_all(self.path(path)).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<std::path::Path>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(inner) => self.sandbox.home().join(inner),
            None => self.sandbox.work().join(path),
        }
    }

    /// Runs a command in the working directory.
    pub(crate) fn run(&self, line: &str) -> CommandOutput {
        self.run_in("", line)
    }

    /// Runs a command in a directory.
    pub(crate) fn run_in(&self, directory: &str, line: &str) -> CommandOutput {
        let mut command = self.sandbox.command(PROGRAM);
        command
            .current_dir(self.path(directory))
            .args(line.split_whitespace());
        self.sandbox.output(command)
    }

    /// Runs a command that must succeed without warnings, and returns its output.
    pub(crate) fn good(&self, line: &str) -> String {
        self.good_in("", line)
    }

    pub(crate) fn good_in(&self, directory: &str, line: &str) -> String {
        let output = self.run_in(directory, line);
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (Some(0), ""),
            "{directory}: {line}\n{output}"
        );
        output.stdout
    }

    /// Runs a command that must succeed with these warnings, each printed once, and returns its output.
    pub(crate) fn warned(&self, line: &str, words: &[&str]) -> String {
        let output = self.run(line);
        assert_eq!(output.code, Some(0), "{line}\n{output}");
        for word in words {
            assert_eq!(
                output.stderr.matches(word).count(),
                1,
                "{line}: `{word}` in\n{output}"
            );
        }
        output.stdout
    }

    /// Runs a command that must end with this code and print these words.
    pub(crate) fn fails(&self, line: &str, code: i32, words: &[&str]) -> CommandOutput {
        let output = self.run(line);
        assert_eq!(
            (output.code, output.stdout.as_str()),
            (Some(code), ""),
            "{line}\n{output}"
        );
        for word in words {
            assert!(
                output.stderr.contains(word),
                "{line}: no `{word}` in\n{output}"
            );
        }
        output
    }

    /// The rows of a list as JSON.
    pub(crate) fn rows(&self, line: &str) -> Vec<Value> {
        let output = self.run(&format!("--json {line}"));
        assert_eq!(output.code, Some(0), "{line}\n{output}");
        rows(&output.stdout)
    }

    /// `KIND MODULE/NAME LAYER` of every row.
    pub(crate) fn names(&self, line: &str) -> Vec<String> {
        self.names_in("", line)
    }

    pub(crate) fn names_in(&self, directory: &str, line: &str) -> Vec<String> {
        let output = self.run_in(directory, &format!("--json {line}"));
        assert_eq!(output.code, Some(0), "{line}\n{output}");
        let name = |row: &Value| {
            let of = |key| text(row, key).unwrap_or_default();
            format!(
                "{} {}/{} {}",
                of("kind"),
                of("module"),
                of("name"),
                of("layer")
            )
        };
        rows(&output.stdout).iter().map(name).collect()
    }
}

/// Returns the string of a row at a key.
pub(crate) fn text<'v>(row: &'v Value, key: &str) -> Option<&'v str> {
    row.get(key).and_then(Value::as_str)
}

/// The one row that there is.
pub(crate) fn only(rows: Vec<Value>) -> Value {
    let [row] = rows.as_slice() else {
        panic!("not one row: {rows:?}")
    };
    row.clone()
}

fn rows(text: &str) -> Vec<Value> {
    let value = json(text);
    assert_eq!(value.get("ok"), Some(&Value::Bool(true)), "{text}");
    let Some(Value::List(rows)) = value.get("rows") else {
        panic!("no rows in {text}")
    };
    rows.clone()
}

/// The diagnostics of a document of JSON.
pub(crate) fn diagnostics(output: &CommandOutput) -> Vec<Value> {
    let Some(Value::List(found)) = json(&output.stdout).get("diagnostics").cloned() else {
        panic!("no diagnostics in {output}")
    };
    found
}

/// Their codes.
pub(crate) fn codes(output: &CommandOutput) -> Vec<String> {
    diagnostics(output)
        .iter()
        .map(|finding| text(finding, "code").unwrap().to_owned())
        .collect()
}
