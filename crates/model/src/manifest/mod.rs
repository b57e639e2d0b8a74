//! Converts `agpm.toml` from spanned nodes to checked types. All mistakes are reported at once.

mod audit;
mod budget;
mod catalog;
mod dependency;
mod inline;
mod layers;
mod lineage;
mod packages;
mod partial;
mod patches;
mod plugins;
mod private;
mod read;
mod requirement;
mod sources;
mod strategies;
mod tables;
mod texts;
mod tools;

use std::collections::{BTreeMap, BTreeSet};

use agpm_text::Value;

use crate::address::DefaultHost;
use crate::audit_settings::AuditSettings;
pub use crate::manifest::catalog::{AskedRemote, CatalogSettings};
pub use crate::manifest::dependency::{Dependency, Exclusion, InstallMode};
pub(crate) use crate::manifest::inline::implicit_source;
pub use crate::manifest::layers::{Layer, LayerLocation, is_junk};
pub use crate::manifest::patches::{FieldPath, Patch, PatchScope, TextPatch, unknown_patch};
pub use crate::manifest::plugins::{
    MarketplaceDependency, PartChoice, PartFilter, PartNames, is_plugin_name,
};
pub use crate::manifest::sources::{ExecutableAllowance, SourceDeclaration, SourceScope};
pub use crate::manifest::strategies::{FilePattern, MergeRule};
pub use crate::manifest::tables::{CONFIG_SCHEMA, MANIFEST_SCHEMA, PATCH_FILE, PRIVATE_SCHEMA};
pub use crate::manifest::texts::{BaseText, ManifestTexts, SectionEntry, Visibility};
use crate::name::{SourceName, ToolName};
use crate::path::RelativePath;
use crate::pin::ResourceId;
use crate::policy::Policy;
use crate::repository_pattern::RepositoryPattern;
use crate::resource::ResourceType;
use crate::strategy::Strategy;
use crate::tool::Tools;
use crate::variant::Variants;

/// A project's manifest, including its private part and the user's sources.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The sources of resources.
    pub sources: Vec<SourceDeclaration>,
    /// The host of `OWNER/REPO`.
    pub default_host: DefaultHost,
    /// Custom variables for templates.
    pub project: Option<Value>,
    /// The built-in and custom tools.
    pub tools: Tools,
    /// The characters that each tool may spend on the names and descriptions of resources.
    pub budget: BTreeMap<ToolName, usize>,
    /// Template variables of dependencies.
    pub variants: Variants,
    /// The dependencies, by type and then in document order.
    pub dependencies: Vec<Dependency>,
    /// Changes to the fields of resources.
    pub patches: Vec<Patch>,
    /// The diffs that patches name, by path from the manifest's directory; those that cannot be read are missing.
    pub text_patches: BTreeMap<RelativePath, TextPatch>,
    /// Resources that may pull in executables.
    pub allow_executables: Vec<ExecutableAllowance>,
    /// Tools in which conversions of all resources may widen permissions.
    pub allow_widening: Vec<ToolName>,
    /// Repositories that resources may require besides those of `sources`.
    pub allow_sources: Vec<RepositoryPattern>,
    /// Sources that resources require and no entry of the manifest names.
    pub required_sources: BTreeSet<SourceName>,
    /// The project's own policy.
    pub policy: Option<Policy>,
    /// The policies of its bases, lowest first.
    pub base_policies: Vec<Policy>,
    /// Dependencies that come from bases.
    pub base_entries: BTreeSet<ResourceId>,
    /// Dependencies of bases that the manifest drops.
    pub dropped: BTreeSet<ResourceId>,
    /// The layers, lowest first.
    pub layers: Vec<Layer>,
    /// The strategies for files.
    pub merge: Vec<MergeRule>,
    /// The strategies of the project and of the user.
    pub strategies: Vec<Strategy>,
    /// The contributors to the catalog.
    pub catalog: CatalogSettings,
    /// The settings of the audit.
    pub audit: AuditSettings,
    /// The document that active personas must inherit, from the manifest's directory.
    pub root_directives: Option<String>,
}

impl Manifest {
    /// The dependency with a type and name.
    pub fn dependency(&self, kind: ResourceType, name: &str) -> Option<&Dependency> {
        self.dependencies
            .iter()
            .find(|one| one.kind == kind && one.name.as_str() == name)
    }

    /// The source with a name.
    pub fn source(&self, name: &SourceName) -> Option<&SourceDeclaration> {
        self.sources.iter().find(|source| source.name == *name)
    }

    /// The sources that dependencies, layers and remotes of the catalog name.
    pub fn named_sources(&self) -> BTreeSet<&SourceName> {
        let units = self.dependencies.iter();
        let units = units.filter_map(|one| one.unit.origin.source());
        let marketplaces = self.dependencies.iter();
        let marketplaces = marketplaces.filter_map(|one| one.marketplace.as_ref());
        let layers = self
            .layers
            .iter()
            .filter_map(|layer| layer.location.source());
        units
            .chain(marketplaces.map(|declared| &declared.plugin.marketplace))
            .chain(layers)
            .chain(self.catalog.sources())
            .collect()
    }

    /// The strategy with a name, custom or built in.
    pub fn strategy(&self, name: &str) -> Option<Strategy> {
        let declared = self
            .strategies
            .iter()
            .find(|strategy| strategy.name == name);
        declared.cloned().or_else(|| Strategy::built_in(name))
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
