//! Errors in a foreign file, and settings that are lost.

use agpm_diag::{Diagnostic, SourceSpan, Span, codes};
use agpm_model::{Address, AddressContext, DefaultHost, ResourceName, ResourcePath, SourceAddress};
use agpm_text::{Document, NodeKind, NodeRef, ParsedDocument};

/// Collects findings, so all mistakes of a file are reported at once.
#[derive(Default)]
pub(crate) struct FormatReader {
    pub(crate) diagnostics: Vec<Diagnostic>,
}

fn spot(node: NodeRef<'_>) -> SourceSpan {
    SourceSpan {
        source: node.document().source(),
        span: node.span(),
    }
}

impl FormatReader {
    /// The object of a file; what the reader found is reported.
    pub(crate) fn root<'d>(
        &mut self,
        parsed: &'d ParsedDocument,
        subject: &str,
    ) -> Option<NodeRef<'d>> {
        let has_errors = agpm_diag::has_errors(&parsed.diagnostics);
        self.diagnostics.extend(parsed.diagnostics.iter().cloned());
        if has_errors {
            return None;
        }
        match parsed.document.root() {
            Some(root) if root.kind() == NodeKind::Map => Some(root),
            _ => {
                self.malformed_file(&parsed.document, &format!("this file is not {subject}"));
                None
            }
        }
    }

    fn malformed_file(&mut self, document: &Document, message: &str) {
        let spot = SourceSpan {
            source: document.source(),
            span: Span::at(0),
        };
        self.diagnostics.push(
            Diagnostic::new(&codes::IMPORT_FORMAT, message)
                .at_spot(spot)
                .help("check the path and the format"),
        );
    }

    /// The file is not what it has to be.
    pub(crate) fn malformed(&mut self, node: NodeRef<'_>, message: impl Into<String>, help: &str) {
        self.diagnostics.push(
            Diagnostic::new(&codes::IMPORT_FORMAT, message)
                .at_spot(spot(node))
                .help(help),
        );
    }

    /// Reports a setting that the manifest cannot express.
    pub(crate) fn report_lost(
        &mut self,
        node: NodeRef<'_>,
        message: impl Into<String>,
        help: &str,
    ) {
        self.diagnostics.push(
            Diagnostic::new(&codes::IMPORT_NO_COUNTERPART, message)
                .at_spot(spot(node))
                .help(help),
        );
    }

    /// Keys that a manifest has no counterpart for.
    pub(crate) fn lost_keys(&mut self, map: NodeRef<'_>, keys: &[&str], help: &str) {
        for (key, _) in map
            .entries()
            .filter(|(key, _)| keys.contains(&key.content()))
        {
            let message = format!("`{}` has no counterpart", key.content());
            self.report_lost(key, message, help);
        }
    }

    /// An object under a key; nothing if the key is missing.
    pub(crate) fn map<'n>(&mut self, of: NodeRef<'n>, key: &str) -> Option<NodeRef<'n>> {
        self.of_kind(of, key, NodeKind::Map, "an object")
    }

    /// A list under a key; nothing if the key is missing.
    pub(crate) fn list<'n>(&mut self, of: NodeRef<'n>, key: &str) -> Option<NodeRef<'n>> {
        self.of_kind(of, key, NodeKind::List, "a list")
    }

    fn of_kind<'n>(
        &mut self,
        of: NodeRef<'n>,
        key: &str,
        kind: NodeKind,
        expected: &str,
    ) -> Option<NodeRef<'n>> {
        let node = of.get(key).filter(|node| node.kind() != NodeKind::Null)?;
        if node.kind() == kind {
            return Some(node);
        }
        let message = format!("`{key}` is {}, not {expected}", node.kind().word());
        self.malformed(node, message, "check the file");
        None
    }

    /// The string under a key; nothing if the key is missing.
    pub(crate) fn string<'n>(&mut self, of: NodeRef<'n>, key: &str) -> Option<&'n str> {
        let node = of.get(key).filter(|node| node.kind() != NodeKind::Null)?;
        self.text(node, &format!("`{key}`"))
    }

    /// The name of a version under a key: YAML reads `1.0`, and a commit of digits, as a number.
    pub(crate) fn reference<'n>(&mut self, of: NodeRef<'n>, key: &str) -> Option<&'n str> {
        match of.get(key) {
            Some(node) if matches!(node.kind(), NodeKind::Integer | NodeKind::Float) => {
                Some(node.content())
            }
            _ => self.string(of, key),
        }
    }

    /// The string under a key that must be there.
    pub(crate) fn required<'n>(&mut self, of: NodeRef<'n>, key: &str) -> Option<&'n str> {
        if of.get(key).is_none() {
            self.malformed(of, format!("this entry has no `{key}`"), "check the file");
        }
        self.string(of, key)
    }

    /// The string that a node is.
    pub(crate) fn text<'n>(&mut self, node: NodeRef<'n>, subject: &str) -> Option<&'n str> {
        let text = node.as_str().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            let found = match node.kind() {
                NodeKind::String => "empty",
                other => other.word(),
            };
            let message = format!("{subject} is {found}, not a string");
            self.malformed(node, message, "check the file");
        }
        text
    }

    /// The strings of a list.
    pub(crate) fn texts<'n>(
        &mut self,
        list: NodeRef<'n>,
        subject: &str,
    ) -> Vec<(NodeRef<'n>, &'n str)> {
        let mut texts = Vec::new();
        for item in list.items() {
            texts.extend(self.text(item, subject).map(|text| (item, text)));
        }
        texts
    }

    /// A name that a manifest can have.
    pub(crate) fn name<'n>(&mut self, node: NodeRef<'n>, name: &'n str) -> Option<&'n str> {
        let help = "rename it before you import it";
        let leads_elsewhere = name.contains(['/', '\\']) || name.starts_with('.');
        match ResourceName::new(name) {
            Ok(_) if leads_elsewhere => {
                let message = format!("`{name}` cannot be the name of a resource");
                self.malformed(node, message, help);
                None
            }
            Ok(_) => Some(name),
            Err(error) => {
                self.malformed(node, error.to_string(), help);
                None
            }
        }
    }

    /// A path in a source; `SKILL.md` means its directory.
    pub(crate) fn path(&mut self, node: NodeRef<'_>, path: &str) -> Option<String> {
        let path = path.trim().trim_start_matches("./");
        let directory = match path.strip_suffix(agpm_model::SKILL_FILE) {
            Some("") => ".",
            Some(directory) if directory.ends_with('/') => directory.trim_end_matches('/'),
            _ if path.is_empty() => ".",
            _ => path.trim_end_matches('/'),
        };
        let checked = ResourcePath::directory_in_source(directory);
        match checked {
            Ok(checked) if checked.is_pattern() => {
                let message = format!("the path `{directory}` looks like a pattern");
                self.malformed(node, message, "rename the directory in its source");
                None
            }
            Ok(_) => Some(directory.to_owned()),
            Err(error) => {
                let message = format!("the path `{directory}`: {error}");
                self.malformed(node, message, "write a path in the repository");
                None
            }
        }
    }

    /// The URL of a repository in any form that agpm reads, without its secret.
    pub(crate) fn address(&mut self, node: NodeRef<'_>, text: &str) -> Option<SourceAddress> {
        match parse_address(text) {
            Ok(address) if address.redacted() == address.reveal() => Some(address),
            Ok(address) => {
                let message = "this URL contains a secret, which is not imported";
                let help = "keep it in git's credentials";
                self.diagnostics.push(
                    Diagnostic::new(&codes::MANIFEST_SECRET, message)
                        .at_spot(spot(node))
                        .help(help),
                );
                SourceAddress::parse(address.redacted()).ok()
            }
            Err(message) => {
                let help = "write `OWNER/REPO`, or a URL such as `https://host/org/repo.git`";
                self.malformed(node, message, help);
                None
            }
        }
    }
}

/// A repository by `OWNER/REPO` or a URL; what follows the repository is not read.
pub(crate) fn parse_address(text: &str) -> Result<SourceAddress, String> {
    let context = AddressContext {
        default_host: &DefaultHost::default(),
        is_source: &|_| false,
    };
    match Address::parse(text, &context) {
        Ok(Address::Repository(repository)) if repository.inner.path.is_none() => {
            Ok(repository.url)
        }
        Ok(_) => Err(format!("`{text}` is not a repository")),
        Err(error) => Err(error.to_string()),
    }
}
