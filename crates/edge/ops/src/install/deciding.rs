//! The plan of an install: lockfile and disk as they are to be, against what they are.

use std::collections::BTreeSet;

use agpm_compose::{RenderedResource, RenderedSet};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, WarningPolicy, codes};
use agpm_model::{InstallMode, LOCK_NAME, Lockfile, Manifest, Owner, PinSource};
use agpm_plan::{
    ChangeAction, DesiredState, Ledger, MovedPin, Observation, Plan, capability_difference,
    checksum_findings, hides_written_bytes, lacks_capabilities, lock_difference, may_explain,
    moved_pins, outdated_lock, patch_difference, recover_ownership,
};
use agpm_resolve::ResolvedEntry;
use agpm_store::parallel;

use agpm_trust::CapabilityChange;

use crate::install::capabilities::approved_changes;
use crate::install::changelogs;
use crate::install::desired::desired_state;
use crate::install::executables;
use crate::install::known::{has_ledger, inputs_of, remember};
use crate::install::locked_state::LockedState;
use crate::install::observer::Observer;
use crate::install::request::{
    Changelogs, Conversion, InstallReport, InstallRequest, LockChange, LockUse, Moved, Writing,
};
use crate::install::run::{GatheredProject, RenderedProject, Run};
use agpm_layers::LayeredFile;

/// Everything that is planned before anything is written.
pub(super) struct PlannedInstall {
    pub(super) resources: Vec<RenderedResource>,
    pub(super) layers: Vec<LayeredFile>,
    pub(super) plan: Plan,
    pub(super) moved: Vec<Moved>,
    pub(super) capabilities: Vec<CapabilityChange>,
    pub(super) reads: Vec<String>,
    pub(super) lock_change: LockChange,
    pub(super) lock_text: Vec<u8>,
}

/// Compares what is to be with what was locked, then with what is on the disk.
pub(super) fn plan_install(
    run: &Run<'_>,
    gathered: &GatheredProject,
    rendered: RenderedProject,
    notes: &mut Notes,
) -> Result<PlannedInstall, Failure> {
    let Run { store, job, .. } = *run;
    let RenderedProject {
        rendered: RenderedSet {
            resources,
            reads: template_reads,
        },
        layered,
        capabilities,
        catalog,
        reads,
        sources,
    } = rendered;
    let manifest = &gathered.project.manifest;
    let bases = &gathered.project.bases;
    let lock = gathered.new_lock(&resources, layered.locked, catalog);
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let mut moved = old.map_or_else(Vec::new, |old| moves(manifest, old, &lock));
    if job.request.changelogs == Changelogs::Read {
        changelogs::add(&sources, &mut moved);
    }
    if let Some(old) = old {
        notes.diagnostics.extend(checksum_findings(old, &lock));
    }
    let lock_change = lock_change(old, &lock, job.request.lock)?;
    note_missing_digests(old, &lock, job.request.lock, notes);
    let mut changed = approved_changes(run, gathered, &capabilities, &lock, notes)?;
    let desired = desired_state(store.path(), &resources, &layered.files)?;
    let mut disk = Observer::new(store);
    disk.observe(&desired, &gathered.ledger)?;
    let mut plan = plan_with_recovery(run, gathered, &desired, &mut disk, notes)?;
    plan.ledger.nothing = owning_nothing(&resources, &plan.ledger);
    plan.ledger.capabilities = Some(capabilities.to_record());
    changed.extend(capabilities.rewritten(&plan.changes, &changed));
    changed.sort_by(|a, b| a.id.cmp(&b.id));
    report_refusals(&plan, disk.observation(), job.request.writing, notes)?;
    notes.diagnostics.append(&mut plan.findings);
    report_kept(&plan, &job.request, notes)?;
    stop_on_warnings(job.request.warnings, notes)?;
    let lock_text = match (lock_change, &gathered.lock) {
        (LockChange::Unchanged, Some((_, bytes))) => bytes.clone(),
        _ => lock.to_text().into_bytes(),
    };
    match job.request.lock {
        // Nothing was resolved, so nothing is known of what a resolution would say.
        LockUse::Frozen => {
            plan.ledger.inputs = gathered.ledger.inputs;
            plan.ledger.reads = gathered.ledger.reads.clone();
        }
        // What is missing now may be there on the next run, and nothing that is remembered would tell.
        _ if is_unsettled(notes, &plan) || lock_change == LockChange::NotWritten => {}
        _ => {
            plan.ledger.reads = template_reads;
            let files = bases
                .iter()
                .filter_map(|base| Some((base.local_file()?, base.locked.checksum)));
            plan.ledger.reads.extend(files);
            let inputs = inputs_of(&gathered.inputs, &lock_text);
            remember(&mut plan.ledger, inputs, &resources, layered.watching);
        }
    }
    Ok(PlannedInstall {
        resources,
        layers: layered.files,
        plan,
        moved,
        capabilities: changed,
        reads,
        lock_change,
        lock_text,
    })
}

/// What becomes of the lockfile; fails if it must not change and would.
fn lock_change(
    old: Option<&Lockfile>,
    new: &Lockfile,
    lock_use: LockUse,
) -> Result<LockChange, Failure> {
    let difference = match (lock_use, old) {
        _ if old == Some(new) => return Ok(LockChange::Unchanged),
        (LockUse::Update, _) => return Ok(LockChange::Written),
        (LockUse::Unwritten, _) => return Ok(LockChange::NotWritten),
        (LockUse::Locked | LockUse::Frozen, None) => {
            return Err(outdated_lock(format!("there is no `{LOCK_NAME}`")));
        }
        (LockUse::Locked, Some(old)) => {
            lock_difference(old, new).or_else(|| capability_difference(old, new))
        }
        // All else was checked before anything was read.
        (LockUse::Frozen, Some(old)) => {
            patch_difference(old, new).or_else(|| capability_difference(old, new))
        }
    };
    match difference {
        Some(difference) => Err(outdated_lock(difference)),
        None => Ok(LockChange::Unchanged),
    }
}

/// Warns where capabilities cannot be compared, since an older program locked none.
pub(super) fn note_missing_digests(
    old: Option<&Lockfile>,
    new: &Lockfile,
    lock_use: LockUse,
    notes: &mut Notes,
) {
    let is_kept = matches!(lock_use, LockUse::Locked | LockUse::Frozen);
    if is_kept && old.is_some_and(|old| lacks_capabilities(old, new)) {
        let message = format!("`{LOCK_NAME}` has no digests of capabilities");
        notes.diagnostics.push(
            Diagnostic::new(&codes::LOCK_CAPABILITIES, message)
                .help("run `agpm install`, and commit the lockfile"),
        );
    }
}

fn moves(manifest: &Manifest, old: &Lockfile, new: &Lockfile) -> Vec<Moved> {
    let report = |moved: MovedPin<'_>| Moved {
        id: moved.id,
        url: url_of(manifest, &moved.new.source),
        old: moved.old.clone(),
        new: moved.new.clone(),
        changelog: Vec::new(),
    };
    moved_pins(old, new).into_iter().map(report).collect()
}

fn url_of(manifest: &Manifest, source: &PinSource) -> Option<String> {
    match source {
        PinSource::Address(written) => {
            let address = written.strip_prefix("git+").unwrap_or(written);
            Some(address.to_owned())
        }
        PinSource::Named(name) => {
            let source = manifest.source(name)?;
            Some(source.address.redacted().to_owned())
        }
    }
}

/// Resources that are installed and own nothing: a hook that is switched off, or one of which another resource writes every
/// entry. The ledger names them, so that the next run does not take them for unknown.
fn owning_nothing(resources: &[RenderedResource], ledger: &Ledger) -> BTreeSet<Owner> {
    let owners = ledger.owners();
    let is_written = |resolved: &&ResolvedEntry| {
        resolved.entry.install != InstallMode::ResolveOnly && resolved.entry.target.is_some()
    };
    let resolved = resources.iter().map(|resource| &resource.resolved);
    let installed = resolved.filter(is_written).map(|one| one.id().into());
    installed.filter(|owner| !owners.contains(owner)).collect()
}

/// The plan. Files in the way may be managed although the ledger does not know it, and then the lockfile does.
fn plan_with_recovery(
    run: &Run<'_>,
    gathered: &GatheredProject,
    desired: &DesiredState<'_>,
    disk: &mut Observer<'_>,
    notes: &mut Notes,
) -> Result<Plan, Failure> {
    let overwrite = run.job.request.overwrite;
    let first = disk.plan(desired, &gathered.ledger, overwrite, notes)?;
    match recovered_ledger(run, gathered, &first, disk) {
        Some(known) => disk.plan(desired, &known, overwrite, notes),
        None => Ok(first),
    }
}

/// The ledger with what the lockfile says is managed, if that is more than was known for a plan.
fn recovered_ledger(
    run: &Run<'_>,
    gathered: &GatheredProject,
    plan: &Plan,
    disk: &mut Observer<'_>,
) -> Option<Ledger> {
    let (lock, _) = gathered.lock.as_ref()?;
    let is_fresh_clone = !has_ledger(run.store) && hides_written_bytes(lock);
    if !is_fresh_clone && !may_explain(lock, plan, &gathered.ledger, disk.observation()) {
        return None;
    }
    // Rendering what is locked takes the sources, so it is not done before it is needed.
    let state = LockedState::read(run.world, &gathered.project.manifest, lock, run.store).ok()?;
    let locked = state.desired(run.store).ok()?;
    disk.observe(&locked, &gathered.ledger).ok()?;
    let known = recover_ownership(&locked, disk.observation(), &gathered.ledger);
    (known != gathered.ledger).then_some(known)
}

/// Reports what is in the way; a run that only shows goes on to show the rest.
fn report_refusals(
    plan: &Plan,
    observation: &Observation,
    writing: Writing,
    notes: &mut Notes,
) -> Result<(), Failure> {
    plan.report_refusals(observation, notes);
    if plan.refusals.is_empty() {
        return Ok(());
    }
    if writing == Writing::Apply {
        return Err(Failure {
            kind: FailureKind::Refused,
            diagnostic: None,
        });
    }
    for found in &mut notes.diagnostics {
        if *found.code == codes::INSTALL_NOT_OURS {
            found.severity = Severity::Warning;
        }
    }
    Ok(())
}

fn stop_on_warnings(warnings: WarningPolicy, notes: &mut Notes) -> Result<(), Failure> {
    let is_warning = |found: &Diagnostic| found.severity >= Severity::Warning;
    if warnings == WarningPolicy::Stop && notes.diagnostics.iter().any(is_warning) {
        notes.warnings_are_errors();
        return Err(Failure::reported());
    }
    Ok(())
}

/// Files that were edited stay; where every byte must be as locked, that is an error.
fn report_kept(plan: &Plan, request: &InstallRequest, notes: &mut Notes) -> Result<(), Failure> {
    for mut found in plan.kept_findings(request.overwrite) {
        if request.lock == LockUse::Frozen {
            found.severity = Severity::Error;
        }
        notes.diagnostics.push(found);
    }
    notes.check()
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
            .any(|change| change.action == ChangeAction::Keep)
}

impl PlannedInstall {
    pub(super) fn report(self, writing: Writing) -> InstallReport {
        let converted = self
            .resources
            .iter()
            .filter(|resource| !resource.output.fates.is_empty());
        let conversion = |RenderedResource { resolved, output }: &RenderedResource| Conversion {
            resource: resolved.id().into(),
            tool: resolved.entry.tool.to_string(),
            target: resolved.entry.target.clone(),
            fates: output.fates.clone(),
        };
        let report = InstallReport {
            // What is there already was shown when it came.
            programs: executables::new_programs(&self.resources, &self.layers, &self.plan.changes),
            conversions: converted.map(conversion).collect(),
            moved: self.moved,
            capabilities: self.capabilities,
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
            self.plan.shared,
            self.layers,
            self.resources,
        ));
        report
    }
}
