//! Whether a run writes, or only shows what it would write.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity};
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
    pub(crate) fn refuse(
        self,
        mut diagnostic: Diagnostic,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
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
pub(crate) fn is_dry_run<S: Serializer>(
    writing: &WriteMode,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*writing == WriteMode::Show)
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
}
