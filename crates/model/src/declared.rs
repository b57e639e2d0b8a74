//! The dependencies that a resource declares in its front matter or JSON.

use agpm_diag::{Diagnostic, Severity, SourceSpan, codes, did_you_mean};
use agpm_text::{NodeKind, NodeRef};

use crate::check::spot;
use crate::manifest::InstallMode;
use crate::name::{ResourceName, ToolName};
use crate::resource::{RESOURCE_TYPES, ResourceType, TargetLayout};
use crate::schema::{SchemaField, SchemaTable, UnknownKey, ValueForm};
use crate::version::{Requirement, VersionRequirement};

const DECLARATION: SchemaTable = SchemaTable::strict(
    "a declared dependency",
    &[
        SchemaField::required("path", ValueForm::WORD, "Its path"),
        SchemaField::optional("source", ValueForm::WORD, "Its source"),
        SchemaField::optional("url", ValueForm::WORD, "The same"),
        SchemaField::optional("version", ValueForm::Text, "The version of its source"),
        SchemaField::optional("tool", ValueForm::WORD, "Its tool"),
        SchemaField::optional(
            "name",
            ValueForm::WORD,
            "The name that the resource uses for it",
        ),
        SchemaField::optional(
            "flatten",
            ValueForm::Flag,
            "Whether to drop the directories of the source",
        ),
        SchemaField::optional(
            "install",
            ValueForm::Flag,
            "Whether to write it to its target",
        ),
    ],
);

/// A dependency that a resource declares.
#[derive(Clone, Debug)]
pub struct DeclaredDependency {
    /// The type of the dependency.
    pub kind: ResourceType,
    /// The path as written: from the root of the source, or from the file with `./` or `../`.
    pub path: String,
    /// The name or URL of another source.
    pub source: Option<String>,
    /// The required version.
    pub requirement: Option<Requirement>,
    /// The tool that the dependency is for.
    pub tool: Option<ToolName>,
    /// The name in the declaring file.
    pub name: Option<ResourceName>,
    /// Whether directories are kept.
    pub layout: Option<TargetLayout>,
    /// Whether it is written.
    pub install: InstallMode,
    /// The entry.
    pub spot: SourceSpan,
}

/// The author of the declaring file, which decides how mistakes are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaringFile {
    /// A file of the project, whose author can correct it.
    Project,
    /// A file of a source. Many have `dependencies` that name Python packages or programs instead.
    Source,
}

/// A `dependencies` field of a resource.
#[derive(Clone, Copy, Debug)]
pub struct Declarations<'n> {
    /// The declaration.
    pub node: NodeRef<'n>,
    /// Whether it is under `agpm`, where only agpm's own format is valid.
    pub under_agpm: bool,
}

/// The `dependencies` of a resource: at the top, under `agpm`, or both.
pub fn declarations(root: NodeRef<'_>) -> impl Iterator<Item = Declarations<'_>> {
    let agpm = root.get("agpm").filter(|node| node.kind() == NodeKind::Map);
    let under_agpm = agpm.and_then(|agpm| agpm.get("dependencies"));
    let top = root.get("dependencies").map(|node| Declarations {
        node,
        under_agpm: false,
    });
    top.into_iter().chain(under_agpm.map(|node| Declarations {
        node,
        under_agpm: true,
    }))
}

/// Parses declared dependencies; anything else is an error, unless it is another program's format.
pub fn read_declarations(
    declarations: Declarations<'_>,
    file: DeclaringFile,
) -> (Vec<DeclaredDependency>, Vec<Diagnostic>) {
    let mut reading = DeclarationReader {
        file,
        declared: Vec::new(),
        diagnostics: Vec::new(),
    };
    let node = declarations.node;
    match node.kind() {
        NodeKind::Null => {}
        _ if file == DeclaringFile::Source && !declarations.under_agpm && !has_types(node) => {
            reading.diagnostics.extend(foreign(node));
        }
        NodeKind::Map => node
            .entries()
            .for_each(|(kind, list)| reading.kind(kind, list)),
        _ => reading.bad(
            node,
            "`dependencies` is not an object",
            "write a list under each resource type",
        ),
    }
    (reading.declared, reading.diagnostics)
}

/// Whether an object has a resource type as a key, or lists paths like a declaration.
fn has_types(node: NodeRef<'_>) -> bool {
    let has_paths = |list: NodeRef<'_>| list.items().any(|item| item.get("path").is_some());
    node.entries()
        .any(|(key, list)| ResourceType::named(key.content()).is_some() || has_paths(list))
}

/// A note about `dependencies` of another program; `None` if they are empty.
fn foreign(node: NodeRef<'_>) -> Option<Diagnostic> {
    let empty = node.len() == 0 && node.as_str().is_none_or(str::is_empty);
    let message = "`dependencies` has no resource type and is ignored";
    let help =
        "resources are declared under their type, as in `dependencies: {snippets: [{path: FILE}]}`";
    let diagnostic =
        Diagnostic::new(&codes::RESOURCE_FOREIGN_DEPENDENCIES, message).at_spot(spot(node));
    (!empty).then(|| diagnostic.help(help))
}

struct DeclarationReader {
    file: DeclaringFile,
    declared: Vec<DeclaredDependency>,
    diagnostics: Vec<Diagnostic>,
}

impl DeclarationReader {
    fn bad(&mut self, node: NodeRef<'_>, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::new(&codes::RESOURCE_DECLARATION, message).at_spot(spot(node));
        self.diagnostics.push(diagnostic.help(help));
    }

    fn kind(&mut self, key: NodeRef<'_>, list: NodeRef<'_>) {
        let Some(kind) = ResourceType::named(key.content()) else {
            let words = RESOURCE_TYPES.map(|kind| kind.plural());
            let help = did_you_mean(key.content(), "resource types are", words).unwrap_or_default();
            return self.bad(
                key,
                format!("unknown resource type `{}`", key.content()),
                &help,
            );
        };
        match list.kind() {
            NodeKind::Null => {}
            NodeKind::List => list.items().for_each(|item| {
                let declared = self.item(kind, item);
                self.declared.extend(declared);
            }),
            _ => self.bad(
                list,
                format!("`{kind}` is not a list"),
                "write `- path: FILE` for each",
            ),
        }
    }

    fn item(&mut self, kind: ResourceType, item: NodeRef<'_>) -> Option<DeclaredDependency> {
        if item.kind() != NodeKind::Map {
            self.bad(
                item,
                "a declared dependency is not an object",
                "write `- path: FILE`",
            );
            return None;
        }
        let has_known_keys = self.keys(item);
        let Some(path) = item
            .get("path")
            .and_then(NodeRef::as_str)
            .filter(|path| !path.trim().is_empty())
        else {
            self.bad(
                item,
                "a declared dependency has no `path`",
                "add the path of a file in the same source",
            );
            return None;
        };
        let before = self.diagnostics.len();
        let declared = DeclaredDependency {
            kind,
            path: path.to_owned(),
            source: self.source(item, path),
            requirement: item.get("version").and_then(|node| self.version(node)),
            tool: item
                .get("tool")
                .and_then(|node| self.name(node, |text| ToolName::new(text).ok())),
            name: item
                .get("name")
                .and_then(|node| self.name(node, |text| ResourceName::new(text).ok())),
            layout: item
                .get("flatten")
                .and_then(|node| self.flag(node))
                .map(TargetLayout::of_flatten),
            install: match item.get("install").and_then(|node| self.flag(node)) {
                Some(false) => InstallMode::ResolveOnly,
                _ => InstallMode::Write,
            },
            spot: spot(item),
        };
        (has_known_keys && self.diagnostics.len() == before).then_some(declared)
    }

    /// `source: NAME-or-URL`, or `url`.
    fn source(&mut self, item: NodeRef<'_>, path: &str) -> Option<String> {
        let node = match (item.get("source"), item.get("url")) {
            (Some(_), Some(url)) => {
                self.bad(url, "`source` and `url` cannot be combined", "remove one");
                return None;
            }
            (source, url) => source.or(url)?,
        };
        let Some(text) = node.as_str().filter(|text| !text.trim().is_empty()) else {
            self.bad(
                node,
                format!("a source is {}", node.kind().word()),
                "write the name of a source, or its URL",
            );
            return None;
        };
        if path.trim().starts_with("./") || path.trim().starts_with("../") {
            let message = format!("`{path}` is relative to a file of another source");
            self.bad(item, message, "write the path from the root of `source`");
            return None;
        }
        Some(text.trim().to_owned())
    }

    /// Whether the keys of a declaration are acceptable. Unknown keys in a source's file may be from a later version of
    /// agpm.
    fn keys(&mut self, item: NodeRef<'_>) -> bool {
        let mut good = true;
        for UnknownKey { key, help, edit } in DECLARATION.unknown_keys(item) {
            let message = format!("{} has no key `{}`", DECLARATION.what, key.content());
            self.bad(key, message, &help.unwrap_or_default());
            let Some(found) = self.diagnostics.last_mut() else {
                continue;
            };
            found.edit = edit;
            match self.file {
                DeclaringFile::Source => found.severity = Severity::Warning,
                DeclaringFile::Project => good = false,
            }
        }
        good
    }

    fn version(&mut self, node: NodeRef<'_>) -> Option<Requirement> {
        // YAML treats `1.0` as a number; the text as written is used.
        let written = node
            .as_str()
            .or_else(|| node.document().text().get(node.span().range()));
        match written.map(VersionRequirement::parse) {
            _ if node.kind() == NodeKind::Null => None,
            Some(Ok(requirement)) => Some(Requirement::Version(requirement)),
            Some(Err(error)) => {
                self.bad(
                    node,
                    error.to_string(),
                    "write a tag, a range, `latest` or a branch",
                );
                None
            }
            None => None,
        }
    }

    fn name<T>(&mut self, node: NodeRef<'_>, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let name = node.as_str().and_then(read);
        if name.is_none() {
            self.bad(node, "invalid name", "write a single word");
        }
        name
    }

    fn flag(&mut self, node: NodeRef<'_>) -> Option<bool> {
        if node.as_bool().is_none() {
            self.bad(
                node,
                format!("this is {}", node.kind().word()),
                "write `true` or `false`",
            );
        }
        node.as_bool()
    }
}
