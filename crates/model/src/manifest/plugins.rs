//! The settings specific to plugin entries of a manifest.

use agpm_diag::SourceSpan;
use agpm_text::NodeRef;

use crate::check::{Check, spot};
use crate::marketplace::{LockedMarketplace, MarketplacePlugin};
use crate::name::ResourceName;
use crate::pin::ResourceId;
use crate::resource::{PLUGIN_PARTS, ResourceType};
use crate::version::Requirement;

/// A dependency on a plugin of a marketplace.
#[derive(Clone, Debug)]
pub struct MarketplaceDependency {
    /// The plugin.
    pub plugin: MarketplacePlugin,
    /// The requirement on the marketplace's source.
    pub requirement: Requirement,
    /// The marketplace that located the plugin, once it was read.
    pub pin: Option<LockedMarketplace>,
}

/// The installed parts of a plugin, and their names.
#[derive(Clone, Debug, Default)]
pub struct PartChoice {
    /// The parts to install; all if it is empty.
    pub only: Vec<PartFilter>,
    /// The parts to exclude.
    pub exclude: Vec<PartFilter>,
    /// The names of the parts.
    pub names: PartNames,
}

/// Parts of a plugin: all of a type, or one.
#[derive(Clone, Debug)]
pub struct PartFilter {
    /// The type.
    pub kind: ResourceType,
    /// The name of a single part; `None` for all of the type.
    pub name: Option<ResourceName>,
    /// The position in the manifest.
    pub spot: SourceSpan,
}

/// The names of the parts of a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartNames {
    /// Their names in the plugin.
    #[default]
    Own,
    /// Their names prefixed with the plugin's, where a name belongs to one part.
    Prefixed,
}

/// Whether a plugin can have this name: its directory has it too, and shell commands contain that.
pub fn is_plugin_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.chars().all(is_plain) && !name.starts_with(['.', '-'])
}

impl PartFilter {
    /// Whether the filter matches a part.
    pub fn matches(&self, part: &ResourceId) -> bool {
        self.kind == part.kind && self.name.as_ref().is_none_or(|name| *name == part.name)
    }
}

impl std::fmt::Display for PartFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{}/{name}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl PartChoice {
    /// Whether a part is installed.
    pub fn takes(&self, part: &ResourceId) -> bool {
        let is_named = |filters: &[PartFilter]| filters.iter().any(|one| one.matches(part));
        (self.only.is_empty() || is_named(&self.only)) && !is_named(&self.exclude)
    }
}

impl Check {
    /// The keys `only`, `exclude` and `prefix`.
    pub(crate) fn part_choice(&mut self, table: NodeRef<'_>) -> PartChoice {
        let prefix = table
            .get("prefix")
            .and_then(|node| self.flag(node, "`prefix`"));
        let only = table.get("only");
        if let Some(node) =
            only.filter(|node| node.as_str().is_none() && node.items().next().is_none())
        {
            let help = "name parts as `TYPE/NAME` or `TYPE`, or remove the key";
            self.bad_value(node, "`only` does not name any part", help);
        }
        PartChoice {
            only: self.part_filters(only, "`only`"),
            exclude: self.part_filters(table.get("exclude"), "`exclude`"),
            names: match prefix {
                Some(true) => PartNames::Prefixed,
                _ => PartNames::Own,
            },
        }
    }

    fn part_filters(&mut self, node: Option<NodeRef<'_>>, what: &str) -> Vec<PartFilter> {
        let Some(node) = node else {
            return Vec::new();
        };
        let items = self.strings(node, what);
        items
            .into_iter()
            .filter_map(|(item, text)| self.part_filter(item, text))
            .collect()
    }

    fn part_filter(&mut self, node: NodeRef<'_>, text: &str) -> Option<PartFilter> {
        let (kind, name) = match text.split_once('/') {
            Some((kind, name)) => (kind, Some(name)),
            None => (text, None),
        };
        let kind = ResourceType::named(kind).filter(|kind| PLUGIN_PARTS.contains(kind));
        let name = name.map(ResourceName::new).transpose();
        let (Some(kind), Ok(name)) = (kind, name) else {
            let types = PLUGIN_PARTS.map(ResourceType::plural).join("`, `");
            let help = format!("write `TYPE/NAME` or `TYPE`, where the type is one of `{types}`");
            self.bad_value(
                node,
                format!("`{text}` does not name parts of a plugin"),
                &help,
            );
            return None;
        };
        Some(PartFilter {
            kind,
            name,
            spot: spot(node),
        })
    }
}
