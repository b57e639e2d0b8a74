//! Locates plugins of marketplaces, from the lockfile or a `marketplace.json`.

use crate::plugin::{Marketplace, MarketplaceEntry, PluginSource};
use agpm_diag::{Diagnostic, Failure, FailureKind, SourceSpan, codes};
use agpm_model::{
    DEFAULT_VERSION, Dependency, LockEntry, LockedMarketplace, Lockfile, Manifest,
    MarketplacePlugin, Requirement, ResourceExtent, ResourceOrigin, ResourcePath, ResourceType,
    Revision, SourceAddress, SourceDeclaration, SourceName, SourceScope, SourceVersions, Unit,
    VersionRequirement,
};

/// Binds plugins of marketplaces to their locked locations, if the manifest still requires the same.
pub fn bind_locked_plugins(manifest: &mut Manifest, lock: &Lockfile) {
    let mut sources = Vec::new();
    for dependency in &mut manifest.dependencies {
        let Some(locked) = locked_plugin(dependency, lock) else {
            continue;
        };
        if let Some(named) = &mut dependency.marketplace {
            named.pin = locked.marketplace.clone();
        }
        dependency.unit = locked.unit.clone();
        if let Some(requirement) = locked.requirement() {
            dependency.requirement = locked_requirement(requirement, &dependency.requirement);
        }
        let name = locked.unit.origin.source();
        let url = lock
            .sources
            .iter()
            .find(|source| Some(&source.name) == name)
            .and_then(|source| source.url.as_deref());
        let address = url.and_then(|url| SourceAddress::parse(url).ok());
        sources.extend(
            name.cloned()
                .zip(address)
                .map(|(name, address)| SourceDeclaration {
                    name,
                    address,
                    scope: SourceScope::Project,
                    spot: dependency.spot,
                }),
        );
    }
    for source in sources {
        add_source(manifest, source);
    }
}

/// The locked requirement: for a plugin in another repository, the commit that its marketplace names.
fn locked_requirement(requirement: &str, declared: &Requirement) -> Requirement {
    if declared.as_str() == requirement {
        return declared.clone();
    }
    if requirement.parse::<Revision>().is_ok() {
        return Requirement::Rev(requirement.to_owned());
    }
    VersionRequirement::parse(requirement).map_or_else(|_| declared.clone(), Requirement::Version)
}

fn locked_plugin<'l>(dependency: &Dependency, lock: &'l Lockfile) -> Option<&'l LockEntry> {
    let named = dependency.marketplace.as_ref()?;
    let is_same = |from: &LockedMarketplace| {
        from.plugin == named.plugin && from.requirement == named.requirement.as_str()
    };
    lock.entries.iter().find(|locked| {
        locked.kind == ResourceType::Plugins
            && locked.name == dependency.name
            && locked.marketplace.as_ref().is_some_and(is_same)
    })
}

/// Adds a source that the manifest does not name itself.
pub fn add_source(manifest: &mut Manifest, source: SourceDeclaration) {
    if manifest.source(&source.name).is_none() {
        manifest.sources.push(source);
    }
}

/// The location of a plugin of a marketplace.
#[derive(Debug)]
pub struct PluginLocation {
    /// The plugin.
    pub unit: Unit,
    /// The requirement on its source, if it is not the marketplace's.
    pub requirement: Option<Requirement>,
    /// The source to open for it.
    pub source: Option<SourceDeclaration>,
    /// The commit that the marketplace names.
    pub commit: Option<NamedCommit>,
}

/// A commit that a marketplace names, and the branch or tag that it must belong to.
#[derive(Debug)]
pub struct NamedCommit {
    /// The id of the named commit.
    pub id: Revision,
    reference: Option<String>,
    /// The position of the dependency in the manifest.
    spot: SourceSpan,
}

impl NamedCommit {
    /// The commit that an entry names.
    pub fn new(sha: Option<&Revision>, reference: Option<&str>, spot: SourceSpan) -> Option<Self> {
        Some(NamedCommit {
            id: sha?.clone(),
            reference: reference.map(str::to_owned),
            spot,
        })
    }

    /// The tip of the branch that must contain the commit; `None` if nothing is left to check.
    ///
    /// Git prefers a tag to a branch of the same name.
    pub fn branch_tip<'v>(
        &self,
        source: &SourceName,
        versions: &'v SourceVersions,
    ) -> Result<Option<&'v Revision>, Failure> {
        let Some(reference) = self.reference.as_deref() else {
            return Ok(None);
        };
        let tag = reference.strip_prefix("refs/tags/").unwrap_or(reference);
        let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference);
        let fixed = match versions.tags.get(tag) {
            Some(tag) => Some(tag.clone()),
            None => reference.parse().ok(),
        };
        match fixed {
            Some(fixed) if fixed == self.id => Ok(None),
            Some(fixed) => {
                let message = format!(
                    "`{reference}` of `{source}` is {}, but its marketplace names {}",
                    fixed.short(),
                    self.id.short()
                );
                let help = "the tag may have been moved: compare both commits, and report it";
                Err(Diagnostic::new(&codes::PLUGIN_COMMIT, message)
                    .at_spot(self.spot)
                    .help(help)
                    .into())
            }
            None => match versions.branches.get(branch) {
                Some(tip) => Ok(Some(tip)),
                None => {
                    let message = format!("`{source}` has no branch or tag `{reference}`");
                    Err(self.unreachable(message))
                }
            },
        }
    }

    /// The finding that the commit is not in the history of its branch, or does not exist.
    pub fn not_reachable(&self, source: &SourceName) -> Failure {
        let commit = self.id.short();
        let message = match &self.reference {
            Some(reference) => {
                format!("commit {commit} of `{source}` is not reachable from `{reference}`")
            }
            None => format!("commit {commit} of `{source}` is not reachable"),
        };
        self.unreachable(message)
    }

    fn unreachable(&self, message: String) -> Failure {
        let help = "the marketplace is out of date, or the branch was rewritten: report it";
        let found = Diagnostic::new(&codes::PLUGIN_COMMIT, message).at_spot(self.spot);
        Failure::new(FailureKind::Network, found.help(help))
    }
}

/// The entry of a plugin in its marketplace.
pub fn find_entry<'m>(
    dependency: &Dependency,
    marketplace: &'m Marketplace,
) -> Result<&'m MarketplaceEntry, Failure> {
    let Some(named) = &dependency.marketplace else {
        return Err(Failure::reported());
    };
    let plugin = &named.plugin;
    marketplace.find(&plugin.name).map_err(|unknown| {
        let message = format!(
            "marketplace `{}` has no plugin `{}`",
            plugin.marketplace, plugin.name
        );
        let mut found = Diagnostic::new(&codes::NAME_UNKNOWN, message).at_spot(dependency.spot);
        found.help = unknown
            .help
            .or_else(|| Some("it lists no plugins".to_owned()));
        Failure::new(FailureKind::NotFound, found)
    })
}

/// The location of a plugin, from its entry in a marketplace.
pub fn locate_plugin(
    manifest: &Manifest,
    dependency: &Dependency,
    entry: &MarketplaceEntry,
) -> Result<PluginLocation, Failure> {
    let Some(named) = &dependency.marketplace else {
        return Err(Failure::reported());
    };
    let plugin = &named.plugin;
    let wrong = |message: String, help: &str| -> Failure {
        Diagnostic::new(&codes::PLUGIN_MARKETPLACE, message)
            .at_spot(dependency.spot)
            .help(help)
            .into()
    };
    let subject = format!("plugin `{}` of `{}`", entry.name, plugin.marketplace);
    match &entry.source {
        Some(PluginSource::Relative(path)) => Ok(PluginLocation {
            unit: plugin_at(&plugin.marketplace, path, plugin),
            requirement: None,
            source: None,
            commit: None,
        }),
        Some(PluginSource::Git {
            url,
            path,
            reference,
            sha,
        }) => {
            let address = SourceAddress::parse(url).map_err(|error| {
                wrong(
                    format!("{subject}: {error}"),
                    "report it to the marketplace",
                )
            })?;
            let marketplace = manifest.source(&plugin.marketplace);
            let is_near = marketplace.is_some_and(|source| source.address.is_local());
            if address.is_local() && !is_near {
                let message = format!("{subject} names a path on this machine");
                let help = "a remote marketplace cannot refer to local files";
                let mut failure = wrong(message, help);
                failure.kind = FailureKind::Refused;
                return Err(failure);
            }
            let name = SourceName::new(&format!("{}/{}", plugin.marketplace, entry.name)).map_err(
                |error| {
                    wrong(
                        format!("{subject}: {error}"),
                        "report it to the marketplace",
                    )
                },
            )?;
            let existing = manifest
                .sources
                .iter()
                .find(|source| source.address.redacted() == address.redacted());
            let source = match existing {
                Some(existing) => existing.clone(),
                None => SourceDeclaration {
                    name,
                    address,
                    scope: SourceScope::Project,
                    spot: dependency.spot,
                },
            };
            let requirement =
                remote_requirement(sha.as_ref(), reference.as_deref()).map_err(|error| {
                    wrong(
                        format!("{subject}: {error}"),
                        "report it to the marketplace",
                    )
                })?;
            Ok(PluginLocation {
                unit: plugin_at(&source.name, path, plugin),
                requirement: Some(requirement),
                source: Some(source),
                commit: NamedCommit::new(sha.as_ref(), reference.as_deref(), dependency.spot),
            })
        }
        Some(PluginSource::Unsupported(kind)) => {
            let message = format!("{subject} has a source of type `{kind}`");
            let help = "agpm reads plugins from git repositories; choose another one";
            Err(wrong(message, help))
        }
        None => Err(wrong(
            format!("{subject} has no usable `source`"),
            "report it to the marketplace",
        )),
    }
}

/// An entry's requirement on the repository that it names: a commit wins over a reference.
pub fn remote_requirement(
    sha: Option<&Revision>,
    reference: Option<&str>,
) -> Result<Requirement, agpm_model::RequirementError> {
    if let Some(sha) = sha {
        return Ok(Requirement::Rev(sha.as_str().to_owned()));
    }
    VersionRequirement::parse(reference.unwrap_or(DEFAULT_VERSION)).map(Requirement::Version)
}

fn plugin_at(source: &SourceName, path: &str, plugin: &MarketplacePlugin) -> Unit {
    let path = if path.is_empty() { "." } else { path };
    let path = ResourcePath::found(path)
        .or_else(|_| ResourcePath::directory_in_source(path))
        .expect("a path that a marketplace's reader checked");
    Unit {
        origin: ResourceOrigin::Source(source.clone()),
        path,
        extent: ResourceExtent::Plugin,
        marketplace: Some(plugin.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_diag::{SourceMap, Span};

    fn id(digit: &str) -> Revision {
        digit.repeat(40).parse().expect("forty digits")
    }

    #[test]
    fn a_tag_equals_the_commit_and_a_branch_has_to_lead_to_it() {
        let versions = SourceVersions {
            branches: [("main", "b"), ("both", "b")]
                .map(|(name, digit)| (name.to_owned(), id(digit)))
                .into(),
            tags: [("v1", "a"), ("both", "a")]
                .map(|(name, digit)| (name.to_owned(), id(digit)))
                .into(),
            ..SourceVersions::default()
        };
        let spot = SourceSpan {
            source: SourceMap::default().add("agpm.toml", ""),
            span: Span::at(0),
        };
        let source = SourceName::new("hub/kit").expect("a name");
        let check = |reference: Option<&str>| {
            let commit = NamedCommit::new(Some(&id("a")), reference, spot).expect("a commit");
            let tip = commit.branch_tip(&source, &versions);
            tip.map(|tip| tip.cloned()).map_err(|failure| failure.kind)
        };
        let full_id = id("c").to_string();
        for (reference, expected) in [
            (None, Ok(None)),
            (Some("v1"), Ok(None)),
            (Some("refs/tags/v1"), Ok(None)),
            (Some("both"), Ok(None)),
            (Some("main"), Ok(Some(id("b")))),
            (Some("refs/heads/both"), Ok(Some(id("b")))),
            (Some("gone"), Err(FailureKind::Network)),
            (Some(full_id.as_str()), Err(FailureKind::Errors)),
        ] {
            assert_eq!(check(reference), expected, "{reference:?}");
        }
    }
}
