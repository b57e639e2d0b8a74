//! Plugins and marketplaces of AI coding clients: their files as checked types, and the parts of a plugin.
//!
//! The crate has no access to sources, tools and the disk: it is given the files of a plugin, and interprets them.

mod agent_plugins;
mod limits;
mod manifest;
mod marketplace;
mod parts;
mod read_plugin;
mod reader;
mod root;
mod tree;

pub use limits::MOST_MARKETPLACE_BYTES;
pub use manifest::{
    MANIFESTS, ManifestFile, PluginComponents, PluginDependency, PluginDialect, PluginManifest,
};
pub use marketplace::{
    Marketplace, MarketplaceEntry, PluginSource, Strictness, UnknownPlugin, read_marketplace,
};
pub use parts::{PartContent, PluginListing, PluginPart};
pub use read_plugin::read_plugin;
pub use root::{
    PluginPaths, RelativeFiles, RootReference, environment_of, has_root_variable, named_files,
    paths_of_script, rewrite_command, rewrite_hooks, rewrite_markdown, rewrite_servers,
    script_paths, unknown_variables,
};
pub use tree::{PluginContext, PluginTree, manifest_for, manifest_of};
