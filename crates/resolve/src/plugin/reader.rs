//! Reads JSON of plugins, and reports all mistakes at once.

use agpm_diag::{Code, Diagnostic, Severity, codes};
use agpm_model::RelativePath;
use agpm_text::{NodeKind, NodeRef};

/// Collects what is wrong with a file of a plugin.
pub(crate) struct PluginFileReader {
    /// The name of the file in messages.
    pub(crate) file: String,
    code: &'static Code,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl PluginFileReader {
    pub(crate) fn new(file: String, code: &'static Code) -> Self {
        PluginFileReader {
            file,
            code,
            diagnostics: Vec::new(),
        }
    }

    pub(crate) fn of_plugin(file: String) -> Self {
        PluginFileReader::new(file, &codes::PLUGIN_MANIFEST)
    }

    pub(crate) fn error(&mut self, node: NodeRef<'_>, message: String, help: &str) {
        let found = Diagnostic::new(self.code, format!("{}: {message}", self.file));
        let source = node.source();
        self.diagnostics
            .push(found.at(source, node.span(), "").help(help));
    }

    pub(crate) fn warn(&mut self, node: NodeRef<'_>, message: String, help: &str) {
        self.error(node, message, help);
        if let Some(last) = self.diagnostics.last_mut() {
            last.severity = Severity::Warning;
        }
    }

    pub(crate) fn wrong_kind(&mut self, node: NodeRef<'_>, key: &str, expected: &str) {
        let message = format!("`{key}` is {}", node.kind().word());
        self.error(node, message, &format!("the author must write {expected}"));
    }

    pub(crate) fn is_map(&mut self, node: NodeRef<'_>, key: &str) -> bool {
        let is_map = node.kind() == NodeKind::Map;
        if !is_map {
            self.wrong_kind(node, key, "an object");
        }
        is_map
    }

    /// The string under a key, if there is one.
    pub(crate) fn string<'n>(&mut self, map: NodeRef<'n>, key: &str) -> Option<&'n str> {
        let node = map.get(key)?;
        if node.as_str().is_none() {
            self.wrong_kind(node, key, "a string");
        }
        node.as_str()
    }

    /// The same where it has to be.
    pub(crate) fn required<'n>(&mut self, map: NodeRef<'n>, key: &str) -> Option<&'n str> {
        if map.get(key).is_none() {
            let message = format!("`{key}` is missing");
            self.error(map, message, "the author must add it");
        }
        self.string(map, key)
    }

    /// A string, or the strings of a list.
    pub(crate) fn strings<'n>(&mut self, node: NodeRef<'n>, key: &str) -> Vec<NodeRef<'n>> {
        let nodes = match node.kind() {
            NodeKind::String => vec![node],
            NodeKind::List => node.items().collect(),
            _ => {
                self.wrong_kind(node, key, "a path or a list of paths");
                return Vec::new();
            }
        };
        let mut strings = Vec::new();
        for one in nodes {
            match one.kind() {
                NodeKind::String => strings.push(one),
                _ => self.wrong_kind(one, key, "a string"),
            }
        }
        strings
    }

    /// A path in the plugin, where nothing is its top; one that leads out of it is reported.
    pub(crate) fn path(&mut self, node: NodeRef<'_>) -> Option<String> {
        self.checked_path(node, path_in_plugin(node.content()))
    }

    /// The same where wildcards are allowed.
    pub(crate) fn pattern(&mut self, node: NodeRef<'_>) -> Option<String> {
        let text = node.content().trim();
        let plain = text.replace(['*', '?', '[', ']'], "_");
        let pattern = text
            .strip_prefix("./")
            .unwrap_or(text)
            .trim_end_matches('/');
        let path = path_in_plugin(&plain);
        let path = path.map(|path| {
            if plain == text {
                path
            } else {
                pattern.to_owned()
            }
        });
        self.checked_path(node, path)
    }

    fn checked_path(&mut self, node: NodeRef<'_>, path: Option<String>) -> Option<String> {
        let text = node.content();
        match path {
            Some(path) => Some(path),
            None => {
                let message = format!("`{text}` is outside the plugin");
                self.error(
                    node,
                    message,
                    "paths of a plugin are relative to its directory",
                );
                None
            }
        }
    }
}

/// A path from the root of a plugin, which itself is empty; `None` if it leads out.
pub(crate) fn path_in_plugin(text: &str) -> Option<String> {
    let inner = text.trim();
    if matches!(inner.trim_end_matches('/'), "." | "") && !inner.starts_with('/') {
        return Some(String::new());
    }
    RelativePath::new(inner).ok().map(|path| path.to_string())
}
