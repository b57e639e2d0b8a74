//! Capabilities that need approval: of the manifest, of the command, or of the lockfile.

use std::collections::BTreeMap;

use agpm_compose::{CapabilityChanges, RenderedResource, UnapprovedChange, UnapprovedReason};
use agpm_diag::{Code, Diagnostic, EntryRemedy, Remedy, codes, counted, visible};
use agpm_model::{Lockfile, Manifest, Owner};
use agpm_trust::{CapabilityChange, CapabilityIncrease, CapabilityName, IncreaseApproval};

use crate::install::CommandApprovals;
use crate::install::TransitiveExecutables;
use crate::install::UnapprovedRefusal;

/// The rules that approve capabilities.
#[derive(Clone, Copy)]
pub struct IncreaseRules<'a> {
    /// Its `allow-executables` approves what is run.
    pub manifest: &'a Manifest,
    /// The new lockfile, with the sources of resources.
    pub lock: &'a Lockfile,
    /// The approvals of the command.
    pub approvals: CommandApprovals<'a>,
}

impl IncreaseRules<'_> {
    /// The changes with the capabilities that nothing approves.
    pub fn refused(&self, changes: &CapabilityChanges) -> Vec<UnapprovedChange> {
        let refused = changes.unapproved.iter().map(|one| {
            let change = &one.change;
            let open = change.unapproved(self.approval(&change.id));
            let increase: Vec<CapabilityIncrease> = open.into_iter().cloned().collect();
            UnapprovedChange {
                change: CapabilityChange {
                    increase,
                    ..change.clone()
                },
                reason: one.reason,
            }
        });
        refused
            .filter(|one| !one.change.increase.is_empty())
            .collect()
    }

    fn approval(&self, id: &Owner) -> IncreaseApproval {
        if self.approvals.approves(id) {
            IncreaseApproval::Everything
        // Approval of executables covers new commands, but not new tools or hosts: those are another decision.
        } else if self.approvals.executables == TransitiveExecutables::Allowed
            || self.allows_runs(id)
        {
            IncreaseApproval::Runs
        } else {
            IncreaseApproval::Nothing
        }
    }

    /// Whether `allow-executables` of the manifest names a resource or its source.
    fn allows_runs(&self, id: &Owner) -> bool {
        let Some(id) = id.resource() else {
            return false;
        };
        let locked = self.lock.entries.iter().find(|one| one.id() == *id);
        locked.is_some_and(|locked| {
            let mut allowed = self.manifest.allow_executables.iter();
            allowed.any(|allowed| allowed.allows(locked.kind, &locked.name, &locked.unit))
        })
    }
}

/// The refusals of capabilities that nothing approves: of executables that others require, and of everything else.
pub fn unapproved_refusals(
    refused: &[UnapprovedChange],
    resources: &[RenderedResource],
) -> Vec<UnapprovedRefusal> {
    let origins = UnapprovedOrigins::of(resources);
    let (programs, others): (Vec<&UnapprovedChange>, Vec<&UnapprovedChange>) =
        refused.iter().partition(|one| is_program(one));
    let refusals = [
        (
            programs,
            executables_message as fn(&[&UnapprovedChange]) -> String,
        ),
        (others, increases_message),
    ];
    let refusals = refusals
        .into_iter()
        .zip([&codes::PACKAGE_EXECUTABLE, &codes::TRUST_INCREASE]);
    refusals
        .filter(|((found, _), _)| !found.is_empty())
        .map(|((found, message), code)| refusal(code, message(&found), &found, &origins))
        .collect()
}

/// Whether something is about an executable that nobody named, or that a policy wants to be approved.
fn is_program(one: &UnapprovedChange) -> bool {
    let acts = |one: &CapabilityIncrease| {
        matches!(
            one.capability,
            CapabilityName::Runs | CapabilityName::Connects | CapabilityName::Permission
        )
    };
    one.reason != UnapprovedReason::Grown && one.change.increase.iter().any(acts)
}

fn executables_message(found: &[&UnapprovedChange]) -> String {
    let is_named = |one: &&&UnapprovedChange| one.reason == UnapprovedReason::Policy;
    let (one, many) = if found.iter().any(|one| is_named(&one)) {
        ("executable needs", "executables need")
    } else {
        ("transitive executable needs", "transitive executables need")
    };
    format!("{} approval", counted(found.len(), one, many))
}

fn increases_message(found: &[&UnapprovedChange]) -> String {
    let count = counted(
        found.len(),
        "resource has new capabilities",
        "resources have new capabilities",
    );
    format!("{count} that need approval")
}

fn refusal(
    code: &'static Code,
    message: String,
    found: &[&UnapprovedChange],
    origins: &UnapprovedOrigins,
) -> UnapprovedRefusal {
    let ids: Vec<String> = found.iter().map(|one| one.change.id.to_string()).collect();
    let width = ids.iter().map(String::len).max().unwrap_or_default();
    let line = |one: &&UnapprovedChange| {
        let UnapprovedChange { change, .. } = one;
        let id = change.id.to_string();
        match origins.0.get(&id).filter(|_| is_program(one)) {
            Some(origin) => {
                let does = shown_increase(&change.increase, "");
                format!("{id:<width$}  {origin}: {}", does.join("; "))
            }
            None => format!(
                "{id}  {}",
                shown_increase(&change.increase, "+ ").join("  ")
            ),
        }
    };
    let remedies = ids.iter().map(|id| Remedy {
        entry: id.clone(),
        change: EntryRemedy::Approve,
    });
    let diagnostic = Diagnostic::new(code, message)
        .details(found.iter().map(line))
        .resolved_by(remedies);
    let runs_only = found
        .iter()
        .flat_map(|one| &one.change.increase)
        .all(|one| one.capability == CapabilityName::Runs);
    let is_listable = ids.iter().all(|id| !id.starts_with("layers/"));
    UnapprovedRefusal {
        diagnostic,
        manifest_way: (*code == codes::PACKAGE_EXECUTABLE && runs_only && is_listable)
            .then(|| allow_executables(&ids)),
        ids,
    }
}

/// The line of the manifest that approves what resources run.
fn allow_executables(ids: &[String]) -> String {
    let names: Vec<String> = ids.iter().map(|id| format!("\"{id}\"")).collect();
    format!(
        "add `allow-executables = [{}]` to the top of agpm.toml",
        names.join(", ")
    )
}

/// More scripts of one resource than this are counted.
const MOST_SCRIPTS: usize = 3;

/// The new capabilities, with many scripts as one.
fn shown_increase(increase: &[CapabilityIncrease], sign: &str) -> Vec<String> {
    let is_script = |one: &&CapabilityIncrease| {
        one.capability == CapabilityName::Runs && !one.value.contains(char::is_whitespace)
    };
    let scripts = increase.iter().filter(is_script).count();
    let mut shown: Vec<String> = Vec::new();
    if scripts > MOST_SCRIPTS {
        shown.push(format!("{sign}runs {scripts} scripts"));
    }
    let others = increase
        .iter()
        .filter(|one| scripts <= MOST_SCRIPTS || !is_script(one));
    shown.extend(others.map(|one| format!("{sign}{}", visible(&one.to_string()))));
    shown
}

/// Where what needs approval comes from, by id: its source, and the first resource that requires it.
struct UnapprovedOrigins(BTreeMap<String, String>);

impl UnapprovedOrigins {
    fn of(resources: &[RenderedResource]) -> Self {
        let mut parents: BTreeMap<usize, usize> = BTreeMap::new();
        for (number, RenderedResource { resolved, .. }) in resources.iter().enumerate() {
            for need in &resolved.entry.needs {
                parents.entry(*need).or_insert(number);
            }
        }
        let mut origins = BTreeMap::new();
        for (number, RenderedResource { resolved, .. }) in resources.iter().enumerate() {
            let parent = parents.get(&number).map(|parent| {
                let label = resources[*parent].resolved.label();
                format!(", required by {label}")
            });
            let parent = parent.unwrap_or_default();
            let origin = format!("{}{parent}", resolved.entry.unit);
            origins.entry(resolved.label()).or_insert(origin);
        }
        UnapprovedOrigins(origins)
    }
}
