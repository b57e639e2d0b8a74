//! Facts about a resource besides its values.

use crate::why::{RequiredResource, RequirementChains};
use agpm_compose::RenderedResource;
use agpm_diag::SourceMap;
use agpm_model::{
    Checksum, Dependency, InstallMode, LockEntry, ResourceName, ResourceOrigin, ResourcePath,
    ResourceType, Revision, ToolName,
};
use agpm_render::{FieldOutcome, FieldOutcomeKind};
use agpm_resolve::{Placements, ResourceIdentity};
use agpm_trust::CapabilitySet;
use serde::Serialize;

/// An installed resource.
#[derive(Debug, Serialize)]
pub struct ExplainedResource {
    /// The resource.
    #[serde(flatten)]
    pub identity: ResourceIdentity,
    /// The URL of its source, without secrets.
    #[serde(flatten, serialize_with = "agpm_model::serialize_url")]
    pub address: Option<String>,
    /// The path in its source.
    pub path: ResourcePath,
    /// The pattern that found it.
    pub pattern: Option<ResourcePath>,
    /// The version that is required, as the manifest or else the lockfile has it.
    pub requirement: Option<String>,
    /// The position where the manifest requires it.
    pub asked_at: Option<RequiredAt>,
    /// The commit that it is taken from.
    #[serde(flatten, serialize_with = "agpm_model::serialize_commit")]
    pub resolved_commit: Option<Revision>,
    /// Of what it is in its source.
    pub checksum: Option<Checksum>,
    /// The tools it is for, and where it is installed for them.
    #[serde(flatten)]
    pub placements: Placements,
    /// The installed parts of a plugin, as `TYPE/NAME`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The plugin that it is a part of, as `plugins/NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The fields that patches change.
    pub patches: Vec<String>,
    /// Fields that its tool's format cannot express, or expresses differently.
    pub conversions: Vec<ToolConversion>,
    /// The capabilities of the explained resource.
    pub capabilities: CapabilitySet,
    /// The dependents.
    #[serde(flatten)]
    pub required: RequirementChains,
    /// The type of the explained resource.
    #[serde(skip)]
    pub kind: ResourceType,
    /// The origin of the explained resource.
    #[serde(skip)]
    pub origin: ResourceOrigin,
    /// The name that its pattern has in the manifest.
    #[serde(skip)]
    pub pattern_name: Option<ResourceName>,
    /// Whether it is to be installed at all.
    #[serde(skip)]
    pub install: InstallMode,
    /// Whether a patch disables it.
    #[serde(skip)]
    pub is_disabled: bool,
}

/// The conversion of a field for one tool.
#[derive(Debug, Serialize)]
pub struct ToolConversion {
    /// The tool.
    pub tool: ToolName,
    /// The result for the field.
    #[serde(flatten)]
    pub outcome: FieldOutcome,
}

/// The position where the manifest requires a resource.
#[derive(Debug, Serialize)]
pub struct RequiredAt {
    /// The file.
    pub file: String,
    /// The line in it.
    pub line: usize,
    /// The version that it requires, if it comes from a repository.
    #[serde(skip)]
    pub requirement: Option<String>,
}

/// Everything that the facts of a resource are taken from.
pub(super) struct ResourceFacts<'a> {
    pub(super) locked: &'a LockEntry,
    pub(super) dependency: Option<&'a Dependency>,
    /// The plugin that it is a part of.
    pub(super) plugin: Option<&'a LockEntry>,
    /// The URL of its source, without secrets.
    pub(super) source: Option<String>,
    /// The rendered copy for each tool.
    pub(super) copies: &'a [RenderedResource],
    /// Whether a patch disables it.
    pub(super) is_disabled: bool,
}

impl ResourceFacts<'_> {
    pub(super) fn explained(
        self,
        required: RequiredResource,
        sources: &SourceMap,
    ) -> ExplainedResource {
        let locked = self.locked.clone();
        let asked_at = self.required_at(sources);
        let stated = asked_at.as_ref().and_then(|at| at.requirement.clone());
        let requirement = stated.or_else(|| locked.requirement().map(str::to_owned));
        // Only its content knows where a part of a plugin is.
        let content = self.copies.first().map(|copy| &copy.resolved.entry);
        let path = content.map_or(&locked.unit.path, |entry| &entry.unit.path);
        let placements = match content.filter(|_| self.plugin.is_some()) {
            Some(entry) => Placements::of_entry(entry),
            None => Placements::of(&locked),
        };
        ExplainedResource {
            identity: required.identity,
            address: self.source,
            path: path.clone(),
            requirement,
            asked_at,
            resolved_commit: locked.commit().cloned(),
            checksum: locked.checksum,
            placements,
            parts: locked.parts.iter().map(ToString::to_string).collect(),
            part_of: self.plugin.map(LockEntry::label),
            conversions: self.copies.iter().flat_map(inexact).collect(),
            capabilities: capabilities(self.copies),
            required: required.required,
            kind: locked.kind,
            install: locked.install,
            is_disabled: self.is_disabled,
            pattern: locked.pattern,
            patches: locked.patches,
            origin: locked.unit.origin,
            pattern_name: locked.manifest_alias,
        }
    }

    fn required_at(&self, sources: &SourceMap) -> Option<RequiredAt> {
        let dependency = self.dependency?;
        let spot = dependency.spot;
        let is_versioned = self.locked.commit().is_some();
        Some(RequiredAt {
            file: sources.get(spot.source).name.clone(),
            line: sources.line(spot.source, spot.span.start),
            requirement: is_versioned.then(|| dependency.requirement.to_string()),
        })
    }
}

/// The capabilities of all copies.
fn capabilities(copies: &[RenderedResource]) -> CapabilitySet {
    let mut sets = copies.iter().map(|copy| copy.output.capability_set.clone());
    let mut all = sets.next().unwrap_or_default();
    sets.for_each(|set| all.absorb(set));
    all
}

/// The fields that the format of a copy's tool cannot express, or expresses differently.
fn inexact(copy: &RenderedResource) -> Vec<ToolConversion> {
    let outcomes = copy.output.outcomes.iter();
    let inexact = outcomes.filter(|outcome| outcome.kind != FieldOutcomeKind::Exact);
    let conversion = |outcome: &FieldOutcome| ToolConversion {
        tool: copy.resolved.entry.tool.clone(),
        outcome: outcome.clone(),
    };
    inexact.map(conversion).collect()
}
