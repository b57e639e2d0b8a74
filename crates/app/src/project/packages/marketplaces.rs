//! Reads marketplaces: the locations of their plugins, and their entries.

use std::path::Path;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes, has_errors};
use agpm_model::{
    Dependency, LockedMarketplace, MARKETPLACE_FILES, Manifest, MarketplaceDependency, PinId,
    Requirement, Revision, SourceName,
};
use agpm_resolve::plugin::{MOST_MARKETPLACE_BYTES, Marketplace, read_marketplace};
use agpm_resolve::{
    NamedCommit, PluginLocation, UpdateScope, add_source, find_entry, locate_plugin,
};
use agpm_source::{FileFetching, SourceError};
use agpm_store::parallel;
use agpm_text::{Format, Limits, decode, parse};

use crate::project::packages::sources::ProjectSources;
use crate::project::source_failure::source_failure;
use crate::project::world::World;

/// Locates the plugins of marketplaces that are not pinned by the lockfile, or whose pins may move. All that cannot be
/// located are reported.
pub(crate) fn bind_plugins(
    world: &World,
    manifest: &mut Manifest,
    root: &Path,
    moving: &UpdateScope,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let mut open = Vec::new();
    for (number, dependency) in manifest.dependencies.iter().enumerate() {
        if let Some(own) = &dependency.marketplace
            && (own.pin.is_none() || moves(moving, dependency))
        {
            open.push((number, own.clone()));
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    let sources = ProjectSources::open_used(world, manifest, root);
    let mut failures = Vec::new();
    let mut named = Vec::new();
    for (number, own) in open {
        let spot = manifest.dependencies[number].spot;
        match locate(&sources, manifest, number, own) {
            Ok(commit) => named.extend(commit.map(|commit| (spot, commit))),
            Err(failure) => failures.push((spot, failure)),
        }
    }
    // Each of these plugins has its own repository. All of them are contacted at the same time.
    let sources = ProjectSources::open_used(world, manifest, root);
    let checked = parallel::map_waiting(named, |(spot, PluginCommit { source, commit })| {
        let checked = check_commit(&sources, &source, &commit);
        checked.map_err(|failure| (spot, failure))
    });
    failures.extend(checked.into_iter().filter_map(Result::err));
    let kind = failures.first().map(|(_, failure)| failure.kind);
    for (spot, failure) in failures {
        let found = failure.diagnostic.into_iter();
        notes
            .diagnostics
            .extend(found.map(|found| match found.labels.as_slice() {
                [] => found.at_spot(spot),
                _ => found,
            }));
    }
    kind.map_or(Ok(()), |kind| Err(Failure::reported_as(kind)))
}

/// The commit that a marketplace names for a plugin in another repository.
struct PluginCommit {
    source: SourceName,
    commit: NamedCommit,
}

fn moves(moving: &UpdateScope, dependency: &Dependency) -> bool {
    match moving {
        UpdateScope::Nothing => false,
        UpdateScope::Everything => true,
        UpdateScope::Only(named) => named.contains(&PinId::Resource(dependency.id())),
    }
}

/// Sets the location of a plugin in the manifest in memory.
fn bind_plugin(
    manifest: &mut Manifest,
    number: usize,
    location: &PluginLocation,
    own: MarketplaceDependency,
) {
    let dependency = &mut manifest.dependencies[number];
    dependency.unit = location.unit.clone();
    dependency.requirement = location
        .requirement
        .clone()
        .unwrap_or_else(|| own.requirement.clone());
    dependency.marketplace = Some(own);
    if let Some(source) = location.source.clone() {
        add_source(manifest, source);
    }
}

/// Resolves the requirement on a marketplace to a revision; `None` for a directory.
fn revision_of(
    sources: &ProjectSources,
    own: &MarketplaceDependency,
) -> Result<Option<Revision>, Failure> {
    let name = &own.plugin.marketplace;
    let Some(source) = sources.versioned_source(name) else {
        return Ok(None);
    };
    let failed = |error| source_failure(name, error);
    if let Requirement::Rev(digits) = &own.requirement
        && let Ok(revision) = digits.parse()
    {
        return Ok(Some(revision));
    }
    let found = agpm_source::resolve(source, &own.requirement).map_err(failed)?;
    let Some(found) = found else {
        let message = format!("no version of source `{name}` fits `{}`", own.requirement);
        let help = "run `git ls-remote` with its URL to see its tags and branches";
        return Err(Diagnostic::new(&codes::PACKAGE_VERSION, message)
            .help(help)
            .into());
    };
    Ok(Some(found.revision))
}

/// Returns the revision of a marketplace without a requirement: its default branch.
pub(super) fn default_revision(
    sources: &ProjectSources,
    name: &SourceName,
) -> Result<Option<Revision>, Failure> {
    let Some(source) = sources.versioned_source(name) else {
        return Ok(None);
    };
    let found = agpm_source::resolve_reference(source, None);
    found.map(|found| Some(found.revision)).map_err(|_| {
        let message = format!("source `{name}` has no default branch");
        Diagnostic::new(&codes::PACKAGE_VERSION, message)
            .help("name a branch of it with `branch`")
            .into()
    })
}

/// Returns the marketplace of a source at a revision, which is read once.
pub(super) fn marketplace_at(
    sources: &ProjectSources,
    name: &SourceName,
    revision: Option<&Revision>,
) -> Result<Arc<Marketplace>, Failure> {
    let key = (name.clone(), revision.cloned());
    let read = || read_at(sources, name, revision);
    sources.marketplaces.get_or_read(key, read)
}

/// Sets the location of a plugin, and returns the commit that is still to be checked.
fn locate(
    sources: &ProjectSources,
    manifest: &mut Manifest,
    number: usize,
    own: MarketplaceDependency,
) -> Result<Option<PluginCommit>, Failure> {
    let revision = revision_of(sources, &own)?;
    let name = &own.plugin.marketplace;
    let marketplace = marketplace_at(sources, name, revision.as_ref())?;
    let dependency = &manifest.dependencies[number];
    let entry = find_entry(dependency, &marketplace)?;
    if let Some(found) = entry.diagnostics.first() {
        return Err(found.clone().into());
    }
    let mut location = locate_plugin(manifest, dependency, entry)?;
    let pin = LockedMarketplace {
        plugin: own.plugin.clone(),
        requirement: own.requirement.as_str().to_owned(),
        commit: revision,
    };
    let commit = location.commit.take();
    let source = location.source.as_ref().map(|source| source.name.clone());
    bind_plugin(
        manifest,
        number,
        &location,
        MarketplaceDependency {
            pin: Some(pin),
            ..own
        },
    );
    let named = source.zip(commit);
    Ok(named.map(|(source, commit)| PluginCommit { source, commit }))
}

fn read_at(
    sources: &ProjectSources,
    name: &SourceName,
    revision: Option<&Revision>,
) -> Result<Marketplace, Failure> {
    let failed = |error| source_failure(name, error);
    let Some(source) = sources.get(name) else {
        return Ok(Marketplace::default());
    };
    if let Some(revision) = revision.filter(|revision| !source.has_revision(revision)) {
        source
            .fetch(std::slice::from_ref(revision), FileFetching::OnDemand)
            .map_err(failed)?;
    }
    for path in MARKETPLACE_FILES {
        let Some(entry) = source.entry(revision, path).map_err(failed)? else {
            continue;
        };
        if entry.kind.file_mode().is_none() {
            continue;
        }
        source.fetch_files(&[&entry]).map_err(failed)?;
        let size = source.size(&[&entry]).map_err(failed)?;
        check_marketplace_size(size, &format!("`{path}` of source `{name}`"))?;
        let bytes = source.read(&[&entry]).map_err(failed)?.pop();
        return understand(name, path, bytes.unwrap_or_default());
    }
    let message = format!("source `{name}` is not a marketplace");
    let help = format!(
        "agpm looks for `{}`; name the plugin by `source` and `path` instead",
        MARKETPLACE_FILES.join("`, `")
    );
    let found = Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help);
    Err(Failure::new(FailureKind::NotFound, found))
}

/// Fails if a marketplace file is larger than any list of plugins should be.
pub(crate) fn check_marketplace_size(size: u64, file: &str) -> Result<(), Failure> {
    if size <= MOST_MARKETPLACE_BYTES {
        return Ok(());
    }
    let most = MOST_MARKETPLACE_BYTES >> 20;
    let message = format!("{file} has more than {most} MiB");
    Err(Diagnostic::new(&codes::PLUGIN_MARKETPLACE, message)
        .help("name the plugin by its source and path instead")
        .into())
}

/// Parses a marketplace. An error in the file as a whole fails with the first finding, since the others result from it.
fn understand(name: &SourceName, path: &str, bytes: Vec<u8>) -> Result<Marketplace, Failure> {
    let file = format!("`{path}` of source `{name}`");
    let mut notes = Notes::default();
    let source = notes.sources.add(file.clone(), String::new());
    let unreadable = |found: Diagnostic| {
        let message = format!("{file}: {}", found.message);
        Failure::from(
            Diagnostic::new(&codes::PLUGIN_MARKETPLACE, message).help("report it to its author"),
        )
    };
    let text = decode(source, bytes).map_err(unreadable)?;
    let parsed = parse(source, text, Format::Jsonc, Limits::default());
    if has_errors(&parsed.diagnostics)
        && let Some(first) = parsed.diagnostics.into_iter().next()
    {
        return Err(unreadable(first));
    }
    let Some(root) = parsed.document.root() else {
        return Ok(Marketplace::default());
    };
    let (mut marketplace, found) = read_marketplace(root, &file);
    for entry in &mut marketplace.entries {
        // Positions in the file are dropped: the file may be large, and the user cannot edit it.
        entry
            .diagnostics
            .iter_mut()
            .for_each(|diagnostic| diagnostic.labels.clear());
    }
    match found.into_iter().next() {
        Some(first) => Err(Diagnostic {
            labels: Vec::new(),
            ..first
        }
        .into()),
        None => Ok(marketplace),
    }
}

/// Fails unless a commit that a marketplace names exists and belongs to the branch or tag that it names.
pub(super) fn check_commit(
    sources: &ProjectSources,
    name: &SourceName,
    commit: &NamedCommit,
) -> Result<(), Failure> {
    let Some(opened) = sources.versioned_source(name) else {
        return Ok(());
    };
    let failed = |error| source_failure(name, error);
    let versions = opened.versions().map_err(failed)?;
    // Hosts provide the commits of forks under the URL of the original repository (ADR 13). Only the branch or tag
    // shows that a commit belongs to it.
    if let Some(tip) = commit.branch_tip(name, &versions)?
        && !opened.is_reachable(&commit.id, tip).map_err(failed)?
    {
        return Err(commit.not_reachable(name));
    }
    if opened.has_revision(&commit.id) {
        return Ok(());
    }
    let fetched = opened.fetch(std::slice::from_ref(&commit.id), FileFetching::OnDemand);
    fetched.map_err(|error| match error {
        SourceError::Offline(_) | SourceError::AuthRefused { .. } => failed(error),
        _ => commit.not_reachable(name),
    })
}
