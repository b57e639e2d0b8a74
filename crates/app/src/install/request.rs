//! The options of an install.

use agpm_diag::WarningPolicy;
use agpm_model::LockUse;
use agpm_plan::OverwriteRule;

use crate::project::write_mode::WriteMode;

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
