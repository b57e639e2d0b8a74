//! Increases of what resources and layers let tools do since they were locked.

use agpm_compose::CapabilityChanges;
use agpm_diag::{Diagnostic, EntryRemedy, Remedy, codes, counted, visible};
use agpm_model::{Lockfile, Manifest, Owner};
use agpm_trust::{CapabilityChange, CapabilityIncrease, IncreaseApproval};

use crate::approvals::CommandApprovals;
use crate::open_refusals::{ApprovalCommand, UnapprovedRefusal};
use crate::request::TransitiveExecutables;

/// The rules that approve an increase.
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
    /// The changes of what was locked before with the increases that nothing approves.
    pub fn refused(&self, changes: &CapabilityChanges) -> Vec<CapabilityChange> {
        let later = changes.all.iter();
        // A new resource was reviewed when it was added. Only the capabilities that it gained since it was locked
        // need a second look.
        let later = later.filter(|change| changes.after_locking.contains(&change.id));
        let refused = later.map(|change| {
            let open = change.unapproved(self.approval(&change.id));
            let increase: Vec<CapabilityIncrease> = open.into_iter().cloned().collect();
            CapabilityChange {
                increase,
                ..change.clone()
            }
        });
        refused
            .filter(|change| !change.increase.is_empty())
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

/// The refusal of increases that nothing approves.
pub fn unapproved_increases(
    refused: &[CapabilityChange],
    command: &ApprovalCommand,
) -> UnapprovedRefusal {
    let count = counted(
        refused.len(),
        "resource has new capabilities",
        "resources have new capabilities",
    );
    let line = |change: &CapabilityChange| {
        let increase = change.increase.iter();
        let increase: Vec<String> = increase
            .map(|one| format!("+ {}", visible(&one.to_string())))
            .collect();
        format!("{}  {}", change.id, increase.join("  "))
    };
    let ids: Vec<String> = refused.iter().map(|change| change.id.to_string()).collect();
    let message = format!("{count} that need approval");
    let diagnostic = Diagnostic::new(&codes::TRUST_INCREASE, message)
        .details(refused.iter().map(line))
        .resolved_by(refused.iter().map(|change| Remedy {
            entry: change.id.to_string(),
            change: EntryRemedy::Approve,
        }))
        .help(command.help(&ids));
    UnapprovedRefusal { diagnostic, ids }
}
