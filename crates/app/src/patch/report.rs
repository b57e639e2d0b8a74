//! The patch that was saved.

use agpm_model::RelativePath;
use serde::Serialize;

use crate::install::InstallReport;
use crate::project::write_mode::{WriteMode, is_dry_run};

/// The result of `patch save`.
#[derive(Clone, Debug, Serialize)]
pub struct PatchSaveReport {
    /// The resource, as `TYPE/NAME`.
    pub id: String,
    /// The fields that the patch sets.
    pub fields: Vec<String>,
    /// The diff with the rest of the edit.
    pub patch_file: Option<RelativePath>,
    /// The edited files.
    pub files: Vec<RelativePath>,
    /// Whether it was done or is only shown.
    #[serde(rename = "dry_run", serialize_with = "is_dry_run")]
    pub writing: WriteMode,
    /// The install with the patch; `None` if nothing was edited.
    #[serde(skip)]
    pub installed: Option<InstallReport>,
}
