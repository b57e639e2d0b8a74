//! Which findings stop an install, and which are only shown.

use agpm_diag::Severity;
use agpm_model::{AuditLevel, AuditSettings};

use super::AuditIssue;

/// The findings of an install.
#[derive(Debug, Default)]
pub struct AuditVerdict {
    /// Nothing is installed because of these.
    pub refused: Vec<AuditIssue>,
    /// These are shown.
    pub shown: Vec<AuditIssue>,
}

impl AuditIssue {
    /// Whether the manifest excuses it.
    pub(crate) fn is_ignored(&self, settings: &AuditSettings) -> bool {
        let Some(id) = &self.id else {
            return false;
        };
        let id = id.to_string();
        let qualified = self
            .tool
            .as_ref()
            .map(|tool| format!("{tool}/{}", self.rule));
        let mut names = std::iter::once(self.rule.as_str()).chain(qualified.as_deref());
        names.any(|name| settings.ignoring(name, &id).is_some())
    }
}

/// Separates findings that an install refuses: errors that the manifest does not excuse, and everything that a policy
/// forbids.
pub fn refused_issues(
    issues: Vec<AuditIssue>,
    settings: &AuditSettings,
    policy: Option<AuditLevel>,
) -> AuditVerdict {
    let mut verdict = AuditVerdict::default();
    for issue in issues {
        let is_ignored = issue.is_ignored(settings);
        let is_forbidden = policy.is_some_and(|level| level.includes(issue.severity));
        if is_forbidden || issue.severity == Severity::Error && !is_ignored {
            verdict.refused.push(issue);
        } else if !is_ignored {
            verdict.shown.push(issue);
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_diag::codes;
    use agpm_model::{Glob, Owner};

    fn issue(severity: Severity) -> AuditIssue {
        AuditIssue {
            severity,
            id: Some(Owner::from("skills/a")),
            code: &codes::AUDIT_SECRET,
            tool: None,
            ..AuditIssue::of_scanner("x", "audit/secret")
        }
    }

    #[test]
    fn errors_are_refused_unless_excused_and_a_policy_accepts_no_excuse() {
        let ignored = agpm_model::AuditIgnore {
            rule: "audit/secret".to_owned(),
            resource: Glob::new("skills/*").expect("a good pattern"),
            reason: "an example".to_owned(),
            spot: spot(),
        };
        let none = AuditSettings::default();
        let excused = AuditSettings {
            ignored: vec![ignored],
            ..AuditSettings::default()
        };
        let (error, warning) = (Severity::Error, Severity::Warning);
        for (severity, settings, policy, expected) in [
            (error, &none, None, (1, 0)),
            (warning, &none, None, (0, 1)),
            (error, &excused, None, (0, 0)),
            (warning, &excused, None, (0, 0)),
            (warning, &none, Some(AuditLevel::Warning), (1, 0)),
            (warning, &excused, Some(AuditLevel::Warning), (1, 0)),
            (warning, &excused, Some(AuditLevel::Error), (0, 0)),
            (error, &excused, Some(AuditLevel::Error), (1, 0)),
        ] {
            let verdict = refused_issues(vec![issue(severity)], settings, policy);
            assert_eq!(
                (verdict.refused.len(), verdict.shown.len()),
                expected,
                "{severity} {policy:?}"
            );
        }
    }

    fn spot() -> agpm_diag::SourceSpan {
        agpm_diag::SourceSpan {
            source: agpm_diag::SourceMap::default().add("agpm.toml", ""),
            span: agpm_diag::Span::at(0),
        }
    }
}
