//! Everything that is planned before anything is written.

use std::collections::BTreeSet;

use agpm_compose::RenderedResource;
use agpm_layers::LayeredFile;
use agpm_model::{RelativePath, ResourceId};
use agpm_plan::{NewContent, Observation, Plan};
use agpm_trust::CapabilityChange;

use crate::gitignore::IgnoreEdit;
use crate::install::InstalledOwners;
use crate::install::edits::SettledEdits;
use crate::install::{
    ConvertedResource, InstallReport, LockChange, LockResult, LockResults, ReportedProgram,
    SourceFileState, UpdatedPin,
};
use crate::project::write_mode::WriteMode;

/// The changes of files, with what was observed to plan them.
pub(super) struct PlannedFiles {
    pub(super) plan: Plan,
    pub(super) edits: SettledEdits,
    /// Files that only the lockfile shows to be managed.
    pub(super) recovered: Vec<RelativePath>,
    pub(super) observation: Observation,
}

/// A planned install.
pub struct PlannedInstall {
    /// All resources, as they are written.
    pub resources: Vec<RenderedResource>,
    /// The files of layers.
    pub layers: Vec<LayeredFile>,
    /// The changes on disk.
    pub plan: Plan,
    /// The results for edited files.
    pub edits: SettledEdits,
    /// Files on disk that agpm wrote on another machine, as the lockfile shows.
    pub recovered: Vec<RelativePath>,
    /// The resources before and after.
    pub owners: InstalledOwners,
    /// Pins that moved.
    pub moved: Vec<UpdatedPin>,
    /// Resources whose files in the source differ from the lockfile.
    pub changed_resources: BTreeSet<ResourceId>,
    /// Capabilities of resources and layers that are new or may have changed.
    pub capabilities: Vec<CapabilityChange>,
    /// Everything new or changed that a tool would run. Programs of an earlier install were shown then.
    pub programs: Vec<ReportedProgram>,
    /// Paths outside of the project that are read.
    pub reads: Vec<String>,
    /// The lockfiles.
    pub locks: LockResults,
    /// The line of `.gitignore` for a new private lockfile.
    pub(crate) ignored: Option<IgnoreEdit>,
}

/// The part of a plan that a report needs no longer. It may be large, so the caller decides when it is dropped.
pub struct DiscardedPlan {
    _plan: Plan,
    _contents: Vec<NewContent>,
    _layers: Vec<LayeredFile>,
    _resources: Vec<RenderedResource>,
}

impl PlannedInstall {
    /// The report of what was planned, and what is left of it.
    pub fn into_report(mut self, writing: WriteMode) -> (InstallReport, DiscardedPlan) {
        let mut changes = std::mem::take(&mut self.plan.changes);
        // A report has no use for the bytes, and whoever holds it would hold them.
        let contents = changes
            .iter_mut()
            .filter_map(|change| change.content.take());
        let contents = contents.collect();
        let converted = self
            .resources
            .iter()
            .filter(|resource| !resource.output.outcomes.is_empty());
        let conversion =
            |RenderedResource { resolved, output }: &RenderedResource| ConvertedResource {
                resource: resolved.id().into(),
                tool: resolved.entry.tool.to_string(),
                target: resolved.entry.target.clone(),
                source: if self.changed_resources.contains(&resolved.id()) {
                    SourceFileState::Changed
                } else {
                    SourceFileState::AsLocked
                },
                outcomes: output.outcomes.clone(),
            };
        let report = InstallReport {
            programs: self.programs,
            conversions: converted.map(conversion).collect(),
            moved: self.moved,
            capabilities: self.capabilities,
            reads: self.reads,
            unchanged: self.plan.unchanged,
            counts: self.owners.count(&changes),
            disabled: disabled_hooks(&self.resources),
            refused: self.plan.refusals.len(),
            changes,
            lock: shown_change(&self.locks.shared, writing),
            private_lock: shown_change(&self.locks.private, writing),
            writing,
        };
        let left = DiscardedPlan {
            _plan: self.plan,
            _contents: contents,
            _layers: self.layers,
            _resources: self.resources,
        };
        (report, left)
    }
}

fn shown_change(result: &LockResult, writing: WriteMode) -> LockChange {
    match (result.change, writing) {
        (LockChange::Written, WriteMode::Show) => LockChange::WouldBeWritten,
        (LockChange::Removed, WriteMode::Show) => LockChange::WouldBeRemoved,
        (change, _) => change,
    }
}

/// The number of hooks that their own file or a patch disables.
fn disabled_hooks(resources: &[RenderedResource]) -> usize {
    let disabled = resources
        .iter()
        .filter(|resource| resource.output.is_disabled);
    let ids: BTreeSet<ResourceId> = disabled.map(|resource| resource.resolved.id()).collect();
    ids.len()
}
