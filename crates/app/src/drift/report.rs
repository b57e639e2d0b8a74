//! The result of a comparison with the disk.

use agpm_diag::{Code, Diagnostic, codes};
use agpm_model::{Owner, RelativePath};
use serde::{Serialize, Serializer};

use super::edit_status::EditStatus;

/// The checked files and the findings.
#[derive(Debug, Default, Serialize)]
pub struct VerifyReport {
    /// The number of compared files, keys and blocks.
    pub checked: usize,
    /// Modified and missing files, by path.
    pub findings: Vec<DriftFinding>,
}

impl VerifyReport {
    /// The number of findings about missing content.
    pub fn missing(&self) -> usize {
        let findings = self.findings.iter();
        findings.filter(|one| one.is_missing()).count()
    }

    /// The number of findings about changed content.
    pub fn modified(&self) -> usize {
        self.findings.len() - self.missing()
    }

    /// The number of findings about files in conflict with a new version.
    pub fn conflicts(&self) -> usize {
        let findings = self.findings.iter();
        let conflicts = findings.filter(|one| one.status == Some(EditStatus::Conflict));
        conflicts.count()
    }

    /// Takes in what another comparison came to.
    pub fn add(&mut self, other: VerifyReport) {
        self.checked += other.checked;
        self.findings.extend(other.findings);
    }
}

/// A file that is not as it was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriftFinding {
    /// The code of the finding.
    #[serde(serialize_with = "code_name")]
    pub code: &'static Code,
    /// The file.
    pub path: RelativePath,
    /// The owner.
    #[serde(flatten, serialize_with = "agpm_model::serialize_id")]
    pub resource: Owner,
    /// The problem; the path is its subject.
    pub message: String,
    /// Of an edited file: how it relates to the locked version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<EditStatus>,
    /// The version that the edited file is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

fn code_name<S: Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.name)
}

impl DriftFinding {
    pub(super) fn missing(
        path: &RelativePath,
        resource: Owner,
        message: impl Into<String>,
    ) -> Self {
        DriftFinding {
            code: &codes::VERIFY_MISSING,
            path: path.clone(),
            resource,
            message: message.into(),
            status: None,
            base: None,
        }
    }

    pub(super) fn changed(
        path: &RelativePath,
        resource: Owner,
        message: impl Into<String>,
    ) -> Self {
        DriftFinding {
            code: &codes::VERIFY_CHANGED,
            path: path.clone(),
            resource,
            message: message.into(),
            status: None,
            base: None,
        }
    }

    /// A file, entry or block that the user edited.
    pub(super) fn edited(path: &RelativePath, resource: Owner, message: impl Into<String>) -> Self {
        DriftFinding {
            status: Some(EditStatus::Modified),
            ..DriftFinding::changed(path, resource, message)
        }
    }

    /// The status and the base of an edited file, as users read them.
    pub fn edit_words(&self) -> Option<String> {
        let status = self.status?;
        Some(status.words(self.base.as_deref()))
    }

    /// Whether something is missing.
    pub fn is_missing(&self) -> bool {
        *self.code == codes::VERIFY_MISSING
    }

    /// The finding as an error.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("{} {}", self.path, self.message);
        let help = match self.code {
            code if *code == codes::VERIFY_MISSING => "run `agpm install` to restore it",
            code if *code == codes::VERIFY_EXTRA => "remove it, or move it out of the directory",
            _ => "run `agpm install --force` to restore it",
        };
        Diagnostic::new(self.code, message)
            .in_file(self.path.as_str())
            .in_unit(self.resource.to_string())
            .help(help)
    }

    /// The finding with its owner and the way to undo it.
    pub fn repairable_diagnostic(&self) -> Diagnostic {
        let message = format!("{} {} ({})", self.path, self.message, self.resource);
        let help = if self.is_missing() {
            "`agpm install` puts it back"
        } else {
            "run `agpm install --force` to restore it, or keep your edit and ignore this warning"
        };
        Diagnostic::new(self.code, message)
            .in_file(self.path.as_str())
            .help(help)
    }
}
