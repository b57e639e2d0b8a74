//! The inputs of an install that the ledger keeps: the next run compares them to see whether it has work.

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::RenderedResource;
use agpm_diag::{Notes, codes};
use agpm_layers::{LayeredFile, WatchMode};
use agpm_model::{Checksum, InstallMode, Owner, ResourceExtent, ResourceOrigin};
use agpm_plan::{ChangeAction, InstalledNumbers, Ledger, Plan};
use agpm_resolve::ResolvedEntry;

use crate::install::InstalledOwners;

/// Resources that are installed and own nothing: a hook that is switched off, or one of which another resource writes every
/// entry. The ledger names them, so the next run does not take them for unknown.
pub fn owners_of_nothing(resources: &[RenderedResource], ledger: &Ledger) -> BTreeSet<Owner> {
    let owners = ledger.owners();
    let resolved = resources.iter().map(|resource| &resource.resolved);
    let written = resolved.filter(|one| is_written(one));
    let installed = written.map(|one| one.id().into());
    installed.filter(|owner| !owners.contains(owner)).collect()
}

/// The resources that are written, as a run is counted.
pub fn installed_owners(
    resources: &[RenderedResource],
    layers: &[LayeredFile],
    before: &Ledger,
    after: &Ledger,
) -> InstalledOwners {
    let is_resource = |owner: &&&Owner| owner.layers().is_none();
    let before = before.owners();
    let resolved = resources.iter().map(|resource| &resource.resolved);
    let written = resolved.filter(|one| is_written(one));
    InstalledOwners {
        before: before
            .iter()
            .filter(is_resource)
            .copied()
            .cloned()
            .collect(),
        resources: written
            .map(|one| one.id().into())
            .filter(|owner| !after.nothing.contains(owner))
            .collect(),
        layer_files: layers.iter().map(|file| file.path.clone()).collect(),
    }
}

fn is_written(resolved: &ResolvedEntry) -> bool {
    resolved.entry.install != InstallMode::ResolveOnly && resolved.entry.target.is_some()
}

/// Whether something outside of the project was missing, or something in it was edited. All other warnings are about what was
/// installed: they were reported, and the next run has nothing to do.
pub fn is_unsettled(notes: &Notes, plan: &Plan) -> bool {
    let missing = [
        &codes::LAYERS_MISSING,
        &codes::CATALOG_STALE,
        &codes::CATALOG_REMOTE,
    ];
    notes
        .diagnostics
        .iter()
        .any(|found| missing.contains(&found.code))
        || plan
            .changes
            .iter()
            .any(|change| change.action == ChangeAction::Keep)
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

/// All inputs of an install.
pub struct InstallInputs<'a> {
    /// Of the manifest and the lockfile.
    pub digest: Checksum,
    /// Files of this machine that were read, besides local resources.
    pub reads: BTreeMap<String, Checksum>,
    /// The resources that were installed.
    pub resources: &'a [RenderedResource],
    /// The same as counted.
    pub owners: &'a InstalledOwners,
    /// How changes of a layer are detected.
    pub watching: WatchMode,
}

impl InstallInputs<'_> {
    /// Keeps them in the ledger, unless files were read that new ones may join.
    pub fn record(self, ledger: &mut Ledger) {
        ledger.reads = self.reads;
        // A local pattern can match a new file at any time without a change to a recorded input, so such a project
        // always takes the full path.
        let mut is_open = self.watching == WatchMode::Unsettled;
        if let WatchMode::Folders(watched) = self.watching {
            ledger.watched = watched;
        }
        let resolved = self.resources.iter().map(|resource| &resource.resolved);
        let local = resolved.filter(|one| one.version.commit.is_none() && one.part_of.is_empty());
        for resolved in local {
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
        ledger.inputs = (!is_open).then_some(self.digest);
        ledger.installed = Some(InstalledNumbers {
            resources: self.owners.resources.len(),
            layer_files: self.owners.layer_files.len(),
        });
    }
}
