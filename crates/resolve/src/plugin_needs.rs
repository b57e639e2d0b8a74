//! The dependencies of plugins, and the plugins that hooks and servers need; both are read from files in foreign
//! formats.

use std::sync::Arc;

use crate::plugin::{
    Marketplace, MarketplaceEntry, PluginContext, PluginDependency, PluginSource, PluginTree,
    Strictness, has_root_variable, manifest_of, paths_of_script, read_plugin, script_paths,
};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, SourceSpan, codes};
use agpm_model::outdated_lock;
use agpm_model::{
    DeclaredDependency, Dependency, InstallMode, LockedMarketplace, Manifest, MarketplacePlugin,
    Requirement, ResourceExtent, ResourceOrigin, ResourcePath, ResourceType, Revision, SourceName,
    Unit, VersionRequirement,
};
use agpm_text::{Format, Value, parse_alone, to_value};

use crate::entries::ResolvedEntry;
use crate::index::ResourceFiles;
use crate::marketplaces::{NamedCommit, find_entry, locate_plugin, remote_requirement};
use crate::open_sources::OpenSources;
use crate::plugins::MarketplaceEntries;

/// Searches for the plugins that other plugins need.
pub(crate) struct PluginFinder<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) sources: &'a dyn OpenSources,
}

/// A marketplace that was read.
struct Listing {
    source: SourceName,
    marketplace: Arc<Marketplace>,
}

/// The marketplace that a plugin belongs to, and the version that describes the plugin.
struct OwnMarketplace {
    source: SourceName,
    version: MarketplaceVersion,
}

enum MarketplaceVersion {
    /// A commit; `None` for a directory.
    At(Option<Revision>),
    /// The default branch.
    Default,
}

impl PluginFinder<'_> {
    /// The marketplace of a plugin: the pinned one for a plugin of the manifest; for others the version of the plugin
    /// itself, or, in another repository, the version that the manifest's plugins are from.
    fn own_marketplace(&self, unit: &Unit, commit: Option<&Revision>) -> Option<OwnMarketplace> {
        let dependencies = self.manifest.dependencies.iter();
        let pins = dependencies
            .filter_map(|one| Some((&one.unit, one.marketplace.as_ref()?.pin.as_ref()?)));
        let pinned = |pin: &LockedMarketplace| OwnMarketplace {
            source: pin.plugin.marketplace.clone(),
            version: MarketplaceVersion::At(pin.commit.clone()),
        };
        if let Some((_, pin)) = pins.clone().find(|(own, _)| *own == unit) {
            return Some(pinned(pin));
        }
        let in_source = |source: &SourceName| OwnMarketplace {
            source: source.clone(),
            version: MarketplaceVersion::At(commit.cloned()),
        };
        let Some(listed) = &unit.marketplace else {
            return unit.origin.source().map(in_source);
        };
        if unit.origin.source() == Some(&listed.marketplace) {
            return Some(in_source(&listed.marketplace));
        }
        let mut pins = pins.map(|(_, pin)| pin);
        let same = pins.find(|pin| pin.plugin.marketplace == listed.marketplace);
        let unpinned = || OwnMarketplace {
            source: listed.marketplace.clone(),
            version: MarketplaceVersion::Default,
        };
        Some(same.map_or_else(unpinned, pinned))
    }

    fn read(&self, own: &OwnMarketplace) -> Result<Arc<Marketplace>, Failure> {
        match &own.version {
            MarketplaceVersion::At(commit) => {
                self.sources.marketplace(&own.source, commit.as_ref())
            }
            MarketplaceVersion::Default => self.sources.default_marketplace(&own.source),
        }
    }

    /// The marketplace entry that describes a plugin.
    fn entry_of(
        &self,
        unit: &Unit,
        commit: Option<&Revision>,
    ) -> Result<Option<MarketplaceEntry>, Failure> {
        // Most resources are not of a marketplace, and searching the manifest for each would take quadratic time.
        let Some(listed) = &unit.marketplace else {
            return Ok(None);
        };
        let Some(own) = self.own_marketplace(unit, commit) else {
            return Ok(None);
        };
        Ok(self.read(&own)?.find(&listed.name).ok().cloned())
    }
}

/// The marketplace entries of plugins. Fails if a plugin of the manifest is not where its pinned marketplace says.
pub fn marketplace_entries(
    manifest: &Manifest,
    sources: &dyn OpenSources,
    entries: &[ResolvedEntry],
) -> Result<MarketplaceEntries, Failure> {
    let finder = PluginFinder { manifest, sources };
    let mut described = MarketplaceEntries::new();
    for dependency in &manifest.dependencies {
        let pin = dependency.marketplace.as_ref();
        let Some(pin) = pin.and_then(|own| own.pin.as_ref()) else {
            continue;
        };
        let source = &pin.plugin.marketplace;
        let marketplace = sources.marketplace(source, pin.commit.as_ref())?;
        let entry = find_entry(dependency, &marketplace)?;
        let location = locate_plugin(manifest, dependency, entry)?;
        if location.unit != dependency.unit {
            let message = format!("{} is not where `{source}` says", dependency.id());
            return Err(outdated_lock(message));
        }
        described.insert(dependency.unit.clone(), entry.clone());
    }
    for resolved in entries {
        let unit = &resolved.entry.unit;
        if !described.contains_key(unit)
            && let Some(entry) = finder.entry_of(unit, resolved.version.commit.as_ref())?
        {
            described.insert(unit.clone(), entry);
        }
    }
    Ok(described)
}

/// A plugin that another one needs.
pub(crate) enum PluginNeed {
    /// A plugin in an open source.
    Here(DeclaredDependency, Unit),
    /// A plugin in the repository that its marketplace names.
    Elsewhere(RemoteNeed),
}

/// A needed plugin in a repository that its marketplace names.
pub(crate) struct RemoteNeed {
    /// The repository's URL, the path in it, and the requirement.
    pub(crate) declared: DeclaredDependency,
    /// The commit that the marketplace names.
    pub(crate) commit: Option<NamedCommit>,
    /// The plugin in its marketplace.
    pub(crate) listed: MarketplacePlugin,
    /// The manifest entry that would approve it.
    entry: String,
}

impl RemoteNeed {
    /// The finding that the manifest neither names nor allows the repository.
    pub(crate) fn refusal(&self, chain: &[Unit]) -> Failure {
        let url = self.declared.source.as_deref().unwrap_or_default();
        let needing: Vec<String> = chain.iter().map(|unit| format!("`{unit}`")).collect();
        let message = format!(
            "{} needs a plugin of another repository, `{url}`",
            needing.join(" -> ")
        );
        let help = format!(
            "approve it: add `{}` to `[plugins]`, or `allow-sources = [\"{url}\"]` at the top of `agpm.toml`",
            self.entry
        );
        let found = Diagnostic::new(&codes::SOURCE_NOT_ALLOWED, message);
        let found = found.at_spot(self.declared.spot).help(help);
        Failure::new(FailureKind::Refused, found)
    }
}

/// The declared dependencies of a plugin; other findings are reported when it is installed.
pub(crate) fn plugin_needs(
    finder: &PluginFinder<'_>,
    unit: &Unit,
    commit: Option<&Revision>,
    resource: &ResourceFiles,
    notes: &mut Notes,
) -> Result<Vec<PluginNeed>, Failure> {
    let files = resource.others.iter();
    let tree = PluginTree::new(files.map(|(path, file)| (path.as_str(), &*file.bytes)));
    let label = unit.to_string();
    let context = PluginContext {
        name: unit.path.file_name(),
        label: &label,
    };
    let entry = finder.entry_of(unit, commit)?;
    let reported = notes.diagnostics.len();
    let file = manifest_of(|path| tree.has_file(path));
    let listing = read_plugin(&tree, file, entry.as_ref(), context, notes);
    notes.diagnostics.truncate(reported);
    let dependencies = listing.map(|listing| listing.dependencies);
    let mut needs = Vec::new();
    for dependency in dependencies.unwrap_or_default() {
        let listing = marketplace_of(finder, unit, commit, &dependency)?;
        needs.push(found(finder, &listing, &dependency)?);
    }
    Ok(needs)
}

/// The marketplace of a dependency: the plugin's own, or one that is a source of the manifest.
fn marketplace_of(
    finder: &PluginFinder<'_>,
    unit: &Unit,
    commit: Option<&Revision>,
    dependency: &PluginDependency,
) -> Result<Listing, Failure> {
    let Some(own) = finder.own_marketplace(unit, commit) else {
        let message = format!(
            "plugin `{unit}` needs plugin `{}`, and is in no marketplace",
            dependency.name
        );
        let help = format!("add `{}` to `[plugins]` yourself", dependency.name);
        return Err(refused(dependency, message, help));
    };
    let marketplace_name = dependency
        .marketplace
        .as_deref()
        .filter(|name| *name != own.source.as_str());
    let Some(marketplace_name) = marketplace_name else {
        return Ok(Listing {
            marketplace: finder.read(&own)?,
            source: own.source,
        });
    };
    // The marketplace may have another name than its source in the manifest.
    if let Ok(marketplace) = finder.read(&own)
        && marketplace.name == marketplace_name
    {
        return Ok(Listing {
            source: own.source,
            marketplace,
        });
    }
    let sources = &finder.manifest.sources;
    if let Some(source) = sources
        .iter()
        .find(|source| source.name.as_str() == marketplace_name)
    {
        return default_listing(finder, &source.name);
    }
    let listings = sources.iter().filter_map(|source| {
        let listing = default_listing(finder, &source.name).ok()?;
        (listing.marketplace.name == marketplace_name).then_some(listing)
    });
    listings.into_iter().next().ok_or_else(|| {
        let message = format!(
            "plugin `{unit}` needs `{}` of the unknown marketplace `{marketplace_name}`",
            dependency.name
        );
        let help = format!("add its repository to `[sources]`: `{marketplace_name} = \"URL\"`");
        refused(dependency, message, help)
    })
}

/// A marketplace without a requirement.
fn default_listing(finder: &PluginFinder<'_>, source: &SourceName) -> Result<Listing, Failure> {
    Ok(Listing {
        marketplace: finder.sources.default_marketplace(source)?,
        source: source.clone(),
    })
}

fn refused(dependency: &PluginDependency, message: String, help: String) -> Failure {
    Diagnostic::new(&codes::PLUGIN_MARKETPLACE, message)
        .at_spot(dependency.spot)
        .help(help)
        .into()
}

/// Finds a plugin that another one needs.
fn found(
    finder: &PluginFinder<'_>,
    listing: &Listing,
    dependency: &PluginDependency,
) -> Result<PluginNeed, Failure> {
    let Listing {
        source,
        marketplace,
    } = listing;
    let entry = marketplace.find(&dependency.name).map_err(|unknown| {
        let message = format!(
            "marketplace `{source}` has no plugin `{}`, which another one needs",
            dependency.name
        );
        let mut found = Diagnostic::new(&codes::NAME_UNKNOWN, message).at_spot(dependency.spot);
        found.help = unknown.help;
        Failure::new(FailureKind::NotFound, found)
    })?;
    let in_open_source = |unit: Unit, requirement| {
        let declared = declaration(unit.path.as_str(), requirement, dependency.spot);
        PluginNeed::Here(declared, unit)
    };
    let is_named = |one: &&Dependency| match &one.marketplace {
        Some(own) => {
            let names_entry = |found: &MarketplaceEntry| found.name == entry.name;
            own.plugin.marketplace == *source
                && marketplace.find(&own.plugin.name).is_ok_and(names_entry)
        }
        // Without its entry, a directory is the same plugin unless the entry replaces its manifest.
        None => {
            entry.strictness == Strictness::PluginManifest
                && one.kind == ResourceType::Plugins
                && one.unit.origin.source() == Some(source)
                && matches!(&entry.source, Some(PluginSource::Relative(path)) if one.unit.path.in_tree() == path)
        }
    };
    if let Some(named) = finder.manifest.dependencies.iter().find(is_named) {
        // The marketplace's requirement on another repository is the requirement of the manifest's entry.
        let requirement = match named.unit.origin.source() {
            Some(dependency_source) if dependency_source == source => {
                range_over_tags(finder, source, &entry.name, dependency)?
            }
            _ => Some(named.requirement.clone()),
        };
        return Ok(in_open_source(named.unit.clone(), requirement));
    }
    let broken = |message: String| refused(dependency, message, "report it".to_owned());
    let listed = MarketplacePlugin {
        marketplace: source.clone(),
        name: entry.name.clone(),
    };
    match &entry.source {
        Some(PluginSource::Relative(path)) => {
            let path = if path.is_empty() { "." } else { path };
            let unit = Unit {
                origin: ResourceOrigin::Source(source.clone()),
                path: ResourcePath::directory_in_source(path)
                    .map_err(|error| broken(error.to_string()))?,
                extent: ResourceExtent::Plugin,
                marketplace: Some(listed),
            };
            let requirement = range_over_tags(finder, source, &entry.name, dependency)?;
            Ok(in_open_source(unit, requirement))
        }
        Some(PluginSource::Git {
            url,
            path,
            reference,
            sha,
        }) => {
            let range = dependency.version.as_deref();
            let reference = reference.as_deref();
            let requirement = remote_requirement(sha.as_ref(), range.or(reference))
                .map_err(|error| broken(error.to_string()))?;
            let path = if path.is_empty() { "." } else { path };
            let mut declared = declaration(path, Some(requirement), dependency.spot);
            declared.source = Some(url.clone());
            Ok(PluginNeed::Elsewhere(RemoteNeed {
                declared,
                commit: NamedCommit::new(sha.as_ref(), reference, dependency.spot),
                listed,
                entry: format!("{} = {{ marketplace = \"{source}\" }}", entry.name),
            }))
        }
        Some(PluginSource::Unsupported(kind)) => Err(broken(format!(
            "plugin `{}`, which another one needs, has a source of the kind `{kind}`",
            entry.name
        ))),
        None => Err(broken(format!(
            "plugin `{}`, which another one needs, has no usable `source`",
            entry.name
        ))),
    }
}

/// A range as a requirement on the tags of the plugin, `NAME--vVERSION`, or else on those of the source.
fn range_over_tags(
    finder: &PluginFinder<'_>,
    source: &SourceName,
    name: &str,
    dependency: &PluginDependency,
) -> Result<Option<Requirement>, Failure> {
    let Some(range) = dependency.version.as_deref() else {
        return Ok(None);
    };
    let Some(versions) = finder.sources.versions(source)? else {
        return Ok(None);
    };
    let prefix = format!("{name}--");
    let has_plugin_tags = versions.tags.keys().any(|tag| tag.starts_with(&prefix));
    let written = if has_plugin_tags {
        format!("{prefix}{range}")
    } else {
        range.to_owned()
    };
    let parsed = VersionRequirement::parse(&written).map_err(|error| {
        let help = "report it to the plugin's author".to_owned();
        refused(dependency, error.to_string(), help)
    })?;
    Ok(Some(Requirement::Version(parsed)))
}

pub(crate) fn declaration(
    path: &str,
    requirement: Option<Requirement>,
    spot: SourceSpan,
) -> DeclaredDependency {
    DeclaredDependency {
        source: None,
        kind: ResourceType::Plugins,
        path: path.to_owned(),
        requirement,
        tool: None,
        name: None,
        layout: None,
        install: InstallMode::Write,
        spot,
    }
}

/// The files that a file of hooks or servers needs.
pub(crate) enum FileNeed {
    /// The directory with the files that it refers to.
    Directory(Unit),
    /// A script that is elsewhere in its source, by its path.
    OutOfReach(String),
}

/// The directory that a file of hooks or servers depends on: the nearest parent directory that is a plugin, or else the
/// one with its scripts.
pub(crate) fn need_of_file(
    unit: &Unit,
    bytes: &[u8],
    exists: &dyn Fn(&str) -> bool,
) -> Option<FileNeed> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_json = unit.path.extension() == Some("json");
    if unit.extent != ResourceExtent::File || !is_json {
        return None;
    }
    let plugin = enclosing_plugin(unit, exists);
    if has_root_variable(text) {
        let directory = directory_unit(unit, plugin?)?;
        return Some(FileNeed::Directory(directory));
    }
    let own = unit.path.directory();
    let is_in = |directory: &str, script: &str| {
        let inner = own.strip_prefix(directory).unwrap_or_default();
        let mut paths = paths_of_script(script, inner.trim_start_matches('/')).into_iter();
        paths.any(|path| exists(&joined(directory, &path)))
    };
    let scripts = scripts_of(unit, text, exists);
    let is_needed = |directory: &&str| scripts.iter().any(|script| is_in(directory, script));
    if let Some(directory) = plugin.into_iter().chain([own]).find(is_needed) {
        return Some(FileNeed::Directory(directory_unit(unit, directory)?));
    }
    let is_local = unit.origin == ResourceOrigin::Local;
    // A project often has a `gradlew` too, and rarely a script with the name of one in the source.
    let is_script = |script: &&String| {
        script
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'))
    };
    let elsewhere = scripts
        .into_iter()
        .filter(|script| is_script(&script))
        .find(|script| !is_local && exists(script));
    elsewhere.map(FileNeed::OutOfReach)
}

/// The relative paths of scripts that hooks run; not those that a project has itself.
fn scripts_of(unit: &Unit, text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let parsed = parse_alone(text, Format::Jsonc);
    let value = parsed.document.root().map(to_value);
    let is_hooks = |value: &Value| {
        ["hooks", "events"]
            .iter()
            .any(|key| value.get(key).is_some())
    };
    let Some(hooks) = value.filter(is_hooks) else {
        return Vec::new();
    };
    let is_own = |script: &String| unit.origin == ResourceOrigin::Local && exists(script);
    let scripts = script_paths(&hooks).into_iter();
    scripts.filter(|script| !is_own(script)).collect()
}

fn joined(directory: &str, file: &str) -> String {
    match directory {
        "" => file.to_owned(),
        directory => format!("{directory}/{file}"),
    }
}

/// The nearest parent directory of a file with the manifest of a plugin.
fn enclosing_plugin<'u>(unit: &'u Unit, exists: &dyn Fn(&str) -> bool) -> Option<&'u str> {
    let mut directory = unit.path.directory();
    loop {
        if manifest_of(|file| exists(&joined(directory, file))).is_some() {
            return Some(directory);
        }
        directory = directory.rsplit_once('/').map_or_else(
            || if directory.is_empty() { None } else { Some("") },
            |(above, _)| Some(above),
        )?;
    }
}

fn directory_unit(unit: &Unit, directory: &str) -> Option<Unit> {
    let written = if directory.is_empty() { "." } else { directory };
    let path = match unit.origin {
        ResourceOrigin::Source(_) => ResourcePath::directory_in_source(written),
        _ => ResourcePath::local(written),
    };
    Some(Unit {
        origin: unit.origin.clone(),
        path: path.ok()?,
        extent: ResourceExtent::Plugin,
        marketplace: None,
    })
}
