//! Explains why no solution exists: the conflicting requirements, and the smallest change that helps.

use std::collections::BTreeMap;

use crate::solve::{ClashKind, Conflict, ConflictingUnit, RequirementChain, SuggestedChange};
use agpm_diag::{Diagnostic, Failure, Notes, codes, did_you_mean, nearest};
use agpm_model::{
    LOCK_NAME, Manifest, Requirement, ResourceExtent, ResourceOrigin, Revision, SourceName, Unit,
    VersionLabel, VersionRequirement,
};

use crate::entries::dependency_of;
use crate::index::SourceIndex;

/// The number of versions that are listed individually.
const MOST_LISTED: usize = 8;

/// The cycle as a chain of names.
pub fn cycle(chain: &[Unit]) -> Failure {
    let paths: Vec<&str> = chain.iter().map(|unit| unit.path.as_str()).collect();
    let message = "Circular dependency detected";
    let help = "remove one of these declarations";
    Diagnostic::new(&codes::PACKAGE_CYCLE, message)
        .detail(paths.join(" → "))
        .help(help)
        .into()
}

/// The search was given up; whether a solution exists is unknown.
pub fn too_hard(units: &[Unit]) -> Failure {
    let named: Vec<String> = units
        .iter()
        .take(2)
        .map(|unit| format!("`{}`", unit.path))
        .collect();
    let more = match units.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("No matching versions found for {}{more}", named.join(", "));
    let help = "the search was given up after many attempts; \
                require an exact version for some of them, such as `version = \"v1.0.0\"`";
    Diagnostic::new(&codes::PACKAGE_TOO_HARD, message)
        .help(help)
        .into()
}

/// The content at a path of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathContent {
    /// A directory with a `SKILL.md`.
    Skill,
    /// Another directory.
    Directory,
    /// A file, or no content.
    Other,
}

/// Lists files of sources, for advice about paths that do not exist.
pub trait FileListing {
    /// The content at a path of a commit.
    fn at(&self, source: &SourceName, commit: &Revision, path: &str) -> PathContent;
    /// The paths of everything in a directory of a commit.
    fn in_directory(&self, source: &SourceName, commit: &Revision, directory: &str) -> Vec<String>;
}

/// Explains conflicts.
pub struct ConflictReporter<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// The known facts about the sources.
    pub index: &'a SourceIndex,
    /// The listing of other files in the sources.
    pub files: &'a dyn FileListing,
}

impl ConflictReporter<'_> {
    /// A diagnostic for every clash.
    pub fn report(
        &self,
        conflict: &Conflict<Unit, Requirement>,
        suggestion: Option<&SuggestedChange<Requirement>>,
        notes: &mut Notes,
    ) -> Failure {
        for clash in &conflict.clashes {
            let mut diagnostic = match clash.kind {
                ClashKind::NoCandidate => self.no_candidate(clash),
                ClashKind::Absent => self.not_found_error(clash),
                ClashKind::Incompatible | ClashKind::Exhausted => self.incompatible_error(clash),
            };
            let conflicting = matches!(clash.kind, ClashKind::Incompatible | ClashKind::Exhausted);
            let suggestion = suggestion.filter(|_| conflicting);
            if let Some(change) = suggestion.and_then(|suggestion| self.change(suggestion)) {
                diagnostic.help = Some(change);
            }
            notes
                .diagnostics
                .push(self.at_manifest_entries(diagnostic, clash));
        }
        Failure::reported()
    }
}

impl ConflictReporter<'_> {
    /// Adds the manifest entries that lead to the conflict.
    fn at_manifest_entries(
        &self,
        mut diagnostic: Diagnostic,
        clash: &ConflictingUnit<Unit, Requirement>,
    ) -> Diagnostic {
        if let [ask] = clash.asks.as_slice()
            && let [.., parent, child] = ask.chain.as_slice()
            && let Some(spot) = self.index.declared_at(parent, child)
        {
            diagnostic = diagnostic.at(spot.source, spot.span, "declared here");
        }
        let mut reported = Vec::new();
        for ask in &clash.asks {
            let Some(dependency) = dependency_of(self.manifest, ask.root) else {
                continue;
            };
            if !reported.contains(&ask.root) {
                reported.push(ask.root);
                let text = match (clash.asks.len(), ask.chain.len()) {
                    (0 | 1, _) => String::new(),
                    (_, 0 | 1) => format!("requires `{}`", ask.requirement),
                    _ => format!("resolves to `{}`", ask.requirement),
                };
                let spot = dependency.spot;
                diagnostic = diagnostic.at(spot.source, spot.span, text);
            }
        }
        diagnostic
    }

    fn no_candidate(&self, clash: &ConflictingUnit<Unit, Requirement>) -> Diagnostic {
        let requirement = clash
            .asks
            .first()
            .map(|ask| ask.requirement.to_string())
            .unwrap_or_default();
        let source = source_name(&clash.unit);
        let by = clash
            .asks
            .iter()
            .map(|ask| format!("required by {}", self.chain(ask)));
        let message = format!("no version of source `{source}` satisfies `{requirement}`");
        Diagnostic::new(&codes::PACKAGE_VERSION, message)
            .details(by)
            .help(self.versions(&clash.unit, &requirement))
    }

    fn not_found_error(&self, clash: &ConflictingUnit<Unit, Requirement>) -> Diagnostic {
        let labels = clash
            .asks
            .first()
            .map(|ask| listed(&ask.allows))
            .unwrap_or_default();
        let skill = clash.unit.extent == ResourceExtent::Directory;
        let subject = match (clash.unit.path.is_pattern(), skill) {
            (true, false) => "nothing matches",
            (true, true) => "no skill matches",
            (false, false) => "no resource",
            (false, true) => "no skill",
        };
        let origin = match &clash.unit.origin {
            ResourceOrigin::Manifest => " in the manifest".to_owned(),
            ResourceOrigin::Local => String::new(),
            ResourceOrigin::Source(name) if labels == "local" => format!(" in source `{name}`"),
            ResourceOrigin::Source(name) => format!(" in source `{name}` at {labels}"),
        };
        let through = clash.asks.iter().any(|ask| ask.chain.len() > 1);
        let by = if through {
            format!(", required by {}", chains(&clash.asks))
        } else {
            String::new()
        };
        let message = format!("{subject} `{}`{origin}{by}", clash.unit.path);
        let mut diagnostic = Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message);
        diagnostic.help = if skill {
            Some(
                "a skill is a directory with a `SKILL.md`; use the path of the directory"
                    .to_owned(),
            )
        } else {
            self.near_files(clash)
        };
        diagnostic
    }

    fn incompatible_error(&self, clash: &ConflictingUnit<Unit, Requirement>) -> Diagnostic {
        let is_held = |ask: &RequirementChain<Unit, Requirement>| {
            dependency_of(self.manifest, ask.root).is_none()
        };
        let asks = clash.asks.iter().map(|ask| {
            if is_held(ask) {
                return format!("`{LOCK_NAME}` has {}", listed_up_to(1, &ask.allows));
            }
            let within = if ask.within.is_empty() {
                String::new()
            } else {
                // One commit may have dozens of names, and the same ones for each dependent.
                format!(" (at {})", listed_up_to(1, &ask.within))
            };
            format!(
                "{}{within} requires `{}` ({})",
                self.chain(ask),
                ask.requirement,
                allowed(&ask.allows)
            )
        });
        let message = format!("no version of `{}` satisfies all requirements", clash.unit);
        let help = if clash.asks.iter().any(is_held) {
            "change the requirement of the private entry, or move the shared version with `agpm update`"
        } else {
            "change one of the requirements so a version satisfies all of them"
        };
        Diagnostic::new(&codes::PACKAGE_CONFLICT, message)
            .details(asks)
            .help(help)
    }

    /// The names from the manifest entry down to the dependent.
    fn chain(&self, ask: &RequirementChain<Unit, Requirement>) -> String {
        let root = dependency_of(self.manifest, ask.root);
        let first = root.map_or_else(
            || format!("`{LOCK_NAME}`"),
            |root| format!("{}/{}", root.kind, root.name),
        );
        let asking = ask.chain.len().saturating_sub(1).max(1);
        let rest = ask
            .chain
            .iter()
            .take(asking)
            .skip(1)
            .map(|unit| unit.path.to_string());
        std::iter::once(first)
            .chain(rest)
            .collect::<Vec<_>>()
            .join(" → ")
    }

    /// The smallest change that helps.
    fn change(&self, suggestion: &SuggestedChange<Requirement>) -> Option<String> {
        let root = dependency_of(self.manifest, suggestion.root)?;
        Some(format!(
            "use `version = \"{}\"` instead of `{}` for {}/{}",
            suggestion.requirement, root.requirement, root.kind, root.name
        ))
    }

    fn versions(&self, unit: &Unit, requirement: &str) -> String {
        let ResourceOrigin::Source(source) = &unit.origin else {
            return String::new();
        };
        let Some(refs) = self.index.versions(source) else {
            return "check the version".to_owned();
        };
        let names: Vec<&str> = refs
            .tags
            .keys()
            .chain(refs.branches.keys())
            .map(String::as_str)
            .collect();
        if requirement
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            return format!(
                "`{requirement}` is an incomplete version: write `^{requirement}` for all compatible versions"
            );
        }
        let is_name = VersionRequirement::parse(requirement)
            .is_ok_and(|requirement| requirement.as_name().is_some());
        if let Some(near) =
            agpm_diag::nearest(requirement, names.iter().copied()).filter(|_| is_name)
        {
            return format!("did you mean `{near}`?");
        }
        if let Some(tags) = prefixed_tags(requirement, refs.tags.keys().map(String::as_str)) {
            return tags;
        }
        match (&refs.default_branch, names.is_empty()) {
            (_, true) => "the repository has neither tags nor branches".to_owned(),
            (Some(head), _) if requirement == "main" => {
                format!("its default branch is `{head}`: set `branch = \"{head}\"`")
            }
            _ => {
                let mut tags: Vec<VersionLabel> = refs
                    .tags
                    .keys()
                    .map(|name| VersionLabel::new(name))
                    .collect();
                tags.sort_by(|a, b| b.cmp(a));
                let tags: Vec<String> = tags.iter().map(|tag| tag.to_string()).collect();
                let branches: Vec<String> = refs.branches.keys().cloned().collect();
                let tags = if tags.is_empty() {
                    "no tags".to_owned()
                } else {
                    format!("tags: {}", listed(&tags))
                };
                format!("it has {tags}; branches: {}", listed(&branches))
            }
        }
    }

    /// Files with a similar name.
    fn near_files(&self, clash: &ConflictingUnit<Unit, Requirement>) -> Option<String> {
        let ResourceOrigin::Source(source) = &clash.unit.origin else {
            return Some("check the path, which is relative to the manifest".to_owned());
        };
        let label = clash.asks.first()?.allows.first()?;
        let versions = self.index.versions(source);
        let commit = versions
            .and_then(|all| all.tags.get(label).or_else(|| all.branches.get(label)))
            .filter(|_| !self.index.is_plain(source));
        let Some(commit) = commit else {
            return Some("check the path".to_owned());
        };
        let path = clash.unit.path.as_str();
        match self.files.at(source, commit, path) {
            PathContent::Skill => {
                return Some(format!(
                    "`{path}` is a skill: `agpm add dep skill {source}:{path}`"
                ));
            }
            PathContent::Directory => {
                return Some(format!(
                    "this is a directory: write `{path}/*.md` for its files"
                ));
            }
            PathContent::Other => {}
        }
        let directory = clash.unit.path.literal_directory();
        let files = self.files.in_directory(source, commit, directory);
        if files.iter().any(|file| file == clash.unit.path.as_str()) {
            let escaped = clash.unit.path.as_str().replace('[', "[[]");
            return Some(format!(
                "`[` starts a character set: write `{escaped}` for this file"
            ));
        }
        let names = |files: &[String]| {
            let files = files.iter().map(String::as_str);
            did_you_mean(path, "the directory contains", files)
        };
        // The directory may be misspelled too.
        let near = names(&files).or_else(|| {
            let all = self.files.in_directory(source, commit, "");
            let near = nearest(path, all.iter().map(String::as_str))?;
            Some(format!("did you mean `{near}`?"))
        });
        let browse = format!("`agpm browse {source}` lists all resources");
        Some(near.map_or_else(|| browse.clone(), |near| format!("{near} {browse}")))
    }
}

fn source_name(unit: &Unit) -> String {
    match &unit.origin {
        ResourceOrigin::Source(name) => name.to_string(),
        ResourceOrigin::Local | ResourceOrigin::Manifest => "this machine".to_owned(),
    }
}

fn chains(asks: &[RequirementChain<Unit, Requirement>]) -> String {
    let chain = |ask: &RequirementChain<Unit, Requirement>| {
        ask.chain
            .iter()
            .map(|unit| unit.path.to_string())
            .collect::<Vec<_>>()
            .join(" → ")
    };
    asks.iter().map(chain).collect::<Vec<_>>().join(" and ")
}

/// The tags with the prefix of a requirement, or with a similar one; `None` if it has no prefix.
fn prefixed_tags<'t>(requirement: &str, tags: impl Iterator<Item = &'t str>) -> Option<String> {
    let requirement = VersionRequirement::parse(requirement).ok()?;
    let prefix = requirement.prefix().filter(|prefix| !prefix.is_empty())?;
    let mut by_prefix: BTreeMap<String, Vec<VersionLabel>> = BTreeMap::new();
    for tag in tags.map(VersionLabel::new) {
        let tag_prefix = tag.prefix().map(str::to_owned);
        tag_prefix
            .into_iter()
            .for_each(|tag_prefix| by_prefix.entry(tag_prefix).or_default().push(tag.clone()));
    }
    let listed = |prefix: &str| {
        let mut tags = by_prefix.get(prefix).cloned().unwrap_or_default();
        tags.sort_by(|a, b| b.cmp(a));
        listed(&tags.iter().map(|tag| tag.to_string()).collect::<Vec<_>>())
    };
    if by_prefix.contains_key(prefix) {
        return Some(format!("the tags with this prefix are: {}", listed(prefix)));
    }
    let near = agpm_diag::nearest(prefix, by_prefix.keys().map(String::as_str))?;
    Some(format!(
        "no tag starts with `{prefix}`; did you mean `{near}`? Its tags are: {}",
        listed(near)
    ))
}

fn allowed(labels: &[String]) -> String {
    if labels.is_empty() {
        "which no version satisfies".to_owned()
    } else {
        listed_up_to(3, labels)
    }
}

fn listed(labels: &[String]) -> String {
    listed_up_to(MOST_LISTED, labels)
}

fn listed_up_to(most: usize, labels: &[String]) -> String {
    let mut labels = labels.to_vec();
    labels.dedup();
    let listed = labels
        .iter()
        .take(most)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match labels.len().saturating_sub(most) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}
