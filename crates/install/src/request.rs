//! The options of an install.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, WarningPolicy};
use agpm_plan::OverwriteRule;
use serde::Serializer;

/// Whether the plan is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// The changes are applied.
    Apply,
    /// The changes are shown.
    #[default]
    Show,
}

impl WriteMode {
    /// Refuses a run that writes; one that only shows goes on with a warning.
    pub fn refuse(self, mut diagnostic: Diagnostic, notes: &mut Notes) -> Result<(), Failure> {
        match self {
            WriteMode::Apply => Err(Failure::new(FailureKind::Refused, diagnostic)),
            WriteMode::Show => {
                diagnostic.severity = Severity::Warning;
                notes.diagnostics.push(diagnostic);
                Ok(())
            }
        }
    }
}

/// The field `dry_run` of a report.
pub fn is_dry_run<S: Serializer>(writing: &WriteMode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*writing == WriteMode::Show)
}

/// The use of the lockfile in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockUse {
    /// Its pins stay, and it is brought up to date.
    Update,
    /// The lockfile must not change.
    Locked,
    /// Only it decides, and every byte is checked against it.
    Frozen,
    /// Its pins stay, and it is not written.
    Unwritten,
}

/// Whether transitive executables may be installed that the manifest does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransitiveExecutables {
    /// Only executables that `allow-executables` names.
    AsManifest,
    /// All, in this run.
    Allowed,
}

/// The treatment of fields that the format of a tool cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FidelityPolicy {
    /// Losses are reported.
    Report,
    /// Losses stop the command.
    Strict,
}

/// Whether the changelogs of sources that moved are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangelogReading {
    /// They are, for those who show them.
    Read,
    /// They are not: it may take another request to each source.
    Skipped,
}

/// The options of an install.
#[derive(Clone, Copy, Debug)]
pub struct InstallRequest {
    /// The lockfile's part in it.
    pub lock: LockUse,
    /// Whether it is done or shown.
    pub writing: WriteMode,
    /// The blocking files that may be overwritten.
    pub overwrite: OverwriteRule,
    /// The treatment of warnings.
    pub warnings: WarningPolicy,
    /// Whether transitive executables are allowed.
    pub executables: TransitiveExecutables,
    /// The treatment of a loss in the format of a tool.
    pub fidelity: FidelityPolicy,
    /// Whether changelogs are read.
    pub changelogs: ChangelogReading,
}

impl InstallRequest {
    /// As `install` does without any flag.
    pub const PLAIN: InstallRequest = InstallRequest {
        lock: LockUse::Update,
        writing: WriteMode::Apply,
        overwrite: OverwriteRule::Nothing,
        warnings: WarningPolicy::Report,
        executables: TransitiveExecutables::AsManifest,
        fidelity: FidelityPolicy::Report,
        changelogs: ChangelogReading::Skipped,
    };

    /// Whether a ledger without changes is sufficient. A clone can contain a ledger: where the lockfile decides, it
    /// proves nothing.
    pub fn may_rely_on_ledger(&self) -> bool {
        self.writing == WriteMode::Apply
            && matches!(self.lock, LockUse::Update | LockUse::Unwritten)
            && self.overwrite == OverwriteRule::Nothing
            && self.warnings == WarningPolicy::Report
            && self.fidelity == FidelityPolicy::Report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_diag::codes;

    #[test]
    fn only_a_run_that_writes_is_refused() {
        let mut notes = Notes::default();
        let finding = || Diagnostic::new(&codes::TRUST_INCREASE, "more than before");
        let refused = WriteMode::Apply.refuse(finding(), &mut notes);
        assert_eq!(refused.map_err(|one| one.kind), Err(FailureKind::Refused));
        assert!(notes.diagnostics.is_empty());
        assert!(WriteMode::Show.refuse(finding(), &mut notes).is_ok());
        assert_eq!(notes.diagnostics[0].severity, Severity::Warning);
    }

    #[test]
    fn a_ledger_proves_nothing_where_the_lockfile_decides() {
        let with_lock = |lock| InstallRequest {
            lock,
            ..InstallRequest::PLAIN
        };
        assert!(with_lock(LockUse::Update).may_rely_on_ledger());
        assert!(with_lock(LockUse::Unwritten).may_rely_on_ledger());
        assert!(!with_lock(LockUse::Locked).may_rely_on_ledger());
        assert!(!with_lock(LockUse::Frozen).may_rely_on_ledger());
    }
}
