//! The settings of the audit, and the levels from which its findings are errors.

use std::fmt;

use agpm_diag::{Severity, SourceSpan};
use serde::{Serialize, Serializer};

use crate::glob::Glob;

/// The severity from which findings are errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuditLevel {
    /// Notes too.
    Note,
    /// Warnings and errors.
    Warning,
    /// Errors only.
    #[default]
    Error,
}

/// The levels with their names.
pub(crate) const AUDIT_LEVELS: [(&str, AuditLevel); 3] = [
    ("error", AuditLevel::Error),
    ("warning", AuditLevel::Warning),
    ("note", AuditLevel::Note),
];

impl AuditLevel {
    /// Whether a finding of this severity is an error.
    pub fn includes(self, severity: Severity) -> bool {
        match self {
            AuditLevel::Note => true,
            AuditLevel::Warning => severity >= Severity::Warning,
            AuditLevel::Error => severity >= Severity::Error,
        }
    }

    /// The name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            AuditLevel::Note => "note",
            AuditLevel::Warning => "warning",
            AuditLevel::Error => "error",
        }
    }
}

impl fmt::Display for AuditLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for AuditLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Findings that a person has looked at.
#[derive(Clone, Debug)]
pub struct AuditIgnore {
    /// The rule, by its id; of another scanner as that scanner calls it.
    pub rule: String,
    /// The resources, as a pattern over `TYPE/NAME`.
    pub resource: Glob,
    /// Why the findings are fine.
    pub reason: String,
    /// Its position in the manifest.
    pub spot: SourceSpan,
}

/// `[audit]` of a manifest.
#[derive(Clone, Debug, Default)]
pub struct AuditSettings {
    /// The severity from which findings are errors.
    pub level: AuditLevel,
    /// Reports of other scanners, relative to the manifest.
    pub with: Vec<String>,
    /// Findings that are not reported.
    pub ignored: Vec<AuditIgnore>,
}

impl AuditSettings {
    /// The entry by which a finding is ignored.
    pub fn ignoring(&self, rule: &str, resource: &str) -> Option<&AuditIgnore> {
        let mut ignored = self.ignored.iter();
        ignored.find(|one| one.rule == rule && one.resource.is_match(resource))
    }
}
