//! The rows of a report over many projects.

use serde::Serialize;

/// The resources of many projects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FleetReport {
    /// The projects, by name.
    pub projects: Vec<ProjectRows>,
}

/// The resources of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProjectRows {
    /// The directory, or the URL of the repository.
    pub project: String,
    /// The commit of the repository that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its resources and layers.
    pub rows: Vec<ResourceRow>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A resource or a layer of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResourceRow {
    /// `TYPE/NAME`, or `layers/NAME`.
    pub id: String,
    /// The locked version; nothing for files of the project.
    pub version: Option<String>,
    /// The commit.
    pub commit: Option<String>,
    /// The URL of its source, without secrets.
    pub url: Option<String>,
    /// Whether its files were edited; nothing where no files were looked at.
    pub modified: Option<bool>,
    /// Whether its files are missing; nothing where no files were looked at.
    pub missing: Option<bool>,
    /// Whether a newer version exists; nothing where its source cannot be reached.
    pub outdated: Option<bool>,
    /// The newest version.
    pub newest: Option<String>,
    /// Whether a policy forbids it.
    pub denied: bool,
    /// The rules that forbid it.
    pub reasons: Vec<String>,
    /// Who signed it, as the lockfile records.
    pub signer: Option<String>,
}

/// The rows to keep. All conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowFilter {
    /// By their newer versions.
    pub versions: KeptVersions,
    /// By the policies.
    pub policies: KeptPolicies,
    /// Signed by this signer, if one is given.
    pub signer: Option<String>,
}

/// Which rows are kept by their newer versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptVersions {
    /// All.
    #[default]
    All,
    /// Those with a newer version.
    Outdated,
}

/// Which rows are kept by the policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptPolicies {
    /// All.
    #[default]
    All,
    /// Those that a policy forbids.
    Denied,
}

impl RowFilter {
    /// Whether a row is kept.
    pub fn keeps(&self, row: &ResourceRow) -> bool {
        let is_outdated = self.versions == KeptVersions::All || row.outdated == Some(true);
        let is_denied = self.policies == KeptPolicies::All || row.denied;
        let signer = self.signer.as_ref();
        let is_signed = signer.is_none_or(|signer| row.signer.as_ref() == Some(signer));
        is_outdated && is_denied && is_signed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_conditions_must_hold() {
        let row = ResourceRow {
            outdated: Some(true),
            signer: Some("release@corp".to_owned()),
            ..ResourceRow::default()
        };
        let outdated = RowFilter {
            versions: KeptVersions::Outdated,
            ..RowFilter::default()
        };
        let denied = RowFilter {
            policies: KeptPolicies::Denied,
            ..outdated.clone()
        };
        let signed = RowFilter {
            signer: Some("release@corp".to_owned()),
            ..outdated.clone()
        };
        assert!(RowFilter::default().keeps(&row) && outdated.keeps(&row) && signed.keeps(&row));
        assert!(!denied.keeps(&row));
        assert!(!signed.keeps(&ResourceRow::default()));
    }
}
