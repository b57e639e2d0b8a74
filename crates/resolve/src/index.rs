//! The known facts about sources, for the solver.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::solve::{CandidateRank, RequiredUnit, UnitContent, UnitFacts};
use agpm_diag::SourceSpan;
use agpm_model::{
    AllowedVersions, Checksum, DeclaredDependency, FileMode, Pin, RelativePath, Requirement,
    ResolvedVersion, ResourceOrigin, ResourcePattern, Revision, SKILL_FILE, SharedBytes,
    SourceAddress, SourceDeclaration, SourceName, SourceVersions, Unit, Variant, VersionIndex,
    VersionLabel, VersionRequirement,
};
use agpm_trust::ReleaseAge;

/// The only version of local content.
pub(crate) const LOCAL: &str = "local";
// A smaller candidate is preferred, so the pin wins wherever it fits, and an install with a lockfile never asks a
// source for its versions.
/// The candidate of the pin.
const PINNED: CandidateRank = CandidateRank(0);

/// A version of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceVersion {
    /// The tag, branch or commit as required.
    pub label: VersionLabel,
    /// The commit; `None` for local content.
    pub commit: Option<Revision>,
}

impl From<ResolvedVersion> for SourceVersion {
    fn from(resolved: ResolvedVersion) -> Self {
        SourceVersion {
            label: resolved.label,
            commit: Some(resolved.revision),
        }
    }
}

/// The state of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinState {
    /// The pin stays if the requirements allow it.
    Kept,
    /// The pin was released, and is kept for comparison.
    Released,
    /// The URL of its source changed. A tag with the same name keeps the version, at whatever commit it is now.
    Relocated,
}

/// The lockfile's pin of a unit, for the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverPin {
    /// Whether it can be chosen.
    pub state: PinState,
    /// The locked version.
    pub version: SourceVersion,
    /// The requirements when it was locked; empty if unknown.
    pub requirements: Vec<String>,
}

impl SolverPin {
    /// The solver's view of a pin.
    pub fn new(pin: &Pin, state: PinState) -> Self {
        SolverPin {
            state,
            version: SourceVersion {
                label: pin.version.clone(),
                commit: Some(pin.commit.clone()),
            },
            requirements: pin.requirements().map(str::to_owned).collect(),
        }
    }
}

/// A file of a source at one commit.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The bytes.
    pub bytes: SharedBytes,
    /// The checksum of the bytes.
    pub checksum: Checksum,
    /// Whether it is executable.
    pub mode: FileMode,
}

impl SourceFile {
    /// A file with these bytes.
    pub fn new(bytes: Vec<u8>, mode: FileMode) -> Self {
        SourceFile {
            checksum: Checksum::of(&bytes),
            bytes: bytes.into(),
            mode,
        }
    }
}

/// The files of a unit at one commit.
#[derive(Debug)]
pub struct ResourceFiles {
    /// The file; of a skill, its `SKILL.md`.
    pub main: SourceFile,
    /// The other files of a skill, by their paths in it.
    pub others: Vec<(RelativePath, SourceFile)>,
    /// The checksum of all files.
    pub checksum: Checksum,
    /// The author's text, if paths in the main file were adapted to a tool.
    pub authored: Option<String>,
}

impl ResourceFiles {
    /// A file on its own.
    pub fn file(main: SourceFile) -> Self {
        ResourceFiles {
            checksum: main.checksum,
            main,
            others: Vec::new(),
            authored: None,
        }
    }

    /// A directory without a main file; its checksum covers every path, mode and content.
    pub fn plugin(files: Vec<(RelativePath, SourceFile)>) -> Self {
        let mut lines: Vec<String> = files
            .iter()
            .map(|(path, file)| tree_line(path.as_str(), file.mode, file.checksum))
            .collect();
        lines.sort();
        ResourceFiles {
            main: SourceFile::new(Vec::new(), FileMode::Plain),
            others: files,
            checksum: Checksum::of(lines.concat().as_bytes()),
            authored: None,
        }
    }

    /// A directory; its checksum covers every path, mode and content.
    pub fn directory(main: SourceFile, others: Vec<(RelativePath, SourceFile)>) -> Self {
        let mut lines: Vec<String> = others
            .iter()
            .map(|(path, file)| tree_line(path.as_str(), file.mode, file.checksum))
            .collect();
        lines.push(tree_line(SKILL_FILE, main.mode, main.checksum));
        lines.sort();
        ResourceFiles {
            checksum: Checksum::of(lines.concat().as_bytes()),
            main,
            others,
            authored: None,
        }
    }
}

/// The line of one file in the checksum of a directory.
pub fn tree_line(path: &str, mode: FileMode, checksum: Checksum) -> String {
    let mode = if mode == FileMode::Executable {
        "x"
    } else {
        "-"
    };
    format!("{path}\0{mode}\0{checksum}\n")
}

/// The declarations of a resource, by variant.
#[derive(Clone, Debug, Default)]
pub struct DeclaredNeeds {
    by_variant: BTreeMap<Variant, Vec<(DeclaredDependency, Unit)>>,
    /// All declarations, for the solver.
    children: Vec<RequiredUnit<Unit, Requirement>>,
}

impl DeclaredNeeds {
    fn add(&mut self, variant: Variant, declared: Vec<(DeclaredDependency, Unit)>) {
        let existing: BTreeSet<RequiredUnit<Unit, Requirement>> =
            self.children.iter().cloned().collect();
        let child = |(declared, unit): &(DeclaredDependency, Unit)| RequiredUnit {
            unit: unit.clone(),
            requirement: declared.requirement.clone(),
        };
        self.children.extend(
            declared
                .iter()
                .map(child)
                .filter(|child| !existing.contains(child)),
        );
        self.by_variant.insert(variant, declared);
    }

    /// The declarations under a variant, each with its unit.
    pub fn under(&self, variant: Variant) -> &[(DeclaredDependency, Unit)] {
        self.by_variant
            .get(&variant)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The declarations under any variant.
    pub fn all(&self) -> impl Iterator<Item = &(DeclaredDependency, Unit)> {
        self.by_variant.values().flatten()
    }
}

/// The content at a path, or the matches of a pattern, at one commit.
#[derive(Clone, Debug)]
pub enum FoundContent {
    /// No content.
    Absent,
    /// A file or a skill, and what it declares.
    Resource(Arc<ResourceFiles>, Arc<DeclaredNeeds>),
    /// The matches of a pattern.
    Matches(Arc<Vec<RequiredUnit<Unit, Requirement>>>),
}

/// Something to read before the solver can continue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissingFact {
    /// The refs of a source.
    Refs(SourceName),
    /// The commit of an abbreviated name.
    Rev(SourceName, String),
    /// The content at a path, or the matches of a pattern.
    Content(Unit, Option<Revision>),
    /// The release dates of these tags of a source.
    Releases(SourceName, Vec<VersionLabel>),
}

/// The minimum age of versions, and the current time.
#[derive(Clone, Copy, Debug)]
pub struct ReleaseLimit {
    /// The minimum age in seconds.
    pub min_age: u64,
    /// The current time in seconds since 1970.
    pub now: u64,
}

impl ReleaseLimit {
    /// The first of these versions that is old enough; the release dates are in the same order.
    pub fn first_old_enough<'v>(
        &self,
        versions: &'v [ResolvedVersion],
        released: &[Option<u64>],
    ) -> Option<&'v ResolvedVersion> {
        let mut dated = versions.iter().zip(released);
        let is_old_enough = |released| ReleaseAge::of(released, self.now).reaches(self.min_age);
        let found = dated.find(|(_, released)| is_old_enough(**released))?;
        Some(found.0)
    }
}

/// Patterns of denied resources in one source.
#[derive(Clone, Debug)]
struct DeniedContent {
    url: SourceAddress,
    patterns: Vec<ResourcePattern>,
}

/// The facts that were read so far.
#[derive(Debug, Default)]
pub struct SourceIndex {
    indexes: BTreeMap<SourceName, VersionIndex>,
    revs: BTreeMap<(SourceName, String), Revision>,
    /// The pins of the lockfile.
    pub pins: BTreeMap<Unit, SolverPin>,
    contents: BTreeMap<Unit, BTreeMap<Option<Revision>, FoundContent>>,
    /// The variants that require each unit.
    variants: BTreeMap<Unit, BTreeSet<Variant>>,
    /// Sources that have no versions.
    plain: Vec<SourceName>,
    release_limit: Option<ReleaseLimit>,
    /// Patterns of denied resources by source.
    denials: BTreeMap<SourceName, DeniedContent>,
    releases: BTreeMap<SourceName, BTreeMap<VersionLabel, ReleaseAge>>,
    /// Sources that resources require and that are not open.
    pub(crate) required_sources: BTreeMap<SourceName, SourceDeclaration>,
}

impl SourceIndex {
    /// An index with only the pins, and the sources without versions.
    pub fn new(plain: Vec<SourceName>, pins: BTreeMap<Unit, SolverPin>) -> Self {
        SourceIndex {
            plain,
            pins,
            ..SourceIndex::default()
        }
    }

    /// Excludes versions younger than this if a range leaves a choice.
    #[must_use]
    pub fn with_release_limit(self, release_limit: Option<ReleaseLimit>) -> Self {
        SourceIndex {
            release_limit,
            ..self
        }
    }

    /// Excludes versions that policies deny if a range leaves a choice.
    #[must_use]
    pub fn with_denials(self, patterns: &[ResourcePattern], sources: &[SourceDeclaration]) -> Self {
        if patterns.is_empty() {
            return self;
        }
        let denied = |source: &SourceDeclaration| {
            let content = DeniedContent {
                url: source.address.clone(),
                patterns: patterns.to_vec(),
            };
            (source.name.clone(), content)
        };
        SourceIndex {
            denials: sources.iter().map(denied).collect(),
            ..self
        }
    }

    /// The versions that no policy denies. An exact requirement leaves no choice, and neither does a range of denied
    /// versions: then the policy itself refuses the chosen one, with its reason.
    fn undenied(
        &self,
        unit: &Unit,
        source: &SourceName,
        requirement: &Requirement,
        numbers: Vec<usize>,
    ) -> Vec<usize> {
        let (Some(denied), true, Some(index)) = (
            self.denials.get(source),
            requirement.is_range(),
            self.indexes.get(source),
        ) else {
            return numbers;
        };
        let path = unit.path.in_tree();
        let paths = [path.to_owned(), format!("{path}/{SKILL_FILE}")];
        let here = denied.patterns.iter();
        let here: Vec<_> = here.filter(|one| one.is_at(&denied.url, &paths)).collect();
        let is_denied = |number: &usize| {
            index.version(*number).is_some_and(|version| {
                let labels = [version.label];
                here.iter()
                    .any(|one| one.has_version(&labels, Some(&version.revision)))
            })
        };
        let kept = numbers.iter().copied().filter(|number| !is_denied(number));
        let kept: Vec<usize> = kept.collect();
        if kept.is_empty() { numbers } else { kept }
    }

    /// Adds the release date of a tag, in seconds since 1970.
    pub fn set_released(&mut self, source: &SourceName, tag: VersionLabel, released: Option<u64>) {
        let now = self.release_limit.map_or(0, |limit| limit.now);
        let age = ReleaseAge::of(released, now);
        self.releases
            .entry(source.clone())
            .or_default()
            .insert(tag, age);
    }

    /// The tags that a requirement allows and that are too young, best first, each with its age; empty if all are,
    /// because then none is excluded.
    pub fn skipped(
        &self,
        source: &SourceName,
        requirement: &Requirement,
    ) -> Vec<(VersionLabel, ReleaseAge)> {
        let index = self.indexes.get(source);
        let allowed = index.map(|index| index.allowed(&self.choices(requirement)));
        let (Some(index), Some(AllowedVersions::Listed(numbers))) = (index, allowed) else {
            return Vec::new();
        };
        match self.old_enough(source, requirement, numbers.clone()) {
            Ok(old_enough) if old_enough.len() < numbers.len() => numbers
                .into_iter()
                .filter(|number| !old_enough.contains(number))
                .filter_map(|number| {
                    let tag = index.version(number)?.label;
                    let age = *self.releases.get(source)?.get(&tag)?;
                    // Versions older than the latest are excluded for another reason.
                    let is_young = !age.reaches(self.release_limit?.min_age);
                    is_young.then_some((tag, age))
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The versions that are old enough. An exact requirement leaves no choice, and neither does a range without any
    /// such version: then the policy itself refuses the chosen version.
    fn old_enough(
        &self,
        source: &SourceName,
        requirement: &Requirement,
        numbers: Vec<usize>,
    ) -> Result<Vec<usize>, MissingFact> {
        let is_range =
            matches!(requirement, Requirement::Version(requirement) if requirement.is_range());
        let (Some(limit), true, Some(index)) =
            (self.release_limit, is_range, self.indexes.get(source))
        else {
            return Ok(numbers);
        };
        let releases = self.releases.get(source);
        let age = |tag: &VersionLabel| releases.and_then(|releases| releases.get(tag)).copied();
        let mut unknown = Vec::new();
        let mut allowed = Vec::new();
        for number in &numbers {
            let Some(version) = index.version(*number) else {
                continue;
            };
            match age(&version.label) {
                None => unknown.push(version.label),
                Some(age) if age.reaches(limit.min_age) => allowed.push(*number),
                Some(_) => {}
            }
        }
        if !unknown.is_empty() {
            return Err(MissingFact::Releases(source.clone(), unknown));
        }
        let mut allowed = if allowed.is_empty() { numbers } else { allowed };
        if self.choices(requirement) != *requirement {
            allowed.truncate(1);
        }
        Ok(allowed)
    }

    /// The versions that a requirement allows, if a policy may exclude some.
    fn choices(&self, requirement: &Requirement) -> Requirement {
        if self.release_limit.is_some() || !self.denials.is_empty() {
            requirement.choices()
        } else {
            requirement.clone()
        }
    }

    /// Adds the versions of a source.
    pub fn list(&mut self, source: SourceName, versions: Arc<SourceVersions>) {
        self.relocate_pins(&source, &versions);
        self.indexes.insert(source, VersionIndex::new(versions));
    }

    /// Keeps pins of a relocated source that still has the tag.
    fn relocate_pins(&mut self, source: &SourceName, versions: &SourceVersions) {
        let moved = |unit: &Unit, pin: &SolverPin| {
            unit.origin.source() == Some(source) && pin.state == PinState::Relocated
        };
        self.pins.retain(|unit, pin| {
            !moved(unit, pin) || versions.tags.contains_key(pin.version.label.as_str())
        });
        for (unit, pin) in &mut self.pins {
            if moved(unit, pin) {
                pin.version.commit = versions.tags.get(pin.version.label.as_str()).cloned();
                pin.state = PinState::Kept;
            }
        }
    }

    /// The pin of a unit, if it can be chosen.
    fn pin(&self, unit: &Unit) -> Option<&SolverPin> {
        self.pins
            .get(unit)
            .filter(|pin| pin.state == PinState::Kept)
    }

    /// Takes the sources that have to be opened.
    pub fn take_required_sources(&mut self) -> Vec<SourceDeclaration> {
        std::mem::take(&mut self.required_sources)
            .into_values()
            .collect()
    }

    /// Whether the versions of a source are known.
    pub fn is_listed(&self, source: &SourceName) -> bool {
        self.indexes.contains_key(source)
    }

    /// Whether a source has no versions.
    pub fn is_plain(&self, source: &SourceName) -> bool {
        self.plain.contains(source)
    }

    /// The versions of a source, if they are known.
    pub fn versions(&self, source: &SourceName) -> Option<&SourceVersions> {
        self.indexes.get(source).map(VersionIndex::versions)
    }

    /// Adds the commit of an abbreviated name.
    pub fn set_rev(&mut self, source: SourceName, rev: String, commit: Revision) {
        self.revs.insert((source, rev), commit);
    }

    /// Adds the content of a unit at a commit.
    pub fn set_content(&mut self, unit: Unit, commit: Option<Revision>, found: FoundContent) {
        self.contents.entry(unit).or_default().insert(commit, found);
    }

    /// Records that a unit is required under a variant; returns whether that is new.
    pub fn want(&mut self, unit: &Unit, variant: Variant) -> bool {
        self.variants
            .entry(unit.clone())
            .or_default()
            .insert(variant)
    }

    /// The variants that require a unit.
    pub fn variants_of(&self, unit: &Unit) -> Vec<Variant> {
        self.variants
            .get(unit)
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }

    /// The commits at which a unit was read.
    pub fn commits_of(&self, unit: &Unit) -> Vec<Option<Revision>> {
        self.contents
            .get(unit)
            .into_iter()
            .flat_map(BTreeMap::keys)
            .cloned()
            .collect()
    }

    /// Adds the declarations of a unit under a variant.
    pub fn set_needs(
        &mut self,
        unit: &Unit,
        commit: &Option<Revision>,
        variant: Variant,
        declared: Vec<(DeclaredDependency, Unit)>,
    ) {
        let found = self
            .contents
            .get_mut(unit)
            .and_then(|found| found.get_mut(commit));
        if let Some(FoundContent::Resource(_, needs)) = found {
            Arc::make_mut(needs).add(variant, declared);
        }
    }

    /// The content of a unit at a commit, if it was read.
    pub fn found(&self, unit: &Unit, commit: Option<&Revision>) -> Option<&FoundContent> {
        self.contents.get(unit)?.get(&commit.cloned())
    }

    /// The position where a unit declares another one.
    pub fn declared_at(&self, parent: &Unit, child: &Unit) -> Option<SourceSpan> {
        let found = self
            .contents
            .get(parent)?
            .values()
            .find_map(|found| match found {
                FoundContent::Resource(_, needs) => needs.all().find(|(_, unit)| unit == child),
                _ => None,
            });
        found.map(|(declared, _)| declared.spot)
    }

    /// The path of dependencies from one of these units to a unit.
    pub fn chain_to(&self, roots: &[Unit], unit: &Unit) -> Vec<Unit> {
        let mut parents: BTreeMap<&Unit, &Unit> = BTreeMap::new();
        let mut open: VecDeque<&Unit> = roots.iter().collect();
        while let Some(parent) = open.pop_front() {
            for child in self.children_of(parent) {
                if !roots.contains(child) && !parents.contains_key(child) {
                    parents.insert(child, parent);
                    open.push_back(child);
                }
            }
        }
        let mut chain = vec![unit.clone()];
        let mut at = unit;
        while let Some(parent) = parents.get(at) {
            chain.push((*parent).clone());
            at = parent;
        }
        chain.reverse();
        chain
    }

    /// The dependencies of a unit, or the matches of a pattern, at any version that was read.
    fn children_of(&self, unit: &Unit) -> Vec<&Unit> {
        let found = self
            .contents
            .get(unit)
            .into_iter()
            .flat_map(BTreeMap::values);
        let mut children = Vec::new();
        for content in found {
            match content {
                FoundContent::Absent => {}
                FoundContent::Resource(_, needs) => {
                    children.extend(needs.all().map(|(_, unit)| unit));
                }
                FoundContent::Matches(matches) => {
                    children.extend(matches.iter().map(|child| &child.unit));
                }
            }
        }
        children
    }

    /// The requirements on a pinned unit; `None` if it has no pin that stays.
    pub fn pinned_requirements(&self, unit: &Unit) -> &[String] {
        self.pin(unit)
            .map_or(&[], |pin| pin.requirements.as_slice())
    }

    /// The versioned source of a unit.
    fn versioned<'u>(&self, unit: &'u Unit) -> Option<&'u SourceName> {
        match &unit.origin {
            ResourceOrigin::Source(name) if !self.plain.contains(name) => Some(name),
            _ => None,
        }
    }

    /// The version of a candidate: the pin, then branches, tags and commits.
    pub fn version(&self, unit: &Unit, candidate: CandidateRank) -> SourceVersion {
        let local = || SourceVersion {
            label: VersionLabel::new(LOCAL),
            commit: None,
        };
        let Some(source) = self.versioned(unit) else {
            return local();
        };
        if let Some(pin) = self.pin(unit).filter(|_| candidate == PINNED) {
            return pin.version.clone();
        }
        let at = candidate.0 as usize - usize::from(candidate.0 > 0);
        let Some(index) = self.indexes.get(source) else {
            return local();
        };
        if at < index.count() {
            return index.version(at).map_or_else(local, SourceVersion::from);
        }
        let mut revs = self.revs.iter().filter(|((name, _), _)| name == source);
        revs.nth(at - index.count())
            .map_or_else(local, |((_, rev), commit)| SourceVersion {
                label: VersionLabel::new(rev),
                commit: Some(commit.clone()),
            })
    }

    /// Whether the pin stays under a requirement.
    fn keeps(&self, pin: &SolverPin, requirement: &Requirement) -> bool {
        let label = &pin.version.label;
        pin.requirements
            .iter()
            .any(|locked| locked == requirement.as_str())
            || match requirement {
                Requirement::Only => true,
                Requirement::Version(requirement) => requirement.allows(label),
                Requirement::Branch(branch) => branch == label.as_str(),
                Requirement::Rev(rev) => pin
                    .version
                    .commit
                    .as_ref()
                    .is_some_and(|id| id.as_str().starts_with(rev)),
            }
    }

    fn listed(
        &self,
        unit: &Unit,
        source: &SourceName,
        requirement: &Requirement,
    ) -> Result<Vec<CandidateRank>, MissingFact> {
        let index = self
            .indexes
            .get(source)
            .ok_or_else(|| MissingFact::Refs(source.clone()))?;
        match index.allowed(&self.choices(requirement)) {
            AllowedVersions::Listed(numbers) => {
                let numbers = self.undenied(unit, source, requirement, numbers);
                let mut numbers = self.old_enough(source, requirement, numbers)?;
                // `latest` is one version: the newest that no policy excludes.
                if self.choices(requirement) != *requirement {
                    numbers.truncate(1);
                }
                Ok(numbers.into_iter().map(rank_at).collect())
            }
            AllowedVersions::Commit(digits) => self.rev(source, index, &digits),
        }
    }

    fn rev(
        &self,
        source: &SourceName,
        index: &VersionIndex,
        rev: &str,
    ) -> Result<Vec<CandidateRank>, MissingFact> {
        let key = (source.clone(), rev.to_owned());
        let commit = self
            .revs
            .get(&key)
            .ok_or_else(|| MissingFact::Rev(source.clone(), rev.to_owned()))?;
        let of_source = self
            .revs
            .iter()
            .filter(|((name, _), _)| name == source)
            .enumerate();
        let same = of_source
            .filter(|(_, (_, revision))| *revision == commit)
            .map(|(at, _)| rank_at(index.count() + at));
        // A tag of that commit is acceptable too, if another requirement names it.
        let tags = index.tags_of(commit).map(rank_at);
        let mut all: Vec<CandidateRank> = same.chain(tags).collect();
        all.sort_unstable();
        Ok(all)
    }
}

/// The candidate at an index of the list; the first rank is that of the pin.
fn rank_at(at: usize) -> CandidateRank {
    CandidateRank(u32::try_from(at + 1).unwrap_or(u32::MAX))
}

impl UnitFacts for SourceIndex {
    type Unit = Unit;
    type Requirement = Requirement;
    type Need = MissingFact;

    fn allowed(
        &self,
        unit: &Unit,
        requirement: &Requirement,
    ) -> Result<Vec<CandidateRank>, MissingFact> {
        let Some(source) = self.versioned(unit) else {
            return Ok(vec![PINNED]);
        };
        let pinned = self
            .pin(unit)
            .is_some_and(|pin| self.keeps(pin, requirement));
        // A pin that fits is enough: the source is queried only for a conflict.
        if pinned && !self.is_listed(source) {
            return Ok(vec![PINNED]);
        }
        let listed = match self.listed(unit, source, requirement) {
            Err(_) if pinned => Vec::new(),
            listed => listed?,
        };
        Ok(std::iter::repeat_n(PINNED, usize::from(pinned))
            .chain(listed)
            .collect())
    }

    fn content(
        &self,
        unit: &Unit,
        candidate: CandidateRank,
    ) -> Result<UnitContent<'_, Unit, Requirement>, MissingFact> {
        let commit = self.version(unit, candidate).commit;
        match self.found(unit, commit.as_ref()) {
            None => Err(MissingFact::Content(unit.clone(), commit)),
            Some(FoundContent::Absent) => Ok(UnitContent::Absent),
            Some(FoundContent::Resource(_, needs)) => {
                Ok(UnitContent::Children(Cow::Borrowed(&needs.children)))
            }
            Some(FoundContent::Matches(matches)) => {
                Ok(UnitContent::Children(Cow::Borrowed(matches)))
            }
        }
    }

    fn label(&self, unit: &Unit, candidate: CandidateRank) -> String {
        self.version(unit, candidate).label.to_string()
    }

    fn all(&self, unit: &Unit) -> Vec<(CandidateRank, Requirement)> {
        let source = self.versioned(unit);
        let Some(index) = source.and_then(|source| self.indexes.get(source)) else {
            return Vec::new();
        };
        let requirement = |(at, tag): (usize, &VersionLabel)| {
            let requirement = VersionRequirement::parse(tag.as_str()).ok()?;
            Some((rank_at(at), Requirement::Version(requirement)))
        };
        index.stable().filter_map(requirement).collect()
    }
}
