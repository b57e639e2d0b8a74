//! What the ledger keeps of an install: the next run compares it to see whether it has work.

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::RenderedResource;
use agpm_diag::{Notes, codes};
use agpm_layers::{LayeredFile, WatchMode};
use agpm_model::{Checksum, InstallMode, LockUse, Owner, ResourceExtent, ResourceOrigin};
use agpm_plan::{ChangeAction, InstalledNumbers, Ledger, Plan};
use agpm_resolve::ResolvedEntry;

use crate::install::InstalledOwners;
use crate::install::new_locks::PlannedLock;
use crate::install::run::GatheredProject;

/// Records the resources that own nothing, and returns all as a run is counted.
pub(super) fn record_owners(
    resources: &[RenderedResource],
    layers: &[LayeredFile],
    before: &Ledger,
    plan: &mut Plan,
) -> InstalledOwners {
    let mut written = BTreeSet::new();
    for RenderedResource { resolved, .. } in resources {
        if is_written(resolved) {
            written.insert(Owner::from(resolved.id()));
        }
    }
    // A hook that is switched off owns nothing, and neither does a resource of which another one writes every entry. The
    // ledger names them, so the next run does not take them for unknown.
    let owning = plan.ledger.owners();
    let nothing: BTreeSet<Owner> = written
        .iter()
        .filter(|owner| !owning.contains(owner))
        .cloned()
        .collect();
    written.retain(|owner| !nothing.contains(owner));
    plan.ledger.nothing = nothing;
    let mut installed_before = BTreeSet::new();
    for owner in before.owners() {
        if owner.layers().is_none() {
            installed_before.insert(owner.clone());
        }
    }
    InstalledOwners {
        before: installed_before,
        resources: written,
        layer_files: layers.iter().map(|file| file.path.clone()).collect(),
    }
}

fn is_written(resolved: &ResolvedEntry) -> bool {
    resolved.entry.install != InstallMode::ResolveOnly && resolved.entry.target.is_some()
}

/// Whether something outside of the project was missing, or something in it was edited. All other warnings are about what was
/// installed: they were reported, and the next run has nothing to do.
fn is_unsettled(notes: &Notes, plan: &Plan) -> bool {
    let missing = [
        &codes::LAYERS_MISSING,
        &codes::CATALOG_STALE,
        &codes::CATALOG_REMOTE,
    ];
    let mut findings = notes.diagnostics.iter();
    if findings.any(|found| missing.contains(&found.code)) {
        return true;
    }
    let mut changes = plan.changes.iter();
    changes.any(|change| change.action == ChangeAction::Keep)
}

/// The inputs of an install, as one checksum. Another version of the program may make something else of it.
pub fn inputs_of(manifest: &[u8], lock: &[u8]) -> Checksum {
    // Managed files are hashed on every run instead of trusting a stat cache: 1,000 files take a few milliseconds, and
    // no clock can hide an edit.
    let mut all = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    all.extend_from_slice(manifest);
    all.extend_from_slice(lock);
    Checksum::of(&all)
}

/// The inputs of an install, besides manifest and lockfile.
pub struct InstallInputs<'a> {
    /// Files of this machine that templates read.
    pub reads: BTreeMap<String, Checksum>,
    /// The resources that were installed.
    pub resources: &'a [RenderedResource],
    /// The same as counted.
    pub owners: &'a InstalledOwners,
    /// How changes of a layer are detected.
    pub watching: WatchMode,
}

impl InstallInputs<'_> {
    /// Keeps them in the ledger, if the next run may rely on them.
    pub(super) fn record(
        mut self,
        gathered: &GatheredProject,
        lock_use: LockUse,
        lock: &PlannedLock,
        plan: &mut Plan,
        notes: &Notes,
    ) {
        // A frozen install resolves nothing, so it cannot record that the manifest resolves to this state.
        if lock_use == LockUse::Frozen {
            plan.ledger.inputs = gathered.ledger.inputs;
            plan.ledger.reads = gathered.ledger.reads.clone();
            plan.ledger.installed = gathered.ledger.installed;
            return;
        }
        // A missing layer or an unreachable remote may be available at the next run, which recorded inputs cannot show.
        // Without a record, the next run takes the full path.
        if is_unsettled(notes, plan) || lock.locks.are_unwritten() {
            return;
        }
        for base in &gathered.project.bases {
            if let Some(file) = base.local_file() {
                self.reads.insert(file, base.locked.checksum);
            }
        }
        for (path, patch) in &gathered.project.manifest.text_patches {
            let checksum = Checksum::of(patch.text.as_bytes());
            self.reads.insert(path.to_string(), checksum);
        }
        let digest = inputs_of(&gathered.inputs, &lock.locks.bytes());
        self.write_into(&mut plan.ledger, digest);
    }

    fn write_into(self, ledger: &mut Ledger, digest: Checksum) {
        ledger.reads = self.reads;
        // A local pattern can match a new file at any time without a change to a recorded input, so such a project
        // always takes the full path.
        let mut is_open = self.watching == WatchMode::Unsettled;
        if let WatchMode::Folders(watched) = self.watching {
            ledger.watched = watched;
        }
        for RenderedResource { resolved, .. } in self.resources {
            if resolved.version.commit.is_some() || !resolved.part_of.is_empty() {
                continue;
            }
            let unit = &resolved.entry.unit;
            match unit.origin {
                // Its content is part of the digest.
                ResourceOrigin::Manifest => {}
                ResourceOrigin::Source(_) => is_open = true,
                ResourceOrigin::Local => {
                    is_open |= resolved.matched_pattern || unit.extent != ResourceExtent::File;
                    let checksum = resolved.resource.checksum;
                    ledger.reads.insert(unit.path.to_string(), checksum);
                }
            }
        }
        ledger.inputs = (!is_open).then_some(digest);
        ledger.installed = Some(InstalledNumbers {
            resources: self.owners.resources.len(),
            layer_files: self.owners.layer_files.len(),
        });
    }
}
