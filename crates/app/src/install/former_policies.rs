//! Reads the policies that bases had at their locked versions.

use crate::manifest::{LoadedBase, MANIFEST_NAME};
use agpm_diag::has_errors;
use agpm_model::{
    BaseAddress, LockedBase, Pin, Policy, RepositoryBase, SourceAddress, same_repository,
};
use agpm_source::{FileFetching, Source, SourceEntryKind};
use agpm_text::{Format, parse_alone};

use crate::project::packages::ProjectSources;
use crate::project::world::World;

/// The policies of bases before a run moved them.
#[derive(Debug)]
pub(super) enum FormerPolicies {
    /// No base moved.
    Same,
    /// Those of all locked bases together.
    Read(Vec<Policy>),
    /// A locked base cannot be read.
    Unknown(LockedBase),
}

/// Returns the policies of the locked bases, if one of them moved to another version.
pub(super) fn former_policies(
    world: &World,
    sources: &ProjectSources,
    locked: &[LockedBase],
    now: &[LoadedBase],
) -> FormerPolicies {
    let has_moved = |old: &LockedBase| {
        let moved = now.iter().find_map(|base| moved_to(old, base));
        moved.is_some_and(|pin| old.pin.as_ref() != Some(pin))
    };
    if !locked.iter().any(has_moved) {
        return FormerPolicies::Same;
    }
    let mut policies = Vec::new();
    for base in locked {
        let Some(pin) = &base.pin else {
            // A directory has no former version.
            continue;
        };
        match policy_at(world, sources, base, pin, now) {
            Some(policy) => policies.extend(policy),
            None => return FormerPolicies::Unknown(base.clone()),
        }
    }
    FormerPolicies::Read(policies)
}

/// The pin of a base now, if it is the locked one in some version.
fn moved_to<'b>(old: &LockedBase, base: &'b LoadedBase) -> Option<&'b Pin> {
    let now = base.locked.pin.as_ref()?;
    let is_same = old.directory == base.locked.directory
        && old.pin.as_ref().is_some_and(|old| old.source == now.source);
    is_same.then_some(now)
}

/// The policy in a base's manifest at a commit: `None` if the manifest cannot be read, and none inside if it has none.
fn policy_at(
    world: &World,
    sources: &ProjectSources,
    base: &LockedBase,
    pin: &Pin,
    now: &[LoadedBase],
) -> Option<Option<Policy>> {
    let locked = SourceAddress::parse(&pin.source.to_string()).ok()?;
    let known = now.iter().filter_map(repository_of);
    // The lockfile has the URL without its credentials.
    let url = known.map(|repository| &repository.url);
    let url = url.into_iter().find(|url| same_repository(url, &locked));
    let context = world.environment.source_context(&sources.project);
    let source = world.sources.open(url.unwrap_or(&locked), &context);
    let text = read_manifest(&*source, base, pin)?;
    let parsed = parse_alone(text, Format::Toml);
    if has_errors(&parsed.diagnostics) {
        return None;
    }
    let table = parsed.document.root().and_then(|root| root.get("policy"));
    Some(table.map(|table| Policy::of_table(table).0))
}

fn read_manifest(source: &dyn Source, base: &LockedBase, pin: &Pin) -> Option<String> {
    let commit = &pin.commit;
    if !source.has_revision(commit) {
        let commits = std::slice::from_ref(commit);
        source.fetch(commits, FileFetching::OnDemand).ok()?;
    }
    let path = match base.directory.as_str() {
        "" | "." => MANIFEST_NAME.to_owned(),
        directory => format!("{directory}/{MANIFEST_NAME}"),
    };
    let entry = source.entry(Some(commit), &path).ok()??;
    if !matches!(entry.kind, SourceEntryKind::File(_)) {
        return None;
    }
    source.fetch_files(&[&entry]).ok()?;
    let bytes = source.read(&[&entry]).ok()?.into_iter().next()?;
    String::from_utf8(bytes).ok()
}

fn repository_of(base: &LoadedBase) -> Option<&RepositoryBase> {
    match &base.address {
        BaseAddress::Repository(repository) => Some(repository),
        BaseAddress::Directory(_) => None,
    }
}
