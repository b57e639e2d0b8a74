//! The dependencies of plugins, and the plugins that hooks and servers need; both are read from files in foreign
//! formats.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, SourceSpan, codes};
use agpm_model::{
    DeclaredDependency, InstallMode, Manifest, ObjectId, Requirement, ResourceExtent,
    ResourceOrigin, ResourcePath, ResourceType, SourceName, Unit, VersionRequirement,
};
use agpm_plugin::{
    Marketplace, PluginContext, PluginDependency, PluginSource, PluginTree, has_root_variable,
    manifest_of, read_plugin,
};

use crate::index::ResourceFiles;
use crate::marketplaces::{NamedCommit, remote_requirement};
use crate::open_sources::OpenSources;

/// Searches for the plugins that other plugins need.
pub(crate) struct PluginFinder<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) sources: &'a dyn OpenSources,
}

/// A marketplace at a revision.
struct Listing {
    source: SourceName,
    marketplace: Marketplace,
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
    commit: Option<&ObjectId>,
    resource: &ResourceFiles,
    notes: &mut Notes,
) -> Result<Vec<PluginNeed>, Failure> {
    let files = resource.others.iter();
    let tree = PluginTree::new(files.map(|(path, file)| (path.as_str(), file.bytes.as_slice())));
    let label = unit.to_string();
    let context = PluginContext {
        name: unit.path.file_name(),
        label: &label,
    };
    let reported = notes.diagnostics.len();
    let listing = read_plugin(&tree, None, context, notes);
    notes.diagnostics.truncate(reported);
    let dependencies = listing.map(|listing| listing.manifest.dependencies);
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
    commit: Option<&ObjectId>,
    dependency: &PluginDependency,
) -> Result<Listing, Failure> {
    let of_manifest = finder
        .manifest
        .dependencies
        .iter()
        .filter(|one| one.unit == *unit)
        .find_map(|one| one.marketplace.as_ref()?.pin.as_ref());
    let own_source = of_manifest.map(|pin| (pin.plugin.marketplace.clone(), pin.commit.clone()));
    let own_source = own_source.or_else(|| Some((unit.origin.source()?.clone(), commit.cloned())));
    let Some((own_source, revision)) = own_source else {
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
        .filter(|name| *name != own_source.as_str());
    let Some(marketplace_name) = marketplace_name else {
        let marketplace = finder.sources.marketplace(&own_source, revision.as_ref())?;
        return Ok(Listing {
            source: own_source,
            marketplace,
        });
    };
    // The marketplace may have another name than its source in the manifest.
    if let Ok(marketplace) = finder.sources.marketplace(&own_source, revision.as_ref())
        && marketplace.name == marketplace_name
    {
        return Ok(Listing {
            source: own_source,
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
    let is_named = |dependency_source: &&agpm_model::Dependency| {
        dependency_source
            .marketplace
            .as_ref()
            .is_some_and(|dependency_source| {
                dependency_source.plugin.marketplace == *source
                    && dependency_source.plugin.name == entry.name
            })
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
    match &entry.source {
        Some(PluginSource::Relative(path)) => {
            let path = if path.is_empty() { "." } else { path };
            let unit = Unit {
                origin: ResourceOrigin::Source(source.clone()),
                path: ResourcePath::directory_in_source(path)
                    .map_err(|error| broken(error.to_string()))?,
                extent: ResourceExtent::Plugin,
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

/// The plugin that a file of hooks or servers depends on: the nearest parent directory that is one.
pub(crate) fn plugin_of_file(
    unit: &Unit,
    bytes: &[u8],
    exists: &dyn Fn(&str) -> bool,
) -> Option<Unit> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_json = unit.path.extension() == Some("json");
    if unit.extent != ResourceExtent::File || !is_json || !has_root_variable(text) {
        return None;
    }
    let mut directory = unit.path.directory();
    loop {
        let inside = |file: &str| match directory {
            "" => file.to_owned(),
            directory => format!("{directory}/{file}"),
        };
        if manifest_of(|file| exists(&inside(file))).is_some() {
            break;
        }
        directory = directory.rsplit_once('/').map_or_else(
            || if directory.is_empty() { None } else { Some("") },
            |(above, _)| Some(above),
        )?;
    }
    let written = if directory.is_empty() { "." } else { directory };
    let path = match unit.origin {
        ResourceOrigin::Source(_) => ResourcePath::directory_in_source(written),
        _ => ResourcePath::local(written),
    };
    Some(Unit {
        origin: unit.origin.clone(),
        path: path.ok()?,
        extent: ResourceExtent::Plugin,
    })
}
