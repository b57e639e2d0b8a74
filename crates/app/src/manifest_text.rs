//! The step after editing a manifest.

use crate::install::TransitiveExecutables;

/// Whether an edit is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterEdit {
    /// Install the edit; the value says whether transitive executables are allowed.
    Install(TransitiveExecutables),
    /// Only write the manifest.
    Leave,
}
