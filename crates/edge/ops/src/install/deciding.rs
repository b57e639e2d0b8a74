//! Everything that is decided before anything is written.

use std::collections::BTreeSet;

use agpm_diag::{Failure, Notes, Severity, Warnings, codes};
use agpm_model::Install;
use agpm_plan::{Action, Ledger, Plan};
use agpm_resolve::ResolvedEntry;
use agpm_store::ProjectStore;

use crate::install::changelogs;
use crate::install::known::{has_ledger, remember};
use crate::install::lockstep::{compare, moves, tell_other_bytes};
use crate::install::planning::{Planned, SharedChange, Wanted, make_plan, refuse, tell_kept};
use crate::install::recognise::{LockedState, is_puzzled, is_silent};
use crate::install::{
    Changelogs, Conversion, Given, InstallReport, Job, LockChange, LockUse, Moved, Ready, Writing,
};
use crate::layers::LayeredFile;
use crate::packages::{Made, executables, lock_of};
use crate::world::World;
use agpm_store::parallel;

/// Everything that is decided before anything is written.
pub(super) struct Decided {
    pub(super) entries: Vec<ResolvedEntry>,
    pub(super) made: Vec<Made>,
    pub(super) layers: Vec<LayeredFile>,
    pub(super) plan: Plan,
    pub(super) shared: Vec<SharedChange>,
    pub(super) moved: Vec<Moved>,
    pub(super) reads: Vec<String>,
    pub(super) lock_change: LockChange,
    pub(super) lock_text: Vec<u8>,
}

/// Compares what is to be with what is there and was locked.
pub(super) fn decide(
    world: &World,
    store: &ProjectStore,
    job: &Job<'_>,
    ready: &Ready,
    given: Given,
    notes: &mut Notes,
) -> Result<Decided, Failure> {
    let Given {
        entries,
        making,
        layered,
        catalog,
        reads,
        sources,
    } = given;
    let old = ready.lock.as_ref().map(|(lock, _)| lock);
    let lock = lock_of(
        &ready.project.manifest,
        (&entries, &making.made),
        (layered.locked, catalog),
    );
    let mut moved = old
        .map(|old| moves(&ready.project.manifest, old, &lock))
        .unwrap_or_default();
    if job.request.changelogs == Changelogs::Read {
        changelogs::add(&sources, &mut moved);
    }
    if let Some(old) = old {
        tell_other_bytes(old, &lock, notes);
    }
    let lock_change = compare(old, &lock, job.request.lock)?;
    let wanted = Wanted {
        entries: &entries,
        made: &making.made,
        layers: &layered.files,
    };
    let Planned { mut plan, shared } = planned(world, store, job, ready, &wanted, notes)?;
    plan.ledger.nothing = owning_nothing(&entries, &plan.ledger);
    refuse(store, &plan, job.request.writing, notes)?;
    tell_kept(&plan, &job.request, notes)?;
    let warned = notes
        .diagnostics
        .iter()
        .any(|found| found.severity >= Severity::Warning);
    if job.request.warnings == Warnings::Stop && warned {
        notes.warnings_are_errors();
        return Err(Failure::reported());
    }
    let lock_text = match (lock_change, &ready.lock) {
        (LockChange::Unchanged, Some((_, bytes))) => bytes.clone(),
        _ => lock.to_text().into_bytes(),
    };
    match job.request.lock {
        // Nothing was resolved, so nothing is known of what a resolution would say.
        LockUse::Frozen => {
            (plan.ledger.inputs, plan.ledger.reads) =
                (ready.ledger.inputs, ready.ledger.reads.clone());
        }
        // What is missing now may be there on the next run, and nothing that is remembered would tell.
        _ if is_unsettled(notes, &plan) || lock_change == LockChange::NotWritten => {}
        _ => {
            plan.ledger.reads = making.reads;
            remember(
                &mut plan.ledger,
                (&ready.inputs, &lock_text),
                &entries,
                layered.watching,
            );
        }
    }
    let layers = layered.files;
    Ok(Decided {
        entries,
        made: making.made,
        layers,
        plan,
        shared,
        moved,
        reads,
        lock_change,
        lock_text,
    })
}

/// Resources that are installed and own nothing: a hook that is switched off, or one of which another resource writes every
/// entry. The ledger names them, so that the next run does not take them for unknown.
fn owning_nothing(entries: &[ResolvedEntry], ledger: &Ledger) -> BTreeSet<String> {
    let owners = ledger.owners();
    let is_written = |resolved: &&ResolvedEntry| {
        resolved.entry.install == Install::Write && resolved.entry.target.is_some()
    };
    let labels = entries.iter().filter(is_written).map(ResolvedEntry::label);
    labels
        .filter(|label| !owners.contains(label.as_str()))
        .collect()
}

/// The plan; what is in the way may be ours although the ledger does not know it, and then the lockfile does.
fn planned(
    world: &World,
    store: &ProjectStore,
    job: &Job<'_>,
    ready: &Ready,
    wanted: &Wanted<'_>,
    notes: &mut Notes,
) -> Result<Planned, Failure> {
    let overwrite = job.request.overwrite;
    let first = make_plan(store, wanted, (&ready.ledger, overwrite), notes)?;
    let Some((lock, _)) = &ready.lock else {
        return Ok(first);
    };
    let unknown = !has_ledger(store) && is_silent(lock);
    if !unknown && !is_puzzled(store, &first.plan, &ready.ledger, lock) {
        return Ok(first);
    }
    let Ok(state) = LockedState::read(world, (&ready.project.manifest, lock), store) else {
        return Ok(first);
    };
    match state.recognise(store, &ready.ledger) {
        known if known != ready.ledger => make_plan(store, wanted, (&known, overwrite), notes),
        _ => Ok(first),
    }
}

/// Whether something outside of the project was missing, or something in it was edited. All other warnings are about what was
/// installed: they were reported, and the next run has nothing to do.
fn is_unsettled(notes: &Notes, plan: &Plan) -> bool {
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
            .any(|change| change.action == Action::Keep)
}

impl Decided {
    pub(super) fn report(self, writing: Writing) -> InstallReport {
        let converted = self
            .entries
            .iter()
            .zip(&self.made)
            .filter(|(_, made)| !made.fates.is_empty());
        let conversion = |(resolved, made): (&ResolvedEntry, &Made)| Conversion {
            resource: resolved.label(),
            tool: resolved.entry.tool.to_string(),
            fates: made.fates.clone(),
        };
        let report = InstallReport {
            // What is there already was shown when it came.
            programs: executables::new_programs(
                &self.entries,
                &self.made,
                &self.layers,
                &self.plan.changes,
            ),
            conversions: converted.map(conversion).collect(),
            moved: self.moved,
            reads: self.reads,
            unchanged: self.plan.unchanged,
            refused: self.plan.refusals.len(),
            changes: self.plan.changes,
            lock: match (self.lock_change, writing) {
                (LockChange::Written, Writing::Show) => LockChange::WouldBeWritten,
                (change, _) => change,
            },
            writing,
        };
        parallel::discard((
            self.plan.ledger,
            self.layers,
            self.shared,
            self.entries,
            self.made,
        ));
        report
    }
}
