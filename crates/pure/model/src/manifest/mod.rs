//! `agpm.toml`, from spanned nodes to checked types. All mistakes are reported at once.

mod check;
mod packages;
mod patches;
mod sources;
mod strategies;
mod tools;

use agpm_diag::{Diagnostic, Spot, codes};
use agpm_text::{Document, Kind, NodeRef, Value, to_value};
use globset::{GlobBuilder, GlobMatcher};

use crate::manifest::check::Check;
pub(crate) use crate::manifest::check::spot;
pub use crate::manifest::packages::{DEFAULT_VERSION, Dependency, Install};
pub use crate::manifest::patches::{Field, Patch, PatchScope, unknown_patch};
pub use crate::manifest::sources::{Allowed, Source, SourceScope};
pub use crate::manifest::strategies::{FilePattern, MergeRule};
use crate::name::{LayerName, SourceName};
use crate::path::RelativePath;
use crate::schema::Schema;
use crate::strategy::Strategy;
use crate::tool::{Scope, Tools};
use crate::variant::Variants;

/// Sections that a manifest may have.
pub const MANIFEST_SECTIONS: Schema = Schema::strict(
    "manifest",
    &[
        "sources",
        "project",
        "default-tools",
        "tools",
        "agents",
        "snippets",
        "commands",
        "scripts",
        "hooks",
        "mcp-servers",
        "skills",
        "patch",
        "layers",
        "merge",
        "strategies",
        "catalog",
        "lineage",
        "workspace",
        "allow-executables",
    ],
);

/// Sections that a private manifest may have.
const PRIVATE_SECTIONS: Schema = Schema::strict(
    "private manifest",
    &["sources", "agents", "snippets", "commands", "scripts", "hooks", "mcp-servers", "skills", "patch"],
);

/// Sections that the user's configuration may have.
const CONFIG_SECTIONS: Schema = Schema::strict("configuration", &["sources"]);

const LAYER: Schema =
    Schema::strict("layer", &["name", "source", "version", "branch", "rev", "path", "root", "include"]);

/// What a project's manifest says, its private part and the user's own sources included.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// Where packages come from.
    pub sources: Vec<Source>,
    /// Free variables for templates.
    pub project: Option<Value>,
    /// Tools, built in and own.
    pub tools: Tools,
    /// Template variables of dependencies.
    pub variants: Variants,
    /// Everything that is to be installed, in the order of kinds and then of the text.
    pub dependencies: Vec<Dependency>,
    /// Changes to the fields of resources.
    pub patches: Vec<Patch>,
    /// What may bring programs along.
    pub allow_executables: Vec<Allowed>,
    /// Lowest first.
    pub layers: Vec<Layer>,
    /// Which strategy for which files.
    pub merge: Vec<MergeRule>,
    /// The project's own strategies.
    pub strategies: Vec<Strategy>,
}

/// The texts that make up a manifest.
pub struct ManifestTexts<'a> {
    /// Whether it is a project's manifest or a user's own.
    pub scope: Scope,
    /// `agpm.toml`.
    pub project: &'a Document,
    /// `agpm.private.toml` beside it.
    pub private: Option<&'a Document>,
    /// The user's own configuration.
    pub config: Option<&'a Document>,
    /// The entries of a section, the highest of these texts winning.
    pub entries: &'a dyn Fn(&str) -> Vec<Entry<'a>>,
}

/// A key and its value.
pub type Entry<'a> = (NodeRef<'a>, NodeRef<'a>);

/// A place that contributes files.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Its name, unique in the manifest.
    pub name: LayerName,
    /// Where it is.
    pub place: LayerPlace,
    /// The sub-folder that counts.
    pub root: Option<RelativePath>,
    /// The files that count; all if there are none.
    include: Vec<GlobMatcher>,
    /// The entry in the manifest.
    pub spot: Spot,
}

impl Layer {
    /// Whether a file of the layer counts.
    pub fn includes(&self, file: &RelativePath) -> bool {
        self.include.is_empty() || self.include.iter().any(|pattern| pattern.is_match(file.as_str()))
    }
}

/// Where a layer's files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerPlace {
    /// A folder, from the manifest's folder or absolute.
    Folder(String),
    /// A git source by name.
    Source(String),
}

impl Manifest {
    /// Reads a manifest; what is wrong is in the diagnostics.
    pub fn read(texts: &ManifestTexts<'_>) -> (Manifest, Vec<Diagnostic>) {
        let mut check = Check::default();
        let mut manifest = Manifest { tools: Tools::in_scope(texts.scope), ..Manifest::default() };
        for (document, schema) in [(texts.private, &PRIVATE_SECTIONS), (texts.config, &CONFIG_SECTIONS)] {
            if let Some(root) = document.and_then(Document::root) {
                check.keys(root, schema);
            }
        }
        if let Some(root) = texts.project.root() {
            check.keys(root, &MANIFEST_SECTIONS);
            let (own, defaults) = (root.get("tools"), root.get("default-tools"));
            manifest.tools = tools::read(&mut check, manifest.tools, own, defaults);
            manifest.project =
                root.get("project").filter(|node| check.map(*node, "`[project]`")).map(to_value);
            if let Some(allowed) = root.get("allow-executables") {
                manifest.allow_executables = sources::read_allowed(&mut check, allowed);
            }
            if let Some(layers) = root.get("layers") {
                manifest.layers = read_layers(&mut check, layers);
            }
            let own = root.get("strategies");
            (manifest.merge, manifest.strategies) = strategies::read(&mut check, root.get("merge"), own);
        }
        packages::read(&mut check, texts, &mut manifest);
        patches::read(&mut check, texts, &mut manifest);
        (manifest, check.into_diagnostics())
    }

    /// The source of that name.
    pub fn source(&self, name: &SourceName) -> Option<&Source> {
        self.sources.iter().find(|source| source.name == *name)
    }

    /// The strategy of that name, the project's own or built in.
    pub fn strategy(&self, name: &str) -> Option<Strategy> {
        let own = self.strategies.iter().find(|strategy| strategy.name == name);
        own.cloned().or_else(|| Strategy::built_in(name))
    }

    /// The strategy that `[merge]` names for a file, by its path from the project's root.
    pub fn strategy_for(&self, path: &str) -> Option<&Strategy> {
        self.merge
            .iter()
            .filter(|rule| rule.files.matches(path))
            .max_by_key(|rule| rule.files.specificity())
            .map(|rule| &rule.strategy)
    }
}

fn read_layers(check: &mut Check, node: NodeRef<'_>) -> Vec<Layer> {
    if node.kind() != Kind::List {
        check.wrong_kind(node, "`layers`", "a list of tables, written [[layers]]");
        return Vec::new();
    }
    let mut layers: Vec<Layer> = Vec::new();
    for item in node.items() {
        let Some(layer) = read_layer(check, item) else { continue };
        match layers.iter().find(|earlier| earlier.name == layer.name) {
            Some(earlier) => check.report(
                Diagnostic::new(
                    &codes::MANIFEST_DUPLICATE_LAYER,
                    format!("two layers are called `{}`", layer.name),
                )
                .at(layer.spot.source, layer.spot.span, "again here")
                .at(earlier.spot.source, earlier.spot.span, "first here")
                .help("give one of them another name"),
            ),
            None => layers.push(layer),
        }
    }
    layers
}

fn read_layer(check: &mut Check, node: NodeRef<'_>) -> Option<Layer> {
    check.keys(node, &LAYER);
    let name_node = check.required(node, "name", "layer")?;
    let name_text = check.string(name_node, "a layer's `name`")?;
    let name = match LayerName::new(name_text) {
        Ok(name) => name,
        Err(error) => {
            check.bad_value(name_node, error.to_string(), "write a short word, such as `team`");
            return None;
        }
    };
    let root = node.get("root").and_then(|root| {
        let path = check.string(root, "`root`")?;
        let help = "name a folder inside the layer, with `/` between its parts";
        RelativePath::new(path).map_err(|error| check.bad_value(root, error.to_string(), help)).ok()
    });
    let place = match (node.get("path"), node.get("source")) {
        (Some(path), None) => LayerPlace::Folder(check.string(path, "`path`")?.to_owned()),
        (None, Some(source)) => LayerPlace::Source(check.string(source, "`source`")?.to_owned()),
        (found, _) => {
            let count = if found.is_some() { "both `path` and `source`" } else { "no place" };
            let help = "say where its files are: `path` for a folder, or `source` for a git source";
            check.bad_value(name_node, format!("the layer `{name}` has {count}"), help);
            return None;
        }
    };
    let mut include = Vec::new();
    for (item, pattern) in
        node.get("include").map(|list| check.strings(list, "`include`")).unwrap_or_default()
    {
        match GlobBuilder::new(pattern).literal_separator(true).build() {
            Ok(glob) => include.push(glob.compile_matcher()),
            Err(error) => {
                let message = format!("this is no file pattern: {}", error.kind());
                check.bad_value(item, message, "write a path, or a pattern such as `.claude/**`");
            }
        }
    }
    Some(Layer { name, place, root, include, spot: spot(name_node) })
}
