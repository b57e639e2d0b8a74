//! The steps of a frozen install as separate checks.

use std::collections::BTreeMap;

use crate::audit::{issues_of_other_scanners, level_of};
use crate::ci::{CheckName, Checks};
use crate::cost::CostReport;
use crate::findings::{audit_content, refused_issues, rendered_contents};
use crate::install::{InstallRequest, note_missing_digests};
use crate::project::write_mode::WriteMode;
use agpm_diag::{Failure, Notes, Severity};
use agpm_model::LockUse;
use agpm_model::outdated_lock;
use agpm_model::{LOCK_NAME, Lockfile};
use agpm_resolve::UpdateScope;
use agpm_resolve::frozen_difference;
use agpm_store::ProjectStore;

use crate::install::capabilities::LockedSubject;
use crate::install::gathering::gather;
use crate::install::locked_state::LockedState;
use crate::install::policies::ProjectPolicies;
use crate::install::refusals::{refuse_losses, refuse_unapproved, refuse_violations};
use crate::install::rendering::{
    pin_catalog_remotes, render, resolve_dependencies, resources_of_lock,
};
use crate::install::run::{GatheredProject, InstallJob, InstallRun, RenderedProject};
use crate::project::gather::ManifestFiles;
use crate::project::packages::read_lock;
use crate::project::world::World;

/// The lockfile, and the state that it describes.
pub(crate) struct FrozenProject {
    pub(crate) lock: Lockfile,
    pub(crate) state: LockedState,
}

/// Runs the steps of a frozen install up to the plan; `None` if the locked state cannot be rendered.
pub(crate) fn check_frozen(
    world: &World,
    files: ManifestFiles,
    checks: &mut Checks,
    notes: &mut Notes,
) -> Option<FrozenProject> {
    let store = files.store().ok()?;
    // Only a job that writes requires approvals, and only a job that shows does not lock the project. `ci` requires
    // approvals and must not lock, so it uses both.
    let (showing, writing) = (frozen_job(WriteMode::Show), frozen_job(WriteMode::Apply));
    let run = InstallRun {
        world,
        store: &store,
        job: &showing,
    };
    let deciding = InstallRun {
        job: &writing,
        ..run
    };
    // A policy that cannot be read says nothing about the manifest, and hides nothing that the others find.
    let (files, policy_files) = files.without_policies();
    let gathered = checks.run(CheckName::Manifest, notes, |notes| {
        gather(&run, files, notes)
    });
    let Some(mut gathered) = gathered else {
        if !checks.has_failed(CheckName::Lock) {
            checks.run(CheckName::Lock, notes, |notes| {
                require_lock(world, &store, notes)
            });
        }
        return None;
    };
    let policies = checks.run(CheckName::Policy, notes, |notes| {
        ProjectPolicies::read(policy_files, &gathered.project.manifest, notes)
    });
    gathered.policies = policies.unwrap_or(gathered.policies);
    let resolved = checks.run(CheckName::Lock, notes, |notes| {
        if gathered.lock.is_none() {
            return Err(missing_lock());
        }
        resolve_dependencies(&run, &mut gathered, notes)
    });
    // A lockfile that does not fit the manifest hides nothing that the other checks find.
    let resolved = resolved.or_else(|| resources_of_lock(&run, &gathered));
    let rendered = resolved.and_then(|resolved| {
        checks.run(CheckName::Approval, notes, |notes| {
            render(&run, &gathered, resolved, notes)
        })
    });
    let Some(mut rendered) = rendered else {
        checks.skip_unless_failed(CheckName::Policy);
        return None;
    };
    checks.run(CheckName::Approval, notes, |notes| {
        refuse_losses(&deciding, &gathered, &mut rendered, notes)?;
        pin_catalog_remotes(&deciding, &gathered, &mut rendered, notes)?;
        std::mem::take(&mut rendered.open).settle(&deciding.approval_command(), notes)
    });
    if !checks.has_failed(CheckName::Lock) {
        checks.run(CheckName::Lock, notes, |notes| {
            compare_locks(&gathered, &rendered, notes)
        });
    }
    checks.run(CheckName::Approval, notes, |notes| {
        let new = gathered.new_lock(
            &rendered.rendered.resources,
            rendered.layered.locked.clone(),
            rendered.catalog.clone(),
        );
        let subject = LockedSubject {
            gathered: &gathered,
            capabilities: &rendered.capabilities,
            new: &new,
        };
        let resources = &rendered.rendered.resources;
        refuse_unapproved(&deciding, subject, resources, &mut rendered.open, notes)?;
        std::mem::take(&mut rendered.open).settle(&deciding.approval_command(), notes)
    });
    checks.run(CheckName::Policy, notes, |notes| {
        refuse_violations(world, &gathered, &rendered, notes)
    });
    checks.run(CheckName::Audit, notes, |notes| {
        audit_locked(world, &store, &gathered, &rendered, notes)
    });
    let manifest = &gathered.project.manifest;
    if !manifest.budget.is_empty() {
        let costs = CostReport::of(manifest, &rendered.rendered.resources);
        checks.add(CheckName::Budget);
        checks.run(CheckName::Budget, notes, |notes| {
            notes.diagnostics.extend(costs.findings(Severity::Error));
            Ok(())
        });
    }
    let (lock, _) = gathered.lock?;
    let state = LockedState {
        resources: rendered.rendered.resources,
        layers: rendered.layered.files,
        layer_failure: None,
    };
    Some(FrozenProject { lock, state })
}

/// Reports the findings of the audit; those from the configured level upward are errors.
fn audit_locked(
    world: &World,
    store: &ProjectStore,
    gathered: &GatheredProject,
    rendered: &RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let contents = rendered_contents(&rendered.rendered.resources, &rendered.layered.files);
    let mut issues = audit_content(&contents);
    let project = &gathered.project;
    let others = issues_of_other_scanners(world, project, store.path(), &contents, notes)?;
    issues.extend(others);
    let settings = &project.manifest.audit;
    let level = level_of(settings, &gathered.policies);
    let verdict = refused_issues(issues, settings, gathered.policies.set().audit_level());
    for mut issue in verdict.refused.into_iter().chain(verdict.shown) {
        if level.includes(issue.severity) {
            issue.severity = Severity::Error;
        }
        let diagnostic = issue.diagnostic(notes);
        notes.diagnostics.push(diagnostic);
    }
    Ok(())
}

fn missing_lock() -> Failure {
    outdated_lock(format!("`{LOCK_NAME}` not found"))
}

/// Whether the lockfile is missing or broken does not depend on the manifest.
fn require_lock(world: &World, store: &ProjectStore, notes: &mut Notes) -> Result<(), Failure> {
    let lock = read_lock(&world.environment, store, notes)?;
    lock.map(drop).ok_or_else(missing_lock)
}

fn frozen_job(writing: WriteMode) -> InstallJob<'static> {
    InstallJob {
        title: "ci".to_owned(),
        request: InstallRequest {
            lock: LockUse::Frozen,
            writing,
            ..InstallRequest::PLAIN
        },
        moving: UpdateScope::Nothing,
        exact: BTreeMap::new(),
        manifest: None,
    }
}

/// Fails if an install would write a different lockfile.
fn compare_locks(
    gathered: &GatheredProject,
    rendered: &RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let Some((old, _)) = &gathered.lock else {
        return Ok(());
    };
    let new = gathered.new_lock(
        &rendered.rendered.resources,
        rendered.layered.locked.clone(),
        rendered.catalog.clone(),
    );
    note_missing_digests(Some(old), &new, LockUse::Frozen, notes);
    match frozen_difference(old, &new) {
        Some(difference) => Err(outdated_lock(difference)),
        None => Ok(()),
    }
}
