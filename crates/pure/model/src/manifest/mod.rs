//! `agpm.toml`, from spanned nodes to checked types. All mistakes are reported at once.

mod catalog;
mod inline;
mod layers;
mod lineage;
mod packages;
mod partial;
mod patches;
mod plugins;
mod requirement;
mod sources;
mod strategies;
mod tables;
mod tools;

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, SourceId, SourceSpan, codes};
use agpm_text::{Document, NodeRef, Value, to_value};

use crate::address::DefaultHost;
use crate::base::{BaseRoot, read_extends};
use crate::check::{Check, Completeness, spot};
pub use crate::manifest::catalog::{AskedRemote, CatalogSettings};
pub(crate) use crate::manifest::inline::implicit_source;
pub use crate::manifest::layers::{Layer, LayerPlace, is_junk};
pub use crate::manifest::packages::{Dependency, Exclusion, InstallMode};
use crate::manifest::partial::beside_syntax_errors;
pub use crate::manifest::patches::{FieldPath, Patch, PatchScope, unknown_patch};
pub use crate::manifest::plugins::{
    MarketplaceDependency, PartChoice, PartFilter, PartNames, is_plugin_name,
};
pub use crate::manifest::sources::{ExecutableAllowance, SourceDeclaration, SourceScope};
pub use crate::manifest::strategies::{FilePattern, MergeRule};
pub use crate::manifest::tables::{CONFIG_SCHEMA, MANIFEST_SCHEMA, PRIVATE_SCHEMA};
use crate::manifest::tables::{CONFIG_SECTIONS, MANIFEST_SECTIONS, PRIVATE_SECTIONS};
use crate::name::SourceName;
use crate::pin::ResourceId;
use crate::policy::Policy;
use crate::repository_pattern::RepositoryPattern;
use crate::resource::ResourceType;
use crate::schema::UnknownKey;
use crate::strategy::Strategy;
use crate::tool::{InstallScope, Tools};
use crate::unit::Unit;
use crate::variant::Variants;

/// Sections of the contract that nothing reads yet. To accept them would promise what does not happen.
const PLANNED_SECTIONS: [&str; 1] = ["workspace"];

/// A project's manifest, including its private part and the user's own sources.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The sources of resources.
    pub sources: Vec<SourceDeclaration>,
    /// The host of `OWNER/REPO`.
    pub default_host: DefaultHost,
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
    /// Resources that may pull in executables.
    pub allow_executables: Vec<ExecutableAllowance>,
    /// Repositories that resources may require besides those of `sources`.
    pub allow_sources: Vec<RepositoryPattern>,
    /// Sources that resources require and no entry of the manifest names.
    pub required_sources: BTreeSet<SourceName>,
    /// The project's own policy.
    pub policy: Option<Policy>,
    /// The policies of its bases, lowest first.
    pub base_policies: Vec<Policy>,
    /// Dependencies of bases that the manifest does not want.
    pub dropped: BTreeSet<ResourceId>,
    /// Lowest first.
    pub layers: Vec<Layer>,
    /// Which strategy for which files.
    pub merge: Vec<MergeRule>,
    /// The project's own strategies, and the user's.
    pub strategies: Vec<Strategy>,
    /// The contributors to the catalog.
    pub catalog: CatalogSettings,
    /// The document that active personas have to inherit, from the manifest's directory.
    pub root_directives: Option<String>,
}

/// The strings that make up a manifest.
pub struct ManifestTexts<'a> {
    /// Whether it is a project's manifest or a user's own.
    pub scope: InstallScope,
    /// `agpm.toml`, folded over its bases.
    pub project: &'a Document,
    /// `agpm.toml` alone.
    pub own: &'a Document,
    /// The bases, lowest first.
    pub bases: &'a [BaseText<'a>],
    /// `agpm.private.toml` next to it.
    pub private: Option<&'a Document>,
    /// The user's own configuration.
    pub config: Option<&'a Document>,
    /// The entries of a section, the highest of these strings winning.
    pub entries: &'a dyn Fn(&str) -> Vec<Entry<'a>>,
    /// Syntax errors in these strings, which limit what is reported to what they cannot have caused.
    pub syntax_errors: &'a [SourceSpan],
}

/// The text of a base, and where its relative paths start.
#[derive(Clone, Copy)]
pub struct BaseText<'a> {
    /// Its `agpm.toml`.
    pub document: &'a Document,
    /// The directory of the base.
    pub root: &'a BaseRoot,
}

impl ManifestTexts<'_> {
    fn completeness(&self) -> Completeness {
        if self.syntax_errors.is_empty() {
            Completeness::Whole
        } else {
            Completeness::Partial
        }
    }

    fn documents(&self) -> impl Iterator<Item = &Document> {
        let documents = [Some(self.own), self.private, self.config];
        let bases = self.bases.iter().map(|base| base.document);
        documents.into_iter().flatten().chain(bases)
    }

    /// The strings that everybody has who has the project.
    fn shared(&self) -> impl Iterator<Item = &Document> {
        let bases = self.bases.iter().map(|base| base.document);
        bases.chain([self.own])
    }

    /// Whether a node is in text that only one user has.
    fn scope_of(&self, node: NodeRef<'_>) -> SourceScope {
        let mut of_one_user = [self.private, self.config].into_iter().flatten();
        if of_one_user.any(|document| document.source() == node.source()) {
            SourceScope::User
        } else {
            SourceScope::Project
        }
    }

    /// The strings that nobody but the user writes.
    fn of_user(&self) -> Vec<SourceId> {
        let own = (self.scope == InstallScope::User).then_some(self.own);
        own.into_iter()
            .chain(self.config)
            .map(Document::source)
            .collect()
    }
}

impl ManifestTexts<'_> {
    /// Whether an entry that is `false` drops one of a lower text. One that drops nothing is reported, unless no base
    /// could have it: then it is just no dependency.
    pub(super) fn drops(&self, check: &mut Check, kind: ResourceType, entry: Entry<'_>) -> bool {
        let (key, value) = entry;
        let lower: Vec<&Document> = self.lower_than(value.source()).collect();
        let has_entry = |document: &&Document| {
            let section = document.root().and_then(|root| root.get(kind.plural()));
            let found = section.and_then(|section| section.get(key.content()));
            found.is_some_and(|found| found.as_bool() != Some(false))
        };
        if lower.iter().any(has_entry) {
            return true;
        }
        if lower.is_empty() {
            return false;
        }
        let message = format!(
            "no base has `{kind}/{}`, so nothing is dropped",
            key.content()
        );
        let diagnostic = Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message).at_spot(spot(key));
        check.report(diagnostic.help("remove the entry"));
        true
    }

    /// The strings with dependencies that rank below this one.
    fn lower_than(&self, source: SourceId) -> impl Iterator<Item = &Document> {
        let bases = self.bases.iter().map(|base| base.document);
        let all = bases.chain([self.own]).chain(self.private);
        all.take_while(move |document| document.source() != source)
    }
}

/// A key and its value.
pub type Entry<'a> = (NodeRef<'a>, NodeRef<'a>);

impl Manifest {
    /// Whether a file is only described, where its tool reads it.
    pub fn is_in_place(&self, unit: &Unit) -> bool {
        let mut same = self.dependencies.iter().filter(|one| one.unit == *unit);
        let first = same.next();
        first.is_some_and(|one| one.install == InstallMode::InPlace)
            && same.all(|one| one.install == InstallMode::InPlace)
    }

    /// Reads a manifest; what is wrong is in the diagnostics.
    pub fn read(texts: &ManifestTexts<'_>) -> (Manifest, Vec<Diagnostic>) {
        let mut check = Check::new(texts.completeness());
        let mut manifest = Manifest {
            tools: Tools::in_scope(texts.scope),
            ..Manifest::default()
        };
        for (document, schema) in [
            (texts.private, &PRIVATE_SECTIONS),
            (texts.config, &CONFIG_SECTIONS),
        ] {
            if let Some(root) = document.and_then(Document::root) {
                check.keys(root, schema);
            }
        }
        let config = texts.config.and_then(Document::root);
        if let Some(node) = config.and_then(|root| root.get("default-host")) {
            manifest.default_host = sources::read_default_host(&mut check, node);
        }
        if let Some(root) = texts.project.root() {
            check_sections(&mut check, root);
            manifest.tools = tools::read(&mut check, manifest.tools, root);
            manifest.project = root
                .get("project")
                .filter(|node| check.map(*node, "`[project]`"))
                .map(to_value);
            if let Some(allowed) = root.get("allow-executables") {
                manifest.allow_executables = sources::read_allowed(&mut check, allowed);
            }
            if let Some(allowed) = root.get("allow-sources") {
                manifest.allow_sources = sources::read_allowed_sources(&mut check, allowed);
            }
            manifest.root_directives = root
                .get("lineage")
                .and_then(|section| lineage::read_root(&mut check, section));
            let users = texts
                .config
                .and_then(Document::root)
                .and_then(|root| root.get("strategies"));
            let own = [root.get("strategies"), users]
                .into_iter()
                .flatten()
                .collect();
            (manifest.merge, manifest.strategies) =
                strategies::read(&mut check, root.get("merge"), own, texts.of_user());
        }
        for text in texts.shared() {
            let (_, mistakes) = read_extends(text, &manifest.default_host);
            mistakes
                .into_iter()
                .for_each(|mistake| check.report(mistake));
        }
        // Policies are not folded: each of them holds, and none changes another.
        manifest.policy = read_policy(&mut check, texts.own);
        for base in texts.bases {
            manifest
                .base_policies
                .extend(read_policy(&mut check, base.document));
        }
        packages::read(&mut check, texts, &mut manifest);
        if let Some(layers) = texts.project.root().and_then(|root| root.get("layers")) {
            manifest.layers = layers::read(&mut check, layers, &manifest);
        }
        manifest.catalog = catalog::read(&mut check, texts, &manifest);
        patches::read(&mut check, texts, &mut manifest);
        let found = check.into_diagnostics();
        let found = beside_syntax_errors(found, texts.documents(), texts.syntax_errors);
        (manifest, found)
    }

    /// The dependency of that type and name.
    pub fn dependency(&self, kind: ResourceType, name: &str) -> Option<&Dependency> {
        self.dependencies
            .iter()
            .find(|one| one.kind == kind && one.name.as_str() == name)
    }

    /// The source of that name.
    pub fn source(&self, name: &SourceName) -> Option<&SourceDeclaration> {
        self.sources.iter().find(|source| source.name == *name)
    }

    /// The strategy of that name, the project's own or built in.
    pub fn strategy(&self, name: &str) -> Option<Strategy> {
        let own = self
            .strategies
            .iter()
            .find(|strategy| strategy.name == name);
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

/// The `[policy]` of one text.
fn read_policy(check: &mut Check, text: &Document) -> Option<Policy> {
    let table = text.root()?.get("policy")?;
    let (policy, mistakes) = Policy::of_table(table);
    mistakes
        .into_iter()
        .for_each(|mistake| check.report(mistake));
    Some(policy)
}

/// Reports top-level keys that mean nothing here.
fn check_sections(check: &mut Check, root: NodeRef<'_>) {
    for UnknownKey { key, help, edit } in MANIFEST_SECTIONS.unknown_keys(root) {
        let name = key.content();
        let planned = PLANNED_SECTIONS.contains(&name);
        let message = if planned {
            format!("`[{name}]` is not supported yet")
        } else {
            format!("{} has no key `{name}`", MANIFEST_SECTIONS.what)
        };
        let mut diagnostic =
            Diagnostic::new(&codes::MANIFEST_UNKNOWN_KEY, message).at_spot(spot(key));
        diagnostic.help = if planned {
            Some("remove the section".to_owned())
        } else {
            help
        };
        check.report(diagnostic.fixed_by(edit.filter(|_| !planned)));
    }
}
