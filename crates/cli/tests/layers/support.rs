//! Layers as directories and repositories next to a project.

use std::path::PathBuf;

use agpm_diag::{SourceMap, has_errors};
use agpm_testkit::CommandOutput;
use agpm_text::{Format, Limits, Value, parse, to_value};

pub(crate) use crate::project::{Project, entry, json};

pub(crate) const SETTINGS: &str = ".claude/settings.json";

/// Files by path.
pub(crate) type Files<'a> = &'a [(&'a str, &'a str)];

impl Project {
    /// A project with these layers, lowest first, each a directory next to it, and more in its manifest.
    pub(crate) fn layered(layers: &[(&str, Files<'_>)], more: &str) -> Self {
        let project = Project::new();
        for (layer, files) in layers {
            std::fs::create_dir_all(project.sandbox.work().join(layer)).unwrap();
            for (path, text) in *files {
                project.layer(layer, path, text);
            }
        }
        let names: Vec<&str> = layers.iter().map(|(name, _)| *name).collect();
        project.stack(&names, more);
        project
    }

    /// One file in the layers `org`, `team` and `me`, as many as there are texts.
    pub(crate) fn stacked(path: &str, texts: &[&str], more: &str) -> Self {
        let project = Project::new();
        let names = &["org", "team", "me"][..texts.len()];
        for (name, text) in names.iter().zip(texts) {
            project.layer(name, path, text);
        }
        project.stack(names, more);
        project
    }

    /// Writes a manifest with these layers, each a directory next to the project.
    pub(crate) fn stack(&self, names: &[&str], more: &str) {
        let tables: String = names.iter().map(|name| directory(name)).collect();
        self.sandbox
            .write("project/agpm.toml", format!("{tables}{more}"));
    }

    /// Writes a manifest verbatim.
    pub(crate) fn plain_manifest(&self, text: &str) {
        self.sandbox.write("project/agpm.toml", text);
    }

    /// Writes a file of a layer.
    pub(crate) fn layer(&self, layer: &str, path: &str, text: impl AsRef<[u8]>) {
        self.sandbox.write(&format!("{layer}/{path}"), text);
    }

    /// Removes a file of a layer.
    pub(crate) fn unlayer(&self, layer: &str, path: &str) {
        std::fs::remove_file(self.sandbox.work().join(layer).join(path)).unwrap();
    }

    /// Removes agpm's state, as in a fresh clone.
    pub(crate) fn forget(&self) {
        std::fs::remove_dir_all(self.path(".agpm")).unwrap();
    }

    /// Turns the project into a fresh clone: only its manifest and lockfile are left.
    pub(crate) fn clone_of_lock(&self) {
        for (name, _) in self.tree() {
            if !name.starts_with("agpm.") {
                std::fs::remove_file(self.path(&name)).unwrap();
            }
        }
        self.forget();
    }

    /// Runs a command that must fail like this, and returns its output.
    pub(crate) fn fails(&self, line: &str, code: i32, words: &[&str]) -> CommandOutput {
        let output = self.run(line);
        assert_eq!(output.code, Some(code), "{line}\n{output}");
        for word in words {
            assert!(
                output.to_string().contains(word),
                "{line}: no `{word}` in\n{output}"
            );
        }
        output
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.path(path)).unwrap()
    }

    /// Parses a file of the project in its format.
    pub(crate) fn value(&self, path: &str) -> Value {
        value(&self.read(path), path)
    }

    /// Asserts that a file of the project equals this text after parsing; the order of keys matters.
    pub(crate) fn says(&self, path: &str, text: &str) {
        assert_eq!(
            self.value(path).to_json(),
            value(text, path).to_json(),
            "{}",
            self.read(path)
        );
    }

    pub(crate) fn work(&self, path: &str) -> PathBuf {
        self.sandbox.work().join(path)
    }
}

/// A layer that is a directory beside the project.
pub(crate) fn directory(name: &str) -> String {
    format!("[[layers]]\nname = \"{name}\"\npath = \"../{name}\"\n")
}

/// A layer of the source `acme`, in a version written as `version = "^1.0"`.
pub(crate) fn of_source(name: &str, version: &str) -> String {
    format!("[[layers]]\nname = \"{name}\"\nsource = \"acme\"\n{version}\n")
}

pub(crate) const ACME: &str = "[sources]\nacme = \"../acme\"\n";

/// Parses a text in the format of that file name.
pub(crate) fn value(text: &str, path: &str) -> Value {
    let format = match Format::of_file(path) {
        Some(Format::Json) => Format::Jsonc,
        other => other.unwrap(),
    };
    let parsed = parse(
        SourceMap::default().add("", text),
        text,
        format,
        Limits::default(),
    );
    assert!(
        !has_errors(&parsed.diagnostics),
        "{text}\n{:?}",
        parsed.diagnostics
    );
    parsed.document.root().map_or(Value::Null, to_value)
}
